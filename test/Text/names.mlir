// Which names are SSA names, and which are attributes; --names=attr writes all as attributes.
// RUN: ge-opt %s | FileCheck %s
// RUN: ge-opt %s --names=attr | FileCheck %s --check-prefix=ATTR
// RUN: ge-opt %s -o %t.1 && ge-opt %t.1 --names=attr | ge-opt - | diff %t.1 -
// RUN: ge-opt %s --names=attr -o %t.2 && ge-opt %t.2 --names=attr | diff %t.2 -

// CHECK: func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32> {ge.name = "in/y"}, %0: tensor<2xf32> {ge.name = "z/1", ge.result_names = ["z/1"]}, %1: tensor<2xf32>)
// ATTR:  func.func @main(%x: tensor<2xf32> {ge.name = "x", ge.result_names = ["x"]}, %y: tensor<2xf32> {ge.name = "in/y", ge.result_names = ["y"]}, %0: tensor<2xf32> {ge.name = "z/1", ge.result_names = ["z/1"]}, %1: tensor<2xf32> {ge.name = "", ge.result_names = [""]})
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32> {ge.name = "in/y"}, %0: tensor<2xf32> {ge.name = "z/1", ge.result_names = ["z/1"]}, %1: tensor<2xf32>) {
  // The name of node and value.
  // CHECK: %a = "x.a"() : ()
  // ATTR:  %a = "x.a"() {ge.name = "a", ge.result_names = ["a"]}
  %a = "x.a"() : () -> tensor<2xf32>
  // The value's name alone.
  // CHECK-NEXT: %b = "x.b"() {ge.name = ""}
  // ATTR-NEXT:  %b = "x.b"() {ge.name = "", ge.result_names = ["b"]}
  %b = "x.b"() {ge.name = ""} : () -> tensor<2xf32>
  // The node's name alone.
  // CHECK-NEXT: %2 = "x.c"() {ge.name = "c"}
  // ATTR-NEXT:  %2 = "x.c"() {ge.name = "c"}
  %2 = "x.c"() {ge.name = "c"} : () -> tensor<2xf32>
  // No name: nothing to say.
  // CHECK-NEXT: %3 = "x.d"() : ()
  // ATTR-NEXT:  %3 = "x.d"() : ()
  %3 = "x.d"() : () -> tensor<2xf32>
  // One of the names is none for MLIR: all are listed.
  // CHECK-NEXT: %e, %4, %5 = "x.e"() {ge.result_names = ["e", "e:1", ""]}
  // ATTR-NEXT:  %e, %4, %5 = "x.e"() {ge.name = "e", ge.result_names = ["e", "e:1", ""]}
  %e, %10, %11 = "x.e"() {ge.result_names = ["e", "e:1", ""]} : () -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  // %none is the absent operand and no value's name.
  // CHECK-NEXT: %6 = "x.f"() {ge.name = "none", ge.result_names = ["none"]}
  %12 = "x.f"() {ge.name = "none", ge.result_names = ["none"]} : () -> tensor<2xf32>
  // Names in regions beside each other meet in one graph: the second gets a number.
  // CHECK: %t = "x.g"
  // CHECK: %t_1 = "x.g"
  "x.region"() ({
    %t = "x.g"() : () -> tensor<2xf32>
    "ge.yield"() : () -> ()
  }, {
    %t = "x.g"() : () -> tensor<2xf32>
    "ge.yield"() : () -> ()
  }) : () -> ()
  // A node of the name of another value.
  // CHECK: %7 = "x.h"() {ge.name = "b"}
  %13 = "x.h"() {ge.name = "b"} : () -> tensor<2xf32>
  // An explicit name that is given twice stays, and both holders say it.
  // CHECK-NEXT: %8 = "x.i"() {ge.name = "twice", ge.result_names = ["twice"]}
  // CHECK-NEXT: %9 = "x.j"() {ge.name = "twice", ge.result_names = ["twice"]}
  %twice = "x.i"() : () -> tensor<2xf32>
  %14 = "x.j"() {ge.name = "twice", ge.result_names = ["twice"]} : () -> tensor<2xf32>
  return
}
