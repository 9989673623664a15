// All of it, until nothing changes; a second run finds nothing to do; what goes round is refused.

// RUN: ge-opt --pass-pipeline=optimize --split-input-file %s > %t.once
// RUN: FileCheck %s < %t.once
// RUN: ge-opt --pass-pipeline=optimize --split-input-file %t.once | diff %t.once -

// CHECK-LABEL: func.func @block
// CHECK-NEXT: ge.Const
// CHECK-NEXT: ge.Const
// CHECK-NEXT: onnx.Conv
// CHECK-NEXT: onnx.Relu
// CHECK-NEXT: return
func.func @block(%x: tensor<1x1x4x4xf32>) -> (tensor<1x2x4x4xf32> {ge.name = "out"}) {
  %w = "ge.Const"() {value = dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
  %s = "ge.Const"() {value = dense<[4.0, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %b = "ge.Const"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %shape = "onnx.Shape"(%x) : (tensor<1x1x4x4xf32>) -> tensor<4xi64>
  %same = "onnx.Reshape"(%x, %shape) : (tensor<1x1x4x4xf32>, tensor<4xi64>) -> tensor<1x1x4x4xf32>
  %y = "onnx.Conv"(%same, %w) : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %z = "onnx.BatchNormalization"(%y, %s, %b, %b, %s) : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %r = "onnx.Relu"(%z) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %d = "onnx.Dropout"(%r) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %d : tensor<1x2x4x4xf32>
}
// -----
// Nothing in it, and nothing in a body.
// CHECK-LABEL: func.func @empty
func.func @empty() {
  return
}
// -----
// CHECK-LABEL: func.func @through
// CHECK-NEXT: onnx.Identity
// CHECK-NEXT: return
func.func @through(%x: tensor<2xf32>) -> (tensor<2xf32> {ge.name = "y"}) {
  %a = "onnx.Neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = "onnx.Neg"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}
