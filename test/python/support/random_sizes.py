"""Random ONNX models whose sizes are free: computed from shapes, as exporters do, and used to reshape, expand and cut.

Inputs have the symbols B, S and T. A model is run with several sizes of them, 0 among them; onnxruntime rejects some of
these runs (a Reshape has no -1 beside a size of 0), which then say nothing.
"""

from __future__ import annotations

import random
from math import prod
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

__all__ = ["SIZES", "SizeCase", "make"]

SYMBOLS = ("B", "S", "T")
# Bindings of the symbols.
SIZES = (
    {"B": 2, "S": 3, "T": 4},
    {"B": 1, "S": 1, "T": 1},
    {"B": 3, "S": 5, "T": 7},
    {"B": 0, "S": 3, "T": 4},
    {"B": 2, "S": 0, "T": 4},
    {"B": 0, "S": 0, "T": 4},
)
# Scales with which sizes differ if they are multiplied as f32 or as f64.
SCALES = (0.7, 0.29, 1 / 49, 1.5, 2.0, 0.1, 1.1, 3.3, 0.5, 1.0)


class Dim(NamedTuple):
    """A product of a number and symbols."""

    factor: int
    symbols: tuple[str, ...] = ()


class Value(NamedTuple):
    name: str
    shape: tuple[Dim | None, ...]  # None: not described


class SizeCase(NamedTuple):
    model: onnx.ModelProto
    feeds: list[dict[str, Any]]
    """One for each of SIZES."""


def times(dims: Any) -> Dim | None:
    dims = list(dims)
    if None in dims:
        return None
    return Dim(prod(d.factor for d in dims), tuple(sorted(s for d in dims for s in d.symbols)))


class _Builder:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.opset = self.random.choice((13, 17, 19))
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.functions: list[onnx.FunctionProto] = []
        self.inputs: dict[str, tuple[Any, ...]] = {}
        self.values: list[Value] = []
        self.outputs: list[str] = []
        self.count = 0

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def constant(self, array: Any) -> str:
        name = f"c{self.fresh()}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op: str, *operands: str, **attributes: Any) -> str:
        name = self.fresh()
        self.nodes.append(helper.make_node(op, list(operands), [name], **attributes))
        return name

    def add(self, name: str, shape: Any) -> Value:
        value = Value(name, tuple(shape))
        self.values.append(value)
        return value

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def value(self, rank: int = 0) -> Value:
        return self.random.choice(
            [v for v in self.values[-6:] if len(v.shape) >= rank] or [self.input()]
        )

    def input(self) -> Value:
        rank = self.random.randint(3, 4)
        shape: list[Any] = [self.random.choice([*SYMBOLS, 1, 2, 4, 6]) for _ in range(rank)]
        shape[0] = self.random.choice(SYMBOLS[:2])
        name = f"x{len(self.inputs)}"
        self.inputs[name] = tuple(shape)
        return self.add(name, [Dim(1, (d,)) if isinstance(d, str) else Dim(d) for d in shape])

    # --- Sizes as values: vectors of one element, int64

    def size_of(self, value: Value, axis: int) -> str:
        """Size of a dimension, taken out of Shape."""
        shape = self.node("Shape", value.name)
        if self.chance(0.3):
            return self.node(
                "Slice", shape, self.constant(np.array([axis])), self.constant(np.array([axis + 1]))
            )
        if self.chance(0.5):
            return self.node("Gather", shape, self.constant(np.array([axis])))
        one = self.node("Gather", shape, self.constant(np.array(axis)))
        return self.node("Unsqueeze", one, self.constant(np.array([0])))

    def through(self, size: str) -> str:
        """The same number through other types, as exporters cast it."""
        to = self.random.choice((T.INT32, T.INT32, T.DOUBLE, T.FLOAT, T.INT64))
        return self.node("Cast", self.node("Cast", size, to=to), to=T.INT64)

    def size(self, dim: Dim) -> str:
        parts = []
        for symbol in dim.symbols:
            places = [
                (n, i)
                for n, shape in self.inputs.items()
                for i, d in enumerate(shape)
                if d == symbol
            ]
            name, axis = self.random.choice(places)
            parts.append(self.size_of(Value(name, ()), axis))
        if dim.factor != 1 or not parts or self.chance(0.1):
            parts.insert(self.random.randint(0, len(parts)), self.constant(np.array([dim.factor])))
        total = parts[0]
        for part in parts[1:]:
            total = self.node("Mul", total, part)
        return self.through(total) if self.chance(0.2) else total

    def shape_operand(self, x: Value, shape: list[Dim]) -> str:
        """Sizes of a Reshape: constant if that is possible, else put together."""
        free = [i for i, d in enumerate(shape) if d.symbols]
        open_ = self.random.choice(range(len(shape))) if shape and self.chance(0.4) else -1
        copied = [i for i in free if i != open_ and i < len(x.shape) and x.shape[i] == shape[i]]
        if self.chance(0.4) and set(free) <= {open_, *copied}:
            return self.constant(
                np.array(
                    [
                        -1 if i == open_ else 0 if i in copied else d.factor
                        for i, d in enumerate(shape)
                    ],
                    np.int64,
                )
            )
        narrow = self.chance(0.25)
        parts = []
        for i, dim in enumerate(shape):
            part = self.constant(np.array([-1])) if i == open_ else self.size(dim)
            parts.append(self.node("Cast", part, to=T.INT32) if narrow else part)
        joined = self.node("Concat", *parts, axis=0)
        if narrow and self.chance(0.3):
            self.outputs.append(joined)
        return self.node("Cast", joined, to=T.INT64) if narrow else joined

    def reshape(self, x: Value, shape: list[Dim]) -> Value:
        return self.add(self.node("Reshape", x.name, self.shape_operand(x, shape)), shape)


# --- Steps: each adds values


def _regroup(b: _Builder) -> None:
    """Dimensions side by side become one."""
    x = b.value(2)
    if None in x.shape:
        return
    at = b.random.randrange(len(x.shape) - 1)
    shape = [*x.shape[:at], times(x.shape[at : at + 2]), *x.shape[at + 2 :]]
    y = b.reshape(x, shape)  # type: ignore[arg-type]
    if b.chance(0.4):  # and back
        b.reshape(y, list(x.shape))  # type: ignore[arg-type]


def _divide(b: _Builder) -> None:
    x = b.value(1)
    places = [i for i, d in enumerate(x.shape) if d is not None and d.factor % 2 == 0]
    if None in x.shape or not places or len(x.shape) > 4:
        return
    at = b.random.choice(places)
    dim = x.shape[at]
    assert dim is not None
    parts = [Dim(2), Dim(dim.factor // 2, dim.symbols)]
    b.random.shuffle(parts)
    b.reshape(x, [*x.shape[:at], *parts, *x.shape[at + 1 :]])  # type: ignore[list-item]


def _whole(b: _Builder) -> None:
    x = b.value(1)
    name = b.node("Shape", x.name)
    flat = b.node("Reshape", x.name, b.constant(np.array([-1])))
    back = b.add(b.node("Reshape", flat, name), x.shape)
    if b.chance(0.5):
        b.add(b.node("Relu", back.name), x.shape)


def _flatten(b: _Builder) -> None:
    x = b.value(2)
    axis = b.random.randint(0, len(x.shape))
    b.add(b.node("Flatten", x.name, axis=axis), [times(x.shape[:axis]), times(x.shape[axis:])])


def _ones(b: _Builder) -> None:
    x = b.value()
    if len(x.shape) < 5:
        at = b.random.randint(0, len(x.shape))
        x = b.add(
            b.node("Unsqueeze", x.name, b.constant(np.array([at]))),
            [*x.shape[:at], Dim(1), *x.shape[at:]],
        )
    ones = [i for i, d in enumerate(x.shape) if d == Dim(1)]
    if ones and b.chance(0.6):
        at = b.random.choice(ones)
        b.add(
            b.node("Squeeze", x.name, b.constant(np.array([at]))),
            [*x.shape[:at], *x.shape[at + 1 :]],
        )


def _transpose(b: _Builder) -> None:
    x = b.value(2)
    perm = list(range(len(x.shape)))
    b.random.shuffle(perm)
    b.add(b.node("Transpose", x.name, perm=perm), [x.shape[i] for i in perm])


def _concat(b: _Builder) -> None:
    """A cache that grows, reshaped to its own size."""
    x = b.value(2)
    at = b.random.randrange(len(x.shape))
    joined = b.node("Concat", x.name, x.name, axis=at)
    dim = x.shape[at]
    y = b.add(
        joined,
        [
            *x.shape[:at],
            None if dim is None else Dim(2 * dim.factor, dim.symbols),
            *x.shape[at + 1 :],
        ],
    )
    if b.chance(0.5):
        sizes = [b.size_of(y, i) for i in range(len(y.shape))]
        b.add(b.node("Reshape", y.name, b.node("Concat", *sizes, axis=0)), y.shape)


def _expand(b: _Builder) -> None:
    x = b.value(1)
    if b.chance(0.5):
        shape = b.node("Shape", x.name)
    else:
        shape = b.node("Concat", *(b.size_of(x, i) for i in range(len(x.shape))), axis=0)
    b.add(b.node("Expand", x.name, shape), x.shape)


def _elementwise(b: _Builder) -> None:
    x = b.value()
    if b.chance(0.5):
        b.add(b.node(b.random.choice(("Relu", "Neg", "Identity", "Abs")), x.name), x.shape)
    else:
        b.add(b.node("Add", x.name, b.constant(np.float32(b.random.choice((0.5, -0.0))))), x.shape)


def _reduce(b: _Builder) -> None:
    x = b.value(2)
    at = b.random.randrange(len(x.shape))
    keep = b.random.choice((0, 1))
    y = (
        b.node("ReduceMax", x.name, axes=[at], keepdims=keep)
        if b.opset < 18
        else b.node("ReduceMax", x.name, b.constant(np.array([at])), keepdims=keep)
    )
    b.add(y, [*x.shape[:at], *([Dim(1)] if keep else []), *x.shape[at + 1 :]])


def _scaled_size(b: _Builder) -> None:
    """A size computed in floating point, which cuts or makes a tensor."""
    x = b.value(1)
    at = b.random.randrange(len(x.shape))
    dtype = b.random.choice((np.float32, np.float32, np.float64))
    real = b.node("Cast", b.size_of(x, at), to=T.FLOAT if dtype == np.float32 else T.DOUBLE)
    scale = b.random.choice(SCALES)
    op = b.random.choice(("Mul", "Div", "Mul"))
    product = b.node(op, real, b.constant(np.array([scale if op == "Mul" else 1 / scale], dtype)))
    if b.chance(0.2):
        product = b.node("Sqrt", product)
    whole = (
        b.node(b.random.choice(("Floor", "Ceil", "Round")), product) if b.chance(0.8) else product
    )
    size = b.node("Cast", whole, to=b.random.choice((T.INT64, T.INT64, T.INT32)))
    if b.nodes[-1].attribute[0].i == T.INT32:
        b.outputs.append(size)
        size = b.node("Cast", size, to=T.INT64)
    if b.chance(0.5):
        b.outputs.append(b.node("ConstantOfShape", size))
    else:
        cut = b.node("Slice", x.name, b.constant(np.array([0])), size, b.constant(np.array([at])))
        b.add(cut, [*x.shape[:at], None, *x.shape[at + 1 :]])


def _resize(b: _Builder) -> None:
    x = b.value(2)
    scales = np.ones(len(x.shape), np.float32)
    scales[b.random.randrange(len(x.shape))] = b.random.choice(SCALES)
    if b.chance(0.3) and b.opset >= 18:
        sizes = np.array([b.random.randint(1, 9) for _ in x.shape])
        policy = b.random.choice(("not_larger", "not_smaller", "stretch"))
        y = b.node(
            "Resize",
            x.name,
            "",
            "",
            b.constant(sizes),
            mode="nearest",
            keep_aspect_ratio_policy=policy,
        )
    else:
        y = b.node("Resize", x.name, "", b.constant(scales), mode="nearest")
    b.outputs.append(b.node("Shape", y))
    b.add(y, [None] * len(x.shape))


def _window(b: _Builder) -> None:
    """Windows with padding that the operator computes, over a static or free size."""
    x = b.input()
    if len(x.shape) != 3:
        return
    kernel, stride, dilation = (b.random.randint(1, 3) for _ in range(3))
    pad = b.random.choice(("SAME_UPPER", "SAME_LOWER", "VALID"))
    if b.chance(0.5):
        y = b.node(
            "MaxPool", x.name, kernel_shape=[kernel], strides=[stride], dilations=[dilation], auto_pad=pad,
            ceil_mode=b.random.choice((0, 1)),
        )  # fmt: skip
    else:
        channels = x.shape[1]
        assert channels is not None
        weight = b.constant(np.ones((channels.factor, 2, kernel), np.float32))
        y = b.node(
            "ConvTranspose", x.name, weight, strides=[stride], dilations=[dilation], auto_pad=pad
        )
    b.outputs.append(b.node("ConstantOfShape", b.node("Shape", y)))
    b.add(y, [None] * 3)


def _branch(b: _Builder) -> None:
    """Squeeze as torch writes it: only if the size is 1."""
    x = b.value(2)
    at = b.random.randrange(len(x.shape))
    size = b.node("Gather", b.node("Shape", x.name), b.constant(np.array(at)))
    names = b.fresh(), b.fresh()
    axes = b.constant(np.array([at]))
    free = [helper.make_tensor_value_info(name, T.FLOAT, None) for name in names]
    then = helper.make_graph(
        [helper.make_node("Squeeze", [x.name, axes], [names[0]])], "then", [], free[:1]
    )
    other = helper.make_graph(
        [helper.make_node("Identity", [x.name], [names[1]])], "else", [], free[1:]
    )
    condition = b.node("Equal", size, b.constant(np.array(1)))
    b.outputs.append(b.node("If", condition, then_branch=then, else_branch=other))


def _call(b: _Builder) -> None:
    """A function that reshapes its operand by sizes computed inside, and has a body."""
    name = f"Merge{len(b.functions)}"
    inner = helper.make_graph(
        [helper.make_node("Neg", ["x"], ["n"])],
        "then",
        [],
        [helper.make_tensor_value_info("n", T.FLOAT, None)],
    )
    other = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["p"])],
        "else",
        [],
        [helper.make_tensor_value_info("p", T.FLOAT, None)],
    )
    number = helper.make_node(
        "Constant", [], ["zero"], value=numpy_helper.from_array(np.array([0]))
    )
    rest = helper.make_node("Constant", [], ["rest"], value=numpy_helper.from_array(np.array([-1])))
    nodes = [
        number,
        rest,
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "zero"], ["g"]),
        helper.make_node("Greater", ["g", "zero"], ["q"]),
        helper.make_node("Squeeze", ["q"], ["c"]),
        helper.make_node("If", ["c"], ["i"], then_branch=inner, else_branch=other),
        helper.make_node("Concat", ["g", "rest"], ["t"], axis=0),
        helper.make_node("Reshape", ["i", "t" if b.chance(0.5) else "s"], ["y"]),
    ]
    b.functions.append(
        helper.make_function("own", name, ["x"], ["y"], nodes, [helper.make_opsetid("", b.opset)])
    )
    x = b.value(2)
    result = b.fresh()
    b.nodes.append(helper.make_node(name, [x.name], [result], domain="own"))
    is_flat = nodes[-1].input[1] == "t"
    b.add(result, [x.shape[0], times(x.shape[1:])] if is_flat else x.shape)


_STEPS = (
    *(_regroup, _regroup, _regroup, _divide, _divide, _whole, _flatten, _ones, _ones, _transpose, _concat, _expand),
    *(_elementwise, _reduce, _scaled_size, _resize, _window, _branch, _call),
)  # fmt: skip


def make(seed: int) -> SizeCase:
    """Return the model of a seed, with inputs for each of SIZES."""
    b = _Builder(seed)
    for _ in range(b.random.randint(1, 2)):
        b.input()
    # Every symbol has a place.
    b.inputs["sizes"] = SYMBOLS
    for _ in range(b.random.randint(2, 7)):
        b.random.choice(_STEPS)(b)
    outputs = list(
        dict.fromkeys(
            [*b.outputs, *(v.name for v in b.values[-2:]), b.node("Shape", b.values[-1].name)]
        )
    )
    named = [b.node("Identity", name) for name in outputs]
    graph = helper.make_graph(
        b.nodes,
        "g",
        [helper.make_tensor_value_info(n, T.FLOAT, shape) for n, shape in b.inputs.items()],
        [onnx.ValueInfoProto(name=n) for n in named],
        b.weights,
    )
    imports = [
        helper.make_opsetid("", b.opset),
        *([helper.make_opsetid("own", 1)] if b.functions else []),
    ]
    model = helper.make_model(graph, opset_imports=imports, ir_version=9, functions=b.functions)
    numbers = np.random.default_rng(seed)
    feeds = []
    for sizes in SIZES:
        shapes = {n: [sizes.get(d, d) for d in shape] for n, shape in b.inputs.items()}
        feeds.append({n: numbers.standard_normal(s).astype(np.float32) for n, s in shapes.items()})
    return SizeCase(model, feeds)
