// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module @resnet attributes {ge.attrs = {opset = {onnx = 17 : i64}, producer = "pytorch", "a.b" = true}} {
  func.func @main() {
    return
  }
  func.func @"second graph"() attributes {ge.attrs = {k = 1 : i64}} {
    return
  }
}
