// What is readable and still not well formed; the errors stand at the nodes.
// RUN: ge-opt %s --verify --split-input-file --verify-diagnostics

"ge.graph"() ({
^bb0(%x: tensor<2xf32>):
  // expected-error@+2 {{graph 'main' has a cycle: a -> b -> a}}
  // expected-note@+1 {{node 'a' (onnx.Add) is part of it}}
  %a = "onnx.Add"(%x, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-note@+1 {{node 'b' (onnx.Relu) is part of it}}
  %b = "onnx.Relu"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  "ge.output"(%b) : (tensor<2xf32>) -> ()
}) {sym_name = "main"} : () -> ()
// -----
"ge.graph"() ({
  %d = "ge.unseen"() {ge.name = "gone", ge.domain = "onnx", ge.type = "Relu"} : () -> tensor<2xf32>
  // expected-error@+1 {{operand 0 of node 'a' (onnx.Neg) is a result of node 'gone' (onnx.Relu), which is detached}}
  %a = "onnx.Neg"(%d) : (tensor<2xf32>) -> tensor<2xf32>
  "ge.output"(%a) : (tensor<2xf32>) -> ()
}) {sym_name = "main"} : () -> ()
// -----
func.func @main() -> none {
  %none = "ge.none"() : () -> none
  // expected-error@+1 {{output 0 of graph 'main' is absent}}
  return %none : none
}
// -----
func.func @main() {
  %0 = "x.f"() {ge.name = "n"} : () -> tensor<2xf32>
  // expected-error@+1 {{the name of node 'n' (x.f) is that of another node too}}
  %1 = "x.f"() {ge.name = "n"} : () -> tensor<2xf32>
  return
}
// -----
func.func @main() {
  // expected-error@+1 {{@nowhere}}
  "x.f"() {body = @nowhere} : () -> ()
  "x.f"() {body = @main} : () -> ()
  return
}
// -----
// A well formed one prints as it was.
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = "onnx.If"(%x) ({
    %t = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    "ge.yield"(%t) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
