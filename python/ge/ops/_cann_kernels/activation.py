"""Activations and their gradients."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ._table import Array, UnsupportedError, axis_of, kernel, narrow, wide
from .arithmetic import erf

__all__ = ["sigmoid", "softplus"]

_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946
_ROOT = math.sqrt(2 / math.pi)


def sigmoid(x: Any) -> Any:
    """Return 1 / (1 + exp(-x))."""
    return np.exp(-np.logaddexp(0, -x))


def softplus(x: Any) -> Any:
    """Return log(1 + exp(x))."""
    return np.logaddexp(0, x)


def _tanh_gelu(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(_ROOT * (x + 0.044715 * x**3)))


def _fast_gelu_v2(x: Any) -> Any:
    # a = -0.1444, b = -1.769, and the sign of 0 is 1, as in the operator's documentation.
    sign = np.where(x < 0, -1.0, 1.0)
    return x * (sign * (-0.1444 / 2 * (np.minimum(np.abs(x), 1.769) - 1.769) ** 2 + 0.5) + 0.5)


def _elu(x: Any, alpha: float = 1.0) -> Any:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


_UNARY: dict[str, Callable[[Any], Any]] = {
    "Relu": lambda x: np.maximum(x, 0),
    "Relu6": lambda x: np.clip(x, 0, 6),
    "Sigmoid": sigmoid,
    "LogSigmoid": lambda x: -softplus(-x),
    "Tanh": np.tanh,
    "Gelu": _tanh_gelu,
    "FastGelu": lambda x: x * sigmoid(1.702 * x),
    "FastGeluV2": _fast_gelu_v2,
    "HardSwish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "Mish": lambda x: x * np.tanh(softplus(x)),
    "Softplus": softplus,
    "BNLL": softplus,
    "Softsign": lambda x: x / (1 + np.abs(x)),
    "Selu": lambda x: _SELU_SCALE * _elu(x, _SELU_ALPHA),
}


def _add_unary(op: str, function: Callable[[Any], Any]) -> None:
    def run(x: Array) -> Array:
        return narrow(function(wide(x)), x.dtype)

    kernel(op, source=f"CANN {op}, element by element")(run)


for _op, _function in _UNARY.items():
    _add_unary(_op, _function)


@kernel("GeluV2", source="CANN GeluV2, ONNX Gelu-20")
def _gelu_v2(x: Array, *, approximate: str) -> Array:
    if approximate not in ("none", "tanh"):
        raise UnsupportedError(f"GeluV2: approximate='{approximate}' is not 'none' or 'tanh'")
    y = wide(x)
    made = _tanh_gelu(y) if approximate == "tanh" else 0.5 * y * (1 + erf(y / math.sqrt(2)))
    return narrow(made, x.dtype)


@kernel("LeakyRelu", source="CANN LeakyRelu, ONNX LeakyRelu-16")
def _leaky_relu(x: Array, *, negative_slope: float) -> Array:
    return narrow(np.where(wide(x) >= 0, wide(x), negative_slope * wide(x)), x.dtype)


def _by_channel(weight: Array, x: Array) -> Array:
    """One number, or one for each element of dimension 1."""
    if weight.size == 1:
        return weight.reshape(())
    if weight.ndim == 1 and x.ndim > 1 and weight.size == x.shape[1]:
        return weight.reshape(-1, *[1] * (x.ndim - 2))
    return weight


@kernel("PRelu", source="CANN PRelu, ONNX PRelu-16")
def _prelu(x: Array, weight: Array) -> Array:
    y, w = wide(x), wide(_by_channel(weight, x))
    return narrow(np.where(y > 0, y, w * y), x.dtype)


@kernel("Elu", source="CANN Elu")
def _elu_kernel(x: Array, *, alpha: float, scale: float, input_scale: float) -> Array:
    y = wide(x)
    made = np.where(y > 0, scale * y, scale * alpha * np.expm1(input_scale * np.minimum(y, 0)))
    return narrow(made, x.dtype)


@kernel("Celu", source="CANN Celu: max(0, alpha3 * x) + min(0, alpha1 * (exp(x / alpha2) - 1))")
def _celu(x: Array, *, alpha1: float, alpha2: float, alpha3: float) -> Array:
    y = wide(x)
    made = np.maximum(0, alpha3 * y) + np.minimum(0, alpha1 * np.expm1(y / alpha2))
    return narrow(made, x.dtype)


@kernel("CeluV2", source="CANN CeluV2, ONNX Celu-12")
def _celu_v2(x: Array, *, alpha: float) -> Array:
    y = wide(x)
    return narrow(np.maximum(0, y) + np.minimum(0, alpha * np.expm1(y / alpha)), x.dtype)


@kernel("Swish", source="CANN Swish: x * sigmoid(scale * x)")
def _swish(x: Array, *, scale: float) -> Array:
    return narrow(wide(x) * sigmoid(scale * wide(x)), x.dtype)


@kernel("SwiGlu", source="CANN SwiGlu: swish of the first half times the second")
def _swiglu(x: Array, *, dim: int) -> Array:
    axis = axis_of(dim, x.ndim, "dim")
    if x.shape[axis] % 2:
        raise ValueError(
            f"SwiGlu: dimension {axis} has {x.shape[axis]} elements, which has no half"
        )
    a, b = np.split(wide(x), 2, axis)
    return narrow(a * sigmoid(a) * b, x.dtype)


@kernel("HardSigmoid", source="CANN HardSigmoid, ONNX HardSigmoid-6")
def _hard_sigmoid(x: Array, *, alpha: float, beta: float) -> Array:
    return narrow(np.clip(alpha * wide(x) + beta, 0, 1), x.dtype)


@kernel("HardShrink", source="CANN HardShrink")
def _hard_shrink(x: Array, *, lambd: float) -> Array:
    return narrow(np.where(np.abs(wide(x)) <= lambd, 0, wide(x)), x.dtype)


@kernel("SoftShrink", source="CANN SoftShrink")
def _soft_shrink(x: Array, *, lambd: float) -> Array:
    y = wide(x)
    return narrow(np.where(np.abs(y) <= lambd, 0, y - np.sign(y) * lambd), x.dtype)


@kernel("SoftplusV2", source="CANN SoftplusV2")
def _softplus_v2(x: Array, *, beta: float, threshold: float) -> Array:
    y = wide(x)
    return narrow(np.where(beta * y > threshold, y, softplus(beta * y) / beta), x.dtype)


@kernel("ThresholdedRelu", source="CANN ThresholdedRelu, ONNX ThresholdedRelu-10")
def _thresholded_relu(x: Array, *, alpha: float) -> Array:
    return narrow(np.where(wide(x) > alpha, wide(x), 0), x.dtype)


@kernel("Threshold", source="CANN Threshold: 1 above the threshold, 0 elsewhere")
def _threshold(x: Array, *, threshold: float) -> Array:
    return narrow(wide(x) > threshold, x.dtype)


# --- Gradients ---


def _gelu_slope(x: Any) -> Any:
    inner = np.tanh(_ROOT * (x + 0.044715 * x**3))
    return 0.5 * (1 + inner) + 0.5 * x * (1 - inner**2) * _ROOT * (1 + 3 * 0.044715 * x**2)


def _fast_gelu_slope(x: Any) -> Any:
    s = sigmoid(1.702 * x)
    return s + 1.702 * x * s * (1 - s)


def _mish_slope(x: Any) -> Any:
    t = np.tanh(softplus(x))
    return t + x * (1 - t**2) * sigmoid(x)


# Gradient first, then what the derivative is a function of: the operand, or the result where CANN has it so.
_GRADIENTS: dict[str, Callable[[Any], Any]] = {
    "ReluGrad": lambda x: (x > 0) * 1.0,
    "Relu6Grad": lambda x: ((x > 0) & (x < 6)) * 1.0,
    "EluGrad": lambda y: np.where(y < 0, y + 1, 1.0),
    "SeluGrad": lambda y: np.where(y < 0, y + _SELU_SCALE * _SELU_ALPHA, _SELU_SCALE),
    "FastGeluGrad": _fast_gelu_slope,
    "HardSwishGrad": lambda x: np.where(x <= -3, 0, np.where(x >= 3, 1, (2 * x + 3) / 6)),
    "SoftplusGrad": sigmoid,
    "SoftsignGrad": lambda x: 1 / (1 + np.abs(x)) ** 2,
}


def _add_gradient(op: str, slope: Callable[[Any], Any]) -> None:
    def run(gradients: Array, features: Array) -> Array:
        return narrow(wide(gradients) * slope(wide(features)), gradients.dtype)

    kernel(op, source=f"CANN {op}: the gradient times the derivative")(run)


for _op, _function in _GRADIENTS.items():
    _add_gradient(_op, _function)


@kernel("LeakyReluGrad", source="CANN LeakyReluGrad")
def _leaky_relu_grad(gradients: Array, features: Array, *, negative_slope: float) -> Array:
    made = np.where(wide(features) > 0, 1.0, negative_slope) * wide(gradients)
    return narrow(made, gradients.dtype)


@kernel("PReluGrad", source="CANN PReluGrad: gradients by the operand and by the weights")
def _prelu_grad(grads: Array, features: Array, weights: Array) -> list[Array]:
    g, x, w = wide(grads), wide(features), wide(_by_channel(weights, features))
    dx = np.where(x > 0, g, g * w)
    da = np.where(x > 0, 0, g * x)
    lead = da.ndim - w.ndim
    axes = [*range(lead), *[lead + i for i, n in enumerate(w.shape) if n == 1]]
    return [
        narrow(dx, grads.dtype),
        narrow(da.sum(tuple(axes)).reshape(weights.shape), weights.dtype),
    ]


@kernel("SigmoidGrad", source="CANN SigmoidGrad: dy * y * (1 - y)", ignores=("complex_conj",))
def _sigmoid_grad(y: Array, dy: Array) -> Array:
    _real("SigmoidGrad", y)
    return narrow(wide(dy) * wide(y) * (1 - wide(y)), y.dtype)


@kernel("TanhGrad", source="CANN TanhGrad: dy * (1 - y * y)", ignores=("complex_conj",))
def _tanh_grad(y: Array, dy: Array) -> Array:
    _real("TanhGrad", y)
    return narrow(wide(dy) * (1 - wide(y) ** 2), y.dtype)


def _real(op: str, y: Array) -> None:
    if y.dtype.kind == "c":
        raise UnsupportedError(f"{op}: complex elements are not supported")


@kernel("GeluGrad", source="CANN GeluGrad: derivative of Gelu's approximation with tanh")
def _gelu_grad(dy: Array, x: Array, y: Array) -> Array:
    return narrow(wide(dy) * _gelu_slope(wide(x)), dy.dtype)


@kernel("MishGrad", source="CANN MishGrad")
def _mish_grad(grad: Array, x: Array, tanhx: Array | None) -> Array:
    return narrow(wide(grad) * _mish_slope(wide(x)), grad.dtype)


@kernel("SwishGrad", source="CANN SwishGrad")
def _swish_grad(grad: Array, x: Array, y: Array, *, scale: float) -> Array:
    s = sigmoid(scale * wide(x))
    return narrow(wide(grad) * (s + scale * wide(x) * s * (1 - s)), grad.dtype)
