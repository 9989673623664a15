// Types that are none.
// RUN: ge-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{unknown element type 'i7'}}
func.func @main(%x: tensor<2xi7>) { return }
// -----
// expected-error@+1 {{unknown element type 'index'}}
func.func @main(%x: tensor<2xindex>) { return }
// -----
// expected-error@+1 {{this dimension does not fit in 64 bits}}
func.func @main(%x: tensor<9223372036854775808xi8>) { return }
// -----
// expected-error@+1 {{expected 'x' after a dimension}}
func.func @main(%x: tensor<2>) { return }
// -----
// expected-error@+1 {{type 'f32' is not a type of GE; write a foreign type as !ge.opaque<"...">}}
func.func @main(%x: f32) { return }
// -----
// expected-error@+1 {{type '!ge.int' is not one of GE's}}
func.func @main(%x: !ge.int) { return }
// -----
// expected-error@+1 {{type '!torch.list' has no end: its brackets do not close}}
func.func @main(%x: !torch.list<(int]>) { return }
// -----
// expected-error@+1 {{attribute '#acme.quant' has no end: its brackets do not close}}
func.func @main() { "x.f"() {q = #acme.quant<1, 2} : () -> () }
// -----
// expected-error@+1 {{type alias '!t' is not defined}}
func.func @main(%x: !t) { return }
// -----
!v = vector<2xf32>
// expected-error@+1 {{type alias '!v' has a type that GE does not support}}
func.func @main(%x: !v) { return }
// -----
// expected-error@+1 {{'dims' has 2 entries for 1 dimensions}}
func.func @main(%x: tensor<?xf32, {dims = ["A", "B"]}>) { return }
// -----
// expected-error@+1 {{dimension 0 has a size and a symbol}}
func.func @main(%x: tensor<2xf32, {dims = ["A"]}>) { return }
// -----
// expected-error@+1 {{expected dims, format, origin_format or origin_shape, got 'layout'}}
func.func @main(%x: tensor<2xf32, {layout = "A"}>) { return }
// -----
// expected-error@+1 {{an unranked tensor with a layout is written !ge.tensor<*x..., {...}>}}
func.func @main(%x: tensor<*xf32, {format = "A"}>) { return }
// -----
// expected-error@+1 {{a size in 'origin_shape' is negative}}
func.func @main(%x: tensor<2xf32, {origin_shape = [-1]}>) { return }
// -----
// expected-error@+1 {{expected '>' at the end of a tensor type}}
func.func @main(%x: tensor<2xf32) { return }
