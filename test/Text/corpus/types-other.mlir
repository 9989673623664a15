// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main(%a: !ge.seq<tensor<2xf32>>, %b: !ge.optional<!ge.seq<tensor<*xf32>>>, %c: !ge.map<!ge.string, tensor<2xf32, {format = "ND"}>>, %d: !ge.map<i64, !ge.unknown>, %e: !ge.unknown, %f: !ge.opaque<"any \22text\22 <>\0A">) {
    return
  }
}
