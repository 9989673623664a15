"""Comparison of a built graph with the expected graph of a sample."""

from __future__ import annotations

from cann_lines import lines

from ge.graph import Graph


def check(graph: Graph, expected: str) -> None:
    """Compare the graph with the expected lines, and verify it."""
    assert lines(graph) == [line.strip() for line in expected.strip().splitlines()]
    graph.verify()
