// Large tensors can be left out. Splats are short, however large.
// RUN: ge-opt %s --elide-elements-larger-than=2 | FileCheck %s
// RUN: ge-opt %s --elide-elements-larger-than=100 | FileCheck %s --check-prefix=ALL
// RUN: ge-opt %s --elide-elements-larger-than 2 | not ge-opt - 2>&1 | FileCheck %s --check-prefix=READ

func.func @main() {
  // CHECK: a = dense<[1, 2]> : tensor<2xi8>, b = dense_resource<__elided__> : tensor<3xi8>, c = dense<0> : tensor<1000xi8>, d = dense_resource<__elided__> : tensor<3x!ge.string>, e = dense_resource<__elided__> : tensor<20xi8>
  // ALL:   a = dense<[1, 2]> : tensor<2xi8>, b = dense<[1, 2, 3]> : tensor<3xi8>, c = dense<0> : tensor<1000xi8>, d = dense<["a", "b", "c"]> : tensor<3x!ge.string>, e = dense_resource<e> : tensor<20xi8>
  // READ: error: the elements were left out when this was printed
  "x.f"() {a = dense<[1, 2]> : tensor<2xi8>, b = dense<[1, 2, 3]> : tensor<3xi8>, c = dense<0> : tensor<1000xi8>, d = dense<["a", "b", "c"]> : tensor<3x!ge.string>, e = dense_resource<__elided> : tensor<20xi8>} : () -> ()
  return
}
// CHECK-NOT: dialect_resources
// ALL: e: "0x010000000102030405060708090A0B0C0D0E0F1011121314"
{-# dialect_resources: { builtin: { __elided: "0x010000000102030405060708090A0B0C0D0E0F1011121314" } } #-}
