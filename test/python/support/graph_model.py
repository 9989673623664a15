"""A simple model of a graph in plain Python objects, with which the state machine compares `ge.ir`."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import ge.ir as ir

OPS = ["t.A", "t.B", "onnx.Add"]
NAMES = ["a", "b", "a_1", "b_1_1", "x/y", "é", "1", "a b"]
KEYS = ["k", "l", "ge.odd", "with space"]
VALUES: list[Any] = [
    0,
    -1,
    2**63 - 1,
    -(2**63),
    True,
    0.5,
    1e-5,
    "s",
    "",
    b"\xff",
    (1, 2),
    ("p", "q"),
]
VALUES += [((1,), (2, 3)), {"d": 1, "e": (0.5, 1.5)}]
TYPES = [
    ir.TensorType((2, "N", None), ir.f32),
    ir.TensorType(None, ir.i64),
    ir.TensorType((), ir.f16, format="NCHW"),
]

Use = tuple[int, int]  # (node, operand index)
Val = tuple[int, int]  # (node, result index)


@dataclass
class Result:
    type: ir.Type
    name: str | None = None


@dataclass
class MNode:
    op: str
    kind: str  # "node", "data" or "output"
    graph: int | None  # None while detached
    name: str | None = None
    operands: list[Val | None] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    ins: list[int] = field(default_factory=list)
    outs: list[int] = field(default_factory=list)
    subgraphs: list[int] = field(default_factory=list)


@dataclass
class MGraph:
    name: str
    parent: int | None
    output: int
    inputs: list[int] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    output_names: list[str | None] = field(default_factory=list)


class Model:
    """A root graph with all nested graphs and nodes, identified by numbers that are never reused."""

    def __init__(self) -> None:
        self.nodes: dict[int, MNode] = {}
        self.graphs: dict[int, MGraph] = {}
        self.counters: dict[tuple[str, str], int] = {}
        self.dead: dict[int, str] = {}

    def snapshot(self) -> Model:
        # Types are copied by reference, everything else is numbers and text.
        return copy.deepcopy(self)

    # --- queries ---

    def uses(self, value: Val) -> list[Use]:
        return [
            (user, i)
            for user, node in self.nodes.items()
            for i, operand in enumerate(node.operands)
            if operand == value
        ]

    def has_uses(self, node: int) -> bool:
        return any(self.uses((node, i)) for i in range(len(self.nodes[node].results)))

    def names(self, space: str) -> dict[str, Any]:
        if space == "node":
            return {n.name: k for k, n in self.nodes.items() if n.name is not None}
        return {
            r.name: (k, i)
            for k, n in self.nodes.items()
            for i, r in enumerate(n.results)
            if r.name is not None
        }

    def claim(self, space: str, name: str) -> str:
        """Return the unique name that a node gets for the requested `name`."""
        taken = self.names(space)
        if name not in taken:
            return name
        counter = self.counters.get((space, name), 0)
        while True:
            counter += 1
            if f"{name}_{counter}" not in taken:
                break
        self.counters[space, name] = counter
        return f"{name}_{counter}"

    def inside(self, graph: int) -> list[int]:
        """Return all graphs in `graph`, itself first."""
        found = [graph]
        for node in self.graphs[graph].nodes:
            for inner in self.nodes[node].subgraphs:
                found += self.inside(inner)
        return found

    def inside_node(self, node: int) -> list[int]:
        return [g for s in self.nodes[node].subgraphs for g in self.inside(s)]

    def path(self, graph: int | None) -> list[int]:
        """Return the graphs that enclose `graph`, itself first."""
        found = []
        while graph is not None:
            found.append(graph)
            parent = self.graphs[graph].parent
            graph = self.nodes[parent].graph if parent is not None else None
        return found

    def standing_in(self, node: int, graph: int) -> int | None:
        """Return `node`, or the node that encloses it, in the list of `graph`; None if there is none."""
        at: int | None = node
        while at is not None and self.nodes[at].graph != graph:
            g = self.nodes[at].graph
            at = self.graphs[g].parent if g is not None else None
        return at if at is not None and self.nodes[at].kind == "node" else None

    def sources(self, node: int) -> set[int]:
        """Return the nodes of the same list that must precede `node`."""
        graph = self.nodes[node].graph
        assert graph is not None
        found = set()
        members = [node]
        for g in self.inside_node(node):
            members += [*self.graphs[g].nodes, self.graphs[g].output]
        for member in members:
            takes = [v[0] for v in self.nodes[member].operands if v is not None]
            for source in [*takes, *self.nodes[member].ins]:
                at = self.standing_in(source, graph)
                if at is None:
                    continue
                if at == node and member != node:
                    # Using a value of a body of the same owner is no dependence; using a result of the owner is.
                    if source == node:
                        found.add(at)
                    continue
                found.add(at)
        return found

    def is_printable(self) -> bool:
        """Return whether the printed text can be parsed: all operands are visible at their uses."""
        for graph in self.inside(0):
            g = self.graphs[graph]
            around = self.path(graph)
            for node in [*g.inputs, *g.nodes, g.output]:
                n = self.nodes[node]
                for operand in n.operands:
                    if operand is not None and self.nodes[operand[0]].graph not in around:
                        return False
                if any(self.nodes[i].graph != graph for i in n.ins):
                    return False
            if None in self.nodes[g.output].operands:
                return False
        return True

    # --- editing ---

    def drop_control(self, node: int) -> None:
        n = self.nodes[node]
        for i in n.ins:
            self.nodes[i].outs.remove(node)
        for o in n.outs:
            self.nodes[o].ins.remove(node)
        n.ins.clear()
        n.outs.clear()

    def drop_uses(self, node: int) -> None:
        for i in range(len(self.nodes[node].results)):
            for user, k in self.uses((node, i)):
                self.nodes[user].operands[k] = None

    def kill(self, key: int) -> None:
        self.nodes.pop(key, None)
        self.graphs.pop(key, None)
        self.dead[key] = "erased"

    def erase(self, node: int) -> None:
        """Erase `node` with its subgraphs; uses of its results become absent operands."""
        n = self.nodes[node]
        for graph in list(n.subgraphs):
            self.erase_graph(graph)
        self.drop_control(node)
        self.drop_uses(node)
        if n.graph is not None:
            g = self.graphs[n.graph]
            (g.inputs if n.kind == "data" else g.nodes).remove(node)
        self.kill(node)

    def erase_graph(self, graph: int) -> None:
        g = self.graphs[graph]
        for node in [*g.nodes, *g.inputs]:
            self.erase(node)
        self.drop_control(g.output)
        if g.parent is not None:
            self.nodes[g.parent].subgraphs.remove(graph)
        self.kill(g.output)
        self.kill(graph)

    def replace(self, node: int, values: list[Val]) -> None:
        n = self.nodes[node]
        producers: list[int] = []
        for i, to in enumerate(values):
            for user, k in self.uses((node, i)):
                self.nodes[user].operands[k] = to
            mine, theirs = n.results[i], self.nodes[to[0]].results[to[1]]
            if mine.name is not None and theirs.name is None:
                mine.name, theirs.name = None, mine.name
            if to[0] not in producers:
                producers.append(to[0])
        if producers and n.name is not None:
            first = self.nodes[producers[0]]
            if first.name is None and first.kind == "node" and first.graph is not None:
                n.name, first.name = None, n.name
        ins, outs = list(n.ins), list(n.outs)
        self.drop_control(node)
        for producer in producers:
            p = self.nodes[producer]
            if p.graph != n.graph:
                continue
            for i in ins:
                if i != producer and p.kind != "data" and i not in p.ins:
                    self.connect(i, producer)
            for o in outs:
                if o != producer and o not in p.outs:
                    self.connect(producer, o)
        self.erase(node)

    def connect(self, source: int, target: int) -> None:
        self.nodes[source].outs.append(target)
        self.nodes[target].ins.append(source)

    def erase_dead(self) -> None:
        while True:
            for graph in self.inside(0):
                dead = [
                    n
                    for n in self.graphs[graph].nodes
                    if not self.has_uses(n) and not self.nodes[n].outs
                ]
                if dead:
                    self.erase(dead[0])
                    break
            else:
                return
