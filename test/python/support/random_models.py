"""Random ONNX models over many operators, element types and special values, each determined by a seed.

``make(seed)`` is for bitwise comparison: operands contain NaN, infinities, zeros of both signs, subnormal numbers and
extreme integers. ``make(seed, tame=True)`` is for comparison within a tolerance: numbers of moderate size, and after
an operator that may round differently no operator that would amplify a small difference.

Integers are divided only by constants other than 0 and -1, which make onnxruntime end the process. Floats are cast to
integers only if these can represent them: ONNX leaves other casts undefined, and results of onnxruntime vary, because
it merges consecutive Casts even without optimisations (int8 -3 through uint32 and double to int16 is -3, but 0 if the
double is a constant).
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from onnx import helper
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
from random_layers import LAYER_STEPS
from random_shapes import SHAPE_STEPS

__all__ = ["Case", "make"]


def make(seed: int, tame: bool = False) -> Case:
    """Return the model of a seed."""
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


def _taken_apart(b: Builder) -> None:
    """Add an operator as the sequence of nodes that exporters decompose it into."""
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
    _cast, _cast, _modulo, _shift, _numbers, _variadic, *SHAPE_STEPS, *LAYER_STEPS, _taken_apart, _branch, _sequence,
)  # fmt: skip
