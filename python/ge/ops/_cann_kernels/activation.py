"""Activations and their gradients."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ._table import Array, UnsupportedError, add_rounded, axis_of, kernel, narrow, rounded, wide
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


add_rounded(_UNARY, "CANN {op}, element by element")


@rounded("GeluV2", source="CANN GeluV2, ONNX Gelu-20")
def _gelu_v2(x: Array, *, approximate: str) -> Any:
    if approximate not in ("none", "tanh"):
        raise UnsupportedError(f"GeluV2: approximate='{approximate}' is not 'none' or 'tanh'")
    return _tanh_gelu(x) if approximate == "tanh" else 0.5 * x * (1 + erf(x / math.sqrt(2)))


@rounded("LeakyRelu", source="CANN LeakyRelu, ONNX LeakyRelu-16")
def _leaky_relu(x: Array, *, negative_slope: float) -> Any:
    return np.where(x >= 0, x, negative_slope * x)


def _by_channel(weight: Array, x: Array) -> Array:
    """One number, or one for each element of dimension 1."""
    if weight.size == 1:
        return weight.reshape(())
    if weight.ndim == 1 and x.ndim > 1 and weight.size == x.shape[1]:
        return weight.reshape(-1, *[1] * (x.ndim - 2))
    return weight


@rounded("PRelu", source="CANN PRelu, ONNX PRelu-16")
def _prelu(x: Array, weight: Array) -> Any:
    return np.where(x > 0, x, _by_channel(weight, x) * x)


@rounded("Elu", source="CANN Elu")
def _elu_kernel(x: Array, *, alpha: float, scale: float, input_scale: float) -> Any:
    return np.where(x > 0, scale * x, scale * alpha * np.expm1(input_scale * np.minimum(x, 0)))


@rounded("Celu", source="CANN Celu: max(0, alpha3 * x) + min(0, alpha1 * (exp(x / alpha2) - 1))")
def _celu(x: Array, *, alpha1: float, alpha2: float, alpha3: float) -> Any:
    return np.maximum(0, alpha3 * x) + np.minimum(0, alpha1 * np.expm1(x / alpha2))


@rounded("CeluV2", source="CANN CeluV2, ONNX Celu-12")
def _celu_v2(x: Array, *, alpha: float) -> Any:
    return np.maximum(0, x) + np.minimum(0, alpha * np.expm1(x / alpha))


@rounded("Swish", source="CANN Swish: x * sigmoid(scale * x)")
def _swish(x: Array, *, scale: float) -> Any:
    return x * sigmoid(scale * x)


@kernel("SwiGlu", source="CANN SwiGlu: swish of the first half times the second")
def _swiglu(x: Array, *, dim: int) -> Array:
    axis = axis_of(dim, x.ndim, "dim")
    if x.shape[axis] % 2:
        raise ValueError(
            f"SwiGlu: dimension {axis} has {x.shape[axis]} elements, which has no half"
        )
    a, b = np.split(wide(x), 2, axis)
    return narrow(a * sigmoid(a) * b, x.dtype)


@rounded("HardSigmoid", source="CANN HardSigmoid, ONNX HardSigmoid-6")
def _hard_sigmoid(x: Array, *, alpha: float, beta: float) -> Any:
    return np.clip(alpha * x + beta, 0, 1)


@rounded("HardShrink", source="CANN HardShrink")
def _hard_shrink(x: Array, *, lambd: float) -> Any:
    return np.where(np.abs(x) <= lambd, 0, x)


@rounded("SoftShrink", source="CANN SoftShrink")
def _soft_shrink(x: Array, *, lambd: float) -> Any:
    return np.where(np.abs(x) <= lambd, 0, x - np.sign(x) * lambd)


@rounded("SoftplusV2", source="CANN SoftplusV2")
def _softplus_v2(x: Array, *, beta: float, threshold: float) -> Any:
    return np.where(beta * x > threshold, x, softplus(beta * x) / beta)


@rounded("ThresholdedRelu", source="CANN ThresholdedRelu, ONNX ThresholdedRelu-10")
def _thresholded_relu(x: Array, *, alpha: float) -> Any:
    return np.where(x > alpha, x, 0)


@rounded("Threshold", source="CANN Threshold: 1 above the threshold, 0 elsewhere")
def _threshold(x: Array, *, threshold: float) -> Any:
    return x > threshold


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


# The derivative, as a function of the operand, or of the result where CANN has it so.
_SLOPES: dict[str, Callable[[Any], Any]] = {
    "ReluGrad": lambda x: (x > 0) * 1.0,
    "Relu6Grad": lambda x: ((x > 0) & (x < 6)) * 1.0,
    "EluGrad": lambda y: np.where(y < 0, y + 1, 1.0),
    "SeluGrad": lambda y: np.where(y < 0, y + _SELU_SCALE * _SELU_ALPHA, _SELU_SCALE),
    "FastGeluGrad": _fast_gelu_slope,
    "HardSwishGrad": lambda x: np.where(x <= -3, 0, np.where(x >= 3, 1, (2 * x + 3) / 6)),
    "SoftplusGrad": sigmoid,
    "SoftsignGrad": lambda x: 1 / (1 + np.abs(x)) ** 2,
}


def _times(slope: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda gradients, features: gradients * slope(features)


add_rounded(
    {op: _times(slope) for op, slope in _SLOPES.items()},
    "CANN {op}: the gradient times the derivative",
)


@rounded("LeakyReluGrad", source="CANN LeakyReluGrad")
def _leaky_relu_grad(gradients: Array, features: Array, *, negative_slope: float) -> Any:
    return np.where(features > 0, 1.0, negative_slope) * gradients


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


@rounded("SigmoidGrad", source="CANN SigmoidGrad: dy * y * (1 - y)", ignores=("complex_conj",))
def _sigmoid_grad(y: Array, dy: Array) -> Any:
    _real("SigmoidGrad", y)
    return dy * y * (1 - y)


@rounded("TanhGrad", source="CANN TanhGrad: dy * (1 - y * y)", ignores=("complex_conj",))
def _tanh_grad(y: Array, dy: Array) -> Any:
    _real("TanhGrad", y)
    return dy * (1 - y**2)


def _real(op: str, y: Array) -> None:
    if y.dtype.kind == "c":
        raise UnsupportedError(f"{op}: complex elements are not supported")


@rounded("GeluGrad", source="CANN GeluGrad: derivative of Gelu's approximation with tanh")
def _gelu_grad(dy: Array, x: Array, y: Array) -> Any:
    return dy * _gelu_slope(x)


@rounded("MishGrad", source="CANN MishGrad")
def _mish_grad(grad: Array, x: Array, tanhx: Array | None) -> Any:
    return grad * _mish_slope(x)


@rounded("SwishGrad", source="CANN SwishGrad")
def _swish_grad(grad: Array, x: Array, y: Array, *, scale: float) -> Any:
    s = sigmoid(scale * x)
    return grad * (s + scale * x * s * (1 - s))
