# RUN: %PYTHON %s | FileCheck %s
"""The passes in C++, of the plugin and in Python, in one pipeline; and folding by the vendor's kernel."""

from acme.ge import ir, passes

passes.load_pass_plugins("")


def run(pipeline: str, *nodes: str) -> None:
    """Print a graph of one operand after a pipeline."""
    text = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n" + "\n".join(nodes) + "\n}"
    graph = ir.Graph.parse(text)
    passes.PassManager.parse(pipeline).run(graph)
    graph.verify()
    print(f"// {pipeline}\n{graph}")


CHAIN = (
    '%a = "acme.Scale"(%x) {factor = 4.0 : f32} : (tensor<3xf32>) -> tensor<3xf32>',
    '%b = "acme.Scale"(%a) : (tensor<3xf32>) -> tensor<3xf32>',
    '%c = "acme.Scale"(%b) {factor = 0.5 : f32} : (tensor<3xf32>) -> tensor<3xf32>',
    "return %c : tensor<3xf32>",
)

# CHECK-LABEL: // acme-merge-scales,dce
# CHECK-NEXT: func.func @main
# CHECK-NEXT: "acme.Scale"(%x) {factor = 2.0
# CHECK-NEXT: return
run("acme-merge-scales,dce", *CHAIN)

# CHECK-LABEL: // acme-drop-unit-scale
# CHECK: %[[A:.*]] = "acme.Scale"(%x) {factor = 4.0
# CHECK-NEXT: "acme.Scale"(%[[A]]) {factor = 0.5
run("acme-drop-unit-scale", *CHAIN)

# CHECK-LABEL: // acme-merge-scales,AcmeTwice,dce
# CHECK: "acme.Twice"(%x)
# CHECK-NOT: acme.Scale
run("acme-merge-scales,AcmeTwice,dce", *CHAIN)

# CHECK-LABEL: // constant-fold,dce
# CHECK-NOT: acme.
# CHECK: dense<[2.0{{.*}}, 4.0{{.*}}, 6.0
run(
    "constant-fold,dce",
    '%c = "ge.Const"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>',
    '%d = "acme.Twice"(%c) : (tensor<3xf32>) -> tensor<3xf32>',
    '%e = "onnx.Add"(%d, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>',
    "return %e : tensor<3xf32>",
)
