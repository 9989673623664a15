"""CANN's members of Graph, on the classes of ge.ir, behave as CANN documents.

Each member of section "ge.graph, Graph" of CANN's interface is tested here. Failures raise RuntimeError (GEError),
except that an argument of a wrong type raises TypeError.
"""

from __future__ import annotations

import copy
import re
import sys
from pathlib import Path

import pytest

import ge.graph
from ge import ir
from ge.graph import DataType, DumpFormat, Graph, Node, Tensor


def diamond() -> tuple[Graph, dict[str, Node]]:
    """x -> relu -> both operands of add -> output; and a control edge from relu to a node without operands."""
    graph = Graph("main")
    x = graph.add_input("x", ir.TensorType((2, 3), ir.f32))
    relu = graph.add_node("ge.Relu", [x], name="relu", result_types=x.type)
    add = graph.add_node("ge.Add", [relu.result, relu.result], name="add", result_types=x.type)
    lonely = graph.add_node("ge.NoOp", name="lonely", result_types=[], control_inputs=[relu])
    graph.outputs = [add.result]
    nodes = {"x": x.node, "relu": relu, "add": add, "lonely": lonely, "out": graph.output_node}
    return graph, nodes


def with_branches() -> Graph:
    graph, nodes = diamond()
    branch = Graph("then")
    branch.add_node("ge.Inner", name="inner", result_types=[])
    owner = graph.add_node("ge.If", [nodes["x"].result], name="if", result_types=[])
    owner.add_subgraph("then_branch", branch)
    return graph


# --- CANN's names are members of the classes of ge.ir


@pytest.mark.parametrize("name", ["Graph", "Node", "Tensor"])
def test_classes_are_those_of_ir(name: str) -> None:
    assert getattr(ge.graph, name) is getattr(ir, name)


def test_exports_are_canns() -> None:
    assert set(ge.graph.__all__) == {
        *("Graph", "Node", "Operator", "DataType", "Format", "Placement"),
        *("Shape", "Tensor", "TensorDesc", "DumpFormat"),
        "Anchor",  # the class of the anchors of Node.get_all_in_anchors; CANN has it in C++ only
    }


# --- Graph(name)


def test_default_name() -> None:
    assert Graph().name == "graph"


@pytest.mark.parametrize("name", [None, 1, b"x"])
def test_name_must_be_a_string(name: object) -> None:
    with pytest.raises(TypeError, match="Graph name must be a string"):
        Graph(name)  # type: ignore[arg-type]


def test_str_is_a_readable_dump() -> None:
    graph, _ = diamond()
    assert str(graph) == graph.dump_to_stream()


def test_copies_are_clones() -> None:
    graph, _ = diamond()
    for twin in (copy.copy(graph), copy.deepcopy(graph)):
        assert twin is not graph
        assert twin.is_structurally_equal(graph)


# --- Lists of nodes


def names(nodes: list[Node]) -> list[str]:
    return [node.name for node in nodes]


def test_empty_graph_has_no_nodes() -> None:
    assert Graph("g").get_all_nodes() == []
    assert Graph("g").get_direct_nodes() == []


def test_direct_nodes_are_inputs_nodes_and_netoutput() -> None:
    graph, nodes = diamond()
    assert graph.get_direct_nodes() == [
        *(nodes[name] for name in ("x", "relu", "add", "lonely")),
        nodes["out"],
    ]
    assert [node.type for node in graph.get_direct_nodes()] == [
        *("Data", "Relu", "Add", "NoOp", "NetOutput")
    ]


def test_direct_nodes_leave_out_those_of_subgraphs() -> None:
    assert "inner" not in names(with_branches().get_direct_nodes())


def test_all_nodes_have_those_of_subgraphs_after_their_owner() -> None:
    found = names(with_branches().get_all_nodes())
    assert found.index("inner") == found.index("if") + 1


def test_nodes_are_identical_each_time() -> None:
    graph, _ = diamond()
    first, second = graph.get_all_nodes(), graph.get_all_nodes()
    assert all(a is b for a, b in zip(first, second, strict=True))


def test_find_node_by_name() -> None:
    graph, nodes = diamond()
    assert graph.find_node_by_name("relu") is nodes["relu"]
    assert graph.find_node_by_name("x") is nodes["x"]


def test_find_node_by_name_raises_when_absent() -> None:
    graph, _ = diamond()
    with pytest.raises(RuntimeError, match="Failed to find Node name nope: Graph main"):
        graph.find_node_by_name("nope")


def test_find_node_by_name_wants_str() -> None:
    with pytest.raises(TypeError):
        diamond()[0].find_node_by_name(1)  # type: ignore[arg-type]


# --- Attributes


def test_graph_attribute_round_trip() -> None:
    graph = Graph("g")
    graph.set_attr("k", [1, 2])
    assert graph.get_attr("k") == [1, 2]
    assert graph.attributes["k"] == (1, 2)


def test_missing_graph_attribute() -> None:
    with pytest.raises(RuntimeError, match="^Failed to get attribute 'k' from Graph g"):
        Graph("g").get_attr("k")


def test_graph_attribute_key_must_be_str() -> None:
    with pytest.raises(TypeError):
        Graph("g").get_attr(1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Graph("g").set_attr(1, 1)  # type: ignore[arg-type]


def test_graph_attribute_of_unsupported_kind() -> None:
    with pytest.raises(ValueError, match="Unsupported attribute type"):
        Graph("g").set_attr("k", {})


# --- Dumps


def test_dump_to_stream_reads_back() -> None:
    graph, _ = diamond()
    text = graph.dump_to_stream(DumpFormat.kTxt)
    assert ir.Graph.parse(text).is_structurally_equal(graph)


def test_only_readable_dumps_leave_large_tensors_out() -> None:
    np = pytest.importorskip("numpy")
    graph = Graph("g")
    data = Tensor(np.arange(5000, dtype=np.float32))
    graph.add_node("ge.Const", [], {"value": data}, name="c", result_types=[data.type])
    assert "__elided__" in graph.dump_to_stream(DumpFormat.kReadable)
    assert "__elided__" not in graph.dump_to_stream(DumpFormat.kTxt)


def test_dump_to_file_names_and_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    graph, _ = diamond()
    assert graph.dump_to_file(DumpFormat.kTxt, "after") is None
    (file,) = tmp_path.iterdir()
    assert file.match("ge_txt_[0-9][0-9][0-9][0-9][0-9]_graph_main_after.txt")
    assert file.read_text() == graph.dump_to_stream(DumpFormat.kTxt)


def test_dump_to_file_stays_in_its_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    Graph("../g").dump_to_file(suffix="/../../x")
    assert len(list(inside.iterdir())) == 1
    assert list(tmp_path.iterdir()) == [inside]


def test_onnx_dumps_are_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    onnx = pytest.importorskip("onnx")
    text_format = pytest.importorskip("google.protobuf.text_format")
    monkeypatch.chdir(tmp_path)
    graph, _ = diamond()
    graph.dump_to_file(DumpFormat.kOnnx, "after")
    (file,) = tmp_path.iterdir()
    assert re.fullmatch(r"ge_onnx_\d{5}_graph_main_after\.pbtxt", file.name)
    model = text_format.Parse(file.read_text(), onnx.ModelProto())
    assert sorted(n.op_type for n in model.graph.node) == ["Add", "NoOp", "Relu"]
    assert graph.dump_to_stream(DumpFormat.kOnnx) == file.read_text()
    assert graph.module is None
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match="kOnnx needs the package onnx"):
        graph.dump_to_stream(DumpFormat.kOnnx)


@pytest.mark.parametrize("method", ["dump_to_file", "dump_to_stream"])
def test_dump_format_must_be_one(method: str) -> None:
    with pytest.raises(TypeError, match="DumpFormat"):
        getattr(Graph("g"), method)(1)


@pytest.mark.parametrize("method", ["save_to_air", "load_from_air"])
def test_air_files_say_what_is_missing(method: str) -> None:
    verb = "save graph to" if method == "save_to_air" else "load graph from"
    with pytest.raises(NotImplementedError, match=f"^Failed to {verb} AIR format: "):
        getattr(Graph("g"), method)("f.air")
    with pytest.raises(TypeError):
        getattr(Graph("g"), method)(1)


# --- Nodes and edges


def test_remove_node_drops_its_edges() -> None:
    graph, nodes = diamond()
    graph.remove_node(nodes["relu"])
    assert list(nodes["add"].operands) == [None, None]
    assert nodes["lonely"].get_in_control_nodes() == []
    with pytest.raises(RuntimeError, match="relu"):
        _ = nodes["relu"].name


def test_remove_node_takes_inputs_too() -> None:
    graph, nodes = diamond()
    graph.remove_node(nodes["x"])
    assert len(graph.inputs) == 0
    assert list(nodes["relu"].operands) == [None]


def test_remove_node_takes_the_netoutput_too() -> None:
    graph, nodes = diamond()
    graph.remove_node(nodes["out"])
    assert "NetOutput" not in [node.type for node in graph.get_all_nodes()]
    assert len(graph.outputs) == 0


def test_remove_node_of_another_graph() -> None:
    _, nodes = diamond()
    with pytest.raises(RuntimeError, match="from Graph other: .*is not in it"):
        Graph("other").remove_node(nodes["relu"])


@pytest.mark.parametrize("argument", [None, "relu", 1])
def test_remove_node_wants_a_node(argument: object) -> None:
    with pytest.raises(TypeError, match="Node"):
        diamond()[0].remove_node(argument)  # type: ignore[arg-type]


def test_remove_data_edge() -> None:
    graph, nodes = diamond()
    graph.remove_edge(nodes["relu"], 0, nodes["add"], 1)
    assert list(nodes["add"].operands) == [nodes["relu"].result, None]


def test_remove_control_edge() -> None:
    graph, nodes = diamond()
    graph.remove_edge(nodes["relu"], -1, nodes["lonely"], -1)
    assert nodes["lonely"].get_in_control_nodes() == []


@pytest.mark.parametrize(
    ("src", "src_port", "dst", "dst_port"),
    [
        ("x", 0, "add", 0),
        ("relu", 1, "add", 0),
        ("relu", 0, "add", 2),
        ("relu", 0, "add", -1),
        ("relu", -1, "add", -1),
        ("relu", -2, "add", -2),
    ],
)
def test_removing_no_edge_raises(src: str, src_port: int, dst: str, dst_port: int) -> None:
    graph, nodes = diamond()
    text = str(graph)
    with pytest.raises(RuntimeError):
        graph.remove_edge(nodes[src], src_port, nodes[dst], dst_port)
    assert str(graph) == text


def test_add_data_edge_fills_an_absent_input() -> None:
    graph, nodes = diamond()
    graph.remove_edge(nodes["relu"], 0, nodes["add"], 1)
    graph.add_data_edge(nodes["x"], 0, nodes["add"], 1)
    assert nodes["add"].get_in_data_nodes_and_port_indexes(1) == (nodes["x"], 0)


def test_add_data_edge_adds_the_next_input() -> None:
    graph, nodes = diamond()
    graph.add_data_edge(nodes["x"], 0, nodes["add"], 2)
    assert nodes["add"].get_inputs_size() == 3


def test_add_data_edge_adds_an_output() -> None:
    graph, nodes = diamond()
    graph.add_data_edge(nodes["relu"], 0, nodes["out"], 1)
    assert list(graph.outputs) == [nodes["add"].result, nodes["relu"].result]


@pytest.mark.parametrize(
    ("src", "src_port", "dst", "dst_port"),
    [
        ("x", 0, "add", 0),
        ("x", 1, "add", 2),
        ("x", -1, "add", 2),
        ("x", 0, "add", 4),
        ("x", 0, "add", -1),
        ("relu", 0, "x", 0),
        ("lonely", 0, "add", 2),
    ],
)
def test_add_data_edge_refuses(src: str, src_port: int, dst: str, dst_port: int) -> None:
    graph, nodes = diamond()
    text = str(graph)
    with pytest.raises(RuntimeError):
        graph.add_data_edge(nodes[src], src_port, nodes[dst], dst_port)
    assert str(graph) == text


def test_add_data_edge_refuses_nodes_of_other_graphs() -> None:
    graph, nodes = diamond()
    _, others = diamond()
    with pytest.raises(RuntimeError, match="not in Graph main"):
        graph.add_data_edge(others["x"], 0, nodes["add"], 2)


@pytest.mark.parametrize("position", [0, 1, 2, 3])
def test_data_edge_arguments_are_checked(position: int) -> None:
    graph, nodes = diamond()
    arguments: list[object] = [nodes["x"], 0, nodes["add"], 2]
    arguments[position] = "wrong"
    for method in (graph.add_data_edge, graph.remove_edge):
        with pytest.raises(TypeError):
            method(*arguments)  # type: ignore[arg-type]


def test_add_control_edge_once() -> None:
    graph, nodes = diamond()
    graph.add_control_edge(nodes["add"], nodes["lonely"])
    graph.add_control_edge(nodes["add"], nodes["lonely"])
    assert nodes["lonely"].get_in_control_nodes() == [nodes["relu"], nodes["add"]]


def test_add_control_edge_refuses() -> None:
    graph, nodes = diamond()
    with pytest.raises(RuntimeError):
        graph.add_control_edge(nodes["relu"], nodes["x"])
    with pytest.raises(TypeError):
        graph.add_control_edge(nodes["relu"], "x")  # type: ignore[arg-type]


# --- Subgraphs


def test_no_subgraphs() -> None:
    assert diamond()[0].get_all_subgraphs() == []


def test_subgraphs_of_control_flow_are_listed() -> None:
    graph = with_branches()
    assert [g.name for g in graph.get_all_subgraphs()] == ["then"]
    assert graph.get_subgraph("then") is graph.get_all_subgraphs()[0]


def test_add_subgraph_keeps_handles() -> None:
    graph, _ = diamond()
    sub = Graph("sub")
    node = sub.add_node("ge.Inner", name="inner", result_types=[])
    assert graph.add_subgraph(sub) is None
    assert graph.get_subgraph("sub") is sub
    assert graph.find_node_by_name("inner") is node
    assert node in graph.get_all_nodes()


def test_subgraphs_do_not_show_what_holds_them() -> None:
    graph, nodes = diamond()
    before = graph.get_direct_nodes()
    graph.add_subgraph(Graph("sub"))
    assert graph.get_direct_nodes() == before
    assert graph.get_all_nodes() == before
    assert nodes["out"].get_in_control_nodes() == []


def test_added_subgraph_is_no_dead_code() -> None:
    graph, _ = diamond()
    graph.add_subgraph(Graph("sub"))
    graph.erase_dead_nodes()
    assert graph.get_subgraph("sub") is not None


def test_added_subgraphs_are_in_the_text() -> None:
    graph, _ = diamond()
    for name in ("one", "two"):
        graph.add_subgraph(Graph(name))
    again = ir.Graph.parse(graph.to_text())
    assert [g.name for g in again.get_all_subgraphs()] == ["one", "two"]


def test_duplicate_subgraph() -> None:
    graph, _ = diamond()
    graph.add_subgraph(Graph("sub"))
    with pytest.raises(RuntimeError, match="sub"):
        graph.add_subgraph(Graph("sub"))
    assert len(graph.get_all_subgraphs()) == 1


def test_graph_cannot_be_its_own_subgraph() -> None:
    graph, _ = diamond()
    before = str(graph)
    with pytest.raises(RuntimeError):
        graph.add_subgraph(graph)
    assert str(graph) == before


def test_failed_add_leaves_nothing() -> None:
    graph, _ = diamond()
    taken = ir.Module("m").add_graph("taken")
    before = str(graph)
    with pytest.raises(RuntimeError, match="module"):
        graph.add_subgraph(taken)
    assert str(graph) == before


def test_get_subgraph_gives_none() -> None:
    assert diamond()[0].get_subgraph("nope") is None


def test_remove_subgraph() -> None:
    graph, _ = diamond()
    before = str(graph)
    graph.add_subgraph(Graph("sub"))
    graph.remove_subgraph("sub")
    assert graph.get_all_subgraphs() == []
    assert str(graph) == before


def test_remove_subgraph_that_is_not_there() -> None:
    with pytest.raises(RuntimeError, match="nope"):
        diamond()[0].remove_subgraph("nope")


@pytest.mark.parametrize("method", ["get_subgraph", "add_subgraph", "remove_subgraph"])
def test_subgraph_arguments_are_checked(method: str) -> None:
    with pytest.raises(TypeError):
        getattr(Graph("g"), method)(1)


# --- Transactions


def test_edits_by_ges_words_roll_back() -> None:
    graph, nodes = diamond()
    before = str(graph)
    with graph.transaction() as transaction:
        graph.set_attr("k", DataType.DT_INT8)
        graph.remove_node(nodes["relu"])
        graph.add_data_edge(nodes["x"], 0, nodes["add"], 0)
        transaction.rollback()
    assert str(graph) == before
    assert nodes["relu"].name == "relu"
