// Passes that look along edges say so where those go round, and leave the graph alone.

// RUN: not ge-opt --pass-pipeline=eliminate-identity %s 2>&1 | FileCheck %s
// RUN: not ge-opt --pass-pipeline=constant-fold %s 2>&1 | FileCheck %s
// RUN: not ge-opt --pass-pipeline=cse %s 2>&1 | FileCheck %s
// CHECK: graph 'main' has a cycle: {{(a -> b -> a|b -> a -> b)}}

"ge.graph"() ({
^bb0(%x: tensor<2xf32>):
  %a = "onnx.Neg"(%b) : (tensor<2xf32>) -> tensor<2xf32>
  %b = "onnx.Neg"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  "ge.output"(%b) : (tensor<2xf32>) -> ()
}) {sym_name = "main"} : () -> ()
