"""Joined tensors and Relu: ``python make_graph.py > graph.mlir``."""

from ge.es import GraphBuilder
from ge.es.math import ConcatV2
from ge.es.nn import Relu
from ge.graph import Graph

__all__ = ["make_graph", "make_graphs"]


def make_graph(
    name: str = "main", *, count: int = 3, dim: int = 1, twice: bool = False, relu: bool = True
) -> Graph:
    """Return ``Relu(ConcatV2(x0, ..., dim))`` of `count` tensors.

    Parameters
    ----------
    name : str
        Of the graph.
    count, dim : int
    twice : bool
        What is joined is an output, too.
    relu : bool
        Else it is the only output.
    """
    builder = GraphBuilder(name)
    xs = [builder.create_input(i, name=f"x{i}", shape=[2, 3, 4]) for i in range(count)]
    joined = ConcatV2(xs, builder.create_const_int32(dim), N=count)
    outputs = [Relu(joined)] if relu else [joined]
    return builder.build_and_reset([*outputs, joined] if twice else outputs)


def make_graphs() -> list[Graph]:
    """Return two that the pass changes, and two that it leaves alone."""
    return [
        make_graph(),
        make_graph("two", count=2, dim=0),
        make_graph("used_twice", twice=True),
        make_graph("no_relu", relu=False),
    ]


if __name__ == "__main__":
    print("\n".join(graph.to_text() for graph in make_graphs()))
