// What exporters take apart is one operator again, where the operator set has it.

// RUN: ge-opt --pass-pipeline=compose --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @layer_norm
// CHECK-NOT: onnx.Sqrt
// CHECK: "onnx.LayerNormalization"(%x, %scale, %bias) {{.*}}axis = -1 : i64, epsilon = 1.0e-05 : f32
// CHECK-NEXT: return
module attributes {ge.attrs = {opset = {onnx = 17 : i64}}} {
  func.func @layer_norm(%x: tensor<2x3x4xf32>, %scale: tensor<4xf32>, %bias: tensor<4xf32>) -> tensor<2x3x4xf32> {
    %two = "ge.Const"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %eps = "ge.Const"() {value = dense<1.0e-05> : tensor<f32>} : () -> tensor<f32>
    %mean = "onnx.ReduceMean"(%x) {axes = array<i64: -1>} : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
    %d = "onnx.Sub"(%x, %mean) : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
    %p = "onnx.Pow"(%d, %two) : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
    %v = "onnx.ReduceMean"(%p) {axes = array<i64: -1>} : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
    %e = "onnx.Add"(%v, %eps) : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
    %s = "onnx.Sqrt"(%e) : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
    %q = "onnx.Div"(%d, %s) : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
    %m = "onnx.Mul"(%q, %scale) : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
    %y = "onnx.Add"(%m, %bias) : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
    return %y : tensor<2x3x4xf32>
  }
}
// -----
// Another axis for the variance; a bias for each element; opset 16 below.
// CHECK-LABEL: func.func @other_axis
// CHECK-NOT: onnx.LayerNormalization
module attributes {ge.attrs = {opset = {onnx = 17 : i64}}} {
  func.func @other_axis(%x: tensor<4x4xf32>, %scale: tensor<4xf32>, %bias: tensor<4xf32>) -> tensor<4x4xf32> {
    %two = "ge.Const"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %eps = "ge.Const"() {value = dense<1.0e-05> : tensor<f32>} : () -> tensor<f32>
    %mean = "onnx.ReduceMean"(%x) {axes = array<i64: -1>} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %d = "onnx.Sub"(%x, %mean) : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %p = "onnx.Pow"(%d, %two) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %v = "onnx.ReduceMean"(%p) {axes = array<i64: 0>} : (tensor<4x4xf32>) -> tensor<1x4xf32>
    %e = "onnx.Add"(%v, %eps) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %s = "onnx.Sqrt"(%e) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = "onnx.Div"(%d, %s) : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
    %m = "onnx.Mul"(%q, %scale) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %y = "onnx.Add"(%m, %bias) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    return %y : tensor<4x4xf32>
  }
}
// -----
// CHECK-LABEL: func.func @gelu
// CHECK-NOT: onnx.Erf
// CHECK-NOT: onnx.Tanh
// CHECK: "onnx.Gelu"(%x) {approximate = "none"}
// CHECK: "onnx.Gelu"(%x) {approximate = "tanh"}
module attributes {ge.attrs = {opset = {onnx = 20 : i64}}} {
  func.func @gelu(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %root = "ge.Const"() {value = dense<1.4142135> : tensor<f32>} : () -> tensor<f32>
    %one = "ge.Const"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %half = "ge.Const"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %a = "onnx.Div"(%x, %root) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %b = "onnx.Erf"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %c = "onnx.Add"(%b, %one) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %d = "onnx.Mul"(%x, %c) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %e = "onnx.Mul"(%d, %half) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %three = "ge.Const"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
    %k = "ge.Const"() {value = dense<0.044715> : tensor<f32>} : () -> tensor<f32>
    %r = "ge.Const"() {value = dense<0.7978845608> : tensor<f32>} : () -> tensor<f32>
    %f = "onnx.Pow"(%x, %three) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %g = "onnx.Mul"(%f, %k) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %h = "onnx.Add"(%x, %g) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %i = "onnx.Mul"(%r, %h) : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %j = "onnx.Tanh"(%i) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %l = "onnx.Add"(%one, %j) : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %m = "onnx.Mul"(%x, %half) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %n = "onnx.Mul"(%m, %l) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %e, %n : tensor<2x3xf32>, tensor<2x3xf32>
  }
}
// -----
// Before it came; and a number that is another.
// CHECK-LABEL: func.func @old
// CHECK: onnx.Erf
// CHECK-LABEL: func.func @other_number
// CHECK: onnx.Erf
module attributes {ge.attrs = {opset = {onnx = 19 : i64}}} {
  func.func @old(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %root = "ge.Const"() {value = dense<1.4142135> : tensor<f32>} : () -> tensor<f32>
    %one = "ge.Const"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %half = "ge.Const"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %a = "onnx.Div"(%x, %root) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %b = "onnx.Erf"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %c = "onnx.Add"(%b, %one) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %d = "onnx.Mul"(%x, %c) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %e = "onnx.Mul"(%d, %half) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    return %e : tensor<2x3xf32>
  }
}
// -----
module attributes {ge.attrs = {opset = {onnx = 20 : i64}}} {
  func.func @other_number(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %root = "ge.Const"() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>
    %one = "ge.Const"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %half = "ge.Const"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %a = "onnx.Div"(%x, %root) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %b = "onnx.Erf"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %c = "onnx.Add"(%b, %one) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %d = "onnx.Mul"(%x, %c) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %e = "onnx.Mul"(%d, %half) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    return %e : tensor<2x3xf32>
  }
}
// -----
// As PyTorch writes it, with a scale and a bias of each channel; the numbers of the groups are spread over their channels.
// CHECK-LABEL: func.func @group_norm
// CHECK-NOT: onnx.InstanceNormalization
// CHECK-DAG: %[[SCALE:.*]] = "ge.Const"() {{.*}}value = dense<[2.0, 4.0, 9.0, 12.0]> : tensor<4xf32>
// CHECK-DAG: %[[BIAS:.*]] = "ge.Const"() {{.*}}value = dense<1.0> : tensor<4xf32>
// CHECK: "onnx.GroupNormalization"(%x, %[[SCALE]], %[[BIAS]]) {{.*}}epsilon = 1.0e-05 : f32, num_groups = 2 : i64
// CHECK-NEXT: return
module attributes {ge.attrs = {opset = {onnx = 21 : i64}}} {
  func.func @group_norm(%x: tensor<?x4x6xf32, {dims = ["N", "", ""]}>) -> tensor<?x4x6xf32, {dims = ["N", "", ""]}> {
    %s = "ge.Const"() {value = dense<[0, 2, -1]> : tensor<3xi64>} : () -> tensor<3xi64>
    %scales = "ge.Const"() {value = dense<[2.0, 3.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %zeros = "ge.Const"() {value = dense<0.0> : tensor<2xf32>} : () -> tensor<2xf32>
    %w = "ge.Const"() {value = dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>} : () -> tensor<4x1xf32>
    %b = "ge.Const"() {value = dense<1.0> : tensor<4x1xf32>} : () -> tensor<4x1xf32>
    %r = "onnx.Reshape"(%x, %s) : (tensor<?x4x6xf32, {dims = ["N", "", ""]}>, tensor<3xi64>) -> tensor<?x2x12xf32, {dims = ["N", "", ""]}>
    %n = "onnx.InstanceNormalization"(%r, %scales, %zeros) {epsilon = 1.0e-05 : f32} : (tensor<?x2x12xf32, {dims = ["N", "", ""]}>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x2x12xf32, {dims = ["N", "", ""]}>
    %t = "onnx.Shape"(%x) : (tensor<?x4x6xf32, {dims = ["N", "", ""]}>) -> tensor<3xi64>
    %q = "onnx.Reshape"(%n, %t) : (tensor<?x2x12xf32, {dims = ["N", "", ""]}>, tensor<3xi64>) -> tensor<?x4x6xf32, {dims = ["N", "", ""]}>
    %m = "onnx.Mul"(%q, %w) : (tensor<?x4x6xf32, {dims = ["N", "", ""]}>, tensor<4x1xf32>) -> tensor<?x4x6xf32, {dims = ["N", "", ""]}>
    %y = "onnx.Add"(%m, %b) : (tensor<?x4x6xf32, {dims = ["N", "", ""]}>, tensor<4x1xf32>) -> tensor<?x4x6xf32, {dims = ["N", "", ""]}>
    return %y : tensor<?x4x6xf32, {dims = ["N", "", ""]}>
  }
}
