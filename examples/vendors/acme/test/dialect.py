# RUN: %PYTHON %s | FileCheck %s
"""The vendor's type and attribute: built from objects of its classes, read back as them, kept by text."""

from acme.ge import es, ir
from acme.ge.es import acme as op
from acme.ge.types import Scheme

with es.builder("main") as b:
    x = b.input("x", (3,), ir.f32)
    y = op.Pack(x, scheme=Scheme(4, 1.5), _name="packed")
    b.output(y)

# CHECK: func.func @main(%x: tensor<3xf32>) -> !acme.packed<4>
# CHECK: "acme.Pack"(%x) {ge.name = "packed", scheme = #acme.scheme<4, 1.5>}
# CHECK-SAME: (tensor<3xf32>) -> !acme.packed<4>
print(b.graph)

# CHECK: Scheme(bits=4, scale=1.5) Packed 4
view = ir.Graph.parse(str(b.graph)).nodes[0].view
print(view.how, type(view.y).__name__, view.y.bits)
