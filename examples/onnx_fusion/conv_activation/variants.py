"""Convolutions and activations as PyTorch 2.13 exports them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ge import ir

INPUTS = {"x": ((2, 3, 8, 8), ir.f32), "line": ((2, 3, 8), ir.f32)}

random = np.random.default_rng(0)
WEIGHT = random.standard_normal((4, 3, 3, 3), np.float32)
SAME_WEIGHT = random.standard_normal((3, 3, 3, 3), np.float32)
LINE_WEIGHT = random.standard_normal((4, 3, 3), np.float32)
BIAS = random.standard_normal(4, np.float32)
SAME_BIAS = random.standard_normal(3, np.float32)


def convolution(op: Any, x: Any, weight: Any = WEIGHT, bias: Any = BIAS) -> Any:
    """Return ``nn.Conv2d(3, 4, 3, padding=1)``."""
    return op.Conv(
        x,
        weight,
        bias,
        dilations=[1, 1],
        group=1,
        kernel_shape=[3, 3],
        pads=[1, 1, 1, 1],
        strides=[1, 1],
    )


def activated(name: str, module: str, **attributes: float) -> Callable[..., Any]:
    """Return what builds a convolution and an activation that is one node, whatever the exporter."""

    def build(op: Any, x: Any) -> Any:
        return getattr(op, name)(convolution(op, x), **attributes)

    build.__doc__ = f"``nn.{module}``, both exporters."
    return build


def relu6(op: Any, x: Any) -> Any:
    """``nn.ReLU6()``, both exporters."""
    return op.Clip(convolution(op, x), 0.0, 6.0)


def cast_bounds(op: Any, x: Any) -> Any:
    """``nn.ReLU6()``, dynamo exporter that does not optimize."""
    made = convolution(op, x)
    least, greatest = op.Constant(value_float=0.0), op.Constant(value_float=6.0)
    return op.Clip(made, op.CastLike(least, made), op.CastLike(greatest, made))


def clamp(op: Any, x: Any) -> Any:
    """``clamp(min=0.0)``, both exporters."""
    return op.Clip(convolution(op, x), 0.0)


def residual(op: Any, x: Any) -> Any:
    """``relu(conv(x) + x)``, both exporters."""
    return op.Relu(op.Add(convolution(op, x, SAME_WEIGHT, SAME_BIAS), x))


def line(op: Any, line: Any) -> Any:
    """``nn.Conv1d(3, 4, 3, bias=False)``, both exporters."""
    made = op.Conv(
        line, LINE_WEIGHT, dilations=[1], group=1, kernel_shape=[3], pads=[0, 0], strides=[1]
    )
    return op.Relu(made)


def silu(op: Any, x: Any) -> Any:
    """``nn.SiLU()`` takes the convolution twice: both exporters; it stays."""
    made = convolution(op, x)
    return op.Mul(made, op.Sigmoid(made))


FUSED = {"com.microsoft.FusedConv": 1}
VARIANTS = {
    "relu": (activated("Relu", "ReLU()"), 17, FUSED, 1),
    "leaky-relu": (activated("LeakyRelu", "LeakyReLU(0.2)", alpha=0.2), 17, FUSED, 1),
    "sigmoid": (activated("Sigmoid", "Sigmoid()"), 17, FUSED, 1),
    "tanh": (activated("Tanh", "Tanh()"), 17, FUSED, 1),
    "hard-sigmoid": (activated("HardSigmoid", "Hardsigmoid()", alpha=1 / 6), 17, FUSED, 1),
    "hard-swish": (activated("HardSwish", "Hardswish()"), 17, FUSED, 1),
    "relu6": (relu6, 14, FUSED, 1),
    "cast-bounds": (cast_bounds, 18, FUSED, 1),
    "clamp": (clamp, 18, FUSED, 1),
    "residual": (residual, 17, FUSED, 1),
    "line": (line, 17, FUSED, 1),
    "silu": (silu, 17, {}, 3),
}
