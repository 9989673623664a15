"""Multi-head attention, with ONNX's control flow made of Python callables: ``python examples/builders/attention.py``.

The bodies of If and Loop are ordinary functions; what they use of the graph around them is captured.
"""

import math

import numpy as np

import ge.es
from ge import ir
from ge.es import onnx as op

random = np.random.default_rng(0)


def linear(x: ir.Value, width: int) -> ir.Value:
    """Apply a dense layer."""
    weight = random.standard_normal((x.type.shape[-1], width), np.float32)
    return x @ weight + np.zeros(width, np.float32)


def heads_of(x: ir.Value, heads: int) -> ir.Value:
    """Split the last axis: batch, heads, sequence, width of a head."""
    width = x.type.shape[-1] // heads
    return op.Transpose(op.Reshape(x, [0, 0, heads, width]), perm=[0, 2, 1, 3])


def attention(x: ir.Value, mask: ir.Value, use_mask: ir.Value, heads: int) -> ir.Value:
    """Scaled dot-product attention, masked when an input says so at run time."""
    width = x.type.shape[-1]
    q, k, v = (heads_of(linear(x, width), heads) for _ in range(3))
    scores = q @ op.Transpose(k, perm=[0, 1, 3, 2]) / math.sqrt(width // heads)
    (scores,) = op.If(
        use_mask,
        then_branch=lambda: [op.Where(mask, scores, -1e9)],
        else_branch=lambda: [op.Identity(scores)],
    )
    mixed = op.Transpose(op.Softmax(scores) @ v, perm=[0, 2, 1, 3])
    return linear(op.Reshape(mixed, [0, 0, width]), width)


def build(heads: int = 4, width: int = 32) -> ir.Graph:
    """Return a graph that applies attention a number of times that is an input."""
    with ge.es.builder("attention", opset=21) as b:
        x = b.input("x", ("batch", "sequence", width), ir.f32)
        mask = b.input("mask", ("sequence", "sequence"), ir.i1)
        use_mask = b.input("use_mask", (), ir.i1)
        rounds = b.input("rounds", (), ir.i64)

        def body(i: ir.Value, go_on: ir.Value, state: ir.Value) -> list[ir.Value]:
            return [go_on, state + attention(state, mask, use_mask, heads)]

        (y,) = op.Loop(rounds, True, [x], body=body)
        b.output(y, name="y")
    b.graph.verify()
    return b.graph


if __name__ == "__main__":
    print(build().to_text(elide_elements_larger_than=8))
