"""A graph with one match of each pattern: ``python make_graph.py > graph.mlir``."""

from ge.es import GraphBuilder
from ge.es.math import MatMul
from ge.es.nn import BatchMatMulV2
from ge.graph import Graph

__all__ = ["make_graph", "make_graphs"]


def make_graph() -> Graph:
    """Return ``BatchMatMulV2(MatMul(a, b) + c, d) + e``."""
    builder = GraphBuilder("main")
    a = builder.create_input(0, name="a", shape=[2, 3])
    b = builder.create_input(1, name="b", shape=[3, 4])
    c = builder.create_input(2, name="c", shape=[2, 4])
    d = builder.create_input(3, name="d", shape=[4, 5])
    e = builder.create_input(4, name="e", shape=[2, 5])
    return builder.build_and_reset([BatchMatMulV2(MatMul(a, b) + c, d) + e])


def make_graphs() -> list[Graph]:
    """Return it."""
    return [make_graph()]


if __name__ == "__main__":
    print("\n".join(graph.to_text() for graph in make_graphs()))
