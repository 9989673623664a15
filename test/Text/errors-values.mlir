// Uses, definitions and types that do not fit together.
// RUN: ge-opt %s --split-input-file --verify-diagnostics

func.func @main(%input: tensor<2xf32>) {
  // expected-error@+1 {{%inpt is not defined; did you mean %input?}}
  "x.f"(%inpt) : (tensor<2xf32>) -> ()
  return
}
// -----
func.func @main() {
  // expected-error@+1 {{%late is not defined}}
  "x.f"(%late) : (tensor<2xf32>) -> ()
  %late = "x.g"() : () -> tensor<2xf32>
  return
}
// -----
func.func @main() {
  // expected-note@+1 {{the first definition is here}}
  %a = "x.f"() : () -> tensor<2xf32>
  // expected-error@+1 {{%a is defined twice}}
  %a = "x.f"() : () -> tensor<2xf32>
  return
}
// -----
// expected-note@+1 {{the first definition is here}}
func.func @main(%a: tensor<2xf32>) {
  "x.f"() ({
    // expected-error@+1 {{%a is defined twice}}
    %a = "x.f"() : () -> tensor<2xf32>
    "ge.yield"() : () -> ()
  }) : () -> ()
  return
}
// -----
// What a region defines is seen in it alone.
func.func @main() {
  "x.f"() ({
    %a = "x.f"() : () -> tensor<2xf32>
    "ge.yield"() : () -> ()
  }, {
    // expected-error@+1 {{%a is not defined}}
    "ge.yield"(%a) : (tensor<2xf32>) -> ()
  }) : () -> ()
  return
}
// -----
// expected-note@+1 {{%x is defined here}}
func.func @main(%x: tensor<2xf32>) {
  // expected-error@+1 {{%x has type tensor<2xf32>, got tensor<3xf32>}}
  "x.f"(%x) : (tensor<3xf32>) -> ()
  return
}
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected-error@+1 {{1 operand with 2 types}}
  "x.f"(%x) : (tensor<2xf32>, tensor<2xf32>) -> ()
  // expected-error@+1 {{2 operands with 1 type}}
  "x.f"(%x, %x) : (tensor<2xf32>) -> ()
  // expected-error@+1 {{1 result with 2 types}}
  %a = "x.f"(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-error@+1 {{3 results with 2 types}}
  %b:3 = "x.f"(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}
// -----
// What an erroneous statement defines is used without further errors.
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{expected a type}}
  %a = "x.f"(%x) : (tensor<2xf32>) -> 5
  %b = "x.f"(%a) : (tensor<7xf32>) -> tensor<2xf32>
  // expected-error@+1 {{%nothing is not defined}}
  %c = "x.f"(%nothing) : (tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}
// -----
func.func @main() {
  %a:2 = "x.f"() : () -> (tensor<2xf32>, tensor<2xf32>)
  // expected-error@+1 {{%a#2 is not defined}}
  "x.f"(%a#2) : (tensor<2xf32>) -> ()
  return
}
// -----
func.func @main() {
  %a = "x.f"() : () -> none
  // expected-error@+1 {{%a is an absent result and has no uses}}
  "x.g"(%a) : (none) -> ()
  return
}
// -----
func.func @main() {
  // expected-note@+1 {{%none is defined here}}
  %none = "ge.none"() : () -> none
  // expected-error@+1 {{%none has type none, got tensor<2xf32>}}
  "x.g"(%none) : (tensor<2xf32>) -> ()
  return
}
// -----
func.func @main(%x: tensor<3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{result 0 of this function has type tensor<2xf32>, got tensor<3xf32>}}
  return %x : tensor<3xf32>
}
// -----
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{0 operands with 1 type}}
  return
}
// -----
"ge.graph"() ({
  // expected-error@+1 {{%nowhere is not defined}}
  %a = "x.f"(%nowhere) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error@+1 {{%b is used as tensor<3xf32>, but has type tensor<2xf32>}}
  "x.f"(%b) : (tensor<3xf32>) -> ()
  // expected-note@+1 {{%b is defined here}}
  %b = "x.f"() : () -> tensor<2xf32>
  "ge.output"() : () -> ()
}) {sym_name = "main"} : () -> ()
