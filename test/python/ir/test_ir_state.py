"""Every edit, handle and transaction of a root graph agrees with a simple model of one.

The model consists of dictionaries and lists of numbers, and computes uses, users and names by scanning all nodes.
After each step the graph is compared with it: order, operators, operands, uses, users, names, look-ups, attributes,
control edges, subgraphs, inputs, outputs, identity of wrappers; and each handle to an erased object must raise
StaleHandleError with the reason. A rollback must restore the model as of the beginning of the transaction, the same
text byte for byte, and the order of uses.

Not covered here: threads, modules, moving whole root graphs, tensors, arguments of wrong types.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from graph_edits import GraphEdits
from graph_model import TYPES, Val
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from needs import LONG

import ge.ir as ir


class Edits(GraphEdits):
    """Edits, combined with sorting, printing, handles, transactions and iteration."""

    # --- rules: whole graph ---

    @rule(data=st.data())
    def sort(self, data: st.DataObject) -> None:
        """Sorting gives the stable topological order of printing, or reports a cycle and changes nothing."""
        graph = self.pick(data, self.graphs())
        m, wrapper = self.model, self.graph(graph)
        wrappers = {k: self.node(k) for g in m.inside(graph) for k in m.graphs[g].nodes}
        text = str(self.root)
        try:
            wrapper.sort()
        except ir.VerifyError as error:
            # The invariants check that nothing has moved.
            path = str(error).rpartition("has a cycle: ")[2].split("\n")[0].split(" -> ")
            assert len(path) > 1 and path[0] == path[-1], error
            assert not all(self.has_order(g) for g in m.inside(graph)), error
            return
        for g in m.inside(graph):
            before, known = m.graphs[g].nodes, {id(wrappers[k]): k for k in m.graphs[g].nodes}
            order = [known[id(node)] for node in self.graph(g).nodes]
            assert Counter(order) == Counter(before)
            assert all(not m.sources(n) & set(order[i:]) for i, n in enumerate(order))
            if all(not m.sources(n) & set(before[i:]) for i, n in enumerate(before)):
                assert order == before, "a sorted graph was reordered"
            m.graphs[g].nodes = order
        assert str(self.root) == text, "sorting changed the text"

    def has_order(self, graph: int) -> bool:
        """Return whether the nodes of a graph have a topological order."""
        left = set(self.model.graphs[graph].nodes)
        while left:
            ready = {n for n in left if not self.model.sources(n) & left}
            if not ready:
                return False
            left -= ready
        return True

    @rule()
    def erase_dead(self) -> None:
        before = sum(len(self.model.graphs[g].nodes) for g in self.graphs())
        count = self.root.erase_dead_nodes()
        self.model.erase_dead()
        after = sum(len(self.model.graphs[g].nodes) for g in self.graphs())
        assert (count == 0) == (before == after)

    @rule()
    def text(self) -> None:
        """Printing is deterministic; if the text can be parsed, the result is equal and prints the same bytes."""
        text = str(self.root)
        assert str(self.root) == text
        if self.model.is_printable() and all(self.has_order(g) for g in self.graphs()):
            again = ir.Graph.parse(text)
            assert str(again) == text
            assert again.is_structurally_equal(self.root)
            assert again.structural_hash() == self.root.structural_hash()
            copied = self.root.clone()
            assert str(copied) == text
            assert copied.is_structurally_equal(self.root)

    # --- rules: handles ---

    @rule(data=st.data())
    def hold(self, data: st.DataObject) -> None:
        keys: list[Any] = [*self.listed(), *self.values(), *self.graphs()]
        key = self.pick(data, keys)
        if key in self.model.graphs:
            self.held[key] = self.graph(key)
        else:
            self.held[key] = self.value(key) if isinstance(key, tuple) else self.node(key)

    @rule(data=st.data())
    def let_go(self, data: st.DataObject) -> None:
        pinned = (
            {k for k, n in self.model.nodes.items() if n.graph is None} | self.once_detached | {0}
        )
        keys = [k for k in self.held if k not in pinned]
        if keys:
            del self.held[self.pick(data, keys)]

    # --- rules: transactions ---

    def seen_uses(self) -> dict[Val, list[tuple[ir.Node, int]]]:
        """Return the uses of each value in their order."""
        return {v: [(u.node, u.index) for u in self.value(v).uses] for v in self.values()}

    @precondition(lambda self: len(self.transactions) < 3)
    @rule()
    def begin(self) -> None:
        wrappers = [self.node(k) for k, n in self.model.nodes.items() if n.kind != "output"]
        state = (str(self.root), self.seen_uses(), wrappers)
        transaction = self.root.transaction()
        transaction.__enter__()
        self.transactions.append((transaction, self.model.snapshot(), state))

    @precondition(lambda self: self.transactions)
    @rule()
    def commit(self) -> None:
        transaction, _, _ = self.transactions.pop()
        transaction.__exit__(None, None, None)

    @precondition(lambda self: self.transactions)
    @rule(how=st.sampled_from(["raise", "call"]))
    def roll_back(self, how: str) -> None:
        transaction, model, (text, uses, wrappers) = self.transactions.pop()
        if how == "raise":
            error = KeyError("of the block")
            assert not transaction.__exit__(KeyError, error, None), "the exception was swallowed"
        else:
            transaction.rollback()
            with pytest.raises((ValueError, ir.GEError)):
                self.root.add_node("t.Late", [], result_types=[])
            transaction.__exit__(None, None, None)
        born = (set(self.model.nodes) | set(self.model.graphs) | set(self.model.dead)) - (
            set(model.nodes) | set(model.graphs) | set(model.dead)
        )
        self.model = model
        self.model.dead.update(dict.fromkeys(born, "rolled back"))
        assert str(self.root) == text
        assert self.seen_uses() == uses, "the order of uses"
        assert all(wrapper.is_alive for wrapper in wrappers)

    @precondition(lambda self: len(self.transactions) > 1)
    @rule()
    def wrong_order(self) -> None:
        with pytest.raises((ValueError, ir.GEError), match="inside"):
            self.transactions[-2][0].rollback()

    # --- rules: iteration ---

    @rule(data=st.data(), backward=st.booleans())
    def edit_while_iterating(self, data: st.DataObject, backward: bool) -> None:
        """Each step goes to the node after the last one, or after its predecessor at the time it left the list."""
        graph = self.pick(data, self.graphs())
        nodes = self.graph(graph).nodes
        iterator = reversed(nodes) if backward else iter(nodes)
        at: int | None = None

        def neighbour(key: int | None, ahead: bool) -> int | None:
            order = self.model.graphs[graph].nodes
            order = order if ahead != backward else order[::-1]
            i = order.index(key) + 1 if key is not None else 0
            return order[i] if i < len(order) else None

        def leaving(key: int) -> None:
            nonlocal at
            if key == at:
                order = self.model.graphs[graph].nodes
                order = order[::-1] if backward else order
                at = order[order.index(key) - 1] if order[0] != key else None

        for _ in range(10):
            expected = neighbour(at, True)
            wrapper = next(iterator, None)
            if expected is None:
                assert wrapper is None
                break
            assert wrapper is self.node(expected)
            at = expected
            order = self.model.graphs[graph].nodes
            how = data.draw(
                st.sampled_from(["", "", "erase", "detach", "move", "insert", "append"])
            )
            other = self.pick(data, [at, *order])
            if how == "erase":
                leaving(other)
                self.erase_node(other, force=True)
            elif how == "detach":
                leaving(other)
                self.held[other] = self.node(other)
                self.held[other].detach()
                order.remove(other)
                self.model.nodes[other].graph = None
                self.once_detached.add(other)
            elif how == "move":
                target = self.pick(data, order)
                ahead, before = data.draw(st.booleans()), list(order)
                self.place(other, graph, target, ahead)
                changed = order != before
                order[:], after = before, list(order)
                if changed:
                    leaving(other)
                step = self.node(other).move_after if ahead else self.node(other).move_before
                step(self.node(target))
                order[:] = after
            elif how == "insert":
                self.add_node(graph, "t.New", [], TYPES[:1], before=other)
            elif how == "append":
                self.add_node(graph, "t.New", [], [])
        else:
            return
        self.add_node(graph, "t.New", [], [])
        assert next(iterator, None) is None, "an iterator that ended went on"


TestEdits = Edits.TestCase
TestEdits.settings = settings(
    max_examples=400 if LONG else 30,
    stateful_step_count=60 if LONG else 30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


# --- regressions found by the model, or while it was written -------------------------------------


def test_a_dead_node_inside_a_dead_node_dies_once() -> None:
    """Their common user is erased first; the inner node must not be visited after the outer one is erased."""
    for _ in range(50):  # which of the two was erased first depended on their addresses
        graph = ir.Graph("main")
        inside = graph.add_node("t.Inside", result_types=TYPES[:1])
        outer = graph.add_node("t.Outer", subgraphs={"body": None}, result_types=TYPES[:1])
        graph.add_node("t.User", [outer.result, inside.result], result_types=[])
        inside.move_before(outer.subgraphs[0].add_node("t.Anchor", result_types=[]))
        del outer
        assert graph.erase_dead_nodes() == 3
        assert len(graph.nodes) == 0 and not inside.is_alive


def test_a_node_that_only_its_own_inside_uses_is_dead_after_that() -> None:
    graph = ir.Graph("main")
    outer = graph.add_node("t.Outer", subgraphs={"a": None, "b": None}, result_types=TYPES[:1])
    outer.subgraphs[0].add_node("t.Inside", [outer.result], result_types=[])
    outer.subgraphs[1].add_node("t.Inside", result_types=[])
    graph.erase_dead_nodes()
    assert len(graph.nodes) == 0 and not outer.is_alive
