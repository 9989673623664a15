// A residual block as an exporter writes it: two identities, and the same activation computed twice.
module @block {
  func.func @main(%x: tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>)
      -> (tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}> {ge.name = "out"}) {
    %w1 = "ge.Const"() {value = dense<0.5> : tensor<64x64x3x3xf32>} : () -> tensor<64x64x3x3xf32>
    %w2 = "ge.Const"() {value = dense<0.25> : tensor<64x64x3x3xf32>} : () -> tensor<64x64x3x3xf32>
    %copy = "onnx.Identity"(%x) : (tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>) -> tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>
    %conv1 = "onnx.Conv"(%copy, %w1) {pads = array<i64: 1, 1, 1, 1>} : (tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>, tensor<64x64x3x3xf32>) -> tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>
    %relu1 = "onnx.Relu"(%conv1) : (tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>) -> tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>
    %relu2 = "onnx.Relu"(%conv1) : (tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>) -> tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>
    %conv2 = "onnx.Conv"(%relu1, %w2) {pads = array<i64: 1, 1, 1, 1>} : (tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>, tensor<64x64x3x3xf32>) -> tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>
    %sum = "onnx.Add"(%conv2, %relu2) : (tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>, tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>) -> tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>
    %out = "onnx.Identity"(%sum) : (tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>) -> tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>
    return %out : tensor<?x64x56x56xf32, {dims = ["N", "", "", ""]}>
  }
}
