"""Gather and scatter."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ._table import Array, UnsupportedError, axis_of, integers, kernel, narrow, wide

__all__: list[str] = []


def _inside(op: str, indices: Array, size: int, counts_back: bool) -> Array:
    """Return indices from the front; those outside are an error, and so are negative ones unless they count back."""
    found = indices.astype(np.int64)
    low = -size if counts_back else 0
    if found.size and (found.min() < low or found.max() >= size):
        wrong = found[(found < low) | (found >= size)].flat[0]
        raise IndexError(f"{op}: index {wrong} is outside [{low}, {size})")
    return np.where(found < 0, found + size, found)


def _gather(
    op: str, x: Array, indices: Array, at: Any, batch_dims: int, counts_back: bool
) -> Array:
    axis = axis_of(at, x.ndim)
    batch = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    if not 0 <= batch <= min(indices.ndim, axis) or x.shape[:batch] != indices.shape[:batch]:
        raise ValueError(
            f"{op}: batch_dims {batch_dims} does not fit x {list(x.shape)}, indices {list(indices.shape)}"
        )
    places = _inside(op, indices, x.shape[axis], counts_back)
    if not batch:
        return np.take(x, places, axis)
    lead = math.prod(x.shape[:batch])
    rows = x.reshape(lead, *x.shape[batch:])
    wanted = places.reshape(lead, *indices.shape[batch:])
    shape = x.shape[:axis] + indices.shape[batch:] + x.shape[axis + 1 :]
    made = [np.take(row, index, axis - batch) for row, index in zip(rows, wanted, strict=True)]
    return np.array(made, x.dtype).reshape(shape)


@kernel("Gather", source="CANN Gather", ignores=("validate_indices", "is_preprocessed"))
def _gather_rows(
    x: Array, indices: Array, *, batch_dims: int, negative_index_support: bool
) -> Array:
    at = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    return _gather("Gather", x, indices, at, batch_dims, negative_index_support)


@kernel("GatherV2", source="CANN GatherV2, ONNX Gather-13", ignores=("is_preprocessed",))
def _gather_v2(
    x: Array,
    indices: Array,
    axis: Array,
    *,
    batch_dims: int,
    negative_index_support: bool,
) -> Array:
    return _gather("GatherV2", x, indices, axis, batch_dims, negative_index_support)


@kernel("GatherV2D", source="CANN GatherV2D, ONNX Gather-13")
def _gather_v2_d(x: Array, indices: Array, *, axis: int) -> Array:
    return _gather("GatherV2D", x, indices, axis, 0, False)


def _points(op: str, indices: Array, shape: tuple[int, ...], counts_back: bool = False) -> Any:
    """Return what NumPy indexes with, of places in the last dimension."""
    depth = indices.shape[-1] if indices.ndim else 0
    if indices.ndim == 0 or depth > len(shape):
        raise ValueError(f"{op}: places of {depth} numbers in {len(shape)} dimensions")
    return tuple(_inside(op, indices[..., i], shape[i], counts_back) for i in range(depth))


@kernel("GatherNd", source="CANN GatherNd, ONNX GatherND-13")
def _gather_nd(x: Array, indices: Array, *, negative_index_support: bool) -> Array:
    places = _points("GatherNd", indices, x.shape, negative_index_support)
    if not places:
        return np.broadcast_to(x, indices.shape[:-1] + x.shape).copy()
    return np.asarray(x[places])


@kernel("GatherElements", source="CANN GatherElements, ONNX GatherElements-13")
def _gather_elements(x: Array, index: Array, *, dim: int) -> Array:
    axis = axis_of(dim, x.ndim, "dim")
    return np.asarray(x[_along(_inside("GatherElements", index, x.shape[axis], True), axis)])


def _along(places: Array, axis: int) -> tuple[Any, ...]:
    """Return an index that has `places` in one dimension and counts in the others."""
    grid: list[Any] = list(np.ogrid[tuple(slice(n) for n in places.shape)])
    grid[axis] = places
    return tuple(grid)


@kernel("Index", source="CANN Index, NumPy's x[i, j]")
def _index(x: Array, indexed_sizes: Array, indexed_strides: Array, indices: list[Array]) -> Array:
    marks = integers(indexed_sizes)
    if len(marks) > x.ndim or sum(m != 0 for m in marks) != len(indices):
        raise ValueError(
            f"Index: {len(indices)} indices, but indexed_sizes is {marks} for {x.ndim} dimensions"
        )
    each = iter(indices)
    places: list[Any] = []
    for axis, mark in enumerate(marks):
        if not mark:
            places.append(slice(None))
            continue
        index = next(each)
        places.append(
            index if index.dtype.kind == "b" else _inside("Index", index, x.shape[axis], True)
        )
    return np.asarray(x[tuple(places)])


# --- Scatter ---

_COMBINE: dict[str, Callable[..., Any]] = {
    "add": np.add.at,
    "sub": np.subtract.at,
    "mul": np.multiply.at,
    "div": np.divide.at,
    "max": np.maximum.at,
    "min": np.minimum.at,
}


def _scattered(x: Array, places: Any, updates: Array, how: str) -> Array:
    made = wide(x).copy()
    values = wide(updates)
    if how == "none":
        made[places] = values
    elif how == "div" and made.dtype.kind in "iu":
        whole = made.astype(np.float64)
        np.divide.at(whole, places, values)
        made = np.trunc(whole)
    else:
        _COMBINE[how](made, places, values)
    return narrow(made, x.dtype)


@kernel("ScatterNd", source="CANN ScatterNd: zeros, and updates added at places")
def _scatter_nd(indices: Array, x: Array, shape: Array) -> Array:
    made = np.zeros(integers(shape), x.dtype)
    return _scattered(made, _points("ScatterNd", indices, made.shape), x, "add")


@kernel("ScatterElements", source="CANN ScatterElements, ONNX ScatterElements-16")
def _scatter_elements(
    data: Array, indices: Array, updates: Array, *, axis: int, reduction: str
) -> Array:
    if reduction not in ("none", "add", "mul"):
        raise UnsupportedError(f"ScatterElements: reduction '{reduction}' is not none, add or mul")
    at = axis_of(axis, data.ndim)
    places = _along(_inside("ScatterElements", indices, data.shape[at], True), at)
    return _scattered(data, places, updates, reduction)


_WORDS = {"Update": "none", "Add": "add", "Sub": "sub"}
_ROW_WORDS = {**_WORDS, "Mul": "mul", "Div": "div", "Max": "max", "Min": "min"}


@kernel(
    *[f"TensorScatter{word}" for word in _WORDS],
    source="CANN TensorScatterUpdate, TensorScatterAdd, TensorScatterSub; ONNX ScatterND-18",
)
@kernel(
    *[f"ScatterNd{word}" for word in _WORDS],
    source="CANN ScatterNdUpdate, ScatterNdAdd, ScatterNdSub; ONNX ScatterND-18",
    ignores=("use_locking",),
    writes=True,
)
def _scatter_points(x: Array, indices: Array, updates: Array, *, op: str) -> Array:
    how = _WORDS[op.removeprefix("TensorScatter").removeprefix("ScatterNd")]
    return _scattered(x, _points(op, indices, x.shape), updates, how)


@kernel(
    *[f"Scatter{word}" for word in _ROW_WORDS],
    source="CANN ScatterUpdate, ScatterAdd and others: by rows of the variable",
    ignores=("use_locking",),
    writes=True,
)
def _scatter_rows(var: Array, indices: Array, updates: Array, *, op: str) -> Array:
    rows = _inside(op, indices, var.shape[0], False)
    return _scattered(var, rows, updates, _ROW_WORDS[op.removeprefix("Scatter")])
