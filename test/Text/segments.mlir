// Lengths of operand and result lists.
// RUN: ge-opt %s --split-input-file | FileCheck %s

// CHECK:      "my.pair"(%a, %b, %b) {operandSegmentSizes = array<i32: 1, 2>} :
// CHECK-NEXT: %y, %z = "my.parts"(%a) {resultSegmentSizes = array<i32: 1, 1>, k = 1 : i64} :
func.func @stored(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %x = "my.pair"(%a, %b, %b) {operandSegmentSizes = array<i32: 1, 2>} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %y, %z = "my.parts"(%a) <{resultSegmentSizes = array<i32: 1, 1>}> {k = 1 : i64} : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %x : tensor<f32>
}
// -----
// Absent operands count, control operands do not.
// CHECK: "my.pair"(%a, %none, %0) {operandSegmentSizes = array<i32: 1, 1>} : (tensor<f32>, none, !ge.control)
func.func @absent(%a: tensor<f32>) -> tensor<f32> {
  %none = "ge.none"() : () -> none
  %d, %c = "my.first"(%a) : (tensor<f32>) -> (tensor<f32>, !ge.control)
  %x = "my.pair"(%a, %none, %c) {operandSegmentSizes = array<i32: 1, 1>} : (tensor<f32>, none, !ge.control) -> tensor<f32>
  return %x : tensor<f32>
}
// -----
// What the record implies is not stored.
// CHECK: "onnx.Concat"(%a, %a) {axis = 0 : i64} :
func.func @implied(%a: tensor<1xf32>) -> tensor<2xf32> {
  %x = "onnx.Concat"(%a, %a) {operandSegmentSizes = array<i32: 2>, axis = 0 : i64} : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
// -----
// An attribute of that name.
// CHECK: "my.other"(%a) {ge.attrs = {operandSegmentSizes = array<i64: 7>}} :
func.func @attribute(%a: tensor<f32>) -> tensor<f32> {
  %x = "my.other"(%a) {ge.attrs = {operandSegmentSizes = array<i64: 7>}} : (tensor<f32>) -> tensor<f32>
  return %x : tensor<f32>
}
