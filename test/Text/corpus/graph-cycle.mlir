// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  "ge.graph"() ({
  ^bb0(%x: tensor<2xf32>, %0: tensor<2xf32>):
    %none = "ge.none"() : () -> none
    %1 = "ge.control"(%x) : (tensor<2xf32>) -> !ge.control
    %a, %2 = "onnx.Add"(%x, %b, %none, %1, %3) : (tensor<2xf32>, tensor<2xf32>, none, !ge.control, !ge.control) -> (tensor<2xf32>, !ge.control)
    %b, %3 = "onnx.Relu"(%a) : (tensor<2xf32>) -> (tensor<2xf32>, !ge.control)
    "ge.output"(%b, %none, %2, %3) {ge.name = "end", k = 1 : i64} : (tensor<2xf32>, none, !ge.control, !ge.control) -> ()
  }) {sym_name = "main", ge.args = [{}, {ge.name = "in/1", ge.result_names = ["v/1"], ge.op = "RefData", ge.attrs = {a = 1 : i64}}], ge.outputs = ["", "second"], ge.attrs = {k = "v"}} : () -> ()
}
