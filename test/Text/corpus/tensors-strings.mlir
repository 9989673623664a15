// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main() {
    "x.f"() {a = dense<["a", "b \22c\22\FF\00"]> : tensor<2x!ge.string>, b = dense<[["", "x"], ["y", "z"]]> : tensor<2x2x!ge.string>, c = dense<"0x00"> : tensor<!ge.string>, d = dense<["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19"]> : tensor<20x!ge.string>} : () -> ()
    return
  }
}
