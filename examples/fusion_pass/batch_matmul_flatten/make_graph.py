"""Batched products with matrices, of known and unknown sizes: ``python make_graph.py > graph.mlir``."""

from typing import Any

from ge.es import GraphBuilder
from ge.es.nn import BatchMatMul, BatchMatMulV2
from ge.graph import DataType, Graph

__all__ = ["make_graph", "make_graphs"]


def make_graph(
    name: str = "main",
    *,
    product: Any = BatchMatMulV2,
    a_shape: tuple[int, ...] = (2, 3, 4),
    b_shape: tuple[int, ...] = (4, 5),
    data_type: DataType = DataType.DT_FLOAT,
    bias: bool = False,
    **attributes: Any,
) -> Graph:
    """Return ``product(a, b)``; -1 is an unknown size."""
    builder = GraphBuilder(name)
    a = builder.create_input(0, name="a", shape=list(a_shape), data_type=data_type)
    b = builder.create_input(1, name="b", shape=list(b_shape), data_type=data_type)
    if bias:
        size = [b_shape[-1]]
        c = builder.create_input(2, name="bias", shape=size, data_type=data_type)
        return builder.build_and_reset([product(a, b, c, **attributes)])
    return builder.build_and_reset([product(a, b, **attributes)])


def make_graphs() -> list[Graph]:
    """Return four that the pass changes, and those that it leaves alone."""
    return [
        make_graph(),
        make_graph("first_version", product=BatchMatMul, data_type=DataType.DT_FLOAT16),
        make_graph("any_batch", a_shape=(-1, 3, 4)),
        make_graph("any_size", a_shape=(-1, -1, -1), b_shape=(4, -1)),
        make_graph("two_batches", b_shape=(2, 4, 5)),
        make_graph("transposed", b_shape=(5, 4), adj_x2=True),
        make_graph("with_bias", bias=True),
        make_graph("offset", offset_x=1),
        make_graph("integers", data_type=DataType.DT_INT32),
        make_graph("too_large", a_shape=(2**40, 2**40, 4)),
    ]


if __name__ == "__main__":
    print("\n".join(graph.to_text() for graph in make_graphs()))
