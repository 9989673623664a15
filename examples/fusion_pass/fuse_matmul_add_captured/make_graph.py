"""Products plus something, of floats and of others: ``python make_graph.py > graph.mlir``."""

from typing import Any

from ge.es import GraphBuilder
from ge.es.math import MatMul
from ge.es.nn import BatchMatMulV2
from ge.graph import DataType, Graph

__all__ = ["make_graph", "make_graphs"]


def make_graph(
    name: str = "main",
    *,
    product: Any = MatMul,
    left: bool = False,
    right: bool = False,
    data_type: DataType = DataType.DT_FLOAT,
) -> Graph:
    """Return ``product(a, b) + c``, where `left` and `right` say which operand is taken transposed."""
    builder = GraphBuilder(name)
    a, b, c = (
        builder.create_input(i, name=each, shape=shape, data_type=data_type)
        for i, (each, shape) in enumerate(
            [("a", [3, 2] if left else [2, 3]), ("b", [4, 3] if right else [3, 4]), ("c", [2, 4])]
        )
    )
    flag = "transpose_x" if product is MatMul else "adj_x"
    made = product(a, b, **{f"{flag}1": left, f"{flag}2": right})
    return builder.build_and_reset([made + c])


def make_graphs() -> list[Graph]:
    """Return three that the pass changes, and one that it leaves alone."""
    return [
        make_graph(),
        make_graph("right", right=True),
        make_graph("batch", product=BatchMatMulV2, left=True),
        make_graph("halves", data_type=DataType.DT_FLOAT16),
    ]


if __name__ == "__main__":
    print("\n".join(graph.to_text() for graph in make_graphs()))
