// Equal constants are one; those of graphs around serve bodies.

// RUN: ge-opt --pass-pipeline=share-weights %s | FileCheck %s

// CHECK-LABEL: func.func @equal
// CHECK: %[[W:.*]] = "ge.Const"() {value = dense<[1.0, 2.0]>
// CHECK: ge.Const{{.*}}dense<[1.0, 3.0]>
// CHECK: ge.Const{{.*}}tensor<2xi32>
// CHECK-NOT: ge.Const
// CHECK: "onnx.Sum"(%x, %[[W]], %[[W]]
func.func @equal(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %a = "ge.Const"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %b = "ge.Const"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %c = "ge.Const"() {value = dense<[1.0, 3.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %d = "ge.Const"() {value = dense<[1, 2]> : tensor<2xi32>} : () -> tensor<2xi32>
  %y = "onnx.Sum"(%x, %a, %b, %c) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %z = "onnx.Neg"(%d) : (tensor<2xi32>) -> tensor<2xi32>
  return %y, %z : tensor<2xf32>, tensor<2xi32>
}

// CHECK-LABEL: func.func @bodies
// CHECK: onnx.If
// CHECK-NOT: ge.Const
// CHECK: onnx.Relu
func.func @bodies(%x: tensor<2xf32>, %c: tensor<i1>) -> tensor<2xf32> {
  %y = "onnx.If"(%c) ({
    %b = "ge.Const"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %t = "onnx.Add"(%x, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    "ge.yield"(%t) : (tensor<2xf32>) -> ()
  }, {
    %e = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    "ge.yield"(%e) : (tensor<2xf32>) -> ()
  }) {ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]} : (tensor<i1>) -> tensor<2xf32>
  %a = "ge.Const"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %z = "onnx.Add"(%y, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}

// Empty constants are shared in one graph only.
// CHECK-LABEL: func.func @empty
// CHECK: onnx.If
// CHECK: ge.Const{{.*}}tensor<0xf32>
// CHECK: onnx.Concat
func.func @empty(%x: tensor<?xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %y = "onnx.If"(%c) ({
    %b = "ge.Const"() {value = dense<> : tensor<0xf32>} : () -> tensor<0xf32>
    %t = "onnx.Concat"(%x, %b) {axis = 0 : i64} : (tensor<?xf32>, tensor<0xf32>) -> tensor<?xf32>
    "ge.yield"(%t) : (tensor<?xf32>) -> ()
  }, {
    %e = "onnx.Relu"(%x) : (tensor<?xf32>) -> tensor<?xf32>
    "ge.yield"(%e) : (tensor<?xf32>) -> ()
  }) {ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]} : (tensor<i1>) -> tensor<?xf32>
  %a = "ge.Const"() {value = dense<> : tensor<0xf32>} : () -> tensor<0xf32>
  %z = "onnx.Concat"(%y, %a) {axis = 0 : i64} : (tensor<?xf32>, tensor<0xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}
