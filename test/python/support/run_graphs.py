"""Short functions for building graphs to run."""

from typing import Any

import numpy as np

import ge.ir as ir


def tensor(*shape: Any, dtype: str = "f32") -> ir.TensorType:
    return ir.TensorType(shape, ir.DType(dtype))


def graph_of(*inputs: ir.Type, opset: int = 21) -> ir.Graph:
    graph = ir.Module("m").add_graph("main")
    graph.attributes["opset"] = opset
    for i, type_ in enumerate(inputs):
        graph.add_input("abcdef"[i], type_)
    return graph


def add(graph: ir.Graph, op: str, *operands: Any, results: int = 1, **attributes: Any) -> Any:
    node = graph.add_node(
        op,
        operands,
        attributes,
        result_types=[ir.UnknownType()] * results,
        name=op.rpartition(".")[2].lower(),
    )
    return node.result if results == 1 else list(node.results)


def constant(graph: ir.Graph, value: Any) -> ir.Value:
    held = ir.Tensor(np.asarray(value))
    return graph.add_node("ge.Const", attributes={"value": held}, result_types=[held.type]).result


X = np.array([[1, -2, 3]], np.float32)
