// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main() {
    "x.f"() {i = 1 : i64, neg = -9223372036854775808 : i64, big = 9223372036854775807 : i64, i8 = -128 : i8, i32 = 5 : i32, u8 = 255 : ui8, u64 = 18446744073709551615 : ui64, t = true, f = false, s = "text", e = "", u = "\C3\A9\22\\\0A", b = #ge.bytes<"\FF\00a">, be = #ge.bytes<"">, d = #ge.dtype<f32>, y = tensor<2xf32>, n = none, o = !ge.opaque<"x">, g = @graph, h = @"a graph"} : () -> ()
    return
  }
}
