"""CANN's enumerations, Shape, TensorDesc, Tensor and errors."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any

import pytest

import ge.error
import ge.graph.types as types
from ge import ir
from ge.es import GraphBuilder
from ge.graph import (
    DataType,
    DumpFormat,
    Format,
    Graph,
    Operator,
    Placement,
    Shape,
    Tensor,
    TensorDesc,
)
from ge.utils import GeUtils

# --- Enumerations


def test_numbers_of_element_types_are_those_of_the_core() -> None:
    ours = {
        dtype.ge: dtype
        for dtype in vars(ir).values()
        if isinstance(dtype, ir.DType)
        if dtype.ge is not None
    }
    assert {member.value for member in DataType} - {43} == set(ours)
    for member in DataType:
        if member is not DataType.DT_MAX:
            assert ir.DType(member.name) is ours[member.value]


@pytest.mark.parametrize(
    ("member", "number"),
    [
        (Format.FORMAT_NCHW, 0),
        (Format.FORMAT_ND, 2),
        (Format.FORMAT_C1HWNC0, 9),
        (Format.FORMAT_NC1HWC0_C04, 12),
        (Format.FORMAT_HWCN, 16),
        (Format.FORMAT_BN_WEIGHT, 18),
        (Format.FORMAT_MD, 26),
        (Format.FORMAT_FRACTAL_NZ, 29),
        (Format.FORMAT_DHWNC, 36),
        (Format.FORMAT_RESERVED, 40),
        (Format.FORMAT_FRACTAL_NZ_C0_32, 51),
        (Format.FORMAT_MAX, 53),
        (DataType.DT_FLOAT, 0),
        (DataType.DT_INT16, 6),
        (DataType.DT_MAX, 43),
        (Placement.PLACEMENT_HOST, 0),
        (Placement.PLACEMENT_DEVICE, 1),
        (types.AttrValueType.VT_DATA_TYPE, 11),
        (types.AttrValueType.VT_LIST_DATA_TYPE, 1011),
        (types.AttrValueType.VT_LIST_LIST_FLOAT, 12),
    ],
)
def test_numbers_are_canns(member: IntEnum, number: int) -> None:
    assert member == number
    assert isinstance(member, IntEnum)


def test_formats_have_no_gaps() -> None:
    assert [member.value for member in Format] == list(range(54))


def test_dump_formats() -> None:
    assert [(m.name, m.value) for m in DumpFormat] == [("kOnnx", 0), ("kTxt", 1), ("kReadable", 2)]
    assert issubclass(DumpFormat, Enum)
    assert not issubclass(DumpFormat, int)


@pytest.mark.parametrize("enumeration", [DataType, Format, Placement, DumpFormat])
def test_public_home_of_enumerations(enumeration: type) -> None:
    assert enumeration.__module__ == "ge.graph"
    assert pickle.loads(pickle.dumps(enumeration(0))) is enumeration(0)  # type: ignore[call-arg]


def test_operator_is_only_valid_in_plugins() -> None:
    with pytest.raises(RuntimeError, match="Operator is only valid inside parse_node"):
        Operator()


# --- Shape


def test_shape_is_a_list() -> None:
    assert Shape([1, 2]) == [1, 2]
    assert Shape() == []
    assert isinstance(Shape(), list)


@pytest.mark.parametrize("dims", [1, "12", [1.0], [None], [True], {1: 2}])
def test_shape_wants_ints(dims: Any) -> None:
    with pytest.raises(TypeError):
        Shape(dims)


@pytest.mark.parametrize(
    ("dims", "size", "unknown"),
    [([], 0, False), ([2, 3], 6, False), ([2, 0], 0, False), ([2, -1], -1, True), ([-2], -1, True)],
)
def test_shape_size(dims: list[int], size: int, unknown: bool) -> None:
    assert Shape(dims).get_shape_size() == size
    assert Shape(dims).is_unknown_shape() is unknown


# --- TensorDesc


def test_tensor_desc_defaults() -> None:
    desc = TensorDesc()
    assert (desc.shape, desc.origin_shape) == ([], [])
    assert desc.format is desc.origin_format is Format.FORMAT_ND
    assert desc.data_type is DataType.DT_FLOAT


def test_tensor_desc_setters_chain_and_getters_agree() -> None:
    desc = TensorDesc()
    again = (
        desc.set_shape([1, 2])
        .set_origin_shape(Shape([2]))
        .set_format(Format.FORMAT_FRACTAL_NZ)
        .set_origin_format(Format.FORMAT_NCHW)
        .set_data_type(DataType.DT_BF16)
    )
    assert again is desc
    assert desc.get_shape() == desc.shape == [1, 2]
    assert desc.get_origin_shape() == desc.origin_shape == [2]
    assert desc.get_format() == desc.format == 29
    assert desc.get_origin_format() == desc.origin_format == Format.FORMAT_NCHW
    assert desc.get_data_type() == desc.data_type == DataType.DT_BF16


@pytest.mark.parametrize(
    "call",
    [
        lambda: TensorDesc(shape="12"),  # type: ignore[arg-type]
        lambda: TensorDesc(format=1),  # type: ignore[arg-type]
        lambda: TensorDesc(data_type=0),  # type: ignore[arg-type]
        lambda: TensorDesc().set_shape([1.5]),  # type: ignore[list-item]
        lambda: TensorDesc().set_origin_shape(None),  # type: ignore[arg-type]
        lambda: TensorDesc().set_origin_format("NCHW"),  # type: ignore[arg-type]
    ],
)
def test_tensor_desc_checks_types(call: Any) -> None:
    with pytest.raises(TypeError):
        call()


def test_tensor_desc_shape_is_a_copy() -> None:
    desc = TensorDesc([1])
    desc.shape.append(2)
    assert desc.shape == [1]


def test_tensor_desc_compares_and_copies_by_value() -> None:
    desc = TensorDesc([1]).set_origin_shape([2])
    assert copy.deepcopy(desc) == pickle.loads(pickle.dumps(desc)) == desc
    assert desc != TensorDesc([1])


TYPES = [
    ir.TensorType((), ir.f32),
    ir.TensorType(None, ir.bf16),
    ir.TensorType(("N", 3, None), ir.i64),
    ir.TensorType(
        (1, 2, 3, 4, 16), ir.f16, format="NC1HWC0", origin_shape=(1, 32, 3, 4), origin_format="NCHW"
    ),
    ir.TensorType((1,), ir.f32, format="ND"),
    ir.TensorType((1,), ir.f32, format="MY_LAYOUT"),
    ir.UnknownType(),
]


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_types_survive_their_description(type: ir.Type) -> None:
    graph = Graph("g")
    node = graph.add_node("ge.X", result_types=[type])
    node.update_output_desc(0, node.get_output_desc(0))
    assert node.result.type is type


def test_layout_that_ge_lacks() -> None:
    assert TensorDesc._of_type(TYPES[5]).format is Format.FORMAT_RESERVED


def test_element_type_that_ge_lacks() -> None:
    graph = Graph("g")
    node = graph.add_node("ge.X", result_types=[ir.TensorType((), ir.u4)])
    with pytest.raises(RuntimeError, match="u4"):
        node.get_output_desc(0)


# --- Tensor


def test_tensor_from_a_flat_list_with_shape() -> None:
    tensor = Tensor([1, 2, 3, 4, 5, 6], data_type=DataType.DT_INT32, shape=[2, 3])
    assert tensor.get_data() == tensor.data == [[1, 2, 3], [4, 5, 6]]
    assert tensor.data_type is DataType.DT_INT32
    assert tensor.shape == (2, 3)
    assert tensor.placement is Placement.PLACEMENT_HOST


def test_tensor_in_ges_positional_order() -> None:
    tensor = Tensor([1.0, 2.0], None, DataType.DT_FLOAT16, Format.FORMAT_NCHW, [2])
    assert (tensor.data_type, tensor.format) == (DataType.DT_FLOAT16, Format.FORMAT_NCHW)


def test_tensor_of_a_scalar() -> None:
    assert Tensor([5], data_type=DataType.DT_INT64, shape=[]).get_data() == 5


def test_tensor_shape_defaults_to_the_length() -> None:
    assert Tensor([1.0, 2.0], format=Format.FORMAT_ND).shape == (2,)


@pytest.mark.parametrize(
    "data_type",
    [
        DataType.DT_DOUBLE,
        DataType.DT_BF16,
        DataType.DT_FLOAT16,
        DataType.DT_UINT64,
        DataType.DT_BOOL,
    ],
)
def test_tensor_of_every_numeric_type(data_type: DataType) -> None:
    pytest.importorskip("ml_dtypes")
    tensor = Tensor([1, 0], data_type=data_type)
    assert tensor.data_type is data_type
    assert tensor.get_data() == [1, 0]


def test_tensor_of_bools_has_the_type_it_says() -> None:
    tensor = Tensor([True, False], data_type=DataType.DT_INT8)
    assert (tensor.data_type, tensor.get_data()) == (DataType.DT_INT8, [1, 0])


def test_tensor_of_strings() -> None:
    tensor = Tensor(["a", "b"], data_type=DataType.DT_STRING, shape=[2, 1])
    assert tensor.get_data() == [["a"], ["b"]]


def test_tensor_from_numpy_without_a_copy() -> None:
    np = pytest.importorskip("numpy")
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    tensor = Tensor(array, format=Format.FORMAT_NCHW)
    assert tensor.data_type is DataType.DT_INT16
    assert np.shares_memory(tensor.numpy(), array)


def test_tensor_from_file(tmp_path: Path) -> None:
    file = tmp_path / "w.bin"
    file.write_bytes(bytes([1, 0, 2, 0]))
    tensor = Tensor(file_path=str(file), data_type=DataType.DT_INT16, shape=[2])
    assert tensor.get_data() == [1, 2]
    assert Tensor(file_path=str(file), data_type=DataType.DT_INT16).shape == (2,)


def test_tensor_from_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="nope"):
        Tensor(file_path=str(tmp_path / "nope"), shape=[1])


def test_tensor_takes_data_or_file() -> None:
    with pytest.raises(RuntimeError, match="not by both"):
        Tensor([1.0], "file", DataType.DT_FLOAT)


def test_tensor_without_data_is_zero() -> None:
    assert Tensor().get_data() == 0.0
    assert Tensor(data_type=DataType.DT_INT8, shape=[2]).get_data() == [0, 0]


def test_tensor_data_must_fit_the_shape() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        Tensor([1, 2, 3], data_type=DataType.DT_INT8, shape=[2])
    with pytest.raises(ValueError, match="does not fit"):
        Tensor([1.0, 2], None, DataType.DT_FLOAT, Format.FORMAT_ND, [3])


def test_shape_of_a_tensor_has_what_ges_shape_has() -> None:
    shape = Tensor([1.0] * 6, shape=[2, 3]).get_shape()
    assert shape == [2, 3] and shape == (2, 3) and hash(shape) == hash((2, 3))
    assert shape.get_shape_size() == 6 and not shape.is_unknown_shape()
    assert shape[:1] == [2] and type(shape[:1]) is type(shape) and shape[1] == 3
    assert shape + [4] == [2, 3, 4] and [4] + shape == [4, 2, 3]
    assert shape + (4,) == [2, 3, 4] and (4,) + shape == (4, 2, 3) and shape + shape == [2, 3, 2, 3]
    assert isinstance(shape + [4], list)  # as in CANN
    with pytest.raises(TypeError):
        shape + 4
    assert Tensor([1.0], shape=[]).shape.get_shape_size() == 0


@pytest.mark.parametrize("dims", [("N", 3), (None, 3), (3, None)])
def test_shape_with_unknown_sizes(dims: Any) -> None:
    shape: Any = ir.TensorType(dims, ir.f32).shape
    assert shape.get_shape_size() == -1 and shape.is_unknown_shape()


def test_shape_of_a_tensor_is_given_to_builders() -> None:
    shape = Tensor([1.0] * 6, shape=[2, 3]).get_shape()
    builder = GraphBuilder("g")
    x = builder.create_input(0, shape=shape)
    c = builder.create_const_float([1.0] * 6, shape=shape)
    assert x.value.type.shape == c.value.type.shape == [2, 3]
    assert builder.create_input(1).set_shape(shape).value.type.shape == [2, 3]
    assert TensorDesc(shape).get_shape() == [2, 3]
    graph = builder.build_and_reset([x])
    GeUtils.infer_shape(graph, [shape[::-1], shape])
    assert graph.outputs[0].type.shape == [3, 2]


@pytest.mark.parametrize(
    "arguments",
    [
        {"data": "abc", "data_type": DataType.DT_FLOAT},
        {"data": 5, "data_type": DataType.DT_FLOAT},
        {"data": [1], "data_type": 0},
        {"data": [1], "format": 2},
        {"data": [1], "shape": 1},
        {"data": [1], "shape": ["1"]},
        {"data": [1], "placement": 0},
    ],
)
def test_tensor_checks_types(arguments: Any) -> None:
    with pytest.raises(TypeError):
        Tensor(**arguments)


def test_tensor_on_a_device_says_what_is_missing() -> None:
    with pytest.raises(NotImplementedError, match="ACL"):
        Tensor([1.0], placement=Placement.PLACEMENT_DEVICE)
    with pytest.raises(NotImplementedError, match="ACL"):
        Tensor([1.0]).to_device()


def test_tensor_is_on_the_host() -> None:
    with pytest.raises(ValueError, match="host"):
        Tensor([1.0]).to_host()


def test_tensor_setters_chain() -> None:
    tensor = Tensor([1.0, 2.0])
    assert tensor.set_format(Format.FORMAT_NHWC).set_data_type(DataType.DT_INT32) is tensor
    assert tensor.get_tensor_desc() == TensorDesc([2], Format.FORMAT_NHWC, DataType.DT_INT32)
    assert tensor.get_data() == [0x3F800000, 0x40000000]


@pytest.mark.parametrize(
    "tensor", [Tensor(["a", "b"]), Tensor.splat(1, TYPES[0])], ids=["str", "splat"]
)
def test_set_format_keeps_any_data(tensor: Tensor) -> None:
    before = tensor.get_data()
    assert tensor.set_format(Format.FORMAT_NHWC).get_data() == before
    assert tensor.set_format(Format.FORMAT_ND).format is Format.FORMAT_ND


def test_set_data_type_of_another_size() -> None:
    with pytest.raises(RuntimeError, match="another size"):
        Tensor([1.0]).set_data_type(DataType.DT_INT8)


def test_setters_leave_graphs_alone() -> None:
    graph = Graph("g")
    tensor = Tensor([1.0])
    node = graph.add_node("ge.Const", [], {"value": tensor}, result_types=[tensor.type])
    tensor.set_data_type(DataType.DT_INT32)
    assert node.get_attr("value").data_type is DataType.DT_FLOAT


@pytest.mark.parametrize("value", [None, "NCHW", 0])
def test_tensor_setters_check_types(value: Any) -> None:
    with pytest.raises(TypeError):
        Tensor([1.0]).set_format(value)
    with pytest.raises(TypeError):
        Tensor([1.0]).set_data_type(value)


def test_the_other_vocabulary_still_constructs() -> None:
    assert Tensor([1, 2]).dtype is ir.i64
    assert Tensor([1, 2], ir.f16).dtype is ir.f16


# --- Errors


def test_ge_error_belongs_to_the_family() -> None:
    error = ge.error.GeError("no device", "run_graph", {"graph_id": 1})
    assert isinstance(error, ir.GEError)
    assert isinstance(error, RuntimeError)
    assert (error.error_message, error.api_name) == ("no device", "run_graph")
    assert error.context == {"graph_id": 1}
    assert str(error) == "run_graph failed: no device (graph_id=1)"


def test_ge_error_is_pickled() -> None:
    again = pickle.loads(pickle.dumps(ge.error.GeError("m", "a", {"k": 1})))
    assert (again.error_message, again.api_name, again.context) == ("m", "a", {"k": 1})


def test_raise_ge_error_carries_the_last_failure() -> None:
    with pytest.raises(RuntimeError):
        Graph("g").find_node_by_name("nope")
    assert "nope" in ge.error.get_ge_error_msg()
    with pytest.raises(ge.error.GeError) as info:
        ge.error.raise_ge_error("add_graph", 7, graph_id=2)
    assert info.value.api_name == "add_graph"
    assert info.value.context == {"status": 7, "graph_id": 2}
    assert "nope" in info.value.error_message


# --- Costs


def test_import_of_ir_loads_none_of_this() -> None:
    code = "import sys, ge.ir; print(sorted(m for m in sys.modules if m in ('enum', 'ge.graph', 'numpy')))"
    clean = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"]
    result = subprocess.run(clean, capture_output=True, text=True, check=True)
    loaded = result.stdout.strip()
    assert "ge.graph" not in loaded
    assert "numpy" not in loaded
