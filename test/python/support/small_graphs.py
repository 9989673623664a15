"""Small graphs for several test files."""

import ge.ir as ir


def f32() -> ir.Type:
    return ir.TensorType((2,), ir.f32)


def build() -> ir.Graph:
    g = ir.Graph("main")
    x = g.add_input("x", f32())
    a = g.add_node("onnx.Relu", [x], name="a", result_types=f32())
    b = g.add_node("onnx.Add", [a, x], {"k": 1}, name="b", result_types=[f32()])
    g.outputs = [b.result]
    return g
