"""Graphs for Model Explorer (package ``ai-edge-model-explorer``), which reads no ONNX itself but JSON of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .._support.visible import visible
from ._scene import is_drawn, module_path, short_type

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..ir import Graph, Node, Value

__all__ = ["explorer_json"]


def explorer_json(graph: Graph, label: str | None = None) -> str:
    """Return a graph, and those inside it, as a graph collection of Model Explorer.

    Parameters
    ----------
    graph : Graph
    label : str, optional
        What the collection is called; default: the graph's name.

    Notes
    -----
    Nodes are in layers by `module_path`; constants stand among the attributes of what takes them. Cost: O(nodes + edges).
    """
    # Ctrl-C does not interrupt a call of the encoder, so each call gets one node, edge or result.
    graphs: list[str] = []
    work = [(graph, visible(graph.name or "graph"))]
    while work:
        current, name = work.pop()
        numbers = {node: str(i) for i, node in enumerate(_nodes(current))}
        nodes = _list(_node(node, numbers, name) for node in numbers)
        graphs.append(f'{{"id": {json.dumps(name)}, "nodes": {nodes}}}')
        for node, number in reversed(numbers.items()):
            work += [(body, _inner(name, number, body)) for body in reversed(node.subgraphs)]
    title = json.dumps(visible(label or graph.name or "graph"))
    return f'{{"label": {title}, "graphs": {_list(graphs)}}}'


def _list(elements: Iterable[str]) -> str:
    return f"[{', '.join(elements)}]"


def _nodes(graph: Graph) -> Iterable[Node]:
    yield from (value.node for value in graph.inputs)
    yield from filter(is_drawn, graph.nodes)
    yield graph.output_node


def _inner(name: str, number: str, body: Graph) -> str:
    return f"{name}/{number}:{visible(body.slot)}"


def _node(node: Node, numbers: dict[Node, str], graph: str) -> str:
    head: dict[str, Any] = {
        "id": numbers[node],
        "label": visible(node.type if node.domain in ("onnx", "ge") else node.op),
        "namespace": visible("/".join(module_path(node))),
        "attrs": _attributes(node),
    }
    if node.subgraphs:
        head["subgraphIds"] = [_inner(graph, numbers[node], body) for body in node.subgraphs]
    edges = (
        {
            "sourceNodeId": numbers[value.node],
            "sourceNodeOutputId": str(value.index),
            "targetNodeInputId": str(i),
        }
        for i, value in enumerate(node.operands)
        if value is not None and value.node in numbers
    )
    results = (
        {"id": str(i), "attrs": _pairs({"name": value.name, "type": short_type(value)})}
        for i, value in enumerate(node.results)
    )
    return (
        f"{json.dumps(head)[:-1]}, "
        f'"incomingEdges": {_list(map(json.dumps, edges))}, '
        f'"outputsMetadata": {_list(map(json.dumps, results))}}}'
    )


def _attributes(node: Node) -> list[dict[str, str]]:
    rows = {"name": node.name} if node.has_name else {}
    for i, value in enumerate(node.operands):
        if value is not None and not is_drawn(value.node):
            rows[f"operand {i}"] = _constant(value)
    for key, value in node.attributes.items():
        if not key.startswith("onnx."):
            text = repr(value)
            rows[key] = text if len(text) <= 200 else text[:197] + "..."
    for i, origin in enumerate(node.origins):
        rows[f"origin {i}"] = f"{origin.node or '-'} {origin.op or ''} by {origin.pass_name or '-'}"
    return _pairs(rows)


def _constant(value: Value) -> str:
    return f"{value.name}: {short_type(value)}"


def _pairs(rows: dict[str, str]) -> list[dict[str, str]]:
    return [{"key": visible(key), "value": visible(value)} for key, value in rows.items()]
