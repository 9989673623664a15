// RUN: grep -v "^// RUN" %s > %t && ge-opt %s | diff %t -
module {
  "ge.graph"() ({
    %a = "x.y"(%a) : (tensor<2xf32>) -> tensor<2xf32>
    "ge.output"() : () -> ()
  }) {sym_name = "main"} : () -> ()
}
