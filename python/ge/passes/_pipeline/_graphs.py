"""Graphs inside graphs."""

from collections.abc import Iterator

from ... import ir

__all__ = ["graphs_inside"]


def graphs_inside(graph: ir.Graph) -> Iterator[ir.Graph]:
    """Yield a graph and those inside it, the outer before the inner, as they are when each is reached."""
    waiting = [graph]
    while waiting:
        current = waiting.pop()
        if not current.is_alive:
            continue
        yield current
        waiting.extend(reversed(_bodies(current)))


def _bodies(graph: ir.Graph) -> list[ir.Graph]:
    """Return the graphs of a graph's nodes; none when it was erased meanwhile."""
    if not graph.is_alive:
        return []
    return [body for node in graph.nodes for body in node.subgraphs]
