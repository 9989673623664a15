// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main(%a: tensor<f32>, %b: tensor<2x3xf32>, %c: tensor<?x0x?xi64>, %d: tensor<*xf32>, %e: tensor<9223372036854775807xi8>) {
    return
  }
}
