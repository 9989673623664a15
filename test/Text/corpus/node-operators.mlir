// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main() {
    "onnx.Conv"() : () -> ()
    "com.microsoft.FusedMatMul"() : () -> ()
    "my domain.T\C3\A9\22\\"() : () -> ()
    "ge.op"() {ge.domain = "func", ge.type = "func"} : () -> ()
    "ge.op"() {ge.domain = "arith.more", ge.type = "add"} : () -> ()
    "ge.op"() {ge.domain = "aten", ge.type = "add", ge.overload = "Tensor"} : () -> ()
    "ge.op"() {ge.domain = "x", ge.type = "a.b"} : () -> ()
    "ge.op"() {ge.domain = "ge", ge.type = "none"} : () -> ()
    "ge.op"() {ge.domain = "ge", ge.type = "op"} : () -> ()
    "ge.op"() {ge.domain = "ge", ge.type = "yield", k = 1 : i64} : () -> ()
    "ge.Data"() : () -> ()
    return
  }
}
