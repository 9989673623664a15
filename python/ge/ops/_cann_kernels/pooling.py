"""Pools and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._table import Array, UnsupportedError, element_type, integers, kernel, narrow, wide
from ._windows import Window, check_format, spatial, windows
from .blocks import from_channels_first, to_channels_first

__all__: list[str] = []

Formats = Sequence["str | None"]


def _least(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _taps(view: Array) -> tuple[int, ...]:
    rank = (view.ndim - 2) // 2
    return tuple(range(2 + rank, view.ndim))


def _greatest(x: Array, window: Window) -> Array:
    y = wide(x)
    view = windows(y, window, _least(y.dtype))
    return np.asarray(view.max(_taps(view)))


def _means(x: Array, window: Window, counts_padding: bool, divisor: int = 0) -> Array:
    """Average; padding that only ceil_mode adds never counts, nor does that of SAME."""
    view = windows(wide(x), window)
    total = view.sum(_taps(view))
    if divisor:
        return np.asarray(total / divisor)
    counted = np.ones((1, 1, *x.shape[2:]))
    if counts_padding and not window.mode.startswith("SAME"):
        counted = np.pad(counted, [(0, 0), (0, 0), *window.given], constant_values=1)
        window = Window(
            window.op, window.kernel, window.strides, window.dilations, (), "", window.ceil_mode
        )
        sizes = windows(counted, window)
        # As many windows as over the image itself: padding after it may hold one more.
        cut = tuple(slice(0, n) for n in total.shape[2:])
        return np.asarray(total / sizes.sum(_taps(sizes))[(slice(None), slice(None), *cut)])
    sizes = windows(counted, window)
    return np.asarray(total / sizes.sum(_taps(sizes)))


class _Pool:
    """An image with its channels in front, and the window over it."""

    def __init__(
        self,
        op: str,
        x: Array,
        data_format: str,
        layout: str | None,
        sizes: Any,
        strides: Any,
        pads: Any = (),
        mode: str = "",
        ceil_mode: bool = False,
        is_global: bool = False,
        dilations: Any = (),
    ) -> None:
        rank = len(data_format) - 2
        if x.ndim != rank + 2:
            raise ValueError(f"{op}: x must have {rank + 2} dimensions, not {x.ndim}")
        self.is_last = check_format(op, data_format, layout)
        self.x = to_channels_first(x, self.is_last)
        self.dtype = x.dtype
        if is_global:
            ones = [1] * rank
            self.window = Window(op, list(self.x.shape[2:]), ones, ones)
            return
        kernel_sizes = integers(sizes)
        if len(kernel_sizes) == rank + 2:
            others = (kernel_sizes[0], kernel_sizes[-1] if self.is_last else kernel_sizes[1])
            if others != (1, 1):
                raise UnsupportedError(
                    f"{op}: windows over the batch or channels are not supported"
                )
        self.window = Window(
            op,
            spatial(op, "ksize", sizes, rank, self.is_last),
            spatial(op, "strides", strides, rank, self.is_last),
            spatial(op, "dilation", dilations, rank, self.is_last),
            pads,
            mode,
            ceil_mode,
        )

    def result(self, made: Array) -> Array:
        if self.dtype.kind in "iu" and made.dtype.kind == "f":
            made = np.trunc(made)
        return narrow(from_channels_first(made, self.is_last), self.dtype)


def _padding(op: str, mode: str, words: tuple[str, ...] = ("SAME", "VALID")) -> str:
    if mode not in words:
        raise UnsupportedError(f"{op}: padding '{mode}' is not one of {', '.join(words)}")
    return mode


@kernel("MaxPool", source="CANN MaxPool, TensorFlow max_pool")
def _max_pool(
    x: Array,
    *,
    ksize: list[int],
    strides: list[int],
    padding: str,
    data_format: str,
    formats: Formats,
) -> Array:
    mode = _padding("MaxPool", padding)
    pool = _Pool("MaxPool", x, data_format, formats[0], ksize, strides, (), mode)
    return pool.result(_greatest(pool.x, pool.window))


@kernel("MaxPoolV2", source="CANN MaxPoolV2, TensorFlow max_pool")
def _max_pool_v2(
    x: Array,
    ksize: Array,
    strides: Array,
    *,
    padding: str,
    data_format: str,
    formats: Formats,
) -> Array:
    mode = _padding("MaxPoolV2", padding)
    pool = _Pool("MaxPoolV2", x, data_format, formats[0], ksize, strides, (), mode)
    return pool.result(_greatest(pool.x, pool.window))


_MODES = ("CALCULATED", "SAME", "VALID")


@kernel("MaxPoolV3", source="CANN MaxPoolV3, ONNX MaxPool-12")
def _max_pool_v3(
    x: Array,
    *,
    ksize: list[int],
    strides: list[int],
    padding_mode: str,
    pads: list[int],
    data_format: str,
    global_pooling: bool,
    ceil_mode: bool,
    formats: Formats,
) -> Array:
    op = "MaxPoolV3"
    mode = _padding(op, padding_mode, _MODES)
    pool = _Pool(
        op, x, data_format, formats[0], ksize, strides, pads, mode, ceil_mode, global_pooling
    )
    return pool.result(_greatest(pool.x, pool.window))


@kernel("MaxPool3D", source="CANN MaxPool3D, ONNX MaxPool-12")
def _max_pool_3d(
    x: Array,
    *,
    ksize: list[int],
    strides: list[int],
    padding: str,
    pads: list[int],
    dilation: list[int],
    ceil_mode: int,
    data_format: str,
    formats: Formats,
) -> Array:
    op = "MaxPool3D"
    mode = _padding(op, padding, _MODES)
    pool = _Pool(
        op, x, data_format, formats[0], ksize, strides, pads, mode, bool(ceil_mode), False, dilation
    )
    return pool.result(_greatest(pool.x, pool.window))


@kernel(
    "MaxPoolWithArgmax", source="CANN MaxPoolWithArgmax, TensorFlow max_pool_with_argmax of NHWC"
)
def _max_pool_with_argmax(
    x: Array,
    *,
    ksize: list[int],
    strides: list[int],
    padding: str,
    Targmax: Any,  # noqa: N803
    formats: Formats,
) -> list[Array]:
    """Return indices over height, width and channels of one image."""
    op = "MaxPoolWithArgmax"
    if element_type(Targmax).name not in ("int32", "int64"):
        raise UnsupportedError(
            f"{op}: Targmax={Targmax} is not supported; 3 (int32) and 9 (int64) are"
        )
    pool = _Pool(op, x, "NHWC", formats[0], ksize, strides, (), _padding(op, padding))
    _, channels, height, width = pool.x.shape
    y = wide(pool.x)
    view = windows(y, pool.window, _least(y.dtype))
    flat = view.reshape(*view.shape[:4], -1)
    best = flat.argmax(-1)
    places = (np.arange(height * width) * channels).reshape(1, 1, height, width) + np.arange(
        channels
    ).reshape(1, -1, 1, 1)
    where = windows(np.broadcast_to(places, (1, channels, height, width)), pool.window, -1)
    where = np.broadcast_to(where, view.shape).reshape(flat.shape)
    index = np.take_along_axis(where, best[..., None], -1)[..., 0]
    return [pool.result(flat.max(-1)), narrow(np.moveaxis(index, 1, -1), element_type(Targmax))]


@kernel("AvgPool", source="CANN AvgPool, TensorFlow avg_pool: padding does not count")
def _avg_pool(
    x: Array,
    *,
    ksize: list[int],
    strides: list[int],
    padding: str,
    data_format: str,
    formats: Formats,
) -> Array:
    mode = _padding("AvgPool", padding)
    pool = _Pool("AvgPool", x, data_format, formats[0], ksize, strides, (), mode)
    return pool.result(_means(pool.x, pool.window, False))


@kernel("AvgPoolV2", source="CANN AvgPoolV2, ONNX AveragePool-19")
def _avg_pool_v2(
    x: Array,
    *,
    ksize: list[int],
    strides: list[int],
    padding_mode: str,
    pads: list[int],
    data_format: str,
    global_pooling: bool,
    ceil_mode: bool,
    exclusive: bool,
    divisor_override: int,
    formats: Formats,
) -> Array:
    op = "AvgPoolV2"
    mode = _padding(op, padding_mode, _MODES)
    pool = _Pool(
        op, x, data_format, formats[0], ksize, strides, pads, mode, ceil_mode, global_pooling
    )
    return pool.result(_means(pool.x, pool.window, not exclusive, divisor_override))


@kernel("AvgPool1D", source="CANN AvgPool1D, ONNX AveragePool-19, over the last dimension")
def _avg_pool_1d(
    x: Array,
    *,
    ksize: int,
    strides: int,
    pads: list[int],
    ceil_mode: bool,
    count_include_pad: bool,
) -> Array:
    if x.ndim < 1:
        raise ValueError("AvgPool1D: x has no dimension")
    pool = _Pool(
        "AvgPool1D",
        x.reshape(1, -1, x.shape[-1]),
        "NCL",
        None,
        [ksize],
        [strides],
        pads,
        "",
        ceil_mode,
    )
    made = pool.result(_means(pool.x, pool.window, count_include_pad))
    return made.reshape(*x.shape[:-1], made.shape[-1])


@kernel("AvgPool3D", source="CANN AvgPool3D, ONNX AveragePool-19")
def _avg_pool_3d(
    x: Array,
    *,
    ksize: list[int],
    strides: list[int],
    pads: list[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int,
    data_format: str,
    formats: Formats,
) -> Array:
    pool = _Pool("AvgPool3D", x, data_format, formats[0], ksize, strides, pads, "", ceil_mode)
    return pool.result(_means(pool.x, pool.window, count_include_pad, divisor_override))


@kernel("Pooling", source="CANN Pooling, Caffe Pooling: means count padding")
def _pooling(
    x: Array,
    *,
    mode: int,
    global_pooling: bool,
    window: list[int],
    stride: list[int],
    pad: list[int],
    dilation: list[int],
    ceil_mode: int,
    data_format: str,
    formats: Formats,
) -> Array:
    op = "Pooling"
    if mode not in (0, 1):
        raise UnsupportedError(f"{op}: mode {mode} is not 0 (greatest) or 1 (mean)")
    pool = _Pool(
        op,
        x,
        data_format,
        formats[0],
        window,
        stride,
        pad,
        "",
        ceil_mode == 0,
        global_pooling,
        dilation,
    )
    made = _greatest(pool.x, pool.window) if mode == 0 else _means(pool.x, pool.window, True)
    return pool.result(made)


@kernel("GlobalAveragePool", source="CANN GlobalAveragePool, ONNX GlobalAveragePool-1, of NCHW")
def _global_average_pool(x: Array, *, formats: Formats) -> Array:
    if formats[0] not in (None, "NCHW", "NCDHW", "ND"):
        raise UnsupportedError(f"GlobalAveragePool: layout {formats[0]} is not supported; NCHW is")
    return narrow(wide(x).mean(tuple(range(2, x.ndim)), keepdims=True), x.dtype)


def _adaptive(op: str, x: Array, output_size: list[int]) -> list[list[slice]]:
    size = integers(output_size)
    if x.ndim < 2 or len(size) != 2:
        raise ValueError(f"{op}: output_size needs two numbers, and x two dimensions")
    return [
        [slice(i * n // m, -(-(i + 1) * n // m)) for i in range(m)]
        for n, m in zip(x.shape[-2:], size, strict=True)
    ]


@kernel("AdaptiveAvgPool2d", source="CANN AdaptiveAvgPool2d, PyTorch adaptive_avg_pool2d")
def _adaptive_avg(x: Array, *, output_size: list[int]) -> Array:
    rows, columns = _adaptive("AdaptiveAvgPool2d", x, output_size)
    y = wide(x)
    made = [[y[..., r, c].mean((-2, -1)) for c in columns] for r in rows]
    return narrow(np.moveaxis(np.array(made), (0, 1), (-2, -1)), x.dtype)


@kernel("AdaptiveMaxPool2d", source="CANN AdaptiveMaxPool2d, PyTorch adaptive_max_pool2d")
def _adaptive_max(x: Array, *, output_size: list[int]) -> list[Array]:
    rows, columns = _adaptive("AdaptiveMaxPool2d", x, output_size)
    y = wide(x)
    values, places = [], []
    for r in rows:
        for c in columns:
            part = y[..., r, c]
            flat = part.reshape(*y.shape[:-2], -1)
            best = flat.argmax(-1)
            values.append(flat.max(-1))
            at = (r.start + best // part.shape[-1]) * x.shape[-1] + c.start + best % part.shape[-1]
            places.append(at)
    shape = (*x.shape[:-2], len(rows), len(columns))
    return [
        narrow(np.stack(values, -1).reshape(shape), x.dtype),
        narrow(np.stack(places, -1).reshape(shape), np.dtype(np.int32)),
    ]


@kernel("Dilation2D", source="CANN Dilation2D, TensorFlow dilation2d")
def _dilation2d(
    x: Array,
    filter: Array,
    *,
    strides: list[int],
    rates: list[int],
    padding_mode: str,
    pads: list[int],
    ceil_mode: bool,
    data_format: str,
    formats: Formats,
) -> Array:
    op = "Dilation2D"
    is_last = check_format(op, data_format, formats[0])
    weights = wide(np.moveaxis(filter, -1, 0) if is_last else filter)
    mode = _padding(op, padding_mode, _MODES)
    sizes = list(weights.shape[1:])
    pool = _Pool(
        op, x, data_format, formats[0], sizes, strides, pads, mode, ceil_mode, False, rates
    )
    y = wide(pool.x)
    view = windows(y, pool.window, _least(y.dtype))
    return pool.result((view + weights.reshape(1, -1, 1, 1, *sizes)).max((-2, -1)))


# --- Gradients ---


def _spread(pool: _Pool, shares: Array) -> Array:
    """Sum shares of windows, ``[N, C, *counts, *kernel]``, where they lie."""
    window = pool.window
    sizes = pool.x.shape[2:]
    pads = window.pads(sizes)
    made = np.zeros(
        (*pool.x.shape[:2], *[n + a + b for n, (a, b) in zip(sizes, pads, strict=True)])
    )
    counts = window.counts(sizes)
    for tap in np.ndindex(*window.kernel):
        place = tuple(
            slice(t * d, t * d + (n - 1) * s + 1, s)
            for t, d, n, s in zip(tap, window.dilations, counts, window.strides, strict=True)
        )
        made[(slice(None), slice(None), *place)] += shares[(..., *tap)]
    cut = tuple(slice(a, a + n) for n, (a, _) in zip(sizes, pads, strict=True))
    return made[(slice(None), slice(None), *cut)]


@kernel("AvgPoolGrad", source="CANN AvgPoolGrad, gradient of TensorFlow avg_pool")
def _avg_pool_grad(
    orig_input_shape: Array,
    input_grad: Array,
    *,
    ksize: list[int],
    strides: list[int],
    padding: str,
    data_format: str,
    formats: Formats,
) -> Array:
    op = "AvgPoolGrad"
    x = np.zeros(integers(orig_input_shape), input_grad.dtype)
    pool = _Pool(op, x, data_format, formats[1], ksize, strides, (), _padding(op, padding))
    grad = wide(to_channels_first(input_grad, pool.is_last))
    sizes = windows(np.ones((1, 1, *pool.x.shape[2:])), pool.window)
    shares = (grad / sizes.sum((-2, -1)))[..., None, None]
    return pool.result(_spread(pool, np.broadcast_to(shares, (*grad.shape, *pool.window.kernel))))


def _to_greatest(pool: _Pool, grad: Array) -> Array:
    y = wide(pool.x)
    view = windows(y, pool.window, _least(y.dtype))
    flat = view.reshape(*view.shape[:4], -1)
    is_first = flat.argmax(-1)[..., None] == np.arange(flat.shape[-1])
    shares = is_first.reshape(view.shape) * wide(grad)[..., None, None]
    return pool.result(_spread(pool, shares))


@kernel("MaxPoolGrad", source="CANN MaxPoolGrad; of equal elements the first gets the gradient")
def _max_pool_grad(
    x1: Array,
    x2: Array,
    grad: Array,
    *,
    ksize: list[int],
    strides: list[int],
    padding: str,
    data_format: str,
    formats: Formats,
) -> Array:
    op = "MaxPoolGrad"
    pool = _Pool(op, x1, data_format, formats[0], ksize, strides, (), _padding(op, padding))
    return _to_greatest(pool, to_channels_first(grad, pool.is_last))


@kernel("MaxPoolV3Grad", source="CANN MaxPoolV3Grad; of equal elements the first gets the gradient")
def _max_pool_v3_grad(
    orig_input: Array,
    orig_output: Array,
    grad: Array,
    *,
    ksize: list[int],
    strides: list[int],
    padding_mode: str,
    pads: list[int],
    data_format: str,
    global_pooling: bool,
    ceil_mode: bool,
    formats: Formats,
) -> Array:
    op = "MaxPoolV3Grad"
    mode = _padding(op, padding_mode, _MODES)
    pool = _Pool(
        op,
        orig_input,
        data_format,
        formats[0],
        ksize,
        strides,
        pads,
        mode,
        ceil_mode,
        global_pooling,
    )
    return _to_greatest(pool, to_channels_first(grad, pool.is_last))
