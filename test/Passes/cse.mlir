// The same is computed once: in one graph, and in a body what the graph around has computed.

// RUN: ge-opt --pass-pipeline=cse %s | FileCheck %s

// Operands of a commutative operator may stand in either order.
// CHECK-LABEL: func.func @twice
// CHECK: %[[A:.*]] = "onnx.Add"
// CHECK-NOT: onnx.Add
// CHECK: "onnx.Mul"(%[[A]], %[[A]])
func.func @twice(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %a = "onnx.Add"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = "onnx.Add"(%y, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %z = "onnx.Mul"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}

// CHECK-LABEL: func.func @different
// CHECK-COUNT-2: onnx.Sub
// CHECK-COUNT-2: onnx.LeakyRelu
// CHECK-COUNT-2: onnx.RandomNormalLike
// CHECK-COUNT-2: acme.Read
func.func @different(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %a = "onnx.Sub"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = "onnx.Sub"(%y, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %c = "onnx.LeakyRelu"(%x) {alpha = 0.1 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  %d = "onnx.LeakyRelu"(%x) {alpha = 0.2 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  %e = "onnx.RandomNormalLike"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %f = "onnx.RandomNormalLike"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %g = "acme.Read"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %h = "acme.Read"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %z = "onnx.Sum"(%a, %b, %c, %d, %e, %f, %g, %h) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}

// Two outputs are two values.
// CHECK-LABEL: func.func @outputs
// CHECK-COUNT-2: onnx.Relu
func.func @outputs(%x: tensor<2xf32>) -> (tensor<2xf32> {ge.name = "a"}, tensor<2xf32> {ge.name = "b"}) {
  %a = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// From outside to inside, never from one branch to the other, and never outwards.
// CHECK-LABEL: func.func @scopes
// CHECK: %[[N:.*]] = "onnx.Neg"
// CHECK: onnx.If
// CHECK-NOT: onnx.Neg
// CHECK: onnx.Abs
// CHECK: onnx.Add"(%[[N]]
// CHECK: onnx.Abs
// CHECK: onnx.Abs
func.func @scopes(%x: tensor<2xf32>, %c: tensor<i1>) -> tensor<2xf32> {
  %n = "onnx.Neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %y = "onnx.If"(%c) ({
    %a = "onnx.Abs"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %b = "onnx.Neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %t = "onnx.Add"(%b, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    "ge.yield"(%t) : (tensor<2xf32>) -> ()
  }, {
    %a = "onnx.Abs"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %e = "onnx.Relu"(%a) : (tensor<2xf32>) -> tensor<2xf32>
    "ge.yield"(%e) : (tensor<2xf32>) -> ()
  }) {ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]} : (tensor<i1>) -> tensor<2xf32>
  %z = "onnx.Abs"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %w = "onnx.Sum"(%y, %n, %z) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %w : tensor<2xf32>
}
