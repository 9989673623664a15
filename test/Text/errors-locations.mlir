// RUN: ge-opt %s --split-input-file --verify-diagnostics

func.func @main() {
  // expected-error@+1 {{location alias '#l' is not defined}}
  "x.f"() : () -> () loc(#l)
  return
}
// -----
func.func @main() {
  // expected-error@+1 {{expected a line or column within 32 bits}}
  "x.f"() : () -> () loc("a":1:4294967296)
  // expected-error@+1 {{expected a string or unknown, fused or callsite in a location}}
  "x.f"() : () -> () loc(somewhere)
  // expected-error@+1 {{expected ')' at the end of a location}}
  "x.f"() : () -> () loc("a":1:2
  return
}
