"""Signatures of hooks, checked when a class is made: a wrong one is found at import, not at a match."""

import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["positional"]

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def positional(function: Callable[..., Any], wrong: str) -> tuple[list[str], int, bool]:
    """Return names of the positional parameters without self, how many are required, and whether `*args` takes more.

    Raises
    ------
    TypeError
        With the text `wrong`, if a keyword-only parameter is required, or self is missing.
    """
    names: list[str] = []
    required = 0
    takes_more = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in _POSITIONAL:
            names.append(parameter.name)
            required += parameter.default is parameter.empty
        elif parameter.kind is parameter.VAR_POSITIONAL:
            takes_more = True
        elif parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty:
            raise TypeError(wrong)
    if not names and not takes_more:
        raise TypeError(wrong)
    return names[1:], max(required - 1, 0), takes_more
