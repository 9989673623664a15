// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main() {
    "x.f"() {a = dense<0.0> : tensor<1000000000000xf32>, b = dense<true> : tensor<3x3xi1>, c = dense<"s"> : tensor<4x!ge.string>, d = dense<(1.0,2.0)> : tensor<5xcomplex<f64>>, e = dense_resource<e> : tensor<1000x!ge.dtype<"hifloat8">>} : () -> ()
    return
  }
}

{-#
  dialect_resources: {
    builtin: {
      e: "0x0100000011"
    }
  }
#-}
