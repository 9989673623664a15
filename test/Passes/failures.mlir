// A pass that fails is undone and named, with the place; --keep-going runs the next one.

// RUN: sh -c "%ge-opt --pass-pipeline='sort,verify,sort' --crash-reproducer=%t.repro %s; test \$? = 1" 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: failures.mlir:24:3: error: pass 'verify' failed on the module: node 'c' (onnx.Conv): operand 1 'W' is missing
// FAILS: note: what the pass had done is undone
// RUN: FileCheck %s --check-prefix=REPRO --input-file=%t.repro
// REPRO: {{^}}// ge-opt --run-reproducer: verify
// REPRO-NEXT: {{^}}// Run: ge-opt --run-reproducer {{/.*}}.repro{{$}}
// REPRO: onnx.Relu
// REPRO: onnx.Conv
// RUN: sh -c "%ge-opt --run-reproducer %t.repro; test \$? = 1" 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: pass 'verify' failed on
// RUN: sh -c "%ge-opt --run-reproducer %s; test \$? = 1" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: the input does not begin with '// ge-opt --run-reproducer: <pipeline>'

// RUN: sh -c "%ge-opt --pass-pipeline='verify,sort' --keep-going %s; test \$? = 1" 2>%t.err | FileCheck %s --check-prefix=GOES
// GOES: onnx.Relu
// GOES: onnx.Conv
// RUN: FileCheck %s --check-prefix=ERR --input-file=%t.err
// ERR: error: pass 'verify' failed on

"ge.graph"() ({
^bb0(%x: tensor<2xf32>):
  %c = "onnx.Conv"(%r) : (tensor<2xf32>) -> tensor<2xf32>
  %r = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  "ge.output"(%c) : (tensor<2xf32>) -> ()
}) {sym_name = "main"} : () -> ()
