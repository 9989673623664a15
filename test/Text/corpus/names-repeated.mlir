// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "x.f"(%x) {ge.name = "twice", ge.result_names = ["twice"]} : (tensor<2xf32>) -> tensor<2xf32>
    %1 = "x.f"(%0) {ge.name = "twice", ge.result_names = ["twice"]} : (tensor<2xf32>) -> tensor<2xf32>
    %2 = "x.f"(%1) {ge.result_names = ["twice"]} : (tensor<2xf32>) -> tensor<2xf32>
    %y = "x.f"(%2) {ge.name = "twice"} : (tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
