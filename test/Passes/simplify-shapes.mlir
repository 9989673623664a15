// Sizes that are symbols: what is computed with them is said in a constant where it can be.

// RUN: ge-opt --pass-pipeline=simplify-shapes %s | FileCheck %s

// As PyTorch's exporter writes view(x.shape[0], -1, 2).
// CHECK-LABEL: func.func @view
// CHECK-NEXT: ge.Const{{.*}}dense<[0, -1, 2]>
// CHECK-NEXT: "onnx.Reshape"(%x
// CHECK-NEXT: onnx.Relu
func.func @view(%x: tensor<?x6xf32, {dims = ["N", ""]}>) -> tensor<?x3x2xf32, {dims = ["N", "", ""]}> {
  %i = "ge.Const"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %axes = "ge.Const"() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %rest = "ge.Const"() {value = dense<[-1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %s = "onnx.Shape"(%x) : (tensor<?x6xf32, {dims = ["N", ""]}>) -> tensor<2xi64>
  %g = "onnx.Gather"(%s, %i) : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  %u = "onnx.Unsqueeze"(%g, %axes) : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  %c = "onnx.Concat"(%u, %rest) {axis = 0 : i64} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
  %y = "onnx.Reshape"(%x, %c) : (tensor<?x6xf32, {dims = ["N", ""]}>, tensor<3xi64>) -> tensor<?x?x2xf32, {dims = ["N", "M", ""]}>
  %z = "onnx.Relu"(%y) : (tensor<?x?x2xf32, {dims = ["N", "M", ""]}>) -> tensor<?x3x2xf32, {dims = ["N", "", ""]}>
  return %z : tensor<?x3x2xf32, {dims = ["N", "", ""]}>
}

// Two that are not known are one too many.
// CHECK-LABEL: func.func @unknown
// CHECK: onnx.Reshape"(%x, %s)
func.func @unknown(%x: tensor<?x?xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %y = "onnx.Reshape"(%x, %s) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A shape taken apart and put together is that shape; Expand to it is nothing.
// CHECK-LABEL: func.func @again
// CHECK: %[[S:.*]] = "onnx.Shape"(%x)
// CHECK-NOT: onnx.Concat
// CHECK-NOT: onnx.Expand
// CHECK: "onnx.ConstantOfShape"(%[[S]])
func.func @again(%x: tensor<?x?xf32, {dims = ["N", "M"]}>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %i = "ge.Const"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %k = "ge.Const"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %s = "onnx.Shape"(%x) : (tensor<?x?xf32, {dims = ["N", "M"]}>) -> tensor<2xi64>
  %n = "onnx.Gather"(%s, %i) : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %m = "onnx.Gather"(%s, %k) : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %c = "onnx.Concat"(%n, %m) {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %f = "onnx.ConstantOfShape"(%c) : (tensor<2xi64>) -> tensor<?x?xf32>
  %r = "onnx.Relu"(%x) : (tensor<?x?xf32, {dims = ["N", "M"]}>) -> tensor<?x?xf32, {dims = ["N", "M"]}>
  %e = "onnx.Expand"(%r, %c) : (tensor<?x?xf32, {dims = ["N", "M"]}>, tensor<2xi64>) -> tensor<?x?xf32>
  return %e, %f : tensor<?x?xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @turned
// CHECK: onnx.Concat
func.func @turned(%x: tensor<?x?xf32, {dims = ["N", "M"]}>) -> tensor<?x?xf32> {
  %i = "ge.Const"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %k = "ge.Const"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %s = "onnx.Shape"(%x) : (tensor<?x?xf32, {dims = ["N", "M"]}>) -> tensor<2xi64>
  %n = "onnx.Gather"(%s, %i) : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %m = "onnx.Gather"(%s, %k) : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %c = "onnx.Concat"(%m, %n) {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %f = "onnx.ConstantOfShape"(%c) : (tensor<2xi64>) -> tensor<?x?xf32>
  return %f : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @bodies
// CHECK: onnx.If
// CHECK: ge.Const{{.*}}dense<[-1]>
// CHECK: onnx.Reshape
func.func @bodies(%x: tensor<2x?xf32>, %s: tensor<1xi64>, %c: tensor<i1>) -> tensor<?xf32> {
  %y = "onnx.If"(%c) ({
    %t = "onnx.Reshape"(%x, %s) : (tensor<2x?xf32>, tensor<1xi64>) -> tensor<?xf32>
    "ge.yield"(%t) : (tensor<?xf32>) -> ()
  }, {
    %e = "onnx.Cast"(%s) {to = 1 : i64} : (tensor<1xi64>) -> tensor<1xf32>
    "ge.yield"(%e) : (tensor<1xf32>) -> ()
  }) {ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]} : (tensor<i1>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Put together as i32, it is a Cast of that shape.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[S:.*]] = "onnx.Shape"(%x)
// CHECK-NOT: onnx.Concat
// CHECK: %[[C:.*]] = "onnx.Cast"(%[[S]]) {{.*}}to = 6
// CHECK: onnx.Neg"(%[[C]]){{.*}}-> tensor<2xi32>
func.func @narrow(%x: tensor<?x?xf32, {dims = ["N", "M"]}>) -> tensor<2xi32> {
  %i = "ge.Const"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %k = "ge.Const"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %s = "onnx.Shape"(%x) : (tensor<?x?xf32, {dims = ["N", "M"]}>) -> tensor<2xi64>
  %n = "onnx.Gather"(%s, %i) : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %m = "onnx.Gather"(%s, %k) : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %a = "onnx.Cast"(%n) {to = 6 : i64} : (tensor<1xi64>) -> tensor<1xi32>
  %b = "onnx.Cast"(%m) {to = 6 : i64} : (tensor<1xi64>) -> tensor<1xi32>
  %c = "onnx.Concat"(%a, %b) {axis = 0 : i64} : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %r = "onnx.Neg"(%c) : (tensor<2xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}

// No -1 beside a size that may be 0: here the model has none, and takes an empty batch.
// CHECK-LABEL: func.func @batch
// CHECK: %[[T:.*]] = "onnx.Concat"
// CHECK: onnx.Reshape"(%x, %[[T]])
func.func @batch(%x: tensor<?x?x4xf32, {dims = ["N", "S", ""]}>) -> tensor<?x?xf32> {
  %i = "ge.Const"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %k = "ge.Const"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %four = "ge.Const"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
  %s = "onnx.Shape"(%x) : (tensor<?x?x4xf32, {dims = ["N", "S", ""]}>) -> tensor<3xi64>
  %n = "onnx.Gather"(%s, %i) : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %m = "onnx.Gather"(%s, %k) : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %p = "onnx.Mul"(%m, %four) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %t = "onnx.Concat"(%n, %p) {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %y = "onnx.Reshape"(%x, %t) : (tensor<?x?x4xf32, {dims = ["N", "S", ""]}>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
