// Locations in both styles, aliases before and behind their uses; printed when asked for.
// RUN: ge-opt %s --print-locations | FileCheck %s
// RUN: ge-opt %s --print-locations | ge-opt - --print-locations | FileCheck %s
// RUN: ge-opt %s | FileCheck %s --check-prefix=PLAIN

// PLAIN-NOT: loc(
#early = loc("early.py":1:2)

// CHECK: func.func @main(%x: tensor<2xf32> loc("late.py":3:4), %y: tensor<2xf32>) {
func.func @main(%x: tensor<2xf32> loc(#late), %y: tensor<2xf32> loc(unknown)) {
  // CHECK-NEXT: "x.a"() : () -> () loc("early.py":1:2)
  "x.a"() : () -> () loc(#early)
  // CHECK-NEXT: "x.b"() : () -> () loc("late.py":3:4)
  "x.b"() : () -> () loc(#late)
  // CHECK-NEXT: "x.c"() : () -> (){{$}}
  "x.c"() : () -> ()
  // CHECK-NEXT: "x.d"() : () -> () loc("name"("a.py":5:6))
  "x.d"() : () -> () loc("name"("a.py":5:6))
  // CHECK-NEXT: "x.e"() : () -> () loc(fused["a", "b", "early.py":1:2])
  "x.e"() : () -> () loc(fused<"meta">["a", fused["b", #early], unknown, "a"])
  // CHECK-NEXT: "x.f"() : () -> () loc(fused["callee", "caller"])
  "x.f"() : () -> () loc(callsite("callee" at "caller"))
  // CHECK-NEXT: "x.g"() : () -> () loc("a.py":1:2)
  "x.g"() : () -> () loc("a.py":1:2 to :9)
  // CHECK-NEXT: "x.h"() : () -> () loc("a.py":1:2)
  "x.h"() : () -> () loc("a.py":1:2 to 3:4)
  // CHECK-NEXT: "x.i"() : () -> () loc("\C3\A9 \22")
  "x.i"() : () -> () loc("é \"")
  // CHECK-NEXT: return loc("end")
  return loc("end")
} loc("function")
#late = loc("late.py":3:4)
