// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  func.func @main(%a: tensor<?x3x?xf32, {dims = ["N", "", ""], format = "NCHW"}>, %b: tensor<2xf32, {origin_format = "ND", origin_shape = [1, "N", ""]}>, %c: tensor<f32, {origin_shape = []}>, %d: !ge.tensor<*xf32, {format = "NCHW"}>, %e: tensor<?xf32, {dims = ["a \22 b"]}>) {
    return
  }
}
