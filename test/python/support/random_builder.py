"""Builds random ONNX models of values, constants and nodes; random_models.py defines the operators."""

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import onnx
from onnx import helper, numpy_helper

__all__ = [
    "ANY",
    "BOOL",
    "FLOATS",
    "NARROW",
    "NUMBERS",
    "INTS",
    "WIDE",
    "Builder",
    "Case",
    "Value",
    "proto_of",
]

F32, F64, F16 = np.dtype("f4"), np.dtype("f8"), np.dtype("f2")
BF16 = np.dtype(ml_dtypes.bfloat16)
I8, I16, I32, I64 = (np.dtype(f"i{n}") for n in (1, 2, 4, 8))
U8, U16, U32, U64 = (np.dtype(f"u{n}") for n in (1, 2, 4, 8))
BOOL = np.dtype("?")
WIDE = (F32, F64)
FLOATS = (F32, F32, F64)
# onnxruntime computes these types in f32, and even without optimisations the surrounding nodes determine where it
# rounds. So models only move these types and cast from them; results of casts to them are outputs.
NARROW = (F16, BF16)
INTS = (I8, I16, I32, I64, U8, U16, U32, U64)
NUMBERS = (*FLOATS, I32, I64)
ANY = (*FLOATS, *FLOATS, *NARROW, *INTS, I64, I32, BOOL)
OPSETS = (11, 13, 17, 18, 20, 21)

Shape = tuple[int, ...]


class Value(NamedTuple):
    """The value of a node, an input or a constant."""

    name: str
    dtype: Any
    shape: Shape
    rounded: bool = False
    """It depends on a result that another runtime may round differently."""
    constant: bool = False
    small: bool = False
    """Its elements are 0 to 100, which every integer type holds."""


class Case(NamedTuple):
    """A model and the inputs to run it on."""

    model: onnx.ModelProto
    feeds: list[dict[str, Any]]


def proto_of(dtype: Any) -> int:
    return int(helper.np_dtype_to_tensor_dtype(dtype))


class Builder:
    """Values, constants and nodes of one model, determined by a seed."""

    def __init__(self, seed: int, tame: bool) -> None:
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.tame = tame
        self.opset = self.random.choice(OPSETS)
        self.nodes: list[onnx.NodeProto] = []
        self.inputs: list[Value] = []
        self.weights: list[onnx.TensorProto] = []
        self.values: list[Value] = []
        self.finals: list[Value] = []
        self.count = 0

    # --- Values

    def fresh(self, stem: str = "v") -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def shape(self, low: int = 0, high: int = 4) -> Shape:
        rank = self.random.randint(low, high)
        sizes = (1, 2, 3, 4, 5) if self.tame or self.chance(0.9) else (0, 1, 2, 3)
        return tuple(self.random.choice(sizes) for _ in range(rank))

    def array(self, dtype: Any, shape: Shape) -> Any:
        """Return random elements, some of them special."""
        count = int(np.prod(shape, dtype=np.int64))
        if dtype == BOOL:
            out = self.numbers.integers(0, 2, count).astype(BOOL)
        elif dtype in INTS:
            low, high = (-3 if dtype.kind == "i" else 0), 4
            out = self.numbers.integers(low, high, count).astype(dtype)
            if not self.tame and self.chance(0.3):
                limits = np.iinfo(dtype)
                for i in range(count):
                    if self.chance(0.3):
                        out[i] = self.random.choice(
                            [limits.min, limits.max, limits.max - 1, limits.max // 2 + 1]
                        )
        else:
            out = self.numbers.standard_normal(count).astype(dtype)
            if self.chance(0.4):
                out = np.array([self.number(dtype) for _ in range(count)], dtype)
        if count and self.chance(0.25):
            out[:] = out[0]
        return out.reshape(shape)

    def number(self, dtype: Any) -> Any:
        """Return a number that exporters typically write, or a special one."""
        if dtype in INTS or dtype == BOOL:
            return dtype.type(self.pick(0, 1, 1, 2, 3))
        plain = [0.0, 1.0, 0.5, 2.0, -1.0, 3.0, 0.1, 1.5]
        if self.tame:
            return dtype.type(self.pick(*plain))
        limits = ml_dtypes.finfo(dtype)
        special = [
            -0.0, np.inf, -np.inf, np.nan, limits.max, -limits.max, limits.tiny,
            limits.smallest_subnormal, -limits.smallest_subnormal, limits.eps, 1e-4, 300.0, 7e4, 3e9, -1e19,
        ]  # fmt: skip
        with np.errstate(over="ignore"):
            return dtype.type(self.random.choice(plain if self.chance(0.5) else special))

    def input(self, dtype: Any, shape: Shape) -> Value:
        value = Value(self.fresh("x"), dtype, shape)
        self.inputs.append(value)
        self.values.append(value)
        return value

    def small(self, dtype: Any, shape: Shape) -> Value:
        """Return a new constant or input with elements that every integer type can represent."""
        if self.chance(0.35):
            return self.constant(self.small_array(dtype, shape))._replace(small=True)
        value = self.input(dtype, shape)._replace(small=True)
        self.inputs[-1] = self.values[-1] = value
        return value

    def small_array(self, dtype: Any, shape: Shape) -> Any:
        return (self.numbers.integers(0, 401, shape) / 4).astype(dtype)

    def constant(self, array: Any) -> Value:
        array = np.asarray(array)
        name = self.fresh("c")
        tensor = numpy_helper.from_array(array, name)
        if self.chance(0.8):
            self.weights.append(tensor)
        else:
            self.nodes.append(helper.make_node("Constant", [], [name], value=tensor))
        return Value(name, array.dtype, array.shape, constant=True)

    def ints(self, *numbers: int) -> Value:
        return self.constant(np.array(numbers, np.int64))

    def value(
        self, dtypes: Sequence[Any], low: int = 0, high: int = 4, exact: bool = False
    ) -> Value:
        """Return a value of one of these types: an existing one, a constant, or a new input."""
        if not self.chance(0.15):
            fitting = [
                v
                for v in self.values
                if v.dtype in dtypes
                and low <= len(v.shape) <= high
                and not (exact and self.tame and v.rounded)
            ]
            if fitting:
                return self.random.choice(fitting[-6:] if self.chance(0.7) else fitting)
        dtype, shape = self.random.choice(dtypes), self.shape(low, high)
        if self.chance(0.35):
            return self.constant(self.array(dtype, shape))
        return self.input(dtype, shape)

    def like(self, x: Value) -> Value:
        """Return a value of the same type whose shape broadcasts to that of `x`."""
        fitting = [
            v
            for v in self.values
            if v.dtype == x.dtype and v.shape == x.shape and (not self.tame or not v.rounded)
        ]
        if fitting and self.chance(0.4):
            return self.random.choice(fitting)
        shape = x.shape[self.random.randint(0, len(x.shape)) :]
        shape = tuple(1 if self.chance(0.3) else size for size in shape)
        if self.chance(0.25):
            shape = self.pick((), (1,), (1, 1)[: max(1, len(x.shape))])
            shape = shape if len(shape) <= len(x.shape) else ()
        if self.chance(0.6):
            if self.chance(0.6):
                array = np.full(shape, self.number(x.dtype), x.dtype)
            else:
                array = self.array(x.dtype, shape)
            return self.constant(array)
        return self.input(x.dtype, shape)

    def node(
        self,
        op: str,
        operands: Sequence[Value | None],
        dtype: Any,
        shape: Sequence[int],
        rounds: bool = False,
        keep: bool = True,
        **attributes: Any,
    ) -> Value:
        """Add a node with one result of the given type and shape."""
        names = [v.name if v else "" for v in operands]
        while names and not names[-1]:
            names.pop()
        name = self.fresh()
        self.nodes.append(helper.make_node(op, names, [name], name=self.fresh("n"), **attributes))
        rounded = rounds or any(v is not None and v.rounded for v in operands)
        made = Value(name, np.dtype(dtype), tuple(map(int, shape)), rounded)
        if keep:
            self.values.append(made)
        return made

    def axes(self, rank: int, least: int = 0) -> list[int]:
        count = self.random.randint(min(least, rank), rank)
        found = sorted(self.random.sample(range(rank), count))
        return [axis - rank if self.chance(0.3) else axis for axis in found]

    # --- The model

    def build(self, steps: Sequence[Callable[["Builder"], None]]) -> Case:
        for _ in range(self.random.randint(1, 2)):
            self.input(self.random.choice(FLOATS if self.chance(0.6) else ANY), self.shape(1, 4))
        wanted = self.random.randint(3, 14)
        for _ in range(40):
            if len(self.nodes) >= wanted:
                break
            step = self.random.choice(steps)
            step(self)
            if self.chance(0.08):
                self.repeat()
        return self.finish()

    def repeat(self) -> None:
        """Add a duplicate of an existing node."""
        chosen = [
            n for n in self.nodes if len(n.output) == 1 and n.op_type not in ("Constant", "If")
        ]
        if not chosen:
            return
        node = self.random.choice(chosen[-4:])
        old = next((v for v in self.values if v.name == node.output[0]), None)
        if old is None:
            return
        again = onnx.NodeProto()
        again.CopyFrom(node)
        again.name = self.fresh("n")
        again.output[0] = self.fresh()
        if self.chance(0.3) and node.op_type in ("Add", "Mul", "Max", "Min", "Equal", "And", "Or"):
            operands = list(reversed(again.input))
            del again.input[:]
            again.input.extend(operands)
        self.nodes.append(again)
        self.values.append(old._replace(name=again.output[0]))

    def finish(self) -> Case:
        used = {name for node in self.nodes for name in node.input}
        for node in self.nodes:
            for body in (a.g for a in node.attribute if a.HasField("g")):
                used |= {name for inner in body.node for name in inner.input}
        made = {name for node in self.nodes for name in node.output}
        computed = [v for v in (*self.values, *self.finals) if v.name in made]
        outputs = [v for v in computed if v.name not in used or self.chance(0.1)]
        outputs = outputs[-6:] or computed[-1:]
        inputs = [v for v in self.inputs if v.name in used]
        symbols: dict[int, str] = {}

        def dims(value: Value) -> list[int | str]:
            # Each symbol stands for the same size everywhere.
            if not is_symbolic:
                return list(value.shape)
            return [symbols.setdefault(s, f"D{s}") if s > 1 else s for s in value.shape]

        is_symbolic = self.chance(0.2)
        infos = [helper.make_tensor_value_info(v.name, proto_of(v.dtype), dims(v)) for v in inputs]
        graph = helper.make_graph(
            self.nodes,
            "g",
            infos,
            [helper.make_tensor_value_info(v.name, proto_of(v.dtype), None) for v in outputs],
            self.weights,
        )
        opsets = [helper.make_opsetid("", self.opset)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
        feeds = [
            {
                v.name: (self.small_array if v.small else self.array)(v.dtype, v.shape)
                for v in inputs
            }
            for _ in range(2)
        ]
        return Case(model, feeds)
