// Lengths of lists that are none.
// RUN: ge-opt %s --split-input-file --verify-diagnostics

func.func @sum(%a: tensor<f32>) {
  // expected-error@+1 {{the lengths (1, 1) of lists of operands add up to 2, the node has 3 operands}}
  "my.pair"(%a, %a, %a) {operandSegmentSizes = array<i32: 1, 1>} : (tensor<f32>, tensor<f32>, tensor<f32>) -> ()
  return
}
// -----
func.func @negative(%a: tensor<f32>) {
  // expected-error@+1 {{'operandSegmentSizes' has the length -1}}
  "my.pair"(%a) {operandSegmentSizes = array<i32: 2, -1>} : (tensor<f32>) -> ()
  return
}
// -----
func.func @text(%a: tensor<f32>) {
  // expected-error@+1 {{'resultSegmentSizes' is a list of lengths}}
  "my.pair"(%a) {resultSegmentSizes = "1"} : (tensor<f32>) -> ()
  return
}
// -----
func.func @results(%a: tensor<f32>) {
  // expected-error@+1 {{the lengths (2,) of lists of results add up to 2, the node has 1 result}}
  %x = "my.parts"(%a) {resultSegmentSizes = array<i32: 2>} : (tensor<f32>) -> tensor<f32>
  return
}
