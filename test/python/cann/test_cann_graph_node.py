"""CANN's members of Node, on the class of ge.ir, behave as CANN documents."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ge import ir
from ge.graph import DataType, Format, Graph, Node, Shape, Tensor, TensorDesc


@pytest.fixture
def graph() -> Graph:
    graph = Graph("main")
    x = graph.add_input("x", ir.TensorType(("N", 3), ir.f32))
    split = graph.add_node(
        "ge.Split", [x, None], name="split", result_types=[x.type, x.type], attributes={"n": 2}
    )
    graph.add_node("ge.Add", [split.results[1], split.results[0]], name="add", result_types=x.type)
    graph.add_node(
        "ge.Mul", [split.results[1]], name="mul", result_types=x.type, control_inputs=[split]
    )
    graph.outputs = [graph.find("add").result]  # type: ignore[union-attr]
    return graph


def node(graph: Graph, name: str) -> Node:
    return graph.find_node_by_name(name)


# --- Identity


def test_nodes_cannot_be_made_directly() -> None:
    with pytest.raises(TypeError):
        Node()  # type: ignore[call-arg]


def test_a_node_equals_itself(graph: Graph) -> None:
    first, second = node(graph, "add"), graph.get_all_nodes()[2]
    assert first == second
    assert hash(first) == hash(second)
    assert first is second


def test_copy_clones(graph: Graph) -> None:
    twin = copy.copy(node(graph, "add"))
    assert twin.name == "add_1"
    assert twin.type == "Add"


def test_name_and_type(graph: Graph) -> None:
    assert (node(graph, "add").name, node(graph, "add").type) == ("add", "Add")
    with pytest.raises(AttributeError):
        node(graph, "add").type = "Sub"  # type: ignore[misc]


# --- Neighbours


def test_control_neighbours(graph: Graph) -> None:
    split, mul = node(graph, "split"), node(graph, "mul")
    assert mul.get_in_control_nodes() == [split]
    assert split.get_out_control_nodes() == [mul]
    assert split.get_in_control_nodes() == []


def test_in_data_neighbour(graph: Graph) -> None:
    split, add = node(graph, "split"), node(graph, "add")
    assert add.get_in_data_nodes_and_port_indexes(0) == (split, 1)
    assert add.get_in_data_nodes_and_port_indexes(1) == (split, 0)
    assert split.get_in_data_nodes_and_port_indexes(0) == (node(graph, "x"), 0)


@pytest.mark.parametrize("index", [1, 2, -1, 2**70])
def test_unconnected_and_missing_inputs(graph: Graph, index: int) -> None:
    with pytest.raises(RuntimeError):
        node(graph, "split").get_in_data_nodes_and_port_indexes(index)


def test_out_data_neighbours_oldest_first(graph: Graph) -> None:
    add, mul = node(graph, "add"), node(graph, "mul")
    split = node(graph, "split")
    assert split.get_out_data_nodes_and_port_indexes(1) == [(add, 0), (mul, 0)]
    assert split.get_out_data_nodes_and_port_indexes(0) == [(add, 1)]
    assert mul.get_out_data_nodes_and_port_indexes(0) == []


def test_netoutput_is_a_consumer(graph: Graph) -> None:
    assert node(graph, "add").get_out_data_nodes_and_port_indexes(0) == [(graph.output_node, 0)]


def test_missing_output(graph: Graph) -> None:
    with pytest.raises(RuntimeError):
        node(graph, "add").get_out_data_nodes_and_port_indexes(1)


@pytest.mark.parametrize(
    "method", ["get_in_data_nodes_and_port_indexes", "get_out_data_nodes_and_port_indexes"]
)
def test_port_must_be_int(graph: Graph, method: str) -> None:
    with pytest.raises(TypeError):
        getattr(node(graph, "add"), method)("0")


def test_numpy_integers_are_ports(graph: Graph) -> None:
    np = pytest.importorskip("numpy")
    assert node(graph, "add").get_in_data_nodes_and_port_indexes(np.int64(0))[1] == 1


def test_sizes_count_absent_inputs(graph: Graph) -> None:
    assert node(graph, "split").get_inputs_size() == 2
    assert node(graph, "split").get_outputs_size() == 2


# --- Attributes

VALUES = [
    "text",
    "",
    1.5,
    True,
    False,
    7,
    -(2**63),
    2**63 - 1,
    DataType.DT_BF16,
    [1.0, 2.5],
    [True, False],
    [1, 2],
    [DataType.DT_INT8, DataType.DT_FLOAT],
    ["a", "b"],
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_attribute_round_trip(graph: Graph, value: Any) -> None:
    add = node(graph, "add")
    add.set_attr("k", value)
    again = add.get_attr("k")
    assert again == value
    assert type(again) is type(value)
    if isinstance(value, list):
        assert [type(item) for item in again] == [type(item) for item in value]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_attribute_survives_the_text(graph: Graph, value: Any) -> None:
    node(graph, "add").set_attr("k", value)
    again = Graph.parse(graph.to_text())
    assert again.find_node_by_name("add").get_attr("k") == value


def test_tensor_attribute_of_a_const() -> None:
    graph = Graph("g")
    data = Tensor([1.0, 2.0], data_type=DataType.DT_FLOAT, shape=[2])
    const = graph.add_node("ge.Const", [], {"value": data}, name="c", result_types=[data.type])
    assert const.get_attr("value") == data
    const.set_attr("value", data)
    assert const.get_attr("value").get_data() == [1.0, 2.0]


def test_floats_are_32_bits_and_read_back_short(graph: Graph) -> None:
    add = node(graph, "add")
    add.set_attr("k", 0.1)
    assert add.get_attr("k") == 0.1
    add.set_attr("k", 1 + 2**-40)
    assert add.get_attr("k") == 1.0


@pytest.mark.parametrize(
    "value",
    [
        (1, 2),
        b"x",
        {"a": 1},
        None,
        [[1]],
        [None],
        [1, 2.5],
        pytest.param(object(), id="object"),
        TensorDesc(),
    ],
    ids=repr,
)
def test_unsupported_attribute(graph: Graph, value: object) -> None:
    with pytest.raises(ValueError, match="Unsupported attribute type"):
        node(graph, "add").set_attr("k", value)


def test_empty_list_is_not_supported(graph: Graph) -> None:
    with pytest.raises(ValueError, match="Empty list is not supported"):
        node(graph, "add").set_attr("k", [])


def test_missing_attribute_names_the_node(graph: Graph) -> None:
    pattern = "^Failed to get attribute 'k' from Node: node 'add'"
    with pytest.raises(RuntimeError, match=pattern):
        node(graph, "add").get_attr("k")


@pytest.mark.parametrize("value", [b"x", {"a": 1}, ir.f32, ((1,), (2,))], ids=repr)
def test_kinds_that_ge_lacks_are_not_read(graph: Graph, value: object) -> None:
    add = node(graph, "add")
    add.attributes["k"] = ir.TensorType((1,), ir.f32) if value is ir.f32 else value
    with pytest.raises(RuntimeError, match="Unsupported attribute type"):
        add.get_attr("k")


def test_has_attr(graph: Graph) -> None:
    split = node(graph, "split")
    assert split.has_attr("n")
    assert not split.has_attr("m")


@pytest.mark.parametrize("method", ["get_attr", "has_attr"])
def test_attribute_key_must_be_str(graph: Graph, method: str) -> None:
    with pytest.raises(TypeError):
        getattr(node(graph, "add"), method)(1)
    with pytest.raises(TypeError):
        node(graph, "add").set_attr(1, 1)  # type: ignore[arg-type]


def test_numpy_values(graph: Graph) -> None:
    np = pytest.importorskip("numpy")
    add = node(graph, "add")
    add.set_attr("i", np.int32(3))
    add.set_attr("f", np.float32(0.5))
    add.set_attr("t", np.array([[1, 2]], np.int16))
    assert add.get_attr("i") == 3
    assert add.get_attr("f") == 0.5
    assert add.get_attr("t").data_type is DataType.DT_INT16


def test_attributes_are_one_set_in_both_vocabularies(graph: Graph) -> None:
    add = node(graph, "add")
    add.set_attr("k", [1, 2])
    assert add.attributes["k"] == (1, 2)
    add.attributes["k"] = (3, 4)
    assert add.get_attr("k") == [3, 4]


# --- Descriptions


def test_descriptions_follow_the_types(graph: Graph) -> None:
    desc = node(graph, "add").get_output_desc(0)
    assert desc == TensorDesc([-1, 3], Format.FORMAT_ND, DataType.DT_FLOAT)
    assert node(graph, "add").get_input_desc(0) == desc


def test_description_is_a_copy(graph: Graph) -> None:
    add = node(graph, "add")
    add.get_output_desc(0).set_shape([7])
    assert add.get_output_desc(0).shape == [-1, 3]


def test_update_output_desc_sets_the_type(graph: Graph) -> None:
    add = node(graph, "add")
    add.update_output_desc(0, TensorDesc([1, 3], Format.FORMAT_NHWC, DataType.DT_INT8))
    assert add.result.type == ir.TensorType((1, 3), ir.i8, format="NHWC")


def test_update_output_desc_keeps_symbols(graph: Graph) -> None:
    add = node(graph, "add")
    add.update_output_desc(0, add.get_output_desc(0).set_data_type(DataType.DT_INT8))
    assert add.result.type == ir.TensorType(("N", 3), ir.i8)


def test_update_input_desc_leaves_the_producer(graph: Graph) -> None:
    add = node(graph, "add")
    desc = TensorDesc(Shape([5]), Format.FORMAT_NCHW, DataType.DT_FLOAT16)
    add.update_input_desc(0, desc)
    assert add.get_input_desc(0) == desc
    assert node(graph, "split").get_output_desc(1).shape == [-1, 3]


def test_input_desc_survives_the_text(graph: Graph) -> None:
    desc = TensorDesc([5], Format.FORMAT_NCHW, DataType.DT_FLOAT16).set_origin_shape([1, 5])
    node(graph, "add").update_input_desc(0, desc)
    again = Graph.parse(graph.to_text())
    assert again.find_node_by_name("add").get_input_desc(0) == desc


def test_input_desc_like_the_producers_takes_no_room(graph: Graph) -> None:
    add = node(graph, "add")
    before = graph.to_text()
    add.update_input_desc(0, TensorDesc([5]))
    add.update_input_desc(0, node(graph, "split").get_output_desc(1))
    assert graph.to_text() == before


def test_unconnected_input_has_the_description_it_was_given(graph: Graph) -> None:
    split = node(graph, "split")
    with pytest.raises(RuntimeError):
        split.get_input_desc(1)
    split.update_input_desc(1, TensorDesc([2]))
    assert split.get_input_desc(1) == TensorDesc([2])


@pytest.mark.parametrize("side", ["input", "output"])
def test_description_of_a_missing_port(graph: Graph, side: str) -> None:
    add = node(graph, "add")
    for index in (2, -1):
        with pytest.raises(RuntimeError):
            getattr(add, f"get_{side}_desc")(index)
        with pytest.raises(RuntimeError):
            getattr(add, f"update_{side}_desc")(index, TensorDesc())


@pytest.mark.parametrize("side", ["input", "output"])
def test_description_arguments_are_checked(graph: Graph, side: str) -> None:
    add = node(graph, "add")
    with pytest.raises(TypeError):
        getattr(add, f"get_{side}_desc")("0")
    with pytest.raises(TypeError, match="TensorDesc"):
        getattr(add, f"update_{side}_desc")(0, [1, 2])


def test_unknown_type_and_back(graph: Graph) -> None:
    loose = graph.add_node("ge.Loose", name="loose")
    desc = loose.get_output_desc(0)
    assert desc == TensorDesc([-2], data_type=DataType.DT_UNDEFINED)
    before = loose.result.type
    loose.update_output_desc(0, desc)
    assert loose.result.type is before


def test_sequences_have_no_description(graph: Graph) -> None:
    kind = ir.SequenceType(ir.TensorType(None, ir.f32))
    with pytest.raises(RuntimeError, match="is not a tensor"):
        graph.add_node("ge.Seq", result_types=[kind]).get_output_desc(0)


@pytest.mark.parametrize("side", ["input", "output"])
def test_port_attribute_round_trip(graph: Graph, side: str) -> None:
    add = node(graph, "add")
    getattr(add, f"set_{side}_attr")("k", 0, [1, 2])
    assert getattr(add, f"get_{side}_attr")("k", 0) == [1, 2]
    again = Graph.parse(graph.to_text()).find_node_by_name("add")
    assert getattr(again, f"get_{side}_attr")("k", 0) == [1, 2]
    assert not add.has_attr("k")


@pytest.mark.parametrize("side", ["input", "output"])
def test_port_attribute_failures(graph: Graph, side: str) -> None:
    add = node(graph, "add")
    getter, setter = getattr(add, f"get_{side}_attr"), getattr(add, f"set_{side}_attr")
    with pytest.raises(RuntimeError, match="Failed to get Node add .*attribute 'k' for index 0"):
        getter("k", 0)
    with pytest.raises(RuntimeError):
        setter("k", 5, 1)
    with pytest.raises(RuntimeError):
        setter("", 0, 1)
    with pytest.raises(ValueError, match="Unsupported"):
        setter("k", 0, None)
    for wrong in ((1, 0), ("k", "0")):
        with pytest.raises(TypeError):
            getter(*wrong)
        with pytest.raises(TypeError):
            setter(*wrong, 1)


# --- Constants


def test_input_const_tensor(graph: Graph) -> None:
    data = Tensor([1.0], data_type=DataType.DT_FLOAT)
    const = graph.add_node("ge.Const", [], {"value": data}, name="c", result_types=[data.type])
    add = node(graph, "add")
    add.operands[1] = const.result
    assert add.get_input_const_tensor(1) == data
    assert add.get_input_const_tensor(0) is None
    assert node(graph, "split").get_input_const_tensor(1) is None
    with pytest.raises(RuntimeError):
        add.get_input_const_tensor(2)


# --- Stale nodes


@pytest.mark.parametrize(
    "call",
    [
        lambda n: n.get_in_control_nodes(),
        lambda n: n.get_in_data_nodes_and_port_indexes(0),
        lambda n: n.get_out_data_nodes_and_port_indexes(0),
        lambda n: n.get_attr("k"),
        lambda n: n.set_attr("k", 1),
        lambda n: n.has_attr("k"),
        lambda n: n.get_inputs_size(),
        lambda n: n.get_input_desc(0),
        lambda n: n.update_output_desc(0, TensorDesc()),
        lambda n: n.set_input_attr("k", 0, 1),
        lambda n: n.get_input_const_tensor(0),
    ],
)
def test_stale_node_says_so(graph: Graph, call: Any) -> None:
    add = node(graph, "add")
    graph.remove_node(add)
    with pytest.raises(ir.StaleHandleError, match="add"):
        call(add)


# --- Anchors


def test_anchors_are_the_ends_of_edges(graph: Graph) -> None:
    split, add, mul = (node(graph, name) for name in ("split", "add", "mul"))
    data, absent, control = split.get_all_in_anchors()
    assert [a.get_idx() for a in (data, absent, control)] == [0, 1, -1]
    assert (data.is_input, data.is_control, control.is_control) == (True, False, True)
    (source,) = data.get_peer_anchors()
    assert source.get_owner_node().name == "x" and not source.is_input
    assert absent.get_peer_anchors() == [] == control.get_peer_anchors()
    first, second, after = split.get_all_out_anchors()
    assert first.get_peer_anchors() == [add.get_all_in_anchors()[1]]
    assert [(a.node.name, a.index) for a in second.get_peer_anchors()] == [("add", 0), ("mul", 0)]
    assert after.get_peer_anchors() == [mul.get_all_in_anchors()[-1]]
    assert len({first, split.get_all_out_anchors()[0], second}) == 2
    assert repr(first) == f"<output 0 of {split!r}>"


def test_parents_of_graphs() -> None:
    text = """func.func @main(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "onnx.If"(%c) ({ "ge.yield"(%x) : (tensor<4xf32>) -> () }, {
    %1 = "onnx.Neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    "ge.yield"(%1) : (tensor<4xf32>) -> () }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
    root = ir.Graph.parse(text)
    assert root.get_parent_node() is None and root.get_parent_graph() is None
    (branch,) = [n for n in root.nodes if n.type == "If"]
    for body in branch.subgraphs:
        assert body.get_parent_node() is branch and body.get_parent_graph() is root
    held = Graph("held")
    root.add_subgraph(held)
    # GE stores a subgraph that was added to a graph in a node; CANN has no such node.
    assert held.get_parent_node() is None and held.get_parent_graph() is root
