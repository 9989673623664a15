"""Products of matrices, diagonals and triangles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._table import Array, UnsupportedError, element_type, kernel, narrow, number, wide

__all__ = ["accumulated", "no_offsets"]


def accumulated(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of the sum of products: of 8-bit and smaller integers int32."""
    return np.dtype(np.int32) if dtype.name in ("int8", "uint8", "int4") else dtype


def no_offsets(op: str, offset_w: Array | None, offset_x: int) -> None:
    """Refuse offsets of quantised operands.

    Raises
    ------
    UnsupportedError
    """
    if offset_w is not None:
        raise UnsupportedError(f"{op}: operand 'offset_w' is not supported")
    if offset_x:
        raise UnsupportedError(f"{op}: offset_x={offset_x} is not supported")


def _whole(x: Array) -> Array:
    """Integers with room for sums of products."""
    y = wide(x)
    return y.astype(np.int64) if y.dtype.kind in "iu" else y


def _turned(x: Array, turns: bool) -> Array:
    return np.swapaxes(_whole(x), -1, -2) if turns else _whole(x)


def _product(op: str, a: Array, b: Array, turns: tuple[bool, bool], bias: Array | None) -> Array:
    if a.dtype != b.dtype:
        raise ValueError(f"{op}: operands have different types: {a.dtype} and {b.dtype}")
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError(
            f"{op}: operands must be matrices, not {list(a.shape)} and {list(b.shape)}"
        )
    made = np.matmul(_turned(a, turns[0]), _turned(b, turns[1]))
    if bias is not None:
        made = made + _whole(bias)
    return narrow(made, accumulated(a.dtype))


@kernel("MatMul", source="CANN MatMul")
def _matmul(
    x1: Array,
    x2: Array,
    bias: Array | None,
    *,
    transpose_x1: bool,
    transpose_x2: bool,
) -> Array:
    return _product("MatMul", x1, x2, (transpose_x1, transpose_x2), bias)


@kernel("MatMulV2", source="CANN MatMulV2")
@kernel("MatMulV3", source="CANN MatMulV3", ignores=("opImplMode",))
def _matmul_v2(
    x1: Array,
    x2: Array,
    bias: Array | None,
    offset_w: Array | None,
    *,
    transpose_x1: bool,
    transpose_x2: bool,
    offset_x: int,
    op: str,
) -> Array:
    no_offsets(op, offset_w, offset_x)
    return _product(op, x1, x2, (transpose_x1, transpose_x2), bias)


@kernel("BatchMatMul", source="CANN BatchMatMul, NumPy matmul")
def _batch_matmul(x1: Array, x2: Array, *, adj_x1: bool, adj_x2: bool) -> Array:
    return _product("BatchMatMul", x1, x2, (adj_x1, adj_x2), None)


@kernel("BatchMatMulV2", source="CANN BatchMatMulV2, NumPy matmul")
@kernel("BatchMatMulV3", source="CANN BatchMatMulV3, NumPy matmul", ignores=("enable_hf32",))
def _batch_matmul_v2(
    x1: Array,
    x2: Array,
    bias: Array | None,
    offset_w: Array | None,
    *,
    adj_x1: bool,
    adj_x2: bool,
    offset_x: int,
    op: str,
) -> Array:
    no_offsets(op, offset_w, offset_x)
    return _product(op, x1, x2, (adj_x1, adj_x2), bias)


@kernel("GEMM", source="CANN GEMM: alpha * a @ b + beta * c")
def _gemm(
    a: Array,
    b: Array,
    c: Array,
    alpha: Array,
    beta: Array,
    *,
    transpose_a: bool,
    transpose_b: bool,
) -> Array:
    product = np.matmul(_turned(a, transpose_a), _turned(b, transpose_b))
    made = wide(alpha).reshape(()) * product + wide(beta).reshape(()) * wide(c)
    return narrow(made, accumulated(a.dtype))


@kernel(
    "FullyConnection", source="CANN FullyConnection; weights as Caffe InnerProduct: [num_output, K]"
)
def _fully_connection(
    x: Array,
    w: Array,
    b: Array | None,
    offset_w: Array | None,
    *,
    num_output: int,
    transpose: bool,
    axis: int,
    offset_x: int,
) -> Array:
    no_offsets("FullyConnection", offset_w, offset_x)
    if axis not in (1, 2) or x.ndim < axis:
        raise ValueError(f"FullyConnection: axis {axis} is not 1 or 2, or x lacks it")
    rows = _whole(x).reshape(*x.shape[:axis], math.prod(x.shape[axis:]))
    weights = _whole(w).reshape(w.shape[0], -1)
    weights = weights if transpose else weights.T
    if weights.shape != (rows.shape[-1], num_output):
        raise ValueError(
            f"FullyConnection: weights {list(w.shape)} do not make {num_output} of {rows.shape[-1]} numbers"
            f" with transpose={bool(transpose)}"
        )
    made = rows @ weights
    return narrow(made if b is None else made + _whole(b).reshape(-1), accumulated(x.dtype))


@kernel("Einsum", source="CANN Einsum, NumPy einsum", ignores=("N",))
def _einsum(x: list[Array], *, equation: str) -> Array:
    return narrow(np.einsum(equation.replace(" ", ""), *map(_whole, x)), x[0].dtype)


# --- Diagonals and triangles ---


@kernel("Diag", source="CANN Diag: x on the diagonal of twice its dimensions")
def _diag(x: Array) -> Array:
    return np.diag(x.reshape(-1)).reshape(x.shape * 2) if x.size else np.zeros(x.shape * 2, x.dtype)


@kernel("DiagPart", source="CANN DiagPart")
def _diag_part(x: Array) -> Array:
    half = x.shape[: x.ndim // 2]
    if x.ndim % 2 or half != x.shape[x.ndim // 2 :]:
        raise ValueError(f"DiagPart: {list(x.shape)} is not twice the same dimensions")
    count = math.prod(half)
    return np.diagonal(x.reshape(count, count)).reshape(half)


@kernel("MatrixDiag", source="CANN MatrixDiag")
def _matrix_diag(x: Array) -> Array:
    made = np.zeros((*x.shape, x.shape[-1]), x.dtype)
    at = np.arange(x.shape[-1])
    made[..., at, at] = x
    return made


@kernel("MatrixDiagPart", source="CANN MatrixDiagPart")
def _matrix_diag_part(x: Array) -> Array:
    return np.diagonal(x, 0, -2, -1)


@kernel("MatrixSetDiag", source="CANN MatrixSetDiag")
def _matrix_set_diag(x: Array, diagonal: Array) -> Array:
    made = x.copy()
    at = np.arange(min(x.shape[-2:]))
    made[..., at, at] = diagonal
    return made


@kernel("MatrixBandPart", source="CANN MatrixBandPart")
def _matrix_band_part(x: Array, num_lower: Array, num_upper: Array) -> Array:
    lower, upper = number(num_lower), number(num_upper)
    rows, columns = np.ogrid[: x.shape[-2], : x.shape[-1]]
    stays = ((lower < 0) | (rows - columns <= lower)) & ((upper < 0) | (columns - rows <= upper))
    return np.where(stays, x, np.zeros((), x.dtype))


@kernel("Tril", source="CANN Tril")
def _tril(x: Array, *, diagonal: int) -> Array:
    return np.tril(x, diagonal)


@kernel("Triu", source="CANN Triu")
def _triu(x: Array, *, diagonal: int) -> Array:
    return np.triu(x, diagonal)


@kernel("Eye", source="CANN Eye")
def _eye(
    *,
    num_rows: int,
    num_columns: int,
    batch_shape: list[int],
    dtype: Any,
) -> Array:
    one = np.eye(num_rows, num_columns or num_rows).astype(element_type(dtype))
    return np.broadcast_to(one, (*batch_shape, *one.shape)).copy()
