// What --verify-diagnostics itself reports.
// RUN: not ge-opt %s --split-input-file --verify-diagnostics 2>&1 | FileCheck %s

// CHECK: verify-diagnostics.mlir:[[# @LINE + 2]]:9: error: unexpected error: %a is not defined
func.func @unexpected() {
  "x.f"(%a) : (tensor<2xf32>) -> ()
  return
}
// -----
// CHECK: verify-diagnostics.mlir:[[# @LINE + 1]]:1: error: expected error "never" was not reported
// expected-error@+1 {{never}}
func.func @missing() {
  return
}
// -----
// The right message at the wrong line.
// CHECK: verify-diagnostics.mlir:[[# @LINE + 4]]:9: error: unexpected error: %a is not defined
// CHECK: verify-diagnostics.mlir:[[# @LINE + 1]]:1: error: expected error "%a is not defined" was not reported
// expected-error@-1 {{%a is not defined}}
func.func @line() {
  "x.f"(%a) : (tensor<2xf32>) -> ()
  return
}
// -----
// CHECK: verify-diagnostics.mlir:[[# @LINE + 1]]:1: error: expected {{[{][{]}}part of the message}}
// expected-error@+1 no braces
// CHECK: verify-diagnostics.mlir:[[# @LINE + 1]]:1: error: expected @+N, @-N, @above, @below or @unknown
// expected-error@here {{x}}
// -----
// These are right, so nothing more is reported.
// CHECK-NOT: error:
func.func @right() {
  "x.f"(%a) : (tensor<2xf32>) -> () // expected-error {{%a is not}}
  // expected-error@below {{%b is not}}
  "x.f"(%b) : (tensor<2xf32>) -> ()
  "x.f"(%d) : (tensor<2xf32>) -> ()
  // expected-error@above {{%d is not}}
  return
}
