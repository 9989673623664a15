// RUN: grep -v "^// RUN" %s > %t && ge-opt --print-locations %s | diff %t -
module {
  func.func @main(%x: tensor<2xf32> loc("in.py":1:2)) -> tensor<2xf32> {
    %a = "x.f"(%x) ({
    ^bb0(%p: tensor<2xf32> loc("arg")):
      "ge.yield"(%p) : (tensor<2xf32>) -> () loc("y.py":3:4)
    }) {ge.origins = [{node = "old", op = "onnx.Relu", pass = "fuse", rule = "r1", loc = loc("pass.py":5:6)}, {node = "other"}]} : (tensor<2xf32>) -> tensor<2xf32> loc(fused["a.py":1:1, "name"("b.py":2:2), "plain"])
    return %a : tensor<2xf32> loc("ret"("z.py":7:8))
  }
}
