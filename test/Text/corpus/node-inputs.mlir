// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main(%x: tensor<2xf32> {ge.name = "n", ge.op = "RefData", ge.attrs = {value = dense<[1.0, 2.0]> : tensor<2xf32>, "a b" = 1 : i64}}, %0: tensor<2xf32> {ge.name = "in/2", ge.result_names = ["in/2"]}, %1: tensor<2xf32>, %y: tensor<2xf32> {ge.name = "", ge.op = "my.Input"}, %z: tensor<2xf32> {ge.op = ["a.b", "c.d", "e"]}) {
    return
  }
}
