// Several results are printed by name; packs are read.
// RUN: ge-opt %s | FileCheck %s
// RUN: ge-opt %s | ge-opt - | FileCheck %s

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: {{^ *}}"x.none"(%x) : (tensor<2xf32>) -> ()
  "x.none"(%x) : (tensor<2xf32>) -> ()
  // CHECK-NEXT: %a, %0, %b = "x.three"(%x) : (tensor<2xf32>) -> (tensor<2xf32>, none, tensor<3xi64>)
  %a, %0, %b = "x.three"(%x) : (tensor<2xf32>) -> (tensor<2xf32>, none, tensor<3xi64>)
  // CHECK-NEXT: %1, %2 = "x.pack"(%a, %b)
  %5:2 = "x.pack"(%a, %b) : (tensor<2xf32>, tensor<3xi64>) -> (tensor<2xf32>, tensor<2xf32>)
  // CHECK-NEXT: %p, %3 = "x.named_pack"
  %p:2 = "x.named_pack"() : () -> (tensor<2xf32>, tensor<2xf32>)
  // CHECK-NEXT: %c = "x.last"(%2, %1, %1, %3)
  %c = "x.last"(%5#1, %5, %5#0, %p#1) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: %4, %5 = "x.unnamed"() : () -> (tensor<2xf32>, tensor<2xf32>)
  "x.unnamed"() : () -> (tensor<2xf32>, tensor<2xf32>)
  // CHECK-NEXT: %6, %d, %7, %8 = "x.mixed"() : () -> (none, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %c_1, %d, %8:2, %9 = "x.mixed"() : () -> (none, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, !ge.control)
  return %c : tensor<2xf32>
}
