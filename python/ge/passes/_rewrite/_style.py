"""How hooks are called: what the parameters of patterns, conditions and replacements mean."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .._pattern._functions import positional
from .._pattern._pattern import PatternFunction

__all__ = [
    "UNCHECKED",
    "Names",
    "Style",
    "check_pattern",
    "condition_style",
    "is_pattern_method",
    "names_of_patterns",
    "refuse_run",
    "replacement_style",
    "takes_inputs",
]

_INPUTS = "inputs"
_CONTEXT = "context"
_MATCH = ("match", "match_result")


@dataclass(frozen=True)
class Style:
    """How a hook is called.

    Attributes
    ----------
    kind : {"inputs", "named", "match"}
        With a `PatternInputs`, with values under the pattern's names, or with the match alone.
    arguments : tuple of str
        What it gets, in order: "inputs", "match", "context", or names of the pattern.
    """

    kind: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Names:
    """Names of the values of patterns, all of which name them.

    Attributes
    ----------
    by_pattern : dict of str to tuple of str
    common : tuple of str
        Those that every pattern has.
    """

    by_pattern: dict[str, tuple[str, ...]]
    common: tuple[str, ...]


#: How hooks are called that no pattern says names for, and that are not checked: those of a base class.
UNCHECKED = Style("match", ("match",))


def is_pattern_method(value: object) -> bool:
    """Whether a class attribute is what ``@pattern`` made of a method."""
    return isinstance(value, PatternFunction)


def _named(names: list[str]) -> tuple[str, ...]:
    return tuple("match" if n in _MATCH else "context" if n == _CONTEXT else f"={n}" for n in names)


def _check_names(hook: str, names: list[str], required: int, known: Names) -> None:
    """Raise for a parameter without a default that is no value of each pattern, nor the match or the context."""
    for name in names[:required]:
        if name in (*known.common, *_MATCH, _CONTEXT):
            continue
        if lacking := [each for each, has in known.by_pattern.items() if name not in has]:
            some = len(lacking) < len(known.by_pattern)
            which = f"pattern '{lacking[0]}'" if some or len(lacking) == 1 else "no pattern"
            has = "has" if which == "no pattern" else "does not have"
            own = (
                f"; write @{lacking[0]}.replacement for that pattern, or name its value '{name}'"
                if some and hook == "replacement"
                else ""
            )
            raise TypeError(
                f"{hook} has a parameter '{name}', which {which} {has}; their names are "
                f"{', '.join(known.common) or 'none'}, beside 'match' and 'context'"
                f"{_near(name, known.common)}{own}"
            )


def _near(name: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    return f"; did you mean '{near[0]}'?" if near else ""


def _by_name(names: list[str], required: int, known: Names) -> Style | None:
    """Return the style of a hook of a class whose patterns all name their values; None: it is called by position."""
    extra = (*_MATCH, _CONTEXT)
    used = 0
    while used < len(names) and (used < required or names[used] in (*known.common, *extra)):
        used += 1
    if not used:
        return None
    takes_values = any(n in known.common for n in names[:used])
    arguments = _named(names[:used])
    return Style("named" if takes_values else "match", arguments)


def condition_style(function: Callable[..., Any], known: Names | None) -> Style:
    """Return how ``meet_requirements`` is called.

    Parameters
    ----------
    function : callable
    known : Names, optional
        Of the patterns of its class, if all of them name their values; else it is called by position.

    Raises
    ------
    TypeError
        For a parameter without a default that is none of these, or a signature that is none of the three.
    """
    wrong = (
        "meet_requirements only supports meet_requirements(self, match_result) or "
        "meet_requirements(self, match_result, context)"
    )
    names, required, more = positional(function, wrong)
    if known is not None:
        _check_names("meet_requirements", names, required, known)
        if style := _by_name(names, required, known):
            return style
    if required > 2 or (not names and not more):
        raise TypeError(wrong)
    return Style("match", ("match", "context") if len(names) > 1 or more else ("match",))


def replacement_style(function: Callable[..., Any], known: Names | None) -> Style:
    """Return how ``replacement``, or the replacement of one pattern, is called; see `condition_style`."""
    wrong = (
        "replacement only supports replacement(self, inputs), replacement(self, inputs, "
        "match_result), replacement(self, inputs, context), replacement(self, inputs, "
        "match_result, context), or replacement(self, match_result[, context])"
    )
    names, required, more = positional(function, wrong)
    if names and names[0] == _INPUTS:
        rest = names[1:required] if required > 1 else names[1:3]
        if required > 3 or (len(rest) == 2 and rest[1] != _CONTEXT):
            raise TypeError(wrong)
        if not rest:
            return Style("inputs", ("inputs",))
        if rest[0] == _CONTEXT:
            if len(rest) > 1:
                raise TypeError(wrong)
            return Style("inputs", ("inputs", "context"))
        return Style("inputs", ("inputs", "match", *(["context"] if len(rest) > 1 else [])))
    if known is not None:
        _check_names("replacement", names, required, known)
        if style := _by_name(names, required, known):
            return style
    if required > 2 or (not names and not more):
        raise TypeError(wrong)
    return Style("match", ("match", "context") if len(names) > 1 or more else ("match",))


_WRONG_PATTERN = (
    "@pattern methods only support method(self, inputs) or method(self, <named values>)"
)


def check_pattern(name: str, function: Callable[..., Any]) -> None:
    """Raise TypeError when the signature of a ``@pattern`` method is neither of the two."""
    names, required, more = positional(function, _WRONG_PATTERN)
    if not names or more or required != len(names) or (_INPUTS in names and len(names) > 1):
        raise TypeError(f"{_WRONG_PATTERN}; '{name}' does not")


def takes_inputs(function: Callable[..., Any]) -> tuple[bool, list[str]]:
    """Return whether a ``@pattern`` method takes ``inputs``, and the names of its parameters."""
    names, _, _ = positional(function, _WRONG_PATTERN)
    return names == [_INPUTS], names


def names_of_patterns(methods: Iterable[tuple[str, Callable[..., Any]]]) -> Names | None:
    """Return the names of values of patterns; None where one of them takes ``inputs``, or there is no pattern."""
    by_pattern: dict[str, tuple[str, ...]] = {}
    common: list[str] = []
    for name, function in methods:
        is_positional, names = takes_inputs(function)
        if is_positional:
            return None
        common = [n for n in names if not by_pattern or n in common]
        by_pattern[name] = tuple(names)
    return Names(by_pattern, tuple(common)) if by_pattern else None


def refuse_run(cls: type, kind: str, hooks: str) -> None:
    """Raise TypeError when a class overrides ``run``, which its kind does not call."""
    if "run" in cls.__dict__:
        raise TypeError(
            f"{cls.__name__} overrides run(), which is never invoked by the {kind} execution path; "
            f"write {hooks}, or derive from FusionBasePass"
        )
