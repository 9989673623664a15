// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main(%a: !acme.handle<3>, %b: !acme.ptr, %c: !acme<"a > b">, %d: !ge.seq<!acme.fn<( f32 ,i8)  -> [i8]>>) {
    %r = "acme.Quantize"(%a) {bare = #acme.fast, q = #acme.quant<1,  [2], "a>\22">, t = !acme.handle<4>} : (!acme.handle<3>) -> !acme.handle<{x = 1}>
    return
  }
}
