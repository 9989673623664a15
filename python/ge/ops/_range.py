"""Which numbers and values an attribute may have."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .._mlir_like._cext_loader import load
from .._support.program import PACKAGE

__all__ = ["Range"]


@dataclass(frozen=True)
class Range:
    """The range of numbers that an attribute may have: ``Range(at_least=0.0, below=1.0)``.

    Attributes
    ----------
    at_least, at_most : float, optional
        Bounds that are inside; None: none on that side.
    above, below : float, optional
        Bounds that are outside, in place of those.

    Raises
    ------
    ValueError
        If no bound is given, or two for one side, a bound is NaN, or no number is inside.

    Notes
    -----
    NaN is outside every range. Of a list each number has to be inside.
    """

    at_least: float | None = None
    at_most: float | None = None
    above: float | None = field(default=None, kw_only=True)
    below: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.at_least is not None and self.above is not None:
            raise ValueError("a range has at_least or above, not both")
        if self.at_most is not None and self.below is not None:
            raise ValueError("a range has at_most or below, not both")
        low = self.at_least if self.above is None else self.above
        high = self.at_most if self.below is None else self.below
        if low is None and high is None:
            raise ValueError("a range needs a bound: at_least, at_most, above or below")
        if any(b is not None and math.isnan(b) for b in (low, high)):
            raise ValueError("a bound of a range is NaN")
        if low is not None and high is not None:
            is_open = self.above is not None or self.below is not None
            if low > high or (low == high and is_open):
                raise ValueError(f"no number is {self}")

    def __contains__(self, number: float) -> bool:
        """Whether the number is inside."""
        return (
            not math.isnan(number)
            and (self.at_least is None or number >= self.at_least)
            and (self.at_most is None or number <= self.at_most)
            and (self.above is None or number > self.above)
            and (self.below is None or number < self.below)
        )

    def __str__(self) -> str:
        """Return ``between 0 and 1``, or ``at least 0 and below 1``."""
        if self.at_least is not None and self.at_most is not None:
            return f"between {self.at_least:g} and {self.at_most:g}"
        bounds = (
            ("at least", self.at_least),
            ("above", self.above),
            ("at most", self.at_most),
            ("below", self.below),
        )
        return " and ".join(f"{words} {bound:g}" for words, bound in bounds if bound is not None)


def bounds_of(given: Range) -> tuple[float, float, bool, bool]:
    """Return the lower and upper bound (infinite if absent), and which of them are open."""
    if not isinstance(given, Range):
        raise TypeError(f"ranges: a {PACKAGE}.ops.Range is needed, not {type(given).__name__}")
    low = given.at_least if given.above is None else given.above
    high = given.at_most if given.below is None else given.below
    return (
        -math.inf if low is None else float(low),
        math.inf if high is None else float(high),
        given.above is not None,
        given.below is not None,
    )


def range_of(low: float, high: float, is_low_open: bool, is_high_open: bool) -> Range:
    """Return the range with these bounds."""
    bounds = {}
    if not math.isinf(low):
        bounds["above" if is_low_open else "at_least"] = low
    if not math.isinf(high):
        bounds["below" if is_high_open else "at_most"] = high
    return Range(**bounds)


def constant_text(value: Any, what: str) -> str:
    """Return a Python value as the schema language writes it."""
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(constant_text(item, what) for item in value) + "]"
    raise load("ir").OpSchemaError(f"{what} {value!r} cannot be used in a schema")


def choices_text(values: Iterable[Any], name: str) -> str:
    """Return the values that a parameter may have as the schema language writes them."""
    if isinstance(values, str):
        raise TypeError(f"choices: those of '{name}' are a sequence, not one str")
    texts = [constant_text(v, f"choices: the value of '{name}'") for v in values]
    if not texts:
        raise ValueError(f"choices: those of '{name}' are empty; leave '{name}' out for any value")
    return "[" + ", ".join(texts) + "]"
