module {
  "ge.graph"() ({
    %b = "onnx.Relu"(%a) : (tensor<2xf32>) -> tensor<2xf32>
    %a = "onnx.Zero"() : () -> tensor<2xf32>
    %c = "onnx.Add"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    "ge.output"(%c) : (tensor<2xf32>) -> ()
  }) {sym_name = "main"} : () -> ()
}
