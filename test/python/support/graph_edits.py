"""Edits of a root graph and its model: nodes, operands, names, attributes, positions, control edges, subgraphs."""

from typing import Any

import pytest
from graph_beside_model import GraphBesideModel
from graph_model import KEYS, NAMES, OPS, TYPES, VALUES, MGraph, MNode, Result, Val
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

import ge.ir as ir


class GraphEdits(GraphBesideModel):
    """Rules that edit the graph and its model in the same way."""

    # --- rules: creating ---

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
        """A copy is detached, and has the same operands and a new name."""
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

    # --- rules: positions ---

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
            edges.append(self.node(source))  # an existing edge is not added again
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
