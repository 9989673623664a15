"""Insertion points left as they were found, whatever came between.

An interrupt may come where a ``with`` of Python code is entered but not yet watched, or about to be left.
"""

from typing import Any

from .._mlir_like._cext_loader import load

__all__ = ["current_point", "leave_to"]

_ir = load("ir")


def current_point() -> Any:
    """Return the insertion point of this thread or task; None: there is none."""
    try:
        return _ir.InsertionPoint.current
    except ValueError:
        return None


def leave_to(point: Any) -> None:
    """Leave the insertion points that were entered since `point` was the current one."""
    while (now := current_point()) is not point and now is not None:
        from ..es._builder import leave

        leave(now)
