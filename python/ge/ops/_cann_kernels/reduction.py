"""Reductions, arg-reductions, running sums and segments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._table import Array, axes_of, axis_of, element_type, is_float, kernel, narrow, number, wide

__all__: list[str] = []

Reduce = Callable[[Array, "tuple[int, ...]", bool], Any]


def _lowest(dtype: np.dtype[Any]) -> Any:
    if dtype.kind in "iu":
        return np.iinfo(dtype).min
    return False if dtype.kind == "b" else -np.inf


def _highest(dtype: np.dtype[Any]) -> Any:
    if dtype.kind in "iu":
        return np.iinfo(dtype).max
    return True if dtype.kind == "b" else np.inf


def _mean(x: Array, axes: tuple[int, ...], keep: bool) -> Any:
    count = int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
    total = x.sum(axes, keepdims=keep)
    return np.asarray(total) / count if count or is_float(x.dtype) else np.zeros_like(total)


def _log_sum_exp(x: Array, axes: tuple[int, ...], keep: bool) -> Any:
    top = x.max(axes, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    made = np.log(np.exp(x - top).sum(axes, keepdims=True)) + top
    return made if keep else np.squeeze(made, axes)


_REDUCTIONS: dict[str, Reduce] = {
    "Sum": lambda x, axes, keep: x.sum(axes, keepdims=keep),
    "Mean": _mean,
    "Max": lambda x, axes, keep: x.max(axes, keepdims=keep, initial=_lowest(x.dtype)),
    "Min": lambda x, axes, keep: x.min(axes, keepdims=keep, initial=_highest(x.dtype)),
    "Prod": lambda x, axes, keep: x.prod(axes, keepdims=keep),
}
_LOGICAL: dict[str, Reduce] = {
    "All": lambda x, axes, keep: x.all(axes, keepdims=keep),
    "Any": lambda x, axes, keep: x.any(axes, keepdims=keep),
}
_FLOATS: dict[str, Reduce] = {
    "ReduceLogSum": lambda x, axes, keep: np.log(x.sum(axes, keepdims=keep)),
    "EuclideanNorm": lambda x, axes, keep: np.sqrt(np.square(x).sum(axes, keepdims=keep)),
}


def _reduced(reduce: Reduce, x: Array, axes: Any, keep: bool, is_noop: bool) -> Array:
    wanted = axes_of(axes, x.ndim)
    if not wanted:
        if is_noop:
            return x
        wanted = tuple(range(x.ndim))
    return narrow(reduce(wide(x), wanted, keep), x.dtype)


def _add(op: str, reduce: Reduce) -> None:
    def run(x: Array, axes: Any, *, keep_dims: bool) -> Array:
        return _reduced(reduce, x, axes, keep_dims, False)

    kernel(op, source=f"CANN {op}")(run)


def _add_with_noop(op: str, reduce: Reduce) -> None:
    def run(x: Array, axes: Any, *, keep_dims: bool, noop_with_empty_axes: bool) -> Array:
        return _reduced(reduce, x, axes, keep_dims, noop_with_empty_axes)

    kernel(op, source=f"CANN {op}; noop_with_empty_axes as in ONNX since 18")(run)


for _name, _reduce in _REDUCTIONS.items():
    _add_with_noop(f"Reduce{_name}", _reduce)
    if _name != "Mean":
        _add(f"Reduce{_name}D", _reduce)
for _name, _reduce in _LOGICAL.items():
    _add(f"Reduce{_name}", _reduce)
    _add(f"Reduce{_name}D", _reduce)
for _name, _reduce in _FLOATS.items():
    _add(_name, _reduce)
_add_with_noop("ReduceMeanD", _mean)
_add_with_noop("ReduceLogSumExp", _log_sum_exp)


@kernel("ReduceStd", source="CANN ReduceStd: standard deviation and mean")
def _reduce_std(
    x: Array,
    *,
    dim: list[int],
    unbiased: bool,
    keepdim: bool,
) -> list[Array]:
    axes = axes_of(dim, x.ndim) or tuple(range(x.ndim))
    y = wide(x)
    deviation = y.std(axes, ddof=int(unbiased), keepdims=keepdim)
    return [narrow(deviation, x.dtype), narrow(y.mean(axes, keepdims=keepdim), x.dtype)]


@kernel("LpNorm", source="CANN LpNorm; p of 2147483647 and -2147483648 are the infinities")
def _lp_norm(
    x: Array,
    *,
    p: int,
    axes: list[int],
    keepdim: bool,
    epsilon: float,
) -> Array:
    along = axes_of(axes, x.ndim) or tuple(range(x.ndim))
    size = np.abs(wide(x))
    if p == 2147483647:
        made = size.max(along, keepdims=keepdim)
    elif p == -2147483648:
        made = size.min(along, keepdims=keepdim)
    elif p == 0:
        made = (size != 0).sum(along, keepdims=keepdim)
    else:
        made = np.power(np.power(size, p).sum(along, keepdims=keepdim), 1 / p)
    return narrow(np.maximum(made, epsilon), x.dtype)


# --- The place of the greatest ---


def _place(x: Array, axis: int, find: Callable[..., Any]) -> Any:
    if x.shape[axis] == 0:
        raise ValueError(f"dimension {axis} has no elements, so none is the greatest")
    return find(wide(x), axis)


_FIND = {"Max": np.argmax, "Min": np.argmin}


@kernel("ArgMaxV2", "ArgMin", source="CANN ArgMaxV2, ArgMin; of equal elements the first")
def _arg(x: Array, dimension: Array, *, dtype: Any, op: str) -> Array:
    axis = axis_of(dimension, x.ndim, "dimension")
    return narrow(_place(x, axis, _FIND[op[3:6]]), element_type(dtype))


@kernel("ArgMaxWithValue", "ArgMinWithValue", source="CANN ArgMaxWithValue, ArgMinWithValue")
def _with_value(
    x: Array, *, dimension: int, keep_dims: bool, indice_dtype: Any, op: str
) -> list[Array]:
    axis = axis_of(dimension, x.ndim, "dimension")
    places = np.expand_dims(_place(x, axis, _FIND[op[3:6]]), axis)
    values = np.take_along_axis(x, places, axis)
    if not keep_dims:
        places, values = places.squeeze(axis), values.squeeze(axis)
    return [narrow(places, element_type(indice_dtype)), values]


# --- Running sums ---


def _running(
    x: Array, at: Any, exclusive: bool, reverse: bool, add: Callable[..., Any], neutral: float
) -> Array:
    axis = axis_of(at, x.ndim)
    y = wide(x)
    y = np.flip(y, axis) if reverse else y
    made = add(y, axis=axis, dtype=y.dtype)
    if exclusive:
        first = np.full_like(np.take(y, [0] if y.shape[axis] else [], axis), neutral)
        made = np.concatenate([first, np.take(made, range(max(y.shape[axis] - 1, 0)), axis)], axis)
    return narrow(np.flip(made, axis) if reverse else made, x.dtype)


@kernel("Cumsum", "CumsumD", source="CANN Cumsum, CumsumD; ONNX CumSum-14")
def _cumsum(x: Array, axis: Any, *, exclusive: bool, reverse: bool) -> Array:
    return _running(x, axis, exclusive, reverse, np.add.accumulate, 0)


@kernel("Cumprod", source="CANN Cumprod")
def _cumprod(x: Array, axis: Array, *, exclusive: bool, reverse: bool) -> Array:
    return _running(x, axis, exclusive, reverse, np.multiply.accumulate, 1)


@kernel(
    "CumulativeLogsumexp", source="CANN CumulativeLogsumexp; exclusive begins with the least number"
)
def _cumulative_log(x: Array, axis: Array, *, exclusive: bool, reverse: bool) -> Array:
    import ml_dtypes

    least = float(ml_dtypes.finfo(x.dtype).min)  # type: ignore[no-untyped-call]
    return _running(x, axis, exclusive, reverse, np.logaddexp.accumulate, least)


# --- Segments ---


def _sorted_ids(op: str, x: Array, ids: Array) -> Array:
    if ids.ndim != 1 or x.ndim < 1 or ids.size != x.shape[0]:
        raise ValueError(f"{op}: segment_ids must have one number for each of the rows")
    if (np.diff(ids) < 0).any() or (ids < 0).any():
        raise ValueError(f"{op}: segment_ids must ascend from 0 or more")
    return ids.astype(np.int64)


@kernel("SegmentSum", source="CANN SegmentSum; a segment without rows is 0")
def _segment_sum(x: Array, segment_ids: Array) -> Array:
    ids = _sorted_ids("SegmentSum", x, segment_ids)
    made = np.zeros((int(ids[-1]) + 1 if ids.size else 0, *x.shape[1:]), wide(x).dtype)
    np.add.at(made, ids, wide(x))
    return narrow(made, x.dtype)


@kernel("SegmentMax", source="CANN SegmentMax; a segment without rows is 0")
def _segment_max(x: Array, segment_ids: Array) -> Array:
    ids = _sorted_ids("SegmentMax", x, segment_ids)
    y = wide(x)
    made = np.full((int(ids[-1]) + 1 if ids.size else 0, *x.shape[1:]), _lowest(y.dtype), y.dtype)
    np.maximum.at(made, ids, y)
    made[np.setdiff1d(np.arange(len(made)), ids)] = 0
    return narrow(made, x.dtype)


@kernel(
    "UnsortedSegmentSum",
    source="CANN UnsortedSegmentSum; rows of negative segments do not count",
    ignores=("is_preprocessed", "check_ids"),
)
def _unsorted_segment_sum(x: Array, segment_ids: Array, num_segments: Array) -> Array:
    if segment_ids.shape != x.shape[: segment_ids.ndim]:
        raise ValueError("UnsortedSegmentSum: segment_ids must have the first dimensions of x")
    count = number(num_segments)
    ids = segment_ids.reshape(-1).astype(np.int64)
    if (ids >= count).any():
        raise IndexError(f"UnsortedSegmentSum: segment {ids.max()} is outside the {count} segments")
    rows = wide(x).reshape(ids.size, *x.shape[segment_ids.ndim :])
    made = np.zeros((count, *rows.shape[1:]), rows.dtype)
    np.add.at(made, ids[ids >= 0], rows[ids >= 0])
    return narrow(made, x.dtype)
