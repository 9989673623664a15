// What functions compute stands where they were called: attributes bound, names kept, bodies too.

// RUN: ge-opt --pass-pipeline=inline --split-input-file %s | FileCheck %s

// An attribute of the call, a default, and one that is not given. The result keeps its name; what was
// inside is called after the call. A function that calls another one goes with it.
// CHECK-LABEL: func.func @nested
// CHECK-SAME: (%x: tensor<2x2xf32>)
// CHECK: "onnx.Transpose"(%x) {ge.name = "y/t/t", {{.*}}perm = array<i64: 1, 0>
// CHECK: "onnx.Softmax"({{.*}}) {{.*}}axis = 1 : i64
// CHECK: %y = "onnx.Flatten"({{[^)]*}}) {ge.name = "y/y"} :
// CHECK-NEXT: return %y
// CHECK-NOT: func.func @local
module attributes {ge.attrs = {opset = {onnx = 18 : i64}}} {
  func.func @nested(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %y = "local.Outer"(%x) {perm = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    return %y : tensor<2x2xf32>
  }
  func.func @local.Outer(%x: !ge.unknown) -> !ge.unknown attributes {ge.attrs = {"onnx.function" = {domain = "local", name = "Outer"}, "onnx.attributes" = ["perm", "flat"]}} {
    %t = "local.Inner"(%x) {order = {ref_attr_name = "perm", type = "INTS"}} : (!ge.unknown) -> !ge.unknown
    %y = "onnx.Flatten"(%t) {axis = {ref_attr_name = "flat", type = "INT"}} : (!ge.unknown) -> !ge.unknown
    return %y : !ge.unknown
  }
  func.func @local.Inner(%x: !ge.unknown) -> !ge.unknown attributes {ge.attrs = {"onnx.function" = {domain = "local", name = "Inner"}, "onnx.attributes" = ["order"], "onnx.attribute_defaults" = {axis = 1 : i64}}} {
    %t = "onnx.Transpose"(%x) {perm = {ref_attr_name = "order", type = "INTS"}} : (!ge.unknown) -> !ge.unknown
    %s = "onnx.Softmax"(%t) {axis = {ref_attr_name = "axis", type = "INT"}} : (!ge.unknown) -> !ge.unknown
    return %s : !ge.unknown
  }
}
// -----
// Two calls: names do not clash. In a body, where the operand is captured. A result that is an operand
// of the call is an output through an Identity.
// CHECK-LABEL: func.func @bodies
// CHECK: "onnx.If"(%c)
// CHECK: "onnx.Relu"(%x) {ge.name = "call/r"
// CHECK: %a = "onnx.Neg"
// CHECK: "onnx.Relu"(%x) {ge.name = "other/r"
// CHECK: %b = "onnx.Neg"
// CHECK: %same = "onnx.Identity"(%x)
// CHECK-NOT: func.func @local
module attributes {ge.attrs = {opset = {onnx = 18 : i64}}} {
  func.func @bodies(%c: tensor<i1>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %y = "onnx.If"(%c) ({
      %a = "local.F"(%x) {ge.name = "call"} : (tensor<2xf32>) -> tensor<2xf32>
      "ge.yield"(%a) : (tensor<2xf32>) -> ()
    }, {
      %b = "local.F"(%x) {ge.name = "other"} : (tensor<2xf32>) -> tensor<2xf32>
      "ge.yield"(%b) : (tensor<2xf32>) -> ()
    }) {ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]} : (tensor<i1>) -> tensor<2xf32>
    %same = "local.Same"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %y, %same : tensor<2xf32>, tensor<2xf32>
  }
  func.func @local.F(%x: !ge.unknown) -> !ge.unknown attributes {ge.attrs = {"onnx.function" = {domain = "local", name = "F"}}} {
    %r = "onnx.Relu"(%x) : (!ge.unknown) -> !ge.unknown
    %y = "onnx.Neg"(%r) : (!ge.unknown) -> !ge.unknown
    return %y : !ge.unknown
  }
  func.func @local.Same(%x: !ge.unknown) -> !ge.unknown attributes {ge.attrs = {"onnx.function" = {domain = "local", name = "Same"}}} {
    return %x : !ge.unknown
  }
}
// -----
// Softmax means something else before 13; Relu does not.
// CHECK-LABEL: func.func @opsets
// CHECK: local.Other
// CHECK: onnx.Relu
// CHECK-NOT: local.Alike
// CHECK: func.func @local.Other
// CHECK-NOT: func.func @local.Alike
module attributes {ge.attrs = {opset = {onnx = 18 : i64}}} {
  func.func @opsets(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %t = "local.Other"(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %y = "local.Alike"(%t) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    return %y : tensor<2x2xf32>
  }
  func.func @local.Other(%x: !ge.unknown) -> !ge.unknown attributes {ge.attrs = {opset = {onnx = 11 : i64}, "onnx.function" = {domain = "local", name = "Other"}}} {
    %y = "onnx.Softmax"(%x) : (!ge.unknown) -> !ge.unknown
    return %y : !ge.unknown
  }
  func.func @local.Alike(%x: !ge.unknown) -> !ge.unknown attributes {ge.attrs = {opset = {onnx = 17 : i64}, "onnx.function" = {domain = "local", name = "Alike"}}} {
    %y = "onnx.Relu"(%x) : (!ge.unknown) -> !ge.unknown
    return %y : !ge.unknown
  }
}
