"""A root graph of `ge.ir` and a simple model of it, which are compared after each step."""

from collections import Counter
from typing import Any

import pytest
from graph_model import NAMES, OPS, MGraph, MNode, Model, Val
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant

import ge.ir as ir


class GraphBesideModel(RuleBasedStateMachine):
    """One root graph (number 0) and its model."""

    def __init__(self) -> None:
        super().__init__()
        self.root = ir.Graph("main")
        self.model = Model()
        self.next = 2
        self.model.graphs[0] = MGraph("main", None, 1)
        self.model.nodes[1] = MNode("ge.NetOutput", "output", 0)
        # Wrappers that the test holds: by number for nodes and graphs, by (node, index) for values.
        self.held: dict[Any, Any] = {0: self.root}
        self.transactions: list[tuple[Any, Model, Any]] = []
        # Nodes that were detached once: a rollback may detach them again, which leaves only their wrapper.
        self.once_detached: set[int] = set()

    # --- wrappers ---

    def node(self, key: int) -> ir.Node:
        """Return the wrapper of a node: the held one, or a new one."""
        if key in self.held:
            return self.held[key]
        n = self.model.nodes[key]
        assert n.graph is not None, "detached nodes are held"
        graph, g = self.graph(n.graph), self.model.graphs[n.graph]
        if n.kind == "data":
            return graph.inputs[g.inputs.index(key)].node
        return graph.nodes[g.nodes.index(key)]

    def graph(self, key: int) -> ir.Graph:
        if key in self.held:
            return self.held[key]
        parent = self.model.graphs[key].parent
        assert parent is not None
        return self.node(parent).subgraphs[self.model.nodes[parent].subgraphs.index(key)]

    def value(self, key: Val | None) -> ir.Value | None:
        if key is None:
            return None
        return self.held[key] if key in self.held else self.node(key[0]).results[key[1]]

    # --- choosing ---

    def pick(self, data: st.DataObject, keys: list[Any]) -> Any:
        # Draws an index: drawing from a new list each time is slow, and prints the list.
        return keys[data.draw(st.integers(0, len(keys) - 1), label="pick")] if keys else None

    def picks(self, data: st.DataObject, keys: list[Any], most: int) -> list[Any]:
        if not keys:
            return []
        numbers = st.lists(st.integers(0, len(keys) - 1), max_size=most)
        return [keys[i] for i in data.draw(numbers, label="picks")]

    def listed(self) -> list[int]:
        return [k for k, n in self.model.nodes.items() if n.kind == "node" and n.graph is not None]

    def movable(self) -> list[int]:
        return [k for k, n in self.model.nodes.items() if n.kind == "node"]

    def values(self) -> list[Val]:
        return [(k, i) for k, n in self.model.nodes.items() for i in range(len(n.results))]

    def graphs(self) -> list[int]:
        """Return the graphs of the tree, without those below a detached node."""
        return self.model.inside(0)

    def fresh(self) -> int:
        self.next += 1
        return self.next

    # --- invariants ---

    @invariant()
    def agrees(self) -> None:
        if not hasattr(self, "model"):
            return
        for graph in self.graphs():
            self.compare_graph(graph)
        for key, n in self.model.nodes.items():
            if n.graph is None:
                self.compare_node(key)
                for inner in self.model.inside_node(key):
                    self.compare_graph(inner)
        self.compare_names()

    def compare_graph(self, key: int) -> None:
        g, wrapper = self.model.graphs[key], self.graph(key)
        assert wrapper.is_alive
        nodes = wrapper.nodes
        assert len(nodes) == len(g.nodes)
        wrappers = list(nodes)
        assert wrappers == list(reversed(list(reversed(nodes))))
        for i, node in enumerate(g.nodes):
            assert wrappers[i] is nodes[i] is nodes[i - len(g.nodes)] is self.node(node)
            if i:
                assert wrappers[i - 1].is_before(wrappers[i])
                assert not wrappers[i].is_before(wrappers[i - 1])
            self.compare_node(node)
        for op in OPS:
            assert list(wrapper.find_all(op)) == [
                self.node(n) for n in g.nodes if self.model.nodes[n].op == op
            ]
        assert [v.node for v in wrapper.inputs] == [self.node(n) for n in g.inputs]
        for node in g.inputs:
            self.compare_node(node)
        outputs = self.model.nodes[g.output].operands
        assert list(wrapper.outputs) == [self.value(v) for v in outputs]
        shown = list(wrapper.output_names)
        for i, name in enumerate(g.output_names[: len(outputs)]):
            assert name is None or shown[i] == name
        assert dict(wrapper.attributes) == g.attributes
        assert list(wrapper.attributes) == list(g.attributes)
        if g.parent is None:
            assert wrapper.parent_node is None
        else:
            assert wrapper.parent_node is self.node(g.parent)

    def compare_node(self, key: int) -> None:
        n, wrapper = self.model.nodes[key], self.node(key)
        assert wrapper.is_alive and wrapper.op == n.op and wrapper.type == n.op.partition(".")[2]
        assert wrapper.graph is (self.graph(n.graph) if n.graph is not None else None)
        if n.name is not None:
            assert wrapper.name == n.name
        assert list(wrapper.operands) == [self.value(v) for v in n.operands]
        assert list(wrapper.subgraphs) == [self.graph(i) for i in n.subgraphs]
        # The position of an input is shown as a read-only attribute, which the model does not have.
        attributes = {
            k: v for k, v in wrapper.attributes.items() if (n.kind, k) != ("data", "index")
        }
        assert attributes == n.attributes
        assert list(attributes) == list(n.attributes)
        assert [type(v) for v in attributes.values()] == [type(v) for v in n.attributes.values()]

        assert list(wrapper.control_inputs) == [self.node(i) for i in n.ins]
        assert Counter(wrapper.control_outputs) == Counter(self.node(i) for i in n.outs)
        assert len(wrapper.results) == len(n.results)
        users = set()
        for i, result in enumerate(n.results):
            value = wrapper.results[i]
            assert value is self.value((key, i)) and value.node is wrapper and value.index == i
            assert value.type is result.type
            if result.name is not None:
                assert value.name == result.name
            uses = [u for u in self.model.uses((key, i)) if self.model.nodes[u[0]].kind != "output"]
            seen = [(u.node, u.index) for u in value.uses]
            listed = [s for s in seen if s[0].op != "ge.NetOutput"]
            assert Counter(listed) == Counter((self.node(u), k) for u, k in uses)
            assert len(seen) == len(value.uses) == len(self.model.uses((key, i)))
            users |= {u for u, _ in uses}
        found = [u for u in wrapper.users if u.op != "ge.NetOutput"]
        assert Counter(found) == Counter(self.node(u) for u in users)

    def compare_names(self) -> None:
        taken = self.model.names("node")
        for name in {*NAMES, *taken}:
            found = self.root.find(name)
            assert found is (self.node(taken[name]) if name in taken else None), name

    @invariant()
    def stale_handles_say_why(self) -> None:
        if not hasattr(self, "model"):
            return
        for key, wrapper in self.held.items():
            number = key[0] if isinstance(key, tuple) else key
            if number not in self.model.dead:
                assert wrapper.is_alive
                continue
            reason = self.model.dead[number]
            assert not wrapper.is_alive
            probes: list[Any] = [lambda w=wrapper: w.name]
            if isinstance(key, tuple):
                probes += [lambda w=wrapper: w.type, lambda w=wrapper: list(w.uses)]
                probes += [lambda w=wrapper: w.replace_all_uses_with(w)]
                probes += [lambda w=wrapper: self.root.add_node("t.Uses", [w])]
            elif isinstance(wrapper, ir.Graph):
                probes += [lambda w=wrapper: len(w.nodes), lambda w=wrapper: w.sort()]
                probes += [lambda w=wrapper: w.add_node("t.In")]
            else:
                probes += [lambda w=wrapper: len(w.operands), lambda w=wrapper: w.attributes["k"]]
                probes += [lambda w=wrapper: w.erase(force=True), lambda w=wrapper: w.clone()]
            for probe in probes:
                with pytest.raises(ir.StaleHandleError, match=reason):
                    probe()
            assert repr(wrapper) and str(wrapper)
            assert wrapper == wrapper and {wrapper: 1}[wrapper] == 1

    def teardown(self) -> None:
        for transaction, _, _ in reversed(getattr(self, "transactions", [])):
            transaction.__exit__(None, None, None)
        self.held.clear()
