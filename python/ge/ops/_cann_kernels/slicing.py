"""Slices and padding."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._table import Array, UnsupportedError, axis_of, integers, kernel

__all__: list[str] = []

Index = tuple[Any, ...]


@kernel("Slice", "SliceD", source="CANN Slice, SliceD")
def _slice(x: Array, offsets: Any, size: Any, *, op: str) -> Array:
    begins, sizes = integers(offsets), integers(size)
    if len(begins) != x.ndim or len(sizes) != x.ndim:
        raise ValueError(f"{op}: offsets and size need {x.ndim} numbers each")
    index = []
    for begin, count, n in zip(begins, sizes, x.shape, strict=True):
        end = n if count == -1 else begin + count
        if not 0 <= begin <= end <= n:
            raise ValueError(
                f"{op}: {count} elements from {begin} on are outside a dimension of {n}"
            )
        index.append(slice(begin, end))
    return x[tuple(index)]


class _Masks:
    """The masks of a strided slice."""

    def __init__(self, begin: int, end: int, ellipsis: int, new_axis: int, shrink: int) -> None:
        self.begin, self.end, self.ellipsis = begin, end, ellipsis
        self.new_axis, self.shrink = new_axis, shrink


def _index(shape: tuple[int, ...], begin: Any, end: Any, strides: Any, masks: _Masks) -> Index:
    """Return what NumPy indexes with. An ellipsis counts before a new axis, and that before a shrunk one."""
    begins, ends = integers(begin), integers(end)
    steps = [1] * len(begins) if strides is None else integers(strides)
    if not len(begins) == len(ends) == len(steps):
        raise ValueError("StridedSlice: begin, end and strides must have as many numbers")
    index: list[Any] = []
    spreads = masks.ellipsis & ((1 << len(begins)) - 1)
    if spreads & (spreads - 1):
        raise ValueError("StridedSlice: ellipsis_mask has more than one bit")
    used = sum(not (spreads | masks.new_axis) >> i & 1 for i in range(len(begins)))
    if used > len(shape):
        raise ValueError(
            f"StridedSlice: begin has entries for {used} dimensions, x has {len(shape)}"
        )
    at = 0
    for i, (first, last, step) in enumerate(zip(begins, ends, steps, strict=True)):
        if spreads >> i & 1:
            index.append(Ellipsis)
            at += len(shape) - used
        elif masks.new_axis >> i & 1:
            index.append(None)
        elif step == 0:
            raise ValueError(f"StridedSlice: stride {i} is 0")
        elif masks.shrink >> i & 1:
            place = 0 if masks.begin >> i & 1 else first
            if not -shape[at] <= place < shape[at]:
                raise IndexError(
                    f"StridedSlice: {place} is outside dimension {at} of {shape[at]} elements"
                )
            index.append(place)
            at += 1
        else:
            index.append(
                slice(
                    None if masks.begin >> i & 1 else first,
                    None if masks.end >> i & 1 else last,
                    step,
                )
            )
            at += 1
    return tuple(index)


@kernel(
    "StridedSlice",
    "StridedSliceD",
    source="CANN StridedSlice, StridedSliceD; TensorFlow strided_slice",
)
def _strided_slice(
    x: Array,
    begin: Any,
    end: Any,
    strides: Any,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> Array:
    masks = _Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return x[_index(x.shape, begin, end, strides, masks)]


@kernel("StridedSliceV2", source="CANN StridedSliceV2; with axes as ONNX Slice-13")
def _strided_slice_v2(
    x: Array,
    begin: Array,
    end: Array,
    axes: Array | None,
    strides: Array | None,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> Array:
    masks = _Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    if axes is None:
        return x[_index(x.shape, begin, end, strides, masks)]
    if masks.ellipsis or masks.new_axis:
        raise UnsupportedError(
            "StridedSliceV2: axes with ellipsis_mask or new_axis_mask are not supported"
        )
    places = [axis_of(a, x.ndim, "axes") for a in integers(axes)]
    chosen = _index(tuple(x.shape[p] for p in places), begin, end, strides, masks)
    index: list[Any] = [slice(None)] * x.ndim
    for place, cut in zip(places, chosen, strict=True):
        index[place] = cut
    return np.asarray(x[tuple(index)])


@kernel("StridedSliceGrad", source="CANN StridedSliceGrad: dy in place, zeros elsewhere")
def _strided_slice_grad(
    shape: Array,
    begin: Array,
    end: Array,
    strides: Array,
    dy: Array,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> Array:
    masks = _Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    made = np.zeros(integers(shape), dy.dtype)
    made[_index(made.shape, begin, end, strides, masks)] = dy
    return made


# --- Padding ---


def _pairs(op: str, given: Any, rank: int, is_contiguous: bool = True) -> list[tuple[int, int]]:
    flat = integers(given)
    if len(flat) != 2 * rank:
        raise ValueError(
            f"{op}: {len(flat)} paddings, but {2 * rank} are needed: two for each dimension"
        )
    if min(flat, default=0) < 0:
        raise UnsupportedError(f"{op}: negative paddings are not supported")
    if is_contiguous:
        return list(zip(flat[::2], flat[1::2], strict=True))
    return list(zip(flat[:rank], flat[rank:], strict=True))


def _padded(x: Array, pairs: list[tuple[int, int]], value: Any = 0) -> Array:
    made = np.full([n + a + b for n, (a, b) in zip(x.shape, pairs, strict=True)], value, x.dtype)
    made[tuple(slice(a, a + n) for n, (a, _) in zip(x.shape, pairs, strict=True))] = x
    return made


@kernel("Pad", "PadD", source="CANN Pad, PadD: with zeros")
def _pad(x: Array, paddings: Any, *, op: str) -> Array:
    return _padded(x, _pairs(op, paddings, x.ndim))


@kernel("PadV2", source="CANN PadV2")
def _pad_v2(x: Array, paddings: Array, constant_values: Array) -> Array:
    return _padded(x, _pairs("PadV2", paddings, x.ndim), constant_values.reshape(()))


@kernel("PadV3", source="CANN PadV3, ONNX Pad-18")
def _pad_v3(
    x: Array,
    paddings: Array,
    constant_values: Array | None,
    *,
    mode: str,
    paddings_contiguous: bool,
) -> Array:
    pairs = _pairs("PadV3", paddings, x.ndim, paddings_contiguous)
    if mode == "constant":
        return _padded(x, pairs, 0 if constant_values is None else constant_values.reshape(()))
    if mode not in ("reflect", "edge", "symmetric"):
        raise UnsupportedError(f"PadV3: mode '{mode}' is not constant, reflect, edge or symmetric")
    return np.pad(x, pairs, mode)  # type: ignore[call-overload, no-any-return]


@kernel("MirrorPad", source="CANN MirrorPad, TensorFlow mirror_pad")
def _mirror_pad(x: Array, paddings: Array, *, mode: str) -> Array:
    if mode not in ("REFLECT", "SYMMETRIC"):
        raise UnsupportedError(f"MirrorPad: mode '{mode}' is not REFLECT or SYMMETRIC")
    pairs = _pairs("MirrorPad", paddings, x.ndim)
    for n, (a, b) in zip(x.shape, pairs, strict=True):
        if max(a, b) > n - (mode == "REFLECT"):
            raise ValueError(
                f"MirrorPad: {max(a, b)} elements of padding, more than a dimension of {n} has"
            )
    return np.pad(x, pairs, mode.lower())  # type: ignore[call-overload, no-any-return]
