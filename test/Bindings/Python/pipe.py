# What Python prints is what ge-opt reads, piece by piece.
# RUN: %PYTHON %s | ge-opt --split-input-file | FileCheck %s
from ge import es, ir
from ge.es import onnx as op

X = ir.TensorType(("N", 3), ir.f32)


def print_graph(make):
    with es.builder(make.__name__) as b:
        b.output(make(b.input("x", X)), name="y")
    print("// -----")
    print(b.graph)
    return make


# CHECK-LABEL: func.func @one_operator(%x: tensor<?x3xf32, {dims = ["N", ""]}>)
# CHECK-NEXT: %[[Y:.*]] = "onnx.Relu"(%x)
# CHECK-NEXT: return %[[Y]]
@print_graph
def one_operator(x):
    return op.Relu(x)


# CHECK-LABEL: func.func @constants_and_attributes
# CHECK: dense<2.0{{.*}}> : tensor<f32>
# CHECK: "onnx.Softmax"({{.*}}) {axis = 1 : i64}
@print_graph
def constants_and_attributes(x):
    return op.Softmax(op.Mul(x, 2.0), axis=1)


# CHECK-LABEL: func.func @vendors_operator
# CHECK: "acme.Quantize"(%x) {scheme = #acme.quant<1,  2>} : (tensor<?x3xf32, {dims = ["N", ""]}>) -> !acme.handle<3>
# CHECK: "acme.Dequantize"
@print_graph
def vendors_operator(x):
    graph = x.node.graph
    quantized = graph.add_node(
        "acme.Quantize",
        [x],
        {"scheme": ir.OpaqueType("#acme.quant<1,  2>")},
        result_types=[ir.OpaqueType("!acme.handle<3>")],
    )
    return graph.add_node("acme.Dequantize", [quantized.result], result_types=[X]).result
