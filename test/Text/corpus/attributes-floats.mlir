// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main() {
    "x.f"() {a = 0.5 : f32, b = 1.0e-05 : f32, c = 0.1 : f32, d = -0.0 : f32, e = 0x7F800000 : f32, f = 0xFF800000 : f32, g = 0x7FC00001 : f32, h = 1.0e+38 : f32, i = 0.1 : f64, j = 1.0e+300 : f64, k = 0x7FF0000000000000 : f64, l = 1.0 : f16, m = 1.5 : bf16, n = 0x7E00 : f16, o = 1.0e-45 : f32, p = 16777216.0 : f32, q = 3.4028235e+38 : f32} : () -> ()
    return
  }
}
