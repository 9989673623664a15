// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  "ge.graph"() ({
  ^bb0(%c: tensor<i1>):
    %y = "onnx.If"(%c) ({
      %t = "onnx.Add"(%late, %z) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      "ge.yield"(%t) : (tensor<2xf32>) -> ()
    }, {
      %none = "ge.none"() : () -> none
      "ge.yield"(%none) : (none) -> ()
    }) : (tensor<i1>) -> tensor<2xf32>
    %late = "onnx.Relu"(%y) : (tensor<2xf32>) -> tensor<2xf32>
    %z = "onnx.Relu"(%late) : (tensor<2xf32>) -> tensor<2xf32>
    "ge.output"(%z) : (tensor<2xf32>) -> ()
  }) {sym_name = "main"} : () -> ()
}
