"""Graphs, nodes and values: what editing does, and that a failed edit does nothing."""

from collections.abc import MutableSequence, Sequence
from typing import Any

import pytest

import ge.ir as ir


def f32() -> ir.Type:
    return ir.TensorType((2,), ir.f32)


def build() -> ir.Graph:
    g = ir.Graph("main")
    x = g.add_input("x", f32())
    a = g.add_node("onnx.Relu", [x], name="a", result_types=f32())
    b = g.add_node("onnx.Add", [a, x], {"k": 1}, name="b", result_types=[f32()])
    g.outputs = [b.result]
    return g


# --- Making nodes


def test_a_node_with_everything() -> None:
    g = build()
    x, a = g.inputs[0], g.nodes[0]
    node = g.add_node(
        "com.microsoft.Fused",
        [x, None, a],
        {"i": 1, "l": [1, 2]},
        name="n",
        result_types=[f32(), None],
        control_inputs=[a],
        subgraphs={"then_branch": None},
        loc=ir.Location.file("f.py", 1),
    )
    assert (node.op, node.domain, node.type, node.overload) == (
        "com.microsoft.Fused",
        "com.microsoft",
        "Fused",
        "",
    )
    assert node.operands == [x, None, a.result]
    assert node.attributes == {"i": 1, "l": (1, 2)}
    assert node.name == "n" and node.has_name
    assert [str(r.type) for r in node.results] == ["tensor<2xf32>", "none"]
    assert node.control_inputs == [a] and a.control_outputs == [node]
    assert node.subgraphs["then_branch"].parent_node is node
    assert node.subgraphs[0].slot == "then_branch"
    assert node.location.line == 1
    assert g.nodes[-1] is node


def test_spellings_of_operators() -> None:
    g = ir.Graph("g")
    for spelling in ("onnx.Conv", "onnx::Conv", "ai.onnx.Conv", "ai.onnx::Conv"):
        assert g.add_node(spelling).op == "onnx.Conv"
    with pytest.raises(ValueError):
        g.add_node("Conv")
    with pytest.raises(TypeError):
        g.add_node(3)


def test_without_result_types_there_is_one_of_unknown_type() -> None:
    node = ir.Graph("g").add_node("onnx.Abs")
    assert isinstance(node.result.type, ir.UnknownType)
    with pytest.raises(ValueError, match="0 results"):
        ir.Graph("g").add_node("onnx.Abs", result_types=[]).result


def test_a_subgraph_that_does_not_work_leaves_the_others_where_they_are() -> None:
    g, body = build(), ir.Graph("body")
    kept = body.add_node("onnx.Abs")
    before = g.change_count
    owned = ir.Module("m").add_graph("owned")
    with pytest.raises(ValueError, match="in a module"):
        g.add_node("onnx.If", subgraphs={"a": body, "b": owned})
    with pytest.raises(ValueError, match="given twice"):
        g.add_node("onnx.If", subgraphs=[body, body])
    assert g.change_count == before
    assert body.parent_node is None and kept.graph is body
    node = g.add_node("onnx.If", subgraphs={"a": body, "b": None})
    assert body.parent_node is node and [each.slot for each in node.subgraphs] == ["a", "b"]


@pytest.mark.parametrize(
    "call",
    [
        lambda g: g.add_node(),
        lambda g: g.add_node("onnx.Abs", [], {}, "name"),
        lambda g: g.add_node("onnx.Abs", nme="x"),
        lambda g: g.add_node("onnx.Abs", [], operands=[]),
        lambda g: g.add_node("onnx.Abs", [1]),
        lambda g: g.add_node("onnx.Abs", 1),
        lambda g: g.add_node("onnx.Abs", "xy"),
        lambda g: g.add_node("onnx.Abs", attributes=[1]),
        lambda g: g.add_node("onnx.Abs", attributes={1: 2}),
        lambda g: g.add_node("onnx.Abs", name=1),
        lambda g: g.add_node("onnx.Abs", result_types=[1]),
        lambda g: g.add_node("onnx.Abs", control_inputs=[g.inputs[0]]),
        lambda g: g.add_node("onnx.Abs", loc="here"),
        lambda g: g.add_node("onnx.Abs", ip=3),
        lambda g: g.add_node("onnx.Abs", subgraphs=[3]),
        lambda g: g.add_node("onnx.Abs", subgraphs={3: None}),
        lambda g: g.add_input("y"),
        lambda g: g.add_input(3, f32()),
        lambda g: g.add_input("y", "f32"),
        lambda g: ir.Node.create("onnx.Abs", ip="x"),
        lambda g: ir.Graph(3),
        lambda g: ir.Graph("g", context=3),
        lambda g: ir.Module(3),
        lambda g: ir.InsertionPoint(3),
        lambda g: g.find(3),
        lambda g: g.nodes[0].replace_with(3),
        lambda g: g.nodes[0].move_before(3),
        lambda g: setattr(g.nodes[0].result, "type", 3),
        lambda g: setattr(g, "outputs", 3),
        lambda g: setattr(g, "name", 3),
    ],
)
def test_wrong_arguments_are_type_errors_and_change_nothing(call) -> None:
    g = build()
    before = g.change_count
    with pytest.raises(TypeError):
        call(g)
    assert g.change_count == before


def test_keywords_built_at_run_time_work() -> None:
    g = build()
    node = g.add_node(**{"".join(["o", "p"]): "onnx.Abs", "".join(["na", "me"]): "n"})
    assert node.name == "n"


def test_a_node_stands_for_its_only_result() -> None:
    g = build()
    a = g.nodes[0]
    assert g.add_node("onnx.Abs", [a]).operands[0] is a.result
    two = g.add_node("onnx.Split", result_types=[f32(), f32()])
    with pytest.raises(ValueError, match="2 results"):
        g.add_node("onnx.Abs", [two])


def test_create_at_an_insertion_point() -> None:
    g = build()
    with ir.InsertionPoint.before(g.nodes[0]):
        n = ir.Node.create("onnx.Abs", [g.inputs[0]])
        m = g.add_node("onnx.Abs")
    assert list(g.nodes)[:2] == [n, m]
    assert ir.Node.create("onnx.Abs", ip=g) is g.nodes[-1]
    with pytest.raises(ValueError, match="place"):
        ir.Node.create("onnx.Abs")


def test_insertion_points_of_another_graph() -> None:
    g, other = build(), build()
    with ir.InsertionPoint(other):
        assert g.add_node("onnx.Abs").graph is g
    with pytest.raises(ValueError, match="another graph"):
        g.add_node("onnx.Abs", ip=ir.InsertionPoint(other))


def test_insertion_after_keeps_the_order_of_making() -> None:
    g = build()
    with ir.InsertionPoint.after(g.nodes[0]):
        for i in range(3):
            g.add_node("onnx.Abs", name=f"n{i}")
    assert [n.name for n in g.nodes] == ["a", "n0", "n1", "n2", "b"]


def test_detached_nodes() -> None:
    g = build()
    x = g.inputs[0]
    node = ir.Node.create("onnx.Abs", [x], ip=False)
    assert node.graph is None and node.root is g
    assert node in x.users and node not in g.nodes
    node.insert(ir.InsertionPoint.before(g.nodes[0]))
    assert g.nodes[0] is node
    node.detach()
    assert node.graph is None and len(g.nodes) == 2
    node.insert(g)
    assert g.nodes[-1] is node
    with pytest.raises(ValueError, match="detached"):
        node.detach() or ir.InsertionPoint(node)
    with pytest.raises(ValueError, match="root graph"):
        ir.Node.create("onnx.Abs", ip=False)


# --- Operands, results, uses


def test_operands_are_a_mutable_sequence() -> None:
    g = build()
    x, a = g.inputs[0], g.nodes[0].result
    node = g.add_node("onnx.Sum", [x, a])
    model = [x, a]
    for s in (node.operands, model):
        s[0] = a
        s.append(None)
        s.insert(0, x)
        s.extend([x, a])
        s[-1] = None
        del s[1]
        s[1:2] = [x, x, x]
        s += [a]
        assert s.pop() is a
        s.reverse()
        s.remove(None)
    assert node.operands == model
    assert list(node.operands) == model
    assert node.operands[::-1] == model[::-1]
    assert len(node.operands) == len(model)
    assert node.operands.count(x) == model.count(x)
    assert node.operands.index(x) == model.index(x)
    with pytest.raises(ValueError):
        node.operands.index(a)
    assert isinstance(node.operands, MutableSequence)
    node.operands.clear()
    assert node.operands == []
    node.operands = [x]
    assert node.operands == [x]
    with pytest.raises(IndexError):
        node.operands[1]
    with pytest.raises(IndexError):
        node.operands[-2] = x
    with pytest.raises(TypeError):
        node.operands[0.5]
    with pytest.raises(KeyError, match="onnx.Sum has no '0'; it has data_0"):
        node.operands["0"]


def test_results_are_a_sequence() -> None:
    g = build()
    node = g.add_node("onnx.Split", result_types=[f32(), f32()])
    first, second = node.results
    assert node.results[-1] is second and second.index == 1 and first.node is node
    assert isinstance(node.results, Sequence)
    with pytest.raises(TypeError):
        node.results[0] = first


def test_uses_and_users() -> None:
    g = build()
    x, a, b = g.inputs[0], *g.nodes
    assert {(u.node, u.index) for u in x.uses} == {(a, 0), (b, 1)}
    assert set(x.users) == {a, b} and x.has_uses
    node, index = a.result.uses[0]
    assert (node, index) == (b, 0)
    use = a.result.uses[0]
    assert use == a.result.uses[0] and hash(use) == hash(a.result.uses[0])
    for index in (1, 2**31):  # no memory for that many
        with pytest.raises(IndexError, match="use index .* is out of range: there are 1"):
            a.result.uses[index]
    use.value = x
    assert b.operands == [x, x] and not a.result.has_uses
    assert [u.index for u in x.uses if u.node is b] == [0, 1]
    assert x.users.count(b) == 1


def test_replace_all_uses() -> None:
    g = build()
    x, a, b = g.inputs[0], *g.nodes
    c = g.add_node("onnx.Abs", [x], result_types=f32())
    x.replace_all_uses_with(c.result, except_=[c])
    assert a.operands[0] is c.result and c.operands[0] is x
    c.result.replace_all_uses_with(x, except_=a)
    assert a.operands[0] is c.result and b.operands[1] is x
    x.replace_all_uses_with(c, except_=(a, b, c))


def test_replace_with_moves_uses_and_names_and_erases() -> None:
    g = build()
    x, a = g.inputs[0], g.find("a")
    new = g.add_node("onnx.LeakyRelu", [x], result_types=f32(), ip=ir.InsertionPoint.before(a))
    a.replace_with(new)
    assert not a.is_alive and new.name == "a"
    assert g.find("b").operands[0] is new.result
    assert new.origins[-1].node == "a" and new.origins[-1].op == "onnx.Relu"
    with pytest.raises(ValueError):
        new.replace_with([x, x])


@pytest.mark.parametrize("kind", [list, tuple, iter, lambda results: results])
def test_values_are_taken_from_any_sequence(kind: Any) -> None:
    """Items that exist only while the sequence is read stay alive until the edit is done."""
    g = build()
    x, a = g.inputs[0], g.find("a")
    new = g.add_node("onnx.Abs", kind(g.inputs), result_types=f32())
    a.replace_with(kind(new.results))
    assert not a.is_alive and g.find("b").operands[0] is new.result
    g.outputs = kind(new.results)
    assert list(g.outputs) == [new.result]
    last = g.add_node("onnx.Neg", [x], result_types=f32())
    last.operands = kind(new.results)
    assert list(last.operands) == [new.result]
    last.operands[:] = kind(g.inputs)
    assert list(last.operands) == [x]
    last.operands.extend(kind(new.results))
    assert list(last.operands) == [x, new.result]


def test_erase_refuses_while_used_and_names_users() -> None:
    g = build()
    a, b = g.nodes
    with pytest.raises(ValueError, match=r"used by node 'b' \(onnx.Add\); replace"):
        a.erase()
    a.erase(force=True)
    assert b.operands[0] is None
    with pytest.raises(TypeError):
        b.erase(now=True)


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
