// Built-in passes stop at the limit, rewrite by rewrite; a limit that is none is wrong usage.
// RUN: ge-opt --pass-pipeline=eliminate-identity --rewrite-limit=0 %s | FileCheck %s --check-prefix=NONE
// RUN: ge-opt --pass-pipeline=eliminate-identity --rewrite-limit=1 %s | FileCheck %s --check-prefix=ONE
// RUN: ge-opt --pass-pipeline=eliminate-identity --rewrite-limit=9 %s | FileCheck %s --check-prefix=ALL
// RUN: not ge-opt --pass-pipeline=cse --rewrite-limit=x %s 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: ge-opt --pass-pipeline=cse --rewrite-limit=1 %s | FileCheck %s --check-prefix=CSE
// RUN: ge-opt --pass-pipeline=constant-fold --rewrite-limit=0 %s | FileCheck %s --check-prefix=FOLD

// NONE-COUNT-2: onnx.Identity
// ONE-COUNT-1: onnx.Identity
// ONE-NOT: onnx.Identity
// ALL-NOT: onnx.Identity
// WRONG: expected a number of rewrites
// CSE: onnx.Exp
// CSE-NOT: onnx.Exp
// CSE: onnx.Sin
// CSE: onnx.Sin
// FOLD: onnx.Add"(%[[W:.*]], %[[W]])
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = "ge.Const"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %ww = "onnx.Add"(%w, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %a = "onnx.Identity"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = "onnx.Relu"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %c = "onnx.Identity"(%b) : (tensor<2xf32>) -> tensor<2xf32>
  %d = "onnx.Exp"(%c) : (tensor<2xf32>) -> tensor<2xf32>
  %e = "onnx.Exp"(%c) : (tensor<2xf32>) -> tensor<2xf32>
  %f = "onnx.Sin"(%c) : (tensor<2xf32>) -> tensor<2xf32>
  %g = "onnx.Sin"(%c) : (tensor<2xf32>) -> tensor<2xf32>
  %h = "onnx.Sum"(%d, %e, %f, %g, %ww) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %h : tensor<2xf32>
}
