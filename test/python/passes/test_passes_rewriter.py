"""CANN's subgraph rewriter, called directly: boundaries, conditions for fusing, types of a replacement."""

import gc
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ge.ir as ir
import ge.passes as passes
from ge import ops
from ge.error import get_ge_error_msg
from ge.es import GraphBuilder
from ge.es.math import GEMM, Add, Identity, MatMul, Reshape
from ge.es.nn import Relu
from ge.graph import DataType, Format, Graph, TensorDesc
from ge.passes import FusionBasePass, PassManager


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Collect once more: a manager's tables reference classes invisibly to the collector, so cycles need two rounds."""
    yield
    gc.collect()


def build(count: int, make: Callable[..., Any]) -> Graph:
    builder = GraphBuilder("target")
    made = make(*builder.create_inputs(count))
    return builder.build_and_reset(list(made) if isinstance(made, (list, tuple)) else [made])


def matmul_add() -> Graph:
    return build(3, lambda a, b, c: MatMul(a, b) + c)


def types(graph: Graph) -> list[str]:
    return [node.type for node in graph.nodes]


def run(graph: Graph, cls: Any) -> passes.PipelineResult:
    return PassManager().add(cls).run(graph)


def boundary_of(add: Any) -> passes.SubgraphBoundary:
    matmul = add.operands[0].node
    boundary = passes.SubgraphBoundary()
    for index, (node, port) in enumerate([(matmul, 0), (matmul, 1), (add, 1)]):
        assert boundary.add_input(index, passes.SubgraphInput([(node, port)])) == 0
    output = passes.SubgraphOutput()
    assert output.set_output(add, 0) == 0 and output.set_output(add, 0) != 0
    assert boundary.add_output(0, output) == 0 and boundary.add_output(0, output) != 0
    assert boundary.add_input(0, passes.SubgraphInput()) != 0
    return boundary


def test_rewriter_replaces_a_copy() -> None:
    graph = matmul_add()
    replacement = build(3, lambda a, b, c: GEMM(a, b, c, 1.0, 1.0))
    status = passes.SubgraphRewriter.replace(boundary_of(graph.nodes[1]), replacement)
    assert status == 0 and replacement.is_alive
    assert types(graph) == ["Const", "Const", "GEMM"]
    assert list(graph.nodes[2].operands[:3]) == list(graph.inputs)
    graph.verify()


def test_rewriter_in_a_pass_reports() -> None:
    class P(FusionBasePass):
        def run(self, graph: Graph, context: Any) -> None:
            [add] = [node for node in graph.get_direct_nodes() if node.type == "Add"]
            replacement = build(3, lambda a, b, c: GEMM(a, b, c, 1.0, 1.0))
            passes.infer_shape(replacement, boundary_of(add))
            done = passes.SubgraphRewriter.replace(boundary_of(add), replacement, context=context)
            assert done is None

    graph = matmul_add()
    assert run(graph, P).count("P", "matched") == 1
    [gemm] = [node for node in graph.nodes if node.type == "GEMM"]
    assert sorted(origin.node for origin in gemm.origins) == ["Add_1", "MatMul_0"]


def test_rewriter_refuses_and_leaves_everything() -> None:
    graph = matmul_add()
    before = str(graph)
    wrong = build(2, MatMul)
    assert passes.SubgraphRewriter.replace(boundary_of(graph.nodes[1]), wrong) != 0
    assert str(graph) == before
    with pytest.raises(TypeError, match="replacement must be a ge.graph.Graph"):
        passes.SubgraphRewriter.replace(boundary_of(graph.nodes[1]), None)  # type: ignore[arg-type]

    class P(FusionBasePass):
        def run(self, graph: Graph, context: Any) -> None:
            try:
                passes.SubgraphRewriter.replace(boundary_of(graph.nodes[1]), wrong, context=context)
            finally:
                assert "Replacement input size: 2" in context.get_error_message()

    with pytest.raises(ir.PassError, match="Replacement input size: 2 not equal with Boundary"):
        run(graph, P)
    used = build(3, lambda a, b, c: [(m := MatMul(a, b)) + c, m])
    replacement = build(3, lambda a, b, c: GEMM(a, b, c, 1.0, 1.0))
    assert passes.SubgraphRewriter.replace(boundary_of(used.nodes[1]), replacement) != 0


def test_large_parts_are_replaced_in_linear_time() -> None:
    def chain(count: int) -> float:
        graph = ir.Graph("chain")
        value = graph.add_input("x", ir.TensorType((2,), ir.f32))
        first, length = None, count
        for _ in range(length):
            value = graph.add_node("nn.Relu", [value], result_types=[value.type]).result
            first = first or value.node
        graph.outputs = [value]
        boundary = passes.SubgraphBoundary()
        boundary.add_input(0, passes.SubgraphInput([(first, 0)]))  # type: ignore[list-item]
        boundary.add_output(0, passes.SubgraphOutput(value.node, 0))
        replacement = build(1, Relu)
        start = time.thread_time()
        assert passes.SubgraphRewriter.replace(boundary, replacement) == 0
        took = time.thread_time() - start
        assert types(graph) == ["Relu"]
        return took

    # The part is 10 times as large; a quadratic cost would take 100 times as long.
    small, large = (min(chain(count) for _ in range(5)) for count in (800, 8000))
    assert large < 40 * max(small, 0.0005)


def test_can_fuse() -> None:
    graph = build(1, lambda x: Add(a := Relu(x), Identity(Identity(a))))
    relu, first, second, add = graph.nodes
    assert passes.can_fuse(node for node in (first, second))
    assert passes.can_fuse(graph.nodes).ok
    result = passes.can_fuse([relu, add])
    assert not result and "it will create cycle after fuse" in result.reason
    assert passes.can_fuse([]).reason == "nodes_before_fuse is empty"
    with pytest.raises(TypeError, match="nodes must contain only ge.graph.Node objects"):
        passes.can_fuse(["node"])  # type: ignore[list-item]
    assert not passes.can_fuse([relu, build(1, Relu).nodes[0]])
    relu.set_attr("_user_stream_label", "a")
    add.set_attr("_user_stream_label", "b")
    assert "_user_stream_label" in passes.can_fuse(graph.nodes).reason


def test_infer_shape() -> None:
    builder = GraphBuilder("target")
    a = builder.create_input(0, shape=[2, 3])
    b = builder.create_input(1, shape=[3, 4])
    graph = builder.build_and_reset([MatMul(a, b)])
    replacement = build(2, lambda x, y: Relu(MatMul(x, y)))
    passes.infer_shape(replacement, graph.nodes[0])
    assert replacement.outputs[0].type.shape == (2, 4)
    with pytest.raises(TypeError, match="source must be MatchResult, Node, or SubgraphBoundary"):
        passes.infer_shape(replacement, graph)
    with pytest.raises(RuntimeError, match="replacement graph is empty"):
        passes.infer_shape(Graph("empty"), graph.nodes[0])
    with pytest.raises(RuntimeError, match="infer_shape failed, replacement_graph=target"):
        passes.infer_shape(build(3, lambda a, b, c: MatMul(a, b) + c), graph.nodes[0])


def test_infer_shape_follows_the_source() -> None:
    """Types that the builder guessed are inferred again; layouts that were set explicitly stay."""
    builder = GraphBuilder("target")
    x = builder.create_input(0, shape=[2, 3, 4, 5], data_type=DataType.DT_FLOAT16)
    graph = builder.build_and_reset([Relu(x)])

    builder = GraphBuilder("replacement")
    flat = Reshape(builder.create_input(0), builder.create_const_int64([6, 20]))
    assert flat.value.type == ir.TensorType((6, 20), ir.f32)
    made = Relu(flat).set_format(Format.FORMAT_NCHW)
    node = made._get_node_snapshot()
    node.update_input_desc(0, TensorDesc(format=Format.FORMAT_NHWC))
    replacement = builder.build_and_reset([made])
    passes.infer_shape(replacement, graph.nodes[0])
    assert flat.value.type == ir.TensorType((6, 20), ir.f16)
    assert made.value.type == ir.TensorType((6, 20), ir.f16, format="NCHW")
    assert node.get_input_desc(0) == TensorDesc([6, 20], Format.FORMAT_NHWC, DataType.DT_FLOAT16)


def test_infer_shape_says_what_does_not_fit() -> None:
    builder = GraphBuilder("target")
    x = builder.create_input(0, shape=[2, 3])
    graph = builder.build_and_reset([Relu(x)])
    replacement = build(1, lambda x: MatMul(x, x))
    with pytest.raises(RuntimeError, match="infer_shape failed, replacement_graph=target, .*: "):
        passes.infer_shape(replacement, graph.nodes[0])


def test_infer_shape_sees_constants() -> None:
    builder = GraphBuilder("target")
    x = builder.create_input(0, shape=[2, 3])
    graph = builder.build_and_reset([Reshape(x, builder.create_const_int64([3, 2]))])
    replacement = build(2, lambda x, shape: Relu(Reshape(x, shape)))
    passes.infer_shape(replacement, graph.find_node_by_name("Reshape_1"))
    assert replacement.outputs[0].type == ir.TensorType((3, 2), ir.f32)
    assert [node.type for node in replacement.nodes] == ["Reshape", "Relu"]


@pytest.fixture
def twice() -> Iterator[Any]:
    """Define an operator without type inference."""
    library = ops.Library("rewriter_tests")
    library.define("Twice(Tensor x) -> Tensor y")
    from ge.es.rewriter_tests import Twice  # type: ignore[import-not-found]

    yield Twice
    library.close()


@pytest.mark.parametrize("kind", ["decompose", "boundary"])
@pytest.mark.parametrize("known", [False, True])
def test_results_that_are_not_inferred_keep_their_types(twice: Any, kind: str, known: bool) -> None:
    builder = GraphBuilder("target")
    x = builder.create_input(0, shape=[2, 3], data_type=DataType.DT_FLOAT16)
    if not known:
        x.value.type = ir.UnknownType()
    graph = builder.build_and_reset([Identity(Relu(x).set_shape([2, 3]))])
    relu = graph.nodes[0]
    relu.result.type = ir.TensorType((2, 3), ir.f16)

    class Decompose(passes.DecomposePass):
        op_types = ("Relu",)

        def replacement(self, node: Any) -> Any:
            return build(1, twice)

    class Whole(FusionBasePass):
        def run(self, graph: Any, context: Any) -> None:
            boundary = passes.SubgraphBoundary()
            boundary.add_input(0, passes.SubgraphInput([(relu, 0)]))
            boundary.add_output(0, passes.SubgraphOutput(relu, 0))
            passes.SubgraphRewriter.replace(boundary, build(1, twice), context=context)

    PassManager().add(Decompose if kind == "decompose" else Whole).run(graph)
    assert [node.type for node in graph.nodes] == ["Twice", "Identity"]
    assert graph.nodes[0].result.type == ir.TensorType((2, 3), ir.f16)


def forgotten() -> tuple[ir.Graph, passes.SubgraphBoundary]:
    """Return Relu(Add(Neg(x), Exp(y))) and a boundary that lacks the second operand of the Add."""
    graph = ir.Graph("g")
    type_ = ir.TensorType((2,), ir.f32)
    x, y = (graph.add_input(name, type_) for name in "xy")
    neg = graph.add_node("onnx.Neg", [x], result_types=[type_]).result
    exp = graph.add_node("onnx.Exp", [y], result_types=[type_], name="exp").result
    add = graph.add_node("onnx.Add", [neg, exp], result_types=[type_], name="add")
    relu = graph.add_node("onnx.Relu", [add.result], result_types=[type_])
    graph.outputs = [relu.result]
    boundary = passes.SubgraphBoundary()
    boundary.add_input(0, passes.SubgraphInput([(add, 0)]))
    boundary.add_output(0, passes.SubgraphOutput(relu, 0))
    return graph, boundary


def test_rewriter_refuses_a_boundary_that_lacks_an_input() -> None:
    graph, boundary = forgotten()
    before = str(graph)
    replacement = build(1, Relu)
    assert passes.SubgraphRewriter.replace(boundary, replacement) == passes.StatusCode.FAILED
    says = (
        "operand 0 of node 'exp' is 'y', an input of the graph that is not an input of the boundary"
    )
    assert says in get_ge_error_msg()
    assert str(graph) == before
    add = graph.find("add")
    boundary.add_input(1, passes.SubgraphInput([(add, 1)]))
    assert passes.SubgraphRewriter.replace(boundary, build(2, Add)) == 0


def test_each_failed_status_has_a_text() -> None:
    graph, boundary = forgotten()
    add = graph.find("add")
    one = passes.SubgraphInput([(add, 0)])
    output = passes.SubgraphOutput(add, 0)
    for call, says in [
        (lambda: one.add_input(add, 5), "node 'add' has no operand 5"),
        (lambda: one.add_input(add, 1), "operand 1 of node 'add' is another value than"),
        (lambda: output.set_output(add, 0), "the output is set already"),
        (lambda: passes.SubgraphOutput().set_output(add, 3), "node 'add' has no result 3"),
        (lambda: boundary.add_input(0, one), "input 0 is added already"),
        (lambda: boundary.add_output(0, output), "output 0 is added already"),
        (lambda: passes.SubgraphRewriter.replace(boundary, build(3, lambda *v: v[0])), "replace"),
    ]:
        assert call() == passes.StatusCode.FAILED
        assert says in get_ge_error_msg()
