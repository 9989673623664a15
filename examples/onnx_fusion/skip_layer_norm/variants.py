"""Residual sums and normalizations as PyTorch 2.13 exports them. Commutative operands stand as they do there."""

from typing import Any

import numpy as np

from ge import ir

INPUTS = {
    "x": (("batch", "sequence", 16), ir.f32),
    "y": (("batch", "sequence", 16), ir.f32),
    "row": ((16,), ir.f32),
}

random = np.random.default_rng(0)
WEIGHT = random.standard_normal((16, 16), np.float32) / 4
BIAS, GAMMA, BETA = random.standard_normal((3, 16), np.float32)


def normalized(op: Any, x: Any) -> Any:
    return op.LayerNormalization(x, GAMMA, BETA, axis=-1, epsilon=1e-5)


def plain(op: Any, x: Any, y: Any) -> Any:
    """``norm(x + y)``, both exporters."""
    return normalized(op, op.Add(x, y))


def torchscript(op: Any, x: Any, y: Any) -> Any:
    """``norm(linear(x) + y)``, TorchScript exporter: the bias is the first operand."""
    return normalized(op, op.Add(op.Add(BIAS, op.MatMul(x, WEIGHT)), y))


def dynamo(op: Any, x: Any, y: Any) -> Any:
    """The same, dynamo exporter that does not optimize."""
    weight = op.Transpose(np.ascontiguousarray(WEIGHT.T), perm=[1, 0])
    return normalized(op, op.Add(op.Add(op.MatMul(x, weight), BIAS), y))


def goes_on(op: Any, x: Any, y: Any) -> Any:
    """``h = y + linear(x); norm(h), h``: the sum goes on to the next layer. Dynamo exporter."""
    total = op.Add(y, op.Add(op.MatMul(x, WEIGHT), BIAS))
    return normalized(op, total), total


def no_bias_goes_on(op: Any, x: Any, y: Any) -> Any:
    """The same without a bias."""
    total = op.Add(y, op.MatMul(x, WEIGHT))
    return normalized(op, total), total


def decomposed(op: Any, x: Any, y: Any) -> Any:
    """``norm(linear(x) + y)``, TorchScript exporter below operator set 17."""
    total = op.Add(op.Add(BIAS, op.MatMul(x, WEIGHT)), y)
    centred = op.Sub(total, op.ReduceMean(total, axes=[-1]))
    variance = op.ReduceMean(op.Pow(centred, 2.0), axes=[-1])
    made = op.Div(centred, op.Sqrt(op.Add(variance, np.float32(1e-5))))
    return op.Add(op.Mul(made, GAMMA), BETA)


def rms(op: Any, x: Any, y: Any) -> Any:
    """Llama's, dynamo exporter: the sum goes on."""
    total = op.Add(y, op.MatMul(x, WEIGHT))
    variance = op.ReduceMean(op.Pow(total, 2.0), axes=[-1], keepdims=1)
    inverse = op.Reciprocal(op.Sqrt(op.Add(variance, np.float32(1e-6))))
    return op.Mul(GAMMA, op.Mul(total, inverse)), total


def rms_whole(op: Any, x: Any, y: Any) -> Any:
    """``nn.RMSNorm`` is one node since operator set 23."""
    total = op.Add(op.Add(op.MatMul(x, WEIGHT), BIAS), y)
    return op.RMSNormalization(total, GAMMA, axis=-1, epsilon=1e-6)


def broadcast(op: Any, x: Any, row: Any) -> Any:
    """A sum with something smaller is not a residual sum."""
    return normalized(op, op.Add(x, row))


SKIP = {"com.microsoft.SkipLayerNormalization": 1}
SIMPLIFIED = {"com.microsoft.SkipSimplifiedLayerNormalization": 1}
VARIANTS = {
    "plain": (plain, 17, SKIP, 1),
    "torchscript": (torchscript, 17, SKIP, 2),
    "dynamo": (dynamo, 18, SKIP, 3),
    "goes-on": (goes_on, 18, SKIP, 2),
    "no-bias-goes-on": (no_bias_goes_on, 18, SKIP, 2),
    "decomposed": (decomposed, 14, SKIP, 2),
    "rms": (rms, 18, SIMPLIFIED, 2),
    "rms-whole": (rms_whole, 23, SIMPLIFIED, 2),
    "broadcast": (broadcast, 17, {}, 2),
}
