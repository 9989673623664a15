// Keys of resources: after the value, else the node, else the attribute; _1 on a clash; one for each tensor.
// RUN: ge-opt %s | FileCheck %s
// RUN: ge-opt %s -o %t && ge-opt %t | diff %t -

func.func @main() {
  // CHECK: value = dense_resource<w>
  %w = "ge.Const"() {value = dense_resource<k> : tensor<3x!ge.dtype<"qi8">>} : () -> tensor<3xi8>
  // The same tensor again.
  // CHECK: value = dense_resource<w>
  "ge.Const"() {ge.name = "n", value = dense_resource<k> : tensor<3x!ge.dtype<"qi8">>} : () -> ()
  // Another of the same bytes.
  // CHECK: a = dense_resource<n_2> : tensor<3x!ge.dtype<"qu8">>, b = dense_resource<n_2_1> : tensor<3x!ge.dtype<"hifloat8">>
  "ge.Const"() {ge.name = "n_2", a = dense_resource<k> : tensor<3x!ge.dtype<"qu8">>, b = dense_resource<k> : tensor<3x!ge.dtype<"hifloat8">>} : () -> ()
  // CHECK: attr = dense_resource<attr>
  "ge.Const"() {attr = dense_resource<l> : tensor<3x!ge.dtype<"qu8">>} : () -> ()
  // CHECK: value = dense_resource<"a/b \22">
  "ge.Const"() {ge.name = "a/b \"", value = dense_resource<m> : tensor<3x!ge.dtype<"qu8">>} : () -> ()
  // One element for a shape of several is a splat.
  // CHECK: s = dense<1.0> : tensor<1000xf32>
  "ge.Const"() {s = dense_resource<one> : tensor<1000xf32>} : () -> ()
  // CHECK: i = dense_resource<__elided___1>
  %__elided__ = "ge.Const"() {i = dense_resource<m> : tensor<3x!ge.dtype<"qi8">>} : () -> tensor<3xi8>
  return
}
// CHECK:      {-#
// CHECK-NEXT:   dialect_resources: {
// CHECK-NEXT:     builtin: {
// CHECK-NEXT:       w: "0x01000000010203",
// CHECK-NEXT:       n_2: "0x01000000010203",
// CHECK-NEXT:       n_2_1: "0x01000000010203",
// CHECK-NEXT:       attr: "0x01000000040506",
// CHECK-NEXT:       "a/b \22": "0x01000000070809",
// CHECK-NEXT:       __elided___1: "0x01000000070809"
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: #-}
{-# dialect_resources: { builtin: { k: "0x01000000010203", l: "0x10000000040506", "m": "0x01000000070809", one: "0x040000000000803F", unused: "0x01000000" } },
    external_resources: { mlir_reproducer: { verify_each: true } } #-}
