// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main() {
    "x.f"() {a = dense<> : tensor<0xf32>, b = dense<> : tensor<2x0x3xi1>, c = dense<> : tensor<0x!ge.string>, d = dense<> : tensor<0x!ge.dtype<"qi8">>} : () -> ()
    return
  }
}
