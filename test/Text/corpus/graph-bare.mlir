// Graphs need no module around them.
// RUN: ge-opt %s | FileCheck %s
// RUN: ge-opt %s | ge-opt - | FileCheck %s

// CHECK-LABEL: {{^}}module {
// CHECK-NEXT:    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
// CHECK-NEXT:      return %x : tensor<2xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.func @other() {
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @other() {
  return
}
