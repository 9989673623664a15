// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main() {
    "x.f"() {a = {}, b = {k = 1 : i64, "a b" = {"c.d" = [1 : i64]}, e = 0.5 : f32, f = true}, ge.attrs = {"x.y" = 1 : i64, "with blank" = "v", "ge.name" = 2 : i64, "\C3\A9" = {k = array<i64: 1>}, "1st" = true}} : () -> ()
    return
  }
}
