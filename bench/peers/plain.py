"""A graph of plain Python objects with `__slots__`: the minimum that a graph in Python costs."""

# ruff: noqa: B018 (reading an attribute is the work)

from __future__ import annotations

from typing import Any

from . import Peer

__all__ = ["create"]


class Value:
    __slots__ = ("node", "type", "uses")

    def __init__(self, node: Node | None, of: Any) -> None:
        self.node = node
        self.type = of
        # Users, one entry for each use. A list is fastest for the few uses that a value has; removing one
        # is O(uses).
        self.uses: list[Node] = []

    def replace_all_uses_with(self, other: Value) -> None:
        for user in self.uses:
            user.operands[user.operands.index(self)] = other
        other.uses += self.uses
        self.uses = []


class Node:
    __slots__ = ("attributes", "graph", "name", "op", "operands", "results")

    def __init__(
        self,
        graph: Graph,
        op: str,
        operands: list[Value],
        attributes: dict[str, Any],
        name: str,
        result_types: list[Any],
    ) -> None:
        self.graph = graph
        self.op = op
        self.operands = operands
        self.attributes = attributes
        self.name = name
        for value in operands:
            value.uses.append(self)
        self.results = [Value(self, of) for of in result_types]

    @property
    def result(self) -> Value:
        return self.results[0]

    def erase(self) -> None:
        for value in self.results:
            if value.uses:
                raise ValueError(f"{self.name} is used")
        for value in self.operands:
            value.uses.remove(self)
        del self.graph.nodes[self.name]


class Graph:
    __slots__ = ("inputs", "nodes")

    def __init__(self) -> None:
        # An ordered dict by name: names are unique, and erasing is O(1).
        self.nodes: dict[str, Node] = {}
        self.inputs: list[Value] = []

    def add_input(self, of: Any) -> Value:
        self.inputs.append(Value(None, of))
        return self.inputs[-1]

    def add_node(
        self,
        op: str,
        operands: list[Value],
        attributes: dict[str, Any],
        *,
        name: str,
        result_types: list[Any],
    ) -> Node:
        if name in self.nodes:
            raise ValueError(f"{name} is taken")
        node = self.nodes[name] = Node(self, op, operands, attributes, name, result_types)
        return node


class Plain(Peer):
    def build(self, count: int) -> Any:
        graph = Graph()
        of = ("f32", (4, 4))
        a = b = graph.add_input(of)
        add = graph.add_node
        for i in range(count):
            node = add(
                "onnx.Add",
                [a, b],
                {"k": i, "pads": [1, 2, 3, 4]},
                name=f"n{i}",
                result_types=[of],
            )
            a, b = node.result, a
        return graph

    def walk(self, graph: Any) -> None:
        for node in graph.nodes.values():
            node.op
            node.attributes["k"]

    def nodes(self, graph: Any) -> list[Any]:
        return list(graph.nodes.values())

    def walk_held(self, nodes: list[Any]) -> None:
        for node in nodes:
            node.op
            node.attributes["k"]

    def bypass(self, nodes: list[Any]) -> None:
        for node in nodes:
            node.result.replace_all_uses_with(node.operands[0])
            node.erase()

    def handles(self, nodes: list[Any]) -> list[tuple[Any, Any]]:
        return [(node.result, node) for node in nodes]

    def bypass_held(self, pairs: list[tuple[Any, Any]], value: Any) -> None:
        for result, node in pairs:
            result.replace_all_uses_with(value)
            node.erase()

    def source(self, graph: Any) -> Any:
        return graph.inputs[0]

    def ints(self, graph: Any) -> list[int]:
        return [node.attributes["k"] for node in graph.nodes.values()]


def create() -> Peer:
    return Plain()
