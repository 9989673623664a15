// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main(%x: tensor<2xf32> {ge.name = "input.1"}, %c: tensor<i1>) -> (tensor<2xf32> {ge.name = "out"}, tensor<i1>, tensor<2xf32> {ge.name = "out/2"}) attributes {ge.attrs = {a = [1 : i64, 2 : i64], "ge.x" = 1 : i64}} {
    return {ge.name = "the output", ge.attrs = {k = 3 : i64}} %x, %c, %x : tensor<2xf32>, tensor<i1>, tensor<2xf32>
  }
}
