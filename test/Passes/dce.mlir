// What no output needs goes, also in bodies; what has effects, or might have, stays.

// RUN: ge-opt --pass-pipeline=dce %s | FileCheck %s

// CHECK-LABEL: func.func @chain
// CHECK-NOT: onnx.Neg
// CHECK-NOT: onnx.Abs
// CHECK-NOT: ge.Const
// CHECK: onnx.Relu
func.func @chain(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = "ge.Const"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %a = "onnx.Neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = "onnx.Abs"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %y = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// An operator without a definition may have side effects.
// CHECK-LABEL: func.func @unknown
// CHECK: acme.Log
// CHECK: onnx.Relu
func.func @unknown(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = "acme.Log"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %y = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// A control edge leads from it.
// CHECK-LABEL: func.func @ordered
// CHECK: onnx.Neg
func.func @ordered(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a, %c = "onnx.Neg"(%x) : (tensor<2xf32>) -> (tensor<2xf32>, !ge.control)
  %y = "onnx.Relu"(%x, %c) : (tensor<2xf32>, !ge.control) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: func.func @bodies
// CHECK: onnx.If
// CHECK-NOT: onnx.Neg
// CHECK-NOT: onnx.If
// CHECK: return
func.func @bodies(%x: tensor<2xf32>, %c: tensor<i1>) -> tensor<2xf32> {
  %y = "onnx.If"(%c) ({
    %a = "onnx.Neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %t = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    "ge.yield"(%t) : (tensor<2xf32>) -> ()
  }, {
    %e = "onnx.Abs"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    "ge.yield"(%e) : (tensor<2xf32>) -> ()
  }) {ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]} : (tensor<i1>) -> tensor<2xf32>
  %dead = "onnx.If"(%c) ({
    %t = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    "ge.yield"(%t) : (tensor<2xf32>) -> ()
  }, {
    %e = "onnx.Abs"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    "ge.yield"(%e) : (tensor<2xf32>) -> ()
  }) {ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]} : (tensor<i1>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// A body with something unknown in it is not dead.
// CHECK-LABEL: func.func @effect_inside
// CHECK: onnx.If
// CHECK: acme.Log
func.func @effect_inside(%x: tensor<2xf32>, %c: tensor<i1>) -> tensor<2xf32> {
  %dead = "onnx.If"(%c) ({
    %t = "acme.Log"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    "ge.yield"(%t) : (tensor<2xf32>) -> ()
  }, {
    %e = "onnx.Abs"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    "ge.yield"(%e) : (tensor<2xf32>) -> ()
  }) {ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]} : (tensor<i1>) -> tensor<2xf32>
  %y = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
