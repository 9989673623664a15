"""Random ONNX models with narrow weights, each determined by a seed: quantised ones, f16 and bf16 ones, and sizes in u8.

Weights have an element type of at most 16 bits, and are widened in the model as exporters write it: by DequantizeLinear
(per tensor, per channel, in blocks), by QuantizeLinear and DequantizeLinear of floats, by Cast and arithmetic, or by
operators on quantised operands. Activations are quantised statically, dynamically, or not.
"""

import random
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

__all__ = ["QuantisedCase", "make_quantised"]

F32, F16, BF16 = np.dtype("f4"), np.dtype("f2"), np.dtype(ml_dtypes.bfloat16)
I8, U8, I32, I64 = (np.dtype(n) for n in ("i1", "u1", "i4", "i8"))
# Elements of these types are given as int8.
PACKED = {TensorProto.INT4: (-8, 7), TensorProto.UINT4: (0, 15)}
OPSETS = (13, 17, 19, 21, 23)


class QuantisedCase(NamedTuple):
    """A model and an input to run it on."""

    model: onnx.ModelProto
    feed: dict[str, Any]


class QuantisedBuilder:
    """Nodes and weights of one model."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.opset = self.random.choice(OPSETS)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.count = 0

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def node(self, op: str, operands: str, **attributes: Any) -> str:
        """Add a node with one result; operands are names with spaces between them, ``-`` an absent one."""
        name = self.fresh("v")
        names = ["" if operand == "-" else operand for operand in operands.split()]
        self.nodes.append(helper.make_node(op, names, [name], name=self.fresh("n"), **attributes))
        return name

    def constant(self, array: Any, element: int | None = None) -> str:
        array = np.asarray(array)
        name = self.fresh("w")
        tensor = numpy_helper.from_array(array, name)
        if element is not None:
            tensor = helper.make_tensor(name, element, array.shape, array.astype(int).ravel())
        if self.chance(0.9):
            self.weights.append(tensor)
        else:
            self.nodes.append(helper.make_node("Constant", [], [name], value=tensor))
        return name

    def quantised(self, shape: tuple[int, ...]) -> tuple[str, Any]:
        """Return a quantised weight, and the type of its zero point."""
        if self.opset >= 21 and self.chance(0.3):
            element = self.random.choice(list(PACKED))
            low, high = PACKED[element]
            return self.constant(self.numbers.integers(low, high + 1, shape), element), element
        if self.opset >= 19 and self.chance(0.15):
            f8 = ml_dtypes.float8_e4m3fn
            return self.constant(self.numbers.standard_normal(shape).astype(f8)), f8
        dtype = self.random.choice((I8, U8))
        limits = np.iinfo(dtype)
        return (
            self.constant(self.numbers.integers(limits.min, limits.max + 1, shape).astype(dtype)),
            dtype,
        )

    def dequantised(self, shape: tuple[int, ...]) -> str:
        weight, element = self.quantised(shape)
        form = self.random.choice(("tensor", "channel", "blocks"))
        if form == "blocks" and self.opset >= 21 and shape[0] % 4 == 0:
            scales, attributes = (shape[0] // 4, *shape[1:]), {"axis": 0, "block_size": 4}
        elif form == "channel":
            axis = self.random.randrange(len(shape))
            scales, attributes = (shape[axis],), {"axis": axis}
        else:
            scales, attributes = (), {}
        operands = f"{weight} {self.constant((self.numbers.random(scales) + 0.1).astype(F32))}"
        if self.chance(0.6):
            if isinstance(element, int):
                operands += f" {self.constant(np.zeros(scales, int), element)}"
            else:
                operands += f" {self.constant(np.zeros(scales, element))}"
        return self.node("DequantizeLinear", operands, **attributes)

    def cast(self, shape: tuple[int, ...]) -> str:
        """Return a weight behind a Cast and, of integers, its scale."""
        dtype = self.random.choice((I8, U8, F16, BF16))
        if dtype in (F16, BF16):
            weight = self.constant(self.numbers.standard_normal(shape).astype(dtype))
            return self.node("Cast", weight, to=TensorProto.FLOAT)
        weight = self.constant(self.numbers.integers(0, 100, shape).astype(dtype))
        wide = self.node("Cast", weight, to=TensorProto.FLOAT)
        if self.chance(0.5):
            wide = self.node("Sub", f"{wide} {self.constant(F32.type(50))}")
        return self.node("Mul", f"{wide} {self.constant(F32.type(0.1))}")

    def fake(self, shape: tuple[int, ...]) -> str:
        """Return floats that are quantised and dequantised."""
        weight = self.constant(self.numbers.standard_normal(shape).astype(F32))
        return self.rounded(weight)

    def rounded(self, x: str) -> str:
        dtype = self.random.choice((I8, U8))
        zero = self.constant(dtype.type(0 if dtype == I8 else 128))
        scale = self.constant(F32.type(self.random.choice((0.03, 0.1, 0.5))))
        narrow = self.node("QuantizeLinear", f"{x} {scale} {zero}")
        return self.node("DequantizeLinear", f"{narrow} {scale} {zero}")

    def weight(self, rows: int, columns: int) -> str:
        """Return a matrix of floats that is stored narrow, behind data movement or not."""
        shape, transposed = (rows, columns), self.chance(0.3)
        if transposed:
            shape = (columns, rows)
        kind = self.random.choice((self.dequantised, self.dequantised, self.cast, self.fake))
        made = kind(shape)
        if self.chance(0.15):
            made = self.rounded(made)
        if transposed:
            made = self.node("Transpose", made, perm=[1, 0])
        if self.chance(0.15):
            made = self.node("Reshape", f"{made} {self.constant(np.array([rows, -1]))}")
        return made

    # --- Layers: of a value of shape [4, size], and return one.

    def product(self, x: str, size: int) -> tuple[str, int]:
        columns = self.random.choice((8, 16, 32))
        weight = self.weight(size, columns)
        if self.chance(0.3):
            bias = self.constant(self.numbers.standard_normal(columns).astype(F32))
            return self.node("Gemm", f"{x} {weight} {bias}"), columns
        y = self.node("MatMul", f"{x} {weight}")
        if self.chance(0.5):
            y = self.node("Add", f"{y} {self.weight(1, columns)}")
        return y, columns

    def twice(self, x: str, size: int) -> tuple[str, int]:
        """One weight of two products."""
        weight = self.weight(size, size)
        parts = [self.node("MatMul", f"{x} {weight}")]
        parts.append(self.node("MatMul", f"{parts[0]} {weight}"))
        return self.node("Concat", " ".join(parts), axis=1), 2 * size

    def integers(self, x: str, size: int) -> tuple[str, int]:
        """A product of integers, as the dynamic quantiser writes it."""
        names = [self.fresh("v") for _ in range(3)]
        self.nodes.append(helper.make_node("DynamicQuantizeLinear", [x], names))
        weight = self.constant(self.numbers.integers(-9, 9, (size, 16)).astype(I8))
        zero = self.constant(I8.type(0))
        total = self.node("MatMulInteger", f"{names[0]} {weight} {names[2]} {zero}")
        wide = self.node("Cast", total, to=TensorProto.FLOAT)
        scale = self.node("Mul", f"{names[1]} {self.constant(F32.type(0.02))}")
        return self.node("Mul", f"{wide} {scale}"), 16

    def embedding(self, x: str, size: int) -> tuple[str, int]:
        table = self.weight(24, size)
        indices = self.constant(self.numbers.integers(0, 24, 4).astype(I64))
        return self.node("Add", f"{x} {self.node('Gather', f'{table} {indices}')}"), size

    def activation(self, x: str, size: int) -> tuple[str, int]:
        return self.node(self.random.choice(("Relu", "Sigmoid", "Identity", "Neg")), x), size

    def quantise(self, x: str, size: int) -> tuple[str, int]:
        return self.rounded(x), size

    def sizes(self, x: str, size: int) -> tuple[str, int]:
        """Sizes that are stored as small integers."""
        shape = self.constant(np.array([1] * 20 + [4, size], U8))
        shape = self.node("Cast", shape, to=TensorProto.INT64)
        end = self.constant(np.array([22]))
        shape = self.node("Slice", f"{shape} {self.constant(np.array([20]))} {end}")
        return self.node("Reshape", f"{x} {shape}"), size

    def scaled(self, x: str, size: int) -> tuple[str, int]:
        return self.node("Mul", f"{x} {self.constant(F32.type(0.5))}"), size

    def masked(self, x: str, size: int) -> tuple[str, int]:
        mask = self.constant(self.numbers.random((4, size)) < 0.8)
        return self.node("Mul", f"{x} {self.node('Cast', mask, to=TensorProto.FLOAT)}"), size

    def build(self) -> QuantisedCase:
        steps = [self.product, self.product, self.product, self.twice, self.integers, self.embedding,
                 self.activation, self.quantise, self.quantise, self.sizes, self.scaled, self.masked]  # fmt: skip
        size = self.random.choice((8, 16))
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, size])]
        feed = {"x": self.numbers.standard_normal((4, size)).astype(F32)}
        y, width = self.product("x", size)
        for _ in range(self.random.randint(1, 6)):
            y, width = self.random.choice(steps)(y, width)
        y = self.node("Tanh", y)
        outputs = [helper.make_tensor_value_info(y, TensorProto.FLOAT, None)]
        graph = helper.make_graph(self.nodes, "g", inputs, outputs, self.weights)
        opsets = [helper.make_opsetid("", self.opset)]
        return QuantisedCase(helper.make_model(graph, opset_imports=opsets, ir_version=10), feed)


def make_quantised(seed: int) -> QuantisedCase:
    """Return the model of a seed."""
    return QuantisedBuilder(seed).build()
