"""Sums by an operator of one's own: ``python make_graph.py > graph.mlir``.

A graph may have operators without a definition; the pass file defines this one.
"""

from ge import ir
from ge.graph import DataType, Graph, Tensor, TensorDesc

__all__ = ["make_graph", "make_graphs"]


def make_graph(
    name: str = "main",
    *,
    constant: float = 0.0,
    moved: bool = False,
    data_type: DataType = DataType.DT_FLOAT,
) -> Graph:
    """Return ``(x + constant) + y``; the constant goes through Identity, and TensorMove when `moved`."""
    graph = Graph(name)
    zeros = Tensor([constant] * 6, data_type=data_type, shape=[2, 3])
    x, y = graph.add_input("x", zeros.type), graph.add_input("y", zeros.type)

    def add(op: str, *operands: ir.Value, **attributes: Tensor) -> ir.Value:
        node = graph.add_node(op, operands, attributes)
        node.update_output_desc(0, TensorDesc([2, 3], data_type=data_type))
        return node.result

    zero = add("math.Identity", add("ge.Const", value=zeros))
    if moved:
        zero = add("math.TensorMove", zero)
    graph.outputs = [add("custom.AddCustom", add("custom.AddCustom", x, zero), y)]
    return graph


def make_graphs() -> list[Graph]:
    """Return three that the pass changes, and three that it leaves alone."""
    return [
        make_graph(),
        make_graph("moved", moved=True),
        make_graph("half", constant=5e-4, data_type=DataType.DT_FLOAT16),
        make_graph("not_half", constant=2e-3, data_type=DataType.DT_FLOAT16),
        make_graph("not_float", constant=5e-4, moved=True),
        make_graph("double", data_type=DataType.DT_DOUBLE),
    ]


if __name__ == "__main__":
    print("\n".join(graph.to_text() for graph in make_graphs()))
