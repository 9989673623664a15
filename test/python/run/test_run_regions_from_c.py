"""If C code runs a graph in a Python process, onnxruntime evaluates ONNX's operators, region by region."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from c_calls import graph_run as run

import ge.ir as ir
import ge.ops as ops
from ge._mlir_like._cext_loader import load
from ge.run import _native_regions, _regions

pytest.importorskip("onnxruntime")

X = np.array([1, -2, 3], "f4")


def tensor(*shape: Any, dtype: str = "f32") -> ir.TensorType:
    return ir.TensorType(list(shape), ir.DType(dtype))


def add(graph: ir.Graph, op: str, *operands: Any, **attributes: Any) -> Any:
    return graph.add_node(op, list(operands), attributes, result_types=[ir.UnknownType()]).result


@pytest.fixture
def graph() -> ir.Graph:
    graph = ir.Module("m").add_graph("main")
    graph.attributes["opset"] = 21
    return graph


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[list[str]]]:
    seen: list[list[str]] = []
    original = _native_regions.compile_region

    def compile_region(module: ir.Module) -> Any:
        (region,) = module.graphs.values()
        seen.append([n.type for n in region.nodes])
        return original(module)

    monkeypatch.setattr(_native_regions, "compile_region", compile_region)
    load("ir")._set_region_runner(True)  # drops regions that were compiled before
    yield seen
    load("ir")._set_region_runner(True)


def test_regions_around_a_kernel_are_as_large_as_can_be(
    graph: ir.Graph, compiled: list[list[str]]
) -> None:
    with ops.Library("rfc") as lib:
        lib.define("half(Tensor x) -> Tensor", traits=["pure"])
        lib.infer("half")(lambda call: [call.operand_types[0]])
        lib.impl("half", "cpu", lambda x: x / 2, as_="numpy")
        x = graph.add_input("x", tensor("N"))
        weight = graph.add_node("ge.Const", [], {"value": np.array(10, "f4")}).result
        relu = add(graph, "onnx.Relu", x)
        half = add(graph, "rfc.half", add(graph, "onnx.Add", relu, weight))
        graph.outputs = [add(graph, "onnx.Mul", half, relu), add(graph, "onnx.Neg", relu)]
        for _ in range(2):
            first, second = run(graph, X)
            np.testing.assert_array_equal(first, (np.maximum(X, 0) + 10) / 2 * np.maximum(X, 0))
            np.testing.assert_array_equal(second, -np.maximum(X, 0))
        assert [sorted(c) for c in compiled] == [["Add", "Const", "Neg", "Relu"], ["Mul"]]
        assert [r.tolist() for r in run(graph, X[:1])] == [[5.5], [-1.0]]  # another size
        assert len(compiled) == 2


def test_loops_functions_and_strings(graph: ir.Graph) -> None:
    text = """module {
      func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<3xf32>, %s: tensor<2x!ge.string>) -> (tensor<3xf32>, tensor<3xf32>, tensor<?x!ge.string>) attributes {ge.attrs = {opset = 21 : i64}} {
        %l = "onnx.Loop"(%n, %c, %x) ({
        ^bb0(%i: tensor<i64>, %d: tensor<i1>, %v: tensor<3xf32>):
          %e = "onnx.Identity"(%d) : (tensor<i1>) -> tensor<i1>
          %a = "onnx.Add"(%v, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
          "ge.yield"(%e, %a) : (tensor<i1>, tensor<3xf32>) -> ()
        }) {ge.subgraphs = [{slot = "body"}]} : (tensor<i64>, tensor<i1>, tensor<3xf32>) -> tensor<3xf32>
        %f = "my.leaky"(%x) {slope = 0.5 : f32} : (tensor<3xf32>) -> tensor<3xf32>
        %t = "onnx.Identity"(%s) : (tensor<2x!ge.string>) -> tensor<?x!ge.string>
        return %l, %f, %t : tensor<3xf32>, tensor<3xf32>, tensor<?x!ge.string>
      }
      func.func @my.leaky(%x: tensor<3xf32>) -> tensor<3xf32> attributes {ge.attrs = {onnx.function = {domain = "my", name = "leaky"}}} {
        %y = "onnx.LeakyRelu"(%x) {alpha = {ref_attr_name = "slope", type = 1 : i64}} : (tensor<3xf32>) -> tensor<3xf32>
        return %y : tensor<3xf32>
      }
    }"""
    module = ir.Module.parse(text)
    words = np.array(["a", "bc"], object)
    loop, function, strings = run(module.graphs["main"], np.int64(2), np.True_, X, words)
    np.testing.assert_array_equal(loop, X * 3)
    np.testing.assert_array_equal(function, np.where(X < 0, X / 2, X))
    assert strings.tolist() == ["a", "bc"]


def test_what_no_engine_runs_is_named(graph: ir.Graph) -> None:
    x = graph.add_input("x", tensor(3))
    node = graph.add_node("com.microsoft.Nonsense", [x], result_types=[tensor(3)], name="odd")
    graph.outputs = [add(graph, "onnx.Relu", node.result)]
    with pytest.raises(RuntimeError, match=r"node 'odd' \(com.microsoft.Nonsense\)"):
        run(graph, X)
    pieces = graph.add_node(
        "onnx.SplitToSequence", [x], result_types=[ir.UnknownType()], name="pieces"
    )
    graph.outputs = [pieces.result]
    with pytest.raises(RuntimeError, match=r"node 'pieces' .*output 0 is a sequence"):
        run(graph, X)


def test_wrong_nodes_do_not_reach_an_engine(graph: ir.Graph) -> None:
    x = graph.add_input("x", tensor(3))
    node = graph.add_node("onnx.Relu", [x, x], result_types=[tensor(3)], name="two")
    graph.outputs = [node.result]
    with pytest.raises(RuntimeError, match=r"node 'two' \(onnx.Relu\)"):
        run(graph, X)


def test_without_engines_nothing_is_in_regions(
    graph: ir.Graph, monkeypatch: pytest.MonkeyPatch, compiled: list[list[str]]
) -> None:
    monkeypatch.setenv("GE_EVALUATORS", "none")
    x = graph.add_input("x", tensor(3))
    graph.outputs = [add(graph, "onnx.Neg", x)]
    np.testing.assert_array_equal(run(graph, X)[0], -X)  # runs natively
    graph.outputs = [add(graph, "onnx.Erf", x)]
    with pytest.raises(RuntimeError, match="onnx::Erf has no kernel"):
        run(graph, X)
    assert not compiled


def test_graph_run_and_a_c_program_share_sessions(graph: ir.Graph) -> None:
    x = graph.add_input("x", tensor(3))
    graph.outputs = [add(graph, "onnx.Softplus", add(graph, "onnx.Relu", x))]
    expected = graph.run([X])[0]
    before = len(_regions._sessions)
    np.testing.assert_array_equal(run(graph, X)[0], expected)
    assert len(_regions._sessions) == before


@pytest.mark.parametrize("nested", [False, True])
def test_a_sequence_map_captures_outer_values(graph: ir.Graph, nested: bool) -> None:
    item = ir.SequenceType(tensor(3))
    x = graph.add_input("x", tensor(3))
    sequence = graph.add_node("onnx.SequenceConstruct", [x, x], result_types=[item]).result
    around: Any = graph
    if nested:
        yes = graph.add_node("ge.Const", [], {"value": ir.Tensor(np.array(True))}).result
        choice = graph.add_node("onnx.If", [yes], result_types=[item])
        around, other = (choice.add_subgraph(slot) for slot in ("then_branch", "else_branch"))
        same = other.add_node("onnx.Identity", [sequence], result_types=[item])
        other.outputs = [same.result]
    node = around.add_node("onnx.SequenceMap", [sequence], result_types=[item])
    body = node.add_subgraph("body")
    made = body.add_node("onnx.Add", [body.add_input("i", tensor(3)), x], result_types=[tensor(3)])
    body.outputs = [made.result]
    if nested:
        around.outputs = [node.result]
    mapped = choice.result if nested else node.result
    graph.outputs = [add(graph, "onnx.ConcatFromSequence", mapped, axis=0)]
    np.testing.assert_array_equal(run(graph, X)[0], [*(2 * X), *(2 * X)])
