"""Tensors that are made, and elements that are chosen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._table import Array, axis_of, element_type, integers, kernel, narrow, number, wide

__all__: list[str] = []


@kernel("Select", source="CANN Select; a condition of one dimension selects rows")
def _select(condition: Array, x1: Array, x2: Array) -> Array:
    chosen = condition.astype(np.bool_)
    if chosen.ndim == 1 and x1.ndim > 1:
        chosen = chosen.reshape(-1, *[1] * (x1.ndim - 1))
    return np.where(chosen, x1, x2)


@kernel("SelectV2", source="CANN SelectV2, ONNX Where-16")
def _select_v2(condition: Array, then: Array, otherwise: Array) -> Array:
    return np.where(condition.astype(np.bool_), then, otherwise)


@kernel("MaskedFill", source="CANN MaskedFill")
def _masked_fill(x: Array, mask: Array, value: Array) -> Array:
    return np.where(mask.astype(np.bool_), value.astype(x.dtype), x)


@kernel("MaskedSelect", source="CANN MaskedSelect")
def _masked_select(x: Array, mask: Array) -> Array:
    shape = np.broadcast_shapes(x.shape, mask.shape)
    return np.broadcast_to(x, shape)[np.broadcast_to(mask.astype(np.bool_), shape)]


@kernel("Fill", source="CANN Fill, ONNX ConstantOfShape-9")
def _fill(dims: Array, value: Array) -> Array:
    return np.full(integers(dims), value.reshape(()), value.dtype)


@kernel("FillD", source="CANN FillD")
def _fill_d(value: Array, *, dims: list[int]) -> Array:
    return np.full(integers(dims), value.reshape(()), value.dtype)


@kernel("Range", source="CANN Range, ONNX Range-11")
def _range(start: Array, limit: Array, delta: Array, *, is_closed: bool) -> Array:
    first, end, step = (wide(v).reshape(()).item() for v in (start, limit, delta))
    if step == 0:
        raise ValueError("Range: delta is 0")
    exact = (end - first) / step
    count = math.floor(exact) + 1 if is_closed else math.ceil(exact)
    return narrow(first + np.arange(max(count, 0)) * step, start.dtype)


@kernel("LinSpace", source="CANN LinSpace, NumPy linspace")
def _lin_space(start: Array, stop: Array, num: Array) -> Array:
    first, last = wide(start).reshape(()), wide(stop).reshape(())
    return narrow(np.linspace(first, last, number(num)), start.dtype)


def _one_hot(x: Array, depth: int, on: Array, off: Array, axis: int) -> Array:
    at = axis_of(axis, x.ndim + 1)
    hot = np.expand_dims(x, at) == np.arange(depth).reshape(-1, *[1] * (x.ndim - at))
    return np.where(hot, on.reshape(()), off.reshape(())).astype(on.dtype)


@kernel(
    "OneHot", source="CANN OneHot, TensorFlow one_hot: indices outside [0, depth) have no on_value"
)
def _one_hot_kernel(
    x: Array, depth: Array, on_value: Array, off_value: Array, *, axis: int
) -> Array:
    return _one_hot(x, number(depth), on_value, off_value, axis)


@kernel("OneHotD", source="CANN OneHotD, TensorFlow one_hot")
def _one_hot_d(x: Array, on_value: Array, off_value: Array, *, depth: int, axis: int) -> Array:
    return _one_hot(x, depth, on_value, off_value, axis)


# --- Random numbers: the distribution is CANN's, the numbers are NumPy's ---


def _generator(seed: int, seed2: int) -> np.random.Generator:
    return np.random.default_rng([seed, seed2] if seed or seed2 else None)


@kernel("RandomUniform", source="CANN RandomUniform: in [0, 1)")
def _random_uniform(shape: Array, *, dtype: Any, seed: int, seed2: int) -> Array:
    made = _generator(seed & 0x7FFFFFFF, seed2 & 0x7FFFFFFF).random(integers(shape))
    return narrow(made, element_type(dtype))


@kernel("RandomUniformInt", source="CANN RandomUniformInt: in [min, max)")
def _random_int(shape: Array, least: Array, end: Array, *, seed: int, seed2: int) -> Array:
    generator = _generator(seed & 0x7FFFFFFF, seed2 & 0x7FFFFFFF)
    return narrow(generator.integers(number(least), number(end), integers(shape)), least.dtype)


@kernel("RandomStandardNormal", source="CANN RandomStandardNormal")
def _random_normal(shape: Array, *, dtype: Any, seed: int, seed2: int) -> Array:
    made = _generator(seed & 0x7FFFFFFF, seed2 & 0x7FFFFFFF).standard_normal(integers(shape))
    return narrow(made, element_type(dtype))


@kernel("TruncatedNormal", source="CANN TruncatedNormal: none beyond two deviations")
def _truncated_normal(shape: Array, *, seed: int, seed2: int, dtype: Any) -> Array:
    generator = _generator(seed & 0x7FFFFFFF, seed2 & 0x7FFFFFFF)
    made = generator.standard_normal(integers(shape))
    while (beyond := np.abs(made) > 2).any():
        made[beyond] = generator.standard_normal(int(beyond.sum()))
    return narrow(made, element_type(dtype))
