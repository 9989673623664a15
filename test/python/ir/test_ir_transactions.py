"""All edits inside a transaction are undone if the block raises or calls `rollback`. Also tests of origins."""

import time

import pytest
from small_graphs import build, f32

import ge.ir as ir


def edit(g: ir.Graph) -> None:
    a, b = g.find("a"), g.find("b")
    b.attributes["k"] = 2
    b.attributes["l"] = "x"
    b.name = "c"
    a.result.type = ir.TensorType(None, ir.f16)
    a.result.name = "v"
    n = g.add_node("onnx.Abs", [a], name="a", result_types=f32())
    a.result.replace_all_uses_with(n, except_=n)
    n.move_before(a)
    g.outputs = [n, None]
    g.output_names[0] = "o"
    b.erase()
    g.add_input("y", f32(), index=0)
    g.attributes["z"] = 1
    n.control_inputs.append(a)


def state(g: ir.Graph) -> object:
    return (
        [
            (n.name, n.op, list(n.operands), dict(n.attributes), [str(r.type) for r in n.results])
            for n in g.nodes
        ],
        list(g.inputs),
        list(g.outputs),
        list(g.output_names),
        dict(g.attributes),
        [list(n.control_inputs) for n in g.nodes],
    )


def test_a_raising_block_is_undone() -> None:
    g = build()
    before = state(g)
    with pytest.raises(ZeroDivisionError), g.transaction() as t:
        assert t.is_open
        edit(g)
        raise ZeroDivisionError
    assert state(g) == before and not t.is_open


def test_rollback_is_undone_and_later_edits_raise() -> None:
    g = build()
    before = state(g)
    with g.transaction() as t:
        edit(g)
        t.rollback()
        assert state(g) == before
        with pytest.raises(ValueError):
            g.add_node("onnx.Abs")
        with pytest.raises(ValueError):
            t.rollback()
    assert state(g) == before
    g.add_node("onnx.Abs")


def test_a_finished_block_is_kept() -> None:
    g = build()
    with g.transaction():
        edit(g)
    assert g.find("b") is None and g.find("a_1") is not None


def test_counters_of_names_are_undone() -> None:
    g = build()
    with g.transaction() as t:
        assert g.add_node("onnx.Abs", name="a").name == "a_1"
        t.rollback()
    assert g.add_node("onnx.Abs", name="a").name == "a_1"


def test_transactions_nest() -> None:
    g = build()
    with g.transaction():
        g.find("b").attributes["k"] = 2
        with g.transaction() as inner:
            g.find("b").attributes["k"] = 3
            inner.rollback()
        assert g.find("b").attributes["k"] == 2
    assert g.find("b").attributes["k"] == 2


def test_outer_before_inner_raises() -> None:
    g = build()
    outer, inner = g.transaction(), g.transaction()
    outer.__enter__()
    inner.__enter__()
    with pytest.raises(ValueError):
        outer.rollback()
    inner.__exit__(None, None, None)
    outer.__exit__(None, None, None)


def test_a_transaction_is_entered_once() -> None:
    t = build().transaction()
    with t:
        pass
    with pytest.raises(ValueError), t:
        pass
    with pytest.raises(ValueError):
        t.rollback()


def test_a_transaction_that_is_dropped_inside_its_block_is_undone() -> None:
    g = build()
    before = state(g)
    t = g.transaction()
    t.__enter__()
    edit(g)
    del t
    assert state(g) == before


def test_moving_across_roots_inside_raises() -> None:
    g = build()
    with g.transaction() as t:
        node = g.add_node("onnx.If", [g.inputs[0]])
        with pytest.raises(ValueError):
            node.add_subgraph("then", ir.Graph("body"))
        t.rollback()


def test_trace_origins_records_the_line() -> None:
    g = build()
    assert g.nodes[0].origins == ()
    with ir.trace_origins():
        node = g.add_node("onnx.Abs")
    (origin,) = node.origins
    assert origin.location.text.endswith("test_ir_transactions.py")
    assert origin.location.line > 0 and origin.node == ""
    assert g.add_node("onnx.Abs").origins == ()


def test_origins_can_be_added() -> None:
    node = build().nodes[0]
    node.add_origin(
        "old", op="onnx.Conv", pass_name="fuse", rule="r", location=ir.Location.file("p.py", 2)
    )
    (origin,) = node.origins
    assert (origin.node, origin.op, origin.pass_name, origin.rule) == (
        "old",
        "onnx.Conv",
        "fuse",
        "r",
    )
    assert origin.location.line == 2 and "onnx.Conv" in repr(origin)


def test_origins_that_were_added_are_taken_back() -> None:
    g = build()
    n = g.find("a")
    n.add_origin("before")
    with pytest.raises(KeyError), g.transaction():
        for i in range(3):
            n.add_origin(f"inside {i}")
        assert [o.node for o in n.origins] == ["before", "inside 0", "inside 1", "inside 2"]
        raise KeyError
    assert [o.node for o in n.origins] == ["before"]


def test_many_origins_of_one_node_keep_names_and_order_and_are_taken_back() -> None:
    graph = ir.Graph("g")
    node = graph.add_node("onnx.Relu", [graph.add_input("x", f32())])
    names = ["", *("n" * (i % 40) + str(i) for i in range(300))]
    whole = [(name, f"rule{i % 3}") for i, name in enumerate(names)]

    def told() -> list[tuple[str, str | None]]:
        return [(o.node, o.rule) for o in node.origins]

    for name, rule in whole[:101]:
        node.add_origin(name, rule=rule)
    with pytest.raises(KeyError), graph.transaction():
        for name, rule in whole[101:]:
            node.add_origin(name, rule=rule)
        with pytest.raises(ValueError, match="inner"), graph.transaction():
            for name in names:
                node.add_origin(name)
            raise ValueError("inner")
        assert told() == whole
        raise KeyError
    assert told() == whole[:101]
    assert [(o.node, o.rule) for o in graph.clone().nodes[0].origins] == whole[:101]


def test_names_are_found_again_after_a_rollback() -> None:
    """A rollback restores the names of erased nodes, even if new nodes took them, in any order of erasure."""
    graph = ir.Graph("main")
    f32 = ir.TensorType((2,), ir.f32)
    x = graph.add_input("x", f32)
    for i in range(3000):
        node = graph.add_node("t.A", [x], name=f"n{i % 1000}_{i}", result_types=[f32])
        if i % 3:
            node.result.name = f"v{i}"
    nodes = list(graph.nodes)
    before = graph.to_text()
    for step in (1, 7, -1):
        with graph.transaction() as outer:
            for i, node in enumerate(nodes[::step]):
                if i % 5 == 0:
                    node.name = f"renamed{i}"
                if i % 5 != 1:
                    node.erase()
            with graph.transaction() as inner:
                for i in range(0, 3000, 2):
                    new = graph.add_node("t.B", name=f"n{i % 1000}_{i}", result_types=[f32])
                    new.result.name = f"v{i}"
                inner.rollback()
            for i in range(1, 3000, 2):
                graph.add_node("t.B", name=f"n{i % 1000}_{i}", result_types=[])
            graph.erase_dead_nodes()
            outer.rollback()
        assert graph.to_text() == before
        for i, node in enumerate(nodes):
            assert graph.find(f"n{i % 1000}_{i}") is node
        assert graph.find("renamed0") is None
    assert graph.add_node("t.C", name="n0_0", result_types=[]).name == "n0_0_1"
    assert graph.verify()


def test_a_name_that_is_taken_again_and_again_comes_back() -> None:
    """Many nodes may have had one name in a transaction; look-ups find the present one, at constant cost."""
    f32 = ir.TensorType((2,), ir.f32)

    def cost(times: int) -> float:
        graph = ir.Graph("main")
        x = graph.add_input("x", f32)
        first = graph.add_node("t.A", [x], name="a", result_types=[f32])
        first.result.name = "v"
        before = graph.to_text()
        start = time.thread_time()
        with graph.transaction() as t:
            node = first
            for _ in range(times):
                node.erase()
                assert graph.find("a") is None
                node = graph.add_node("t.B", [x], name="a", result_types=[f32])
                node.result.name = "v"
                assert (node.name, node.result.name) == ("a", "v")
                assert graph.find("a") is node
            t.rollback()
        assert graph.to_text() == before
        assert graph.find("a") is first and graph.find_value("v") is first.result
        return time.thread_time() - start

    cost(1000)
    assert min(cost(20_000) for _ in range(3)) < 10 * min(cost(5_000) for _ in range(3))


def test_names_of_erased_nodes_are_free_when_a_transaction_is_over() -> None:
    graph = ir.Graph("main")
    f32 = ir.TensorType((2,), ir.f32)
    x = graph.add_input("x", f32)
    for i in range(1000):
        graph.add_node("t.A", [x], name=f"n{i}", result_types=[f32]).result.name = f"v{i}"
    with graph.transaction():
        for node in list(graph.nodes)[::2]:
            node.erase()
        with graph.transaction() as inner:
            for node in list(graph.nodes):
                node.erase()
            inner.rollback()
        again = graph.add_node("t.B", [x], name="n0", result_types=[f32])
        assert again.name == "n0"
    for i in range(1000):
        found = graph.find(f"n{i}")
        assert (found is not None) == (i == 0 or i % 2 == 1)
        assert (graph.find_value(f"v{i}") is not None) == (i % 2 == 1)
    for i in range(2, 1000, 2):
        node = graph.add_node("t.C", [x], name=f"n{i}", result_types=[f32])
        node.result.name = f"v{i}"
        assert (node.name, node.result.name) == (f"n{i}", f"v{i}")
    assert graph.verify()
