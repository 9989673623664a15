"""Every field of a model is represented in the IR or preserved; each test covers one message.

The helper `same` asserts the round trip; the tests then assert where the field is in the IR.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ge.ir as ir
import ge.onnx as ge_onnx

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

F = TensorProto.FLOAT


def info(name: str, shape: Any = (2,), dtype: int = F) -> Any:
    return helper.make_tensor_value_info(name, dtype, shape)


def relu_model(**changes: Any) -> Any:
    node = helper.make_node("Relu", ["x"], ["y"], name="r")
    graph = helper.make_graph([node], "g", [info("x")], [info("y")])
    return helper.make_model(graph, **changes)


def canonical(model: Any) -> bytes:
    data: bytes = model.SerializeToString(deterministic=True)
    return data


def same(model: Any) -> ir.Module:
    """Return the module of a model; assert that the module and its clone convert back to an equal model."""
    module = ge_onnx.from_onnx(model)
    assert canonical(ge_onnx.to_onnx(module)) == canonical(model)
    assert canonical(ge_onnx.to_onnx(module.clone())) == canonical(model)
    return module


def main(module: ir.Module) -> Any:
    return module.graphs[0]


def test_metadata_is_in_module_attributes() -> None:
    model = relu_model(producer_name="p", producer_version="1", doc_string="d", model_version=3)
    model.domain = "dom"
    helper.set_model_props(model, {"a": "1", "b": ""})
    module = same(model)
    at = module.attributes
    assert at["onnx.producer_name"] == "p"
    assert at["onnx.model_version"] == 3
    assert at["onnx.domain"] == "dom"
    assert at["onnx.doc_string"] == "d"
    assert dict(at["onnx.metadata_props"]) == {"a": "1", "b": ""}
    assert at["onnx.opset_imports"]["onnx"] == model.opset_import[0].version
    assert main(module).name == "g"


@pytest.mark.parametrize("domain", ["", "ai.onnx", None])
def test_spellings_of_the_default_domain(domain: str | None) -> None:
    model = relu_model()
    del model.opset_import[:]
    opset = model.opset_import.add(version=17)
    if domain is not None:
        opset.domain = domain
        model.graph.node[0].domain = domain
    module = same(model)
    assert main(module).nodes[0].op == "onnx.Relu"
    assert dict(module.attributes["onnx.opset_imports"]) == {"onnx": 17}


@pytest.mark.parametrize(
    "domain", ["ai.onnx.ml", "onnx.ml", "ai.onnx.preview.training", "onnx", "onnx.x"]
)
def test_other_domains_of_onnx(domain: str) -> None:
    """The IR has one name for a domain; the model's spelling is restored when it is written."""
    model = relu_model(opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(domain, 2)])
    model.graph.node[0].domain = domain
    model.graph.node[0].op_type = "Scaler"
    module = same(model)
    name = domain.removeprefix("ai.")
    assert main(module).nodes[0].op == f"{name}.Scaler"
    versions = {"onnx": 17} if name == "onnx" else {"onnx": 17, name: 2}
    assert dict(module.attributes["onnx.opset_imports"]) == versions


def test_repeated_opset_imports_and_metadata() -> None:
    model = relu_model(
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx", 18)]
    )
    for value in "12":
        model.metadata_props.add(key="k", value=value)
    model.metadata_props.add(key="without value")
    model.metadata_props.add(value="without key")
    module = same(model)
    # As in onnxruntime, the last one counts.
    assert dict(module.attributes["onnx.opset_imports"]) == {"onnx": 18}


def test_names_missing_empty_numeric_and_repeated() -> None:
    nodes = [
        helper.make_node("Relu", ["0"], ["1"]),
        helper.make_node("Relu", ["1"], ["2"], name="7"),
        helper.make_node("Relu", ["2"], ["3"], name="7"),
        helper.make_node("Relu", ["3"], ["4"], name="0"),
        helper.make_node("Relu", ["4"], ["5"]),
    ]
    nodes[4].name = ""
    model = helper.make_model(helper.make_graph(nodes, "", [info("0")], [info("5")]))
    module = same(model)
    assert [n.original_name for n in main(module).nodes][1:4] == ["7", "7", "0"]
    assert [n.name for n in main(module).nodes][1:4] == ["7", "7_1", "0_1"]  # the input is named 0


def test_absent_inputs_and_outputs() -> None:
    nodes = [
        helper.make_node("Clip", ["x", "", "m"], ["y"]),
        helper.make_node("Clip", ["y", "", ""], ["z"]),
        helper.make_node("LSTM", ["z", "w", "w"], ["", "", "c"], hidden_size=1),
        helper.make_node("LSTM", ["z", "w", "w"], ["a", ""], hidden_size=1),
    ]
    inputs = [info(n) for n in ("x", "m", "w")]
    model = helper.make_model(helper.make_graph(nodes, "g", inputs, [info("c"), info("a")]))
    graph = main(same(model))
    assert graph.nodes[0].operands[1] is None
    assert len(graph.nodes[1].operands) == 3
    assert len(graph.nodes[2].results) == 3


def test_inputs_with_defaults() -> None:
    """The initializer of an input becomes its attribute `value`; others become Const nodes."""
    nodes = [helper.make_node("Sum", ["a", "b", "c", "d"], ["y"])]
    weights = [numpy_helper.from_array(np.float32([i, i]), n) for i, n in enumerate("dcba")]
    inputs = [info("a"), info("x"), info("c")]
    model = helper.make_model(helper.make_graph(nodes, "g", inputs, [info("y")], weights))
    graph = main(same(model))
    assert np.array_equal(graph.inputs[0].node.attributes["value"].numpy(), [3, 3])
    assert "value" not in graph.inputs[1].node.attributes
    assert [n.op for n in graph.nodes] == ["ge.Const", "ge.Const", "onnx.Sum"]
    assert graph.find("d").attributes["value"].numpy().tolist() == [0, 0]


def attribute_cases() -> dict[str, tuple[Any, Callable[[Any], bool]]]:
    tensor = helper.make_tensor("t", F, [2], [1, 2])
    sparse = helper.make_sparse_tensor(
        tensor, helper.make_tensor("i", TensorProto.INT64, [2], [0, 5]), [9]
    )
    kind = helper.make_tensor_type_proto(F, ["N", None, 3])
    return {
        "f": (0.1, lambda v: v == 0.1),
        "nan": (float("nan"), lambda v: v != v),
        "i": (-(2**63), lambda v: v == -(2**63)),
        "zero": (0, lambda v: v == 0),
        "s": ("text", lambda v: v == "text"),
        "bytes": (b"\xff\x00", lambda v: v == b"\xff\x00"),
        "fs": ([1.5, 2.0], lambda v: v == (1.5, 2.0)),
        "is": ([1, -2], lambda v: v == (1, -2)),
        "ss": (["a", b"\xff"], lambda v: v == ("a", b"\xff")),
        "t": (tensor, lambda v: v.numpy().tolist() == [1, 2]),
        "ts": ([tensor, tensor], lambda v: len(v) == 2),
        "st": (sparse, lambda v: list(v) == ["values", "indices", "dims"] and v["dims"] == (9,)),
        "sts": ([sparse], lambda v: v[0]["dims"] == (9,)),
        "tp": (kind, lambda v: v == ir.TensorType(("N", None, 3), ir.f32)),
        "tps": ([kind, helper.make_sequence_type_proto(kind)], lambda v: len(v) == 2),
    }


@pytest.mark.parametrize("name", attribute_cases())
def test_attributes(name: str) -> None:
    value, check = attribute_cases()[name]
    model = relu_model()
    model.graph.node[0].attribute.append(helper.make_attribute(name, value, doc_string="d"))
    model.graph.node[0].attribute.append(helper.make_attribute("plain", value))
    attributes = main(same(model)).nodes[0].attributes
    assert check(attributes["plain"])
    assert check(attributes[name])


@pytest.mark.parametrize("kind", onnx.AttributeProto.AttributeType.values())
def test_attributes_without_value_and_without_type(kind: int) -> None:
    model = relu_model()
    model.graph.node[0].attribute.add(name="a", type=kind)
    model.graph.node[0].attribute.add(name="b")
    model.graph.node[0].attribute.add(name="c", i=5)
    model.graph.node[0].attribute.add(name="c", i=6)
    model.graph.node[0].attribute.add(name="d", i=5, f=6.0, type=kind)
    model.graph.node[0].attribute.add(name="onnx.e", i=5, type=kind)
    model.graph.node[0].attribute.add(i=5, type=kind)
    model.graph.node[0].attribute.add(name="f", ref_attr_name="g", type=kind)
    model.graph.node[0].attribute.add(name="h", ref_attr_name="g")
    same(model)


def all_types() -> list[int]:
    return [t for t in TensorProto.DataType.values() if t != TensorProto.UNDEFINED]


@pytest.mark.parametrize("dtype", all_types())
@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize("shape", [[3], [0], [1, 1]])
def test_element_types(dtype: int, raw: bool, shape: list[int]) -> None:
    """In raw_data and in the typed field, odd counts of small elements included."""
    if raw and dtype == TensorProto.STRING:
        pytest.skip("strings have no raw form")
    count = int(np.prod(shape))
    if dtype == TensorProto.STRING:
        tensor = helper.make_tensor("w", dtype, shape, [b"a", b"\xff", b""][:count])
    else:
        array = np.arange(1, 1 + count).reshape(shape)
        values = array.astype(helper.tensor_dtype_to_np_dtype(dtype))
        tensor = (
            helper.make_tensor("w", dtype, shape, values)
            if not raw
            else numpy_helper.from_array(values, "w")
        )
        if tensor.data_type != dtype:
            pytest.skip("the helper gives another type")
    node = helper.make_node("Identity", ["w"], ["y"])
    output = helper.make_tensor_value_info("y", dtype, shape)
    model = helper.make_model(helper.make_graph([node], "g", [], [output], [tensor]))
    module = same(model)
    value = main(module).find("w").attributes["value"]
    assert list(value.type.shape) == shape
    if dtype not in (TensorProto.STRING, TensorProto.FLOAT6E2M3, TensorProto.FLOAT6E3M2):
        expected = numpy_helper.to_array(tensor)
        assert np.array_equal(value.numpy(), expected)
    assert canonical(ge_onnx.to_onnx(ir.Module.parse(module.to_text()))) == canonical(model)


def test_tensor_extras() -> None:
    tensor = helper.make_tensor("w", F, [2], [1, 2])
    tensor.doc_string = "d"
    tensor.segment.begin = 1
    tensor.metadata_props.add(key="k", value="v")
    tensor.data_location = TensorProto.DEFAULT
    node = helper.make_node("Relu", ["w"], ["y"])
    same(helper.make_model(helper.make_graph([node], "g", [], [info("y")], [tensor])))


def test_sparse_initializers() -> None:
    values = helper.make_tensor("w", F, [2], [1, 2])
    indices = helper.make_tensor("", TensorProto.INT64, [2], [0, 5])
    sparse = helper.make_sparse_tensor(values, indices, [9])
    node = helper.make_node("Relu", ["w"], ["y"])
    graph = helper.make_graph([node], "g", [], [info("y", [9])], sparse_initializer=[sparse])
    constant = main(same(helper.make_model(graph))).nodes[0]
    assert constant.op == "onnx.Constant"
    assert constant.attributes["sparse_value"]["dims"] == (9,)


def test_types_of_values() -> None:
    inputs = [
        info("a", ["N", None, 3, ""]),
        info("b", None),
        info("c", []),
        helper.make_tensor_sequence_value_info("s", F, ["N"]),
        helper.make_value_info(
            "o", helper.make_optional_type_proto(helper.make_tensor_type_proto(F, [1]))
        ),
        helper.make_sparse_tensor_value_info("sp", F, [3]),
        helper.make_value_info(
            "m",
            helper.make_map_type_proto(TensorProto.INT64, helper.make_tensor_type_proto(F, [2])),
        ),
        onnx.ValueInfoProto(name="untyped"),
        helper.make_value_info("empty", onnx.TypeProto()),
    ]
    inputs[0].type.denotation = "IMAGE"
    inputs[0].type.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
    inputs[2].doc_string = "d"
    inputs[2].metadata_props.add(key="k", value="v")
    opaque = helper.make_value_info("op", onnx.TypeProto())
    opaque.type.opaque_type.domain = "a.b"
    opaque.type.opaque_type.name = "c"
    inputs.append(opaque)
    node = helper.make_node("Relu", ["a"], ["y"])
    model = helper.make_model(helper.make_graph([node], "g", inputs, [info("y"), info("a", [1])]))
    graph = main(same(model))
    assert graph.inputs[0].type == ir.TensorType(("N", None, 3, None), ir.f32)
    assert graph.inputs[1].type == ir.TensorType(None, ir.f32)


def test_value_info_in_any_order() -> None:
    names = "xabcy"
    nodes = [helper.make_node("Relu", [a], [b]) for a, b in zip(names, names[1:], strict=False)]
    for order in (["a", "b", "c"], ["c", "a"], ["y", "x", "a", "gone", "a", "b"], []):
        infos = [info(n, ["N"]) for n in order]
        model = helper.make_model(
            helper.make_graph(nodes, "g", [info("x")], [info("y")], value_info=infos)
        )
        module = same(model)
        for value in order:
            if value in "abc":
                node = next(n for n in main(module).nodes if n.result.name == value)
                assert node.result.type == ir.TensorType(("N",), ir.f32)


def branch(name: str, node: Any) -> Any:
    return helper.make_graph([node], name, [], [info(node.output[0])])


def test_subgraphs_with_captures_and_repeated_names() -> None:
    """Sibling graphs may use the same names."""
    then = branch("then", helper.make_node("Relu", ["h"], ["o"], name="n"))
    other = branch("else", helper.make_node("Neg", ["h"], ["o"], name="n"))
    inner = helper.make_graph(
        [helper.make_node("If", ["c"], ["o2"], then_branch=then, else_branch=other)],
        "outer",
        [],
        [info("o2")],
    )
    nodes = [
        helper.make_node("Relu", ["x"], ["h"]),
        helper.make_node("If", ["c"], ["y"], else_branch=inner, then_branch=then),
        helper.make_node("X", ["x"], ["z"], domain="d", graphs=[then, other], k=1),
        helper.make_node("X", ["x"], ["v"], domain="d", graphs=[then]),
    ]
    inputs = [info("x"), info("c", [], TensorProto.BOOL)]
    model = helper.make_model(
        helper.make_graph(nodes, "g", inputs, [info("y"), info("z")]),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("d", 1)],
    )
    module = same(model)
    node = main(module).nodes[1]
    assert {g.slot for g in node.subgraphs} == {"then_branch", "else_branch"}
    assert {g.name for g in node.subgraphs} == {"then", "outer"}
    assert node.subgraphs[1].nodes[0].operands[0] is main(module).nodes[0].result


def test_functions() -> None:
    body = [
        helper.make_node("Constant", [], ["k"]),
        helper.make_node("Mul", ["a", "k"], ["m"]),
        helper.make_node("Relu", ["m"], ["r"], doc_string="d"),
    ]
    body[0].attribute.add(name="value_float", ref_attr_name="alpha", type=onnx.AttributeProto.FLOAT)
    function = helper.make_function(
        "my.domain", "F", ["a", "unused"], ["r"], body, [helper.make_opsetid("", 17)], ["alpha"],
        [helper.make_attribute("beta", 2.0), helper.make_attribute("g", [1], doc_string="d")],
        doc_string="doc", value_info=[info("r"), info("a"), info("m")],
    )  # fmt: skip
    again = onnx.FunctionProto()
    again.CopyFrom(function)
    again.overload = "o"
    again.metadata_props.add(key="k", value="v")
    node = helper.make_node("F", ["x", ""], ["y"], domain="my.domain", alpha=1.0, overload="o")
    model = helper.make_model(
        helper.make_graph([node], "g", [info("x")], [info("y")]),
        functions=[function, again],
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("my.domain", 1)],
    )
    module = same(model)
    assert list(module.graphs.keys()) == ["g", "my.domain.F", "my.domain.F:o"]
    graph = module.graphs["my.domain.F:o"]
    assert dict(graph.attributes["onnx.function"])["overload"] == "o"
    assert graph.attributes["onnx.attributes"] == ("alpha",)
    assert graph.attributes["onnx.attribute_defaults"]["beta"] == 2.0
    assert dict(graph.nodes[0].attributes["value_float"]) == {
        "ref_attr_name": "alpha",
        "type": "FLOAT",
    }
    assert graph.nodes[1].result.type == ir.TensorType((2,), ir.f32)


def test_what_the_ir_has_no_place_for() -> None:
    """Training, quantisation, device configuration and unknown fields."""
    model = relu_model()
    model.training_info.add().algorithm.CopyFrom(model.graph)
    annotation = model.graph.quantization_annotation.add(tensor_name="x")
    annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="y")
    model.graph.metadata_props.add(key="k", value="v")
    model.graph.doc_string = ""
    model.configuration.add(name="c", num_devices=2)
    model.graph.node[0].device_configurations.add(configuration_id="c", pipeline_stage=1)
    model.graph.node[0].metadata_props.add(key="k", value="v")
    model.graph.node[0].doc_string = "doc"
    same(model)

    def unknown(message: Any) -> None:
        """Add unknown fields: a varint, a string, a fixed64 and a group."""
        message.MergeFromString(
            b"\xf8\x06\x01"
            + b"\xfa\x06\x01a"
            + b"\xf9\x06"
            + b"12345678"
            + b"\xfb\x06\x08\x01\xfc\x06"
        )

    node = model.graph.node[0]
    node.attribute.append(helper.make_attribute("t", helper.make_tensor("", F, [1], [1])))
    unknown(model)
    unknown(model.opset_import[0])
    unknown(model.graph)
    unknown(node)
    unknown(node.attribute[0])
    unknown(node.attribute[0].t)
    unknown(model.graph.input[0])
    unknown(model.graph.output[0].type)
    unknown(model.graph.input[0].type.tensor_type.shape)
    module = same(model)
    node = main(module).nodes[0]
    assert node.attributes["onnx.doc_string"] == "doc"
    assert dict(node.attributes["onnx.metadata_props"]) == {"k": "v"}


def test_outputs_that_are_inputs_constants_or_repeated() -> None:
    weight = numpy_helper.from_array(np.float32([1, 2]), "w")
    outputs = [info(n) for n in ("x", "w", "y", "y")]
    node = helper.make_node("Relu", ["x"], ["y"])
    same(helper.make_model(helper.make_graph([node], "g", [info("x")], outputs, [weight])))
