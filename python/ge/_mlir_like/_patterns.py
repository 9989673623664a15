"""What graphs and values ask `ge.passes` for: ``graph.find(pattern)``, ``value.where(...)``."""

from typing import Any

__all__ = ["find", "where"]


def find(graph: Any, what: Any) -> Any:
    """Return the matches of a pattern in a graph."""
    from ..passes._match import find

    return find(graph, what)


def where(value: Any, *predicate: Any, **conditions: Any) -> Any:
    """Return the value under conditions, in a pattern."""
    from ..passes import p

    return p.where(value, *predicate, **conditions)
