// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main(%none.1: tensor<2xf32>, %0: tensor<2xf32> {ge.name = "none", ge.result_names = ["none"]}) -> tensor<2xf32> {
    %a = "x.f"(%none.1) {ge.name = "conv/1"} : (tensor<2xf32>) -> tensor<2xf32>
    %1 = "x.f"(%a) {ge.name = "n1"} : (tensor<2xf32>) -> tensor<2xf32>
    %b = "x.f"(%1) {ge.name = ""} : (tensor<2xf32>) -> tensor<2xf32>
    %2, %3 = "x.g"(%b) {ge.name = "caf\C3\A9 \22q\22", ge.result_names = ["5", "v:0"]} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %4, %c = "x.g"(%2, %3) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %$a.b-c, %_ = "x.g"(%4, %c) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %-1 = "x.f"(%_) {ge.name = "x"} : (tensor<2xf32>) -> tensor<2xf32>
    return %-1 : tensor<2xf32>
  }
}
