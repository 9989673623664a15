// In a function, what its calls say is not known: neither the attribute nor what depends on it.

// RUN: ge-opt --pass-pipeline=optimize %s | FileCheck %s

// CHECK: func.func @main
// CHECK: func.func @local.Turn
// CHECK: onnx.Transpose
// CHECK: onnx.Gather
// CHECK: onnx.Reshape
module attributes {ge.attrs = {opset = {onnx = 18 : i64}}} {
  func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %y = "local.Turn"(%x) {perm = array<i64: 0, 1>, axis = 1 : i64} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    return %y : tensor<2x2xf32>
  }
  func.func @local.Turn(%x: tensor<2x2xf32>) -> !ge.unknown attributes {ge.attrs = {"onnx.function" = {domain = "local", name = "Turn"}, "onnx.attributes" = ["perm", "axis"]}} {
    %w = "ge.Const"() {value = dense<[[2, 2], [1, 4]]> : tensor<2x2xi64>} : () -> tensor<2x2xi64>
    %i = "ge.Const"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
    %t = "onnx.Transpose"(%x) {perm = {ref_attr_name = "perm", type = "INTS"}} : (tensor<2x2xf32>) -> !ge.unknown
    %u = "onnx.Transpose"(%t) {perm = {ref_attr_name = "perm", type = "INTS"}} : (!ge.unknown) -> !ge.unknown
    %s = "onnx.Gather"(%w, %i) {axis = {ref_attr_name = "axis", type = "INT"}} : (tensor<2x2xi64>, tensor<i64>) -> !ge.unknown
    %y = "onnx.Reshape"(%u, %s) : (!ge.unknown, !ge.unknown) -> !ge.unknown
    return %y : !ge.unknown
  }
}
