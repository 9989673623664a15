// Nodes that give back their operand are taken out; outputs keep their names.

// RUN: ge-opt --pass-pipeline=eliminate-identity %s | FileCheck %s

// CHECK-LABEL: func.func @all
// CHECK-SAME: -> (tensor<2x3xf32> {ge.name = "y"})
// CHECK-NEXT: %[[R:.*]] = "onnx.Relu"
// CHECK-NEXT: return %[[R]]
func.func @all(%x: tensor<2x3xf32>) -> (tensor<2x3xf32> {ge.name = "y"}) {
  %shape = "ge.Const"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %pads = "ge.Const"() {value = dense<0> : tensor<4xi64>} : () -> tensor<4xi64>
  %starts = "ge.Const"() {value = dense<[0, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %ends = "ge.Const"() {value = dense<[2, 9223372036854775807]> : tensor<2xi64>} : () -> tensor<2xi64>
  %ones = "ge.Const"() {value = dense<[1, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = "onnx.Relu"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "onnx.Identity"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "onnx.Dropout"(%1) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = "onnx.Cast"(%2) {to = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = "onnx.Reshape"(%3, %shape) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %5 = "onnx.Transpose"(%4) {perm = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = "onnx.Slice"(%5, %starts, %ends) : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xf32>
  %7 = "onnx.Pad"(%6, %pads) : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<2x3xf32>
  %8 = "onnx.Concat"(%7) {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %9 = "onnx.Split"(%8) {num_outputs = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %10 = "onnx.Expand"(%9, %ones) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %11 = "onnx.Tile"(%10, %ones) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %12 = "onnx.Flatten"(%11) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %13 = "onnx.Squeeze"(%12) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %13 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @neutral
// CHECK-NEXT: %[[R:.*]] = "onnx.Relu"
// CHECK-NEXT: return %[[R]]
func.func @neutral(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %zero = "ge.Const"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %one = "ge.Const"() {value = dense<1.0> : tensor<1x3xf32>} : () -> tensor<1x3xf32>
  %0 = "onnx.Relu"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "onnx.Add"(%zero, %0) : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "onnx.Sub"(%1, %zero) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %3 = "onnx.Mul"(%2, %one) : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %4 = "onnx.Div"(%3, %one) : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %5 = "onnx.Pow"(%4, %one) : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return %5 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @not
// CHECK-COUNT-1: onnx.Sub
// CHECK-COUNT-1: onnx.Mul
// CHECK-COUNT-1: onnx.Div
// CHECK-COUNT-1: onnx.Cast
// CHECK-COUNT-1: onnx.Dropout
// CHECK-COUNT-1: onnx.Reshape
func.func @not(%x: tensor<3xf32>, %u: tensor<?x?xf32>, %s: tensor<2xi64>, %t: tensor<i1>) -> (tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf16>, tensor<3xf32>, tensor<?x?xf32>) {
  %zero = "ge.Const"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %ones = "ge.Const"() {value = dense<1.0> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %one = "ge.Const"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "onnx.Sub"(%zero, %x) : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = "onnx.Mul"(%x, %ones) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "onnx.Div"(%one, %x) : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  %3 = "onnx.Cast"(%x) {to = 10 : i64} : (tensor<3xf32>) -> tensor<3xf16>
  %4 = "onnx.Dropout"(%x, %zero, %t) : (tensor<3xf32>, tensor<f32>, tensor<i1>) -> tensor<3xf32>
  %5 = "onnx.Reshape"(%u, %s) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf16>, tensor<3xf32>, tensor<?x?xf32>
}

// In ONNX an input cannot be an output under another name.
// CHECK-LABEL: func.func @through
// CHECK: onnx.Identity
// CHECK-NOT: onnx.Dropout
// CHECK: onnx.Identity
func.func @through(%x: tensor<2xf32>, %z: tensor<2xf32>) -> (tensor<2xf32> {ge.name = "y"}, tensor<2xf32> {ge.name = "w"}) {
  %y = "onnx.Identity"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %w = "onnx.Dropout"(%z) : (tensor<2xf32>) -> tensor<2xf32>
  return %y, %w : tensor<2xf32>, tensor<2xf32>
}

// Equal symbols are equal sizes; two that are not known need not be.
// CHECK-LABEL: func.func @symbols
// CHECK-COUNT-1: onnx.Expand
// CHECK-NOT: onnx.Expand
func.func @symbols(%x: tensor<?x3xf32, {dims = ["N", ""]}>, %u: tensor<?xf32>, %s: tensor<2xi64>, %t: tensor<1xi64>) -> (tensor<?x3xf32, {dims = ["N", ""]}>, tensor<?xf32>) {
  %0 = "onnx.Expand"(%x, %s) : (tensor<?x3xf32, {dims = ["N", ""]}>, tensor<2xi64>) -> tensor<?x3xf32, {dims = ["N", ""]}>
  %1 = "onnx.Relu"(%0) : (tensor<?x3xf32, {dims = ["N", ""]}>) -> tensor<?x3xf32, {dims = ["N", ""]}>
  %2 = "onnx.Expand"(%u, %t) : (tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %1, %2 : tensor<?x3xf32, {dims = ["N", ""]}>, tensor<?xf32>
}

// CHECK-LABEL: func.func @bodies
// CHECK: %[[R:.*]] = "onnx.Relu"
// CHECK-NEXT: "ge.yield"(%[[R]])
func.func @bodies(%x: tensor<2xf32>, %c: tensor<i1>) -> tensor<2xf32> {
  %y = "onnx.If"(%c) ({
    %t = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %u = "onnx.Identity"(%t) : (tensor<2xf32>) -> tensor<2xf32>
    "ge.yield"(%u) : (tensor<2xf32>) -> ()
  }, {
    %e = "onnx.Abs"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    "ge.yield"(%e) : (tensor<2xf32>) -> ()
  }) {ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]} : (tensor<i1>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// What is an attribute of the function around is not known here; what is ordered stays.
// CHECK-LABEL: func.func @reference
// CHECK: onnx.Transpose
// CHECK: onnx.Identity
func.func @reference(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "onnx.Relu"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "onnx.Cast"(%0) {to = {ref_attr_name = "to", type = "INT"}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "onnx.Transpose"(%1) {perm = {ref_attr_name = "perm", type = "INTS"}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3, %c = "onnx.Identity"(%2) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, !ge.control)
  %4 = "onnx.Relu"(%3, %c) : (tensor<2x3xf32>, !ge.control) -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}
