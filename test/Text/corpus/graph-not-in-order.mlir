// A graph that has an order is printed in it, as a function.
// RUN: ge-opt %s | FileCheck %s
// RUN: ge-opt %s | ge-opt - | FileCheck %s

// CHECK:      func.func @main() -> tensor<2xf32> {
// CHECK-NEXT:   %a = "onnx.Zero"() : () -> tensor<2xf32>
// CHECK-NEXT:   %b = "onnx.Relu"(%a) : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:   %c = "onnx.Add"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:   return %c : tensor<2xf32>
"ge.graph"() ({
  %b = "onnx.Relu"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %a = "onnx.Zero"() : () -> tensor<2xf32>
  %c = "onnx.Add"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  "ge.output"(%c) : (tensor<2xf32>) -> ()
}) {sym_name = "main"} : () -> ()
