// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main(%x: tensor<2xf32>, %i: tensor<i1>) -> tensor<2xf32> {
    %0 = "ge.control"(%x) : (tensor<2xf32>) -> !ge.control
    %a, %1 = "x.a"(%x) : (tensor<2xf32>) -> (tensor<2xf32>, !ge.control)
    %2 = "x.b"(%0, %1) : (!ge.control, !ge.control) -> !ge.control
    %c, %3 = "x.c"(%a, %2, %0) : (tensor<2xf32>, !ge.control, !ge.control) -> (tensor<2xf32>, !ge.control)
    %d = "onnx.If"(%i, %3) ({
    ^bb0(%p: tensor<2xf32>):
      %4 = "ge.control"(%p) : (tensor<2xf32>) -> !ge.control
      %5 = "x.d"(%4) : (!ge.control) -> !ge.control
      "ge.yield"(%p, %5, %4) : (tensor<2xf32>, !ge.control, !ge.control) -> ()
    }) : (tensor<i1>, !ge.control) -> tensor<2xf32>
    "ge.control_sink"(%2, %0) : (!ge.control, !ge.control) -> ()
    return %d : tensor<2xf32>
  }
}
