"""Operators from GE's ``REG_OP(...)`` prototypes."""

import os
from typing import Any

from .._cext_loader import load

__all__ = ["import_reg_op"]

_native = load("ops")
# What was imported stays until somebody closes its library.
_kept: list[Any] = []


def import_reg_op(path: "str | os.PathLike[str]", namespace: str = "ge") -> Any:
    """Define the operators of the ``REG_OP(...)`` prototypes in a C++ header, or in a directory of them.

    Parameters
    ----------
    path : str or path
        A header, or a directory, whose ``*.h`` are read in order of their names.
    namespace : str
        Where they go: ``ge.es.<namespace>.<Op>`` builds them.

    Returns
    -------
    Library
        Closing it takes them out again. ``import_reg_op.diagnostics(library)`` lists what could not be read.

    Raises
    ------
    OSError
        If a file cannot be read.
    """
    path = os.fspath(path)
    files = [path]
    if os.path.isdir(path):
        files = sorted(os.path.join(path, f) for f in os.listdir(path) if f.endswith(".h"))
    library = _native.Library(namespace, kind="FRAGMENT")
    diagnostics: list[Any] = []
    count = 0
    try:
        for file in files:
            with open(file, encoding="utf-8", errors="replace") as stream:
                defined, reports = library._define_reg_ops(stream.read(), file)
            count += defined
            diagnostics += reports
    except BaseException:
        library.close()
        raise
    _kept.append((library, count, tuple(diagnostics)))
    return library


def _of(library: Any) -> tuple[int, tuple[Any, ...]]:
    for known, count, diagnostics in _kept:
        if known is library:
            return count, diagnostics
    raise ValueError("not a library of import_reg_op")


def _diagnostics(library: Any) -> tuple[Any, ...]:
    """Return what could not be read, with file, line and reason."""
    return _of(library)[1]


import_reg_op.diagnostics = _diagnostics  # type: ignore[attr-defined]
