// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, none) {
    %none = "ge.none"() : () -> none
    %y, %0 = "onnx.Dropout"(%x, %none, %none) : (tensor<2xf32>, none, none) -> (tensor<2xf32>, none)
    %z = "x.f"(%none, %y) ({
      %1 = "x.g"(%none) : (none) -> tensor<2xf32>
      "ge.yield"(%1, %none) : (tensor<2xf32>, none) -> ()
    }) : (none, tensor<2xf32>) -> tensor<2xf32>
    return %z, %none : tensor<2xf32>, none
  }
  func.func @inner() {
    "x.f"() ({
      %none = "ge.none"() : () -> none
      "x.g"(%none) : (none) -> ()
      "ge.yield"() : () -> ()
    }, {
      %none = "ge.none"() : () -> none
      "ge.yield"(%none) : (none) -> ()
    }) : () -> ()
    return
  }
}
