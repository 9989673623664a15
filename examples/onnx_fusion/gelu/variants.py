"""GELU as PyTorch 2.13 exports it. Commutative operands stand as they do there."""

import math
from typing import Any

import numpy as np

from ge import ir

INPUTS = {"x": ((2, 5, 16), ir.f32)}
ROOT_2, ROOT_2_PI = np.float32(math.sqrt(2)), np.float32(math.sqrt(2 / math.pi))
CUBIC = np.float32(0.044715)

random = np.random.default_rng(0)
WEIGHT = random.standard_normal((16, 64), np.float32) / 4
BIAS = random.standard_normal(64, np.float32)


def torchscript(op: Any, x: Any) -> Any:
    """``nn.GELU()``, TorchScript exporter below operator set 20."""
    gate = op.Add(op.Erf(op.Div(x, ROOT_2)), 1.0)
    return op.Mul(op.Mul(x, gate), 0.5)


def dynamo(op: Any, x: Any) -> Any:
    """The same, dynamo exporter."""
    gate = op.Add(op.Erf(op.Div(x, ROOT_2)), 1.0)
    return op.Mul(x, op.Mul(0.5, gate))


def by_division(op: Any, x: Any) -> Any:
    """``x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))``, both exporters, every operator set."""
    half = op.Mul(x, 0.5)
    return op.Mul(half, op.Add(op.Erf(op.Div(x, ROOT_2)), 1.0))


def by_product(op: Any, x: Any) -> Any:
    """``0.5 * x * (1.0 + torch.erf(x * 0.7071...))``, both exporters."""
    half = op.Mul(x, 0.5)
    return op.Mul(half, op.Add(op.Erf(op.Mul(x, np.float32(0.5**0.5))), 1.0))


def torchscript_tanh(op: Any, x: Any) -> Any:
    """``nn.GELU(approximate="tanh")``, TorchScript exporter below operator set 20."""
    cube = op.Mul(x, op.Mul(x, x))
    inner = op.Mul(ROOT_2_PI, op.Add(x, op.Mul(CUBIC, cube)))
    return op.Mul(0.5, op.Mul(x, op.Add(1.0, op.Tanh(inner))))


def dynamo_tanh(op: Any, x: Any) -> Any:
    """The same, dynamo exporter."""
    inner = op.Mul(ROOT_2_PI, op.Add(x, op.Mul(CUBIC, op.Pow(x, 3.0))))
    return op.Mul(x, op.Mul(0.5, op.Add(op.Tanh(inner), 1.0)))


def gelu_new(op: Any, x: Any) -> Any:
    """transformers' "gelu_new", both exporters."""
    half = op.Mul(x, 0.5)
    inner = op.Mul(op.Add(x, op.Mul(op.Pow(x, 3.0), CUBIC)), ROOT_2_PI)
    return op.Mul(half, op.Add(op.Tanh(inner), 1.0))


def gelu_fast(op: Any, x: Any) -> Any:
    """transformers' "gelu_fast", both exporters."""
    half, scaled = op.Mul(x, 0.5), op.Mul(x, ROOT_2_PI)
    inner = op.Mul(scaled, op.Add(op.Mul(op.Mul(x, CUBIC), x), 1.0))
    return op.Mul(half, op.Add(op.Tanh(inner), 1.0))


def quick_gelu(op: Any, x: Any) -> Any:
    """CLIP's, both exporters."""
    return op.Mul(x, op.Sigmoid(op.Mul(x, np.float32(1.702))))


def dense_torchscript(op: Any, x: Any) -> Any:
    """``nn.Linear`` before: the TorchScript exporter writes its bias first."""
    return torchscript(op, op.Add(BIAS, op.MatMul(x, WEIGHT)))


def dense_dynamo_tanh(op: Any, x: Any) -> Any:
    """The dynamo exporter writes it second, and transposes the weight when it does not optimize."""
    weight = op.Transpose(np.ascontiguousarray(WEIGHT.T), perm=[1, 0])
    return dynamo_tanh(op, op.Add(op.MatMul(x, weight), BIAS))


def dense_whole(op: Any, x: Any) -> Any:
    """From operator set 20 on GELU is one node."""
    return op.Gelu(op.Add(BIAS, op.MatMul(x, WEIGHT)), approximate="none")


def dense_whole_tanh(op: Any, x: Any) -> Any:
    """The same by tanh."""
    return op.Gelu(op.Add(op.MatMul(x, WEIGHT), BIAS), approximate="tanh")


def another_factor(op: Any, x: Any) -> Any:
    """Another factor than a half is not a GELU."""
    return op.Mul(op.Mul(x, op.Add(op.Erf(op.Div(x, ROOT_2)), 1.0)), 0.25)


GELU = {"com.microsoft.Gelu": 1}
FAST = {"com.microsoft.FastGelu": 1}
BIAS_GELU = {"com.microsoft.BiasGelu": 1}
VARIANTS = {
    "torchscript": (torchscript, 14, GELU, 1),
    "dynamo": (dynamo, 18, GELU, 1),
    "by-division": (by_division, 17, GELU, 1),
    "by-product": (by_product, 20, GELU, 1),
    "torchscript-tanh": (torchscript_tanh, 14, FAST, 1),
    "dynamo-tanh": (dynamo_tanh, 18, FAST, 1),
    "gelu-new": (gelu_new, 17, FAST, 1),
    "gelu-fast": (gelu_fast, 20, FAST, 1),
    "quick-gelu": (quick_gelu, 17, {"com.microsoft.QuickGelu": 1}, 1),
    "dense-torchscript": (dense_torchscript, 17, BIAS_GELU, 2),
    "dense-dynamo-tanh": (dense_dynamo_tanh, 18, FAST, 3),
    "dense-whole": (dense_whole, 20, BIAS_GELU, 2),
    "dense-whole-tanh": (dense_whole_tanh, 20, FAST, 2),
    "another-factor": (another_factor, 17, {}, 5),
}
