"""Small hostile models: nodes of random operators from onnx's schemas whose operands are constants.

Constant folding evaluates such nodes unless an earlier check rejects them. Therefore most operands have compatible element
types and shapes; attributes, numbers of operands, the other types, and sizes are hostile. Some models get a few changed
bytes after serialization. A model is determined by the seed and its number.

In long runs, every other model comes from the tests of onnx's operators: calls that runtimes can evaluate, with constants
as operands, and a few changes.
"""

import random
import warnings
from functools import cache
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

__all__ = ["make"]

EXTREMES = [0, 1, -1, 2, -2, 3, 7, 127, 255, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, -(2**63)]
TEXTS = [
    "",
    "NOTSET",
    "SAME_UPPER",
    "linear",
    "constant",
    "mean",
    "none",
    "TF",
    "\ud83d",
    "x" * 300,
]
LARGE = 20_000  # bytes
OPSETS = [7, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]
# NumPy's names of element types by ONNX's.
DTYPES = {
    "float": "float32",
    "double": "float64",
    "int64": "int64",
    "int32": "int32",
    "uint8": "uint8",
    "bool": "bool",
    "float16": "float16",
    "int8": "int8",
    "string": "object",
}
FIELDS = {"INT": "i", "FLOAT": "f", "STRING": "s", "TENSOR": "t"}


class _Operand:
    """An operand in a schema: the letter of its type variable, and the allowed element types."""

    def __init__(self, formal: Any, allowed: dict[str, list[str]]) -> None:
        self.letter = formal.type_str
        names = allowed.get(formal.type_str) or [formal.type_str]
        inner = [name[len("tensor(") : -1] for name in names if name.startswith("tensor(")]
        self.dtypes = [DTYPES[name] for name in inner if name in DTYPES] or list(DTYPES.values())


class _Schema:
    """A schema as Python values: querying onnx for each model takes longer than the attack."""

    def __init__(self, schema: Any) -> None:
        allowed = {t.type_param_str: list(t.allowed_type_strs) for t in schema.type_constraints}
        self.name, self.domain, self.since = schema.name, schema.domain, schema.since_version
        self.operands = [_Operand(formal, allowed) for formal in schema.inputs]
        self.most = min(schema.max_input, 5)
        self.least = min(schema.min_input, self.most)
        self.results = max(1, min(schema.min_output, 3))
        self.attributes = [(n, a.type.name, a.required) for n, a in schema.attributes.items()]


@cache
def _schemas() -> list[_Schema]:
    found = onnx.defs.get_all_schemas_with_history()
    return [_Schema(schema) for schema in found if schema.domain in ("", "ai.onnx.ml")]


@cache
def _cases() -> list[Any]:
    """Return the small models of onnx's tests with their inputs as constants; takes seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        tests = collect_testcases(None)
    found = []
    for test in tests:
        feeds = test.data_sets[0][0] if test.data_sets else []
        names = [value.name for value in test.model.graph.input]
        if len(feeds) != len(names) or test.model.ByteSize() > LARGE:
            continue
        if not all(isinstance(a, np.ndarray) and a.nbytes <= LARGE for a in feeds):
            continue
        proto = onnx.ModelProto()
        proto.CopyFrom(test.model)
        del proto.graph.input[:]
        made = [numpy_helper.from_array(a, n) for n, a in zip(names, feeds, strict=True)]
        proto.graph.initializer.extend(made)
        found.append(proto)
    return found


class _Maker:
    def __init__(self, generator: random.Random) -> None:
        self.random = generator
        self.shape = self.any_shape()

    def any_shape(self) -> list[int]:
        return [self.random.choice([0, 1, 1, 2, 3, 4]) for _ in range(self.random.randrange(5))]

    def array(self, dtype: str | None = None) -> Any:
        generator = self.random
        dtype = dtype or generator.choice(list(DTYPES.values()))
        shape = list(self.shape) if generator.random() < 0.6 else self.any_shape()
        size = int(np.prod(shape))
        if dtype == "object":
            texts = [generator.choice(["", "a", "b c"]) for _ in range(size)]
            return np.array(texts, object).reshape(shape)
        small = generator.random() < 0.7
        values = [
            generator.randrange(-2, 4) if small else generator.choice(EXTREMES) for _ in range(size)
        ]
        with np.errstate(all="ignore"):
            return np.array(values, np.int64).reshape(shape).astype(dtype)

    def attribute(self, name: str, kind: str) -> Any:
        """Return a random attribute; None for unsupported kinds."""
        generator = self.random
        if generator.random() < 0.05:
            kind = generator.choice(["INT", "STRING", "FLOATS"])
        number = (
            generator.randrange(-1, 4) if generator.random() < 0.6 else generator.choice(EXTREMES)
        )
        text = generator.choice(TEXTS).encode("utf-8", "surrogatepass")
        length = generator.randrange(5)
        one = onnx.AttributeProto(name=name, type=onnx.AttributeProto.AttributeType.Value(kind))
        if kind == "TENSOR":
            one.t.CopyFrom(numpy_helper.from_array(self.array()))
        elif kind in FIELDS:
            value = {"INT": number, "FLOAT": float(number), "STRING": text}[kind]
            setattr(one, FIELDS[kind], value)
        elif kind in ("INTS", "FLOATS", "STRINGS"):
            values = {
                "INTS": [generator.choice([number, 1, 2, 0]) for _ in range(length)],
                "FLOATS": [float(number)] * length,
                "STRINGS": [text] * length,
            }
            getattr(one, kind.lower()).extend(values[kind])
        else:
            return None
        return one

    def model(self) -> bytes:
        generator = self.random
        nodes: list[Any] = []
        weights: list[Any] = []
        known: list[str] = []
        outputs: list[str] = []
        opset = generator.choice(OPSETS)
        for index in range(generator.randrange(1, 4)):
            schema = generator.choice(_schemas())
            operands = []
            chosen: dict[str, str] = {}  # element types by letter
            for place in range(generator.randrange(schema.least, schema.most + 1)):
                pick = generator.random()
                if pick < 0.04:
                    operands.append("")
                    continue
                if pick < 0.2 and known:
                    operands.append(generator.choice(known))
                    continue
                dtype = None
                if generator.random() < 0.95 and schema.operands:
                    formal = schema.operands[min(place, len(schema.operands) - 1)]
                    dtype = chosen.setdefault(formal.letter, generator.choice(formal.dtypes))
                name = f"w{len(weights)}"
                weights.append(numpy_helper.from_array(self.array(dtype), name))
                operands.append(name)
            results = [f"n{index}_{k}" for k in range(schema.results)]
            node = onnx.NodeProto(
                op_type=schema.name, domain=schema.domain, name=f"node{index}", input=operands
            )
            node.output.extend(results)
            for name, kind, required in schema.attributes:
                if required or generator.random() < 0.3:
                    made = self.attribute(name, kind)
                    if made is not None:
                        node.attribute.append(made)
            nodes.append(node)
            known += results
            outputs.append(results[0])
        x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["N", 2])
        infos = [onnx.ValueInfoProto(name=name) for name in outputs]
        graph = onnx.GraphProto(name="g", node=nodes, initializer=weights, input=[x], output=infos)
        proto = onnx.ModelProto(ir_version=8, graph=graph)
        proto.opset_import.add(domain="", version=opset)
        proto.opset_import.add(domain="ai.onnx.ml", version=3)
        return bytes(self.with_changed_bytes(bytearray(proto.SerializeToString())))

    def case(self) -> bytes:
        """Return a model that a runtime can evaluate, with a few changes."""
        generator = self.random
        proto = onnx.ModelProto()
        proto.CopyFrom(generator.choice(_cases()))
        for _ in range(generator.randrange(3)):
            node = generator.choice(proto.graph.node)
            what = generator.random()
            if what < 0.5 and node.attribute:
                place = generator.randrange(len(node.attribute))
                old = node.attribute[place]
                kind = onnx.AttributeProto.AttributeType.Name(old.type)
                made = self.attribute(old.name, kind)
                if made is not None:
                    old.CopyFrom(made)
            elif what < 0.75 and proto.graph.initializer:
                one = generator.choice(proto.graph.initializer)
                one.CopyFrom(numpy_helper.from_array(self.changed(one), one.name))
            elif node.input:
                node.input[generator.randrange(len(node.input))] = generator.choice(
                    ["", *(one.name for one in proto.graph.initializer)]
                )
        return bytes(self.with_changed_bytes(bytearray(proto.SerializeToString())))

    def changed(self, tensor: Any) -> Any:
        """Return an array with the element type of a tensor, mostly with its shape, and some extreme numbers."""
        generator = self.random
        old = numpy_helper.to_array(tensor)
        if generator.random() < 0.3 or not old.size or old.dtype.kind not in "iuf":
            return self.array(old.dtype.name if old.dtype.name in DTYPES.values() else None)
        array = old.copy()
        with np.errstate(all="ignore"):
            for _ in range(generator.randrange(1, 4)):
                at = generator.randrange(array.size)
                array.reshape(-1)[at] = np.array(generator.choice(EXTREMES)).astype(array.dtype)
        return array

    def with_changed_bytes(self, data: bytearray) -> bytearray:
        generator = self.random
        if generator.random() < 0.2:
            for _ in range(generator.randrange(1, 4)):
                data[generator.randrange(len(data))] = generator.choice([0, 1, 0x7F, 0x80, 0xFF])
        return data


def make(seed: int, number: int, is_long: bool = False) -> bytes:
    """Return the model with that number as bytes."""
    maker = _Maker(random.Random(seed * 1_000_003 + number))
    return maker.case() if is_long and number % 2 else maker.model()
