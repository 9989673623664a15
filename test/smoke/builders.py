"""The installed wheel builds graphs with operators of ONNX, CANN and a library, on this CPython and without onnx."""

import gc
import inspect
import sys

import ge.es
from ge import ir, ops
from ge.es import GraphBuilder
from ge.es import onnx as op
from ge.es.math import Add, If
from ge.es.nn import Relu

assert not {"numpy", "onnx", "onnxruntime"} & set(sys.modules), "imports load none of them"


def onnx_style() -> None:
    with ge.es.builder("main", opset=21) as b:
        x = b.input("x", ("N", 3, 8, 8), ir.f32)
        y = op.Conv(x, b.input("w", (4, 3, 3, 3), ir.f32), pads=[1, 1, 1, 1])
        y = op.Relu(y) * 2 + [[[1.0]]]
        (y,) = op.Loop(3, True, [y], body=lambda i, go_on, s: [go_on, s / 2])
        b.output(op.TopK(y, [1]).Values[:, 0], name="y")
    assert b.graph.outputs[0].type == ir.TensorType(("N", 8, 1), ir.f32), b.graph
    b.graph.verify()
    found = b.graph.infer_types()
    assert (found.unknown, found.by_fallback) == (0, 0), found
    assert str(inspect.signature(op.Softmax)).startswith("(input: ")
    assert "Parameters\n" in inspect.getdoc(op.Conv)
    assert ops.get("onnx::Conv", opset=10).since == 1
    assert len(ops.list_ops("onnx")) > 190


def cann_style() -> None:
    def branch(name: str) -> object:
        inner = GraphBuilder(name)
        return inner.build_and_reset([Relu(inner.create_input(0))])

    builder = GraphBuilder("eager")
    a, b = builder.create_inputs(2)
    made = If(Add(a, 1), [b], 1, branch("then"), branch("else"))
    graph = builder.build_and_reset(made)
    assert [n.type for n in graph.nodes] == ["Const", "Add", "If"]


def own_operators() -> None:
    with ops.Library("acme") as library:
        library.define("Scale(Tensor x, *, float factor=1.0) -> Tensor")
        with ops.add_inferrer(lambda call: [call.operand_types[0]]):
            graph = ir.Graph("g")
            x = graph.add_input("x", ir.TensorType((2,), ir.f32))
            assert ge.es.acme.Scale(x, factor=2.0).type == x.type
        before = ops.use_evaluator(lambda call: [call.operands[0]])
        given = ir.Tensor([1.0])
        assert ops.evaluate_operator("acme.Scale", [given]) == [given]
        ops.use_evaluator(before)
        # The default evaluator needs onnx and onnxruntime.
        if "onnx" not in sys.modules:
            assert ops.evaluate_operator("acme.Scale", [given]) is None


def mistakes() -> None:
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType((2, 3), ir.f32))
    for wrong, expected, words in (
        (lambda: op.Softmax(x, dim=1), ops.BindError, "did you mean 'axis'"),
        (lambda: op.MatMul(x, x), ir.VerifyError, "has 2 rows"),
        (lambda: op.ReLU(x), AttributeError, "did you mean 'Relu'"),
        (lambda: x + 1, TypeError, "ge.es.builder"),
        (lambda: ops.parse_schema("a::f(Tensr x) -> ()"), ops.OpSchemaError, "^"),
    ):
        try:
            wrong()
            raise SystemExit(f"no {expected.__name__}")
        except expected as error:
            assert words in str(error), error
    assert len(graph.nodes) == 0


for part in (onnx_style, cann_style, own_operators, mistakes):
    part()
gc.collect()
assert ir.Context.current.live_graph_count() == 0, "graphs are left"
