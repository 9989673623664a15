"""Comparison of a built graph with the one that a sample's author builds."""

from __future__ import annotations

from cann_lines import lines

from ge.graph import Graph


def check(graph: Graph, expected: str) -> None:
    """Compare with lines, and check the graph itself."""
    assert lines(graph) == [line.strip() for line in expected.strip().splitlines()]
    graph.verify()
