# What Python builds, as text.
# RUN: %PYTHON %s | FileCheck %s
import numpy as np

import ge.ir as ir

g = ir.Graph("main")
t = ir.TensorType(("N", 3), ir.f32, format="ND")
x = g.add_input("x", t)
c = g.add_input("c", ir.TensorType((), ir.i1))

# CHECK-LABEL: signature
# CHECK: func.func @main(%x: tensor<?x3xf32, {dims = ["N", ""], format = "ND"}>, %c: tensor<i1>)
print("signature")
w = g.add_node(
    "ge.Const",
    attributes={"value": np.float32([1, 2, 3])},
    name="w",
    result_types=ir.TensorType((3,), ir.f32),
)
add = g.add_node(
    "onnx.Add",
    [x, w, None],
    {
        "i": 1,
        "f": 1e-5,
        "b": True,
        "s": "t",
        "l": [1, 2],
        "e": ir.ArrayAttr([], ir.f32),
        "d": {"k": 0.5},
    },
    name="add",
    result_types=t,
)
two = g.add_node("com.acme.Split", [add], name="two", result_types=[t, None, t], control_inputs=[w])
g.outputs = [two.results[2]]
g.output_names = ["result"]
print(g)

# CHECK-SAME: -> ({{.*}} {ge.name = "result"})
# CHECK: %[[W:.*]], %[[DONE:.*]] = "ge.Const"() {{.*}}value = dense<[1.0{{[0-9e+]*}}, 2.0{{[0-9e+]*}}, 3.0{{[0-9e+]*}}]> : tensor<3xf32>
# CHECK: "onnx.Add"(%x, %[[W]], %none)
# CHECK-SAME: {ge.name = "add", i = 1 : i64, f = {{[0-9.e-]*}} : f32, b = true, s = "t"
# CHECK-SAME: l = array<i64: 1, 2>, e = array<f32>, d = {k = 0.5 : f32}}
# CHECK: "com.acme.Split"({{.*}}%[[DONE]])
# CHECK-SAME: none

# CHECK-LABEL: subgraphs
# CHECK: "onnx.If"(%c) ({
# CHECK: "onnx.Abs"(%x)
# CHECK: "ge.yield"
# CHECK: }, {
# CHECK: "onnx.Neg"(%x)
# CHECK: ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]
print("subgraphs")
branch = g.add_node(
    "onnx.If", [c], result_types=t, subgraphs={"then_branch": None, "else_branch": None}
)
for body, op in zip(branch.subgraphs, ("onnx.Abs", "onnx.Neg")):
    body.outputs = [body.add_node(op, [x], result_types=t)]
g.outputs = [branch]
print(g)

# CHECK-LABEL: module
# CHECK: module @model attributes {ge.attrs = {opset = {onnx = 17 : i64}, producer = "p"}}
# CHECK: func.func @main
# CHECK: func.func @other
print("module")
m = ir.Module("model")
m.attributes.update(opset={"onnx": 17}, producer="p")
m.add_graph(g)
m.add_graph("other")
print(m)
