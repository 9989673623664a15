"""Details of CANN's interface that scripts written for it rely on."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import ge.graph as cann
import ge.ir as ir
from ge import passes
from ge.es import GraphBuilder, attr_scope
from ge.graph import DataType, Format, Placement


def tensor() -> ir.Tensor:
    """Return a tensor of shape [2, 3]."""
    return cann.Tensor([1, 2, 3, 4, 5, 6], None, DataType.DT_FLOAT, Format.FORMAT_NCHW, [2, 3])


def two_nodes() -> Any:
    """Return a graph of an addition and a multiplication, and the TensorHolder of the sum."""
    builder = GraphBuilder("two")
    a, b = builder.create_inputs(2)
    total = a + b
    return builder.build_and_reset([total * b]), total


# --- shapes


def test_a_shape_equals_lists_and_tuples() -> None:
    shape = tensor().shape
    assert shape == [2, 3]
    assert [2, 3] == shape
    assert shape == (2, 3)
    assert shape != [2, 4]
    assert not shape != [2, 3]
    assert shape < [2, 4]
    assert tensor().type.shape == [2, 3]


def test_a_shape_is_a_tuple_everywhere_else() -> None:
    shape = tensor().shape
    assert isinstance(shape, tuple)
    assert isinstance(shape, ir.TensorShape)
    assert hash(shape) == hash((2, 3))
    assert {shape: 1}[(2, 3)] == 1
    assert repr(shape) == "(2, 3)"
    assert shape[0] == 2
    assert shape + (1,) == (2, 3, 1)
    assert pickle.loads(pickle.dumps(shape)) == [2, 3]
    assert copy.deepcopy(shape) == [2, 3]
    assert ir.TensorType(("N", None), ir.f32).shape == ["N", None]
    with pytest.raises(TypeError):
        shape < 3  # noqa: B015


# --- tensors


def test_getters_of_a_tensor() -> None:
    assert tensor().get_format() is Format.FORMAT_NCHW
    assert tensor().get_data_type() is DataType.DT_FLOAT
    assert tensor().get_shape() == [2, 3]
    assert tensor().get_placement() is Placement.PLACEMENT_HOST
    assert tensor().get_data() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    "data", [[True, False], [1, 0], [np.bool_(True), False], [[True], [False]]]
)
def test_a_bool_tensor_takes_bools(data: Any) -> None:
    assert cann.Tensor(data, None, DataType.DT_BOOL).numpy().ravel().tolist() == [True, False]


@pytest.mark.parametrize("wrong", [2, -1, 0.5, 1.0, "False", None, object(), b"", np.int64(3)])
def test_a_bool_tensor_refuses_what_is_no_bool(wrong: Any) -> None:
    with pytest.raises(TypeError, match="an element of a DT_BOOL tensor is a bool, 0 or 1, not"):
        cann.Tensor([True, wrong], None, DataType.DT_BOOL, Format.FORMAT_ND, [2])


def test_integers_of_floats_are_truncated() -> None:
    """Like ``int(x)``: CANN's sample operator_overload passes floats for int64 tensors."""
    given = [1.0, -2.9, np.float32(3.5), 2**53 + 1]
    made = cann.Tensor(given, None, DataType.DT_INT64, Format.FORMAT_ND, [4])
    assert made.get_data() == [1, -2, 3, 2**53 + 1]
    assert cann.Tensor([[1.5], [2.5]], None, DataType.DT_UINT8).get_data() == [[1], [2]]
    for wrong in (float("nan"), float("inf")):
        with pytest.raises((ValueError, OverflowError), match="is a finite number, not"):
            cann.Tensor([wrong], None, DataType.DT_INT32, Format.FORMAT_ND, [1])


def test_the_text_of_a_tensor() -> None:
    assert str(tensor()).split("\n") == [
        "Tensor format is FORMAT_NCHW",
        "data_type is DT_FLOAT",
        "shape is [2, 3]",
        "data is [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]",
    ]
    assert f"{cann.Tensor([7], None, DataType.DT_INT32, shape=[])}".endswith(
        "shape is []\ndata is 7"
    )
    unknown = str(ir.Tensor.splat(1, ir.TensorType((2,), ir.DType("u4"))))
    assert unknown == "Tensor format is FORMAT_ND\ndata_type is u4\nshape is [2]\ndata is [1, 1]"
    assert repr(tensor()).startswith("Tensor(dense<")
    long = str(ir.Tensor(np.zeros((1 << 10, 1 << 10), np.int8)))
    assert long.endswith(", ...] (1048576 elements)") and len(long) < 1 << 18


def test_text_of_numbers_is_read() -> None:
    from ge.graph.tensor import _parse_str_list, unflatten_tensor_data

    assert unflatten_tensor_data("[1, 2, 3.5, -4]", [2, 2]) == [[1, 2], [3.5, -4]]
    assert unflatten_tensor_data("[1]", []) == 1 and unflatten_tensor_data("[]", [0]) == []
    assert unflatten_tensor_data("[]", [2, 0, 3]) == [[], []]
    assert _parse_str_list(" [1,2e3] ") == [1, 2000.0]
    for text, shape, words in (
        ("1, 2", [2], "Input must start with '[' and end with ']'"),
        ("[true]", [1], "Invalid item: 'true'"),
        ("[1, 2]", [], "Scalar tensor should contain exactly one element, got 2"),
        ("[1, 2]", [3], "Length of list 2 does not match shape [3]"),
    ):
        with pytest.raises(ValueError) as raised:
            unflatten_tensor_data(text, shape)
        assert str(raised.value).startswith(words)


# --- nodes


def test_a_data_node_has_a_description_of_its_input() -> None:
    builder = GraphBuilder("g")
    x = builder.create_input(0, shape=[2, 3])
    graph = builder.build_and_reset([x + x])
    data = graph.find_node_by_name("input_0")
    assert data.get_input_desc(0) == data.get_output_desc(0)
    given = cann.TensorDesc([5], Format.FORMAT_NCHW, DataType.DT_FLOAT16)
    data.update_input_desc(0, given)
    assert data.get_input_desc(0) == given and data.get_output_desc(0).shape == [2, 3]
    assert ir.Graph.parse(str(graph)).find_node_by_name("input_0").get_input_desc(0) == given
    data.update_input_desc(0, data.get_output_desc(0))
    assert "input_desc" not in str(graph)
    with pytest.raises(RuntimeError, match="Failed to get input desc for index 1"):
        data.get_input_desc(1)


def test_lists_of_bools_and_ints_are_ints() -> None:
    graph, _ = two_nodes()
    for value, stored in (
        ([True, 1], [1, 1]),
        ([2, False], [2, 0]),
        ([DataType.DT_INT8, 7], [2, 7]),
    ):
        graph.set_attr("k", value)
        found = graph.get_attr("k")
        assert found == stored and all(type(item) is int for item in found)
    graph.set_attr("k", [True, False])
    assert graph.get_attr("k") == [True, False] and type(graph.get_attr("k")[0]) is bool
    with pytest.raises(ValueError, match="Unsupported attribute type"):
        graph.set_attr("k", [True, 1.0])


# --- graphs


def test_an_output_is_set_once() -> None:
    builder = GraphBuilder("g")
    x, y = builder.create_inputs(2)
    builder.set_graph_output(x, 0)
    for index in (0, -1):
        with pytest.raises(
            RuntimeError, match=f"^Failed to set graph output for graph g output index {index}"
        ):
            builder.set_graph_output(y, index)
    with pytest.raises(RuntimeError, match="Failed to set graph output"):
        builder.build_and_reset([y])
    assert builder.build_and_reset().outputs[0].name == "input_0"


def test_a_failed_build_keeps_the_outputs_that_were_set() -> None:
    builder = GraphBuilder("g")
    x, y = builder.create_inputs(2)
    builder.set_graph_output(x, 2)
    with pytest.raises(RuntimeError, match="Failed to build graph"):
        builder.build_and_reset([x])
    assert len(builder.build_and_reset([x, y]).outputs) == 3


def test_nodes_are_found_by_the_names_that_are_listed() -> None:
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType((2,), ir.f32))
    relu = graph.add_node("nn.Relu", [x])
    graph.outputs = [relu.result]
    for node in graph.get_all_nodes():
        assert graph.find_node_by_name(node.name) is node
    with pytest.raises(ir.GEError, match="Failed to find Node name Relu#99"):
        graph.find_node_by_name("Relu#99")


def test_generated_names_in_subgraphs_are_found() -> None:
    graph = ir.Graph("g")
    condition = graph.add_input("c", ir.TensorType((), "bool"))
    body = ir.Graph("body")
    inner = body.add_node("ge.Const", [], {"value": ir.Tensor([1.0])})
    body.outputs = [inner.result]
    graph.add_node("onnx.If", [condition], subgraphs=[body])
    found = [node.name for node in graph.get_all_nodes()]
    assert any("#" in name for name in found)
    assert [graph.find_node_by_name(name).name for name in found] == found


@pytest.mark.parametrize("op", ["ge.Const", "onnx.Constant"])
def test_a_constant_takes_no_edge(op: str) -> None:
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType((2,), ir.f32))
    constant = graph.add_node(op, [], {"value": ir.Tensor([1.0, 2.0])}, name="c")
    for target in (constant, x.node):
        with pytest.raises(ir.GEError, match="takes no inputs"):
            graph.add_data_edge(x.node, 0, target, 0)
    assert len(constant.operands) == 0


def test_verify_takes_what_set_attr_and_attr_scope_put() -> None:
    builder = GraphBuilder("g")
    a, b = builder.create_inputs(2)
    with attr_scope({"stream_label": "s0", "priority": 3}):
        total = a + b
    graph = builder.build_and_reset([total])
    (node,) = (n for n in graph.get_all_nodes() if n.type == "Add")
    node.set_attr("fused_by", "mine")
    assert node.get_attr("stream_label") == "s0"
    assert graph.verify()


# --- patterns


def test_captured_tensors_are_alive() -> None:
    graph, total = two_nodes()
    pattern = passes.Pattern(graph).capture_tensor(total)
    (captured,) = pattern.get_captured_tensors()
    assert (captured.node.type, captured.index) == ("Add", 0)
    assert captured.node.is_alive
    assert not graph.is_alive


def test_tensors_captured_by_node_are_alive() -> None:
    graph, _ = two_nodes()
    (node,) = (n for n in graph.get_all_nodes() if n.type == "Mul")
    pattern = passes.Pattern(graph)
    pattern.capture_tensor(node, 0)
    (captured,) = pattern.get_captured_tensors()
    assert (captured.node.type, captured.index) == ("Mul", 0)
    with pytest.raises(RuntimeError, match="not of the pattern's graph"):
        pattern.capture_tensor(node, 1)


def test_types_are_inferred_in_a_replacement_of_inputs_alone() -> None:
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType((2, 3), ir.f16))
    node = graph.add_node("nn.Relu", [x])
    graph.outputs = [node.result]
    builder = GraphBuilder("replacement")
    replacement = builder.build_and_reset([builder.create_input(0)])
    passes.infer_shape(replacement, node)
    assert replacement.outputs[0].type == ir.TensorType((2, 3), ir.f16)
    with pytest.raises(RuntimeError, match="replacement graph is empty"):
        passes.infer_shape(ir.Graph("empty"), node)


@pytest.mark.parametrize(
    ("dtype", "wrong", "words"),
    [
        ("DT_INT32", 1j, "is a finite number, not 1j"),
        ("DT_INT8", "1", "is a number, not '1'"),
        ("DT_UINT64", None, "is a number, not None"),
        ("DT_FLOAT", None, "is a number, not None"),
        ("DT_FLOAT16", "1", "is a number, not '1'"),
        ("DT_COMPLEX64", "1j", "is a number, not '1j'"),
    ],
)
def test_elements_are_numbers_of_their_type(dtype: str, wrong: Any, words: str) -> None:
    """NumPy would convert "1" to 1 and None to NaN; both are errors here."""
    element = getattr(DataType, dtype)
    with pytest.raises(TypeError, match=f"an element of a {dtype} tensor {words}"):
        cann.Tensor([1, wrong], None, element, Format.FORMAT_ND, [2])
    right = [1, np.int8(1), True]
    assert cann.Tensor(right, None, element, Format.FORMAT_ND, [3]).numpy().tolist() == [1, 1, 1]
