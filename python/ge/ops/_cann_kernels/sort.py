"""Sorting, searching and sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._table import Array, axis_of, element_type, is_float, kernel, narrow, number, wide

__all__ = ["order"]


def order(x: Array, axis: int, descending: bool) -> Array:
    """Return the indices that sort an array; equal elements keep their order."""
    y = wide(x)
    if not descending:
        return np.asarray(np.argsort(y, axis, kind="stable"))
    # Sorted backwards and turned round twice: a minus would not do for unsigned and the least integers.
    turned = np.flip(y, axis)
    found = np.flip(np.argsort(turned, axis, kind="stable"), axis)
    return np.asarray(y.shape[axis] - 1 - found)


@kernel("Sort", source="CANN Sort", ignores=("stable",))
def _sort(x: Array, *, axis: int, descending: bool, y2_dtype: Any) -> list[Array]:
    if x.ndim == 0:
        return [x, np.zeros((), element_type(y2_dtype))]
    at = axis_of(axis, x.ndim)
    found = order(x, at, descending)
    return [np.take_along_axis(x, found, at), narrow(found, element_type(y2_dtype))]


def _top(x: Array, k: Array, dim: int, largest: bool, dtype: Any) -> list[Array]:
    axis, count = axis_of(dim, x.ndim, "dim"), number(k)
    if not 0 <= count <= x.shape[axis]:
        raise ValueError(f"TopK: k is {count}, but dimension {axis} has {x.shape[axis]} elements")
    found = np.take(order(x, axis, largest), range(count), axis)
    return [np.take_along_axis(x, found, axis), narrow(found, element_type(dtype))]


# Without `sorted` any order is right, so the sorted one is.
@kernel("TopK", source="CANN TopK, ONNX TopK-11", ignores=("sorted",))
def _top_k(x: Array, k: Array, *, largest: bool, dim: int) -> list[Array]:
    return _top(x, k, dim, largest, 3)


@kernel("TopKV2", source="CANN TopKV2, ONNX TopK-11", ignores=("sorted",))
def _top_k_v2(x: Array, k: Array, *, dim: int, largest: bool, indices_dtype: Any) -> list[Array]:
    return _top(x, k, dim, largest, indices_dtype)


@kernel("InTopK", source="CANN InTopK, TensorFlow in_top_k")
def _in_top_k(x1: Array, x2: Array, k: Array) -> Array:
    predictions, count = wide(x1), number(k)
    results = []
    for row, target in zip(predictions, x2.tolist(), strict=True):
        if not 0 <= target < row.size or not np.isfinite(row[target]):
            results.append(False)
        else:
            results.append(int((row > row[target]).sum()) < count)
    return np.array(results, np.bool_)


def _unique(x: Array) -> tuple[Array, Array, Array]:
    if x.ndim != 1:
        raise ValueError(f"Unique: x must be a vector, not of {x.ndim} dimensions")
    _, first, inverse, counts = np.unique(wide(x), True, True, True)
    by_place = np.argsort(first)
    rank = np.empty_like(by_place)
    rank[by_place] = np.arange(by_place.size)
    return x[first[by_place]], rank[inverse.reshape(-1)], counts[by_place]


@kernel("Unique", source="CANN Unique, TensorFlow unique; ONNX Unique-11 with sorted=0")
def _unique_kernel(x: Array, *, out_idx: Any) -> list[Array]:
    y, index, _ = _unique(x)
    return [y, narrow(index, element_type(out_idx))]


@kernel("UniqueWithCounts", source="CANN UniqueWithCounts, TensorFlow unique_with_counts")
def _unique_with_counts(x: Array, *, out_idx: Any) -> list[Array]:
    y, index, counts = _unique(x)
    dtype = element_type(out_idx)
    return [y, narrow(index, dtype), narrow(counts, dtype)]


def _non_zero(x: Array) -> Array:
    found = wide(x) if is_float(x.dtype) or x.dtype.kind == "V" else x
    return np.argwhere(found).astype(np.int64)


@kernel("Where", source="CANN Where: one row of indices for each element that is not 0")
def _where(x: Array) -> Array:
    return _non_zero(x)


@kernel("NonZero", source="CANN NonZero; with transpose ONNX NonZero-13")
def _non_zero_kernel(x: Array, *, transpose: bool, dtype: Any) -> Array:
    found = narrow(_non_zero(x), element_type(dtype))
    return found.T if transpose else found


@kernel("InvertPermutation", source="CANN InvertPermutation")
def _invert_permutation(x: Array) -> Array:
    if x.ndim != 1 or sorted(x.tolist()) != list(range(x.size)):
        raise ValueError("InvertPermutation: x is not a permutation of 0, 1, ...")
    return np.argsort(x).astype(x.dtype)
