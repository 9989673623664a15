"""Where in a file a function of the user is."""

from collections.abc import Callable
from functools import partial
from typing import Any

__all__ = ["Place", "place_of"]

Place = tuple[str, int]
"""File and line."""


def place_of(function: Callable[..., Any] | type | None) -> Place | None:
    """Return file and line of a function, method or class; None where there is no source.

    Parameters
    ----------
    function : callable
        What wraps another one is looked through.
    """
    while isinstance(function, partial):
        function = function.func
    if function is None:
        return None
    given: Any = function
    if hasattr(function, "__wrapped__"):
        from inspect import unwrap

        given = unwrap(function)
    given = getattr(given, "__func__", given)
    code = getattr(given, "__code__", None)
    if code is None and not isinstance(given, type):
        code = getattr(vars(type(given)).get("__call__"), "__code__", None)
    return None if code is None else (code.co_filename, code.co_firstlineno)
