"""Experts, each a chain of products with constant weights: ``python make_graph.py > graph.mlir``."""

from typing import Any

from ge.es import GraphBuilder, TensorHolder
from ge.es.nn import BatchMatMulV2, MatMulV2, MatMulV3, Relu
from ge.graph import Graph

__all__ = ["make_graph", "make_graphs"]


def make_graph(
    name: str = "main",
    *,
    product: Any = MatMulV2,
    experts: int = 3,
    levels: int = 2,
    transpose: tuple[bool, bool] = (False, False),
    odd: str = "",
    distance: int = 1,
    rows: int = 3,
) -> Graph:
    """Return the results of `experts`, each of which multiplies and applies Relu `levels` times.

    Parameters
    ----------
    name : str
        Of the graph.
    product : MatMulV2, MatMulV3 or BatchMatMulV2
    experts, levels : int
    transpose : tuple of bool
        Of the operands of the products of the second level.
    odd : str
        What is different in the last expert's product of the second level: ``"shape"``, ``"transpose"`` or ``"bias"``.
    distance : int
        How many times Relu is applied between products.
    rows : int
        Of the input; -1 is unknown.
    """
    builder = GraphBuilder(name)
    x = builder.create_input(0, name="x", shape=[rows, 2])

    def weight(rows: int, columns: int, seed: int) -> TensorHolder:
        numbers = [((seed + 3 * i) % 7 - 3) / 4 for i in range(rows * columns)]
        return builder.create_const_float(numbers, shape=[rows, columns])

    def attributes(left: bool, right: bool) -> dict[str, bool]:
        word = "adj_x" if product is BatchMatMulV2 else "transpose_x"
        return {f"{word}1": left, f"{word}2": right}

    def multiply(value: TensorHolder, expert: int, level: int) -> TensorHolder:
        seed = 10 * level + expert
        left, right = transpose if level == 1 else (False, False)
        inner, columns, bias = (rows if left else 2), 2, None
        if level == 1 and odd and expert == experts - 1:
            if odd == "transpose":
                right = not right
            elif odd == "shape":
                columns = 3
            elif odd == "bias":
                bias = weight(1, columns, seed)
        shape = (columns, inner) if right else (inner, columns)
        made: TensorHolder = product(value, weight(*shape, seed), bias, **attributes(left, right))
        return made

    outputs = []
    for expert in range(experts):
        value = x
        for level in range(levels):
            value = multiply(value, expert, level)
            for _ in range(distance):
                value = Relu(value)
        outputs.append(value)
    return builder.build_and_reset(outputs)


def make_graphs() -> list[Graph]:
    """Return three that the pass changes, and those that it leaves alone."""
    return [
        make_graph(),
        make_graph("transposed", experts=2, product=BatchMatMulV2, transpose=(True, True)),
        make_graph("three_levels", experts=2, product=MatMulV3, levels=3),
        make_graph("one_level", levels=1),
        make_graph("one_expert", experts=1),
        make_graph("other_shape", odd="shape"),
        make_graph("other_transpose", odd="transpose"),
        make_graph("bias", odd="bias"),
        make_graph("any_rows", rows=-1),
        make_graph("too_far", distance=9),
    ]


if __name__ == "__main__":
    print("\n".join(graph.to_text() for graph in make_graphs()))
