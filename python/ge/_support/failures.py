"""Exceptions of foreign code (plugins, hooks, evaluators): how they are shown, whatever their own methods do.

Everything that foreign code raises is its failure, also `SystemExit` and other exceptions that are not an `Exception`.
`KeyboardInterrupt` is the user's, and what a signal handler raises while GE waits: they pass through (`is_interrupt`).
"""

from __future__ import annotations

import contextlib
import os

__all__ = [
    "describe",
    "is_interrupt",
    "is_own",
    "mark_interrupt",
    "raised_at",
    "text_of",
    "traceback_of",
]

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep  # .../ge/
_STANDARD = tuple(
    {os.path.dirname(given(os.__file__)) + os.sep for given in (os.path.abspath, os.path.realpath)}
)
_INSTALLED = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))


def mark_interrupt(error: BaseException) -> None:
    """Mark what a signal handler raised while a request waited: it is no failure of what was requested."""
    with contextlib.suppress(Exception):  # a class may refuse attributes
        error._ge_interrupt = True  # type: ignore[attr-defined]


def is_interrupt(error: BaseException) -> bool:
    """Return whether an exception is a KeyboardInterrupt, or marked by `mark_interrupt`: nothing wraps it."""
    return isinstance(error, KeyboardInterrupt) or getattr(error, "_ge_interrupt", None) is True


def text_of(error: BaseException) -> str:
    """Return ``str(error)``; of an exception whose ``__str__`` raises, a text that says so."""
    try:
        # A subclass of str may have a __format__ of its own.
        return str.__str__(str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as raised:
        return f"its text cannot be shown: __str__ raises {_type_name(raised)}"


def describe(error: BaseException) -> str:
    """Return type and text of an exception, ``"ValueError: no shape"``."""
    text = text_of(error)
    return f"{_type_name(error)}: {text}" if text else _type_name(error)


def _type_name(error: BaseException) -> str:
    name = type.__dict__["__name__"].__get__(type(error))  # not what a metaclass makes of it
    return str(name)


def raised_at(error: BaseException) -> tuple[str, int] | tuple[None, None]:
    """Return file and line where the user's code raised, or called what raised.

    That is the innermost frame outside of GE, the standard library and installed packages. Where there is none, the code
    that GE called is of an installed package itself, and its innermost frame counts.
    """
    found: tuple[str, int] | tuple[None, None] = (None, None)
    package = ""  # of the outermost frame of an installed package
    is_user = False
    step = error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if not is_own(file):
            installed = _package_of(file)
            package = package or installed
            if not installed or (not is_user and installed == package):
                found = file, step.tb_lineno
                is_user = not installed
        step = step.tb_next
    if found[0] is None and isinstance(error, SyntaxError):
        place, line = error.filename, error.lineno
        if isinstance(place, str) and isinstance(line, int):
            return place, line
    return found


def is_own(file: str) -> bool:
    """Whether a file is GE's or the standard library's."""
    path = os.path.abspath(file)
    if path.startswith(_OWN) or file.startswith("<frozen"):
        return True
    return path.startswith(_STANDARD) and not _package_of(file)


def _package_of(file: str) -> str:
    """Return directory or file of the installed package that a file is of; empty for others."""
    path = os.path.abspath(file)
    for mark in _INSTALLED:
        before, found, rest = path.rpartition(mark)
        if found:
            return before + found + rest.partition(os.sep)[0]
    return ""


def traceback_of(error: BaseException) -> str:
    """Return the traceback as Python prints it, without the last newline."""
    import traceback  # costs more than importing ge.ir

    try:
        return "".join(traceback.format_exception(error)).rstrip()
    except KeyboardInterrupt:
        raise
    except BaseException:
        file, line = raised_at(error)
        return describe(error) + (f" ({file}:{line})" if file else "")
