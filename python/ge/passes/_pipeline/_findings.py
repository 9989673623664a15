"""Findings of the observers of a run: values in results and errors."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from .._pattern._public import publish

__all__ = ["Doubt", "Expected", "LostMatches", "RewriteReport", "Surplus"]

# Names of nodes in a message.
_MOST_NAMES = 6


@dataclass(frozen=True)
class Expected:
    """How often a pass is to match, and where it did when the expectation was written.

    Attributes
    ----------
    count : int
    nodes : tuple of str
        Nodes at which matches began. An error gives the reason for those where none begins any more.

    Raises
    ------
    TypeError, ValueError
    """

    count: int
    nodes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.count, bool) or not isinstance(self.count, int):
            raise TypeError(f"{self.count!r} is not a number of matches")
        if self.count < 0:
            raise ValueError(f"{self.count} is not a number of matches: that is 0 or more")
        nodes: Any = self.nodes
        if isinstance(nodes, str) or not all(isinstance(name, str) for name in nodes):
            raise TypeError(f"nodes are a tuple of names, not {nodes!r}")
        object.__setattr__(self, "nodes", tuple(nodes))


@dataclass(frozen=True)
class Surplus:
    """A pass that matched more often than expected.

    Attributes
    ----------
    pass_name : str
    expected, found : int
    """

    pass_name: str
    expected: int
    found: int

    def __str__(self) -> str:
        return f"pass '{self.pass_name}' matched {self.found} times, {self.expected} were expected"


@dataclass(frozen=True)
class LostMatches:
    """A pass that matched less often than expected, and why.

    Attributes
    ----------
    pass_name : str
    expected, found : int
    reason : str
        ``never-loaded``, ``not-run``, ``failed``, ``no-patterns``, or the class of the reason of the best attempt, as in
        `Attempt`.
    message : str
        In lines, for people.
    file : str or None
    line : int or None
        Of the pass.
    nodes : tuple of str
        Where it matched when the expectation was written, and does not now; empty when that is not known.
    attempts : tuple of dict
        The best attempts, as `Attempt.to_dict` gives them.
    """

    pass_name: str
    expected: int
    found: int
    reason: str
    message: str
    file: str | None = None
    line: int | None = None
    nodes: tuple[str, ...] = ()
    attempts: tuple[dict[str, Any], ...] = ()

    def __str__(self) -> str:
        place = f" ({self.file}:{self.line})" if self.file else ""
        times = "match" if self.found == 1 else "matches"
        head = (
            f"pass '{self.pass_name}'{place}: {self.found} {times}, {self.expected} were expected"
        )
        return "\n  ".join([head, *self.message.splitlines()])

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {**vars(self), "nodes": list(self.nodes), "attempts": list(self.attempts)}


@dataclass(frozen=True)
class Doubt:
    """A rewrite, or a pass, whose results the check could not confirm.

    Attributes
    ----------
    pass_name, rule : str
    number : int
        Which rewrite of that execution of the pass; 0: the pass as a whole.
    nodes : tuple of str
        What was replaced.
    reason : str
    """

    pass_name: str
    rule: str
    number: int
    nodes: tuple[str, ...]
    reason: str

    def __str__(self) -> str:
        which = f"rewrite {self.number}" if self.number else "as a whole"
        at = f" of {names_of(self.nodes)}" if self.nodes else ""
        return f"pass '{self.pass_name}', {which}{at}: {self.reason}"


@dataclass
class RewriteReport:
    """What a run with ``check="rewrite"`` compared.

    Attributes
    ----------
    rewrites : int
        Rewrites that compute the same.
    passes : int
        Executions of passes that were compared as a whole, because they have no rewrites that can be.
    unevaluated : list of Doubt
        What nothing could run: it is not known whether it is right.
    contextual : list of Doubt
        Rewrites that differ on inputs of their own, and agree on those that the graph gives them.
    """

    rewrites: int = 0
    passes: int = 0
    unevaluated: list[Doubt] = field(default_factory=list)
    contextual: list[Doubt] = field(default_factory=list)

    def __str__(self) -> str:
        text = f"{self.rewrites} rewrites and {self.passes} passes compute the same"
        if self.contextual:
            text += f", {len(self.contextual)} rewrites where they stand only"
        if self.unevaluated:
            text += f"; {len(self.unevaluated)} could not be evaluated"
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {
            "rewrites": self.rewrites,
            "passes": self.passes,
            "unevaluated": [vars(d) for d in self.unevaluated],
            "contextual": [vars(d) for d in self.contextual],
        }


def names_of(nodes: Collection[str]) -> str:
    """Return names of nodes for a message; of many, the first."""
    shown = ", ".join(list(nodes)[:_MOST_NAMES])
    return shown + (f" and {len(nodes) - _MOST_NAMES} more" if len(nodes) > _MOST_NAMES else "")


publish(globals())
