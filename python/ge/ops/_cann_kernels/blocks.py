"""Blocks moved between channels, batch and space, and layouts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._table import Array, UnsupportedError, integers, kernel

__all__ = ["from_channels_first", "is_channels_last", "to_channels_first"]


def is_channels_last(data_format: str, op: str) -> bool:
    """Return whether a layout has the channels last.

    Raises
    ------
    UnsupportedError
        If it is not a layout of one letter for each dimension.
    """
    if data_format in ("NCHW", "NCDHW", "NCL", "NC"):
        return False
    if data_format in ("NHWC", "NDHWC", "NLC"):
        return True
    raise UnsupportedError(f"{op}: data_format '{data_format}' is not supported; NCHW and NHWC are")


def to_channels_first(x: Array, is_last: bool) -> Array:
    """Return the image with its channels in dimension 1."""
    return np.moveaxis(x, -1, 1) if is_last else x


def from_channels_first(x: Array, is_last: bool) -> Array:
    """Undo `to_channels_first`."""
    return np.moveaxis(x, 1, -1) if is_last else x


def _image(op: str, x: Array, data_format: str) -> Array:
    if x.ndim != 4:
        raise ValueError(f"{op}: x must have 4 dimensions, not {x.ndim}")
    return to_channels_first(x, is_channels_last(data_format, op))


@kernel("DepthToSpace", source="CANN DepthToSpace, ONNX DepthToSpace-13")
def _depth_to_space(x: Array, *, block_size: int, mode: str, data_format: str) -> Array:
    y = _image("DepthToSpace", x, data_format)
    n, c, h, w = y.shape
    b = block_size
    if c % (b * b):
        raise ValueError(f"DepthToSpace: {c} channels are not a multiple of {b} * {b}")
    if mode == "DCR":
        y = y.reshape(n, b, b, c // (b * b), h, w).transpose(0, 3, 4, 1, 5, 2)
    elif mode == "CRD":
        y = y.reshape(n, c // (b * b), b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    else:
        raise UnsupportedError(f"DepthToSpace: mode '{mode}' is not DCR or CRD")
    made = y.reshape(n, c // (b * b), h * b, w * b)
    return from_channels_first(made, data_format == "NHWC")


@kernel("SpaceToDepth", source="CANN SpaceToDepth, ONNX SpaceToDepth-13")
def _space_to_depth(x: Array, *, block_size: int, data_format: str) -> Array:
    y = _image("SpaceToDepth", x, data_format)
    n, c, h, w = y.shape
    b = block_size
    if h % b or w % b:
        raise ValueError(f"SpaceToDepth: {h} and {w} are not multiples of {b}")
    y = y.reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4)
    return from_channels_first(y.reshape(n, c * b * b, h // b, w // b), data_format == "NHWC")


def _margins(op: str, given: Any, count: int) -> list[tuple[int, int]]:
    flat = integers(given)
    if len(flat) != 2 * count or min(flat, default=0) < 0:
        raise ValueError(
            f"{op}: two numbers that are not negative are needed for each of {count} blocks"
        )
    return list(zip(flat[::2], flat[1::2], strict=True))


def _batch_to_space(op: str, x: Array, blocks: Sequence[int], crops: Any) -> Array:
    count = len(blocks)
    volume = math.prod(blocks)
    if x.ndim <= count or x.shape[0] % volume:
        raise ValueError(f"{op}: {list(x.shape)} does not have blocks of {list(blocks)}")
    y = x.reshape(*blocks, x.shape[0] // volume, *x.shape[1:])
    order = [count]
    for i in range(count):
        order += [count + 1 + i, i]
    order += range(2 * count + 1, y.ndim)
    sizes = [x.shape[i + 1] * b for i, b in enumerate(blocks)]
    y = y.transpose(order).reshape(x.shape[0] // volume, *sizes, *x.shape[count + 1 :])
    cuts = [slice(a, n - b) for (a, b), n in zip(_margins(op, crops, count), sizes, strict=True)]
    if any(cut.start > cut.stop for cut in cuts):
        raise ValueError(f"{op}: the crops take more than there is")
    return y[(slice(None), *cuts)]


def _space_to_batch(op: str, x: Array, blocks: Sequence[int], paddings: Any) -> Array:
    count = len(blocks)
    if x.ndim <= count:
        raise ValueError(f"{op}: {list(x.shape)} does not have {count} dimensions behind the batch")
    pads = [(0, 0), *_margins(op, paddings, count), *[(0, 0)] * (x.ndim - count - 1)]
    y = np.pad(x, pads)
    sizes: list[int] = []
    for n, b in zip(y.shape[1:], blocks, strict=False):
        if n % b:
            raise ValueError(f"{op}: a padded dimension of {n} is not a multiple of {b}")
        sizes += [n // b, b]
    rest = y.shape[count + 1 :]
    z = y.reshape(y.shape[0], *sizes, *rest)
    order = [*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count, 2), *range(2 * count + 1, z.ndim)]
    return z.transpose(order).reshape(math.prod(blocks) * x.shape[0], *sizes[::2], *rest)


@kernel("BatchToSpaceND", source="CANN BatchToSpaceND")
def _batch_to_space_nd(x: Array, block_shape: Array, crops: Array) -> Array:
    return _batch_to_space("BatchToSpaceND", x, integers(block_shape), crops)


@kernel("SpaceToBatchND", source="CANN SpaceToBatchND")
def _space_to_batch_nd(x: Array, block_shape: Array, paddings: Array) -> Array:
    return _space_to_batch("SpaceToBatchND", x, integers(block_shape), paddings)


def _no_format(op: str, formats: Sequence[str | None]) -> None:
    if formats[0] not in (None, "NHWC"):
        raise UnsupportedError(f"{op}: layout {formats[0]} is not supported; NHWC is")


@kernel("BatchToSpace", source="CANN BatchToSpace, of NHWC")
def _batch_to_space_2d(
    x: Array, crops: Array, *, block_size: int, formats: Sequence[str | None]
) -> Array:
    _no_format("BatchToSpace", formats)
    return _batch_to_space("BatchToSpace", x, [block_size, block_size], crops)


@kernel("SpaceToBatch", source="CANN SpaceToBatch, of NHWC")
def _space_to_batch_2d(
    x: Array, paddings: Array, *, block_size: int, formats: Sequence[str | None]
) -> Array:
    _no_format("SpaceToBatch", formats)
    return _space_to_batch("SpaceToBatch", x, [block_size, block_size], paddings)


# --- Layouts ---


def _cube(dtype: np.dtype[Any]) -> int:
    if dtype.itemsize == 1:
        return 32
    if dtype.itemsize == 2:
        return 16
    raise UnsupportedError(f"TransData: how many channels a block has is not known for {dtype}")


def _blocked(x: Array, axis: int, block: int) -> Array:
    """Cut an axis into blocks, the last one filled with zeros; the axis becomes two."""
    rest = -x.shape[axis] % block
    pads = [(0, 0)] * x.ndim
    pads[axis] = (0, rest)
    y = np.pad(x, pads)
    return y.reshape(*x.shape[:axis], y.shape[axis] // block, block, *x.shape[axis + 1 :])


@kernel(
    "TransData",
    source="CANN TransData, documented layouts NC1HWC0, FRACTAL_Z and FRACTAL_NZ",
    ignores=("src_subformat", "dst_subformat"),
)
def _trans_data(src: Array, *, src_format: str, dst_format: str, groups: int) -> Array:
    if groups != 1:
        raise UnsupportedError(f"TransData: groups={groups} is not supported")
    if src_format == dst_format:
        return src
    if dst_format == "FRACTAL_NZ" and src_format in ("ND", "NCHW", "NHWC") and src.ndim >= 2:
        y = _blocked(_blocked(src, src.ndim - 1, _cube(src.dtype)), src.ndim - 2, 16)
        # ..., M1, 16, N1, C0 becomes ..., N1, M1, 16, C0
        return np.moveaxis(y, -2, -4)
    if len(src_format) == src.ndim and sorted(src_format) == sorted(dst_format):
        return src.transpose([src_format.index(letter) for letter in dst_format])
    if sorted(src_format) == ["C", "H", "N", "W"] and src.ndim == 4:
        nchw = src.transpose([src_format.index(letter) for letter in "NCHW"])
        if dst_format == "NC1HWC0":
            return _blocked(nchw, 1, _cube(src.dtype)).transpose(0, 1, 3, 4, 2)
        if dst_format == "FRACTAL_Z":
            y = _blocked(_blocked(nchw, 1, _cube(src.dtype)), 0, 16)
            # N1, 16, C1, C0, H, W becomes C1 * H * W, N1, 16, C0
            y = y.transpose(2, 4, 5, 0, 1, 3)
            return y.reshape(-1, *y.shape[3:])
    raise UnsupportedError(f"TransData: from {src_format} to {dst_format} is not supported")
