"""Graphs for passes with hooks that take named values."""

import ge.ir as ir


def sum_and_product() -> ir.Graph:
    graph = ir.Graph("g")
    t = ir.TensorType((2,), ir.f32)
    a, b = graph.add_input("a", t), graph.add_input("b", t)
    added = graph.add_node("onnx.Add", [a, b], result_types=[t]).result
    first = graph.add_node("onnx.Relu", [added], result_types=[t]).result
    product = graph.add_node("onnx.Mul", [first, b], result_types=[t]).result
    graph.outputs = [graph.add_node("onnx.Relu", [product], result_types=[t]).result]
    return graph
