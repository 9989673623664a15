// Pad becomes part of the convolution or the pool behind it.

// RUN: ge-opt --pass-pipeline=fold-pad %s | FileCheck %s

// CHECK-LABEL: func.func @convolution
// CHECK-NOT: onnx.Pad
// CHECK: "onnx.Conv"(%x, %w) {{.*}}pads = array<i64: 2, 1, 3, 1>
func.func @convolution(%x: tensor<1x1x4x4xf32>, %w: tensor<2x1x3x3xf32>) -> tensor<1x2x7x4xf32> {
  %p = "ge.Const"() {value = dense<[0, 0, 1, 0, 0, 0, 2, 0]> : tensor<8xi64>} : () -> tensor<8xi64>
  %a = "onnx.Pad"(%x, %p) : (tensor<1x1x4x4xf32>, tensor<8xi64>) -> tensor<1x1x7x4xf32>
  %y = "onnx.Conv"(%a, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x1x7x4xf32>, tensor<2x1x3x3xf32>) -> tensor<1x2x7x4xf32>
  return %y : tensor<1x2x7x4xf32>
}

// CHECK-LABEL: func.func @pools
// CHECK-NOT: onnx.Pad
// CHECK: "onnx.AveragePool"(%x) {pads = array<i64: 0, 0, 1, 1>, kernel_shape = array<i64: 2, 2>, count_include_pad = 1
// CHECK: "onnx.MaxPool"(%x) {pads = array<i64: 0, 0, 1, 1>, kernel_shape
func.func @pools(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) {
  %p = "ge.Const"() {value = dense<[0, 0, 0, 0, 0, 0, 1, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %inf = "ge.Const"() {value = dense<0xFF800000> : tensor<f32>} : () -> tensor<f32>
  %a = "onnx.Pad"(%x, %p) : (tensor<1x1x4x4xf32>, tensor<8xi64>) -> tensor<1x1x5x5xf32>
  %b = "onnx.AveragePool"(%a) {kernel_shape = array<i64: 2, 2>} : (tensor<1x1x5x5xf32>) -> tensor<1x1x4x4xf32>
  %c = "onnx.Pad"(%x, %p, %inf) : (tensor<1x1x4x4xf32>, tensor<8xi64>, tensor<f32>) -> tensor<1x1x5x5xf32>
  %d = "onnx.MaxPool"(%c) {kernel_shape = array<i64: 2, 2>} : (tensor<1x1x5x5xf32>) -> tensor<1x1x4x4xf32>
  return %b, %d : tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>
}

// Zeros into MaxPool; ones; of channels; own padding that is not counted; SAME padding.
// CHECK-LABEL: func.func @not
// CHECK-COUNT-5: onnx.Pad
func.func @not(%x: tensor<1x1x4x4xf32>, %w: tensor<2x1x3x3xf32>, %v: tensor<2x2x3x3xf32>) -> (tensor<1x1x4x4xf32>, tensor<1x2x3x3xf32>, tensor<1x2x2x2xf32>, tensor<1x1x6x6xf32>, tensor<1x2x5x5xf32>) {
  %p = "ge.Const"() {value = dense<[0, 0, 0, 0, 0, 0, 1, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %q = "ge.Const"() {value = dense<[0, 0, 0, 0, 0, 1, 0, 0]> : tensor<8xi64>} : () -> tensor<8xi64>
  %one = "ge.Const"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "onnx.Pad"(%x, %p) : (tensor<1x1x4x4xf32>, tensor<8xi64>) -> tensor<1x1x5x5xf32>
  %1 = "onnx.MaxPool"(%0) {kernel_shape = array<i64: 2, 2>} : (tensor<1x1x5x5xf32>) -> tensor<1x1x4x4xf32>
  %2 = "onnx.Pad"(%x, %p, %one) : (tensor<1x1x4x4xf32>, tensor<8xi64>, tensor<f32>) -> tensor<1x1x5x5xf32>
  %3 = "onnx.Conv"(%2, %w) : (tensor<1x1x5x5xf32>, tensor<2x1x3x3xf32>) -> tensor<1x2x3x3xf32>
  %4 = "onnx.Pad"(%x, %q) : (tensor<1x1x4x4xf32>, tensor<8xi64>) -> tensor<1x2x4x4xf32>
  %5 = "onnx.Conv"(%4, %v) : (tensor<1x2x4x4xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x2x2xf32>
  %6 = "onnx.Pad"(%x, %p) : (tensor<1x1x4x4xf32>, tensor<8xi64>) -> tensor<1x1x5x5xf32>
  %7 = "onnx.AveragePool"(%6) {kernel_shape = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x1x5x5xf32>) -> tensor<1x1x6x6xf32>
  %8 = "onnx.Pad"(%x, %p) : (tensor<1x1x4x4xf32>, tensor<8xi64>) -> tensor<1x1x5x5xf32>
  %9 = "onnx.Conv"(%8, %w) {auto_pad = "SAME_UPPER"} : (tensor<1x1x5x5xf32>, tensor<2x1x3x3xf32>) -> tensor<1x2x5x5xf32>
  return %1, %3, %5, %7, %9 : tensor<1x1x4x4xf32>, tensor<1x2x3x3xf32>, tensor<1x2x2x2xf32>, tensor<1x1x6x6xf32>, tensor<1x2x5x5xf32>
}
