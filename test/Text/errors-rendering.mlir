// How an error looks: place, message, line, caret, notes.
// RUN: not ge-opt %s 2>&1 | FileCheck %s --strict-whitespace --match-full-lines

func.func @main(%x: tensor<2xf32>) {
	%é = "x.f"() : () -> ()
  "x.f"(%x) : (tensor<3xf32>) -> ()
  return
}

//      CHECK:{{.*}}errors-rendering.mlir:5:3: error: expected the name of a result
// CHECK-NEXT:	%é = "x.f"() : () -> ()
// CHECK-NEXT:	 ^
// CHECK-NEXT:{{.*}}errors-rendering.mlir:6:16: error: %x has type tensor<2xf32>, got tensor<3xf32>
// CHECK-NEXT:  "x.f"(%x) : (tensor<3xf32>) -> ()
// CHECK-NEXT:               ^
// CHECK-NEXT:{{.*}}errors-rendering.mlir:4:17: note: %x is defined here
// CHECK-NEXT:func.func @main(%x: tensor<2xf32>) {
// CHECK-NEXT:                ^
