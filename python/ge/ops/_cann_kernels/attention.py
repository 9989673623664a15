"""Attention and experts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._table import Array, UnsupportedError, kernel, narrow, wide

__all__: list[str] = []


def _heads(x: Array, layout: str, count: int) -> Any:
    """Return [batch, heads, sequence, depth]."""
    y = wide(x)
    if layout == "BSH":
        batch, length, size = y.shape
        if count < 1 or size % count:
            raise ValueError(f"PromptFlashAttention: {size} numbers are no {count} heads")
        return y.reshape(batch, length, count, size // count).transpose(0, 2, 1, 3)
    if layout == "BSND":
        return y.transpose(0, 2, 1, 3)
    if layout == "BNSD":
        return y
    raise UnsupportedError(
        f"PromptFlashAttention: input_layout '{layout}' is not BSH, BSND or BNSD"
    )


@kernel(
    "PromptFlashAttention",
    source="CANN PromptFlashAttention, sparse_mode 0",
    ignores=("inner_precise",),
)
def _prompt_flash_attention(
    query: Array,
    key: Array,
    value: Array,
    pse_shift: Array | None,
    atten_mask: Array | None,
    actual_seq_lengths: Array | None,
    actual_seq_lengths_kv: Array | None,
    deq_scale1: Array | None,
    quant_scale1: Array | None,
    deq_scale2: Array | None,
    quant_scale2: Array | None,
    quant_offset2: Array | None,
    *,
    num_heads: int,
    scale_value: float,
    pre_tokens: int,
    next_tokens: int,
    input_layout: str,
    num_key_value_heads: int,
    sparse_mode: int,
) -> Array:
    """Which tokens see which is the mask's alone; other limits are refused."""
    op = "PromptFlashAttention"
    more = (actual_seq_lengths, actual_seq_lengths_kv, deq_scale1, quant_scale1, deq_scale2)
    if any(v is not None for v in (*more, quant_scale2, quant_offset2)):
        raise UnsupportedError(f"{op}: sequence lengths and quantised operands are not supported")
    if (pre_tokens, next_tokens) != (214748647, 0):
        raise UnsupportedError(
            f"{op}: pre_tokens and next_tokens are not supported; use atten_mask"
        )
    if sparse_mode != 0:
        raise UnsupportedError(f"{op}: sparse_mode={sparse_mode} is not supported; 0 is")
    shared = num_key_value_heads or num_heads
    if num_heads % shared:
        raise ValueError(f"{op}: {num_heads} heads of query are not a multiple of {shared} of key")
    q, k, v = (
        _heads(query, input_layout, num_heads),
        *(_heads(t, input_layout, shared) for t in (key, value)),
    )
    k, v = (np.repeat(t, num_heads // shared, 1) for t in (k, v))
    scores = q @ np.swapaxes(k, -1, -2) * scale_value
    if pse_shift is not None:
        scores = scores + wide(pse_shift)
    if atten_mask is not None:
        hidden = np.asarray(wide(atten_mask) != 0)
        hidden = (
            hidden.reshape((1,) * (4 - hidden.ndim) + hidden.shape)
            if hidden.ndim != 3
            else hidden[:, None]
        )
        scores = np.where(hidden, -np.inf, scores)
    top = scores.max(-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = weights.sum(-1, keepdims=True)
    made = (weights / np.where(total == 0, 1, total)) @ v
    if input_layout != "BNSD":
        made = made.transpose(0, 2, 1, 3)
    return narrow(
        made.reshape(*query.shape[:-1], -1) if input_layout == "BSH" else made, query.dtype
    )


@kernel("MoeGatingTopKSoftmax", source="CANN MoeGatingTopKSoftmax")
def _moe_gating(x: Array, finished: Array | None, *, k: int) -> list[Array]:
    rows = wide(x).reshape(-1, x.shape[-1])
    if not 1 <= k <= rows.shape[1]:
        raise ValueError(f"MoeGatingTopKSoftmax: k is {k}, of {rows.shape[1]} experts")
    shifted = np.exp(rows - rows.max(-1, keepdims=True, initial=-np.inf))
    scores = shifted / shifted.sum(-1, keepdims=True)
    best = np.argsort(-scores, -1, kind="stable")[:, :k]
    values = np.take_along_axis(scores, best, -1)
    if finished is not None:
        best = np.where(finished.reshape(-1, 1), rows.shape[1], best)
    places = np.arange(k)[None, :] * len(rows) + np.arange(len(rows))[:, None]
    shape = (*x.shape[:-1], k)
    int32 = np.dtype(np.int32)
    return [
        narrow(values.reshape(shape), x.dtype),
        narrow(best.reshape(shape), int32),
        narrow(places.reshape(shape), int32),
    ]
