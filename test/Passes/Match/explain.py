# RUN: %PYTHON %s | filecheck %s
# Every class of reason why a pattern does not match, as people read it.
from ge import es, ir
from ge.es import onnx as op
from ge.passes import DecomposePass, explain, explain_pass, p, pattern, rewrite_rule

X = ir.TensorType((4, 4), ir.f32)


def build(function):
    with es.builder("main") as b:
        x, y = b.input("x", X), b.input("y", X)
        made = function(x, y)
        b.output(*(made if isinstance(made, tuple) else [made]))
    for node in b.graph.nodes:
        if not node.has_name:
            node.name = node.type.lower()
    return b.graph


def show(title, function, what):
    print(f"{title}:\n{explain(build(function), what)}", end="")


# CHECK-LABEL: operator:
# CHECK-NEXT: relu_of_neg: 0 matches
# CHECK-NEXT:   at onnx.Relu 'relu': 1 of 2 nodes match, then operator at onnx.Abs 'abs'
# CHECK-NEXT:     expected: onnx.Neg
# CHECK-NEXT:     found:    onnx.Abs 'abs'
# CHECK-NEXT:     matched:  relu
@pattern
def relu_of_neg(x):
    return op.Relu(op.Neg(x))


show("operator", lambda x, y: op.Relu(op.Abs(x)), relu_of_neg)

# CHECK-LABEL: near:
# CHECK-NEXT: : 0 matches
# CHECK-NEXT:   no node of the graph has an operator that the pattern ends in
# CHECK-NEXT:   near: onnx.Relu, 1 in this graph
show("near", lambda x, y: op.Relu(x), pattern(lambda x: op.Elu(p.op("onnx.PRelu")(x, x))))

# CHECK-LABEL: arity:
# CHECK:      then arity
# CHECK-NEXT:   expected: 2 operands of onnx.Gemm
# CHECK-NEXT:   found:    3 operands of onnx.Gemm 'gemm'
show("arity", lambda x, y: op.Gemm(x, y, y), lambda a, b: op.Gemm(a, b))

# CHECK-LABEL: attribute:
# CHECK:      then attribute
# CHECK-NEXT:   expected: attribute 'transB' = 1 : i64
# CHECK-NEXT:   found:    absent, which counts as 0 : i64, at onnx.Gemm 'gemm'
show("attribute", lambda x, y: op.Gemm(x, y), lambda a, b: op.Gemm(a, b, transB=1))

# CHECK-LABEL: constant:
# CHECK:      then constant at ge.Const
# CHECK-NEXT:   expected: the constant [2.0]
# CHECK-NEXT:   found:    [3.0]
show("constant", lambda x, y: op.Sub(x, 3.0), lambda x: op.Sub(x, p.constant(2.0)))

# CHECK-LABEL: shape:
# CHECK:      then shape at the input 'x'
# CHECK-NEXT:   expected: shape (N0, 8), f32
# CHECK-NEXT:   found:    tensor<4x4xf32> of the input 'x'
show("shape", lambda x, y: op.Relu(x), lambda x: op.Relu(x.where(shape=("N", 8), dtype=ir.f32)))

# CHECK-LABEL: predicate:
# CHECK:      then predicate
# CHECK-NEXT:   expected: a value that the pattern's function accepts
show("predicate", lambda x, y: op.Relu(x), lambda x: op.Relu(x.where(lambda value: False)))

# CHECK-LABEL: binding:
# CHECK:      then binding at the input 'x'
# CHECK-NEXT:   expected: the value that 'x' of the pattern is already: result 0 of the input 'y'
# CHECK-NEXT:   found:    result 0 of the input 'x'
show("binding", lambda x, y: op.Sub(x, y), lambda x: op.Sub(x, x))

# CHECK-LABEL: outside use:
# CHECK:      2 of 2 nodes match, then outside-use at onnx.Neg 'neg'
# CHECK-NEXT:   expected: result 0 of onnx.Neg 'neg' used inside the match only, or an output of the pattern
# CHECK-NEXT:   found:    it is used by onnx.Abs 'abs'
show(
    "outside use",
    lambda x, y: (lambda n: (op.Relu(n), op.Abs(n)))(op.Neg(x)),
    relu_of_neg,
)

# CHECK-LABEL: condition:
# CHECK:      2 of 2 nodes match, then condition
# CHECK-NEXT:   expected: a match that the condition accepts
# CHECK-NEXT:   found:    odd width
rule = rewrite_rule(relu_of_neg, lambda x: op.Abs(x), when=lambda match: match.reject("odd width"))
show("condition", lambda x, y: op.Relu(op.Neg(x)), rule)

# CHECK-LABEL: overlap:
# CHECK-NEXT: : 2 matches
# CHECK-NEXT:   at onnx.Relu 'relu_2': 2 of 2 nodes match, then overlap at onnx.Relu 'relu_1'
# CHECK-NEXT:     expected: onnx.Relu 'relu_1' for this match alone
# CHECK-NEXT:     found:    the match at onnx.Relu 'relu_1' takes it first
show("overlap", lambda x, y: op.Relu(op.Relu(op.Relu(x))), pattern(lambda x: op.Relu(op.Relu(x))))

# CHECK-LABEL: budget:
# CHECK-NEXT: : 0 matches
# CHECK-NEXT:   at onnx.Add 'add': 1 of 4 nodes match, then budget
# CHECK-NEXT:     expected: a match within 2 steps
# CHECK-NEXT:     found:    more choices than that
graph = build(lambda x, y: op.Add(op.Relu(x), op.Neg(op.Relu(y))))
what = pattern(lambda x, y: op.Add(op.Neg(op.Abs(x)), op.Relu(y)))
print(f"budget:\n{explain(graph, what, budget=2)}", end="")

# CHECK-LABEL: operator of a pass for single nodes:
# CHECK-NEXT: Split: 0 matches
# CHECK-NEXT:   no node of the graph has an operator that the pass is for: Negg
# CHECK-NEXT:   near: onnx.Neg, 1 in this graph


class Split(DecomposePass):
    op_types = ("Negg",)


print(f"operator of a pass for single nodes:\n{explain_pass(graph, Split)[0]}", end="")

# CHECK-LABEL: condition of a pass for single nodes:
# CHECK-NEXT: Refuse: 0 matches
# CHECK-NEXT:   at onnx.Neg 'neg': 1 of 1 nodes match, then condition
# CHECK-NEXT:     expected: a node that meet_requirements accepts
# CHECK-NEXT:     found:    it says no


class Refuse(DecomposePass):
    op_types = ("Neg",)

    def meet_requirements(self, node):
        return False


print(f"condition of a pass for single nodes:\n{explain_pass(graph, Refuse)[0]}", end="")
