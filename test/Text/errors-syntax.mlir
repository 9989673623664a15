// Texts that are none.
// RUN: ge-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected func.func or "ge.graph", got 'func'}}
func @main() {
}
// -----
func.func @main() {
// expected-error@+1 {{expected return, got '}'}}
}
// -----
func.func @main() {
  "x.f"() ({
  // expected-error@+1 {{expected "ge.yield", got '}'}}
  }) : () -> ()
  return
}
// -----
func.func @main() {
  // expected-error@+1 {{expected ':' and the type of the operation}}
  "x.f"() () -> ()
  // expected-error@+1 {{expected '->' between the types of operands and results}}
  "x.f"() : ()
  // expected-error@+1 {{expected "domain.Type", got "f"}}
  "f"() : () -> ()
  // expected-error@+1 {{expected the quoted name of an operation}}
  %a = x.f() : () -> tensor<2xf32>
  return
}
// -----
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected an operation, got 'arith.addf'}}
  arith.addf %a, %a : f32
  return
}
// -----
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected ')' or ',' after an operand}}
  "x.f"(%a : (tensor<2xf32>) -> ()
  %c = "x.g"() : () -> tensor<2xf32>
  // expected-error@+1 {{expected '"' at the end of this string}}
  "x.f"() {a = "open} : () -> ()
  %b = "x.g"() : () -> tensor<2xf32>
  // expected-error@+1 {{%d is not defined}}
  "x.f"(%d) : (tensor<2xf32>) -> ()
  return
}
// -----
func.func @main() {
^bb0:
  "x.f"() : () -> ()
  // expected-error@+1 {{a graph is one block: there are no jumps}}
^bb1:
  return
}
// -----
func.func @main() {
  // expected-error@+1 {{this operation does not end this graph; expected return}}
  "ge.yield"() : () -> ()
  return
}
// -----
func.func @main() {
  // expected-error@+1 {{this operation cannot stand inside a graph}}
  "func.func"() ({ }) : () -> ()
  return
}
// -----
// expected-error@+1 {{expected '{': a graph has a body}}
func.func private @main(%x: tensor<2xf32>)
// -----
module {
}
// expected-error@+1 {{a text has one module, and no graphs beside it}}
module {
}
// -----
module {
}
// expected-error@+1 {{expected only aliases and resources after the module}}
func.func @main() {
  return
}
// -----
func.func @main() {
  return
}
// expected-error@+1 {{the module has a graph 'main' already}}
func.func @main() {
  return
}
// -----
// expected-error@+1 {{a graph needs a name}}
"ge.graph"() ({
  "ge.output"() : () -> ()
}) : () -> ()
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected-note@+1 {{to close this}}
  "x.f"() ({
    "ge.yield"() : () -> ()
  }
  return
// expected-error@+1 {{expected ')', got '}'}}
}
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected-error@+1 {{expected '}' for this '{'}}
  "x.f"() ({
// -----
// Errors in several graphs are all reported.
func.func @a() {
  // expected-error@+1 {{%x is not defined}}
  "x.f"(%x) : (tensor<2xf32>) -> ()
  return
}
// expected-error@+1 {{expected a type}}
func.func @b(%a: 5) {
  return
}
func.func @c() {
  // expected-error@+1 {{%x is not defined}}
  "x.f"(%x) : (tensor<2xf32>) -> ()
  return
}
