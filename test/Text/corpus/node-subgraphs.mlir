// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main(%x: tensor<2xf32>, %i: tensor<i1>) -> tensor<2xf32> {
    %y = "onnx.If"(%i) ({
      %t = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
      "ge.yield"(%t) : (tensor<2xf32>) -> ()
    }, {
      "ge.yield"(%x) : (tensor<2xf32>) -> ()
    }) {ge.subgraphs = [{slot = "then_branch", name = "then graph"}, {slot = "else_branch"}]} : (tensor<i1>) -> tensor<2xf32>
    %z = "onnx.Loop"(%y) ({
    ^bb0(%0: tensor<i64>, %cond: tensor<i1>, %state: tensor<2xf32>):
      %s = "onnx.If"(%cond) ({
        "ge.yield"(%state) {ge.name = "deep"} : (tensor<2xf32>) -> ()
      }) : (tensor<i1>) -> tensor<2xf32>
      "ge.yield"(%cond, %s) {k = 1 : i64, ge.attrs = {"a.b" = 2 : i64}} : (tensor<i1>, tensor<2xf32>) -> ()
    }) {k = 5 : i64, ge.subgraphs = [{slot = "body", args = [{ge.name = "iter/1", ge.result_names = ["iter/1"], ge.op = "RefData"}, {ge.name = ""}, {ge.attrs = {value = dense<1.0> : tensor<2xf32>}}], outputs = ["cond/out", ""], attrs = {a = 1 : i64, "b.c" = [1 : i64, 2 : i64]}}]} : (tensor<2xf32>) -> tensor<2xf32>
    "x.empty"() ({
      "ge.yield"() : () -> ()
    }, {
      "ge.yield"() : () -> ()
    }) : () -> ()
    return %z : tensor<2xf32>
  }
}
