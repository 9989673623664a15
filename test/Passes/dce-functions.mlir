// A function without calls is erased, with those that only it calls.

// RUN: ge-opt --pass-pipeline=dce %s | FileCheck %s

// CHECK: func.func @main
// CHECK: func.func @local.Used
// CHECK: func.func @local.Inner
// CHECK-NOT: @local.Unused
// CHECK-NOT: @local.OnlyThere
module {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y = "local.Used"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
  func.func @local.Used(%x: !ge.unknown) -> !ge.unknown attributes {ge.attrs = {"onnx.function" = {domain = "local", name = "Used"}}} {
    %y = "local.Inner"(%x) : (!ge.unknown) -> !ge.unknown
    return %y : !ge.unknown
  }
  func.func @local.Inner(%x: !ge.unknown) -> !ge.unknown attributes {ge.attrs = {"onnx.function" = {domain = "local", name = "Inner"}}} {
    %y = "onnx.Relu"(%x) : (!ge.unknown) -> !ge.unknown
    return %y : !ge.unknown
  }
  func.func @local.Unused(%x: !ge.unknown) -> !ge.unknown attributes {ge.attrs = {"onnx.function" = {domain = "local", name = "Unused"}}} {
    %y = "local.OnlyThere"(%x) : (!ge.unknown) -> !ge.unknown
    return %y : !ge.unknown
  }
  func.func @local.OnlyThere(%x: !ge.unknown) -> !ge.unknown attributes {ge.attrs = {"onnx.function" = {domain = "local", name = "OnlyThere"}}} {
    %y = "onnx.Relu"(%x) : (!ge.unknown) -> !ge.unknown
    return %y : !ge.unknown
  }
}
