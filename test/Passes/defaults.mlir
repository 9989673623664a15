// A default that a caller may replace is no constant, but in old models, where every weight is one.

// RUN: ge-opt --pass-pipeline=optimize --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @new
// CHECK-SAME: %s: tensor<1xi64>
// CHECK: onnx.Reshape
module attributes {ge.attrs = {"onnx.ir_version" = 8 : i64}} {
  func.func @new(%x: tensor<2x2xf32>, %s: tensor<1xi64> {ge.attrs = {value = dense<[4]> : tensor<1xi64>}}) -> tensor<?xf32> {
    %n = "onnx.Neg"(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %y = "onnx.Reshape"(%n, %s) : (tensor<2x2xf32>, tensor<1xi64>) -> tensor<?xf32>
    return %y : tensor<?xf32>
  }
}
// -----
// CHECK-LABEL: func.func @old
// CHECK-NOT: %s
// CHECK: onnx.Neg
// CHECK-NEXT: return
module attributes {ge.attrs = {"onnx.ir_version" = 3 : i64}} {
  func.func @old(%x: tensor<2x2xf32>, %s: tensor<2xi64> {ge.attrs = {value = dense<[2, 2]> : tensor<2xi64>}}) -> tensor<?x?xf32> {
    %n = "onnx.Neg"(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %y = "onnx.Reshape"(%n, %s) : (tensor<2x2xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    return %y : tensor<?x?xf32>
  }
}
