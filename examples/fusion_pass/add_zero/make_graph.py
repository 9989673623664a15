"""Sums with constants that are zero, nearly zero, or not: ``python make_graph.py > graph.mlir``."""

from typing import Any

from ge.es import GraphBuilder
from ge.es.math import Add
from ge.es.nn import Relu
from ge.graph import DataType, Graph, Tensor

__all__ = ["make_graph", "make_graphs"]


def make_graph(
    name: str = "main",
    *,
    constant: Any = 0.0,
    data_type: DataType = DataType.DT_FLOAT,
    shape: list[int] | None = None,
) -> Graph:
    """Return ``Relu(x + constant)``; both are of `data_type`, the constant of `shape`."""
    builder = GraphBuilder(name)
    x = builder.create_input(0, name="x", shape=[2, 3], data_type=data_type)
    data = Tensor([constant], data_type=data_type, shape=[] if shape is None else shape)
    return builder.build_and_reset([Relu(Add(x, data))])


def make_graphs() -> list[Graph]:
    """Return graphs that one pass, both or none changes."""
    return [
        make_graph(),
        make_graph("nearly", constant=1e-7),
        make_graph("negative_zero", constant=-0.0),
        make_graph("one", constant=1.0),
        make_graph("vector", shape=[1]),
        make_graph("double", constant=1e-16, data_type=DataType.DT_DOUBLE),
        make_graph("not_double", constant=1e-14, data_type=DataType.DT_DOUBLE),
        make_graph("int32", constant=0, data_type=DataType.DT_INT32),
        make_graph("int32_one", constant=1, data_type=DataType.DT_INT32),
        make_graph("int64", constant=0, data_type=DataType.DT_INT64),
    ]


if __name__ == "__main__":
    print("\n".join(graph.to_text() for graph in make_graphs()))
