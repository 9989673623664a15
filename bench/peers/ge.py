"""GE itself."""

# ruff: noqa: B018 (reading an attribute is the work)

from __future__ import annotations

from typing import Any

from ge import ir

from . import Peer

__all__ = ["create"]


class Ge(Peer):
    def build(self, count: int) -> Any:
        graph = ir.Graph("main")
        of = ir.TensorType((4, 4), ir.f32)
        a = b = graph.add_input("x", of)
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
        for node in graph.nodes:
            node.op
            node.attributes["k"]

    def nodes(self, graph: Any) -> list[Any]:
        return list(graph.nodes)

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

    def replace(self, nodes: list[Any]) -> bool:
        for node in nodes:
            node.replace_with(node.operands[0])
        return True

    def source(self, graph: Any) -> Any:
        return graph.inputs[0]

    def ints(self, graph: Any) -> list[int]:
        return [node.attributes["k"] for node in graph.nodes]

    def finish(self, graph: Any) -> None:
        graph.outputs = [graph.nodes[-1].result]

    def print(self, graph: Any) -> str:
        return str(graph)

    def parse(self, text: str) -> Any:
        return ir.Graph.parse(text)


def create() -> Peer:
    return Ge()
