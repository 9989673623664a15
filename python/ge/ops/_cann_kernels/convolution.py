"""Convolutions, transposed ones, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._table import Array, UnsupportedError, integers, kernel, narrow, wide
from ._windows import Window, check_format, spatial, windows
from .blocks import from_channels_first, to_channels_first
from .matrix import accumulated, no_offsets

__all__: list[str] = []

Formats = Sequence["str | None"]

# Where a filter's layout has output channels, input channels, and then space.
_FILTERS = {
    "NCHW": (0, 1, 2, 3),
    "HWCN": (3, 2, 0, 1),
    "NHWC": (0, 3, 1, 2),
    "NCDHW": (0, 1, 2, 3, 4),
    "DHWCN": (4, 3, 0, 1, 2),
    "NDHWC": (0, 4, 1, 2, 3),
}


def _filter_order(
    op: str, rank: int, layout: str | None, otherwise: str | None = None
) -> tuple[int, ...]:
    """Return the permutation to [out, in / groups, *space]; without a layout it is that already."""
    name = otherwise if layout in (None, "ND") else layout
    order = tuple(range(rank + 2)) if name is None else _FILTERS.get(name, ())
    if len(order) != rank + 2:
        raise UnsupportedError(f"{op}: filters of layout {name} are not supported")
    return order


def _double(x: Array) -> Array:
    """Products of integers below 2 ** 53 are exact in double precision, and NumPy has fast products for it."""
    return wide(x).astype(np.float64)


def _correlate(x: Array, w: Array, window: Window, groups: int) -> Array:
    """X [N, C, *space], w [O, C / groups, *kernel]; returns [N, O, *counts]."""
    op, rank = window.op, x.ndim - 2
    if groups < 1 or x.shape[1] != w.shape[1] * groups or w.shape[0] % groups:
        raise ValueError(
            f"{op}: {x.shape[1]} channels and a filter of [{w.shape[0]}, {w.shape[1]}] channels"
            f" do not fit {groups} groups; a filter of another layout needs that format in its type"
        )
    view = windows(_double(x), window)
    each, per = w.shape[0] // groups, w.shape[1]
    taps = [1, *range(2 + rank, 2 + 2 * rank)]
    made = [
        np.tensordot(
            view[:, g * per : (g + 1) * per],
            _double(w[g * each : (g + 1) * each]),
            (taps, list(range(1, w.ndim))),
        )
        for g in range(groups)
    ]
    return np.moveaxis(np.concatenate(made, -1), -1, 1)


def _with_bias(y: Array, bias: Array | None) -> Array:
    return y if bias is None else y + _double(bias).reshape(1, -1, *[1] * (y.ndim - 2))


def _convolve(
    op: str,
    x: Array,
    w: Array,
    bias: Array | None,
    steps: tuple[Any, Any, Any],
    groups: int,
    data_format: str,
    formats: Formats,
    mode: str = "",
) -> Array:
    is_last = check_format(op, data_format, formats[0])
    rank = len(data_format) - 2
    if x.ndim != rank + 2 or w.ndim != rank + 2:
        raise ValueError(
            f"{op}: x and filter must have {rank + 2} dimensions, not {x.ndim} and {w.ndim}"
        )
    weights = w.transpose(_filter_order(op, rank, formats[1]))
    strides, pads, dilations = steps
    window = Window(
        op,
        list(weights.shape[2:]),
        spatial(op, "strides", strides, rank, is_last),
        spatial(op, "dilations", dilations, rank, is_last),
        pads,
        mode,
    )
    made = _with_bias(_correlate(to_channels_first(x, is_last), weights, window, groups), bias)
    return narrow(from_channels_first(made, is_last), accumulated(x.dtype))


@kernel("Conv2D", "Conv3D", source="CANN Conv2D, Conv3D; ONNX Conv-11")
def _conv(
    x: Array,
    filter: Array,
    bias: Array | None,
    offset_w: Array | None,
    *,
    strides: list[int],
    pads: list[int],
    dilations: list[int],
    groups: int,
    data_format: str,
    offset_x: int,
    op: str,
    formats: Formats,
) -> Array:
    no_offsets(op, offset_w, offset_x)
    steps = strides, pads, dilations
    return _convolve(op, x, filter, bias, steps, groups, data_format, formats)


@kernel("Conv2DV2", source="CANN Conv2DV2, ONNX Conv-11", ignores=("enable_hf32",))
def _conv2d_v2(
    x: Array,
    filter: Array,
    bias: Array | None,
    offset_w: Array | None,
    *,
    strides: list[int],
    pads: list[int],
    dilations: list[int],
    groups: int,
    data_format: str,
    offset_x: int,
    pad_mode: str,
    formats: Formats,
) -> Array:
    no_offsets("Conv2DV2", offset_w, offset_x)
    steps = strides, pads, dilations
    return _convolve("Conv2DV2", x, filter, bias, steps, groups, data_format, formats, pad_mode)


@kernel("DepthwiseConv2D", source="CANN DepthwiseConv2D, TensorFlow depthwise_conv2d")
def _depthwise(
    x: Array,
    filter: Array,
    bias: Array | None,
    offset_w: Array | None,
    *,
    strides: list[int],
    dilations: list[int],
    pads: list[int],
    data_format: str,
    offset_x: int,
    formats: Formats,
) -> Array:
    """HWCN filters are [H, W, C, K], NCHW ones [K, C, H, W]; the result has channel c * K + k."""
    op = "DepthwiseConv2D"
    no_offsets(op, offset_w, offset_x)
    is_last = check_format(op, data_format, formats[0])
    order = _filter_order(op, 2, formats[1], "HWCN" if is_last else None)
    y = to_channels_first(x, is_last)
    weights = filter.transpose(order)  # [K, C, H, W]
    if weights.shape[1] == y.shape[1]:
        weights = np.swapaxes(weights, 0, 1).reshape(-1, 1, *weights.shape[2:])
    window = Window(
        op,
        list(weights.shape[2:]),
        spatial(op, "strides", strides, 2, is_last),
        spatial(op, "dilations", dilations, 2, is_last),
        pads,
    )
    made = _with_bias(_correlate(y, weights, window, y.shape[1]), bias)
    return narrow(from_channels_first(made, is_last), accumulated(x.dtype))


# --- Transposed ---


def _scattered(y: Array, w: Array, window: Window, groups: int, sizes: Sequence[int]) -> Array:
    """Gradient of `_correlate` by its image of the given sizes of space; y [N, O, *counts], w as there."""
    rank = y.ndim - 2
    if groups < 1 or y.shape[1] != w.shape[0] or w.shape[0] % groups:
        raise ValueError(
            f"{window.op}: {y.shape[1]} channels and a filter of [{w.shape[0]}, {w.shape[1]}] channels"
            f" do not fit {groups} groups; a filter of another layout needs that format in its type"
        )
    pads = window.pads(sizes)
    room = [
        max((n - 1) * s + e, size + a)
        for n, s, e, size, (a, _) in zip(
            y.shape[2:], window.strides, window.extent, sizes, pads, strict=True
        )
    ]
    made = np.zeros((y.shape[0], w.shape[1] * groups, *room))
    each, per = w.shape[0] // groups, w.shape[1]
    for tap in np.ndindex(*w.shape[2:]):
        place = tuple(
            slice(t * d, t * d + (n - 1) * s + 1 if n else 0, s)
            for t, d, n, s in zip(tap, window.dilations, y.shape[2:], window.strides, strict=True)
        )
        for g in range(groups):
            part = np.tensordot(
                _double(y[:, g * each : (g + 1) * each]),
                _double(w[(slice(g * each, (g + 1) * each), slice(None), *tap)]),
                ([1], [0]),
            )
            made[(slice(None), slice(g * per, (g + 1) * per), *place)] += np.moveaxis(part, -1, 1)
    cut = tuple(slice(a, a + size) for (a, _), size in zip(pads, sizes, strict=True))
    assert len(cut) == rank
    return made[(slice(None), slice(None), *cut)]


def _transposed(
    op: str,
    size: Any,
    x: Array,
    w: Array,
    bias: Array | None,
    steps: tuple[Any, Any, Any],
    groups: int,
    data_format: str,
    extra: Any,
    formats: Formats,
) -> Array:
    """Transposed convolution to a given size (all 0: as the window makes it); formats of x and filter."""
    is_last = check_format(op, data_format, formats[0])
    rank = len(data_format) - 2
    if x.ndim != rank + 2 or w.ndim != rank + 2:
        raise ValueError(
            f"{op}: x and filter must have {rank + 2} dimensions, not {x.ndim} and {w.ndim}"
        )
    y = to_channels_first(x, is_last)
    weights = w.transpose(_filter_order(op, rank, formats[1]))
    strides, pads, dilations = steps
    window = Window(
        op,
        list(weights.shape[2:]),
        spatial(op, "strides", strides, rank, is_last),
        spatial(op, "dilations", dilations, rank, is_last),
        pads,
    )
    wanted = [] if size is None else integers(size)
    if any(wanted):
        if len(wanted) != rank + 2:
            raise ValueError(f"{op}: the size has {len(wanted)} numbers, but {rank + 2} are needed")
        sizes = wanted[1:-1] if is_last else wanted[2:]
    else:
        more = [0] * rank if extra is None else integers(extra)
        if len(more) == rank + 2:
            more = more[1:-1] if is_last else more[2:]
        sizes = []
        for i, n in enumerate(y.shape[2:]):
            if window.mode.startswith("SAME"):
                sizes.append(n * window.strides[i])
            else:
                full = (n - 1) * window.strides[i] + window.extent[i]
                sizes.append(full + more[i] - sum(window.given[i]))
    if any(n != m for n, m in zip(window.counts(sizes), y.shape[2:], strict=True)):
        raise ValueError(
            f"{op}: a convolution of {list(sizes)} gives {window.counts(sizes)}, not {list(y.shape[2:])}"
        )
    made = _with_bias(_scattered(y, weights, window, groups, sizes), bias)
    return narrow(from_channels_first(made, is_last), accumulated(x.dtype))


@kernel("Deconvolution", source="CANN Deconvolution, ONNX ConvTranspose-11")
def _deconvolution(
    x: Array,
    filter: Array,
    bias: Array | None,
    offset_w: Array | None,
    *,
    strides: list[int],
    pads: list[int],
    dilations: list[int],
    groups: int,
    data_format: str,
    offset_x: int,
    formats: Formats,
) -> Array:
    no_offsets("Deconvolution", offset_w, offset_x)
    steps = strides, pads, dilations
    return _transposed(
        "Deconvolution", None, x, filter, bias, steps, groups, data_format, None, formats
    )


@kernel(
    "Conv2DTranspose",
    "Conv3DTranspose",
    source="CANN Conv2DTranspose, Conv3DTranspose; ONNX ConvTranspose-11",
)
def _conv_transpose(
    input_size: Array,
    x: Array,
    filter: Array,
    bias: Array | None,
    offset_w: Array | None,
    *,
    strides: list[int],
    pads: list[int],
    dilations: list[int],
    groups: int,
    data_format: str,
    output_padding: list[int],
    offset_x: int,
    op: str,
    formats: Formats,
) -> Array:
    no_offsets(op, offset_w, offset_x)
    steps = strides, pads, dilations
    return _transposed(
        op, input_size, x, filter, bias, steps, groups, data_format, output_padding, formats[1:3]
    )


@kernel("Conv2DBackpropInput", source="CANN Conv2DBackpropInput: gradient of Conv2D by its input")
def _backprop_input(
    input_size: Array,
    filter: Array,
    out_backprop: Array,
    *,
    strides: list[int],
    pads: list[int],
    dilations: list[int],
    groups: int,
    data_format: str,
    formats: Formats,
) -> Array:
    op = "Conv2DBackpropInput"
    layouts = [formats[2], formats[1]]
    steps = strides, pads, dilations
    return _transposed(
        op, input_size, out_backprop, filter, None, steps, groups, data_format, None, layouts
    )


@kernel(
    "Conv2DBackpropFilter",
    source="CANN Conv2DBackpropFilter: gradient of Conv2D by its filter, in f32",
)
def _backprop_filter(
    x: Array,
    filter_size: Array,
    out_backprop: Array,
    *,
    strides: list[int],
    pads: list[int],
    dilations: list[int],
    groups: int,
    data_format: str,
    formats: Formats,
) -> Array:
    op = "Conv2DBackpropFilter"
    is_last = check_format(op, data_format, formats[0])
    size = integers(filter_size)
    if len(size) != 4:
        raise ValueError(f"{op}: filter_size has {len(size)} numbers, but 4 are needed")
    y, g = to_channels_first(x, is_last), to_channels_first(out_backprop, is_last)
    window = Window(
        op,
        size[2:],
        spatial(op, "strides", strides, 2, is_last),
        spatial(op, "dilations", dilations, 2, is_last),
        pads,
    )
    if groups < 1 or size[0] != g.shape[1] or size[1] * groups != y.shape[1]:
        raise ValueError(
            f"{op}: a filter of {size} does not fit; it is [out, in / groups, height, width]"
        )
    view = windows(_double(y), window)
    each, per = size[0] // groups, size[1]
    made = [
        np.tensordot(
            _double(g[:, i * each : (i + 1) * each]),
            view[:, i * per : (i + 1) * per],
            ([0, 2, 3], [0, 2, 3]),
        )
        for i in range(groups)
    ]
    return narrow(np.concatenate(made), np.dtype(np.float32))
