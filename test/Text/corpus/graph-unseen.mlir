// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  "ge.graph"() ({
    %0 = "ge.unseen"() {ge.name = "gone", ge.domain = "onnx", ge.type = "Relu"} : () -> tensor<2xf32>
    %1 = "ge.unseen"() {ge.domain = "a.b", ge.type = "C.d", ge.overload = "o"} : () -> tensor<3xf32>
    %a = "onnx.Add"(%0, %1) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
    "ge.output"(%a) : (tensor<2xf32>) -> ()
  }) {sym_name = "main"} : () -> ()
}
