"""Graphs: order, names, inputs, outputs, subgraphs and modules; a failed edit changes nothing."""

from collections.abc import Sequence

import pytest
from small_graphs import build, f32

import ge.ir as ir

# --- Lists, order, names


def test_nodes_are_a_sequence() -> None:
    g = build()
    a, b = g.nodes
    assert len(g.nodes) == 2 and g.nodes[1] is b and g.nodes[-2] is a and g.nodes[0:2] == [a, b]
    assert list(reversed(g.nodes)) == [b, a]
    assert a in g.nodes and g.inputs[0].node not in g.nodes and 3 not in g.nodes
    assert g.nodes.index(b) == 1
    assert isinstance(g.nodes, Sequence)
    with pytest.raises(IndexError):
        g.nodes[2]


def test_order() -> None:
    g = build()
    a, b = g.nodes
    assert a.is_before(b) and not b.is_before(a)
    assert a.next is b and b.previous is a and a.previous is None and b.next is None
    b.move_before(a)
    assert list(g.nodes) == [b, a]
    g.sort()
    assert list(g.nodes) == [a, b]
    with pytest.raises(ValueError):
        a.is_before(build().nodes[0])


def test_a_cycle_is_reported_as_a_path() -> None:
    g = build()
    a, b = g.nodes
    a.operands[0] = b.result
    with pytest.raises(ir.VerifyError, match="a.*b|b.*a") as caught:
        g.sort()
    assert "cycle" in str(caught.value)


def test_names_are_unique_and_deterministic() -> None:
    g = build()
    names = [g.add_node("onnx.Abs", name="a").name for _ in range(3)]
    assert names == ["a_1", "a_2", "a_3"]
    assert g.find("a_2") is g.nodes[-2]
    assert g.find("zz") is None
    node = g.add_node("onnx.Abs")
    assert not node.has_name and node.name
    node.name = "b"
    assert node.name == "b_1" and node.has_name
    node.name = None
    assert not node.has_name
    value = node.result
    assert not value.has_name
    value.name = "v"
    assert g.find_value("v") is value and value.has_name
    assert g.find_value("zz") is None


def test_find_all() -> None:
    g = build()
    assert g.find_all("onnx.Relu") == [g.nodes[0]]
    assert g.find_all("onnx.Conv") == []
    extra = g.add_node("onnx.Relu", ip=ir.InsertionPoint.before(g.nodes[0]))
    assert g.find_all("onnx.Relu") == [extra, g.nodes[1]]


def test_erase_dead_nodes() -> None:
    g = build()
    g.add_node("onnx.Abs", [g.inputs[0]])
    assert g.erase_dead_nodes() == 1
    assert len(g.nodes) == 2


# --- Inputs, outputs, subgraphs, modules


def test_inputs() -> None:
    g = build()
    y = g.add_input("y", f32(), op="ge.RefData")
    z = g.add_input("z", f32(), index=0)
    assert [v.name for v in g.inputs] == ["z", "x", "y"]
    assert y.node.op == "ge.RefData" and y.node.is_input
    g.move_input(0, 2)
    assert g.inputs == [g.inputs[0], y, z]
    del g.inputs[2]
    assert not z.is_alive
    with pytest.raises(ValueError):
        g.erase_input(0)
    assert g.add_input("x", f32()).name == "x_1"


def test_outputs() -> None:
    g = build()
    a, b = g.nodes
    g.outputs.append(a.result)
    g.outputs[0] = None
    assert g.outputs == [None, a.result]
    g.outputs = [a, b]
    assert g.outputs == [a.result, b.result]
    del g.outputs[0]
    assert g.outputs == [b.result]
    assert g.output_node.is_output and g.output_node.operands == [b.result]


def test_output_names() -> None:
    g = build()
    a, b = g.nodes
    g.outputs = [a, b]
    g.output_names = ["p", "q"]
    assert g.output_names == ["p", "q"]
    g.output_names = ["q", "p"]
    assert g.output_names == ["q", "p"]
    with pytest.raises(ValueError):
        g.output_names[0] = "p"
    with pytest.raises(ValueError):
        g.output_names = ["one"]
    with pytest.raises(ValueError, match="two outputs"):
        g.output_names = ["r", "r"]
    b.replace_with(g.add_node("onnx.Abs", [a], result_types=f32()))
    assert g.output_names == ["q", "p"]


def test_generated_output_names_are_unique() -> None:
    g = ir.Graph("main")
    x = g.add_input("x", f32())
    v = g.add_node("t.A", [x], result_types=f32()).result
    g.outputs = [v, x, x, v, x]
    assert g.output_names == ["output_0", "x", "x_1", "output_3", "x_2"]
    g.output_names[4] = "x"
    assert g.output_names == ["output_0", "x_1", "x_2", "output_3", "x"]
    v.name = "x_1"
    assert g.output_names == ["x_1", "x_2", "x_3", "x_1_1", "x"]
    assert list(ir.Graph.parse(str(g)).output_names) == g.output_names
    with g.transaction() as t:
        g.output_names = ["a", "b", "c", "d", "e"]
        t.rollback()
    assert g.output_names == ["x_1", "x_2", "x_3", "x_1_1", "x"]


def test_subgraphs_capture_and_walk() -> None:
    g = build()
    a = g.nodes[0]
    node = g.add_node("onnx.If", [g.inputs[0]], name="if", subgraphs=[None, None])
    body = node.subgraphs[1]
    inner = body.add_node("onnx.Abs", [a.result], name="inner", result_types=f32())
    body.outputs = [inner]
    assert inner in a.result.users
    assert [n.name for n in g.walk()] == ["a", "b", "if", "inner"]
    assert g.find("inner") is inner and body.root is g
    copy = body.clone()
    assert len(copy.inputs) == 1 and copy.root is copy
    assert node.add_subgraph("extra").slot == "extra"
    assert node.subgraphs["extra"] is node.subgraphs[-1]
    with pytest.raises(KeyError):
        node.subgraphs["none"]
    del node.subgraphs[2]
    assert len(node.subgraphs) == 2
    with pytest.raises(ValueError):
        node.add_subgraph("again", g)


def test_modules() -> None:
    m = ir.Module("m")
    g = m.add_graph(build())
    h = m.add_graph("other")
    assert g.module is m and list(m.graphs) == ["main", "other"]
    assert m.graphs["main"] is g and m.graphs[1] is h and m.graphs.get("zz") is None
    assert m.graphs.keys() == ["main", "other"] and m.graphs.values() == [g, h]
    assert m.graphs.items() == [("main", g), ("other", h)]
    assert "main" in m.graphs and "zz" not in m.graphs and len(m.graphs) == 2
    with pytest.raises(KeyError):
        m.graphs["zz"]
    with pytest.raises(ValueError):
        m.add_graph("other")
    node = g.nodes[0]
    m.detach_graph(g)
    assert g.module is None and node.is_alive
    del m.graphs["other"]
    assert not h.is_alive and len(m.graphs) == 0
    m.name = "n"
    assert m.name == "n" and ir.Module().name == ""


# --- Comparing, verifying


def test_identity_and_structure() -> None:
    g, h = build(), build()
    assert g is not h and g != h and hash(g) != hash(h)
    assert g.is_structurally_equal(h) and g.structural_hash() == h.structural_hash()
    assert g.nodes[0].is_structurally_equal(h.nodes[0])
    assert g.nodes[0].structural_hash() == h.nodes[0].structural_hash()
    h.nodes[1].attributes["k"] = 2
    assert not g.is_structurally_equal(h)
    m, n = ir.Module("m"), ir.Module("m")
    m.add_graph(g)
    n.add_graph(build())
    assert m.is_structurally_equal(n) and m.structural_hash() == n.structural_hash()


def test_indexing_gives_the_same_object() -> None:
    g = build()
    node, value = g.nodes[0], g.nodes[0].result
    assert g.nodes[0] is node and node.result is value and value.node is node and node.graph is g
    assert g.inputs[0] is g.inputs[0].node.result


def test_verify_lists_what_is_wrong() -> None:
    g = build()
    assert g.verify(definitions=False) is True
    with pytest.raises(ir.VerifyError, match="no attribute 'k'"):
        g.verify()
    g.outputs.append(None)
    with pytest.raises(ir.VerifyError) as caught:
        g.verify()
    assert caught.value.diagnostics
    assert all(d.severity in ("error", "note") for d in caught.value.diagnostics)
    assert isinstance(caught.value, ir.GEError) and isinstance(caught.value, RuntimeError)


def test_clone_of_a_graph_in_another_context() -> None:
    g = build()
    other = ir.Context()
    copy = g.clone(other)
    assert copy.context is other and copy is not g
    assert [n.op for n in copy.nodes] == [n.op for n in g.nodes]


def test_a_missing_graph_or_subgraph_is_named_with_those_that_there_are():
    module = ir.Module("m")
    with pytest.raises(KeyError, match="no graph 'main'; there is none"):
        module.graphs["main"]
    module.add_graph("torch_jit")
    with pytest.raises(KeyError, match="no graph 'main'; there is 'torch_jit'"):
        module.graphs["main"]
    for i in range(12):
        module.add_graph(f"g{i}")
    with pytest.raises(KeyError, match="there are 'torch_jit', 'g0', .*'g6' and 5 more"):
        del module.graphs["main"]
    assert "main" not in module.graphs and module.graphs.get("main") is None
    node = module.graphs[0].add_node("onnx.If", [None])
    node.add_subgraph("then_branch")
    with pytest.raises(KeyError, match="no subgraph 'else_branch'; there is 'then_branch'"):
        node.subgraphs["else_branch"]
