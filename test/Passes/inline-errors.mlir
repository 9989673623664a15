// Functions without end, and functions whose nodes have no order, are errors; nothing is changed.

// RUN: sh -c "%ge-opt --split-input-file --pass-pipeline=inline %s; test \$? = 1" 2>&1 | FileCheck %s
// CHECK: error: pass 'inline' failed on the module: functions call each other without end: 'local.F' -> 'local.G' -> 'local.F'
// CHECK: note: what the pass had done is undone
// CHECK: error: pass 'inline' failed on the module: graph 'local.Round' has a cycle: {{y/a -> y/b -> y/a|y/b -> y/a -> y/b}}
// RUN: ge-opt --split-input-file --pass-pipeline='onnx.If(inline)' %s | FileCheck %s --check-prefix=SAME
// SAME: local.F
// SAME: local.Round

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
// -----
module {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y = "local.Round"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
  "ge.graph"() ({
  ^bb0(%x: !ge.unknown):
    %a = "onnx.Add"(%x, %b) : (!ge.unknown, !ge.unknown) -> !ge.unknown
    %b = "onnx.Neg"(%a) : (!ge.unknown) -> !ge.unknown
    "ge.output"(%b) : (!ge.unknown) -> ()
  }) {sym_name = "local.Round", ge.attrs = {"onnx.function" = {domain = "local", name = "Round"}}} : () -> ()
}
