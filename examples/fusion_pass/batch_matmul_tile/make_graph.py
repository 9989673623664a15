"""Batched products of tiled tensors: ``python make_graph.py > graph.mlir``."""

from ge.es import GraphBuilder, TensorHolder
from ge.es.math import Reshape, Tile, Transpose
from ge.es.nn import BatchMatMulV2, Relu
from ge.graph import DataType, Graph

__all__ = ["make_graph", "make_graphs"]


def make_graph(
    name: str = "main",
    *,
    side: int = 0,
    chain: bool = False,
    x_shape: tuple[int, ...] | None = None,
    y_shape: tuple[int, ...] = (3, 4, 4),
    multiples: tuple[int, ...] | None = None,
    perm: tuple[int, ...] = (0, 2, 1),
    shape: tuple[int, ...] = (3, 4, 4),
    constant: bool = True,
    used: str = "",
    adj_x1: bool = False,
) -> Graph:
    """Return ``BatchMatMulV2(Tile(x), y)``, or the other way round.

    Parameters
    ----------
    name : str
        Of the graph.
    side : int
        Which operand is tiled.
    chain : bool
        What is tiled goes through Reshape to `shape`, and through Transpose by `perm`.
    x_shape, y_shape : tuple of int
        Default: a batch of one for x.
    multiples : tuple of int
        Default: 3 for the batch, 1 for the others.
    constant : bool
        Else multiples are an input.
    used : str
        ``"tile"``, ``"reshape"`` or ``"transpose"``: Relu of it is an output, too.
    adj_x1 : bool
        Of the product.
    """
    builder = GraphBuilder(name)
    x_shape = x_shape or ((1, 16) if chain else (1, 4, 4))
    x = builder.create_input(0, name="x", shape=list(x_shape))
    y = builder.create_input(1, name="y", shape=list(y_shape))
    counts = list(multiples or (3, *[1] * (len(x_shape) - 1)))
    if constant:
        many = builder.create_vector_int64(counts)
    else:
        many = builder.create_input(
            2, name="multiples", shape=[len(counts)], data_type=DataType.DT_INT64
        )
    steps: dict[str, TensorHolder] = {"tile": Tile(x, many)}
    last = steps["tile"]
    if chain:
        steps["reshape"] = Reshape(last, builder.create_vector_int64(list(shape)))
        last = Transpose(steps["reshape"], builder.create_vector_int64(list(perm)))
        steps["transpose"] = last
    operands = (last, y) if side == 0 else (y, last)
    outputs = [BatchMatMulV2(*operands, adj_x1=adj_x1)]
    if used:
        outputs.append(Relu(steps[used]))
    return builder.build_and_reset(outputs)


def make_graphs() -> list[Graph]:
    """Return four that the pass changes, and those that it leaves alone."""
    return [
        make_graph(),
        make_graph("right", side=1),
        make_graph("chain", chain=True),
        make_graph("right_chain", side=1, chain=True),
        make_graph("one_batch", y_shape=(1, 4, 4)),
        make_graph("any_batch", y_shape=(-1, 4, 4)),
        make_graph("rows_tiled", x_shape=(1, 2, 4), multiples=(3, 2, 1)),
        make_graph("not_constant", constant=False),
        make_graph("tile_used_twice", used="tile"),
        make_graph("reshape_used_twice", chain=True, used="reshape"),
        make_graph("batch_moved", chain=True, shape=(3, 3, 4), x_shape=(1, 12), perm=(1, 0, 2)),
        make_graph("batch_cut", chain=True, shape=(6, 2, 4), y_shape=(6, 2, 4)),
    ]


if __name__ == "__main__":
    print("\n".join(graph.to_text() for graph in make_graphs()))
