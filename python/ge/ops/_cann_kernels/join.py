"""Concatenation, stacking and splitting."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._table import Array, axis_of, integers, kernel, number

__all__: list[str] = []


@kernel(
    "ConcatV2",
    "ConcatD",
    "ConcatV2D",
    source="CANN ConcatV2, ConcatD; ONNX Concat-13",
    ignores=("N",),
)
def _joined(x: list[Array], concat_dim: Any, *, op: str) -> Array:
    if not x:
        raise ValueError(f"{op}: there are no operands to concatenate")
    if len({one.dtype for one in x}) > 1:
        raise ValueError(f"{op}: operands have different types")
    return np.concatenate(x, axis_of(concat_dim, x[0].ndim, "concat_dim"))


@kernel("Concat", source="CANN Concat, ONNX Concat-13", ignores=("N",))
def _concat(concat_dim: Array, x: list[Array]) -> Array:
    return _joined(x, concat_dim, op="Concat")


@kernel("ConcatOffset", source="CANN ConcatOffset", ignores=("N",))
def _concat_offset(concat_dim: Array, x: list[Array]) -> list[Array]:
    results, offset = [], 0
    for shape in x:
        at = axis_of(concat_dim, shape.size, "concat_dim")
        made = np.zeros_like(shape)
        made[at] = offset
        offset += int(shape[at])
        results.append(made)
    return results


@kernel("PhonyConcat", source="CANN PhonyConcat", ignores=("keep_input_offset",))
def _phony_concat(x: list[Array], *, concat_dim: list[int], N: list[int]) -> Array:  # noqa: N803
    axes, counts = integers(concat_dim), integers(N)
    if len(axes) != len(counts) or math.prod(counts) != len(x):
        raise ValueError(
            f"PhonyConcat: {len(x)} operands do not make a grid of {counts} along {axes}"
        )
    parts = list(x)
    for axis, count in reversed(list(zip(axes, counts, strict=True))):
        parts = [
            _joined(parts[i : i + count], axis, op="PhonyConcat")
            for i in range(0, len(parts), count)
        ]
    return parts[0]


def _equal_parts(op: str, x: Array, at: Any, count: int) -> list[Array]:
    axis = axis_of(at, x.ndim, "split_dim")
    if count < 1 or x.shape[axis] % count:
        raise ValueError(f"{op}: {x.shape[axis]} elements are no {count} equal parts")
    return np.split(x, count, axis)


@kernel("Split", source="CANN Split, ONNX Split-2")
def _split(split_dim: Array, x: Array, *, num_split: int) -> list[Array]:
    return _equal_parts("Split", x, split_dim, num_split)


@kernel("SplitD", source="CANN SplitD, ONNX Split-2")
def _split_d(x: Array, *, split_dim: int, num_split: int) -> list[Array]:
    return _equal_parts("SplitD", x, split_dim, num_split)


@kernel("SplitV", "SplitVD", source="CANN SplitV, SplitVD; ONNX Split-13")
def _split_v(x: Array, size_splits: Any, split_dim: Any, *, num_split: int, op: str) -> list[Array]:
    axis = axis_of(split_dim, x.ndim, "split_dim")
    sizes = integers(size_splits)
    if -1 in sizes:
        sizes[sizes.index(-1)] = x.shape[axis] - (sum(sizes) + 1)
    if len(sizes) != num_split or min(sizes, default=0) < 0 or sum(sizes) != x.shape[axis]:
        raise ValueError(
            f"{op}: {integers(size_splits)} are no {num_split} parts of {x.shape[axis]} elements"
        )
    return np.split(x, np.cumsum(sizes)[:-1], axis)


@kernel("Pack", source="CANN Pack, NumPy stack", ignores=("N",))
def _pack(x: list[Array], *, axis: int) -> Array:
    return np.stack(x, axis)


@kernel("Unpack", source="CANN Unpack")
def _unpack(x: Array, *, num: int, axis: int) -> list[Array]:
    at = axis_of(number(axis), x.ndim)
    if x.shape[at] != num:
        raise ValueError(f"Unpack: {x.shape[at]} elements are not {num} results")
    return [np.take(x, i, at) for i in range(num)]
