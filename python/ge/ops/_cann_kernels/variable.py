"""What passes its operand on, and writes to variables: the result is what the variable holds afterwards."""

from __future__ import annotations

import numpy as np

from ._table import Array, kernel, narrow, wide

__all__: list[str] = []


@kernel("Identity", "TensorMove", "Snapshot", "StopGradient", source="CANN Identity: the operand")
def _identity(x: Array) -> Array:
    return x


@kernel("PreventGradient", source="CANN PreventGradient: the operand", ignores=("message",))
def _prevent_gradient(x: Array) -> Array:
    return x


@kernel("IdentityN", source="CANN IdentityN: the operands")
def _identity_n(x: list[Array]) -> list[Array]:
    return x


@kernel("CheckNumerics", source="CANN CheckNumerics: fails for infinities and NaN")
def _check_numerics(x: Array, *, message: str) -> Array:
    y = wide(x)
    if not np.isfinite(y).all():
        kind = "NaN" if np.isnan(y).any() else "infinity"
        raise ValueError(f"CheckNumerics: {message}: there is {kind}")
    return x


@kernel("Assign", source="CANN Assign", ignores=("use_locking",), writes=True)
def _assign(ref: Array, value: Array, *, validate_shape: bool) -> Array:
    if validate_shape and ref.shape != value.shape:
        raise ValueError(
            f"Assign: the variable is {list(ref.shape)}, the value {list(value.shape)}"
        )
    return value.astype(ref.dtype)


@kernel("AssignAdd", source="CANN AssignAdd", ignores=("use_locking",), writes=True)
def _assign_add(ref: Array, value: Array) -> Array:
    return narrow(wide(ref) + wide(value), ref.dtype)


@kernel("AssignSub", source="CANN AssignSub", ignores=("use_locking",), writes=True)
def _assign_sub(var: Array, value: Array) -> Array:
    return narrow(wide(var) - wide(value), var.dtype)
