# What errors say: what, where, and what to do.
# RUN: %PYTHON %s | FileCheck %s
import ge.ir as ir


def show(call) -> None:
    try:
        call()
    except Exception as error:
        print(f"{type(error).__module__}.{type(error).__name__}: {error}")
    else:
        print("no error")


g = ir.Graph("main")
x = g.add_input("x", ir.TensorType((2,), ir.f32))
a = g.add_node("onnx.Relu", [x], name="a", result_types=x.type)
b = g.add_node("onnx.Neg", [a], name="b", result_types=x.type)

# CHECK: builtins.ValueError: node 'a' (onnx.Relu) is still used by node 'b'
show(a.erase)
# CHECK: builtins.TypeError: an operand must be a Value or None, not int
show(lambda: g.add_node("onnx.Abs", [1]))
# CHECK: builtins.TypeError: add_node() got an unexpected keyword argument 'nam'
show(lambda: g.add_node("onnx.Abs", nam="x"))
# CHECK: builtins.TypeError: attribute 'k' cannot hold a object; it takes bool, int, float, str
show(lambda: a.attributes.update(k=object()))
# CHECK: builtins.TypeError: attribute 'k': an empty list does not say what of; write ir.ArrayAttr([], ir.i64)
show(lambda: a.attributes.update(k=[]))
# CHECK: builtins.OverflowError: an integer attribute has 64 bits
show(lambda: a.attributes.update(k=2**64))
# CHECK: builtins.ValueError: {{.*}}f33
show(lambda: ir.DType("f33"))
# CHECK: builtins.TypeError: Node objects come from the graph they are in
show(ir.Node)
# CHECK: builtins.ValueError: Node.create() needs a place
show(lambda: ir.Node.create("onnx.Abs"))
# CHECK: builtins.IndexError: operand index 7 is out of range: there are 1
show(lambda: a.operands[7])
b.erase()
# CHECK: ge.ir.StaleHandleError: node 'b' (onnx.Neg) was erased
show(lambda: b.name)
# CHECK: <dead: node 'b' (onnx.Neg) was erased>
print(repr(b))
with ir.trace_origins():
    a.erase()
# CHECK: ge.ir.StaleHandleError: node 'a' (onnx.Relu) was erased ({{.*}}errors.py:{{[0-9]+}})
show(lambda: a.op)
# CHECK: ge.ir.ParseError: bad.mlir:2:3: error:
# CHECK-NEXT: oops
# CHECK-NEXT: ^
show(lambda: ir.Module.parse("module {\n  oops\n}", "bad.mlir"))
