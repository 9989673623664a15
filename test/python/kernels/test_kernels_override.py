"""A kernel with override=True computes its operator in calls, in graphs, in C and in constant folding, under each of its names."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from c_calls import graph_run, op_call

import ge.ir as ir
import ge.ops as ops
import ge.passes as passes

X = np.array([-1, 2], np.float32)
# Operators that GE computes natively, by reference kernels, or by an evaluator.
UNARY = [
    ("ge", "Relu"),
    ("ge", "Abs"),
    ("ge", "Softplus"),
    ("nn", "Relu"),
    ("math", "Abs"),
    ("onnx", "Relu"),
    ("onnx", "Neg"),
    ("onnx", "Identity"),
    ("onnx", "Floor"),
]


@pytest.fixture(params=UNARY, ids=lambda name: "::".join(name))
def named(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    domain, name = request.param
    with ops.Library(domain, kind="IMPL") as lib:
        lib.impl(name, "cpu", lambda v: np.full_like(v, 42), override=True, as_="numpy")
        yield domain, name


def one_node(domain: str, name: str, *operands: Any, **attributes: Any) -> ir.Graph:
    graph = ir.Module("m").add_graph("main")
    graph.attributes["opset"] = 17
    inputs = [
        graph.add_input(f"x{i}", ir.TensorType(o.shape, ir.DType(o.dtype)))
        for i, o in enumerate(operands)
    ]
    types = [ir.TensorType(operands[0].shape, ir.DType(operands[0].dtype))]
    node = graph.add_node(f"{domain}.{name}", inputs, attributes, result_types=types)
    graph.outputs = [node.result]
    return graph


def folded(graph: ir.Graph, *operands: Any) -> Any:
    """Return what constant folding makes of the only node; None: it stays."""
    for value, operand in zip(list(graph.inputs), operands, strict=True):
        constant = graph.add_node("ge.Const", [], {"value": ir.Tensor(operand)}).result
        value.replace_all_uses_with(constant)
    [value] = graph.outputs
    graph.outputs = [graph.add_node("acme.Keep", [value], result_types=[value.type]).result]
    passes.PassManager.parse("constant-fold").run(graph)
    made = ops.constant_tensor(graph.outputs[0].node.operands[0])
    return None if made is None else made.numpy()


def test_calls(named: tuple[str, str]) -> None:
    call = getattr(getattr(ops.call, named[0]), named[1])
    for _ in range(4):
        assert call(X).tolist() == [42, 42]


def test_graphs(named: tuple[str, str]) -> None:
    graph = one_node(*named, X)
    for _ in range(2):
        assert graph.run([X])[0].tolist() == [42, 42]
    seen = {}
    graph.run([X], trace=lambda name, value: seen.update({name: np.asarray(value).tolist()}))
    assert seen[graph.outputs[0].name] == [42, 42]
    assert graph_run(graph, X, opset=17)[0].tolist() == [42, 42]


def test_operators_called_from_c(named: tuple[str, str]) -> None:
    domain, name = named
    if domain == "ge":
        pytest.skip("records are of the namespaces math and nn")
    graph = one_node(domain, name, X)
    [node] = [n for n in graph.nodes if n.type == name]
    opset = 17 if domain == "onnx" else 0
    assert op_call(node, X, opset=opset)[0].tolist() == [42, 42]


def test_folding(named: tuple[str, str]) -> None:
    made = folded(one_node(*named, X), X)
    if named[0] == "ge":  # nodes of that domain have no definition of their own, and are not folded
        assert made is None
    else:
        assert made.tolist() == [42, 42]


def test_a_closed_library_gives_the_operator_back() -> None:
    for domain in ("ge", "nn", "onnx"):
        graph = one_node(domain, "Relu", X)
        for _ in range(2):
            with ops.Library(domain, kind="IMPL") as lib:
                lib.impl("Relu", "any", lambda v: v * 0 + 7, override=True, as_="numpy")
                assert graph.run([X])[0].tolist() == [7, 7]
            assert graph.run([X])[0].tolist() == [0, 2]
    assert folded(graph, X).tolist() == [0, 2]


def test_sizes_and_numbers_that_ge_folds_by_itself() -> None:
    a, b = np.array([1, 2], np.int64), np.array([3, 4], np.int64)
    assert folded(one_node("onnx", "Add", a, b), a, b).tolist() == [4, 6]
    with ops.Library("onnx", kind="IMPL") as lib:
        lib.impl("Add", "cpu", lambda a, b: a * 0 + 42, override=True, as_="numpy")
        lib.impl("Concat", "cpu", lambda v, *, axis: v[0] * 0 + 5, override=True, as_="numpy")
        assert folded(one_node("onnx", "Add", a, b), a, b).tolist() == [42, 42]
        graph = one_node("onnx", "Concat", a, axis=0)
        assert folded(graph, a).tolist() == [5, 5]


def test_a_shape_is_not_inferred_through_an_operator_that_is_overridden() -> None:
    def shape() -> Any:
        graph = ir.Module("m").add_graph("main")
        graph.attributes["opset"] = 17
        x = graph.add_input("x", ir.TensorType([6], ir.f32))
        sizes = [
            graph.add_node("ge.Const", [], {"value": ir.Tensor(np.array(v, "i8"))}).result
            for v in ([1, 2], [1, 1])
        ]
        unknown = [ir.UnknownType()]
        total = graph.add_node("onnx.Add", sizes, result_types=unknown).result
        graph.outputs = [graph.add_node("onnx.Reshape", [x, total], result_types=unknown).result]
        graph.infer_types()
        return graph.outputs[0].type.shape

    assert tuple(shape()) == (2, 3)
    with ops.Library("onnx", kind="IMPL") as lib:
        lib.impl("Add", "cpu", lambda a, b: np.array([6, 1]), override=True, as_="numpy")
        assert tuple(shape()) == (None, None)


@pytest.mark.parametrize(("domain", "name"), [("ge", "Exp"), ("ge", "Log"), ("math", "Exp")])
def test_a_kernel_that_does_not_fit_is_refused_under_every_name(domain: str, name: str) -> None:
    with ops.Library(domain, kind="IMPL") as lib:
        with pytest.raises(
            ir.OpSchemaError, match=rf"math::{name}: kernel .* takes \(v\), the schema"
        ):
            lib.impl(name, "cpu", lambda v: v, override=True)
        with pytest.raises(ir.OpSchemaError, match="takes"):
            lib.impl(name, "cpu", lambda v, *, base, scale, shift, more: v, override=True)
        lib.impl(name, "cpu", lambda v, **k: np.asarray(v) * 0 + 3, override=True, as_="numpy")
        assert getattr(getattr(ops.call, domain), name)(X).tolist() == [3, 3]
        assert one_node(domain, name, X).run([X])[0].tolist() == [3, 3]


def test_a_kernel_from_before_a_definition_that_it_does_not_fit_is_set_aside() -> None:
    with ops.Library("late", kind="IMPL") as kernels:
        kernels.impl("f", "cpu", lambda x, y: x)
        with ops.Library("late") as lib:
            lib.define("f(Tensor x) -> Tensor", traits=["pure"])
            lib.infer("f")(lambda call: [call.operand_types[0]])
            lib.decompose("f")(lambda x: x)
            with pytest.raises(
                NotImplementedError, match=r"late::f has no kernel for cpu that fits"
            ):
                ops.call.late.f(X)
            graph = one_node("late", "f", X)
            with pytest.raises(ops.KernelError, match=r"late\.f.*has no kernel for cpu that fits"):
                graph.run([X])
            with pytest.raises(RuntimeError, match=r"takes \(x, y\)"):
                graph_run(graph, X)
            assert folded(graph, X) is None
