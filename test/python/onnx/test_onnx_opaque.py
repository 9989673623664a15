"""What a file leaves out is zero, and what the IR cannot represent is opaque: kept, and looked into by no pass.

Protobuf is the judge: a field that is left out has protobuf's default, the last one of several counts, numbers that do not fit a
field are refused. Not promised: that a node with unknown fields is optimised.
"""

import copy
from typing import Any

import numpy as np
import pytest

import ge.ir as ir
import ge.onnx as ge_onnx
import ge.ops as ops
from ge.es import onnx as op
from ge.passes import explain, p, rewrite, rewrite_rule

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")
from onnx import AttributeProto, TensorProto, helper, numpy_helper  # noqa: E402

F, I = TensorProto.FLOAT, TensorProto.INT64


def info(name: str, shape: Any = (2, 3), dtype: int = F) -> Any:
    return helper.make_tensor_value_info(name, dtype, shape)


def model(nodes: list[Any], weights: dict[str, Any] | None = None, shape: Any = None) -> Any:
    tensors = [numpy_helper.from_array(np.asarray(w), n) for n, w in (weights or {}).items()]
    graph = helper.make_graph(nodes, "g", [info("x")], [info("y", shape)], tensors)
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def strip(message: Any) -> Any:
    """Leave the zeros of all attributes out, as writers with the semantics of proto3 do."""
    message = copy.deepcopy(message)

    def visit(part: Any) -> None:
        for field, value in part.ListFields():
            if field.message_type is not None:
                for each in value if field.is_repeated else [value]:
                    visit(each)
        if isinstance(part, AttributeProto):
            if part.HasField("i") and part.i == 0:
                part.ClearField("i")
            if part.HasField("s") and part.s == b"":
                part.ClearField("s")
            if part.HasField("f") and np.float32(part.f).tobytes() == bytes(4):
                part.ClearField("f")

    visit(message)
    return message


def compute(data: bytes, feeds: dict[str, Any]) -> list[Any]:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    found: list[Any] = ort.InferenceSession(data, options).run(None, feeds)
    return found


def round_trip(proto: Any) -> ir.Module:
    module = ge_onnx.from_onnx(proto)
    expected = proto.SerializeToString(deterministic=True)
    for each in (module, module.clone(), ir.Module.parse(module.to_text())):
        assert ge_onnx.to_onnx(each).SerializeToString(deterministic=True) == expected
    return module


def optimized(proto: Any) -> Any:
    module = ge_onnx.from_onnx(proto)
    ge_onnx.optimize(module)
    return ge_onnx.to_onnx(module)


def test_a_value_that_is_left_out_is_zero() -> None:
    node = helper.make_node("Op", ["x"], ["y"], domain="acme", i=0, f=0.0, s="")
    proto = strip(model([node]))
    assert not any(a.HasField(k) for a in proto.graph.node[0].attribute for k in "ifs")
    attributes = round_trip(proto).graphs[0].nodes[0].attributes
    assert (attributes["i"], attributes["f"], attributes["s"]) == (0, 0.0, "")


def test_a_zero_that_changes_is_written() -> None:
    node = helper.make_node("Op", ["x"], ["y"], domain="acme", i=0, f=0.0, s="")
    module = ge_onnx.from_onnx(strip(model([node])))
    attributes = module.graphs[0].nodes[0].attributes
    attributes["i"], attributes["f"], attributes["s"] = 7, -0.0, "text"
    made = {a.name: a for a in ge_onnx.to_onnx(module).graph.node[0].attribute}
    assert (made["i"].i, made["s"].s) == (7, b"text")
    assert np.signbit(made["f"].f) and made["f"].HasField("f")


def test_zeros_of_defaults_and_bodies_of_functions() -> None:
    body = helper.make_graph(
        [helper.make_node("Softmax", ["v"], ["z"], axis=0)], "b", [], [info("z", None)]
    )
    function = helper.make_function(
        "acme", "f", ["v", "c"], ["w"],
        [helper.make_node("If", ["c"], ["w"], then_branch=body, else_branch=body)],
        [helper.make_opsetid("", 17)], [], [helper.make_attribute("mode", 0)],
    )  # fmt: skip
    proto = model([helper.make_node("f", ["x", "t"], ["y"], domain="acme")], {"t": np.array(True)})
    proto.functions.append(function)
    proto = strip(proto)
    round_trip(proto)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    e = np.exp(x - x.max(0))
    assert np.allclose(compute(optimized(proto).SerializeToString(), {"x": x})[0], e / e.sum(0))
    assert np.allclose(ops.run(ge_onnx.from_onnx(proto), {"x": x})[0], e / e.sum(0))


def _stripped_cases() -> list[str]:
    """Names of ONNX's node tests with an attribute that is zero, of operators that inference or evaluation knows."""
    from backend_node import node_cases

    return [
        name
        for name, case in node_cases().items()
        if any(
            (a.HasField("i") and a.i == 0) or (a.HasField("f") and a.f == 0)
            for n in case.model.graph.node
            for a in n.attribute
        )
        and case.model.opset_import[0].domain == ""
    ]


def _of_weights(name: str) -> Any:
    """Return the model of a test whose inputs became weights: contents are what evaluation and inference look at."""
    from backend_node import node_cases

    case = node_cases()[name]
    whole = copy.deepcopy(case.model)
    inputs, values = list(whole.graph.input), case.data_sets[0][0]
    if all(isinstance(v, np.ndarray) for v in values) and len(values) == len(inputs):
        del whole.graph.input[:]
        whole.graph.initializer.extend(
            numpy_helper.from_array(v, i.name) for v, i in zip(values, inputs, strict=True)
        )
    return whole


A, B = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((3, 2), np.float32)


@pytest.mark.parametrize(
    ("operator", "weights", "attributes"),
    [
        ("ReduceSum", [A, np.array([1])], {"keepdims": 0}),
        ("ReduceMean", [A], {"axes": [0], "keepdims": 0}),
        ("ArgMin", [A], {"axis": 1, "keepdims": 0}),
        ("Softmax", [A], {"axis": 0}),
        ("LogSoftmax", [A], {"axis": 0}),
        ("Hardmax", [A], {"axis": 0}),
        ("Flatten", [A], {"axis": 0}),
        ("LeakyRelu", [-A], {"alpha": 0.0}),
        ("Elu", [-A], {"alpha": 0.0}),
        ("Gemm", [A, B, np.full(2, 100, np.float32)], {"beta": 0.0}),
        ("Gemm", [A, B], {"alpha": 0.0}),
        ("LayerNormalization", [A, np.ones((2, 3), np.float32)], {"axis": 0}),
        ("HardSigmoid", [A], {"beta": 0.0}),
        ("TopK", [A, np.array([2])], {"largest": 0}),
    ],
)
def test_a_zero_that_is_left_out_is_not_the_operators_default(
    operator: str, weights: list[Any], attributes: dict[str, Any]
) -> None:
    """Where constants are folded, and where the sizes of the result are inferred."""
    names = [f"w{i}" for i in range(len(weights))]
    results = ["t", "index"] if operator == "TopK" else ["t"]
    constant = helper.make_node(operator, names, results, **attributes)
    behind = helper.make_node(operator, ["s", *names[1:]], ["u", *results[1:]], **attributes)
    behind.output[1:] = ["index_u"][: len(results) - 1]
    nodes = [
        constant,
        helper.make_node("Add", ["w0", "x"], ["s"]),
        behind,
        helper.make_node("Shape", ["u"], ["size"]),
        helper.make_node("Cast", ["size"], ["sizes"], to=F),
        helper.make_node("Cast", ["t"], ["values"], to=F),
        helper.make_node("Flatten", ["values"], ["flat"], axis=0),
        helper.make_node("Squeeze", ["flat", "zero"], ["line"]),
        helper.make_node("Concat", ["sizes", "line"], ["y"], axis=0),
    ]
    proto = model(nodes, {**dict(zip(names, weights, strict=True)), "zero": np.array([0])})
    x = np.zeros((2, 3), np.float32)
    want = compute(proto.SerializeToString(), {"x": x})[0]
    got = compute(optimized(strip(proto)).SerializeToString(), {"x": x})[0]
    assert np.allclose(got, want)
    assert np.allclose(ops.run(ge_onnx.from_onnx(strip(proto)), {"x": x})[0], want)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_node_tests_with_zeros_left_out() -> None:
    """Optimised, they are what the tests with all zeros in them become."""
    names = _stripped_cases()
    assert len(names) > 300

    def outcome(proto: Any) -> Any:
        try:
            return strip(optimized(proto)).SerializeToString(deterministic=True)
        except ir.GEError as error:
            return str(error)

    wholes = {name: _of_weights(name) for name in names}
    assert [n for n, w in wholes.items() if outcome(w) != outcome(strip(w))] == []


# --- Numbers that do not fit their field


def number(value: int) -> bytes:
    out = b""
    value &= (1 << 64) - 1
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def integer(field: int, value: int) -> bytes:
    return number(field << 3) + number(value)


def leaky(*fields: bytes) -> Any:
    """LeakyRelu, one of whose attributes has further fields, of a weight."""
    node = helper.make_node("LeakyRelu", ["w"], ["t"], alpha=0.5)
    data = node.attribute[0].SerializeToString() + b"".join(fields)
    node.ClearField("attribute")
    whole = node.SerializeToString() + number(5 << 3 | 2) + number(len(data)) + data
    proto = model([node, helper.make_node("Add", ["x", "t"], ["y"])], {"w": np.float32([-1])})
    graph = proto.graph.SerializeToString()
    place = number(1 << 3 | 2) + number(len(node.SerializeToString())) + node.SerializeToString()
    assert graph.startswith(place)
    graph = number(1 << 3 | 2) + number(len(whole)) + whole + graph[len(place) :]
    proto.ClearField("graph")
    return proto.SerializeToString() + number(7 << 3 | 2) + number(len(graph)) + graph


@pytest.mark.parametrize("value", [(1 << 32) + 1, (1 << 33) + 1, -(1 << 32) + 1, 1 << 63])
def test_a_type_of_an_attribute_that_does_not_fit_is_refused(value: int) -> None:
    with pytest.raises(ir.ModelError, match=r"attribute\[0\].*type|type.*32 bits"):
        ge_onnx.load(leaky(integer(20, value)))


@pytest.mark.parametrize(
    ("field", "name"), [(2, "data_type"), (14, "data_location")], ids=["data_type", "data_location"]
)
def test_a_field_of_a_tensor_that_does_not_fit_is_refused(field: int, name: str) -> None:
    proto = model([helper.make_node("Add", ["x", "w"], ["y"])])
    weight = numpy_helper.from_array(np.ones(3, np.float32), "w").SerializeToString()
    weight += integer(field, (1 << 32) + 1)
    extra = number(5 << 3 | 2) + number(len(weight)) + weight
    graph = proto.graph.SerializeToString() + extra
    proto.ClearField("graph")
    data = proto.SerializeToString() + number(7 << 3 | 2) + number(len(graph)) + graph
    with pytest.raises(ir.ModelError, match=name):
        ge_onnx.load(data)


def test_an_element_type_that_does_not_fit_is_refused() -> None:
    proto = model([helper.make_node("Relu", ["x"], ["y"])])
    tensor = integer(1, (1 << 32) + 1)
    kind = number(1 << 3 | 2) + number(len(tensor)) + tensor
    value = b"\x0a\x01v" + number(2 << 3 | 2) + number(len(kind)) + kind
    graph = proto.graph.SerializeToString() + number(13 << 3 | 2) + number(len(value)) + value
    proto.ClearField("graph")
    data = proto.SerializeToString() + number(7 << 3 | 2) + number(len(graph)) + graph
    with pytest.raises(ir.ModelError, match="elem_type"):
        ge_onnx.load(data)


# --- Several fields where one is expected


def test_the_last_import_of_a_domain_counts() -> None:
    """As in onnxruntime, which computes this Softmax as opset 11 does."""
    proto = model([helper.make_node("Softmax", ["x"], ["y"], axis=0)])
    proto.opset_import[0].version = 17
    proto.opset_import.append(helper.make_opsetid("ai.onnx", 11))
    module = round_trip(proto)
    assert module.graphs[0].opsets["onnx"] == 11
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    want = compute(proto.SerializeToString(), {"x": x})[0]
    assert np.allclose(ops.run(module, {"x": x})[0], want)
    assert np.allclose(compute(optimized(proto).SerializeToString(), {"x": x})[0], want)


def test_messages_that_protobuf_would_merge_are_refused() -> None:
    first = helper.make_attribute("value", helper.make_tensor("", F, [1], [1.0]))
    twice = first.SerializeToString() + first.SerializeToString()
    node = helper.make_node("Constant", [], ["y"])
    proto = model([node])
    whole = node.SerializeToString() + number(5 << 3 | 2) + number(len(twice)) + twice
    graph = number(1 << 3 | 2) + number(len(whole)) + whole
    rest = copy.deepcopy(proto.graph)
    del rest.node[:]
    graph += rest.SerializeToString()
    proto.ClearField("graph")
    data = proto.SerializeToString() + number(7 << 3 | 2) + number(len(graph)) + graph
    with pytest.raises(ir.ModelError, match="twice"):
        ge_onnx.load(data)


# --- Opaque nodes


def _repeated() -> Any:
    node = helper.make_node("LeakyRelu", ["w"], ["t"], alpha=0.5)
    node.attribute.append(helper.make_attribute("alpha", 0.25))
    return node


def _unknown_type() -> Any:
    node = helper.make_node("LeakyRelu", ["w"], ["t"])
    node.attribute.append(AttributeProto(name="alpha"))
    node.attribute[0].MergeFromString(integer(20, 99) + b"\x15" + np.float32(0.5).tobytes())
    return node


def _two_values() -> Any:
    node = helper.make_node("LeakyRelu", ["w"], ["t"], alpha=0.5)
    node.attribute[0].i = 3
    return node


def _nameless() -> Any:
    node = helper.make_node("LeakyRelu", ["w"], ["t"], alpha=0.5)
    node.attribute[0].name = ""
    return node


def _unknown_field() -> Any:
    node = helper.make_node("LeakyRelu", ["w"], ["t"], alpha=0.5)
    node.MergeFromString(b"\xfa\x3e\x01a")
    return node


def _unknown_field_of_an_attribute() -> Any:
    node = helper.make_node("LeakyRelu", ["w"], ["t"], alpha=0.5)
    node.attribute[0].MergeFromString(b"\xfa\x3e\x01a")
    return node


OPAQUE = [
    _repeated,
    _unknown_type,
    _two_values,
    _nameless,
    _unknown_field,
    _unknown_field_of_an_attribute,
]


@pytest.fixture(params=OPAQUE, ids=lambda make: make.__name__.strip("_"))
def opaque(request: pytest.FixtureRequest) -> Any:
    """A model of two equal opaque nodes, each of a weight, and what uses them."""
    first, second = request.param(), request.param()
    second.output[0] = "u"
    nodes = [first, second, helper.make_node("Sum", ["x", "t", "u"], ["y"])]
    return model(nodes, {"w": np.float32([-1, -2, -3])}, (2, 3))


def test_an_opaque_node_is_written_as_it_was(opaque: Any) -> None:
    round_trip(opaque)


def test_no_pass_of_ours_looks_into_an_opaque_node(opaque: Any) -> None:
    made = optimized(opaque).graph.node
    assert [n.op_type for n in made].count("LeakyRelu") == 2
    for old, new in zip(opaque.graph.node[:2], made[:2], strict=True):
        new.ClearField("name")
        assert new.SerializeToString(deterministic=True) == old.SerializeToString(
            deterministic=True
        )


def test_inference_says_nothing_of_an_opaque_node(opaque: Any) -> None:
    graph = ge_onnx.from_onnx(opaque).graphs[0]
    graph.infer_types()
    assert [isinstance(n.result.type, ir.UnknownType) for n in graph.nodes if n.type == "LeakyRelu"] == [True, True]  # fmt: skip
    assert graph.verify()


def test_no_pattern_matches_an_opaque_node(opaque: Any) -> None:
    graph = ge_onnx.from_onnx(opaque).graphs[0]
    rule = rewrite_rule(lambda w: p.op("onnx.LeakyRelu")(w), lambda w: op.Relu(w), name="never")
    assert rewrite(graph, rule).rewrites == 0
    attempts = explain(graph, rule).attempts
    assert attempts and all("cannot represent" in str(attempt) for attempt in attempts)


def test_an_attribute_that_is_set_again_is_known() -> None:
    module = ge_onnx.from_onnx(model([_unknown_type(), helper.make_node("Add", ["x", "t"], ["y"])], {"w": np.float32([-1])}))  # fmt: skip
    node = next(n for n in module.graphs[0].nodes if n.type == "LeakyRelu")
    assert "onnx.opaque" in node.attributes["alpha"]
    node.attributes["alpha"] = 0.5
    ge_onnx.optimize(module)
    assert "LeakyRelu" not in [n.type for n in module.graphs[0].nodes]


def test_a_call_with_an_opaque_attribute_stays_and_its_function_too() -> None:
    function = helper.make_function(
        "acme", "f", ["v"], ["w"], [helper.make_node("Neg", ["v"], ["w"])],
        [helper.make_opsetid("", 17)], ["k"],
    )  # fmt: skip
    call = helper.make_node("f", ["x"], ["y"], domain="acme")
    call.attribute.append(AttributeProto(name="k"))
    call.attribute[0].MergeFromString(integer(20, 99))
    proto = model([call])
    proto.functions.append(function)
    module = ge_onnx.from_onnx(proto)
    ge_onnx.optimize(module, passes="inline,optimize")
    made = ge_onnx.to_onnx(module)
    assert [n.op_type for n in made.graph.node] == ["f"] and len(made.functions) == 1


def test_a_weight_with_unknown_fields_is_not_folded() -> None:
    weight = numpy_helper.from_array(np.float32([-1, 0, 1]), "w")
    weight.MergeFromString(b"\xfa\x3e\x01a")
    proto = model([helper.make_node("Relu", ["w"], ["t"]), helper.make_node("Add", ["x", "t"], ["y"])])  # fmt: skip
    proto.graph.initializer.append(weight)
    assert [n.op_type for n in optimized(proto).graph.node] == ["Relu", "Add"]
    proto.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.float32([-1, 0, 1]), "w"))
    assert [n.op_type for n in optimized(proto).graph.node] == ["Add"]


def test_a_graph_in_an_attribute_that_cannot_be_represented_is_refused() -> None:
    """Its nodes use values around it, which bytes that are kept do not follow."""
    body = helper.make_graph([helper.make_node("Neg", ["x"], ["z"])], "b", [], [info("z")])
    node = helper.make_node("If", ["c"], ["y"], then_branch=body, else_branch=body)
    node.attribute.append(node.attribute[0])
    proto = model([node], {"c": np.array(True)})
    with pytest.raises(ir.ModelError, match="_branch' has a graph"):
        ge_onnx.from_onnx(proto)
