"""Steps of random ONNX models that change shapes: reshaping, slicing, padding, gathering, and shape arithmetic."""

from collections.abc import Callable, Sequence

import numpy as np
from onnx import helper, numpy_helper
from random_builder import (
    ANY,
    BOOL,
    F32,
    F64,
    FLOATS,
    I8,
    I32,
    I64,
    U8,
    WIDE,
    Builder,
    Value,
)

__all__ = ["SHAPE_STEPS", "with_axes"]

# --- Layout ----------------------------------------------------------------------------------------


def _reshape(b: Builder) -> None:
    x = b.value(ANY)
    for _ in range(b.pick(1, 2, 2, 3)):
        x = b.random.choice((_reshaped, _reshaped, _flattened, _squeezed, _unsqueezed))(b, x)


def _reshaped(b: Builder, x: Value) -> Value:
    size = int(np.prod(x.shape, dtype=np.int64))
    targets: list[list[int]] = [[size], list(x.shape), [1, size], [size, 1], [*x.shape, 1]]
    for factor in (2, 3, 4):
        if size and size % factor == 0:
            targets.append([factor, size // factor])
    target = list(b.random.choice(targets))
    shape = tuple(target)
    if size and target and b.chance(0.5):
        target[b.random.randrange(len(target))] = -1
    for i, n in enumerate(target):
        if size and i < len(x.shape) and n == x.shape[i] and b.chance(0.3):
            target[i] = 0
    if 0 in x.shape and 0 in target:
        return x
    return b.node("Reshape", [x, b.ints(*target)], x.dtype, shape)


def _flattened(b: Builder, x: Value) -> Value:
    axis = b.random.randint(-len(x.shape), len(x.shape))
    at = axis + len(x.shape) if axis < 0 else axis
    rows = int(np.prod(x.shape[:at], dtype=np.int64))
    columns = int(np.prod(x.shape[at:], dtype=np.int64))
    return b.node("Flatten", [x], x.dtype, (rows, columns), axis=axis)


def with_axes(b: Builder, op: str, x: Value, axes: list[int], shape: Sequence[int]) -> Value:
    if b.opset >= 13:
        return b.node(op, [x, b.ints(*axes)], x.dtype, shape)
    return b.node(op, [x], x.dtype, shape, axes=axes)


def _squeezed(b: Builder, x: Value) -> Value:
    ones = [i for i, n in enumerate(x.shape) if n == 1]
    if not ones:
        return x
    axes = b.random.sample(ones, b.random.randint(1, len(ones)))
    shape = [n for i, n in enumerate(x.shape) if i not in axes]
    return with_axes(b, "Squeeze", x, axes, shape)


def _unsqueezed(b: Builder, x: Value) -> Value:
    rank = len(x.shape) + 1
    if rank > 5:
        return x
    axis = b.random.randrange(rank)
    shape = list(x.shape)
    shape.insert(axis, 1)
    return with_axes(b, "Unsqueeze", x, [axis - rank if b.chance(0.3) else axis], shape)


def _transpose(b: Builder) -> None:
    x = b.value(ANY)
    for _ in range(b.pick(1, 2, 2)):
        perm = list(range(len(x.shape)))
        if b.chance(0.85):
            b.random.shuffle(perm)
        attributes = {"perm": perm}
        if b.chance(0.2) or not perm:
            perm, attributes = perm[::-1] and list(range(len(x.shape)))[::-1], {}
        x = b.node("Transpose", [x], x.dtype, [x.shape[i] for i in perm], **attributes)


def _concat(b: Builder) -> None:
    x = b.value(ANY, 1)
    axis = b.random.randint(-len(x.shape), len(x.shape) - 1)
    total = list(x.shape)
    parts = [x]
    for _ in range(b.pick(0, 1, 2)):
        shape = list(x.shape)
        shape[axis] = b.pick(0, 1, 2, x.shape[axis]) if not b.tame else b.pick(1, 2)
        parts.append(
            b.constant(b.array(x.dtype, tuple(shape)))
            if b.chance(0.5)
            else b.input(x.dtype, tuple(shape))
        )
        total[axis] += shape[axis]
    b.random.shuffle(parts)
    y = b.node("Concat", parts, x.dtype, total, axis=axis)
    if b.chance(0.4):
        total[axis] *= 2
        b.node("Concat", [y, y], x.dtype, total, axis=axis)


def _split(b: Builder) -> None:
    x = b.value((*FLOATS, I32, I64, U8), 1)
    axis = b.random.randrange(len(x.shape))
    if x.shape[axis] < 1:
        return
    cut = b.random.randint(0 if not b.tame else 1, x.shape[axis])
    sizes = [cut, x.shape[axis] - cut] if cut < x.shape[axis] else [cut]
    names = [b.fresh() for _ in sizes]
    if b.opset >= 13:
        node = helper.make_node("Split", [x.name, b.ints(*sizes).name], names, axis=axis)
    else:
        node = helper.make_node("Split", [x.name], names, axis=axis, split=sizes)
    b.nodes.append(node)
    for name, size in zip(names, sizes, strict=True):
        shape = list(x.shape)
        shape[axis] = size
        b.values.append(Value(name, x.dtype, tuple(shape), x.rounded))


_ENDS = (0, 1, 2, 3, -1, -2, -100, 100, 2**31 - 1, 2**63 - 1, -(2**31), -(2**63), 2**31)


def _slice(b: Builder) -> None:
    x = b.value(ANY, 1)
    for _ in range(b.pick(1, 1, 2, 2, 3)):
        x = _sliced(b, x)


def _sliced(b: Builder, x: Value) -> Value:
    rank = len(x.shape)
    axes = b.axes(rank, 1)
    starts = [b.random.choice(_ENDS) if b.chance(0.3) else b.pick(0, 0, 1, 2, -1) for _ in axes]
    ends = [b.random.choice(_ENDS) for _ in axes]
    steps = [b.pick(1, 1, 1, 2, -1, -1, -2, 100, -(2**63)) for _ in axes]
    shape = list(x.shape)
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        size = shape[axis]
        # In onnxruntime the largest integers mean "to the end", also for negative steps.
        if end in (2**31 - 1, 2**63 - 1):
            end = -size - 1 if step < 0 else size
        shape[axis] = len(range(*slice(start, end, step).indices(size)))
    operands = [x, b.ints(*starts), b.ints(*ends), b.ints(*axes), b.ints(*steps)]
    return b.node("Slice", operands, x.dtype, shape)


def _pad(b: Builder) -> None:
    x = b.value((*WIDE, I32, I64, U8, I8), 1)
    number = b.number(x.dtype)
    for _ in range(b.pick(1, 2)):
        rank = len(x.shape)
        pads = [b.pick(0, 0, 1, 2) for _ in range(2 * rank)]
        if b.chance(0.1) and x.shape[0] > 2:
            pads[0] = -1
        shape = [n + pads[i] + pads[i + rank] for i, n in enumerate(x.shape)]
        if b.chance(0.2):
            number = b.number(x.dtype)
        given = None if b.chance(0.3) else b.constant(np.array(number, x.dtype))
        x = b.node("Pad", [x, b.ints(*pads), given], x.dtype, shape)


def _tile(b: Builder) -> None:
    x = b.value((*WIDE, I32, I64, U8, BOOL), 1)
    repeats = [b.pick(1, 1, 2) for _ in x.shape]
    shape = [n * r for n, r in zip(x.shape, repeats, strict=True)]
    b.node("Tile", [x, b.ints(*repeats)], x.dtype, shape)


def _expand(b: Builder) -> None:
    x = b.value((*FLOATS, I32, I64, U8, BOOL))
    wanted = [b.pick(1, n) if n != 1 else b.pick(1, 2, 3) for n in x.shape]
    if b.chance(0.3):
        wanted.insert(0, b.pick(1, 2))
    shape = np.broadcast_shapes(x.shape, tuple(wanted))
    b.node("Expand", [x, b.ints(*wanted)], x.dtype, shape)


def _gather(b: Builder) -> None:
    x = b.value(ANY, 1)
    axis = b.random.randrange(len(x.shape))
    size = x.shape[axis]
    if size == 0:
        return
    shape = b.shape(0, 2)
    indices = np.array(b.numbers.integers(-size, size, shape), b.pick(I64, I32))
    at = b.constant(indices)
    y = b.node(
        "Gather", [x, at], x.dtype, [*x.shape[:axis], *shape, *x.shape[axis + 1 :]], axis=axis
    )
    if b.chance(0.3):
        indices = np.array(b.numbers.integers(-size, size, x.shape), np.int64)
        b.node("GatherElements", [x, b.constant(indices)], x.dtype, x.shape, axis=axis)
    if b.chance(0.2) and y.shape and y.shape[0]:
        at = b.constant(np.array(b.numbers.integers(0, y.shape[0], (2, 1)), np.int64))
        b.node("GatherND", [y, at], y.dtype, [2, *y.shape[1:]])


def _shape_arithmetic(b: Builder) -> None:
    x = b.value((F32, F64, I64), 1)
    shape = b.node("Shape", [x], I64, [len(x.shape)], keep=b.chance(0.3))
    index = b.random.randrange(len(x.shape))
    dim = b.node(
        "Gather", [shape, b.constant(np.array(index, np.int64))], I64, (), axis=0, keep=False
    )
    what = b.pick("reshape", "expand", "arithmetic", "slice", "again")
    if what == "arithmetic":
        for _ in range(b.pick(1, 2, 3)):
            op = b.pick("Add", "Mul", "Sub", "Div")
            dim = b.node(
                op,
                [dim, b.constant(np.array(b.pick(1, 2, 3, -3 if op != "Div" else 2), np.int64))],
                I64,
                (),
            )
        return
    dims = [
        with_axes(b, "Unsqueeze", dim, [0], [1])
        if i == index
        else with_axes(
            b,
            "Unsqueeze",
            b.node(
                "Gather", [shape, b.constant(np.array(i, np.int64))], I64, (), axis=0, keep=False
            ),
            [0],
            [1],
        )
        if b.chance(0.6)
        else b.ints(n)
        for i, n in enumerate(x.shape)
    ]
    whole = b.node("Concat", dims, I64, [len(dims)], axis=0, keep=False)
    if what == "reshape" and 0 not in x.shape:
        b.node("Reshape", [x, whole], x.dtype, x.shape)
    elif what == "expand":
        b.node("Expand", [b.like(x), whole], x.dtype, x.shape)
    elif what == "slice":
        axis = (
            b.node("Unsqueeze", [dim, b.ints(0)], I64, [1])
            if b.opset >= 13
            else b.ints(x.shape[index])
        )
        b.node("Slice", [x, b.ints(0), axis, b.ints(index)], x.dtype, x.shape)
    elif 0 not in x.shape:
        filled = b.node("ConstantOfShape", [whole], F32, x.shape)
        b.node("Add", [filled, b.like(filled)], F32, x.shape)


def _create(b: Builder) -> None:
    what = b.pick("Range", "ConstantOfShape", "CumSum", "OneHot", "Trilu", "Size", "EyeLike")
    if what == "Range":
        start, step = b.pick(0, -2), b.pick(1, 2)
        end = b.pick(0, 3, 5)
        dtype = b.pick(I64, I32, F32)
        operands = [b.constant(np.array(n, dtype)) for n in (start, end, step)]
        b.node("Range", operands, dtype, [max(0, -(-(end - start) // step))])
    elif what == "ConstantOfShape":
        dtype = b.pick(F32, F64, I64, BOOL, I32)
        shape = b.shape(1, 3)
        tensor = numpy_helper.from_array(np.array([b.number(dtype)], dtype))
        b.node("ConstantOfShape", [b.ints(*shape)], dtype, shape, value=tensor)
    elif what == "CumSum":
        x = b.value((I32, I64, F32, F64), 1)
        axis = b.constant(np.array(b.random.randrange(len(x.shape)), np.int64))
        b.node("CumSum", [x, axis], x.dtype, x.shape, reverse=b.pick(0, 1), exclusive=b.pick(0, 1))
    elif what == "OneHot":
        x = b.constant(np.array(b.numbers.integers(-3, 5, (3,)), np.int64))
        b.node(
            "OneHot",
            [x, b.constant(np.array(3, np.int64)), b.constant(np.float32([0, 2]))],
            F32,
            [3, 3],
        )
    elif what == "Trilu" and b.opset >= 14:
        x = b.value((F32, I64), 2)
        b.node("Trilu", [x], x.dtype, x.shape, upper=b.pick(0, 1))
    elif what == "EyeLike":
        x = b.value((F32, I64), 2, 2)
        b.node("EyeLike", [x], x.dtype, x.shape)
    elif what == "Size":
        b.node("Size", [b.value((F32, I64))], I64, ())


SHAPE_STEPS: tuple[Callable[[Builder], None], ...] = (
    _reshape, _reshape, _transpose, _transpose, _concat, _split, _slice, _slice, _pad, _tile, _expand, _gather,
    _shape_arithmetic, _shape_arithmetic, _create,
)  # fmt: skip
