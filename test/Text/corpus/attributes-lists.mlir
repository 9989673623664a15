// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main() {
    "x.f"() {a = array<i64: 1, -2, 3>, b = array<i64>, c = array<f32: 0.5, 0x7F800000, 1.0e-05>, d = array<f32>, e = array<i1: true, false>, f = array<i1>, g = array<i32: 1>, h = array<i8: -128, 127>, i = array<f64: 0.1>, j = ["a", "b c", ""], k = [], l = [array<i64: 1, 2>, array<i64>], m = [["a"], []], n = [#ge.dtype<f32>, #ge.dtype<!ge.string>], o = [tensor<2xf32>, none], p = [1 : i64, 0.5 : f64, true, "s", @g, {k = 1 : i64}, #ge.bytes<"x">], q = [0.5 : f32], r = array<ui8: 255>, s = array<f64>} : () -> ()
    return
  }
}
