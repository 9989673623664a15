// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main() {
    "x.f"() {a = dense<1> : tensor<i64>, b = dense<[1, -2]> : tensor<2xi8>, c = dense<[[1.0, 2.5], [0x7F800000, -0.0]]> : tensor<2x2xf32>, d = dense<[true, false]> : tensor<2xi1>, e = dense<[(1.0,2.0), (0.5,-1.0)]> : tensor<2xcomplex<f32>>, f = dense<[1.0, 0.5]> : tensor<2xf16>, g = dense<[1.0, 0.1]> : tensor<2xf64>, h = dense<[18446744073709551615, 0]> : tensor<2xui64>, i = dense<[1.0, 2.0]> : tensor<2xbf16>, j = dense<[-8, 7]> : tensor<2xi4>, k = dense<[15, 0]> : tensor<2xui4>, l = dense<[0.5, 450.0]> : tensor<2xf8E4M3FN>, m = dense<[[[1], [2]]]> : tensor<1x2x1xi32>, n = dense<[1.0, 2.0]> : tensor<2xf32, {format = "ND"}>, o = dense<[-2, 1]> : tensor<2xi2>, p = dense<[1.0, 6.0]> : tensor<2xf4E2M1FN>, q = dense<[1.0, 0x7F]> : tensor<2xf8E4M3FN>, r = dense<[1.0, 4.0]> : tensor<2xf8E8M0FNU>, s = [dense<[1, 2]> : tensor<2xi64>, {k = dense<2> : tensor<i8>}]} : () -> ()
    return
  }
}
