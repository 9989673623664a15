// What is read but printed otherwise: any order of attributes, bare keys and numbers, aliases, comments.
// RUN: ge-opt %s | FileCheck %s
// RUN: ge-opt %s | ge-opt - | FileCheck %s

#i = 7 : i64
#list = [#i, "s"]
!t = tensor<2xf32>
!s = !ge.seq<!t>

// CHECK: func.func @main(%x: tensor<2xf32>, %s: !ge.seq<tensor<2xf32>>)
func.func private @main(%x: !t, %s: !s) -> (!t {}) {
  // CHECK-NEXT: "x.a"() {b = 1 : i64, a = 0.5 : f64, c = true, d = true} : () -> ()
  "x.a"() <{b = 1}> {a = 0.5, c, d = unit} : () -> ()
  // CHECK-NEXT: "x.b"() {ge.name = "n", k = 1 : i64, ge.attrs = {"a.b" = 2 : i64, "c d" = 3 : i64}}
  "x.b"() {a.b = 2, k = 1, "c d" = 3, ge.name = "n"} : () -> ()
  // CHECK-NEXT: "x.c"() {a = 7 : i64, b = [7 : i64, "s"], c = {t = tensor<2xf32>}}
  "x.c"() {a = #i, b = #list, c = {t = !t}} : () -> ()
  // CHECK-NEXT: "x.d"() {h = 16 : i64, s = "a\0Ab\09\22\\", n = -5 : i8, o = 5 : i64, p = 1.0e+22 : f64}
  "x.d"() {h = 0x10, s = "a\nb\t\"\\", n = -5 : si8, o = 05, p = 10000000000000000000000.0} : () -> ()
  // CHECK-NEXT: "x.e"() {a = array<i1: true, false>, b = dense<[1, 2]> : tensor<2xi8>, c = dense<[true, false, true]> : tensor<3xi1>, d = dense<258> : tensor<3xi16>}
  "x.e"() {a = array<i1: 1, 0>, b = dense<"0x0102"> : tensor<2xi8>, c = dense<"0x05"> : tensor<3xi1>, d = dense<"0x0201"> : tensor<3xi16>} : () -> ()
  // CHECK-NEXT: "x.f"() {a = dense<> : tensor<0xf32>, b = dense<> : tensor<2x0xf32>, c = dense<1.0> : tensor<1xf32>}
  "x.f"() {a = dense<1.0> : tensor<0xf32>, b = dense<[[], []]> : tensor<2x0xf32>, c = dense<0x3F800000> : tensor<1xf32>} : () -> ()
  // CHECK-NEXT: "x.g"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> ()
  "x.g" ( %x , // a comment
          %x )
    : ( tensor < 2xf32 > , !t )   -> ( )
  "x.h"() ({ ^bb7: "ge.yield"() : () -> () }) : () -> ()
  func.return %x : !t
} loc("somewhere")
