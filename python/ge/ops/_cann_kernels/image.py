"""Resizing of images, and the choice of boxes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._table import Array, UnsupportedError, integers, is_float, kernel, narrow, number, wide
from .blocks import from_channels_first, to_channels_first

__all__: list[str] = []

Formats = Sequence["str | None"]


def _source(
    at: Any, scale: float, size: int, wanted: float, roi: tuple[float, float], mode: str
) -> Any:
    """Return coordinates in the image of coordinates in the result."""
    if mode == "half_pixel":
        return (at + 0.5) / scale - 0.5
    if mode == "half_pixel_symmetric":
        adjusted = (size / 2) * (1 - math.floor(wanted) / wanted) if wanted else 0.0
        return adjusted + (at + 0.5) / scale - 0.5
    if mode == "pytorch_half_pixel":
        return (at + 0.5) / scale - 0.5 if wanted > 1 else np.zeros_like(at)
    if mode == "align_corners":
        return at * (size - 1) / (wanted - 1) if wanted > 1 else np.zeros_like(at)
    if mode == "asymmetric":
        return at / scale
    if mode == "tf_crop_and_resize":
        if wanted > 1:
            return roi[0] * (size - 1) + at * (roi[1] - roi[0]) * (size - 1) / (wanted - 1)
        return np.full_like(at, 0.5 * (roi[0] + roi[1]) * (size - 1))
    raise UnsupportedError(f"Resize: coordinate_transformation_mode '{mode}' is not supported")


_NEAREST: dict[str, Callable[[Any], Any]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


def _cubic(distance: Any, a: float) -> Any:
    d = np.abs(distance)
    near = (a + 2) * d**3 - (a + 3) * d**2 + 1
    far = a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0.0))


def _weights(source: Any, size: int, mode: str, nearest: str, a: float, excludes: bool) -> Array:
    """Return the matrix that makes a dimension of the result from one of the image."""
    made = np.zeros((source.size, size))
    rows = np.arange(source.size)
    if mode == "nearest":
        if nearest not in _NEAREST:
            raise UnsupportedError(f"Resize: nearest_mode '{nearest}' is not supported")
        made[rows, np.clip(_NEAREST[nearest](source), 0, size - 1).astype(np.int64)] = 1
        return made
    base = np.floor(source)
    taps = range(2) if mode == "linear" else range(-1, 3)
    for tap in taps:
        place = base + tap
        distance = source - place
        weight = np.maximum(1 - np.abs(distance), 0) if mode == "linear" else _cubic(distance, a)
        if excludes:
            weight = np.where((place < 0) | (place >= size), 0.0, weight)
        np.add.at(made, (rows, np.clip(place, 0, size - 1).astype(np.int64)), weight)
    return made / made.sum(1, keepdims=True) if excludes else made


@kernel("Resize", source="CANN Resize, ONNX Resize-11")
def _resize(
    x: Array,
    roi: Array | None,
    scales: Array | None,
    sizes: Array | None,
    *,
    coordinate_transformation_mode: str,
    cubic_coeff_a: float,
    exclude_outside: int,
    extrapolation_value: float,
    mode: str,
    nearest_mode: str,
) -> Array:
    if mode not in ("nearest", "linear", "cubic"):
        raise UnsupportedError(f"Resize: mode '{mode}' is not nearest, linear or cubic")
    if sizes is not None and sizes.size:
        wanted = integers(sizes)
        if len(wanted) != x.ndim:
            raise ValueError(f"Resize: {len(wanted)} sizes for {x.ndim} dimensions")
        factors = [w / n if n else 1.0 for w, n in zip(wanted, x.shape, strict=True)]
        exact = [float(w) for w in wanted]
    elif scales is not None and scales.size:
        factors = [float(s) for s in wide(scales).tolist()]
        if len(factors) != x.ndim:
            raise ValueError(f"Resize: {len(factors)} scales for {x.ndim} dimensions")
        exact = [n * f for n, f in zip(x.shape, factors, strict=True)]
        wanted = [math.floor(n) for n in exact]
    else:
        raise ValueError("Resize: scales or sizes are needed")
    areas = [(0.0, 1.0)] * x.ndim
    if coordinate_transformation_mode == "tf_crop_and_resize":
        if roi is None or roi.size != 2 * x.ndim:
            raise ValueError("Resize: tf_crop_and_resize needs roi, two numbers for each dimension")
        given = wide(roi).tolist()
        areas = list(zip(given[: x.ndim], given[x.ndim :], strict=True))
    made = wide(x).astype(np.float64)
    outside = np.zeros((1,) * x.ndim, np.bool_)
    for axis, (n, w) in enumerate(zip(x.shape, wanted, strict=True)):
        if factors[axis] == 1 and n == w and areas[axis] == (0.0, 1.0):
            continue
        source = np.asarray(
            _source(
                np.arange(w, dtype=np.float64),
                factors[axis],
                n,
                exact[axis],
                areas[axis],
                coordinate_transformation_mode,
            )
        )
        if coordinate_transformation_mode == "tf_crop_and_resize":
            beyond = (source < 0) | (source > n - 1)
            outside = outside | beyond.reshape([-1 if i == axis else 1 for i in range(x.ndim)])
        matrix = _weights(source, n, mode, nearest_mode, cubic_coeff_a, bool(exclude_outside))
        made = np.moveaxis(np.tensordot(matrix, made, (1, axis)), 0, axis)
    if outside.any():
        made = np.where(outside, extrapolation_value, made)
    if not is_float(x.dtype):
        made = np.rint(made) if mode == "nearest" else np.trunc(made)
    return narrow(made, x.dtype)


def _two_dimensional(
    op: str, x: Array, size: Any, mode: str, corners: bool, centers: bool, layout: Any
) -> Array:
    if x.ndim != 4:
        raise ValueError(f"{op}: x must have 4 dimensions, not {x.ndim}")
    if layout not in (None, "ND", "NHWC", "NCHW"):
        raise UnsupportedError(f"{op}: layout {layout} is not supported; NHWC and NCHW are")
    if corners and centers:
        raise ValueError(f"{op}: align_corners and half_pixel_centers exclude each other")
    is_last = layout != "NCHW"
    y = to_channels_first(wide(x).astype(np.float64), is_last)
    wanted = integers(size)
    if len(wanted) != 2:
        raise ValueError(f"{op}: size needs two numbers")
    for axis, w in zip((2, 3), wanted, strict=True):
        n = y.shape[axis]
        at = np.arange(w, dtype=np.float64)
        # TensorFlow's nearest pixel with half_pixel_centers does not take the half off again.
        if mode == "nearest" and centers:
            source, nearest = (at + 0.5) * n / w, "floor"
        else:
            kind = "align_corners" if corners else "half_pixel" if centers else "asymmetric"
            source, nearest = (
                _source(at, w / n, n, w, (0.0, 1.0), kind),
                "round_prefer_ceil" if corners else "floor",
            )
        y = np.moveaxis(
            np.tensordot(_weights(np.asarray(source), n, mode, nearest, 0, False), y, (1, axis)),
            0,
            axis,
        )
    return from_channels_first(y, is_last)


@kernel("ResizeBilinearV2", source="CANN ResizeBilinearV2, TensorFlow resize_bilinear")
def _resize_bilinear(
    x: Array,
    size: Array,
    *,
    align_corners: bool,
    half_pixel_centers: bool,
    formats: Formats,
) -> Array:
    """NHWC, unless the type of x has the layout NCHW; the result is f32 for integers."""
    made = _two_dimensional(
        "ResizeBilinearV2", x, size, "linear", align_corners, half_pixel_centers, formats[0]
    )
    return narrow(made, x.dtype if is_float(x.dtype) else np.dtype(np.float32))


@kernel(
    "ResizeNearestNeighborV2",
    source="CANN ResizeNearestNeighborV2, TensorFlow resize_nearest_neighbor",
)
def _resize_nearest(
    x: Array,
    size: Array,
    *,
    align_corners: bool,
    half_pixel_centers: bool,
    formats: Formats,
) -> Array:
    """NHWC, unless the type of x has the layout NCHW."""
    made = _two_dimensional(
        "ResizeNearestNeighborV2", x, size, "nearest", align_corners, half_pixel_centers, formats[0]
    )
    return narrow(made, x.dtype)


# --- Boxes ---


def _chosen(boxes: Any, scores: Any, most: int, overlap: float, least: float | None) -> list[int]:
    """Return boxes by falling score, without those that overlap an earlier one by more than a share."""
    low = np.minimum(boxes[:, :2], boxes[:, 2:])
    high = np.maximum(boxes[:, :2], boxes[:, 2:])
    areas = np.prod(high - low, 1)
    kept: list[int] = []
    for i in np.argsort(-scores, kind="stable").tolist():
        if len(kept) >= most or (least is not None and not scores[i] > least):
            break
        extent = np.minimum(high[i], high[kept]) - np.maximum(low[i], low[kept])
        shared = np.prod(np.maximum(extent, 0), 1)
        union = areas[i] + areas[kept] - shared
        if not (shared > overlap * union).any():
            kept.append(i)
    return kept


@kernel("NonMaxSuppressionV3", source="CANN NonMaxSuppressionV3, TensorFlow non_max_suppression_v3")
def _nms_v3(
    boxes: Array,
    scores: Array,
    max_output_size: Array,
    iou_threshold: Array,
    score_threshold: Array,
    *,
    offset: int,
) -> Array:
    if offset:
        raise UnsupportedError(f"NonMaxSuppressionV3: offset={offset} is not supported")
    overlap, least = (float(wide(v).reshape(())) for v in (iou_threshold, score_threshold))
    kept = _chosen(wide(boxes), wide(scores), number(max_output_size), overlap, least)
    return np.array(kept, np.int32)


@kernel(
    "NonMaxSuppressionV6",
    source="CANN NonMaxSuppressionV6, ONNX NonMaxSuppression-11",
    ignores=("max_boxes_size",),
)
def _nms_v6(
    boxes: Array,
    scores: Array,
    max_output_size: Array | None,
    iou_threshold: Array | None,
    score_threshold: Array | None,
    index_id: Array | None,
    *,
    center_point_box: int,
) -> Array:
    """Rows of batch, class and box."""
    if index_id is not None:
        raise UnsupportedError("NonMaxSuppressionV6: operand 'index_id' is not supported")
    corners = wide(boxes)
    if center_point_box:
        middle, half = corners[..., :2], corners[..., 2:] / 2
        corners = np.concatenate([middle - half, middle + half], -1)
    most = 0 if max_output_size is None else number(max_output_size)
    overlap = 0.0 if iou_threshold is None else float(wide(iou_threshold).reshape(()))
    least = None if score_threshold is None else float(wide(score_threshold).reshape(()))
    rows = [
        (batch, kind, box)
        for batch, kind in itertools.product(range(scores.shape[0]), range(scores.shape[1]))
        for box in _chosen(corners[batch], wide(scores)[batch, kind], most, overlap, least)
    ]
    return np.array(rows, np.int32).reshape(-1, 3)
