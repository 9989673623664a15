// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module attributes {ge.attrs = {data = dense_resource<data> : tensor<17xi8>}} {
  func.func @main(%x: tensor<20xf32> {ge.attrs = {value = dense_resource<x> : tensor<20xf32>}}) -> tensor<20xf32> attributes {ge.attrs = {g = dense_resource<g> : tensor<2x!ge.dtype<"qi8">>}} {
    %w = "ge.Const"() {ge.name = "w", value = dense_resource<w> : tensor<20xf32>} : () -> tensor<20xf32>
    %0 = "ge.Const"() {ge.name = "w", value = dense_resource<w_1> : tensor<20xf32>} : () -> tensor<20xf32>
    %1 = "ge.Const"() {ge.name = "a/b \22\\", value = [dense_resource<"a/b \22\\"> : tensor<20xf32>, {k = dense_resource<"a/b \22\\_1"> : tensor<2x!ge.dtype<"hifloat8">>}]} : () -> tensor<20xf32>
    %2 = "ge.Const"() {value = dense_resource<value> : tensor<20xi1>, other = dense_resource<other> : tensor<20xi4>} : () -> tensor<20xi1>
    return {ge.attrs = {o = dense_resource<o> : tensor<3x!ge.dtype<"qu8">>}} %w : tensor<20xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      data: "0x01000000ABABABABABABABABABABABABABABABABAB",
      x: "0x04000000000000000000003F0000803F0000C03F0000004000002040000040400000604000008040000090400000A0400000B0400000C0400000D0400000E0400000F04000000041000008410000104100001841",
      g: "0x010000000102",
      w: "0x04000000000000000000003F0000803F0000C03F0000004000002040000040400000604000008040000090400000A0400000B0400000C0400000D0400000E0400000F04000000041000008410000104100001841",
      w_1: "0x04000000000000000000003F0000803F0000C03F0000004000002040000040400000604000008040000090400000A0400000B0400000C0400000D0400000E0400000F04000000041000008410000104100001841",
      "a/b \22\\": "0x04000000000000000000003F0000803F0000C03F0000004000002040000040400000604000008040000090400000A0400000B0400000C0400000D0400000E0400000F04000000041000008410000104100001841",
      "a/b \22\\_1": "0x010000000102",
      value: "0x010000000100010001000100010001000100010001000100",
      other: "0x010000000F010F010F010F010F010F010F010F010F010F01",
      o: "0x01000000010203"
    }
  }
#-}
