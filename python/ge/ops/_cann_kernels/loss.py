"""Losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._table import Array, UnsupportedError, integers, kernel, narrow, rounded, wide
from .activation import softplus

__all__: list[str] = []


def _reduced(
    op: str, loss: Any, reduction: str, dtype: np.dtype[Any], has_batch: bool = False
) -> Array:
    if reduction == "none":
        return narrow(loss, dtype)
    if reduction == "sum":
        return narrow(loss.sum(), dtype)
    if reduction == "mean":
        return narrow(loss.mean(), dtype)
    if reduction == "batchmean" and has_batch:
        return narrow(loss.sum() / loss.shape[0], dtype)
    raise UnsupportedError(f"{op}: reduction '{reduction}' is not none, mean or sum")


def _log_softmax(x: Array) -> Any:
    shifted = x - x.max(-1, keepdims=True, initial=-np.inf)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


@kernel("SoftmaxCrossEntropyWithLogits", source="CANN and TensorFlow SoftmaxCrossEntropyWithLogits")
def _dense(features: Array, labels: Array) -> list[Array]:
    x, y = np.broadcast_arrays(wide(features), wide(labels))
    log = _log_softmax(x)
    # 0 times an infinity is 0 here: what has no probability costs nothing.
    loss = -np.where(y == 0, 0.0, y * log).sum(-1)
    return [narrow(loss, features.dtype), narrow(np.exp(log) - y, features.dtype)]


@kernel(
    "SparseSoftmaxCrossEntropyWithLogits",
    source="CANN and TensorFlow SparseSoftmaxCrossEntropyWithLogits",
)
def _sparse(features: Array, labels: Array) -> list[Array]:
    targets = np.array(integers(labels), np.int64)
    classes = features.shape[-1]
    if features.ndim != 2 or targets.size != features.shape[0]:
        raise ValueError(
            "SparseSoftmaxCrossEntropyWithLogits: labels must have one number for each row"
        )
    if targets.size and not (targets.min() >= 0 and targets.max() < classes):
        raise IndexError(f"SparseSoftmaxCrossEntropyWithLogits: a label is outside [0, {classes})")
    log = _log_softmax(wide(features))
    hot = np.eye(classes)[targets]
    loss = -np.take_along_axis(log, targets[:, None], 1)[:, 0]
    return [narrow(loss, features.dtype), narrow(np.exp(log) - hot, features.dtype)]


@rounded("SigmoidCrossEntropyWithLogits", source="CANN SigmoidCrossEntropyWithLogits")
def _sigmoid(predict: Array, target: Array) -> Any:
    return np.maximum(predict, 0) - predict * target + softplus(-np.abs(predict))


@kernel(
    "SigmoidCrossEntropyWithLogitsV2", source="CANN ...V2, PyTorch binary_cross_entropy_with_logits"
)
def _sigmoid_v2(
    predict: Array,
    target: Array,
    weight: Array | None,
    pos_weight: Array | None,
    *,
    reduction: str,
) -> Array:
    x, y = wide(predict), wide(target)
    positive = 1.0 if pos_weight is None else wide(pos_weight)
    loss = positive * y * softplus(-x) + (1 - y) * softplus(x)
    loss = loss if weight is None else loss * wide(weight)
    return _reduced("SigmoidCrossEntropyWithLogitsV2", loss, reduction, predict.dtype)


@kernel(
    "BinaryCrossEntropy",
    source="CANN BinaryCrossEntropy, PyTorch binary_cross_entropy: logarithms from -100 on",
)
def _binary(x: Array, y: Array, weight: Array | None, *, reduction: str) -> Array:
    p, t = wide(x), wide(y)
    loss = -(t * np.maximum(np.log(p), -100) + (1 - t) * np.maximum(np.log1p(-p), -100))
    loss = loss if weight is None else loss * wide(weight)
    return _reduced("BinaryCrossEntropy", loss, reduction, x.dtype)


@rounded("SmoothL1Loss", source="CANN SmoothL1Loss: squared up to sigma")
def _smooth_l1(predict: Array, label: Array, *, sigma: float) -> Any:
    size = np.abs(predict - label)
    return np.where(size < sigma, 0.5 * size**2 / sigma, size - 0.5 * sigma)


@kernel("NLLLoss", source="CANN NLLLoss, ONNX NegativeLogLikelihoodLoss-13")
def _nll(
    x: Array,
    target: Array,
    weight: Array | None,
    *,
    reduction: str,
    ignore_index: int,
) -> list[Array]:
    y = wide(x).reshape(-1, x.shape[-1])
    targets = np.array(integers(target), np.int64)
    counts = targets != ignore_index
    if (outside := counts & ((targets < 0) | (targets >= y.shape[1]))).any():
        raise IndexError(f"NLLLoss: target {targets[outside][0]} is outside [0, {y.shape[1]})")
    safe = np.where(counts, targets, 0)
    factors = np.ones(y.shape[1]) if weight is None else wide(weight)
    each = np.where(counts, factors[safe], 0.0)
    loss = -each * y[np.arange(len(safe)), safe]
    total = each.sum()
    if reduction == "none":
        made = loss.reshape(target.shape)
    elif reduction in ("sum", "mean"):
        made = loss.sum() / (total if reduction == "mean" else 1)
    else:
        raise UnsupportedError(f"NLLLoss: reduction '{reduction}' is not none, mean or sum")
    return [narrow(made, x.dtype), narrow(total, x.dtype)]


@kernel("MseLoss", source="CANN MseLoss")
def _mse(predict: Array, label: Array, *, reduction: str) -> Array:
    return _reduced("MseLoss", np.square(wide(predict) - wide(label)), reduction, predict.dtype)


@kernel("KLDiv", source="CANN KLDiv, PyTorch kl_div: x holds logarithms")
def _kl_div(x: Array, target: Array, *, reduction: str) -> Array:
    t = wide(target)
    loss = np.where(t > 0, t * (np.log(np.where(t > 0, t, 1.0)) - wide(x)), 0.0)
    return _reduced("KLDiv", loss, reduction, x.dtype, has_batch=True)
