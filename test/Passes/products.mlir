// Scales into weights, matrices that need not be flattened, sequences that are tensors.

// RUN: ge-opt --pass-pipeline=fold-scale %s | FileCheck %s --check-prefix=SCALE
// RUN: ge-opt --pass-pipeline=unflatten-gemm %s | FileCheck %s --check-prefix=FLAT
// RUN: ge-opt --pass-pipeline=simplify-sequences %s | FileCheck %s --check-prefix=SEQ

// Up to the weights and the bias, through what moves elements.
// SCALE-LABEL: func.func @upwards
// SCALE: %[[W:.*]] = "ge.Const"() {value = dense<{{\[}}[2.0, 4.0]]> : tensor<1x2xf32>}
// SCALE: onnx.MatMul"(%x, %[[W]])
// SCALE: %[[B:.*]] = "ge.Const"() {value = dense<[6.0, 8.0]> : tensor<2xf32>}
// SCALE: onnx.Add"(%{{.*}}, %[[B]])
// SCALE-NOT: onnx.Mul"
func.func @upwards(%x: tensor<3x1xf32>) -> tensor<2x3xf32> {
  %w = "ge.Const"() {value = dense<[[1.0, 2.0]]> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
  %b = "ge.Const"() {value = dense<[3.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %k = "ge.Const"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %p = "onnx.MatMul"(%x, %w) : (tensor<3x1xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
  %s = "onnx.Add"(%p, %b) : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %t = "onnx.Transpose"(%s) : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %y = "onnx.Mul"(%t, %k) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// SCALE-LABEL: func.func @downwards
// SCALE: ge.Const{{.*}}dense<{{\[}}[0.5, 1.0]]>
// SCALE-NOT: onnx.Div
// SCALE: onnx.MatMul
func.func @downwards(%x: tensor<3x1xf32>, %z: tensor<3x1xf32>) -> tensor<3x2xf32> {
  %w = "ge.Const"() {value = dense<[[1.0, 2.0]]> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
  %k = "ge.Const"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %h = "onnx.Div"(%x, %k) : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
  %m = "onnx.Mul"(%z, %h) : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %y = "onnx.MatMul"(%m, %w) : (tensor<3x1xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// Weights that two products use; a sum with what is no constant; an output in between.
// SCALE-LABEL: func.func @not_scaled
// SCALE-COUNT-3: "onnx.Mul"
func.func @not_scaled(%x: tensor<3x1xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
  %w = "ge.Const"() {value = dense<[[1.0, 2.0]]> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
  %v = "ge.Const"() {value = dense<[[1.0, 3.0]]> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
  %u = "ge.Const"() {value = dense<[[1.0, 4.0]]> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
  %k = "ge.Const"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "onnx.MatMul"(%x, %w) : (tensor<3x1xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
  %1 = "onnx.Mul"(%0, %k) : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  %2 = "onnx.Add"(%w, %1) : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = "onnx.MatMul"(%x, %v) : (tensor<3x1xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
  %4 = "onnx.Add"(%3, %x) : (tensor<3x2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  %5 = "onnx.Mul"(%4, %k) : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  %6 = "onnx.MatMul"(%x, %u) : (tensor<3x1xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
  %7 = "onnx.Mul"(%6, %k) : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return %2, %5, %6, %7 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}

// FLAT-LABEL: func.func @flattened
// FLAT-NOT: onnx.Reshape
// FLAT: %[[P:.*]] = "onnx.MatMul"(%x, %w)
// FLAT-NEXT: "onnx.Add"(%[[P]], %b)
// FLAT-NEXT: return
func.func @flattened(%x: tensor<2x3x4xf32>, %w: tensor<4x5xf32>, %b: tensor<5xf32>) -> tensor<2x3x5xf32> {
  %s = "ge.Const"() {value = dense<[-1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %t = "ge.Const"() {value = dense<[2, 3, 5]> : tensor<3xi64>} : () -> tensor<3xi64>
  %f = "onnx.Reshape"(%x, %s) : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<6x4xf32>
  %g = "onnx.Gemm"(%f, %w, %b) : (tensor<6x4xf32>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<6x5xf32>
  %y = "onnx.Reshape"(%g, %t) : (tensor<6x5xf32>, tensor<3xi64>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// Back to other dimensions than it came from; a bias of each row.
// FLAT-LABEL: func.func @not_flattened
// FLAT-COUNT-2: onnx.Gemm
func.func @not_flattened(%x: tensor<2x3x4xf32>, %w: tensor<4x5xf32>, %b: tensor<5xf32>, %r: tensor<6x1xf32>) -> (tensor<3x2x5xf32>, tensor<2x3x5xf32>) {
  %s = "ge.Const"() {value = dense<[-1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %t = "ge.Const"() {value = dense<[3, 2, 5]> : tensor<3xi64>} : () -> tensor<3xi64>
  %u = "ge.Const"() {value = dense<[2, 3, 5]> : tensor<3xi64>} : () -> tensor<3xi64>
  %f = "onnx.Reshape"(%x, %s) : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<6x4xf32>
  %g = "onnx.Gemm"(%f, %w, %b) : (tensor<6x4xf32>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<6x5xf32>
  %y = "onnx.Reshape"(%g, %t) : (tensor<6x5xf32>, tensor<3xi64>) -> tensor<3x2x5xf32>
  %h = "onnx.Gemm"(%f, %w, %r) : (tensor<6x4xf32>, tensor<4x5xf32>, tensor<6x1xf32>) -> tensor<6x5xf32>
  %z = "onnx.Reshape"(%h, %u) : (tensor<6x5xf32>, tensor<3xi64>) -> tensor<2x3x5xf32>
  return %y, %z : tensor<3x2x5xf32>, tensor<2x3x5xf32>
}

// SEQ-LABEL: func.func @sequence
// SEQ: %b, %a = "onnx.Split"(%x
// SEQ-NEXT: "onnx.Add"(%a, %b)
// SEQ-LABEL: func.func @kept
// SEQ: onnx.SplitToSequence
func.func @sequence(%x: tensor<2x6xf32>) -> tensor<2x3xf32> {
  %three = "ge.Const"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %one = "ge.Const"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %zero = "ge.Const"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %s = "onnx.SplitToSequence"(%x, %three) {axis = -1 : i64} : (tensor<2x6xf32>, tensor<i64>) -> !ge.seq<tensor<2x3xf32>>
  %a = "onnx.SequenceAt"(%s, %one) : (!ge.seq<tensor<2x3xf32>>, tensor<i64>) -> tensor<2x3xf32>
  %b = "onnx.SequenceAt"(%s, %zero) : (!ge.seq<tensor<2x3xf32>>, tensor<i64>) -> tensor<2x3xf32>
  %y = "onnx.Add"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
func.func @kept(%x: tensor<2x6xf32>, %i: tensor<i64>) -> tensor<2x3xf32> {
  %three = "ge.Const"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %s = "onnx.SplitToSequence"(%x, %three) {axis = -1 : i64} : (tensor<2x6xf32>, tensor<i64>) -> !ge.seq<tensor<2x3xf32>>
  %a = "onnx.SequenceAt"(%s, %i) : (!ge.seq<tensor<2x3xf32>>, tensor<i64>) -> tensor<2x3xf32>
  return %a : tensor<2x3xf32>
}
