"""Prints a graph as lines ``name = Type(operands)``, for tests that check nodes and their order."""

from __future__ import annotations

from ge.ir import Graph, Node, Value

__all__ = ["lines"]


def _operand(value: Value | None) -> str:
    if value is None:
        return "-"
    name = str(value.node.name)
    return name if value.index == 0 else f"{name}:{value.index}"


def _line(node: Node) -> str:
    return f"{node.name} = {node.type}({', '.join(_operand(v) for v in node.operands)})"


def lines(graph: Graph) -> list[str]:
    """Return inputs, nodes in order and outputs."""
    text = [f"{v.node.name} = {v.node.type}" for v in graph.inputs]
    text += [_line(node) for node in graph.nodes]
    return [*text, "return " + ", ".join(_operand(v) for v in graph.outputs)]
