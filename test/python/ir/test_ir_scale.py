"""Long, wide and dense graphs work, and no step is quadratic.

Only modules of many graphs are timed. Each test is large enough that a quadratic step would take
minutes, and a guard ends the process with a traceback if a test does not return.

Not covered here: limits of nesting, names and shapes (test_ir_limits.py), memory use and ratios to other libraries (bench/).
"""

import gc
import time
from collections.abc import Callable

import numpy as np
import pytest
from large_graphs import (
    F32,
    comes_back,  # noqa: F401 - a fixture
)
from needs import LONG, SANITIZED

import ge.ir as ir

MANY = 300_000 if LONG else 30_000 if SANITIZED else 100_000


def chain(count: int) -> ir.Graph:
    graph = ir.Graph("main")
    value = graph.add_input("x", F32)
    for i in range(count):
        node = graph.add_node("t.Add", [value, value], {"i": i}, name=f"n{i}", result_types=F32)
        value = node.result
    graph.outputs = [value]
    return graph


# --- large --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_long_chain_is_built_printed_read_sorted_copied_and_erased() -> None:
    graph = chain(MANY)
    text = str(graph)
    assert text.count("t.Add") == MANY
    again = ir.Graph.parse(text)
    assert str(again) == text
    assert again.is_structurally_equal(graph)
    assert again.structural_hash() == graph.structural_hash()
    graph.verify()
    graph.sort()
    assert str(graph.clone()) == text
    assert len(graph.find_all("t.Add")) == MANY
    assert sum(1 for _ in graph.walk()) >= MANY
    for i in range(0, MANY, 97):
        assert graph.find(f"n{i}") is graph.nodes[i]
    for node in graph.nodes:
        node.result.replace_all_uses_with(node.operands[0])
        node.erase()
    assert len(graph.nodes) == 0
    assert list(graph.outputs) == list(graph.inputs)


def test_a_chain_in_the_wrong_order_is_sorted() -> None:
    """Each node comes before its operand's producer, so a depth-first walk is as deep as the graph."""
    graph = chain(MANY)
    text = str(graph)
    for node in graph.nodes:
        node.move_before(graph.nodes[0])
    assert graph.nodes[0].name == f"n{MANY - 1}"
    assert str(graph) == text
    graph.sort()
    assert [graph.nodes[0].name, graph.nodes[-1].name] == ["n0", f"n{MANY - 1}"]


def test_a_dead_chain_goes_at_once() -> None:
    graph = chain(MANY)
    graph.outputs = []
    assert graph.erase_dead_nodes() == MANY
    assert len(graph.nodes) == 0


def test_erasing_from_the_front_and_reading_by_index() -> None:
    graph = ir.Graph("main")
    for _ in range(MANY):
        graph.add_node("t.Leaf", result_types=[])
    while len(graph.nodes) > 1:
        graph.nodes[0].erase()
    for _ in range(MANY):
        graph.add_node("t.Leaf", result_types=[])
    assert all(graph.nodes[i] is graph.nodes[i] for i in range(0, len(graph.nodes), 7))
    assert all(graph.nodes[-i].is_alive for i in range(1, len(graph.nodes), 7))


def test_inserting_at_one_place_keeps_the_order() -> None:
    """The order labels of the node list run out at the same place again and again."""
    graph = ir.Graph("main")
    first, last = (graph.add_node("t.End", result_types=[]) for _ in range(2))
    place = last
    for _ in range(MANY // 2):
        place = graph.add_node("t.Mid", result_types=[], ip=ir.InsertionPoint.before(place))
    for _ in range(MANY // 2):
        graph.add_node("t.Mid", result_types=[], ip=ir.InsertionPoint.before(last))
    nodes = list(graph.nodes)
    assert nodes[0] is first and nodes[-1] is last
    assert all(a.is_before(b) for a, b in zip(nodes, nodes[1:], strict=False))
    assert first.is_before(last) and not last.is_before(first)


def test_one_value_has_many_uses() -> None:
    graph = ir.Graph("main")
    x, y = graph.add_input("x", F32), graph.add_input("y", F32)
    users = [graph.add_node("t.Use", [x], result_types=[]) for _ in range(MANY)]
    assert len(x.uses) == MANY
    assert sum(1 for _ in x.uses) == MANY
    x.replace_all_uses_with(y)
    assert len(x.uses) == 0 and len(y.uses) == MANY
    # Uses are removed at both ends and in the middle of the list, each in O(1).
    for i in range(0, MANY, 2):
        users[i].operands[0] = x
    y.replace_all_uses_with(x, except_=users[1:3])
    assert len(y.uses) == 1
    with graph.transaction() as attempt:
        x.replace_all_uses_with(y)
        attempt.rollback()
    assert len(y.uses) == 1 and len(x.uses) == MANY - 1
    del graph.nodes[0].operands[0]
    assert len(x.uses) == MANY - 2


@pytest.mark.slow
def test_one_node_has_many_operands_and_results() -> None:
    graph = ir.Graph("main")
    x = graph.add_input("x", F32)
    node = graph.add_node("t.Wide", [x] * MANY, result_types=[F32] * MANY)
    assert len(node.operands) == len(node.results) == len(x.uses) == MANY
    assert node.operands[MANY - 1] is x and node.results[-1].index == MANY - 1
    for _ in range(MANY):
        node.operands.append(None)
    assert len(node.operands) == 2 * MANY
    user = graph.add_node("t.Sink", node.results, result_types=[])
    graph.outputs = node.results
    assert len(graph.output_names) == MANY
    text = str(graph)
    assert str(ir.Graph.parse(text)) == text
    node.operands = []
    assert len(x.uses) == 0
    user.erase()
    graph.outputs = []
    node.erase()


def test_one_graph_has_many_inputs() -> None:
    graph = ir.Graph("main")
    for i in range(MANY):
        graph.add_input(f"x{i}", F32)
    assert len(graph.inputs) == MANY
    assert graph.inputs[MANY // 2].name == f"x{MANY // 2}"
    graph.outputs = list(graph.inputs)
    graph.output_names = [f"y{i}" for i in range(MANY)]
    graph.outputs = []
    for _ in range(MANY):
        del graph.inputs[-1]
    assert len(graph.inputs) == 0


def test_one_value_is_many_outputs() -> None:
    graph = ir.Graph("main")
    x = graph.add_input("x", F32)
    graph.outputs = [x] * MANY
    names = list(graph.output_names)
    assert names[:3] == ["x", "x_1", "x_2"] and len(set(names)) == MANY


def module_of(count: int) -> ir.Module:
    module = ir.Module("m")
    for i in range(count):
        graph = module.add_graph(f"f{i}")
        x = graph.add_input("x", F32)
        graph.outputs = [graph.add_node("t.Abs", [x], result_types=F32).result]
    return module


GRAPH_WORK: dict[str, Callable[[ir.Module], object]] = {
    "add": lambda m: module_of(len(m.graphs)),
    "find": lambda m: [m.graphs[f"f{i}"] for i in range(len(m.graphs))],
    "rename": lambda m: [setattr(g, "name", g.name + "x") for g in m.graphs.values()],
    "print": lambda m: m.to_text(),
    "parse": lambda m: ir.Module.parse(m.to_text()),
    "verify": lambda m: m.verify(),
    "equal": lambda m: m.is_structurally_equal(m.clone()),
}


@pytest.mark.slow
@pytest.mark.nosan  # the overhead of sanitizers is not linear
@pytest.mark.parametrize("work", GRAPH_WORK)
def test_a_module_has_many_graphs(work: str) -> None:
    """Four times as many graphs take about four times the processor time; quadratic work would take sixteen times."""

    def cost(count: int) -> float:
        times = []
        for _ in range(3):
            module = module_of(count)
            gc.collect()
            start = time.thread_time()
            GRAPH_WORK[work](module)
            times.append(time.thread_time() - start)
        return min(times)

    assert cost(20_000) < 9 * max(cost(5_000), 0.005)


def test_names_of_graphs_follow_renames_and_rollbacks() -> None:
    module = module_of(3)
    first = module.graphs["f0"]
    with first.transaction() as undo:
        first.name = "a"
        assert module.graphs["a"] is first and "f0" not in module.graphs
        with pytest.raises(ValueError, match="has a graph 'f0' already"):
            module.graphs["f1"].name = "f0"  # a rollback may restore this name
        first.name = "f0"
        first.name = "b"
        undo.rollback()
    assert module.graphs["f0"] is first and "a" not in module.graphs and "b" not in module.graphs
    with first.transaction():
        first.name = "b"
    assert module.graphs["b"] is first and "f0" not in module.graphs
    module.graphs["f1"].name = "f0"
    kept = module.detach_graph(module.graphs["f0"])
    assert kept.name == "f0" and "f0" not in module.graphs
    assert list(module.graphs) == ["b", "f2"] and "f0" not in module.graphs
    assert module.add_graph("f0").name == "f0"
    copy = module.clone()
    assert list(copy.graphs) == ["b", "f2", "f0"] and copy.graphs["f0"] is not module.graphs["f0"]


def test_one_node_has_many_attributes() -> None:
    names = [f"a{i}" for i in range(MANY)]
    one, two = ir.Graph("g"), ir.Graph("g")
    one.add_node("t.A", attributes=dict.fromkeys(names, 1))
    two.add_node("t.A", attributes=dict.fromkeys(names[::-1], 1))
    assert one.is_structurally_equal(two)
    assert one.structural_hash() == two.structural_hash()


def test_one_name_is_wanted_by_all() -> None:
    graph = ir.Graph("main")
    nodes = [graph.add_node("t.A", name="same", result_types=[]) for _ in range(MANY)]
    assert nodes[0].name == "same" and nodes[-1].name == f"same_{MANY - 1}"
    assert len({node.name for node in nodes}) == MANY
    assert graph.find(f"same_{MANY // 2}") is nodes[MANY // 2]


def test_many_control_edges() -> None:
    graph = ir.Graph("main")
    nodes = [graph.add_node("t.A", result_types=[]) for _ in range(MANY // 10)]
    for a, b in zip(nodes, nodes[1:], strict=False):
        b.control_inputs.append(a)
    graph.sort()
    text = str(graph)
    assert str(ir.Graph.parse(text)) == text
    for node in nodes:
        node.erase()


def test_a_large_transaction_rolls_back() -> None:
    graph = chain(MANY)
    text = str(graph)
    with graph.transaction() as attempt:
        for node in graph.nodes:
            node.erase(force=True)
        for _ in range(MANY):
            graph.add_node("t.New", name="n0", result_types=[])
        attempt.rollback()
    assert str(graph) == text


def test_wrappers_of_all_are_held_and_go_stale() -> None:
    graph = chain(MANY)
    held = list(graph.nodes)
    values = [node.result for node in held]
    before = ir.Context.current.live_handle_count()
    for node in reversed(held):
        node.erase(force=True)
    assert not any(node.is_alive for node in held)
    with pytest.raises(ir.StaleHandleError, match="was erased"):
        values[MANY // 2].uses[0]
    assert ir.Context.current.live_handle_count() <= before
    del held, values, node
    gc.collect()
    assert ir.Context.current.live_handle_count() < before - MANY


def test_large_tensors_travel_through_text() -> None:
    array = np.arange(1_000_000, dtype=np.int16).reshape(1000, 1000)
    graph = ir.Graph("main")
    graph.add_node("ge.Const", [], {"value": array}, name="w", result_types=F32)
    text = graph.to_text()
    again = ir.Graph.parse(text)
    assert again.to_text() == text
    assert len(str(graph)) < 1000, "for people: the elements are left out"
    with pytest.raises(ir.ParseError, match="left out"):
        ir.Graph.parse(str(graph))
    assert np.array_equal(np.asarray(again.nodes[0].attributes["value"]), array)


def test_a_cycle_is_a_path_of_names() -> None:
    graph = ir.Graph("main")
    x = graph.add_input("x", F32)
    nodes = [graph.add_node("t.A", [x], name=f"n{i}", result_types=F32) for i in range(4)]
    for a, b in zip(nodes, [*nodes[1:], nodes[1]], strict=True):
        b.operands[0] = a.result
    for check in (graph.sort, graph.verify):
        with pytest.raises(ir.VerifyError, match=r"has a cycle: n1 -> n2 -> n3 -> n1"):
            check()
    assert [node.name for node in graph.nodes] == ["n0", "n1", "n2", "n3"]
    assert '"n1"' in str(graph) and repr(graph)
    nodes[1].operands[0] = nodes[1].result
    with pytest.raises(ir.VerifyError, match=r"has a cycle: n1 -> n1"):
        graph.sort()
    nodes[1].operands[0] = x
    nodes[1].control_inputs.append(nodes[3])
    with pytest.raises(ir.VerifyError, match=r"n1 -> n2 -> n3 -> n1"):
        graph.sort()
    graph.clone()


def test_a_cycle_as_long_as_the_graph_is_found() -> None:
    graph = chain(MANY)
    graph.nodes[0].operands[0] = graph.nodes[-1].result
    with pytest.raises(ir.VerifyError, match="has a cycle: n0 -> n1 -> "):
        graph.sort()
    assert str(graph)
    assert graph.clone().structural_hash() == graph.structural_hash()


def test_sorting_fails_as_a_whole() -> None:
    """A cycle in a subgraph leaves the outer order as it was."""
    graph = ir.Graph("main")
    user = graph.add_node("t.User", [None], name="user", result_types=[])
    source = graph.add_node("t.Source", name="source", result_types=F32)
    user.operands[0] = source.result
    inner = graph.add_node("t.If", subgraphs={"then": None}, result_types=[]).subgraphs[0]
    loop = inner.add_node("t.Loop", [None], name="loop", result_types=F32)
    loop.operands[0] = loop.result
    with pytest.raises(ir.VerifyError, match="loop -> loop"):
        graph.sort()
    assert [node.name for node in graph.nodes][:2] == ["user", "source"]
