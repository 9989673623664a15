"""Operators from CANN's ``REG_OP(...)`` prototypes."""

import os
import warnings
from typing import Any

from .._mlir_like._cext_loader import load
from .._support.files import read_file

__all__ = ["ImportedOps", "import_reg_op"]

_native = load("ops")
# Imported operators stay until they are closed.
_open: "set[ImportedOps]" = set()


class ImportedOps:
    """What `import_reg_op` read; leaving its ``with`` closes it.

    Attributes
    ----------
    namespace : str
    defined : int
        How many operators.
    diagnostics : tuple of Diagnostic
        An error for each prototype that was left out and for each comment or string without an end, which hides what
        follows it; a remark for each branch with prototypes that is never compiled, as in ``#if 0``; a warning for each
        type that means nothing. Each with its place.
    """

    def __init__(self, library: Any, defined: int, diagnostics: "tuple[Any, ...]") -> None:
        self._library = library
        self.namespace: str = library.namespace
        self.defined = defined
        self.diagnostics = diagnostics

    def close(self) -> None:
        """Unregister the operators; idempotent."""
        self._library.close()
        _open.discard(self)

    def __enter__(self) -> "ImportedOps":
        return self

    def __exit__(self, *args: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = ", closed" if self._library.closed else ""
        return f"<{self.defined} operators '{self.namespace}'{state}>"


def import_reg_op(path: "str | os.PathLike[str]", namespace: str = "ge") -> ImportedOps:
    """Define the operators of the ``REG_OP(...)`` prototypes in a C++ header, or in a directory of them.

    Parameters
    ----------
    path : str or path
        A header, or a directory, whose ``*.h`` are read in order of their names.
    namespace : str
        Where they go: ``ge.es.<namespace>.<Op>`` builds them.

    Returns
    -------
    ImportedOps
        How many there were, and what could not be read; closing it takes them out again.

    Raises
    ------
    OSError
        If a file cannot be read.

    Warns
    -----
    UserWarning
        If anything was skipped, or no prototype was found.

    Notes
    -----
    Comments in Doxygen's style become documentation. Preprocessor lines are passed over, so both branches of an
    ``#if`` count, unless its condition is a number: ``#if 0`` is left out. Headers have misspelled types of operands, which no compiler looks at: such operands take any type.
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
            text = read_file(os.fsdecode(file)).decode(errors="replace").replace("\r\n", "\n")
            defined, reports = library._define_reg_ops(text, file)
            count += defined
            diagnostics += reports
    except BaseException:
        library.close()
        raise
    found = ImportedOps(library, count, tuple(diagnostics))
    _open.add(found)
    skipped = [d for d in diagnostics if d.severity != "warning"]
    if skipped:
        warnings.warn(
            f"skipped {len(skipped)} parts of the text, {count} operators were defined (see .diagnostics); "
            f"the first: {skipped[0]}",
            stacklevel=2,
        )
    elif not count:
        where = path if files else f"{path}, which has no file named *.h"
        warnings.warn(f"there is no REG_OP prototype in {where}", stacklevel=2)
    return found
