"""Shapes that a model computes: from Shape through arithmetic to the operator that takes the result as a shape.

Each row is the body of a model with ``x: f32[N, 12, M, 64]`` and the type inferred for ``y``. ONNX's inference with
data propagation may never be finer. A symbol is kept if the size certainly equals it; a size that would need a new
symbol (``2 * N``) is unknown, and the other sizes are kept.
"""

from __future__ import annotations

import onnx
import pytest
from onnx import parser
from onnx_inference import reference_types, relation, shape_text, to_graph

import ge.ir as ir

HEAD = """<ir_version: 8, opset_import: ["": 18]>
g (float[N, 12, M, 64] x, float[1, 64] row, float[N, 12, M, 64] same) => (float y)
<int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}, int64[1] three = {3}, int64[1] four = {4},
 int64[1] all = {-1}, int64 i0 = {0}, int64 i1 = {1}, int64 i2 = {2}, int64[1] hidden = {768},
 int64[2] i02 = {0, 2}, int64 big = {9223372036854775807}, float[1] half = {0.5}>
{
shape = Shape(x)
n = Gather(shape, i0)
m = Gather(shape, i2)
n1 = Unsqueeze(n, zero)
m1 = Unsqueeze(m, zero)
"""

ROWS = [
    # Reshape
    ("s = Concat<axis = 0>(n1, m1, hidden) y = Reshape(x, s)", "f32[N, M, 768]"),
    ("s = Concat<axis = 0>(n1, all, hidden) y = Reshape(x, s)", "f32[N, M, 768]"),
    ("s = Concat<axis = 0>(n1, all) y = Reshape(x, s)", "f32[N, ?]"),
    ("s = Concat<axis = 0>(zero, all, m1, zero) y = Reshape(x, s)", "f32[N, 12, M, 64]"),
    ("p = Mul(n, m) p1 = Unsqueeze(p, zero) s = Concat<axis = 0>(p1, hidden) y = Reshape(x, s)", "f32[?, 768]"),
    ("front = Slice(shape, zero, two) s = Concat<axis = 0>(front, all) y = Reshape(x, s)", "f32[N, 12, ?]"),
    ("back = Slice(shape, two, four) s = Concat<axis = 0>(all, back) y = Reshape(x, s)", "f32[?, M, 64]"),
    ("a, b = Split<axis = 0, num_outputs = 2>(shape) s = Concat<axis = 0>(b, a) y = Reshape(x, s)", "f32[M, 64, N, 12]"),
    ("g2 = Gather(shape, i02) s = Concat<axis = 0>(g2, hidden) y = Reshape(x, s)", "f32[N, M, 768]"),
    ("part = Shape<start = 0, end = 1>(x) s = Concat<axis = 0>(part, all) y = Reshape(x, s)", "f32[N, ?]"),
    # Operations that keep the value of a symbol
    ("k = Mul(n1, one) s = Concat<axis = 0>(k, all) y = Reshape(x, s)", "f32[N, ?]"),
    ("k = Add(n1, zero) s = Concat<axis = 0>(k, all) y = Reshape(x, s)", "f32[N, ?]"),
    ("k = Div(n1, one) s = Concat<axis = 0>(k, all) y = Reshape(x, s)", "f32[N, ?]"),
    ("k = Max(n1, n1) s = Concat<axis = 0>(k, all) y = Reshape(x, s)", "f32[N, ?]"),
    ("k = ReduceProd<keepdims = 1>(n1) s = Concat<axis = 0>(k, all) y = Reshape(x, s)", "f32[N, ?]"),
    ("f = Cast<to = 11>(n1) k = Cast<to = 7>(f) s = Concat<axis = 0>(k, all) y = Reshape(x, s)", "f32[N, ?]"),
    ("f = Cast<to = 6>(n1) k = Cast<to = 7>(f) s = Concat<axis = 0>(k, all) y = Reshape(x, s)", "f32[N, ?]"),
    ("k = Sub(n1, n1) e = Add(k, two) s = Concat<axis = 0>(e, all) y = Reshape(x, s)", "f32[2, ?]"),
    # Operations that change it
    ("k = Mul(n1, two) s = Concat<axis = 0>(k, hidden) y = Reshape(x, s)", "f32[?, 768]"),
    ("k = Add(n1, one) s = Concat<axis = 0>(k, one) y = Expand(row, s)", "f32[?, 64]"),
    ("k = Div(n1, two) s = Concat<axis = 0>(k, hidden) y = Reshape(x, s)", "f32[?, 768]"),
    # Known sizes
    ("c = Gather(shape, i1) c1 = Unsqueeze(c, zero) k = Mul(c1, two) s = Concat<axis = 0>(k, all) y = Reshape(x, s)", "f32[24, ?]"),
    ("c = Shape<start = 1, end = 2>(x) k = Div(c, two) s = Concat<axis = 0>(k, all) y = Reshape(x, s)", "f32[6, ?]"),
    ("c = Size(row) c1 = Unsqueeze(c, zero) s = Concat<axis = 0>(n1, c1) y = Expand(row, s)", "f32[N, 64]"),
    # Operators that take a shape
    ("y = ConstantOfShape(shape)", "f32[N, 12, M, 64]"),
    ("s = Concat<axis = 0>(n1, two) y = ConstantOfShape(s)", "f32[N, 2]"),
    ("y0 = Range(i0, n, i1) y = Cast<to = 1>(y0)", "f32[N]"),
    ("y0 = Range(i0, n, i2) y = Cast<to = 1>(y0)", "f32[?]"),
    ("s = Concat<axis = 0>(n1, all) y = Expand(row, s)", "f32[N, 64]"),
    ("s = Concat<axis = 0>(n1, m1, one) y = Expand(row, s)", "f32[N, M, 64]"),
    ("y = Expand(row, n1)", "f32[1, 64]"),
    ("s = Concat<axis = 0>(n1, one) y = Tile(row, s)", "f32[N, 64]"),
    # As exported from torch.expand: -1 keeps a size
    (
        "ones = ConstantOfShape<value = int64[1] {1}>(three) m64 = Mul(ones, all)"
        " w = Concat<axis = 0>(n1, m1, all) q = Equal(w, m64) s = Where(q, ones, w) y = Expand(row, s)",
        "f32[N, M, 64]",
    ),
    # Slices
    ("y = Slice(x, zero, n1, zero)", "f32[N, 12, M, 64]"),
    ("y = Slice(x, one, n1, zero)", "f32[?, 12, M, 64]"),
    ("y = Slice(x, zero, two, two)", "f32[N, 12, ?, 64]"),
    ("y = Slice(x, zero, m1, two)", "f32[N, 12, M, 64]"),
    # The same symbol on both sides
    ("y = Add(x, same)", "f32[N, 12, M, 64]"),
    ("s = Shape(same) y = Reshape(x, s)", "f32[N, 12, M, 64]"),
    ("y = Concat<axis = 1>(x, same)", "f32[N, 24, M, 64]"),
    ("y = Concat<axis = 0>(x, same)", "f32[?, 12, M, 64]"),
    # Resize and Pad
    ("s = Concat<axis = 0>(n1, three, m1, hidden) y = Resize(x, , , s)", "f32[N, 3, M, 768]"),
    ("p = ConstantOfShape<value = int64[1] {0}>(four) q = Concat<axis = 0>(p, p) y = Pad(x, q)", "f32[N, 12, M, 64]"),
]  # fmt: skip


def graphs(body: str) -> tuple[onnx.ModelProto, ir.Module, dict[str, ir.Value]]:
    model = parser.parse_model(HEAD + body + "\n}")
    for output in model.graph.output:
        output.ClearField("type")
        output.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    module, values = to_graph(model)
    return model, module, values


def show(type: ir.Type) -> str:
    if not isinstance(type, ir.TensorType):
        return "unknown"
    if type.shape is None:
        return f"{type.dtype.name}[*]"
    return f"{type.dtype.name}[{', '.join('?' if d is None else str(d) for d in type.shape)}]"


@pytest.mark.parametrize(("body", "expected"), ROWS)
def test_shape_arithmetic(body: str, expected: str) -> None:
    model, module, values = graphs(body)
    inferred = module.graphs[0].infer_types()
    assert [d.message for d in inferred.diagnostics] == []
    assert show(values["y"].type) == expected
    reference = reference_types(model)
    if "y" in reference:
        assert relation(expected, shape_text(reference["y"])) in ("same", "finer")


@pytest.mark.parametrize("to", [1, 5, 10])
def test_a_size_is_not_itself_in_a_type_that_does_not_hold_it(to: int) -> None:
    """In f32 2^24 + 1 is another number. ONNX's inference does not see that, and keeps N."""
    body = f"f = Cast<to = {to}>(n1) k = Cast<to = 7>(f) s = Concat<axis = 0>(k, all) y = Reshape(x, s)"
    _, module, values = graphs(body)
    module.graphs[0].infer_types()
    assert show(values["y"].type) == "f32[?, ?]"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("s = Concat<axis = 0>(all, all) y = Reshape(x, s)", "-1 twice"),
        (
            "s = Concat<axis = 0>(hidden, four) y = Reshape(row, s)",
            "the numbers of elements differ",
        ),
        ("k = Gather(shape, big) y = Range(i0, k, i1)", "9223372036854775807"),
        ("s = Concat<axis = 0>(n1, three) y = Expand(row, s)", "does not broadcast"),
    ],
)
def test_impossible_shapes_are_reported(body: str, message: str) -> None:
    _, module, _ = graphs(body)
    inferred = module.graphs[0].infer_types()
    assert any(message in d.message for d in inferred.diagnostics)
