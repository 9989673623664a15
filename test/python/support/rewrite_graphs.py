"""Graphs with a matrix product and a sum, and their replacement."""

from ge import es, ir
from ge.es import onnx as op
from ge.passes import rewrite_rule

X = ir.TensorType((4, 4), ir.f32)


def build(function, *inputs):
    with es.builder("main") as b:
        made = function(*(b.input(f"x{i}", t) for i, t in enumerate(inputs)))
        b.output(*(made if isinstance(made, (tuple, list)) else [made]))
    return b.graph


def ops(graph):
    return [n.type for n in graph.nodes]


def matmul_add(a, b, c):
    return op.Add(op.MatMul(a, b), c)


def gemm(a, b, c):
    return op.Gemm(a, b, c)


def fused(**options):
    return rewrite_rule(matmul_add, gemm, name="gemm", **options)


def chain(n):
    def f(x, w, c):
        for _ in range(n):
            x = op.Relu(op.Add(op.MatMul(x, w), c))
        return x

    return build(f, X, X, X)
