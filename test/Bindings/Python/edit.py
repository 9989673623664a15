# Edits, as text.
# RUN: %PYTHON %s | FileCheck %s
import ge.ir as ir

g = ir.Graph.parse(
    """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = "onnx.Add"(%a, %x) {k = 1 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}
"""
)
a, b = g.nodes

# CHECK-LABEL: replaced
# CHECK: %a = "onnx.LeakyRelu"(%x)
# CHECK-NOT: onnx.Relu
# CHECK: %b = "onnx.Add"(%a, %x)
print("replaced")
new = g.add_node(
    "onnx.LeakyRelu", [g.inputs[0]], result_types=a.result.type, ip=ir.InsertionPoint.before(a)
)
a.replace_with(new)
print(g)

# CHECK-LABEL: attributes
# CHECK: "onnx.Add"(%a, %x) {k = array<i64: 1, 2>}
print("attributes")
b.attributes["k"] = [1, 2]
print(g)

# CHECK-LABEL: undone
# CHECK: "onnx.Add"(%a, %x) {k = array<i64: 1, 2>}
print("undone")
with g.transaction() as t:
    b.erase(force=True)
    t.rollback()
print(g)

# CHECK-LABEL: forced
# CHECK-NOT: onnx.LeakyRelu
# CHECK: "onnx.Add"(%{{.*}}, %x)
print("forced")
new.erase(force=True)
print(g)

# A graph without an order prints all the same, in list order.
# CHECK-LABEL: cycle
# CHECK: "ge.graph"() ({
print("cycle")
b.operands[0] = b.result
print(g)
