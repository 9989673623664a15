"""Functions of users: their parameters, and where in a file they are."""

from collections.abc import Callable
from functools import partial
from typing import Any

__all__ = ["Place", "name_of", "parameters", "place_of", "positional"]

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


def parameters(function: Callable[..., Any], what: str) -> list[str]:
    """Return the names of a function's parameters, which must be positional."""
    from inspect import signature

    names = []
    for parameter in signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            raise TypeError(
                f"{what} '{name_of(function)}' has a parameter '{parameter}': its parameters are values, "
                "each with a name"
            )
        names.append(parameter.name)
    return names


def name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def positional(function: Callable[..., Any], wrong: str) -> tuple[list[str], int, bool]:
    """Return names of the positional parameters without self, how many are required, and whether `*args` takes more.

    Raises
    ------
    TypeError
        With the text `wrong`, if a keyword-only parameter is required, or self is missing.
    """
    from inspect import Parameter, signature

    by_position = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    names: list[str] = []
    required = 0
    takes_more = False
    for parameter in signature(function).parameters.values():
        if parameter.kind in by_position:
            names.append(parameter.name)
            required += parameter.default is parameter.empty
        elif parameter.kind is parameter.VAR_POSITIONAL:
            takes_more = True
        elif parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty:
            raise TypeError(wrong)
    if not names and not takes_more:
        raise TypeError(wrong)
    return names[1:], max(required - 1, 0), takes_more
