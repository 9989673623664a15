// Control edges where there can be none.
// RUN: ge-opt %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<2xf32>) {
  %c = "x.f"() : () -> !ge.control
  // expected-error@+1 {{control operands must be last}}
  "x.g"(%c, %x) : (!ge.control, tensor<2xf32>) -> ()
  return
}
// -----
func.func @main() {
  // expected-error@+1 {{expected no type after '!ge.control', which must be last}}
  %c, %d = "x.f"() : () -> (!ge.control, tensor<2xf32>)
  return
}
// -----
// expected-note@+1 {{%x is defined here}}
func.func @main(%x: tensor<2xf32>) {
  // expected-error@+1 {{%x has type tensor<2xf32>, got !ge.control}}
  "x.g"(%x) : (!ge.control) -> ()
  return
}
// -----
func.func @main() {
  // expected-note@+1 {{%c is defined here}}
  %c = "x.f"() : () -> !ge.control
  // expected-error@+1 {{%c has type !ge.control, got tensor<2xf32>}}
  "x.g"(%c) : (tensor<2xf32>) -> ()
  return
}
// -----
// An edge stays inside one graph.
func.func @main() {
  %c = "x.f"() : () -> !ge.control
  "x.g"() ({
    // expected-error@+1 {{are not in the same graph}}
    "x.h"(%c) : (!ge.control) -> ()
    "ge.yield"() : () -> ()
  }) : () -> ()
  return
}
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected-error@+1 {{"ge.control_sink" takes control operands only}}
  "ge.control_sink"(%x) : (tensor<2xf32>) -> ()
  return
}
// -----
func.func @main() {
  // expected-error@+1 {{expected 1 operands, 0 results and a control result}}
  %c = "ge.control"() : () -> !ge.control
  return
}
// -----
// expected-error@+1 {{'!ge.control' must be after all other operands or results}}
func.func @main(%x: !ge.control) {
  return
}
