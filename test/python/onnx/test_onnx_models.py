"""Models that hypothesis makes survive: read and written they are proto-equal.

Made of random messages of every kind that ONNX's proto has, fields unset, set to their default, and unknown ones
included; what a reader must refuse (names that mean nothing, or two things) is not made.
"""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ge.onnx as ge_onnx

onnx = pytest.importorskip("onnx")
from onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    TypeProto,
)  # noqa: E402

WORDS = st.sampled_from(["a", "b.c", "d/e", "é", "0", "x_1", "ge.Const", '"', "\\"])
TEXTS = st.one_of(WORDS, st.just(""), st.text(max_size=5))
OPERATORS = st.sampled_from(
    [("", "Abs"), ("ai.onnx", "Relu"), ("com.acme", "Op"), ("a.b", "My-Op"), ("", "If")]
)
SHORT = {"deadline": None, "max_examples": 150, "suppress_health_check": [HealthCheck.too_slow]}


def maybe(draw: st.DrawFn, message: Any, field: str, values: st.SearchStrategy[Any]) -> None:
    """Set a field, or leave it unset."""
    if draw(st.booleans()):
        setattr(message, field, draw(values))


def properties(draw: st.DrawFn, message: Any) -> None:
    for key in draw(st.lists(TEXTS, max_size=2)):
        message.metadata_props.add(key=key, value=draw(TEXTS))


def unknown(draw: st.DrawFn, message: Any) -> None:
    """Add a field that no version of ONNX has."""
    if draw(st.integers(0, 5)) == 0:
        number = draw(st.integers(1000, 5000))
        tag, payload = number << 3 | 2, draw(st.binary(max_size=4))
        wire = b""
        while tag:
            wire += bytes([tag & 0x7F | (0x80 if tag > 0x7F else 0)])
            tag >>= 7
        message.MergeFromString(wire + bytes([len(payload)]) + payload)


@st.composite
def tensors(draw: st.DrawFn, name: str | None = None) -> TensorProto:
    tensor = TensorProto()
    kind = draw(st.sampled_from(["raw", "float", "int32", "int64", "string", "double", "empty"]))
    count = 0 if kind == "empty" else draw(st.integers(1, 4))
    tensor.dims.extend(draw(st.sampled_from([[count], [1, count], [count, 1, 1]])))
    if kind in ("raw", "empty"):
        tensor.data_type = draw(
            st.sampled_from([TensorProto.FLOAT, TensorProto.INT8, TensorProto.BFLOAT16])
        )
        width = {TensorProto.FLOAT: 4, TensorProto.INT8: 1, TensorProto.BFLOAT16: 2}[
            tensor.data_type
        ]
        tensor.raw_data = draw(st.binary(min_size=count * width, max_size=count * width))
    elif kind == "float":
        tensor.data_type = TensorProto.FLOAT
        tensor.float_data.extend(draw(st.floats(width=32)) for _ in range(count))
    elif kind == "double":
        tensor.data_type = TensorProto.DOUBLE
        tensor.double_data.extend(draw(st.floats()) for _ in range(count))
    elif kind == "int32":
        tensor.data_type = draw(
            st.sampled_from([TensorProto.INT32, TensorProto.UINT8, TensorProto.BOOL])
        )
        top = {TensorProto.INT32: 2**31 - 1, TensorProto.UINT8: 255, TensorProto.BOOL: 1}
        tensor.int32_data.extend(draw(st.integers(0, top[tensor.data_type])) for _ in range(count))
    elif kind == "int64":
        tensor.data_type = TensorProto.INT64
        tensor.int64_data.extend(draw(st.integers(-(2**63), 2**63 - 1)) for _ in range(count))
    else:
        tensor.data_type = TensorProto.STRING
        tensor.string_data.extend(draw(st.binary(max_size=4)) for _ in range(count))
    if name is not None:
        tensor.name = name
    else:
        maybe(draw, tensor, "name", TEXTS)
    maybe(draw, tensor, "doc_string", TEXTS)
    unknown(draw, tensor)
    return tensor


@st.composite
def types(draw: st.DrawFn, depth: int = 0) -> TypeProto:
    made = TypeProto()
    kind = draw(
        st.sampled_from(
            ["tensor", "sequence", "optional", "map", "none"] if depth < 2 else ["tensor"]
        )
    )
    if kind == "tensor":
        made.tensor_type.elem_type = draw(st.integers(0, 16))
        if draw(st.booleans()):
            made.tensor_type.shape.SetInParent()
            for _ in range(draw(st.integers(0, 3))):
                dim = made.tensor_type.shape.dim.add()
                which = draw(st.sampled_from(["value", "param", "none"]))
                if which == "value":
                    dim.dim_value = draw(st.integers(0, 9))
                elif which == "param":
                    dim.dim_param = draw(st.sampled_from(["N", "seq len", "", "é"]))
    elif kind == "sequence":
        made.sequence_type.elem_type.CopyFrom(draw(types(depth + 1)))
    elif kind == "optional":
        made.optional_type.elem_type.CopyFrom(draw(types(depth + 1)))
    elif kind == "map":
        made.map_type.key_type = draw(st.sampled_from([TensorProto.INT64, TensorProto.STRING]))
        made.map_type.value_type.CopyFrom(draw(types(depth + 1)))
    maybe(draw, made, "denotation", TEXTS)
    return made


@st.composite
def attributes(draw: st.DrawFn, name: str, names: list[str], depth: int) -> AttributeProto:
    made = AttributeProto(name=name)
    kind = draw(
        st.sampled_from(
            ["f", "i", "s", "t", "floats", "ints", "strings", "tensors", "tp", "g", "graphs"]
        )
    )
    if kind in ("g", "graphs") and depth >= 2:
        kind = "i"
    made.type = {
        "f": 1, "i": 2, "s": 3, "t": 4, "g": 5, "floats": 6, "ints": 7, "strings": 8, "tensors": 9, "graphs": 10, "tp": 13,
    }[kind]  # fmt: skip
    many = st.integers(0, 3)
    if kind == "f":
        made.f = draw(st.floats(width=32))
    elif kind == "i":
        made.i = draw(st.integers(-(2**63), 2**63 - 1))
    elif kind == "s":
        made.s = draw(st.one_of(TEXTS.map(str.encode), st.binary(max_size=4)))
    elif kind == "t":
        made.t.CopyFrom(draw(tensors()))
    elif kind == "floats":
        made.floats.extend(draw(st.floats(width=32)) for _ in range(draw(many)))
    elif kind == "ints":
        made.ints.extend(draw(st.integers(-5, 5)) for _ in range(draw(many)))
    elif kind == "strings":
        made.strings.extend(draw(st.binary(max_size=3)) for _ in range(draw(many)))
    elif kind == "tensors":
        made.tensors.extend(draw(tensors()) for _ in range(draw(many)))
    elif kind == "tp":
        made.tp.CopyFrom(draw(types()))
    elif kind == "g":
        made.g.CopyFrom(draw(graphs(names, depth + 1)))
    else:
        made.graphs.extend(draw(graphs(names, depth + 1)) for _ in range(draw(st.integers(0, 2))))
    maybe(draw, made, "doc_string", TEXTS)
    return made


@st.composite
def graphs(draw: st.DrawFn, outer: list[str], depth: int = 0) -> GraphProto:
    graph = GraphProto()
    maybe(draw, graph, "name", TEXTS)
    maybe(draw, graph, "doc_string", TEXTS)
    prefix = f"g{depth}_{len(outer)}_"
    known = list(outer)

    def fresh() -> str:
        known.append(f"{prefix}{len(known)}{draw(WORDS)}")
        return known[-1]

    for _ in range(draw(st.integers(0, 2))):
        info = graph.input.add(name=fresh())
        if draw(st.booleans()):
            info.type.CopyFrom(draw(types()))
        maybe(draw, info, "doc_string", TEXTS)
    for _ in range(draw(st.integers(0, 2))):
        graph.initializer.append(draw(tensors(fresh())))
    for _ in range(draw(st.integers(0, 4))):
        graph.node.append(draw(nodes(list(known), fresh, depth)))
    for _ in range(draw(st.integers(0, 2)) if known else 0):
        name = draw(st.sampled_from(known))
        if name not in [o.name for o in graph.output]:
            graph.output.add(name=name)
            if draw(st.booleans()):
                graph.output[-1].type.CopyFrom(draw(types()))
    for name in draw(st.lists(st.sampled_from(known), max_size=2, unique=True)) if known else ():
        info = graph.value_info.add(name=name)
        info.type.CopyFrom(draw(types()))
    properties(draw, graph)
    unknown(draw, graph)
    return graph


@st.composite
def nodes(draw: st.DrawFn, known: list[str], fresh: Any, depth: int) -> NodeProto:
    node = NodeProto()
    domain, node.op_type = draw(OPERATORS)
    if domain or draw(st.booleans()):
        node.domain = domain
    maybe(draw, node, "name", TEXTS)
    maybe(draw, node, "doc_string", TEXTS)
    node.input.extend(draw(st.lists(st.sampled_from([*known, ""]), max_size=3)))
    for name in draw(st.lists(WORDS, max_size=2, unique=True)):
        node.attribute.append(draw(attributes(name, known, depth)))
    for _ in range(draw(st.integers(0, 2))):
        node.output.append(fresh() if draw(st.integers(0, 3)) else "")
    properties(draw, node)
    unknown(draw, node)
    return node


@st.composite
def models(draw: st.DrawFn) -> ModelProto:
    model = ModelProto()
    maybe(draw, model, "ir_version", st.integers(0, 20))
    maybe(draw, model, "producer_name", TEXTS)
    maybe(draw, model, "model_version", st.integers(-1, 5))
    maybe(draw, model, "doc_string", TEXTS)
    # All domains that the nodes may have: the writer adds those that are missing.
    for domain in draw(st.permutations(["", "com.acme", "a.b"])):
        model.opset_import.add(domain=domain, version=draw(st.integers(1, 25)))
    model.graph.CopyFrom(draw(graphs([])))
    properties(draw, model)
    unknown(draw, model)
    return model


def same(a: ModelProto, b: ModelProto) -> bool:
    """Compare by bytes: NaN equals itself, and unknown fields count."""
    return bool(a.SerializeToString(deterministic=True) == b.SerializeToString(deterministic=True))


def sort_attributes(graph: GraphProto | FunctionProto) -> None:
    for node in graph.node:
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                sort_attributes(inner)
        ordered = sorted(node.attribute, key=lambda a: ("." in a.name, a.name))
        del node.attribute[:]
        node.attribute.extend(ordered)


@given(models())
@settings(**SHORT)
def test_a_model_survives(model: ModelProto) -> None:
    data = ge_onnx.to_bytes(ge_onnx.from_onnx(model))
    assert same(ModelProto.FromString(data), model)
    # And is stable from then on.
    assert ge_onnx.to_bytes(ge_onnx.load(data)) == data


@given(models())
@settings(**SHORT)
def test_a_model_survives_as_text(model: ModelProto) -> None:
    import ge.ir as ir

    module = ge_onnx.from_onnx(model)
    got = ge_onnx.to_onnx(ir.Module.parse(module.to_text()))
    # In MLIR, attributes are a dictionary; those with a dot in their names are printed last.
    for each in (got, model):
        sort_attributes(each.graph)
        for function in each.functions:
            sort_attributes(function)
    assert same(got, model)
