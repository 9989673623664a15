// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main() {
    "x.f"() {loc = 1 : i64, true = 2 : i64, i32 = 3 : i64, tensor = 4 : i64, func = 5 : i64, dense = 6 : i64, sym_name = "a", value = 7 : i64, unit = true, a$b = 8 : i64, _c = 9 : i64, array = 10 : i64, ge.attrs = {operandSegmentSizes = array<i32: 1>}} : () -> ()
    return
  }
}
