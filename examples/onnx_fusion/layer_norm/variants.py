"""Layer normalization as PyTorch 2.13 exports it. Commutative operands stand as they do there."""

from typing import Any

import numpy as np

from ge import ir

INPUTS = {"x": ((2, 5, 16), ir.f32)}

random = np.random.default_rng(0)
SCALE, BIAS = random.standard_normal((2, 16), np.float32)
SCALES, BIASES = random.standard_normal((2, 5, 16), np.float32)


def decomposed(op: Any, x: Any, axes: list[int], scale: Any = None, bias: Any = None) -> Any:
    """Return ``nn.LayerNorm`` as the TorchScript exporter writes it below operator set 17."""
    centred = op.Sub(x, op.ReduceMean(x, axes=axes))
    variance = op.ReduceMean(op.Pow(centred, 2.0), axes=axes)
    made = op.Div(centred, op.Sqrt(op.Add(variance, np.float32(1e-5))))
    made = made if scale is None else op.Mul(made, scale)
    return made if bias is None else op.Add(made, bias)


def layer_norm(op: Any, x: Any) -> Any:
    """``nn.LayerNorm(16)``."""
    return decomposed(op, x, [-1], SCALE, BIAS)


def two_axes(op: Any, x: Any) -> Any:
    """``nn.LayerNorm((5, 16))``."""
    return decomposed(op, x, [-2, -1], SCALES, BIASES)


def no_bias(op: Any, x: Any) -> Any:
    """``nn.LayerNorm(16, bias=False)``."""
    return decomposed(op, x, [-1], SCALE)


def plain(op: Any, x: Any) -> Any:
    """``nn.LayerNorm(16, elementwise_affine=False)``."""
    return decomposed(op, x, [-1])


def half(op: Any, x: Any) -> Any:
    """Computed in f32 between halves."""
    x = op.Cast(op.Cast(x, to=ir.f16), to=ir.f32)
    return op.Cast(decomposed(op, x, [-1], SCALE, BIAS), to=ir.f16)


def by_power(op: Any, x: Any) -> Any:
    """``w * ((x - u) / torch.sqrt((x - u).pow(2).mean(-1) + 1e-12)) + b``, both exporters."""
    centred = op.Sub(x, op.ReduceMean(x, axes=[-1], keepdims=1))
    variance = op.ReduceMean(op.Pow(centred, 2.0), axes=[-1], keepdims=1)
    made = op.Div(centred, op.Sqrt(op.Add(variance, np.float32(1e-12))))
    return op.Add(op.Mul(SCALE, made), BIAS)


def without_epsilon(op: Any, x: Any) -> Any:
    """The same, dynamo exporter: an epsilon that small is folded away."""
    centred = op.Sub(x, op.ReduceMean(x, axes=[-1], keepdims=1))
    variance = op.ReduceMean(op.Pow(centred, 2.0), axes=[-1], keepdims=1)
    return op.Add(op.Mul(SCALE, op.Div(centred, op.Sqrt(variance))), BIAS)


def not_optimized(op: Any, x: Any) -> Any:
    """The same, dynamo exporter that does not optimize: axes are reshaped, and x - u is computed again."""
    first = op.ReduceMean(x, op.Reshape([-1], [-1], allowzero=0), keepdims=1)
    squares = op.Pow(op.Sub(x, first), 2.0)
    variance = op.ReduceMean(squares, op.Reshape([-1], [-1], allowzero=0), keepdims=1)
    centred = op.Sub(x, first)
    made = op.Div(centred, op.Sqrt(op.Add(variance, np.float32(1e-12))))
    return op.Add(op.Mul(SCALE, made), BIAS)


def by_root(op: Any, x: Any) -> Any:
    """``d * torch.rsqrt((d * d).mean(-1) + eps)``, TorchScript exporter."""
    centred = op.Sub(x, op.ReduceMean(x, axes=[-1], keepdims=1))
    variance = op.ReduceMean(op.Mul(centred, centred), axes=[-1], keepdims=1)
    inverse = op.Div(1.0, op.Sqrt(op.Add(variance, np.float32(1e-6))))
    return op.Add(op.Mul(op.Mul(centred, inverse), SCALE), BIAS)


def by_reciprocal(op: Any, x: Any) -> Any:
    """The same, dynamo exporter."""
    centred = op.Sub(x, op.ReduceMean(x, axes=[-1], keepdims=1))
    variance = op.ReduceMean(op.Mul(centred, centred), axes=[-1], keepdims=1)
    inverse = op.Reciprocal(op.Sqrt(op.Add(variance, np.float32(1e-6))))
    return op.Add(op.Mul(op.Mul(centred, inverse), SCALE), BIAS)


def by_variance(op: Any, x: Any) -> Any:
    """``(x - u) / (x.var(-1, unbiased=False) + eps).sqrt()``, TorchScript exporter: two means."""
    first = op.ReduceMean(x, axes=[-1], keepdims=1)
    other = op.Sub(x, op.ReduceMean(x, axes=[-1], keepdims=1))
    variance = op.ReduceMean(op.Mul(other, other), axes=[-1], keepdims=1)
    centred = op.Sub(x, first)
    made = op.Div(centred, op.Sqrt(op.Add(variance, np.float32(1e-6))))
    return op.Add(op.Mul(made, SCALE), BIAS)


def by_lost_axes(op: Any, x: Any) -> Any:
    """The same, dynamo exporter: the variance loses its axis and gets it back."""
    first = op.ReduceMean(x, axes=[-1], keepdims=1)
    other = op.Sub(x, op.ReduceMean(x, axes=[2], keepdims=1))
    variance = op.ReduceMean(op.Mul(other, other), axes=[2], keepdims=0)
    variance = op.Reshape(variance, [2, 5, 1], allowzero=0)
    centred = op.Sub(x, first)
    made = op.Div(centred, op.Sqrt(op.Add(variance, np.float32(1e-6))))
    return op.Add(op.Mul(made, SCALE), BIAS)


def rms_torchscript(op: Any, x: Any) -> Any:
    """Llama's, TorchScript exporter."""
    variance = op.ReduceMean(op.Pow(x, 2.0), axes=[-1], keepdims=1)
    inverse = op.Div(1.0, op.Sqrt(op.Add(variance, np.float32(1e-6))))
    return op.Mul(SCALE, op.Mul(x, inverse))


def rms_dynamo(op: Any, x: Any) -> Any:
    """Llama's, dynamo exporter below operator set 23."""
    variance = op.ReduceMean(op.Pow(x, 2.0), axes=[-1], keepdims=1)
    inverse = op.Reciprocal(op.Sqrt(op.Add(variance, np.float32(1e-6))))
    return op.Mul(SCALE, op.Mul(x, inverse))


def rms_module(op: Any, x: Any) -> Any:
    """``nn.RMSNorm``, dynamo exporter: the axis is counted from the front."""
    variance = op.ReduceMean(op.Pow(x, 2.0), axes=[2], keepdims=1)
    inverse = op.Reciprocal(op.Sqrt(op.Add(variance, np.float32(1e-6))))
    return op.Mul(op.Mul(x, inverse), SCALE)


def other_axis(op: Any, x: Any) -> Any:
    """Not over the last axis: no layer normalization."""
    return decomposed(op, x, [1], SCALE, BIAS)


LAYER = {"onnx.LayerNormalization": 1}
SIMPLIFIED = {"onnx.SimplifiedLayerNormalization": 1}
VARIANTS = {
    "torchscript": (layer_norm, 14, LAYER, 1),
    "two-axes": (two_axes, 14, LAYER, 1),
    "no-bias": (no_bias, 14, LAYER, 1),
    "plain": (plain, 14, LAYER, 1),
    "half": (half, 14, LAYER, 4),
    "by-power-14": (by_power, 14, LAYER, 1),
    "by-power-20": (by_power, 20, LAYER, 1),
    "without-epsilon": (without_epsilon, 18, LAYER, 1),
    "not-optimized": (not_optimized, 18, LAYER, 1),
    "by-root": (by_root, 17, LAYER, 1),
    "by-reciprocal": (by_reciprocal, 18, LAYER, 1),
    "by-variance": (by_variance, 17, LAYER, 1),
    "by-lost-axes": (by_lost_axes, 18, LAYER, 1),
    "rms-torchscript": (rms_torchscript, 17, SIMPLIFIED, 1),
    "rms-dynamo": (rms_dynamo, 18, SIMPLIFIED, 1),
    "rms-module": (rms_module, 18, SIMPLIFIED, 1),
    "other-axis": (other_axis, 14, {}, 9),
}
