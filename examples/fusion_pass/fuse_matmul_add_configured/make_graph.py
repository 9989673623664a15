"""Products plus constants, and what differs from the pattern in one thing: ``python make_graph.py > graph.mlir``."""

from typing import Any

from ge.es import GraphBuilder
from ge.es.math import MatMul
from ge.es.nn import BatchMatMulV2
from ge.graph import Graph

__all__ = ["make_graph", "make_graphs"]


def make_graph(
    name: str = "main", *, product: Any = MatMul, constant: Any = 0.1, **attributes: Any
) -> Graph:
    """Return ``product(x, y) + constant``.

    Parameters
    ----------
    name : str
        Of the graph.
    product : MatMul or BatchMatMulV2
    constant : float or nested list
        A float becomes a constant of shape 2x2.
    **attributes
        Of the product.
    """
    builder = GraphBuilder(name)
    x = builder.create_input(0, name="x", shape=[2, 2])
    y = builder.create_input(1, name="y", shape=[2, 2])
    if isinstance(constant, float):
        constant = [[constant] * 2] * 2
    return builder.build_and_reset([product(x, y, **attributes) + constant])


def make_graphs() -> list[Graph]:
    """Return two that the pass changes, and those that it leaves alone."""
    return [
        make_graph(),
        make_graph("batch", product=BatchMatMulV2),
        make_graph("other_value", constant=0.2),
        make_graph("almost", constant=0.10000001),
        make_graph("other_shape", constant=[0.1, 0.1]),
        make_graph("integers", constant=[[1, 1], [1, 1]]),
        make_graph("transposed", transpose_x1=True),
        make_graph("transposed_batch", product=BatchMatMulV2, adj_x2=True),
        make_graph("offset", product=BatchMatMulV2, offset_x=1),
    ]


if __name__ == "__main__":
    print("\n".join(graph.to_text() for graph in make_graphs()))
