"""Nodes and values: creation, operands, uses and replacement; a failed edit changes nothing."""

from collections.abc import MutableSequence, Sequence
from typing import Any

import pytest
from small_graphs import build, f32

import ge.ir as ir

# --- Creating nodes


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
    for index in (1, 2**31):  # a large index must not allocate memory
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
