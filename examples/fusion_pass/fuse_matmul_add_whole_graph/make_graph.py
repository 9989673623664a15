"""Graphs with nodes named "matmul" and "add": ``python make_graph.py > graph.mlir``."""

from ge.es import GraphBuilder
from ge.es.math import Add, MatMul
from ge.graph import Graph

__all__ = ["make_graph", "make_graphs"]


def make_graph(
    name: str = "main",
    *,
    names: tuple[str, str] = ("matmul", "add"),
    swapped: bool = False,
    transposed: bool = False,
    bias: bool = False,
    used: bool = False,
) -> Graph:
    """Return ``a @ b + c``, or ``c + a @ b`` when `swapped`.

    Parameters
    ----------
    name : str
        Of the graph.
    names : tuple of str
        Of the product and the sum.
    swapped, transposed, bias : bool
        The sum has the product on its right; the product takes its first operand transposed; it has a bias.
    used : bool
        The product is an output, too.
    """
    builder = GraphBuilder(name)
    a = builder.create_input(0, name="a", shape=[3, 2] if transposed else [2, 3])
    b = builder.create_input(1, name="b", shape=[3, 4])
    c = builder.create_input(2, name="c", shape=[2, 4])
    d = builder.create_input(3, name="d", shape=[4]) if bias else None
    product = MatMul(a, b, d, transpose_x1=transposed)
    total = Add(c, product) if swapped else Add(product, c)
    for tensor, node_name in zip((product, total), names, strict=True):
        tensor._get_node_snapshot().name = node_name
    return builder.build_and_reset([total, product] if used else [total])


def make_graphs() -> list[Graph]:
    """Return three that the pass changes, and three that it leaves alone."""
    return [
        make_graph(),
        make_graph("swapped", swapped=True),
        make_graph("transposed", transposed=True),
        make_graph("other_names", names=("product", "add")),
        make_graph("with_bias", bias=True),
        make_graph("used_twice", used=True),
    ]


if __name__ == "__main__":
    print("\n".join(graph.to_text() for graph in make_graphs()))
