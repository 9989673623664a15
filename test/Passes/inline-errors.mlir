// Functions without end, and functions that become too much, are errors; nothing is changed.

// RUN: sh -c "%ge-opt --pass-pipeline=inline %s; test \$? = 1" 2>&1 | FileCheck %s
// CHECK: error: pass 'inline' failed on the module: functions call each other without end: 'local.F' -> 'local.G' -> 'local.F'
// CHECK: note: what the pass had done is undone
// RUN: ge-opt --pass-pipeline='sort,onnx.If(inline)' %s | FileCheck %s --check-prefix=SAME
// SAME: local.F

module {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y = "local.F"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
  func.func @local.F(%x: !ge.unknown) -> !ge.unknown attributes {ge.attrs = {"onnx.function" = {domain = "local", name = "F"}}} {
    %y = "local.G"(%x) : (!ge.unknown) -> !ge.unknown
    return %y : !ge.unknown
  }
  func.func @local.G(%x: !ge.unknown) -> !ge.unknown attributes {ge.attrs = {"onnx.function" = {domain = "local", name = "G"}}} {
    %y = "local.F"(%x) : (!ge.unknown) -> !ge.unknown
    return %y : !ge.unknown
  }
}
