"""Products of one tensor with constant weights: ``python make_graph.py > graph.mlir``."""

from typing import Any

from ge.es import GraphBuilder, TensorHolder
from ge.es.math import Reshape, Squeeze
from ge.es.nn import BatchMatMulV2, MatMulV2, Relu
from ge.graph import Graph

__all__ = ["make_graph", "make_graphs"]


def make_graph(
    name: str = "main",
    *,
    product: Any = MatMulV2,
    count: int = 3,
    left: bool = False,
    transpose: tuple[bool, bool] = (False, False),
    chain: bool = False,
    batch: tuple[int, ...] = (),
    odd: str = "",
    rows: int = 4,
) -> Graph:
    """Return ``product(x, w_i)`` for `count` constant weights, with Relu.

    Parameters
    ----------
    name : str
        Of the graph.
    product : MatMulV2 or BatchMatMulV2
    count : int
    left : bool
        The weight is the left operand.
    transpose : tuple of bool
        Of the operands.
    chain : bool
        Every second product takes x through Reshape, the others through Squeeze.
    batch : tuple of int
        Sizes of x in front.
    odd : str
        What is different in the last product: ``"shape"``, ``"data"``, ``"bias"``, ``"transpose"`` or ``"input"``, where the
        weight is an input.
    rows : int
        Of x; -1 is unknown.
    """
    builder = GraphBuilder(name)
    inner, columns = 3, 2
    matrix = [inner, rows] if left else [rows, inner]  # not transposed
    if transpose[int(left)]:
        matrix.reverse()
    shape = [*batch, *matrix]
    x = builder.create_input(0, name="x", shape=[1, *shape] if chain else shape)

    def data(number: int) -> TensorHolder:
        if not chain:
            return Relu(x) if odd == "data" and number == count - 1 else x
        if number % 2:
            return Squeeze(x, axis=[0])
        return Reshape(x, builder.create_vector_int64(shape))

    def weight(number: int) -> TensorHolder:
        is_last = number == count - 1
        sizes = [columns + (odd == "shape" and is_last), inner]  # of a left operand
        if not left:
            sizes.reverse()
        if transpose[int(not left)]:
            sizes.reverse()
        if odd == "input" and is_last:
            return builder.create_input(1, name="w", shape=sizes)
        numbers = [((number + 3 * i) % 7 - 3) / 4 for i in range(sizes[0] * sizes[1])]
        return builder.create_const_float(numbers, shape=sizes)

    word = "adj_x" if product is BatchMatMulV2 else "transpose_x"
    outputs = []
    for number in range(count):
        operands = [weight(number), data(number)] if left else [data(number), weight(number)]
        flags = list(transpose)
        bias = None
        if number == count - 1 and odd == "transpose":
            flags[0] = not flags[0]
        if number == count - 1 and odd == "bias":
            bias = builder.create_const_float([1.0] * columns)
        attributes = {f"{word}{i + 1}": flag for i, flag in enumerate(flags)}
        outputs.append(Relu(product(*operands, bias, **attributes)))
    return builder.build_and_reset(outputs)


def make_graphs() -> list[Graph]:
    """Return four that the pass changes, and those that it leaves alone."""
    return [
        make_graph(),
        make_graph("left", product=BatchMatMulV2, left=True, count=2, batch=(2,)),
        make_graph("transposed", product=BatchMatMulV2, transpose=(True, True), batch=(2,)),
        make_graph("chain", chain=True),
        make_graph("one", count=1),
        make_graph("other_shape", odd="shape", count=2),
        make_graph("other_data", odd="data", count=2),
        make_graph("bias", odd="bias", count=2),
        make_graph("other_transpose", odd="transpose", count=2, rows=3),
        make_graph("not_constant", odd="input", count=2),
        make_graph("any_rows", rows=-1),
    ]


if __name__ == "__main__":
    print("\n".join(graph.to_text() for graph in make_graphs()))
