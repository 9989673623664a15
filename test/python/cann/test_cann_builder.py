"""CANN's GraphBuilder: its names, inputs and constants, and the errors for invalid arguments.

Messages begin with CANN's text (section 1.2 of its interface); more text may follow. A wrong class raises TypeError, a
value out of range ValueError, any other failure RuntimeError. test_cann_builder_build.py covers outputs, attributes and
building.
"""

from __future__ import annotations

import copy
import inspect
from typing import Any

import numpy as np
import pytest
from cann_builders import builder  # noqa: F401 - a fixture
from cann_lines import lines

from ge import ir
from ge.es import GraphBuilder, InputType, TensorHolder
from ge.es.graph_builder import attr_scope, control_dependency_scope
from ge.graph import DataType, Format


def constant(tensor: TensorHolder) -> ir.Tensor:
    value = tensor.value.node.attributes["value"]
    assert isinstance(value, ir.Tensor)
    return value


# --- Where things are


def test_import_paths_are_canns() -> None:
    import ge.es.graph_builder
    import ge.es.tensor_holder
    import ge.es.tensor_like

    assert ge.es.GraphBuilder is ge.es.graph_builder.GraphBuilder
    assert ge.es.TensorHolder is ge.es.tensor_holder.TensorHolder
    assert ge.es.graph_builder.TensorHolder is ge.es.TensorHolder
    assert ge.es.attr_scope is attr_scope
    assert ge.es.control_dependency_scope is control_dependency_scope
    assert callable(ge.es.tensor_like.convert_to_tensor_holder)


def test_input_types_are_canns() -> None:
    assert {kind.name: kind.value for kind in InputType} == {
        "DATA": "Data",
        "REF_DATA": "RefData",
        "AIPP_DATA": "AippData",
        "ANY_DATA": "AnyData",
    }


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("__init__", "self, name=None"),
        ("create_inputs", "self, num, start_index=0"),
        ("create_const_int64", "self, value, shape=None"),
        ("create_const_float", "self, value, shape=None"),
        ("create_const_uint64", "self, value, shape=None"),
        ("create_const_int32", "self, value, shape=None"),
        ("create_const_uint32", "self, value, shape=None"),
        ("create_vector_int64", "self, value"),
        ("create_scalar_int64", "self, value"),
        ("create_scalar_int32", "self, value"),
        ("create_scalar_float", "self, value"),
        ("create_scalar_uint64", "self, value"),
        ("create_scalar_uint32", "self, value"),
        ("create_variable", "self, index, name"),
        ("set_graph_output", "self, tensor, output_index"),
        ("set_graph_attr_int64", "self, attr_name, value"),
        ("set_tensor_attr_string", "self, tensor, attr_name, value"),
        ("set_node_attr_bool", "self, tensor, attr_name, value"),
        ("add_control_dependency", "self, dst_tensor, src_tensors"),
        ("build_and_reset", "self, outputs=None"),
    ],
)
def test_arguments_are_canns(method: str, parameters: str) -> None:
    signature = inspect.signature(getattr(GraphBuilder, method))
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    shown = str(inspect.Signature(bare)).strip("()")
    assert shown == parameters


def test_arguments_of_create_input_are_canns() -> None:
    parameters = inspect.signature(GraphBuilder.create_input).parameters
    assert list(parameters) == [
        *("self", "index", "name", "type_str", "data_type", "format", "shape")
    ]
    defaults = {n: p.default for n, p in parameters.items() if p.kind is p.KEYWORD_ONLY}
    assert defaults == {
        "name": None,
        "type_str": InputType.DATA,
        "data_type": DataType.DT_FLOAT,
        "format": Format.FORMAT_ND,
        "shape": None,
    }


# --- GraphBuilder(name)


def test_default_name() -> None:
    assert GraphBuilder().name == "graph"
    assert GraphBuilder(None).name == "graph"
    assert GraphBuilder("g").build_and_reset().name == "g"


def test_name_must_be_a_string() -> None:
    with pytest.raises(TypeError, match="Graph name must be a string"):
        GraphBuilder(123)  # type: ignore[arg-type]


def test_a_builder_cannot_be_copied(builder: GraphBuilder) -> None:
    with pytest.raises(RuntimeError, match="GraphBuilder does not support copy"):
        copy.copy(builder)
    with pytest.raises(RuntimeError, match="GraphBuilder does not support deepcopy"):
        copy.deepcopy(builder)


# --- Inputs


def test_input_as_it_is_described(builder: GraphBuilder) -> None:
    x = builder.create_input(
        0,
        name="x",
        data_type=DataType.DT_FLOAT16,
        format=Format.FORMAT_NCHW,
        shape=[1, 3, -1, 224],
    )
    assert isinstance(x, TensorHolder)
    assert x.name == "x"
    node = x.value.node
    assert node.type == "Data"
    assert node.get_attr("index") == 0
    desc = node.get_output_desc(0)
    assert (list(desc.shape), desc.format) == ([1, 3, -1, 224], Format.FORMAT_NCHW)
    assert desc.data_type is DataType.DT_FLOAT16


def test_default_input_is_a_float_of_unknown_shape(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    assert x.name == "input_0"
    assert x.value.type == ir.TensorType(None, ir.f32)


def test_empty_shape_is_a_scalar(builder: GraphBuilder) -> None:
    assert builder.create_input(0, shape=[]).value.type == ir.TensorType((), ir.f32)


@pytest.mark.parametrize("kind", list(InputType))
def test_input_kinds_are_operators(builder: GraphBuilder, kind: InputType) -> None:
    x = builder.create_input(0, type_str=kind)
    graph = builder.build_and_reset([x])
    assert graph.inputs[0].node.type == kind.value


def test_inputs_are_ordered_by_index(builder: GraphBuilder) -> None:
    two = builder.create_input(2)
    zero = builder.create_input(0)
    one = builder.create_input(1)
    graph = builder.build_and_reset([zero, one, two])
    assert [v.node.name for v in graph.inputs] == ["input_0", "input_1", "input_2"]
    assert [v.node.get_attr("index") for v in graph.inputs] == [0, 1, 2]


def test_create_inputs(builder: GraphBuilder) -> None:
    first = builder.create_inputs(2)
    more = builder.create_inputs(2, start_index=2)
    assert [x.name for x in first + more] == ["input_0", "input_1", "input_2", "input_3"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"index": "0"}, "Input index must be an integer"),
        ({"index": 0, "name": 1}, "Input name must be a string"),
        ({"index": 0, "shape": "12"}, "Shape must be a list of integers"),
        ({"index": 0, "shape": [1, "2"]}, "Shape must be a list of integers"),
        ({"index": 0, "data_type": "float"}, "Data type must be a DataType enum"),
        ({"index": 0, "format": 2}, "Format must be a Format enum"),
    ],
)
def test_wrong_arguments_of_create_input(
    builder: GraphBuilder, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(TypeError, match=words):
        builder.create_input(**arguments)
    assert lines(builder.build_and_reset()) == ["return "]


def test_wrong_arguments_of_create_inputs(builder: GraphBuilder) -> None:
    for number in (0, -1, "2"):
        with pytest.raises(TypeError, match="Number of inputs must be a positive integer"):
            builder.create_inputs(number)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Start index must be a non-negative integer"):
        builder.create_inputs(1, start_index=-1)


def test_an_index_is_taken_once(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    with pytest.raises(RuntimeError, match="Failed to create input: index 0 is taken"):
        builder.create_input(0)
    with pytest.raises(RuntimeError, match="Failed to create input: index -1 is negative"):
        builder.create_input(-1)
    assert lines(builder.build_and_reset([x])) == ["input_0 = Data", "return input_0"]


# --- Constants


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        *(("int64", ir.i64), ("int32", ir.i32), ("uint64", ir.u64), ("uint32", ir.u32)),
        ("float", ir.f32),
    ],
)
def test_constants_have_value_shape_and_type(
    builder: GraphBuilder, kind: str, dtype: ir.DType
) -> None:
    const = getattr(builder, f"create_const_{kind}")
    scalar = getattr(builder, f"create_scalar_{kind}")
    for made, values, shape in [
        (const(7), [7], ()),
        (const(7, shape=[]), [7], ()),
        (const(7, [1, 1]), [7], (1, 1)),
        (const([1, 2, 3]), [1, 2, 3], (3,)),
        (const([1, 2, 3, 4], shape=[2, 2]), [1, 2, 3, 4], (2, 2)),
        (const([]), [], (0,)),
        (scalar(7), [7], ()),
    ]:
        tensor = constant(made)
        assert tensor.type == ir.TensorType(shape, dtype) == made.value.type
        assert np.asarray(tensor).ravel().tolist() == values
        assert made.value.node.type == "Const"


def test_vector(builder: GraphBuilder) -> None:
    made = builder.create_vector_int64([-1, 2])
    assert constant(made).type == ir.TensorType((2,), ir.i64)


def test_constants_are_numbered(builder: GraphBuilder) -> None:
    names = [builder.create_const_float(1.0).name, builder.create_vector_int64([1]).name]
    assert names == ["Const_0", "Const_1"]


@pytest.mark.parametrize(("count", "shape"), [(3, [2, 2]), (5, [2, 2]), (4, [3, 3]), (2, [])])
def test_count_must_fit_the_shape(builder: GraphBuilder, count: int, shape: list[int]) -> None:
    with pytest.raises(ValueError, match=rf"Value count \({count}\) doesn't match shape"):
        builder.create_const_int64([1] * count, shape=shape)


@pytest.mark.parametrize(
    ("method", "value", "words"),
    [
        ("create_const_int64", "1", "Value must be an integer or list of integers"),
        ("create_const_int64", [1, 2.0], "Value must be an integer or list of integers"),
        ("create_const_uint64", 1.0, "Value must be an integer or list of integers"),
        ("create_const_int32", None, "Value must be an integer or list of integers"),
        ("create_const_uint32", [[1]], "Value must be an integer or list of integers"),
        ("create_const_float", "1", "Value must be a float or list of floats"),
        ("create_vector_int64", "12", "Value must be a list of integers"),
        ("create_vector_int64", [1.0], "Value must be a list of integers"),
        ("create_scalar_int64", [1], "Value must be an integer"),
        ("create_scalar_uint64", "1", "Value must be an integer"),
        ("create_scalar_float", "1", "Value must be a number"),
    ],
)
def test_values_of_a_wrong_class(
    builder: GraphBuilder, method: str, value: object, words: str
) -> None:
    with pytest.raises(TypeError, match=words):
        getattr(builder, method)(value)


@pytest.mark.parametrize(
    ("method", "value", "words"),
    [
        ("create_scalar_uint64", -1, "Value must be non-negative"),
        ("create_const_uint64", [1, -1], "Value must be non-negative"),
        ("create_scalar_uint32", -1, "Value must be in range"),
        ("create_scalar_uint32", 2**32, "Value must be in range"),
        ("create_scalar_int32", 2**31, "Value must be in range"),
        ("create_scalar_int64", 2**63, "Value must be in range"),
        ("create_vector_int64", [-(2**63) - 1], "Value must be in range"),
    ],
)
def test_values_out_of_range(builder: GraphBuilder, method: str, value: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        getattr(builder, method)(value)


@pytest.mark.parametrize(
    ("method", "value"),
    [
        ("create_scalar_uint64", 2**64 - 1),
        ("create_scalar_uint32", 2**32 - 1),
        ("create_scalar_int64", -(2**63)),
        ("create_scalar_int32", -(2**31)),
    ],
)
def test_greatest_and_least_values(builder: GraphBuilder, method: str, value: int) -> None:
    assert np.asarray(constant(getattr(builder, method)(value))).item() == value


def test_variable(builder: GraphBuilder) -> None:
    made = builder.create_variable(3, "weight")
    assert (made.name, made.value.node.type) == ("weight", "Variable")
    assert made.value.node.get_attr("index") == 3
    with pytest.raises(TypeError, match="Index must be an integer"):
        builder.create_variable("0", "name")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Name must be a string"):
        builder.create_variable(0, 1)  # type: ignore[arg-type]
