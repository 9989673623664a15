"""``with strict():``, binding without conversions."""

from collections.abc import Iterator
from contextlib import contextmanager

from .._mlir_like._cext_loader import load

__all__ = ["strict"]

_native = load("ops")


@contextmanager
def strict(on: bool = True) -> Iterator[None]:
    """Make binding strict (or not) inside a ``with``, in the whole process.

    Parameters
    ----------
    on : bool
        No bool for an int, no single element for ``T[N]``, lengths of lists checked.
    """
    before = _native.is_strict()
    _native.set_strict(on)
    try:
        yield
    finally:
        _native.set_strict(before)
