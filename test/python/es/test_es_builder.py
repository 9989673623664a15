"""Builders: scopes, Python operators on values, subgraphs as callables, and two networks built with them."""

import numpy as np
import pytest

import ge.es
import ge.ir as ir
import ge.ops as ops
from ge.es import onnx as op


def test_values_have_operators_while_their_builder_lives() -> None:
    with ge.es.builder("main") as b:
        x = b.input("x", (2, 3), ir.f32)
        y = b.input("y", (3, 4), ir.f32)
        made = {
            "onnx.Add": x + 1,
            "onnx.Sub": 1 - x,
            "onnx.Mul": x * x,
            "onnx.Div": x / 2,
            "onnx.MatMul": x @ y,
            "onnx.Pow": x**2,
            "onnx.Mod": x % 2,
            "onnx.Neg": -x,
            "onnx.Abs": abs(x),
            "onnx.Floor": x // 2,
            "onnx.Less": x < 1,
            "onnx.LessOrEqual": x <= 1,
            "onnx.Greater": x > x,
            "onnx.GreaterOrEqual": 1 <= x,
            "onnx.Not": ~(x > 1),
            "onnx.And": (x > 1) & (x < 2),
        }
        assert {name: v.node.op for name, v in made.items()} == {name: name for name in made}
        assert (np.ones(3) + x).node.op == "onnx.Add"
        assert x == x
        assert x != y
        for left, right in ((x, "a"), (x, object()), (x, None)):
            with pytest.raises(TypeError):
                left + right
    for use in (
        lambda: x + 1,
        lambda: -x,
        lambda: x < x,
        lambda: x[0],
        lambda: abs(x),
        lambda: np.ones(3) + x,
    ):
        with pytest.raises(TypeError):
            use()
    assert b.graph.verify()


def test_other_graphs_have_no_operators() -> None:
    other = ir.Graph("other").add_input("x", ir.TensorType((2,), ir.f32))
    with ge.es.builder("main"), pytest.raises(TypeError, match="unsupported operand"):
        other + 1


@pytest.mark.parametrize(
    "index",
    [0, -1, slice(1, None), slice(None, None, -1), (0, 1), (slice(None), 2), (..., 1), (None, 0), (0, ..., None),
     (slice(0, 1), slice(1, 3, 2)), [1, 0], (slice(None), [0, 2])],
    ids=str,
)  # fmt: skip
def test_indexing_is_numpys(index: object) -> None:
    data = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    with ge.es.builder("main") as b:
        x = b.input("x", data.shape, ir.i64)
        assert x[index].type.shape == data[index].shape
        if isinstance(index, tuple):
            with pytest.raises((IndexError, TypeError)):
                x[(0, 0, 0, 0)]


def test_literals_of_ge() -> None:
    with ge.es.builder("main", literals="ge") as b:
        x = b.input("x", None, ir.i64)
        assert (x + 1).node.operands[1].type.dtype == ir.i64
        z = b.input("z", None, ir.f32)
        assert (z + 1.0).node.operands[1].type.dtype == ir.f32


def test_scope() -> None:
    with ge.es.builder("main", opset=17) as b:
        x = b.input("x", ir.TensorType(("N",), ir.f32))
        c = op.Constant(value_float=1.0)
        assert c.node.graph is b.graph
        b.output(op.Relu(x), c, name=["y", "c"])
        assert b.onnx.opset == 17
        with pytest.raises(ValueError, match="entered already"):
            b.__enter__()
    assert list(b.graph.output_names) == ["y", "c"]
    assert dict(b.graph.attributes)["opset"] == {"onnx": 17}
    assert not b.is_live
    with pytest.raises(ValueError, match="literals"):
        ge.es.builder(literals="numpy")


def test_if_captures_values_of_the_outer_graph() -> None:
    with ge.es.builder("main") as b:
        x = b.input("x", (2,), ir.f32)
        (y,) = op.If(
            op.ReduceSum(x, keepdims=0) > 0,
            then_branch=lambda: op.Add(x, 1),
            else_branch=lambda: x,
        )
        b.output(y)
    assert y.type == x.type
    node = y.node
    branches = {g.slot: g for g in node.subgraphs}
    assert set(branches) == {"then_branch", "else_branch"}
    assert branches["then_branch"].nodes[-1].operands[0] == x
    assert not branches["then_branch"].inputs
    assert b.graph.verify()


def test_loop_gets_iteration_condition_and_state() -> None:
    with ge.es.builder("main") as b:
        x = b.input("x", (2,), ir.f32)
        w = op.Mul(x, 2)

        def body(i: ir.Value, cond: ir.Value, acc: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value]:
            assert i.type == ir.TensorType((), ir.i64)
            assert acc.type == x.type
            return cond, acc + w, op.Cast(i, to=ir.f32)

        total, every = op.Loop(10, True, [x], body=body)
        b.output(total, every)
    assert total.type == x.type
    assert every.type.dtype == ir.f32
    assert b.graph.verify()
    assert w in [v for n in total.node.subgraphs[0].nodes for v in n.operands]


def test_nested_bodies_capture_through_each_other() -> None:
    with ge.es.builder("main") as b:
        x = b.input("x", (2,), ir.f32)

        def outer(i: ir.Value, cond: ir.Value, acc: ir.Value) -> tuple[ir.Value, ir.Value]:
            (inner,) = op.If(cond, then_branch=lambda: acc + x, else_branch=lambda: acc * 2)
            return cond, inner

        (y,) = op.Loop(3, None, [x], body=outer)
        b.output(y)
    assert b.graph.verify()
    branch = y.node.subgraphs[0].nodes[-1].subgraphs["then_branch"]
    assert x in list(branch.nodes[0].operands)


def test_a_body_of_the_wrong_shape() -> None:
    with ge.es.builder("main") as b:
        x = b.input("x", (2,), ir.f32)
        before = len(b.graph.nodes)
        with pytest.raises(TypeError, match="'body' takes 1 arguments"):
            op.Loop(None, None, [x], body=lambda i: i)
        with pytest.raises(ZeroDivisionError):
            op.If(op.ReduceSum(x, keepdims=0), then_branch=lambda: 1 / 0, else_branch=lambda: x)
        assert len(b.graph.nodes) == before + 1


def test_resnet_block() -> None:
    rng = np.random.default_rng(0)

    def conv(x: ir.Value, channels: int, kernel: int, stride: int = 1) -> ir.Value:
        w = rng.standard_normal((channels, x.type.shape[1], kernel, kernel)).astype(np.float32)
        pad = kernel // 2
        y = op.Conv(x, w, strides=[stride, stride], pads=[pad] * 4)
        ones, zeros = np.ones(channels, np.float32), np.zeros(channels, np.float32)
        return op.BatchNormalization(y, ones, zeros, zeros, ones)

    with ge.es.builder("block") as b:
        x = b.input("x", ("N", 64, 56, 56), ir.f32)
        y = op.Relu(conv(x, 128, 3, stride=2))
        y = conv(y, 128, 3)
        y = op.Relu(y + conv(x, 128, 1, stride=2))
        b.output(y, name="y")
    assert y.type == ir.TensorType(("N", 128, 28, 28), ir.f32)
    assert b.graph.verify()
    assert b.graph.infer_types().unknown == 0


def test_attention_block_with_control_flow() -> None:
    heads, width = 4, 32
    with ge.es.builder("attention") as b:
        x = b.input("x", ("B", "T", width), ir.f32)
        causal = b.input("causal", (), ir.DType("bool"))
        weights = [b.input(n, (width, width), ir.f32) for n in ("wq", "wk", "wv", "wo")]

        def split(v: ir.Value) -> ir.Value:
            return op.Transpose(op.Reshape(v, [0, 0, heads, width // heads]), perm=[0, 2, 1, 3])

        q, k, v = (split(x @ w) for w in weights[:3])
        scores = q @ op.Transpose(k, perm=[0, 1, 3, 2]) / (width // heads) ** 0.5
        (scores,) = op.If(
            causal,
            then_branch=lambda: scores + op.Trilu(op.Sub(op.Mul(scores, 0), 1e9), 1),
            else_branch=lambda: scores,
        )
        mixed = op.Softmax(scores, axis=-1) @ v
        y = op.Reshape(op.Transpose(mixed, perm=[0, 2, 1, 3]), [0, 0, width]) @ weights[3]
        b.output(op.LayerNormalization(x + y, np.ones(width, np.float32)), name="y")
    assert b.graph.verify()
    result = b.graph.infer_types()
    assert (result.unknown, result.unknown_operators) == (0, {})
    assert b.graph.outputs[0].type.shape[2] == width


def test_ge_operators() -> None:
    from ge.es.math import Add, MatMul

    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType((2, 2), ir.f32))
    assert MatMul(x, x, transpose_x1=True).node.op == "math.MatMul"
    assert Add(x, 1).node.operands[1].type.dtype == ir.f32
    parts = ge.es.math.Split(0, x, 2, num_split=2)
    assert len(parts) == 2
    assert graph.verify()


def test_definitions_are_verified() -> None:
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType((2,), ir.f32))
    graph.add_node("onnx.Relu", [x, x])
    graph.add_node("custom.Whatever", [x])
    assert graph.verify(definitions=False)
    with pytest.raises(ir.VerifyError, match="Relu"):
        graph.verify()
    assert ops.find("custom", "Whatever") is None
