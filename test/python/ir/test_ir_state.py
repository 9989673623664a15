"""Every edit, handle and transaction of a root graph agrees with a simple model of one.

The model is made of dictionaries and lists that hold numbers, and computes uses, users and names by looking at
everything. After each step the graph is compared with it: order, operators, operands, uses, users, names,
look-ups, attributes, control edges, subgraphs, inputs, outputs, identity of wrappers; and each handle to
something that is gone must raise StaleHandleError with the reason. A rollback must give back the model of the
moment when the transaction began, byte-equal text, and the order of uses.

Not covered here: threads, modules, moving whole root graphs, tensors, what is wrong with an argument's kind.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from graph_model import KEYS, LONG, NAMES, OPS, TYPES, VALUES, MGraph, MNode, Model, Result, Val
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import ge.ir as ir


class Edits(RuleBasedStateMachine):
    """One root graph (number 0) beside its model."""

    def __init__(self) -> None:
        super().__init__()
        self.root = ir.Graph("main")
        self.model = Model()
        self.next = 2
        self.model.graphs[0] = MGraph("main", None, 1)
        self.model.nodes[1] = MNode("ge.NetOutput", "output", 0)
        # Wrappers that are held: by number for nodes and graphs, by (node, index) for values.
        self.held: dict[Any, Any] = {0: self.root}
        self.transactions: list[tuple[Any, Model, Any]] = []
        # A rollback may detach them again, and then only their wrapper leads to them.
        self.once_detached: set[int] = set()

    # --- wrappers ---

    def node(self, key: int) -> ir.Node:
        """Return the wrapper of a node: the one that is held, or a fresh one."""
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
        # By index: drawing of a fresh list each time is slow, and prints it.
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
        """Graphs that are in the tree, not below a detached node."""
        return self.model.inside(0)

    def fresh(self) -> int:
        self.next += 1
        return self.next

    # --- rules: making ---

    @initialize()
    def first_input(self) -> None:
        self.add_input(0, "a", TYPES[0], hold=True)

    def add_input(self, graph: int, name: str, type: ir.Type, hold: bool) -> None:
        key = self.fresh()
        value = self.graph(graph).add_input(name, type)
        m = self.model
        node_name, value_name = m.claim("node", name), m.claim("value", name)
        m.nodes[key] = MNode(
            "ge.Data", "data", graph, node_name, results=[Result(type, value_name)]
        )
        m.graphs[graph].inputs.append(key)
        assert value.node is value.node
        if hold:
            self.held[key], self.held[key, 0] = value.node, value

    @rule(
        data=st.data(), name=st.sampled_from(NAMES), type=st.sampled_from(TYPES), hold=st.booleans()
    )
    def an_input(self, data: st.DataObject, name: str, type: ir.Type, hold: bool) -> None:
        self.add_input(self.pick(data, self.graphs()), name, type, hold)

    def add_node(
        self,
        graph: int,
        op: str,
        operands: list[Val | None],
        types: list[ir.Type],
        name: str | None = None,
        before: int | None = None,
        slots: tuple[str, ...] = (),
        attributes: dict[str, Any] | None = None,
        hold: bool = False,
    ) -> int:
        m, key = self.model, self.fresh()
        place = self.graph(graph)
        ip = ir.InsertionPoint.before(self.node(before)) if before is not None else None
        wrapper = place.add_node(
            op,
            [self.value(o) for o in operands],
            attributes,
            name=name,
            result_types=types,
            subgraphs=dict.fromkeys(slots),
            ip=ip,
        )
        node = MNode(op, "node", graph, m.claim("node", name) if name else None, list(operands))
        node.results = [Result(t) for t in types]
        node.attributes = dict(attributes or {})
        m.nodes[key] = node
        nodes = m.graphs[graph].nodes
        nodes.insert(nodes.index(before) if before is not None else len(nodes), key)
        for _ in slots:
            inner, output = self.fresh(), self.fresh()
            m.graphs[inner] = MGraph("", key, output)
            m.nodes[output] = MNode("ge.NetOutput", "output", inner)
            node.subgraphs.append(inner)
        if hold:
            self.held[key] = wrapper
            for i, result in enumerate(wrapper.results):
                self.held[key, i] = result
            for inner, g in zip(node.subgraphs, wrapper.subgraphs, strict=True):
                self.held[inner] = g
        return key

    @rule(
        data=st.data(),
        op=st.sampled_from(OPS),
        types=st.lists(st.sampled_from(TYPES), max_size=2),
        name=st.none() | st.sampled_from(NAMES),
        attributes=st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), max_size=2),
        hold=st.booleans(),
    )
    def a_node(
        self,
        data: st.DataObject,
        op: str,
        types: list[ir.Type],
        name: str | None,
        attributes: dict[str, Any],
        hold: bool,
    ) -> None:
        graph = self.pick(data, self.graphs())
        operands = self.picks(data, [None, *self.values()], 3)
        before = self.pick(data, [None, *self.model.graphs[graph].nodes])
        slots = data.draw(st.sampled_from([(), (), (), ("then",), ("then", "else")]))
        if len(self.model.path(graph)) > 4:
            slots = ()
        self.add_node(graph, op, operands, types, name, before, slots, attributes, hold)

    @precondition(lambda self: self.listed())
    @rule(data=st.data())
    def a_clone(self, data: st.DataObject) -> None:
        """A copy is detached, takes the same operands, and a name of its own."""
        source = self.pick(data, [n for n in self.listed() if not self.model.nodes[n].subgraphs])
        if source is None:
            return
        m, key = self.model, self.fresh()
        wrapper = self.node(source).clone()
        n = m.nodes[source]
        copied = MNode(n.op, "node", None, attributes=dict(n.attributes))
        copied.operands = [
            (key, o[1]) if o is not None and o[0] == source else o for o in n.operands
        ]
        copied.name = m.claim("node", n.name) if n.name is not None else None
        m.nodes[key] = copied
        for r in n.results:
            copied.results.append(Result(r.type, m.claim("value", r.name) if r.name else None))
        self.held[key] = wrapper
        self.once_detached.add(key)
        assert wrapper.graph is None

    # --- rules: operands, uses, types, names, attributes ---

    @precondition(lambda self: self.movable())
    @rule(data=st.data(), how=st.sampled_from(["set", "all", "insert", "append", "delete"]))
    def operands(self, data: st.DataObject, how: str) -> None:
        key = self.pick(data, self.movable())
        n, wrapper = self.model.nodes[key], self.node(key)
        value = self.pick(data, [None, *self.values()])
        if how == "all":
            n.operands = self.picks(data, [None, *self.values()], 4)
            wrapper.operands = [self.value(v) for v in n.operands]
        elif how == "append":
            n.operands.append(value)
            wrapper.operands.append(self.value(value))
        elif how == "insert":
            at = data.draw(st.integers(0, len(n.operands)))
            wrapper.operands.insert(at, self.value(value))
            n.operands.insert(at, value)
        elif n.operands:
            at = data.draw(st.integers(-len(n.operands), len(n.operands) - 1))
            if how == "set":
                wrapper.operands[at] = self.value(value)
                n.operands[at] = value
            else:
                del wrapper.operands[at]
                del n.operands[at]

    @rule(data=st.data())
    def replace_all_uses(self, data: st.DataObject) -> None:
        source, target = self.pick(data, self.values()), self.pick(data, self.values())
        if source is None:
            return
        users = sorted({u for u, _ in self.model.uses(source)} & set(self.movable()))
        spared = self.picks(data, users, 2)
        self.value(source).replace_all_uses_with(
            self.value(target), except_=[self.node(u) for u in spared]
        )
        for user, i in self.model.uses(source):
            if user not in spared:
                self.model.nodes[user].operands[i] = target

    @rule(data=st.data(), type=st.sampled_from(TYPES))
    def a_type(self, data: st.DataObject, type: ir.Type) -> None:
        key = self.pick(data, self.values())
        if key is None:
            return
        self.value(key).type = type
        self.model.nodes[key[0]].results[key[1]].type = type

    @rule(data=st.data(), name=st.sampled_from(NAMES))
    def rename_value(self, data: st.DataObject, name: str) -> None:
        key = self.pick(data, self.values())
        if key is None:
            return
        result = self.model.nodes[key[0]].results[key[1]]
        self.value(key).name = name
        if result.name != name:
            result.name = self.model.claim("value", name)

    @precondition(lambda self: self.movable())
    @rule(data=st.data(), name=st.sampled_from(NAMES))
    def rename_node(self, data: st.DataObject, name: str) -> None:
        key = self.pick(data, self.movable())
        n = self.model.nodes[key]
        self.node(key).name = name
        if n.name != name:
            n.name = self.model.claim("node", name)

    @precondition(lambda self: self.movable())
    @rule(data=st.data(), key=st.sampled_from(KEYS), value=st.sampled_from(VALUES))
    def an_attribute(self, data: st.DataObject, key: str, value: Any) -> None:
        owner = self.pick(data, [*self.movable(), *self.graphs()])
        if owner in self.model.graphs:
            mine, theirs = self.model.graphs[owner].attributes, self.graph(owner).attributes
        else:
            mine, theirs = self.model.nodes[owner].attributes, self.node(owner).attributes
        if key in mine and data.draw(st.booleans()):
            del mine[key], theirs[key]
        else:
            mine[key] = theirs[key] = value

    # --- rules: places ---

    @precondition(lambda self: self.listed())
    @rule(data=st.data(), after=st.booleans())
    def move(self, data: st.DataObject, after: bool) -> None:
        key, other = self.pick(data, self.movable()), self.pick(data, self.listed())
        m = self.model
        target = m.nodes[other].graph
        wrapper = self.node(key)
        step = wrapper.move_after if after else wrapper.move_before
        if target in m.inside_node(key):
            with pytest.raises(ValueError, match="inside itself"):
                step(self.node(other))
            return
        step(self.node(other))
        self.place(key, target, other, after)

    def place(self, key: int, target: int, other: int, after: bool) -> None:
        m = self.model
        if key != other:
            if m.nodes[key].graph is not None:
                m.graphs[m.nodes[key].graph].nodes.remove(key)
            nodes = m.graphs[target].nodes
            nodes.insert(nodes.index(other) + after, key)
            m.nodes[key].graph = target

    @precondition(lambda self: self.listed())
    @rule(data=st.data())
    def detach(self, data: st.DataObject) -> None:
        key = self.pick(data, self.listed())
        n = self.model.nodes[key]
        wrapper = self.held[key] = self.node(key)
        wrapper.detach()
        self.model.graphs[n.graph].nodes.remove(key)
        n.graph = None
        self.once_detached.add(key)
        assert wrapper.is_alive and wrapper.graph is None

    @precondition(lambda self: self.movable())
    @rule(data=st.data(), force=st.booleans())
    def erase(self, data: st.DataObject, force: bool) -> None:
        self.erase_node(self.pick(data, self.movable()), force)

    def erase_node(self, key: int, force: bool) -> None:
        if self.model.has_uses(key) and not force:
            with pytest.raises(ValueError, match="still used by"):
                self.node(key).erase()
            return
        self.node(key).erase(force=force)
        self.model.erase(key)

    @precondition(lambda self: self.listed())
    @rule(data=st.data())
    def replace(self, data: st.DataObject) -> None:
        key = self.pick(data, self.listed())
        n = self.model.nodes[key]
        inside = set(self.model.inside_node(key))
        others = [
            v
            for v in self.values()
            if v[0] != key and not inside & set(self.model.path(self.model.nodes[v[0]].graph))
        ]
        if n.results and not others:
            return
        values = [self.pick(data, others) for _ in n.results]
        self.node(key).replace_with([self.value(v) for v in values])
        self.model.replace(key, values)

    @rule(data=st.data())
    def erase_input(self, data: st.DataObject) -> None:
        graph = self.pick(data, [g for g in self.graphs() if self.model.graphs[g].inputs])
        if graph is None:
            return
        inputs = self.model.graphs[graph].inputs
        at = data.draw(st.integers(-len(inputs), len(inputs) - 1))
        if self.model.has_uses(inputs[at]):
            with pytest.raises(ValueError, match="still used"):
                del self.graph(graph).inputs[at]
        else:
            del self.graph(graph).inputs[at]
            self.model.erase(inputs[at])

    @rule(data=st.data())
    def outputs(self, data: st.DataObject) -> None:
        graph = self.pick(data, self.graphs())
        values = self.picks(data, self.values(), 3)
        self.graph(graph).outputs = [self.value(v) for v in values]
        self.model.nodes[self.model.graphs[graph].output].operands = list(values)
        del self.model.graphs[graph].output_names[len(values) :]

    @rule(data=st.data(), name=st.sampled_from(NAMES))
    def output_name(self, data: st.DataObject, name: str) -> None:
        graph = self.pick(data, self.graphs())
        g = self.model.graphs[graph]
        count = len(self.model.nodes[g.output].operands)
        if not count:
            return
        at = data.draw(st.integers(0, count - 1))
        g.output_names += [None] * (count - len(g.output_names))
        if name in g.output_names[:at] + g.output_names[at + 1 :]:
            with pytest.raises(ValueError, match="has the name"):
                self.graph(graph).output_names[at] = name
        else:
            self.graph(graph).output_names[at] = name
            g.output_names[at] = name

    # --- rules: control edges, subgraphs ---

    @precondition(lambda self: self.listed())
    @rule(data=st.data())
    def control(self, data: st.DataObject) -> None:
        source, target = self.pick(data, self.listed()), self.pick(data, self.listed())
        m = self.model
        edges = self.node(target).control_inputs
        if source in m.nodes[target].ins:
            edges.append(self.node(source))  # kept once
            edges.remove(self.node(source))
            m.nodes[target].ins.remove(source)
            m.nodes[source].outs.remove(target)
        elif source == target or m.nodes[source].graph != m.nodes[target].graph:
            with pytest.raises(ValueError, match="its own control input|same graph"):
                edges.append(self.node(source))
        else:
            edges.append(self.node(source))
            m.connect(source, target)

    @rule(data=st.data())
    def erase_subgraph(self, data: st.DataObject) -> None:
        parents = [n for n in self.movable() if self.model.nodes[n].subgraphs]
        key = self.pick(data, parents)
        if key is None:
            return
        subgraphs = self.model.nodes[key].subgraphs
        at = data.draw(st.integers(-len(subgraphs), len(subgraphs) - 1))
        del self.node(key).subgraphs[at]
        self.model.erase_graph(subgraphs[at])

    # --- rules: whole graph ---

    @rule(data=st.data())
    def sort(self, data: st.DataObject) -> None:
        """A stable topological order, the one that printing uses; or a cycle as a path, and no change."""
        graph = self.pick(data, self.graphs())
        m, wrapper = self.model, self.graph(graph)
        wrappers = {k: self.node(k) for g in m.inside(graph) for k in m.graphs[g].nodes}
        text = str(self.root)
        try:
            wrapper.sort()
        except ir.VerifyError as error:
            # Nothing has moved: the invariants look at that.
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
        """Whether nodes can be taken away one by one, none before its sources."""
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
        """What can be read back reads back equal, and prints the same bytes."""
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
        """Each step goes to the neighbour of the node before, or of what stood behind it when that left."""
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
        # What is shown beside the list: the position of an input, which is no attribute to be set.
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


TestEdits = Edits.TestCase
TestEdits.settings = settings(
    max_examples=400 if LONG else 30,
    stateful_step_count=60 if LONG else 30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


# --- found by the model, or while it was written -------------------------------------------------


def test_a_dead_node_inside_a_dead_node_dies_once() -> None:
    """The user of both goes first; then the inner one must not be looked at after the outer one went."""
    for _ in range(50):  # which of the two went first hung on their addresses
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
