// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %none = "ge.none"() : () -> none
    %x = "my.pair"(%a, %b, %none) {operandSegmentSizes = array<i32: 1, 2>} : (tensor<f32>, tensor<f32>, none) -> tensor<f32>
    %y, %z = "my.parts"(%x) {resultSegmentSizes = array<i32: 0, 2>} : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
    return %z : tensor<f32>
  }
}
