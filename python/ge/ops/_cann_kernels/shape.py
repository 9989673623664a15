"""Shapes and layouts: what moves elements and computes none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._table import (  # fmt: skip
    Array,
    UnsupportedError,
    axes_of,
    axis_of,
    element_type,
    integers,
    is_float,
    kernel,
    narrow,
    number,
    wide,
)

__all__ = ["reshaped"]


@kernel("Shape", source="CANN Shape, ONNX Shape-1")
def _shape(x: Array, *, dtype: Any) -> Array:
    return np.array(x.shape, element_type(dtype))


@kernel("ShapeN", source="CANN ShapeN")
def _shape_n(x: list[Array], *, dtype: Any) -> list[Array]:
    return [np.array(each.shape, element_type(dtype)) for each in x]


@kernel("Size", source="CANN Size, ONNX Size-13")
def _size(x: Array, *, dtype: Any) -> Array:
    return np.array(x.size, element_type(dtype))


@kernel("Rank", source="CANN Rank")
def _rank(x: Array) -> Array:
    return np.array(x.ndim, np.int32)


def reshaped(x: Array, shape: Any) -> Array:
    """Return x in another shape: 0 copies a size, -1 is what is left."""
    sizes = integers(shape)
    for i, size in enumerate(sizes):
        if size == 0 and x.size:
            if i >= x.ndim:
                raise ValueError(
                    f"the shape {sizes} copies dimension {i}, which {list(x.shape)} lacks"
                )
            sizes[i] = x.shape[i]
    return x.reshape(sizes)


@kernel("Reshape", source="CANN Reshape, ONNX Reshape-14")
def _reshape(x: Array, shape: Array, *, axis: int, num_axes: int) -> Array:
    first = axis if axis >= 0 else axis + x.ndim + 1
    end = x.ndim if num_axes == -1 else first + num_axes
    if not 0 <= first <= end <= x.ndim:
        raise ValueError(
            f"Reshape: axis {axis} and num_axes {num_axes} are outside {list(x.shape)}"
        )
    if (first, end) == (0, x.ndim):
        return reshaped(x, shape)
    middle = np.empty(x.shape[first:end], np.bool_)
    return x.reshape(*x.shape[:first], *reshaped(middle, shape).shape, *x.shape[end:])


def _squeezed(x: Array, axes: Any) -> Array:
    if axes is None or np.size(axes) == 0:
        return np.squeeze(x)
    return np.squeeze(x, axes_of(axes, x.ndim))


@kernel("Squeeze", "SqueezeV2", source="CANN Squeeze; without axes all dimensions of size 1")
def _squeeze(x: Array, *, axis: list[int]) -> Array:
    return _squeezed(x, axis)


@kernel("SqueezeV3", source="CANN SqueezeV3, ONNX Squeeze-13")
def _squeeze_v3(x: Array, axes: Array | None) -> Array:
    return _squeezed(x, axes)


@kernel("Unsqueeze", source="CANN Unsqueeze, ONNX Unsqueeze-11")
@kernel("UnsqueezeV3", source="CANN UnsqueezeV3, ONNX Unsqueeze-13")
def _unsqueezed(x: Array, axes: Any) -> Array:
    return np.expand_dims(x, axes_of(axes, x.ndim + np.size(axes)))


@kernel("UnsqueezeV2", source="CANN UnsqueezeV2, ONNX Unsqueeze-11")
def _unsqueeze_v2(x: Array, *, axis: list[int]) -> Array:
    return _unsqueezed(x, axis)


@kernel("ExpandDims", source="CANN ExpandDims")
def _expand_dims(x: Array, axis: Array) -> Array:
    return _unsqueezed(x, [number(axis)])


@kernel("Flatten", source="CANN Flatten, ONNX Flatten-13")
def _flatten(x: Array, *, axis: int) -> Array:
    at = axis + x.ndim if axis < 0 else axis
    if not 0 <= at <= x.ndim:
        raise ValueError(f"Flatten: axis {axis} is outside {list(x.shape)}")
    return x.reshape(math.prod(x.shape[:at]), math.prod(x.shape[at:]))


@kernel("FlattenV2", source="CANN FlattenV2")
def _flatten_v2(x: Array, *, axis: int, end_axis: int) -> Array:
    if x.ndim == 0:
        return x.reshape(1)
    first, last = axis_of(axis, x.ndim), axis_of(end_axis, x.ndim, "end_axis")
    if first > last:
        raise ValueError(f"FlattenV2: axis {axis} is greater than end_axis {end_axis}")
    return x.reshape(*x.shape[:first], math.prod(x.shape[first : last + 1]), *x.shape[last + 1 :])


@kernel("Transpose", "TransposeD", source="CANN Transpose, TransposeD; ONNX Transpose-13")
def _permuted(x: Array, perm: Any) -> Array:
    order = [axis_of(a, x.ndim, "perm") for a in integers(perm)]
    if sorted(order) != list(range(x.ndim)):
        raise ValueError(f"{order} is not a permutation of the dimensions of {list(x.shape)}")
    return x.transpose(order)


@kernel("Permute", source="CANN Permute, ONNX Transpose-13")
def _permute(x: Array, *, order: list[int]) -> Array:
    return _permuted(x, order)


@kernel("ConfusionTransposeD", source="CANN ConfusionTransposeD")
def _confusion(x: Array, *, perm: list[int], shape: list[int], transpose_first: bool) -> Array:
    if transpose_first:
        return _permuted(x, perm).reshape(integers(shape))
    return _permuted(reshaped(x, shape), perm)


@kernel("Tile", "TileD", source="CANN Tile, TileD; ONNX Tile-13")
def _tiled(x: Array, multiples: Any) -> Array:
    times = integers(multiples)
    if len(times) < x.ndim:
        raise ValueError(f"Tile: {len(times)} multiples for {x.ndim} dimensions")
    return np.tile(x, times)


@kernel("BroadcastTo", "Expand", source="CANN BroadcastTo, Expand; ONNX Expand-13")
@kernel("BroadcastToD", "ExpandD", source="CANN BroadcastToD, ExpandD; ONNX Expand-13")
def _expanded(x: Array, shape: Any) -> Array:
    """Broadcast; a 1 keeps the size of x, as does -1."""
    sizes = [1 if s == -1 else s for s in integers(shape)]
    return np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(sizes))).copy()


@kernel("BroadcastArgs", source="CANN BroadcastArgs")
def _broadcast_args(x1: Array, x2: Array) -> Array:
    return np.array(np.broadcast_shapes(integers(x1), integers(x2)), x1.dtype)


@kernel(
    "BroadcastGradientArgs",
    source="CANN BroadcastGradientArgs, TensorFlow's order of the dimensions",
)
def _broadcast_gradient_args(x1: Array, x2: Array) -> list[Array]:
    a, b = integers(x1), integers(x2)
    rank = len(np.broadcast_shapes(a, b))
    results = []
    for own in (a, b):
        padded = [0] * (rank - len(own)) + own
        summed = [i for i, n in enumerate(padded) if n == 1 or i < rank - len(own)]
        results.append(np.array(summed, x1.dtype))
    return results


@kernel("ReverseV2", "ReverseV2D", source="CANN ReverseV2, ReverseV2D")
def _reverse(x: Array, axis: Any) -> Array:
    return np.flip(x, axes_of(axis, x.ndim))


@kernel("ReverseSequence", source="CANN ReverseSequence, ONNX ReverseSequence-10")
def _reverse_sequence(x: Array, seq_lengths: Array, *, seq_dim: int, batch_dim: int) -> Array:
    time, batch = axis_of(seq_dim, x.ndim, "seq_dim"), axis_of(batch_dim, x.ndim, "batch_dim")
    made = np.moveaxis(x, (batch, time), (0, 1)).copy()
    for row, length in zip(made, integers(seq_lengths), strict=True):
        if not 0 <= length <= len(row):
            raise ValueError(f"ReverseSequence: a length is {length}, of {len(row)}")
        row[:length] = row[:length][::-1].copy()
    return np.moveaxis(made, (0, 1), (batch, time))


@kernel("Roll", source="CANN Roll, NumPy roll")
def _roll(x: Array, *, shifts: list[int], dims: list[int]) -> Array:
    moved = integers(shifts)
    if not len(dims):
        if len(moved) != 1:
            raise ValueError("Roll: without dims there is one shift")
        return np.roll(x, moved[0])
    return np.roll(x, moved, tuple(axis_of(d, x.ndim, "dims") for d in integers(dims)))


# --- Types ---


@kernel("Cast", source="CANN Cast; floats are truncated to integers, and true is what is not 0")
def _cast(x: Array, *, dst_type: int) -> Array:
    dtype = element_type(dst_type)
    if dtype.kind == "b":
        return np.asarray(wide(x) != 0)
    if is_float(x.dtype) and dtype.kind in "iu":
        return np.trunc(wide(x)).astype(np.int64 if dtype != np.uint64 else dtype).astype(dtype)
    return narrow(wide(x), dtype)


@kernel("Bitcast", source="CANN Bitcast, TensorFlow bitcast")
def _bitcast(x: Array, *, type: Any, keep_dim: bool) -> Array:
    dtype = element_type(type)
    if 0 in (dtype.itemsize, x.dtype.itemsize) or "int4" in (dtype.name, x.dtype.name):
        raise UnsupportedError(f"Bitcast: from {x.dtype} to {dtype} is not supported")
    data = np.ascontiguousarray(x).reshape(x.shape)
    wider, narrower = dtype.itemsize > x.dtype.itemsize, dtype.itemsize < x.dtype.itemsize
    if not wider and not narrower:
        return data.view(dtype)
    if keep_dim or narrower:
        if x.ndim == 0:
            if keep_dim:
                raise ValueError("Bitcast: x has no last dimension")
            return data.reshape(1).view(dtype)
        made = data.view(dtype)
        return made if keep_dim else made.reshape(*x.shape, x.dtype.itemsize // dtype.itemsize)
    if x.ndim == 0 or x.shape[-1] * x.dtype.itemsize != dtype.itemsize:
        raise ValueError(f"Bitcast: {list(x.shape)} of {x.dtype} is not an array of {dtype}")
    return data.view(dtype).reshape(x.shape[:-1])
