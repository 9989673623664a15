"""Random ONNX models over many operators, element types and special values, each from one number.

``make(seed)`` draws for comparing bits: operands hold NaN, infinities, zeros of both signs, numbers too small to be normal
and extreme integers. ``make(seed, tame=True)`` draws for comparing within a tolerance: numbers of moderate size, and no
operator that would make much of a small difference behind one that may round otherwise.

Integers are divided only by constants other than 0 and -1: onnxruntime ends the process otherwise. Floats are casted to
integers only where these hold them: ONNX leaves the rest undefined, and onnxruntime itself gives either of two numbers, since
it joins Casts in a row also with its optimisations off (int8 -3 through uint32 and double to int16 is -3 there, but 0 when
the double is a constant).
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from onnx import helper, numpy_helper
from random_builder import (
    ANY,
    BOOL,
    F32,
    F64,
    FLOATS,
    I8,
    I16,
    I32,
    I64,
    INTS,
    NARROW,
    NUMBERS,
    U8,
    U32,
    U64,
    WIDE,
    Builder,
    Case,
    Value,
    proto_of,
)

__all__ = ["Case", "make"]


def make(seed: int, tame: bool = False) -> Case:
    """Return the model of a number."""
    return Builder(seed, tame).build(_STEPS)


# --- Element by element ----------------------------------------------------------------------------


def _unary(b: Builder) -> None:
    ops = {
        "Abs": (*FLOATS, I8, I16, I32, I64, U8), "Neg": (*FLOATS, I8, I32, I64), "Relu": (*WIDE, I32, I8),
        "Floor": FLOATS, "Ceil": FLOATS, "Round": FLOATS, "Sign": (*FLOATS, *INTS), "Sqrt": WIDE,
        "Reciprocal": WIDE, "Exp": WIDE, "Log": WIDE, "Sigmoid": WIDE, "Tanh": WIDE, "Erf": (F32,),
        "Softplus": (F32,), "Softsign": (F32,), "Identity": ANY, "Elu": (F32,), "LeakyRelu": (F32,),
        "HardSigmoid": (F32,), "Selu": (F32,), "Dropout": FLOATS, "Sin": WIDE, "Cos": (F32,), "Atan": (F32,),
    }  # fmt: skip
    steep = ("Floor", "Ceil", "Round", "Sign")
    op = b.random.choice(list(ops))
    if b.tame and op in ("Reciprocal", "Log", "Exp", "Sqrt"):
        return
    x = b.value(ops[op], exact=op in steep)
    y = b.node(op, [x], x.dtype, x.shape)
    if b.chance(0.25):
        b.node(op, [y], y.dtype, y.shape)


def _logical(b: Builder) -> None:
    x = b.value((BOOL,))
    y = b.node("Not", [x], BOOL, x.shape)
    what = b.pick("Not", "Where", "binary")
    if what == "Not":
        b.node("Not", [y], BOOL, y.shape)
    elif what == "Where":
        _where_on(b, b.pick(x, y))
    else:
        b.node(b.pick("And", "Or", "Xor", "Equal"), [x, b.like(x)], BOOL, x.shape)


def _binary(b: Builder) -> None:
    op = b.pick("Add", "Add", "Sub", "Mul", "Mul", "Max", "Min", "Div", "Pow")
    dtypes = WIDE if op == "Pow" else NUMBERS
    x = b.value(dtypes, exact=op == "Pow")
    if op == "Div" and x.dtype.kind not in "f":
        array = np.full((), b.pick(1, 1, 2, 3), x.dtype)
        b.node(op, [x, b.constant(array)], x.dtype, x.shape)
        return
    if b.tame and op in ("Div", "Pow"):
        y = b.constant(np.full((), b.pick(1.0, 2.0, 0.5 if op == "Div" else 1.0), x.dtype))
        b.node(op, [x, y], x.dtype, x.shape, rounds=True)
        return
    y = b.like(x)
    operands = [x, y]
    if op in ("Add", "Mul", "Max", "Min") and b.chance(0.5):
        operands.reverse()
    made = b.node(op, operands, x.dtype, x.shape, rounds=op == "Mul")
    if b.chance(0.3) and op in ("Add", "Sub", "Mul"):
        b.node(op, [made, b.like(made)], made.dtype, made.shape, rounds=op == "Mul")


def _neutral(b: Builder) -> None:
    op, number = b.pick(
        ("Add", 0), ("Sub", 0), ("Mul", 1), ("Div", 1), ("Pow", 1), ("Add", -0.0), ("Sub", -0.0)
    )
    x = b.value(WIDE if op == "Pow" else (*FLOATS, I32, I64))
    number = x.dtype.type(number)
    shape = b.pick((), (1,), x.shape, x.shape[1:], x.shape)
    array = np.full(shape, number)
    if b.chance(0.1) and array.size > 1 and x.dtype.kind == "f":
        array.flat[0] = -number if number == 0 else number
    operands = [x, b.constant(array)]
    shape = np.broadcast_shapes(x.shape, array.shape)
    if op in ("Add", "Mul") and b.chance(0.5):
        operands.reverse()
    y = b.node(op, operands, x.dtype, shape, rounds=True)
    if y.dtype in WIDE and not b.tame and b.chance(0.4):
        b.node("Reciprocal", [y], y.dtype, y.shape)


def _compare(b: Builder) -> None:
    op = b.pick("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")
    if b.opset < 12 and op.endswith("OrEqual"):
        op = "Less"
    x = b.value((*WIDE, I32, I64), exact=True)
    b.node(op, [x, b.like(x)], BOOL, x.shape)


def _where_on(b: Builder, condition: Value) -> None:
    dtype = b.pick(F32, F32, F64, I64, I32, U8)
    x = b.input(dtype, condition.shape)
    operands = [x, b.like(x)]
    b.random.shuffle(operands)
    b.node("Where", [condition, *operands], dtype, condition.shape)


def _where(b: Builder) -> None:
    shape = b.shape(0, 3)
    condition = (
        b.constant(np.full(shape, b.pick(True, False))) if b.chance(0.5) else b.input(BOOL, shape)
    )
    _where_on(b, condition)


def _clip(b: Builder) -> None:
    x = b.value((F32, F64, I32, I64))
    low, high = (b.constant(np.array(n, x.dtype)) for n in (b.pick(-1, 0), b.pick(1, 6)))
    b.node("Clip", [x, b.pick(low, None), b.pick(high, None)], x.dtype, x.shape)


def _cast(b: Builder) -> None:
    x = b.value(ANY, exact=True)
    path: list[Any] = []
    for _ in range(b.pick(1, 1, 2, 2, 3)):
        to = b.random.choice((*FLOATS, *NARROW, *INTS, BOOL))
        if b.chance(0.3):
            to = path[-1] if path else x.dtype
        path.append(to)
        if to in NARROW:
            break
    if not x.small and any(
        old in (*FLOATS, *NARROW) and to in INTS for old, to in pairwise([x.dtype, *path])
    ):
        x = b.small(x.dtype, x.shape)
    for to in path:
        is_last = to in NARROW
        x = b.node("Cast", [x], to, x.shape, keep=not is_last, to=proto_of(to))
        if is_last:
            b.finals.append(x)


def _modulo(b: Builder) -> None:
    x = b.value((I32, I64, U8, I8), exact=True)
    b.node("Mod", [x, b.constant(np.array(b.pick(2, 3), x.dtype))], x.dtype, x.shape)


def _shift(b: Builder) -> None:
    x = b.value((U8, U32, U64))
    y = b.constant(np.array(b.pick(0, 1, 3), x.dtype))
    b.node("BitShift", [x, y], x.dtype, x.shape, direction=b.pick("LEFT", "RIGHT"))


def _numbers(b: Builder) -> None:
    if not b.tame:
        x = b.value(WIDE)
        b.node(b.pick("IsNaN", "IsInf"), [x], BOOL, x.shape)


def _variadic(b: Builder) -> None:
    op = b.pick("Sum", "Max", "Min", "Mean")
    x = b.value((F32, F64) if op in ("Max", "Min") else (F32,))
    others = [b.like(x) for _ in range(b.pick(0, 0, 1, 2))]
    b.node(op, [x, *others], x.dtype, x.shape, rounds=True)


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


def _with_axes(b: Builder, op: str, x: Value, axes: list[int], shape: Sequence[int]) -> Value:
    if b.opset >= 13:
        return b.node(op, [x, b.ints(*axes)], x.dtype, shape)
    return b.node(op, [x], x.dtype, shape, axes=axes)


def _squeezed(b: Builder, x: Value) -> Value:
    ones = [i for i, n in enumerate(x.shape) if n == 1]
    if not ones:
        return x
    axes = b.random.sample(ones, b.random.randint(1, len(ones)))
    shape = [n for i, n in enumerate(x.shape) if i not in axes]
    return _with_axes(b, "Squeeze", x, axes, shape)


def _unsqueezed(b: Builder, x: Value) -> Value:
    rank = len(x.shape) + 1
    if rank > 5:
        return x
    axis = b.random.randrange(rank)
    shape = list(x.shape)
    shape.insert(axis, 1)
    return _with_axes(b, "Unsqueeze", x, [axis - rank if b.chance(0.3) else axis], shape)


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
        # As onnxruntime reads it: the largest integers are "to the end", also backwards.
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
        _with_axes(b, "Unsqueeze", dim, [0], [1])
        if i == index
        else _with_axes(
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
            x = _with_axes(b, "Unsqueeze", x, full, shape)


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
    """Add products of one operand with weights."""
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


def _taken_apart(b: Builder) -> None:
    """Add what exporters write in several nodes."""
    x = b.value((F32,), 1)
    if 0 in x.shape:
        return

    def const(number: float) -> Value:
        return b.constant(np.float32(number))

    def step(op: str, *operands: Value, shape: Sequence[int] = x.shape, **attributes: Any) -> Value:
        return b.node(op, operands, F32, shape, rounds=True, keep=False, **attributes)

    what = b.pick(
        "gelu", "tanh gelu", "hard swish", "hard sigmoid", "layer norm", "rms", "swish", "mish"
    )
    if what == "gelu":
        y = step(
            "Mul",
            step("Mul", x, step("Add", step("Erf", step("Div", x, const(2**0.5))), const(1))),
            const(0.5),
        )
    elif what == "tanh gelu":
        cube = step("Mul", step("Pow", x, const(3)), const(0.044715))
        y = step("Tanh", step("Mul", step("Add", x, cube), const((2 / np.pi) ** 0.5)))
        y = step("Mul", step("Mul", x, const(0.5)), step("Add", y, const(1)))
    elif what in ("hard swish", "hard sigmoid"):
        y = step("Div", step("Clip", step("Add", x, const(3)), const(0), const(6)), const(6))
        y = step("Mul", x, y) if what == "hard swish" else y
    elif what == "swish":
        y = step("Mul", x, step("Sigmoid", x))
    elif what == "mish":
        y = step("Mul", x, step("Tanh", step("Softplus", x)))
    else:
        reduced = [*x.shape[:-1], 1]

        def mean(value: Value) -> Value:
            if b.opset >= 18:
                return step("ReduceMean", value, b.ints(-1), shape=reduced)
            return step("ReduceMean", value, shape=reduced, axes=[-1])

        d = step("Sub", x, mean(x)) if what == "layer norm" else x
        variance = step("Add", mean(step("Pow", d, const(2))), const(1e-2))
        y = step("Div", d, step("Sqrt", variance, shape=reduced))
        y = step("Mul", y, b.constant(b.array(F32, x.shape[-1:])))
        if b.chance(0.5):
            y = step("Add", y, b.constant(b.array(F32, x.shape[-1:])))
    b.values.append(y)


# --- Control flow and sequences --------------------------------------------------------------------


def _branch(b: Builder) -> None:
    x = b.value((F32, F64, I64))
    if b.chance(0.6):
        condition = b.constant(np.array(b.pick(True, False)))
    else:
        condition = b.input(BOOL, ())
    bodies = {}
    for slot in ("then_branch", "else_branch"):
        inner, name = b.fresh(), b.fresh()
        ops = ("Neg", "Abs", "Identity")
        nodes = [
            helper.make_node(b.random.choice(ops), [x.name], [inner]),
            helper.make_node(b.random.choice(ops), [inner], [name]),
        ]
        info = helper.make_tensor_value_info(name, proto_of(x.dtype), None)
        bodies[slot] = helper.make_graph(nodes, b.fresh("body"), [], [info])
    b.node("If", [condition], x.dtype, x.shape, **bodies)


def _sequence(b: Builder) -> None:
    x = b.value((F32, I64), 1)
    if b.chance(0.5):
        y = b.like(x)
        operands, shapes = [x, y], [x.shape, y.shape]
        sequence = b.fresh()
        b.nodes.append(
            helper.make_node("SequenceConstruct", [v.name for v in operands], [sequence])
        )
    else:
        axis = b.random.randrange(len(x.shape))
        if x.shape[axis] < 2:
            return
        cut = b.random.randint(1, x.shape[axis] - 1)
        shapes = []
        for size in (cut, x.shape[axis] - cut):
            shape = list(x.shape)
            shape[axis] = size
            shapes.append(tuple(shape))
        sequence = b.fresh()
        sizes = b.ints(cut, x.shape[axis] - cut)
        b.nodes.append(
            helper.make_node("SplitToSequence", [x.name, sizes.name], [sequence], axis=axis)
        )
    for index in b.random.sample([0, 1], b.pick(1, 2)):
        at = b.constant(np.array(index - 2 if b.chance(0.3) else index, np.int64))
        name = b.fresh()
        b.nodes.append(helper.make_node("SequenceAt", [sequence, at.name], [name]))
        b.values.append(Value(name, x.dtype, shapes[index], x.rounded))


_STEPS: tuple[Callable[[Builder], None], ...] = (
    _unary, _unary, _unary, _binary, _binary, _binary, _neutral, _neutral, _compare, _logical, _where, _clip,
    _cast, _cast, _modulo, _shift, _numbers, _variadic, _reshape, _reshape, _transpose, _transpose, _concat,
    _split, _slice, _slice, _pad, _tile, _expand, _gather, _shape_arithmetic, _shape_arithmetic, _create,
    _reduce, _reduce, _arg, _softmax, _matrix, _matrix, _convolution, _convolution, _normalize, _pool, _pool,
    _attention, _taken_apart, _branch, _sequence,
)  # fmt: skip
