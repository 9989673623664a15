// MatMul and Add become Gemm where that means the same.

// RUN: ge-opt --pass-pipeline=fuse-matmul-add %s | FileCheck %s

// CHECK-LABEL: func.func @bias
// CHECK-NEXT: %{{.*}} = "onnx.Gemm"(%x, %w, %b) {{.*}}ge.name = "sum"
// CHECK-NEXT: return
func.func @bias(%x: tensor<?x3xf32, {dims = ["N", ""]}>, %w: tensor<3x4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32, {dims = ["N", ""]}> {
  %p = "onnx.MatMul"(%x, %w) : (tensor<?x3xf32, {dims = ["N", ""]}>, tensor<3x4xf32>) -> tensor<?x4xf32, {dims = ["N", ""]}>
  %y = "onnx.Add"(%b, %p) {ge.name = "sum"} : (tensor<4xf32>, tensor<?x4xf32, {dims = ["N", ""]}>) -> tensor<?x4xf32, {dims = ["N", ""]}>
  return %y : tensor<?x4xf32, {dims = ["N", ""]}>
}

// Three dimensions; a bias that makes the result larger; integers; a product that others use; ranks
// that are not known.
// CHECK-LABEL: func.func @not
// CHECK-NOT: onnx.Gemm
// CHECK: return
func.func @not(%x: tensor<2x3x3xf32>, %m: tensor<1x3xf32>, %w: tensor<3x4xf32>, %b: tensor<4xf32>, %big: tensor<5x4xf32>, %i: tensor<3x3xi32>, %u: tensor<*xf32>) -> (tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<3x3xi32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<*xf32>) {
  %0 = "onnx.MatMul"(%x, %w) : (tensor<2x3x3xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %1 = "onnx.Add"(%0, %b) : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %2 = "onnx.MatMul"(%m, %w) : (tensor<1x3xf32>, tensor<3x4xf32>) -> tensor<1x4xf32>
  %3 = "onnx.Add"(%2, %big) : (tensor<1x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  %4 = "onnx.MatMul"(%i, %i) : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi32>
  %5 = "onnx.Add"(%4, %i) : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi32>
  %6 = "onnx.MatMul"(%m, %w) : (tensor<1x3xf32>, tensor<3x4xf32>) -> tensor<1x4xf32>
  %7 = "onnx.Add"(%6, %b) : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
  %8 = "onnx.MatMul"(%u, %w) : (tensor<*xf32>, tensor<3x4xf32>) -> tensor<*xf32>
  %9 = "onnx.Add"(%8, %b) : (tensor<*xf32>, tensor<4xf32>) -> tensor<*xf32>
  return %1, %3, %5, %6, %7, %9 : tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<3x3xi32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<*xf32>
}

// A product outside of the branch is computed once there.
// CHECK-LABEL: func.func @bodies
// CHECK: onnx.MatMul
// CHECK: onnx.If
// CHECK: onnx.Add
// CHECK: onnx.Gemm
func.func @bodies(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>, %b: tensor<4xf32>, %c: tensor<i1>) -> tensor<2x4xf32> {
  %p = "onnx.MatMul"(%x, %w) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %y = "onnx.If"(%c) ({
    %t = "onnx.Add"(%p, %b) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    "ge.yield"(%t) : (tensor<2x4xf32>) -> ()
  }, {
    %q = "onnx.MatMul"(%x, %w) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %e = "onnx.Add"(%q, %b) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    "ge.yield"(%e) : (tensor<2x4xf32>) -> ()
  }) {ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]} : (tensor<i1>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
