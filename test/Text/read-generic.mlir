// The generic forms of functions and modules, as MLIR prints them.
// RUN: ge-opt %s --split-input-file | FileCheck %s

// CHECK:      module @m attributes {ge.attrs = {k = 1 : i64}} {
// CHECK-NEXT:   func.func @main(%arg0: tensor<2xf32> {ge.name = "in"}, %arg1: tensor<3xf32>) -> (tensor<2xf32> {ge.name = "out"}, tensor<2xf32>) attributes {ge.attrs = {g = 2 : i64}} {
"builtin.module"() <{sym_name = "m", sym_visibility = "private"}> ({
  "func.func"() <{arg_attrs = [{ge.name = "in"}, {}], function_type = (tensor<2xf32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>), res_attrs = [{ge.name = "out"}, {}], sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>):
    "func.return"(%arg0, %arg0) {ge.name = "end"} : (tensor<2xf32>, tensor<2xf32>) -> ()
  }) {ge.attrs = {g = 2 : i64}} : () -> ()
}) {ge.attrs = {k = 1 : i64}} : () -> ()
// -----
// All properties in the dictionary behind the regions, as older versions print them.
// CHECK:   func.func @main(%arg0: tensor<2xf32> {ge.name = "in"}) -> (tensor<2xf32> {ge.name = "out"}) {
// CHECK-NEXT: return {ge.name = "end"} %arg0 : tensor<2xf32>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<2xf32>):
    "func.return"(%arg0) {ge.name = "end"} : (tensor<2xf32>) -> ()
  }) {arg_attrs = [{ge.name = "in"}], function_type = (tensor<2xf32>) -> tensor<2xf32>, res_attrs = [{ge.name = "out"}], sym_name = "main"} : () -> ()
}) : () -> ()
// -----
// CHECK: module {
// CHECK-NEXT: }
"builtin.module"() ({
^bb0:
}) : () -> () loc(#loc)
#loc = loc(unknown)
