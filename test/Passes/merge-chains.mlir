// Two of a kind become one.

// RUN: ge-opt --pass-pipeline=merge-chains %s | FileCheck %s

// CHECK-LABEL: func.func @transposes
// CHECK-NEXT: "onnx.Transpose"(%x) {ge.name = "t2", perm = array<i64: 1, 2, 0>}
// CHECK-NEXT: return
func.func @transposes(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %a = "onnx.Transpose"(%x) {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %b = "onnx.Transpose"(%a) {ge.name = "t2", perm = array<i64: 2, 0, 1>} : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
  return %b : tensor<3x4x2xf32>
}

// There and back is no way at all.
// CHECK-LABEL: func.func @back
// CHECK-NEXT: %[[R:.*]] = "onnx.Relu"(%x)
// CHECK-NEXT: "onnx.Neg"(%[[R]])
func.func @back(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = "onnx.Relu"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %a = "onnx.Transpose"(%r) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %b = "onnx.Transpose"(%a) : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %c = "onnx.Neg"(%b) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %c : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @reshapes
// CHECK: %[[S:.*]] = "ge.Const"() {value = dense<[24]>
// CHECK-NEXT: "onnx.Reshape"(%x, %[[S]])
// CHECK-NEXT: return
func.func @reshapes(%x: tensor<2x3x4xf32>) -> tensor<24xf32> {
  %s = "ge.Const"() {value = dense<[6, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %t = "ge.Const"() {value = dense<[24]> : tensor<1xi64>} : () -> tensor<1xi64>
  %a = "onnx.Reshape"(%x, %s) : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<6x4xf32>
  %b = "onnx.Reshape"(%a, %t) : (tensor<6x4xf32>, tensor<1xi64>) -> tensor<24xf32>
  return %b : tensor<24xf32>
}

// 0 is what the first one made of it: with a symbol it can be said of the operand.
// CHECK-LABEL: func.func @symbolic
// CHECK: ge.Const{{.*}}dense<[0, 12]>
// CHECK-NEXT: "onnx.Reshape"(%x
// CHECK-NEXT: return
func.func @symbolic(%x: tensor<?x3x4xf32, {dims = ["N", "", ""]}>) -> tensor<?x12xf32, {dims = ["N", ""]}> {
  %s = "ge.Const"() {value = dense<[0, 12, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
  %a = "onnx.Reshape"(%x, %s) : (tensor<?x3x4xf32, {dims = ["N", "", ""]}>, tensor<3xi64>) -> tensor<?x12x1xf32, {dims = ["N", "", ""]}>
  %t = "ge.Const"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %b = "onnx.Squeeze"(%a, %t) : (tensor<?x12x1xf32, {dims = ["N", "", ""]}>, tensor<1xi64>) -> tensor<?x12xf32, {dims = ["N", ""]}>
  return %b : tensor<?x12xf32, {dims = ["N", ""]}>
}

// Through f32 an f16 loses nothing, through i8 it does.
// CHECK-LABEL: func.func @casts
// CHECK-NEXT: "onnx.Cast"(%x) {to = 11 : i64} : (tensor<2xf16>) -> tensor<2xf64>
// CHECK-NEXT: onnx.Cast
// CHECK-NEXT: onnx.Cast
// CHECK-NEXT: return
func.func @casts(%x: tensor<2xf16>) -> (tensor<2xf64>, tensor<2xf16>) {
  %a = "onnx.Cast"(%x) {to = 1 : i64} : (tensor<2xf16>) -> tensor<2xf32>
  %b = "onnx.Cast"(%a) {to = 11 : i64} : (tensor<2xf32>) -> tensor<2xf64>
  %c = "onnx.Cast"(%x) {to = 3 : i64} : (tensor<2xf16>) -> tensor<2xi8>
  %d = "onnx.Cast"(%c) {to = 10 : i64} : (tensor<2xi8>) -> tensor<2xf16>
  return %b, %d : tensor<2xf64>, tensor<2xf16>
}

// CHECK-LABEL: func.func @pads
// CHECK: ge.Const{{.*}}dense<[1, 2, 3, 4]>
// CHECK-NEXT: "onnx.Pad"(%x
// CHECK-NEXT: return
func.func @pads(%x: tensor<2x3xf32>) -> tensor<6x9xf32> {
  %p = "ge.Const"() {value = dense<[1, 0, 2, 0]> : tensor<4xi64>} : () -> tensor<4xi64>
  %q = "ge.Const"() {value = dense<[0, 2, 1, 4]> : tensor<4xi64>} : () -> tensor<4xi64>
  %a = "onnx.Pad"(%x, %p) : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<5x3xf32>
  %b = "onnx.Pad"(%a, %q) : (tensor<5x3xf32>, tensor<4xi64>) -> tensor<6x9xf32>
  return %b : tensor<6x9xf32>
}

// With another number, or mirrored, it is another matter.
// CHECK-LABEL: func.func @other_pads
// CHECK-COUNT-4: onnx.Pad
func.func @other_pads(%x: tensor<4x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %p = "ge.Const"() {value = dense<[1, 0, 0, 0]> : tensor<4xi64>} : () -> tensor<4xi64>
  %v = "ge.Const"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %a = "onnx.Pad"(%x, %p) : (tensor<4x4xf32>, tensor<4xi64>) -> tensor<5x4xf32>
  %b = "onnx.Pad"(%a, %p, %v) : (tensor<5x4xf32>, tensor<4xi64>, tensor<f32>) -> tensor<6x4xf32>
  %c = "onnx.Pad"(%x, %p) {mode = "reflect"} : (tensor<4x4xf32>, tensor<4xi64>) -> tensor<5x4xf32>
  %d = "onnx.Pad"(%c, %p) {mode = "reflect"} : (tensor<5x4xf32>, tensor<4xi64>) -> tensor<6x4xf32>
  return %b, %d : tensor<6x4xf32>, tensor<6x4xf32>
}

// CHECK-LABEL: func.func @slices
// CHECK-DAG: ge.Const{{.*}}dense<[3, 1]>
// CHECK-DAG: ge.Const{{.*}}dense<[5, 3]>
// CHECK-DAG: ge.Const{{.*}}dense<[0, 1]>
// CHECK: "onnx.Slice"(%x
// CHECK-NEXT: return
func.func @slices(%x: tensor<9x4xf32>) -> tensor<2x2xf32> {
  %one = "ge.Const"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %zero = "ge.Const"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %eight = "ge.Const"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
  %starts = "ge.Const"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %ends = "ge.Const"() {value = dense<[4, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %a = "onnx.Slice"(%x, %one, %eight, %zero) : (tensor<9x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<7x4xf32>
  %b = "onnx.Slice"(%a, %starts, %ends) : (tensor<7x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xf32>
  return %b : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @concats
// CHECK-NEXT: "onnx.Concat"(%x, %y, %x)
// CHECK-NEXT: return
func.func @concats(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<6xf32> {
  %a = "onnx.Concat"(%y, %x) {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %b = "onnx.Concat"(%x, %a) {axis = 0 : i64} : (tensor<2xf32>, tensor<4xf32>) -> tensor<6xf32>
  return %b : tensor<6xf32>
}

// CHECK-LABEL: func.func @used
// CHECK-COUNT-2: onnx.Concat
// CHECK: onnx.Gemm{{.*}}transB = 1
func.func @used(%x: tensor<2x2xf32>, %y: tensor<2x2xf32>) -> (tensor<4x2xf32>, tensor<6x2xf32>, tensor<2x2xf32>) {
  %a = "onnx.Concat"(%y, %x) {axis = 0 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %b = "onnx.Concat"(%x, %a) {axis = 0 : i64} : (tensor<2x2xf32>, tensor<4x2xf32>) -> tensor<6x2xf32>
  %t = "onnx.Transpose"(%y) {perm = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %g = "onnx.Gemm"(%x, %t) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %a, %b, %g : tensor<4x2xf32>, tensor<6x2xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: func.func @bodies
// CHECK: onnx.If
// CHECK-COUNT-1: onnx.Relu
// CHECK-NOT: onnx.Relu
// CHECK: return
func.func @bodies(%x: tensor<2xf32>, %c: tensor<i1>) -> tensor<2xf32> {
  %y = "onnx.If"(%c) ({
    %t = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %u = "onnx.Relu"(%t) : (tensor<2xf32>) -> tensor<2xf32>
    "ge.yield"(%u) : (tensor<2xf32>) -> ()
  }, {
    %e = "onnx.Abs"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    "ge.yield"(%e) : (tensor<2xf32>) -> ()
  }) {ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]} : (tensor<i1>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// The second constant has the shape of the first; sums are rounded on purpose, and stay.
// CHECK-LABEL: func.func @arithmetic
// CHECK-DAG: %[[K:.*]] = "ge.Const"() {{.*}}dense<[2.0, 4.0]>
// CHECK: %[[P:.*]] = "onnx.Mul"(%x, %[[K]])
// CHECK: "onnx.Add"
// CHECK: "onnx.Add"
// CHECK: "onnx.Where"(%c, %x, %{{.*}})
// CHECK-NOT: onnx.Not
func.func @arithmetic(%x: tensor<2xf32>, %c: tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>) {
  %k = "ge.Const"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %two = "ge.Const"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %a = "onnx.Mul"(%x, %k) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = "onnx.Mul"(%two, %a) : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %d = "onnx.Add"(%b, %two) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %e = "onnx.Add"(%d, %two) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %n = "onnx.Not"(%c) : (tensor<i1>) -> tensor<i1>
  %w = "onnx.Where"(%n, %e, %x) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %e, %w : tensor<2xf32>, tensor<2xf32>
}
