// Pieces are texts of their own; lines are counted in the file.
// RUN: ge-opt %s --split-input-file | FileCheck %s

// CHECK: func.func @main()
// CHECK: // -----
// CHECK: func.func @main()
// CHECK-NOT: // -----
func.func @main() {
  return
}
// -----
func.func @main() {
  return
}
