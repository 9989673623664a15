"""What passes its operand on, and writes to variables: the result is what the variable holds afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._table import Array, kernel, rounded, wide

__all__: list[str] = []


@kernel("Identity", "TensorMove", "Snapshot", "StopGradient", source="CANN Identity: the operand")
@kernel("PreventGradient", source="CANN PreventGradient: the operand", ignores=("message",))
@kernel("IdentityN", source="CANN IdentityN: the operands")
def _identity(x: Any) -> Any:
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


@rounded("AssignAdd", source="CANN AssignAdd", ignores=("use_locking",), writes=True)
def _assign_add(ref: Array, value: Array) -> Any:
    return ref + value


@rounded("AssignSub", source="CANN AssignSub", ignores=("use_locking",), writes=True)
def _assign_sub(var: Array, value: Array) -> Any:
    return var - value
