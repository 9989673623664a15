"""Batched products with one column and with more: ``python make_graph.py > graph.mlir``."""

from typing import Any

from ge.es import GraphBuilder
from ge.es.math import Transpose
from ge.es.nn import BatchMatMulV2, Relu
from ge.graph import DataType, Graph

__all__ = ["make_graph", "make_graphs"]


def make_graph(
    name: str = "main",
    *,
    perm: tuple[int, ...] | None = None,
    perm_type: DataType = DataType.DT_INT64,
    batch: tuple[int, ...] = (2,),
    b_batch: tuple[int, ...] | None = None,
    rows: int = 5,
    columns: int = 1,
    terms: int = 4,
    data_type: DataType = DataType.DT_FLOAT,
    users: int = 1,
    **attributes: Any,
) -> Graph:
    """Return ``BatchMatMulV2(a, b, adj_x2=True)``, or with ``Transpose(b, perm)`` when there is a `perm`.

    Parameters
    ----------
    name : str
        Of the graph.
    perm, perm_type
        Of Transpose, and the type of that constant.
    batch, b_batch : tuple of int
        Sizes in front, of both operands and of b.
    rows, columns, terms : int
        Sizes after them: of a `rows` and `terms`, of b `columns` and `terms`.
    data_type : DataType
    users : int
        How many nodes use the product.
    **attributes
        Of the product.
    """
    builder = GraphBuilder(name)
    shapes = ([*batch, rows, terms], [*(batch if b_batch is None else b_batch), columns, terms])
    if attributes.get("adj_x1"):
        shapes[0][-2:] = [terms, rows]
    a = builder.create_input(0, name="a", shape=shapes[0], data_type=data_type)
    b = builder.create_input(1, name="b", shape=shapes[1], data_type=data_type)
    if perm is None:
        product = BatchMatMulV2(a, b, **{"adj_x2": True, **attributes})
    else:
        create = (
            builder.create_vector_int64
            if perm_type == DataType.DT_INT64
            else builder.create_const_int32
        )
        product = BatchMatMulV2(a, Transpose(b, create(list(perm))), **attributes)
    return builder.build_and_reset([Relu(product) for _ in range(users)])


def make_graphs() -> list[Graph]:
    """Return three that the pass changes, and those that it leaves alone."""
    return [
        make_graph(),
        make_graph("transposed", perm=(0, 2, 1)),
        make_graph("halves", perm=(0, 2, 1), data_type=DataType.DT_FLOAT16, terms=16),
        make_graph("two_columns", columns=2),
        make_graph("many_terms", terms=17),
        make_graph("left_transposed", adj_x1=True),
        make_graph("not_transposed", adj_x2=False, terms=1),
        make_graph("batch_transposed", perm=(2, 0, 1), batch=(4,)),
        make_graph("double", data_type=DataType.DT_DOUBLE),
        make_graph("used_twice", users=2),
    ]


if __name__ == "__main__":
    print("\n".join(graph.to_text() for graph in make_graphs()))
