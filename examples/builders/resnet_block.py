"""A residual block of ResNet, built with ONNX's operators: ``python examples/builders/resnet_block.py``.

Operands are positional, attributes keywords; arrays and numbers become constants; each call knows its result's type.
"""

import numpy as np

import ge.es
from ge import ir
from ge.es import onnx as op

random = np.random.default_rng(0)


def conv(x: ir.Value, channels: int, size: int, stride: int = 1) -> ir.Value:
    """Convolution and batch normalisation."""
    given = x.type.shape[1]
    weight = random.standard_normal((channels, given, size, size), np.float32)
    pad = size // 2
    y = op.Conv(x, weight, pads=[pad] * 4, strides=[stride] * 2)
    ones, zeros = np.ones(channels, np.float32), np.zeros(channels, np.float32)
    return op.BatchNormalization(y, ones, zeros, zeros, ones)


def residual_block(x: ir.Value, channels: int, stride: int) -> ir.Value:
    """Two convolutions beside a shortcut, which is a convolution itself where shapes differ."""
    y = op.Relu(conv(x, channels, 3, stride))
    y = conv(y, channels, 3)
    same = stride == 1 and x.type.shape[1] == channels
    return op.Relu(y + (x if same else conv(x, channels, 1, stride)))


def build() -> ir.Graph:
    """Return the graph of two blocks and a classifier."""
    with ge.es.builder("resnet", opset=21) as b:
        x = b.input("image", ("N", 3, 32, 32), ir.f32)
        y = residual_block(x, 3, stride=1)
        y = residual_block(y, 8, stride=2)
        y = op.Flatten(op.GlobalAveragePool(y))
        y = op.Gemm(y, random.standard_normal((10, 8), np.float32), transB=1)
        b.output(op.Softmax(y), name="probabilities")
    b.graph.verify()
    return b.graph


if __name__ == "__main__":
    print(build().to_text(elide_elements_larger_than=8))
