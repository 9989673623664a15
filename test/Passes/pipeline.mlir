// Pipelines: what their text may say, what a run prints and leaves behind.

// RUN: ge-opt --pass-pipeline=infer-types %s | FileCheck %s --check-prefix=WHOLE
// WHOLE: onnx.Relu{{.*}} -> tensor<2xf32>
// WHOLE: onnx.Abs{{.*}} -> tensor<2xf32>

// Bodies of an operator alone.
// RUN: ge-opt --pass-pipeline="onnx.If( infer-types )" %s | FileCheck %s --check-prefix=NESTED
// NESTED: onnx.Relu{{.*}} -> tensor<*xf32>
// NESTED: onnx.Abs{{.*}} -> tensor<2xf32>

// MLIR's anchors: the module and its graphs. An operator of an unknown domain may have bodies.
// RUN: ge-opt --pass-pipeline="builtin.module(func.func(infer-types,acme.Loop(sort)))" %s | FileCheck %s --check-prefix=WHOLE
// RUN: ge-opt --pass-pipeline="func.func(fixpoint(onnx.If(infer-types)))" %s | FileCheck %s --check-prefix=NESTED

// RUN: ge-opt --pass-pipeline="sort,fixpoint{max=4}(infer-types),infer-types" --statistics --timing %s 2>&1 >%t.out | FileCheck %s --check-prefix=REPORT
// REPORT: ===- Time of passes -===
// REPORT: seconds       %   runs  changed  pass
// REPORT: 1        0  sort
// REPORT: 1        1  infer-types (fixpoint#1)
// REPORT: 1        0  infer-types (fixpoint#2)
// REPORT: 1        0  infer-types
// REPORT: total
// REPORT: ===- Statistics of passes -===
// REPORT: infer-types (fixpoint#1)
// REPORT-NEXT: {{[1-9]}} changed
// REPORT: infer-types (fixpoint#2)
// REPORT-NEXT: 0 changed

// RUN: ge-opt --pass-pipeline="sort,infer-types,infer-types" --print-ir-after-change %s 2>&1 >%t.out | FileCheck %s --check-prefix=CHANGED
// CHANGED: // -----// IR Dump After infer-types //----- //
// CHANGED-NEXT: {{^module}}
// CHANGED-NOT: IR Dump

// RUN: ge-opt --pass-pipeline="verify,onnx.If(sort)" --print-ir-before-all --print-ir-after-all %s 2>&1 >%t.out | FileCheck %s --check-prefix=ALL
// ALL: IR Dump Before verify //
// ALL: IR Dump After verify //
// ALL: IR Dump Before sort (onnx.If) //
// ALL: IR Dump After sort (onnx.If) //

// RUN: rm -rf %t.tree
// RUN: ge-opt --pass-pipeline="verify,infer-types" --print-ir-tree-dir=%t.tree/a %s
// RUN: ls %t.tree/a | FileCheck %s --check-prefix=TREE
// RUN: FileCheck %s --check-prefix=WHOLE --input-file=%t.tree/a/002_infer-types.mlir
// TREE: 000_input.mlir
// TREE-NEXT: 001_verify.mlir
// TREE-NEXT: 002_infer-types.mlir

// RUN: ge-opt --pass-pipeline="sort,infer-types" --trace=%t.json %s
// RUN: %PYTHON -c "import json,sys; print([e['name'] for e in json.load(open(sys.argv[1]))['traceEvents']])" %t.json | FileCheck %s --check-prefix=TRACE
// TRACE: ['pipeline', 'sort', 'infer-types']

// RUN: ge-opt --pass-pipeline="verify,infer-types" --pass-bisect-limit=1 %s | FileCheck %s --check-prefix=BISECT
// BISECT: onnx.Relu{{.*}} -> tensor<*xf32>

func.func @main(%x: tensor<2xf32>, %c: tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>) {
  %relu = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<*xf32>
  %neg = "onnx.Neg"(%relu) : (tensor<*xf32>) -> tensor<2xf32>
  %if = "onnx.If"(%c) ({
    %abs = "onnx.Abs"(%x) : (tensor<2xf32>) -> tensor<*xf32>
    "ge.yield"(%abs) : (tensor<*xf32>) -> ()
  }, {
    "ge.yield"(%x) : (tensor<2xf32>) -> ()
  }) {ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]} : (tensor<i1>) -> tensor<2xf32>
  return %neg, %if : tensor<2xf32>, tensor<2xf32>
}
