"""How a graph shows itself in a notebook: a picture of a small one, a summary of a large one."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from .._support.program import PACKAGE
from .._support.visible import visible

if TYPE_CHECKING:
    from ..ir import Graph, Value

__all__ = ["graph_html", "graph_svg"]

# Nodes of a graph that is still drawn.
_LARGEST = 60
_MOST_ROWS = 12


def graph_svg(graph: Graph) -> str | None:
    """Return a picture; None of a large graph, of which `graph_html` is a summary."""
    from . import svg

    return svg(graph) if len(graph.nodes) <= _LARGEST else None


def graph_html(graph: Graph) -> str:
    """Return the picture in a box that scrolls, or the summary."""
    picture = graph_svg(graph)
    if picture is not None:
        return f'<div style="overflow:auto;max-height:600px">{picture}</div>'
    return _summary(graph)


def _summary(graph: Graph) -> str:
    counts: dict[str, int] = {}
    for node in graph.walk():
        if not (node.is_input or node.is_output):
            counts[node.op] = counts.get(node.op, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rows = [
        f"<tr><td>{escape(visible(op))}</td><td style='text-align:right'>{count}</td></tr>"
        for op, count in ordered[:_MOST_ROWS]
    ]
    if len(ordered) > _MOST_ROWS:
        rest = sum(count for _, count in ordered[_MOST_ROWS:])
        rows.append(
            f"<tr><td>{len(ordered) - _MOST_ROWS} other operators</td>"
            f"<td style='text-align:right'>{rest}</td></tr>"
        )
    lines = [
        f"<b>graph {escape(visible(graph.name))}</b>: {sum(counts.values())} nodes",
        f"inputs: {_values(list(graph.inputs))}",
        f"outputs: {_values([v for v in graph.outputs if v is not None])}",
        f"<i>too large to draw here: {PACKAGE}.view.html(graph) makes a page with the whole graph</i>",
    ]
    return f"<div>{'<br>'.join(lines)}<table>{''.join(rows)}</table></div>"


def _values(values: list[Value]) -> str:
    shown = [escape(visible(f"{v.name}: {v.type}")) for v in values[:_MOST_ROWS]]
    more = f", ... {len(values) - _MOST_ROWS} more" if len(values) > _MOST_ROWS else ""
    return (", ".join(shown) or "none") + more
