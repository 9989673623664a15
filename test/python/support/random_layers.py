"""Steps of random ONNX models that compute along axes: reductions, products, convolutions, pools, normalisations."""

from collections.abc import Callable
from typing import Any

import numpy as np
from random_builder import (
    F32,
    F64,
    I32,
    I64,
    WIDE,
    Builder,
    Value,
)
from random_shapes import with_axes

__all__ = ["LAYER_STEPS"]

# --- Sums ------------------------------------------------------------------------------------------


def _reduce(b: Builder) -> None:
    op = b.pick("Sum", "Max", "Min", "Mean", "Prod", "SumSquare", "L1", "L2", "LogSumExp")
    dtypes = (F32, F64, I32, I64) if op in ("Sum", "Max", "Min") else (F32, F32, F64)
    x = b.value(dtypes, 1, exact=op not in ("Sum", "Max", "Min", "Mean"))
    if 0 in x.shape:
        return
    for _ in range(b.pick(1, 1, 2)):
        if not x.shape:
            return
        axes = b.axes(len(x.shape), 1)
        chosen = {axis % len(x.shape) for axis in axes}
        keep = b.pick(1, 1, 0)
        shape = [1 if i in chosen else n for i, n in enumerate(x.shape)]
        if not keep:
            shape = [n for i, n in enumerate(x.shape) if i not in chosen]
        rank = len(x.shape)
        attributes: dict[str, Any] = {"keepdims": keep}
        operands = [x]
        if b.opset >= (13 if op == "Sum" else 18):
            operands.append(b.ints(*axes))
        else:
            attributes["axes"] = axes
        x = b.node(f"Reduce{op}", operands, x.dtype, shape, rounds=True, **attributes)
        if not keep and b.chance(0.5):
            full = [axis % rank for axis in axes]
            shape = list(x.shape)
            for axis in sorted(full):
                shape.insert(axis, 1)
            x = with_axes(b, "Unsqueeze", x, full, shape)


def _arg(b: Builder) -> None:
    x = b.value((F32, F64, I32), 1, exact=True)
    if 0 in x.shape:
        return
    if x.dtype == F32 and b.chance(0.4):
        x = b.node("Softmax", [x], F32, x.shape, axis=len(x.shape) - 1, rounds=True)
    axis = len(x.shape) - 1 if b.chance(0.6) else b.random.randrange(len(x.shape))
    shape = [1 if i == axis else n for i, n in enumerate(x.shape)]
    b.node(b.pick("ArgMax", "ArgMin"), [x], I64, shape, axis=axis)


def _softmax(b: Builder) -> None:
    x = b.value(WIDE, 1)
    if 0 not in x.shape:
        axis = b.random.randrange(len(x.shape))
        b.node(b.pick("Softmax", "LogSoftmax"), [x], x.dtype, x.shape, axis=axis)


def _matrix(b: Builder) -> None:
    x = b.value(WIDE, 2, 3)
    if 0 in x.shape:
        return
    depth, columns = x.shape[-1], b.pick(1, 2, 3, 5)
    weight = b.constant(b.array(x.dtype, (depth, columns)))
    form = b.pick("MatMul", "MatMul", "flat", "Gemm", "scaled", "chain", "shared")
    shape = [*x.shape[:-1], columns]
    bias = b.constant(b.array(x.dtype, b.pick((columns,), (1, columns), (1,))))
    if form == "Gemm" or form == "flat":
        rows = int(np.prod(x.shape[:-1]))
        flat = (
            x
            if len(x.shape) == 2
            else b.node("Reshape", [x, b.ints(-1, depth)], x.dtype, (rows, depth))
        )
        if b.chance(0.3):
            flat = b.node("Transpose", [flat], x.dtype, flat.shape[::-1], perm=[1, 0])
            y = b.node(
                "Gemm", [flat, weight, bias], x.dtype, (rows, columns), rounds=True, transA=1
            )
        elif b.chance(0.5):
            weight = b.node(
                "Transpose", [weight], x.dtype, (columns, depth), perm=[1, 0], keep=False
            )
            y = b.node(
                "Gemm", [flat, weight, bias], x.dtype, (rows, columns), rounds=True, transB=1
            )
        else:
            y = b.node("Gemm", [flat, weight, b.pick(bias, None)], x.dtype, (rows, columns), rounds=True,
                       alpha=b.pick(1.0, 0.5), beta=b.pick(1.0, 2.0))  # fmt: skip
        if len(x.shape) > 2:
            y = b.node("Reshape", [y, b.ints(*shape)], x.dtype, shape)
        return
    if form == "scaled":
        x = b.node(
            b.pick("Mul", "Div"),
            [x, b.constant(np.array(b.pick(2.0, 8.0, 0.1), x.dtype))],
            x.dtype,
            x.shape,
            rounds=True,
        )
    y = b.node("MatMul", [x, weight], x.dtype, shape, rounds=True)
    if form == "shared":
        for _ in range(b.pick(1, 2)):
            other = b.pick(columns, 2)
            more = b.constant(b.array(x.dtype, (depth, other)))
            z = b.node("MatMul", [x, more], x.dtype, [*x.shape[:-1], other], rounds=True)
            if b.chance(0.4):
                b.node("Add", [z, b.constant(b.array(x.dtype, (other,)))], x.dtype, z.shape)
    if b.chance(0.5):
        operands = [y, bias]
        b.random.shuffle(operands)
        y = b.node("Add", operands, x.dtype, shape)
    if form == "chain":
        number = b.constant(np.array(b.pick(0.5, 8.0, -1.0), x.dtype))
        b.node(b.pick("Mul", "Div"), [y, number], x.dtype, shape)


def _attention(b: Builder) -> None:
    """Add several products of one operand with different weights."""
    x = b.input(b.pick(F32, F64), (*b.shape(0, 2), 32))
    if 0 in x.shape or len(x.shape) < 2:
        return
    for _ in range(b.pick(2, 3, 3, 4)):
        columns = b.pick(1, 3, 4)
        weight = b.constant(b.numbers.standard_normal((32, columns)).astype(x.dtype))
        y = b.node("MatMul", [x, weight], x.dtype, [*x.shape[:-1], columns], rounds=True)
        if b.chance(0.2):
            b.node("Add", [y, b.constant(b.array(x.dtype, (columns,)))], x.dtype, y.shape)


def _image(b: Builder) -> Value:
    fitting = [v for v in b.values if v.dtype == F32 and len(v.shape) == 4 and 0 not in v.shape]
    if fitting and b.chance(0.6):
        return b.random.choice(fitting)
    return b.input(F32, (b.pick(1, 2), b.pick(1, 2, 4), b.pick(3, 4, 5), b.pick(3, 4, 6)))


def _maybe_padded(b: Builder, x: Value, number: float) -> Value:
    if b.chance(0.5):
        return x
    pads = [0, 0, b.pick(0, 1), b.pick(0, 1), 0, 0, b.pick(0, 1), b.pick(0, 1)]
    shape = [n + pads[i] + pads[i + 4] for i, n in enumerate(x.shape)]
    value = b.constant(np.float32(number)) if number != 0 or b.chance(0.5) else None
    return b.node("Pad", [x, b.ints(*pads), value], F32, shape)


def _convolution(b: Builder) -> None:
    x = _maybe_padded(b, _image(b), b.pick(0.0, 0.0, 0.0, -0.0, 1.0))
    channels = x.shape[1]
    group = channels if b.chance(0.3) else 1
    kernel = b.pick(1, 1, 2, 3)
    pad = b.pick(0, 0, 1) if kernel > 1 else 0
    if min(x.shape[2:]) + 2 * pad < kernel:
        return
    stride = b.pick(1, 1, 2)
    out = channels * b.pick(1, 2) if group > 1 else b.pick(1, 2, 3)
    spatial = [(n + 2 * pad - kernel) // stride + 1 for n in x.shape[2:]]
    if b.chance(0.2) and group == 1:
        weight = b.constant(b.array(F32, (channels, out, kernel, kernel)))
        spatial = [(n - 1) * stride + kernel - 2 * pad for n in x.shape[2:]]
        if min(spatial) < 1:
            return
        op = "ConvTranspose"
    else:
        weight = b.constant(b.array(F32, (out, channels // group, kernel, kernel)))
        op = "Conv"
    bias = b.constant(b.array(F32, (out,))) if b.chance(0.4) else None
    y = b.node(op, [x, weight, bias], F32, [x.shape[0], out, *spatial], rounds=True, group=group,
               kernel_shape=[kernel, kernel], pads=[pad] * 4, strides=[stride] * 2)  # fmt: skip
    for _ in range(b.pick(0, 1, 1, 2)):
        y = _by_channel(b, y)


def _by_channel(b: Builder, x: Value) -> Value:
    channels = x.shape[1]
    if b.chance(0.5):
        parts = [b.array(F32, (channels,)) for _ in range(3)]
        variance = np.abs(b.numbers.standard_normal(channels)).astype(F32) + np.float32(0.5)
        operands = [x, *(b.constant(part) for part in (*parts, variance))]
        return b.node("BatchNormalization", operands, F32, x.shape, rounds=True)
    shape = b.pick((channels, 1, 1), (1, channels, 1, 1), ())
    array = b.array(F32, shape)
    op = b.pick("Add", "Sub", "Mul", "Div")
    if op == "Div" and b.tame:
        array = np.abs(array) + np.float32(0.5)
    return b.node(op, [x, b.constant(array)], F32, x.shape, rounds=True)


def _normalize(b: Builder) -> None:
    _by_channel(b, _image(b))


def _pool(b: Builder) -> None:
    op = b.pick("MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool")
    x = _maybe_padded(b, _image(b), -np.inf if op == "MaxPool" and not b.tame else 0.0)
    if op.startswith("Global"):
        b.node(op, [x], F32, [*x.shape[:2], 1, 1], rounds=True)
        return
    kernel = b.pick(1, 1, 2, 3)
    pad = b.pick(0, 0, 1) if kernel > 1 else 0
    if min(x.shape[2:]) + 2 * pad < kernel:
        return
    attributes = {"count_include_pad": b.pick(0, 1)} if op == "AveragePool" else {}
    spatial = [n + 2 * pad - kernel + 1 for n in x.shape[2:]]
    b.node(op, [x], F32, [*x.shape[:2], *spatial], rounds=True, kernel_shape=[kernel] * 2, pads=[pad] * 4,
           **attributes)  # fmt: skip


LAYER_STEPS: tuple[Callable[[Builder], None], ...] = (
    _reduce, _reduce, _arg, _softmax, _matrix, _matrix, _convolution, _convolution, _normalize, _pool, _pool,
    _attention,
)  # fmt: skip
