"""Normalisations and softmax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._table import (
    Array,
    UnsupportedError,
    axes_of,
    axis_of,
    integers,
    kernel,
    narrow,
    rounded,
    wide,
)
from .activation import sigmoid
from .blocks import is_channels_last

__all__: list[str] = []

Formats = Sequence["str | None"]
_F32 = np.dtype(np.float32)


def _channel_axis(op: str, x: Array, data_format: str, layout: str | None = None) -> int:
    """Return the dimension of the channels, by the attribute; an image of another layout is an error."""
    if (
        layout in ("NCHW", "NHWC", "NCDHW", "NDHWC")
        and len(layout) == x.ndim
        and layout != data_format
    ):
        raise UnsupportedError(f"{op}: x has layout {layout}, but data_format is '{data_format}'")
    if x.ndim < 2:
        raise ValueError(f"{op}: x must have a batch and a channel dimension")
    return x.ndim - 1 if is_channels_last(data_format, op) else 1


def _by_layout(op: str, x: Array, layout: str | None) -> int:
    if layout in (None, "ND", "NCHW", "NCDHW"):
        return 1
    if layout in ("NHWC", "NDHWC"):
        return x.ndim - 1
    raise UnsupportedError(f"{op}: layout {layout} is not supported; NCHW and NHWC are")


def _along(values: Array, rank: int, axis: int) -> Array:
    """One number for each channel, to broadcast; also those that have dimensions of size 1 already."""
    return wide(values).reshape([-1 if i == axis else 1 for i in range(rank)])


def _others(rank: int, axis: int) -> tuple[int, ...]:
    return tuple(i for i in range(rank) if i != axis)


def _batch_norm(
    op: str,
    operands: tuple[Array, Array, Array, Array | None, Array | None],
    epsilon: float,
    axis: int,
    is_training: bool,
    factor: float,
) -> list[Array]:
    """y, mean and variance of the batch or running ones, and the batch's own."""
    x, scale, offset, mean, variance = operands
    y = wide(x)
    if is_training:
        own_mean, own_variance = y.mean(_others(x.ndim, axis)), y.var(_others(x.ndim, axis))
        count = x.size // max(x.shape[axis], 1)
        new_mean, new_variance = own_mean, own_variance * (count / max(count - 1, 1))
        if factor != 1:
            if mean is None or variance is None:
                raise ValueError(f"{op}: exponential_avg_factor {factor} needs mean and variance")
            new_mean = wide(mean) * (1 - factor) + new_mean * factor
            new_variance = wide(variance) * (1 - factor) + new_variance * factor
    else:
        if mean is None or variance is None:
            raise ValueError(f"{op}: without is_training it needs mean and variance")
        own_mean, own_variance = wide(mean), wide(variance)
        new_mean, new_variance = own_mean, own_variance
    made = (y - _along(own_mean, x.ndim, axis)) / np.sqrt(
        _along(own_variance, x.ndim, axis) + epsilon
    )
    made = made * _along(scale, x.ndim, axis) + _along(offset, x.ndim, axis)
    statistics = (new_mean, new_variance, own_mean, own_variance)
    return [
        narrow(made, x.dtype),
        *[narrow(s.reshape(scale.shape), scale.dtype) for s in statistics],
    ]


@kernel(
    "BatchNorm", source="CANN BatchNorm, TensorFlow fused_batch_norm; ONNX BatchNormalization-15"
)
def _batch_norm_kernel(
    x: Array,
    scale: Array,
    offset: Array,
    mean: Array | None,
    variance: Array | None,
    *,
    epsilon: float,
    data_format: str,
    is_training: bool,
    exponential_avg_factor: float,
    formats: Formats,
) -> list[Array]:
    axis = _channel_axis("BatchNorm", x, data_format, formats[0])
    operands = x, scale, offset, mean, variance
    made = _batch_norm("BatchNorm", operands, epsilon, axis, is_training, exponential_avg_factor)
    return [*made, np.zeros(0, _F32)]


@kernel("BatchNorm3D", source="CANN BatchNorm3D")
def _batch_norm_3d(
    x: Array,
    scale: Array,
    offset: Array,
    mean: Array | None,
    variance: Array | None,
    *,
    epsilon: float,
    data_format: str,
    is_training: bool,
    formats: Formats,
) -> list[Array]:
    axis = _channel_axis("BatchNorm3D", x, data_format, formats[0])
    return _batch_norm(
        "BatchNorm3D", (x, scale, offset, mean, variance), epsilon, axis, is_training, 1.0
    )


@kernel("BNInfer", source="CANN BNInfer")
def _bn_infer(
    x: Array,
    scale: Array,
    offset: Array,
    mean: Array,
    variance: Array,
    *,
    epsilon: float,
    formats: Formats,
) -> Array:
    axis = _by_layout("BNInfer", x, formats[0])
    return _batch_norm("BNInfer", (x, scale, offset, mean, variance), epsilon, axis, False, 1.0)[0]


@kernel("BNInference", source="CANN BNInference, Caffe BatchNorm", ignores=("mode",))
def _bn_inference(
    x: Array,
    mean: Array,
    variance: Array,
    momentum: Array,
    scale: Array | None,
    offset: Array | None,
    *,
    epsilon: float,
    use_global_stats: bool,
    formats: Formats,
) -> Array:
    if not use_global_stats:
        raise UnsupportedError("BNInference: use_global_stats=False is not supported")
    axis = _by_layout("BNInference", x, formats[0])
    divisor = wide(momentum).reshape(())
    divisor = np.where(divisor == 0, 0.0, 1 / np.where(divisor == 0, 1.0, divisor))
    made = wide(x) - _along(wide(mean) * divisor, x.ndim, axis)
    made = made / np.sqrt(_along(wide(variance) * divisor, x.ndim, axis) + epsilon)
    if scale is not None:
        made = made * _along(scale, x.ndim, axis)
    if offset is not None:
        made = made + _along(offset, x.ndim, axis)
    return narrow(made, x.dtype)


# --- Over the last dimensions ---


def _layer_norm(
    x: Array, axes: tuple[int, ...], gamma: Any, beta: Any, epsilon: float
) -> tuple[Any, Any, Any]:
    """y, mean and variance; the last two keep the reduced dimensions."""
    mean = x.mean(axes, keepdims=True)
    variance = x.var(axes, keepdims=True)
    made = (x - mean) / np.sqrt(variance + epsilon)
    made = made if gamma is None else made * wide(gamma)
    return (made if beta is None else made + wide(beta)), mean, variance


def _parameters(values: Array, rank: int, first: int) -> Array:
    """Gamma and beta begin at a dimension of x, and are broadcast to those after."""
    return values.reshape(*values.shape, *[1] * (rank - first - values.ndim))


@kernel("LayerNorm", source="CANN LayerNorm; ONNX LayerNormalization-17")
def _layer_norm_kernel(
    x: Array,
    gamma: Array,
    beta: Array,
    *,
    begin_norm_axis: int,
    begin_params_axis: int,
    epsilon: float,
) -> list[Array]:
    first = axis_of(begin_norm_axis, x.ndim, "begin_norm_axis")
    at = axis_of(begin_params_axis, x.ndim, "begin_params_axis")
    axes = tuple(range(first, x.ndim))
    gamma, beta = _parameters(gamma, x.ndim, at), _parameters(beta, x.ndim, at)
    return [narrow(r, x.dtype) for r in _layer_norm(wide(x), axes, gamma, beta, epsilon)]


@kernel("LayerNormV3", source="CANN LayerNormV3; ONNX LayerNormalization-17")
def _layer_norm_v3(
    x: Array,
    gamma: Array,
    beta: Array,
    *,
    begin_norm_axis: int,
    begin_params_axis: int,
    epsilon: float,
) -> list[Array]:
    first = axis_of(begin_norm_axis, x.ndim, "begin_norm_axis")
    at = axis_of(begin_params_axis, x.ndim, "begin_params_axis")
    gamma, beta = _parameters(gamma, x.ndim, at), _parameters(beta, x.ndim, at)
    y, mean, variance = _layer_norm(wide(x), tuple(range(first, x.ndim)), gamma, beta, epsilon)
    return [narrow(r, x.dtype) for r in (y, mean, 1 / np.sqrt(variance + epsilon))]


def _last(op: str, x: Array, shape: tuple[int, ...]) -> tuple[int, ...]:
    if len(shape) > x.ndim or x.shape[x.ndim - len(shape) :] != shape:
        raise ValueError(f"{op}: {list(shape)} are not the last dimensions of {list(x.shape)}")
    return tuple(range(x.ndim - len(shape), x.ndim))


@kernel("LayerNormV4", source="CANN LayerNormV4, PyTorch layer_norm")
def _layer_norm_v4(
    x: Array,
    normalized_shape: Array,
    gamma: Array | None,
    beta: Array | None,
    *,
    epsilon: float,
) -> list[Array]:
    axes = _last("LayerNormV4", x, tuple(integers(normalized_shape)))
    y, mean, variance = _layer_norm(wide(x), axes, gamma, beta, epsilon)
    dtype = x.dtype if gamma is None else gamma.dtype
    rstd = 1 / np.sqrt(variance + epsilon)
    return [narrow(y, x.dtype), narrow(mean, dtype), narrow(rstd, dtype)]


@kernel("AddLayerNorm", source="CANN AddLayerNorm: LayerNorm of x1 + x2 + bias")
def _add_layer_norm(
    x1: Array,
    x2: Array,
    gamma: Array,
    beta: Array,
    bias: Array | None,
    *,
    epsilon: float,
    additional_output: bool,
) -> list[Array]:
    total = wide(x1) + wide(x2)
    if bias is not None:
        total = total + wide(bias)
    axes = _last("AddLayerNorm", total, gamma.shape)
    y, mean, variance = _layer_norm(total, axes, gamma, beta, epsilon)
    results = [
        narrow(y, x1.dtype),
        narrow(mean, _F32),
        narrow(1 / np.sqrt(variance + epsilon), _F32),
    ]
    return [*results, narrow(total if additional_output else np.zeros(0), x1.dtype)]


@kernel("LayerNormGrad", source="CANN LayerNormGrad: derivatives by x, gamma and beta")
def _layer_norm_grad(
    dy: Array, x: Array, variance: Array, mean: Array, gamma: Array
) -> list[Array]:
    """Take the variance as it is, without an epsilon: the operator has none."""
    axes = _last("LayerNormGrad", x, gamma.shape)
    g, deviation = wide(dy), wide(x) - wide(mean)
    rstd = 1 / np.sqrt(wide(variance))
    hat = deviation * rstd
    scaled = g * wide(gamma)
    dx = rstd * (
        scaled - scaled.mean(axes, keepdims=True) - hat * (scaled * hat).mean(axes, keepdims=True)
    )
    lead = tuple(range(x.ndim - gamma.ndim))
    return [
        narrow(dx, x.dtype),
        narrow((g * hat).sum(lead), gamma.dtype),
        narrow(g.sum(lead), gamma.dtype),
    ]


def _rms_norm(x: Array, axes: tuple[int, ...], gamma: Array, epsilon: float) -> tuple[Any, Any]:
    rstd = 1 / np.sqrt(np.square(x).mean(axes, keepdims=True) + epsilon)
    return x * rstd * wide(gamma), rstd


@kernel("RmsNorm", source="CANN RmsNorm; ONNX RMSNormalization-23")
def _rms_norm_kernel(x: Array, gamma: Array, *, epsilon: float) -> list[Array]:
    y, rstd = _rms_norm(wide(x), _last("RmsNorm", x, gamma.shape), gamma, epsilon)
    return [narrow(y, x.dtype), narrow(rstd, _F32)]


@kernel("AddRmsNorm", source="CANN AddRmsNorm: RmsNorm of x1 + x2")
def _add_rms_norm(x1: Array, x2: Array, gamma: Array, *, epsilon: float) -> list[Array]:
    total = wide(x1) + wide(x2)
    y, rstd = _rms_norm(total, _last("AddRmsNorm", total, gamma.shape), gamma, epsilon)
    return [narrow(y, x1.dtype), narrow(rstd, _F32), narrow(total, x1.dtype)]


# --- Over channels and space ---


def _groups(op: str, x: Array, axis: int, count: int, epsilon: float) -> tuple[Any, Any, Any]:
    """Normalised x, and mean and variance as [N, groups]."""
    y = np.moveaxis(wide(x), axis, 1)
    if count < 1 or y.shape[1] % count:
        raise ValueError(f"{op}: {y.shape[1]} channels are no {count} groups")
    rows = y.reshape(y.shape[0], count, -1)
    mean, variance = rows.mean(-1), rows.var(-1)
    made = (rows - mean[..., None]) / np.sqrt(variance[..., None] + epsilon)
    return np.moveaxis(made.reshape(y.shape), 1, axis), mean, variance


@kernel("GroupNorm", source="CANN GroupNorm; ONNX GroupNormalization-21; statistics as [N, groups]")
def _group_norm(
    x: Array,
    gamma: Array,
    beta: Array,
    *,
    num_groups: int,
    data_format: str,
    eps: float,
    is_training: bool,
    formats: Formats,
) -> list[Array]:
    if not is_training:
        raise UnsupportedError("GroupNorm: is_training=False is not supported")
    axis = _channel_axis("GroupNorm", x, data_format, formats[0])
    y, mean, variance = _groups("GroupNorm", x, axis, num_groups, eps)
    y = y * _along(gamma, x.ndim, axis) + _along(beta, x.ndim, axis)
    return [narrow(r, x.dtype) for r in (y, mean, variance)]


@kernel("GroupNormSilu", source="CANN GroupNormSilu; statistics as [N, groups]")
def _group_norm_silu(
    x: Array,
    gamma: Array | None,
    beta: Array | None,
    *,
    num_groups: int,
    eps: float,
    activate_silu: bool,
) -> list[Array]:
    y, mean, variance = _groups("GroupNormSilu", x, 1, num_groups, eps)
    if gamma is not None:
        y = y * _along(gamma, x.ndim, 1)
    if beta is not None:
        y = y + _along(beta, x.ndim, 1)
    y = y * sigmoid(y) if activate_silu else y
    return [narrow(r, x.dtype) for r in (y, mean, 1 / np.sqrt(variance + eps))]


@kernel("InstanceNorm", source="CANN InstanceNorm; ONNX InstanceNormalization-6")
def _instance_norm(
    x: Array,
    gamma: Array,
    beta: Array,
    *,
    data_format: str,
    epsilon: float,
    formats: Formats,
) -> list[Array]:
    axis = _channel_axis("InstanceNorm", x, data_format, formats[0])
    space = tuple(i for i in range(1, x.ndim) if i != axis)
    y, mean, variance = _layer_norm(wide(x), space, None, None, epsilon)
    y = y * _along(gamma, x.ndim, axis) + _along(beta, x.ndim, axis)
    return [narrow(r, x.dtype) for r in (y, mean, variance)]


@kernel("INInferV2", source="CANN INInferV2, of NCHW")
def _in_infer(
    x: Array,
    gamma: Array | None,
    beta: Array | None,
    mean: Array | None,
    variance: Array | None,
    *,
    epsilon: float,
) -> list[Array]:
    space = tuple(range(2, x.ndim))
    y = wide(x)
    middle = y.mean(space, keepdims=True) if mean is None else wide(mean)
    spread = y.var(space, keepdims=True) if variance is None else wide(variance)
    made = (y - middle) / np.sqrt(spread + epsilon)
    made = made if gamma is None else made * _factors(gamma, x)
    made = made if beta is None else made + _factors(beta, x)
    results = [middle.astype(_F32), spread.astype(_F32)]
    results = [
        r if given is None else given for r, given in zip(results, (mean, variance), strict=True)
    ]
    return [narrow(made, x.dtype), *results]


def _factors(values: Array, x: Array) -> Array:
    return wide(values) if values.ndim == x.ndim else _along(values, x.ndim, 1)


@kernel("LRN", source="CANN LRN, TensorFlow local_response_normalization")
def _lrn(
    x: Array,
    *,
    depth_radius: int,
    bias: float,
    alpha: float,
    beta: float,
    norm_region: str,
    formats: Formats,
) -> Array:
    if norm_region != "ACROSS_CHANNELS":
        raise UnsupportedError(
            f"LRN: norm_region '{norm_region}' is not supported; ACROSS_CHANNELS is"
        )
    y = np.moveaxis(wide(x), _by_layout("LRN", x, formats[0]), -1)
    squares = np.pad(np.square(y), [*[(0, 0)] * (y.ndim - 1), (depth_radius, depth_radius)])
    total = np.lib.stride_tricks.sliding_window_view(squares, 2 * depth_radius + 1, -1).sum(-1)
    made = y / np.power(bias + alpha * total, beta)
    return narrow(np.moveaxis(made, -1, _by_layout("LRN", x, formats[0])), x.dtype)


@rounded("L2Normalize", source="CANN L2Normalize: x / max(norm, eps)")
def _l2_normalize(x: Array, *, axis: list[int], eps: float) -> Any:
    axes = axes_of(axis, x.ndim) or tuple(range(x.ndim))
    return x / np.maximum(np.sqrt(np.square(x).sum(axes, keepdims=True)), eps)


@rounded("MVN", source="CANN MVN, Caffe MVN")
def _mvn(x: Array, *, normalize_variance: bool, across_channels: bool, eps: float) -> Any:
    axes = tuple(range(1 if across_channels else 2, x.ndim))
    y = x - x.mean(axes, keepdims=True)
    if normalize_variance:
        y = y / (np.sqrt(np.square(y).mean(axes, keepdims=True)) + eps)
    return y


@rounded("MVNV2", source="CANN MVNV2, ONNX MeanVarianceNormalization-13")
def _mvn_v2(x: Array, *, eps: float, axes: list[int]) -> Any:
    along = axes_of(axes, x.ndim)
    return (x - x.mean(along, keepdims=True)) / (x.std(along, keepdims=True) + eps)


@kernel("Normalize", source="CANN Normalize, Caffe SSD Normalize, of NCHW")
def _normalize(
    x1: Array,
    x2: Array,
    *,
    across_spatial: bool,
    channel_shared: bool,
    eps: float,
) -> Array:
    axes = tuple(range(1, x1.ndim)) if across_spatial else (1,)
    norm = np.sqrt(np.square(wide(x1)).sum(axes, keepdims=True) + eps)
    scale = wide(x2).reshape(()) if channel_shared else _along(x2, x1.ndim, 1)
    return narrow(wide(x1) / norm * scale, x1.dtype)


@kernel("Scale", source="CANN Scale, Caffe Scale", ignores=("scale_from_blob",))
def _scale(x: Array, scale: Array, bias: Array | None, *, axis: int, num_axes: int) -> Array:
    first = axis_of(axis, x.ndim) if x.ndim else 0
    end = x.ndim if num_axes == -1 else first + num_axes
    if end > x.ndim or scale.size not in (1, int(np.prod(x.shape[first:end]))):
        raise ValueError(
            f"Scale: {list(scale.shape)} are not {num_axes} dimensions of {list(x.shape)} from {axis} on"
        )
    shape = [n if first <= i < end else 1 for i, n in enumerate(x.shape)]
    factors = wide(scale).reshape(()) if scale.size == 1 else wide(scale).reshape(shape)
    made = wide(x) * factors
    if bias is not None:
        made = made + (wide(bias).reshape(()) if bias.size == 1 else wide(bias).reshape(shape))
    return narrow(made, x.dtype)


@kernel("BiasAdd", source="CANN BiasAdd, TensorFlow bias_add")
def _bias_add(x: Array, bias: Array, *, data_format: str, formats: Formats) -> Array:
    axis = _channel_axis("BiasAdd", x, data_format, formats[0])
    return narrow(wide(x) + _along(bias, x.ndim, axis), x.dtype)


# --- Softmax ---


def _softmax(x: Array, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """Return the result and its logarithm."""
    top = x.max(axes, keepdims=True, initial=-np.inf)
    shifted = x - np.where(np.isfinite(top), top, 0)
    log = shifted - np.log(np.exp(shifted).sum(axes, keepdims=True))
    return np.exp(log), log


@kernel("SoftmaxV2", source="CANN SoftmaxV2, ONNX Softmax-13")
def _softmax_v2(
    x: Array,
    *,
    axes: list[int],
    half_to_float: bool,
) -> Array:
    widens = half_to_float and x.dtype == np.float16
    return narrow(_softmax(wide(x), axes_of(axes, x.ndim))[0], _F32 if widens else x.dtype)


@rounded("LogSoftmaxV2", source="CANN LogSoftmaxV2, ONNX LogSoftmax-13")
def _log_softmax(logits: Array, *, axes: list[int]) -> Any:
    return _softmax(logits, axes_of(axes, logits.ndim))[1]


@rounded("SoftmaxGrad", source="CANN SoftmaxGrad: (grad - sum(grad * softmax)) * softmax")
def _softmax_grad(softmax: Array, grad: Array, *, axes: list[int]) -> Any:
    total = (grad * softmax).sum(axes_of(axes, softmax.ndim), keepdims=True)
    return (grad - total) * softmax


@rounded("LogSoftmaxGrad", source="CANN LogSoftmaxGrad: grad - sum(grad) * exp(x)")
def _log_softmax_grad(grad: Array, x: Array, *, axis: list[int]) -> Any:
    return grad - grad.sum(axes_of(axis, grad.ndim), keepdims=True) * np.exp(x)
