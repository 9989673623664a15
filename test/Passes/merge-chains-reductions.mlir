// Nodes before and after a reduction.

// RUN: ge-opt --pass-pipeline='merge-chains{exactness=approximate}' %s | FileCheck %s

// A reduction keeps its dimensions itself, and goes over all axes at once; before ArgMax no Softmax is needed.
// CHECK-LABEL: func.func @reductions
// CHECK: "onnx.ReduceSum"(%x, %{{.*}}) {keepdims = 1 : i64} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
// CHECK-NEXT: "onnx.ReduceMax"(%x) {axes = array<i64: 1, 2>} : (tensor<2x3x4xf32>) -> tensor<2x1x1xf32>
// CHECK-NEXT: "onnx.ArgMax"(%x) {axis = 2 : i64}
// CHECK-NEXT: return
module attributes {ge.attrs = {opset = {onnx = 17 : i64}}} {
  func.func @reductions(%x: tensor<2x3x4xf32>) -> (tensor<2x1x4xf32>, tensor<2x1x1xf32>, tensor<2x3x1xi64>) {
    %one = "ge.Const"() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
    %minus = "ge.Const"() {value = dense<-2> : tensor<1xi64>} : () -> tensor<1xi64>
    %a = "onnx.ReduceSum"(%x, %minus) {keepdims = 0 : i64} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<2x4xf32>
    %b = "onnx.Unsqueeze"(%a, %one) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    %c = "onnx.ReduceMax"(%x) {axes = array<i64: 2>} : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
    %d = "onnx.ReduceMax"(%c) {axes = array<i64: -2>} : (tensor<2x3x1xf32>) -> tensor<2x1x1xf32>
    %e = "onnx.Softmax"(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %f = "onnx.ArgMax"(%e) {axis = 2 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x1xi64>
    return %b, %d, %f : tensor<2x1x4xf32>, tensor<2x1x1xf32>, tensor<2x3x1xi64>
  }
}
