module {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    "x.none"(%x) : (tensor<2xf32>) -> ()
    %a, %0, %b = "x.three"(%x) : (tensor<2xf32>) -> (tensor<2xf32>, none, tensor<3xi64>)
    %1:2 = "x.pack"(%a, %b) : (tensor<2xf32>, tensor<3xi64>) -> (tensor<2xf32>, tensor<2xf32>)
    %c = "x.last"(%1#1, %1, %1#0) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    "x.unnamed"() : () -> (tensor<2xf32>, tensor<2xf32>)
    return %c : tensor<2xf32>
  }
}
