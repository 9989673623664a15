// What does the same to each channel becomes part of the weights before it.

// RUN: ge-opt --pass-pipeline=fold-batch-norm %s | FileCheck %s

// variance + epsilon = 4, so scale = 4 / 2 and 1 / 2: 2 * x + (1 - 3 * 2) and 0.5 * x + 2
// CHECK-LABEL: func.func @convolution
// CHECK-DAG: %[[W:.*]] = "ge.Const"() {value = dense<{{.*}}2.0{{.*}}1.0{{.*}}> : tensor<2x1x1x1xf32>}
// CHECK-DAG: %[[B:.*]] = "ge.Const"() {value = dense<[-5.0, 2.0]> : tensor<2xf32>}
// CHECK: "onnx.Conv"(%x, %[[W]], %[[B]]) {ge.name = "bn"
// CHECK-NEXT: return
func.func @convolution(%x: tensor<1x1x4x4xf32>) -> (tensor<1x2x4x4xf32> {ge.name = "out"}) {
  %w = "ge.Const"() {value = dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
  %scale = "ge.Const"() {value = dense<[4.0, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %bias = "ge.Const"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %mean = "ge.Const"() {value = dense<[3.0, 0.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %var = "ge.Const"() {value = dense<3.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %y = "onnx.Conv"(%x, %w) {ge.name = "conv"} : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %z = "onnx.BatchNormalization"(%y, %scale, %bias, %mean, %var) {ge.name = "bn", epsilon = 1.0 : f32} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  return %z : tensor<1x2x4x4xf32>
}

// The second axis of the weights, and a block of it for each group.
// CHECK-LABEL: func.func @transposed
// CHECK: ge.Const{{.*}}2.0{{.*}}3.0{{.*}}tensor<2x1x1x1xf32>
// CHECK: onnx.ConvTranspose
// CHECK-NEXT: return
func.func @transposed(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = "ge.Const"() {value = dense<1.0> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
  %s = "ge.Const"() {value = dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
  %y = "onnx.ConvTranspose"(%x, %w) {group = 2 : i64} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %z = "onnx.Mul"(%s, %y) : (tensor<2x1x1xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %z : tensor<1x2x4x4xf32>
}

// A bias that becomes zero is left out.
// CHECK-LABEL: func.func @cancelled
// CHECK: "onnx.Conv"(%x, %{{[^,]*}}) {
// CHECK-NEXT: return
func.func @cancelled(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = "ge.Const"() {value = dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
  %b = "ge.Const"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %s = "ge.Const"() {value = dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
  %y = "onnx.Conv"(%x, %w, %b) {ge.name = "conv"} : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %z = "onnx.Sub"(%y, %s) {ge.name = "sub"} : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %z : tensor<1x2x4x4xf32>
}

// beta * c * scale + shift
// CHECK-LABEL: func.func @gemm
// CHECK-DAG: %[[W:.*]] = "ge.Const"() {value = dense<{{\[}}[3.0, 6.0]]> : tensor<1x2xf32>}
// CHECK-DAG: %[[B:.*]] = "ge.Const"() {value = dense<[6.0, 12.0]> : tensor<2xf32>}
// CHECK: "onnx.Gemm"(%x, %[[W]], %[[B]]) {{.*}}beta = 1.0
// CHECK-NEXT: return
func.func @gemm(%x: tensor<4x1xf32>) -> tensor<4x2xf32> {
  %w = "ge.Const"() {value = dense<[[1.0, 2.0]]> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
  %c = "ge.Const"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %s = "ge.Const"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %y = "onnx.Gemm"(%x, %w, %c) {beta = 2.0 : f32} : (tensor<4x1xf32>, tensor<1x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %z = "onnx.Mul"(%y, %s) : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return %z : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @normalization
// CHECK-DAG: %[[S:.*]] = "ge.Const"() {value = dense<[2.0, 6.0]> : tensor<2xf32>}
// CHECK-DAG: %[[B:.*]] = "ge.Const"() {value = dense<[4.0, 12.0]> : tensor<2xf32>}
// CHECK: "onnx.BatchNormalization"(%x, %[[S]], %[[B]]
// CHECK-NEXT: return
func.func @normalization(%x: tensor<1x2x4xf32>) -> tensor<1x2x4xf32> {
  %scale = "ge.Const"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %bias = "ge.Const"() {value = dense<[2.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %mean = "ge.Const"() {value = dense<[3.0, 0.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %var = "ge.Const"() {value = dense<3.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %s = "ge.Const"() {value = dense<[[2.0], [3.0]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  %y = "onnx.BatchNormalization"(%x, %scale, %bias, %mean, %var) : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  %z = "onnx.Mul"(%y, %s) : (tensor<1x2x4xf32>, tensor<2x1xf32>) -> tensor<1x2x4xf32>
  return %z : tensor<1x2x4xf32>
}

// A scale by width; weights that come from outside; a result that others use; training.
// CHECK-LABEL: func.func @not
// CHECK-COUNT-3: onnx.Mul
// CHECK: onnx.BatchNormalization
func.func @not(%x: tensor<1x2x4x4xf32>, %v: tensor<2x2x1x1xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = "ge.Const"() {value = dense<[[[[1.0]], [[2.0]]], [[[2.0]], [[1.0]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
  %wide = "ge.Const"() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %s = "ge.Const"() {value = dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
  %n = "ge.Const"() {value = dense<[2.0, 3.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %0 = "onnx.Conv"(%x, %w) : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = "onnx.Mul"(%0, %wide) : (tensor<1x2x4x4xf32>, tensor<4xf32>) -> tensor<1x2x4x4xf32>
  %2 = "onnx.Conv"(%x, %v) : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %3 = "onnx.Mul"(%2, %s) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %4 = "onnx.Conv"(%x, %w) : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %5 = "onnx.Mul"(%4, %s) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %6 = "onnx.Conv"(%x, %w) : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %7 = "onnx.BatchNormalization"(%6, %n, %n, %n, %n) {training_mode = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  return %1, %3, %4, %5, %7 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}
