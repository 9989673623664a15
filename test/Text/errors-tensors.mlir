// Tensors and resources whose bytes are wrong.
// RUN: ge-opt %s --split-input-file --verify-diagnostics

func.func @main() {
  // expected-error@+1 {{expected 2 elements in dimension 0 of tensor<2xi8>, got 3}}
  "x.f"() {a = dense<[1, 2, 3]> : tensor<2xi8>} : () -> ()
  // expected-error@+1 {{expected a list for dimension 1 of tensor<2x2xi8>}}
  "x.f"() {a = dense<[1, 2]> : tensor<2x2xi8>} : () -> ()
  // expected-error@+1 {{expected elements of tensor<2xi8>}}
  "x.f"() {a = dense<> : tensor<2xi8>} : () -> ()
  // expected-error@+1 {{expected 0 elements in dimension 0 of tensor<0xi8>, got 1}}
  "x.f"() {a = dense<[1]> : tensor<0xi8>} : () -> ()
  // expected-error@+1 {{integer 128 does not fit in i8}}
  "x.f"() {a = dense<128> : tensor<2xi8>} : () -> ()
  // expected-error@+1 {{expected a tensor type with a static shape, got tensor<?xi8>}}
  "x.f"() {a = dense<1> : tensor<?xi8>} : () -> ()
  // expected-error@+1 {{3 bytes are not the 2 elements of tensor<2xi8>}}
  "x.f"() {a = dense<"0x010203"> : tensor<2xi8>} : () -> ()
  // expected-error@+1 {{expected hexadecimal bytes "0x..."}}
  "x.f"() {a = dense<"0x0g"> : tensor<1xi8>} : () -> ()
  // expected-error@+1 {{expected a string as element}}
  "x.f"() {a = dense<[1]> : tensor<1x!ge.string>} : () -> ()
  // expected-error@+1 {{elements of hifloat8 have no literals}}
  "x.f"() {a = dense<1.0> : tensor<1x!ge.dtype<"hifloat8">>} : () -> ()
  return
}
// -----
func.func @main() {
  // expected-error@+1 {{resource 'w' has no blob in dialect_resources}}
  "x.f"() {a = dense_resource<w> : tensor<2xi8>} : () -> ()
  // expected-error@+1 {{the elements were left out when this was printed}}
  "x.f"() {a = dense_resource<__elided__> : tensor<2xi8>} : () -> ()
  return
}
// -----
func.func @main() {
  // expected-error@+1 {{resource 'w' has 2 bytes, which are not the 3 elements of tensor<3xi8>}}
  "x.f"() {a = dense_resource<w> : tensor<3xi8>} : () -> ()
  return
}
// expected-note@+1 {{the blob is here}}
{-# dialect_resources: { builtin: { w: "0x010000000102" } } #-}
// -----
{-#
  dialect_resources: {
    builtin: {
      // expected-note@+1 {{the first is here}}
      w: "0x010000000102",
      // expected-error@+1 {{resource 'w' is given twice}}
      w: "0x010000000102"
    }
  }
#-}
// -----
// expected-error@+1 {{expected the blob of 'w' as "0x..." with 4 bytes of alignment first}}
{-# dialect_resources: { builtin: { w: "0x0100" } } #-}
// -----
// expected-error@+1 {{alignment of 'w' is 3, not a power of two}}
{-# dialect_resources: { builtin: { w: "0x03000000" } } #-}
// -----
// expected-error@+1 {{expected resources of 'builtin', got 'other'}}
{-# dialect_resources: { other: { w: "0x01000000" } } #-}
// -----
// expected-error@+1 {{expected '#-}' at the end of the resources}}
{-# dialect_resources: { builtin: { w: "0x01000000" } }
