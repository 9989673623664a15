// Attributes that are none.
// RUN: ge-opt %s --split-input-file --verify-diagnostics

func.func @main() {
  // expected-error@+1 {{integer 9223372036854775808 does not fit in i64}}
  "x.f"() {a = 9223372036854775808 : i64} : () -> ()
  // expected-error@+1 {{integer -9223372036854775809 does not fit in i64}}
  "x.f"() {a = -9223372036854775809} : () -> ()
  // expected-error@+1 {{integer 99999999999999999999 does not fit in 64 bits}}
  "x.f"() {a = 99999999999999999999 : i64} : () -> ()
  // expected-error@+1 {{integer 128 does not fit in i8}}
  "x.f"() {a = 128 : i8} : () -> ()
  // expected-error@+1 {{integer -1 does not fit in u8}}
  "x.f"() {a = -1 : ui8} : () -> ()
  // expected-error@+1 {{integer 18446744073709551616 does not fit in 64 bits}}
  "x.f"() {a = 18446744073709551616 : ui64} : () -> ()
  // expected-error@+1 {{integer 2147483648 does not fit in i32}}
  "x.f"() {a = array<i32: 2147483648>} : () -> ()
  return
}
// -----
func.func @main() {
  // expected-error@+1 {{float 1.0e400 does not fit in f64}}
  "x.f"() {a = 1.0e400 : f64} : () -> ()
  // expected-error@+1 {{float 1.0e39 does not fit in f32}}
  "x.f"() {a = 1.0e39 : f32} : () -> ()
  // expected-error@+1 {{float 70000.0 does not fit in f16}}
  "x.f"() {a = 70000.0 : f16} : () -> ()
  // expected-error@+1 {{expected '}' or ',' after an attribute, got 'e400'}}
  "x.f"() {a = 1e400 : f32} : () -> ()
  // expected-error@+1 {{expected a float with a point, got 1}}
  "x.f"() {a = 1 : f32} : () -> ()
  // expected-error@+1 {{expected an integer, got 1.0}}
  "x.f"() {a = 1.0 : i64} : () -> ()
  // expected-error@+1 {{0x7F8000000 are not the bits of one f32}}
  "x.f"() {a = 0x7F8000000 : f32} : () -> ()
  // A number too small is zero.
  "x.f"() {a = 1.0e-400 : f64} : () -> ()
  return
}
// -----
func.func @main() {
  // expected-error@+1 {{attribute 'a' is given twice}}
  "x.f"() {a = 1, a = 2} : () -> ()
  // expected-error@+1 {{attribute 'a' is given twice}}
  "x.f"() {a = 1, ge.attrs = {a = 2}} : () -> ()
  // expected-error@+1 {{'ge.nam' has no meaning here}}
  "x.f"() {ge.nam = "x"} : () -> ()
  // expected-error@+1 {{expected an attribute name}}
  "x.f"() {1 = 2} : () -> ()
  // expected-error@+1 {{an attribute name is not empty}}
  "x.f"() {"" = 2} : () -> ()
  // expected-error@+1 {{expected an attribute}}
  "x.f"() {a = } : () -> ()
  // expected-error@+1 {{an element type is written #ge.dtype<f32>}}
  "x.f"() {a = f32} : () -> ()
  // expected-error@+1 {{'affine_map' does not begin an attribute that GE knows}}
  "x.f"() {a = affine_map<(d0) -> (d0)>} : () -> ()
  // expected-error@+1 {{attribute '#ge.y' is not one of GE's}}
  "x.f"() {a = #ge.y<1>} : () -> ()
  // expected-error@+1 {{alias '#x' is not defined}}
  "x.f"() {a = #x} : () -> ()
  // expected-error@+1 {{this string is not UTF-8; bytes are written #ge.bytes<"...">}}
  "x.f"() {a = "\FF"} : () -> ()
  // expected-error@+1 {{after '\'}}
  "x.f"() {a = "\x"} : () -> ()
  // expected-error@+1 {{expected the type of the elements of an array}}
  "x.f"() {a = array<x>} : () -> ()
  // expected-error@+1 {{an array is of integers, bools, f32 or f64, not of f16}}
  "x.f"() {a = array<f16: 1.0>} : () -> ()
  // expected-error@+1 {{graphs are not nested}}
  "x.f"() {a = @a::@b} : () -> ()
  return
}
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected-error@+1 {{2 names for 1 results}}
  %a = "x.f"() {ge.result_names = ["a", "b"]} : () -> tensor<2xf32>
  // expected-error@+1 {{'ge.subgraphs' without subgraphs}}
  "x.f"() {ge.subgraphs = [{}]} : () -> ()
  // expected-error@+1 {{2 entries for 1 subgraphs}}
  "x.f"() ({ "ge.yield"() : () -> () }) {ge.subgraphs = [{}, {}]} : () -> ()
  // expected-error@+1 {{expected slot, name, args, outputs or attrs, got 'slots'}}
  "x.f"() ({ "ge.yield"() : () -> () }) {ge.subgraphs = [{slots = ""}]} : () -> ()
  // expected-error@+1 {{attributes of more inputs than there are}}
  "x.f"() ({ "ge.yield"() : () -> () }) {ge.subgraphs = [{args = [{}]}]} : () -> ()
  // expected-error@+1 {{1 names for 0 outputs}}
  "x.f"() ({ "ge.yield"() : () -> () }) {ge.subgraphs = [{outputs = ["a"]}]} : () -> ()
  return
}
// -----
// expected-error@+1 {{attribute 'k' belongs in ge.attrs = {...} here}}
func.func @main(%x: tensor<2xf32> {k = 1 : i64}) {
  return
}
// -----
// expected-error@+1 {{'index' of a graph input is its position}}
func.func @main(%x: tensor<2xf32> {ge.attrs = {index = 1 : i64}}) {
  return
}
// -----
#m = affine_map<(d0) -> (d0)> // no error until it is used
func.func @main() {
  return
}
// -----
// expected-note@+1 {{it is defined here}}
#m = affine_map<(d0) -> (d0)>
func.func @main() {
  // expected-error@+1 {{alias '#m' has an attribute that GE does not support}}
  "x.f"() {a = #m} : () -> ()
  return
}
// -----
// expected-note@+1 {{the first definition is here}}
#m = 1 : i64
// expected-error@+1 {{alias '#m' is defined twice}}
#m = 2 : i64
// -----
// expected-error@+1 {{expected the name of an alias, without a point}}
#m.n = 2 : i64
