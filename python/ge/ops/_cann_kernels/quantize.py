"""Quantisation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._table import Array, UnsupportedError, axis_of, element_type, kernel, narrow, wide

__all__: list[str] = []

_ROUND: dict[str, Callable[[Any], Any]] = {
    "round": np.rint,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
}


def _limits(op: str, dtype: np.dtype[Any]) -> tuple[int, int]:
    if dtype.name == "int4":
        return -8, 7
    if dtype.kind not in "iu":
        raise UnsupportedError(f"{op}: results of {dtype} are not supported")
    return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)


def _quantized(op: str, x: Any, mode: str, dtype: np.dtype[Any]) -> Array:
    rounded = _ROUND.get(mode.lower())
    if rounded is None:
        raise UnsupportedError(f"{op}: round_mode '{mode}' is not one of {', '.join(_ROUND)}")
    return narrow(np.clip(rounded(x), *_limits(op, dtype)), dtype)


@kernel("AscendQuant", source="CANN AscendQuant: round(x * scale + offset)")
def _ascend_quant(
    x: Array,
    *,
    scale: float,
    offset: float,
    sqrt_mode: bool,
    round_mode: str,
    dst_type: int,
) -> Array:
    factor = scale * scale if sqrt_mode else scale
    return _quantized("AscendQuant", wide(x) * factor + offset, round_mode, element_type(dst_type))


def _channels(values: Array, x: Array, axis: int) -> Array:
    """One number, or one for each place along an axis."""
    if values.size == 1:
        return wide(values).reshape(())
    if values.ndim == 1:
        at = axis_of(axis, x.ndim)
        return wide(values).reshape([-1 if i == at else 1 for i in range(x.ndim)])
    return wide(values)


@kernel("AscendQuantV2", source="CANN AscendQuantV2: round(x * scale + offset) along an axis")
def _ascend_quant_v2(
    x: Array,
    scale: Array,
    offset: Array | None,
    *,
    sqrt_mode: bool,
    round_mode: str,
    dst_type: int,
    axis: int,
) -> Array:
    factor = _channels(scale, x, axis)
    made = wide(x) * (factor * factor if sqrt_mode else factor)
    if offset is not None:
        made = made + _channels(offset, x, axis)
    return _quantized("AscendQuantV2", made, round_mode, element_type(dst_type))


def _deq_scale(values: Array) -> Array:
    """Scales; those of 64 bits hold an f32 in their low half."""
    if values.dtype.name in ("uint64", "int64"):
        low = (values.astype(np.uint64) & np.uint64(0xFFFFFFFF)).astype(np.uint32)
        return low.view(np.float32)
    return values


@kernel(
    "AscendDequant",
    source="CANN AscendDequant: x * deq_scale, for each channel in the last dimension",
)
def _ascend_dequant(
    x: Array, deq_scale: Array, *, sqrt_mode: bool, relu_flag: bool, dtype: int
) -> Array:
    factor = _channels(_deq_scale(deq_scale), x, -1)
    made = x.astype(np.float64) * (factor * factor if sqrt_mode else factor)
    return narrow(np.maximum(made, 0) if relu_flag else made, element_type(dtype))


@kernel("AscendAntiQuant", source="CANN AscendAntiQuant: (x + offset) * scale")
def _ascend_anti_quant(
    x: Array, *, scale: float, offset: float, dtype: int, sqrt_mode: bool
) -> Array:
    made = (x.astype(np.float64) + offset) * (scale * scale if sqrt_mode else scale)
    return narrow(made, element_type(dtype))


@kernel("AscendRequant", source="CANN AscendRequant: 8-bit integers of sums")
def _ascend_requant(x: Array, req_scale: Array, *, relu_flag: bool) -> Array:
    made = x.astype(np.float64) * _channels(_deq_scale(req_scale), x, -1)
    made = np.maximum(made, 0) if relu_flag else made
    return _quantized("AscendRequant", made, "round", np.dtype(np.int8))


@kernel(
    "Quantize",
    source="CANN Quantize, PyTorch quantize_per_channel: round(x / scales + zero_points)",
)
def _quantize(
    x: Array, scales: Array, zero_points: Array | None, *, dtype: str, axis: int
) -> Array:
    names = {"qint8": np.int8, "quint8": np.uint8, "qint32": np.int32}
    name = dtype.removeprefix("torch.")
    if name not in names:
        raise UnsupportedError(
            f"Quantize: dtype '{dtype}' is not torch.qint8, torch.quint8 or torch.qint32"
        )
    made = np.rint(wide(x) / _channels(scales, x, axis))
    if zero_points is not None:
        made = made + _channels(zero_points, x, axis)
    return _quantized("Quantize", made, "round", np.dtype(names[name]))


@kernel("Dequantize", source="CANN Dequantize, TensorFlow dequantize")
def _dequantize(x: Array, min_range: Array, max_range: Array, *, mode: str) -> Array:
    low, high = wide(min_range).reshape(()), wide(max_range).reshape(())
    least, most = _limits("Dequantize", x.dtype)
    y = x.astype(np.float64)
    if mode == "MIN_COMBINED":
        y = y + (most - least + 1) / 2 if least < 0 else y
        made = low + y * (high - low) / (most - least)
    elif mode == "MIN_FIRST":
        made = (y - least) * (high - low) / (most - least) + low
    elif mode == "SCALED":
        factor = high / most if least == 0 else np.maximum(low / least, high / most)
        made = y * factor
    else:
        raise UnsupportedError(
            f"Dequantize: mode '{mode}' is not MIN_COMBINED, MIN_FIRST or SCALED"
        )
    return narrow(made, np.dtype(np.float32))


@kernel("DynamicQuant", source="CANN DynamicQuant: each row by its greatest size")
def _dynamic_quant(
    x: Array,
    smooth_scales: Array | None,
    group_index: Array | None,
    *,
    dst_type: int,
) -> list[Array]:
    if group_index is not None:
        raise UnsupportedError("DynamicQuant: operand 'group_index' is not supported")
    if x.ndim < 1:
        raise ValueError("DynamicQuant: x must have at least one dimension")
    dtype = element_type(dst_type)
    y = wide(x) if smooth_scales is None else wide(x) * wide(smooth_scales)
    scale = np.abs(y).max(-1, keepdims=True, initial=0) / _limits("DynamicQuant", dtype)[1]
    made = np.where(scale == 0, 0.0, y / np.where(scale == 0, 1.0, scale))
    return [
        _quantized("DynamicQuant", made, "round", dtype),
        narrow(scale[..., 0], np.dtype(np.float32)),
    ]


@kernel(
    "QuantBatchMatmulV3",
    source="CANN QuantBatchMatmulV3: (x1 @ x2 + bias) * scale * pertoken_scale",
)
def _quant_matmul(
    x1: Array,
    x2: Array,
    scale: Array,
    offset: Array | None,
    bias: Array | None,
    pertoken_scale: Array | None,
    *,
    dtype: int,
    transpose_x1: bool,
    transpose_x2: bool,
    group_size: int,
) -> Array:
    op = "QuantBatchMatmulV3"
    if offset is not None or group_size:
        raise UnsupportedError(f"{op}: operand 'offset' and group_size are not supported")
    a, b = x1.astype(np.int64), x2.astype(np.int64)
    a = np.swapaxes(a, -1, -2) if transpose_x1 else a
    b = np.swapaxes(b, -1, -2) if transpose_x2 else b
    made = (a @ b).astype(np.float64)
    is_whole = bias is not None and bias.dtype.kind in "iu"
    if bias is not None and is_whole:
        made = made + bias
    made = made * wide(_deq_scale(scale))
    if pertoken_scale is not None:
        made = made * wide(pertoken_scale).reshape(-1, 1)
    if bias is not None and not is_whole:
        made = made + wide(bias)
    target = element_type(dtype)
    if target.kind in "iu":
        return _quantized(op, made, "round", target)
    return narrow(made, target)


@kernel("FakeQuantWithMinMaxVars", source="CANN and TensorFlow FakeQuantWithMinMaxVars")
def _fake_quant(
    x: Array,
    min: Array,
    max: Array,
    *,
    num_bits: int,
    narrow_range: bool,
) -> Array:
    least, most = int(narrow_range), 2**num_bits - 1
    low, high = float(wide(min).reshape(())), float(wide(max).reshape(()))
    if low == high:
        return np.zeros_like(x)
    scale = (high - low) / (most - least)
    zero = least - low / scale
    zero = float(np.clip(np.rint(zero) if zero % 1 != 0.5 else np.floor(zero + 0.5), least, most))
    bottom, top = (least - zero) * scale, (most - zero) * scale
    steps = np.floor((np.clip(wide(x), bottom, top) - bottom) / scale + 0.5)
    return narrow(steps * scale + bottom, x.dtype)
