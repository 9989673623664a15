// What dequantises constants is kept, and constants become wider only by a twentieth of the model.

// RUN: ge-opt --pass-pipeline="constant-fold,dce" %s | FileCheck %s
// RUN: ge-opt --pass-pipeline="constant-fold{fold-quantized=true},dce" %s | FileCheck %s --check-prefix=FOLD
// RUN: ge-opt --pass-pipeline="constant-fold{growth=100},dce" %s | FileCheck %s --check-prefix=GROWTH
// RUN: ge-opt --pass-pipeline="cse" %s | FileCheck %s --check-prefix=CSE

// CHECK-LABEL: func.func @integers
// CHECK: onnx.Cast
// FOLD-LABEL: func.func @integers
// FOLD-NOT: onnx.Cast
// GROWTH-LABEL: func.func @integers
// GROWTH: onnx.Cast
func.func @integers(%x: tensor<18xf32>) -> tensor<18xf32> {
  %w = "ge.Const"() {value = dense_resource<bytes> : tensor<18xi8>} : () -> tensor<18xi8>
  %c = "onnx.Cast"(%w) {to = 1 : i64} : (tensor<18xi8>) -> tensor<18xf32>
  %y = "onnx.Mul"(%x, %c) : (tensor<18xf32>, tensor<18xf32>) -> tensor<18xf32>
  return %y : tensor<18xf32>
}

// CHECK-LABEL: func.func @half
// CHECK: onnx.Cast
// FOLD-LABEL: func.func @half
// FOLD: onnx.Cast
// GROWTH-LABEL: func.func @half
// GROWTH-NOT: onnx.Cast
func.func @half(%x: tensor<18xf32>) -> tensor<18xf32> {
  %w = "ge.Const"() {value = dense_resource<halves> : tensor<18xf16>} : () -> tensor<18xf16>
  %c = "onnx.Cast"(%w) {to = 1 : i64} : (tensor<18xf16>) -> tensor<18xf32>
  %y = "onnx.Mul"(%x, %c) : (tensor<18xf32>, tensor<18xf32>) -> tensor<18xf32>
  return %y : tensor<18xf32>
}

// CHECK-LABEL: func.func @few
// CHECK-NOT: onnx.Cast
func.func @few(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = "ge.Const"() {value = dense<[1, 2]> : tensor<2xi8>} : () -> tensor<2xi8>
  %c = "onnx.Cast"(%w) {to = 1 : i64} : (tensor<2xi8>) -> tensor<2xf32>
  %y = "onnx.Mul"(%x, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// Each user has a DequantizeLinear of its own; of activations they are merged.
// CSE-LABEL: func.func @own
// CSE-COUNT-3: onnx.DequantizeLinear
// CSE-NOT: onnx.DequantizeLinear
func.func @own(%x: tensor<2xf32>, %q: tensor<2xi8>) -> tensor<2xf32> {
  %w = "ge.Const"() {value = dense<[1, 2]> : tensor<2xi8>} : () -> tensor<2xi8>
  %s = "ge.Const"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %a = "onnx.DequantizeLinear"(%w, %s) : (tensor<2xi8>, tensor<f32>) -> tensor<2xf32>
  %b = "onnx.DequantizeLinear"(%w, %s) : (tensor<2xi8>, tensor<f32>) -> tensor<2xf32>
  %c = "onnx.DequantizeLinear"(%q, %s) : (tensor<2xi8>, tensor<f32>) -> tensor<2xf32>
  %d = "onnx.DequantizeLinear"(%q, %s) : (tensor<2xi8>, tensor<f32>) -> tensor<2xf32>
  %e = "onnx.Add"(%x, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %f = "onnx.Mul"(%e, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %g = "onnx.Sub"(%f, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %y = "onnx.Div"(%g, %d) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

{-# dialect_resources: { builtin: {
  bytes: "0x01000000010203040506070801020304050607080102",
  halves: "0x02000000003C0040003C0040003C0040003C0040003C0040003C0040003C0040003C0040003C0040"
} } #-}
