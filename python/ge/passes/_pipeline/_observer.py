"""Observers of a run, which are handed to the manager, and what they receive.

What they check is no business of the pipeline: the classes are in `_diagnose`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from ... import ir
from .._pattern._trace import Place

if TYPE_CHECKING:
    from ._findings import LostMatches, RewriteReport, Surplus
    from ._result import PipelineResult

__all__ = [
    "MatchObserver",
    "ReportingObserver",
    "RewriteListener",
    "RewriteObserver",
    "SeenRewrite",
    "Tried",
    "TriedNodes",
    "TriedRules",
]

RewriteListener: TypeAlias = Callable[[list[ir.Node], list[ir.Value]], None]
"""Receives the new nodes of a rewrite, and the values that replace its outputs."""


class SeenRewrite(NamedTuple):
    """A match and its replacement, both in the graph; values of `after` replace those of `before`."""

    pass_name: str
    rule: str
    place: Place | None
    matched: Sequence[ir.Node]
    made: Sequence[ir.Node]
    before: Sequence[ir.Value | None]
    after: Sequence[ir.Value | None]


class TriedRules(NamedTuple):
    """Native rules that a pass tried to match."""

    rules: Sequence[Any]


class TriedNodes(NamedTuple):
    """Operators whose nodes a pass tried to match; `refusal` returns the reason why it rejected a node."""

    op_types: frozenset[str]
    refusal: Callable[[ir.Node], str | None]


Tried: TypeAlias = TriedRules | TriedNodes


class RewriteObserver(Protocol):
    """Observer of passes and their rewrites."""

    def begin(self, target: ir.Module | ir.Graph) -> None:
        """Receive the target before a pass runs."""

    def rewriting(self, number: int, at: str, seen: SeenRewrite | None) -> None:
        """Receive a rewrite: its number in the run, the node it begins at, and its parts where they are known."""

    def accept(self, pass_name: str, place: Place | None, target: ir.Module | ir.Graph) -> None:
        """Receive the result of a pass that has no rewrites, or other edits beside them."""


class ReportingObserver(RewriteObserver, Protocol):
    """Observer of rewrites that reports what it compared."""

    report: RewriteReport


class MatchObserver(Protocol):
    """Observer of matches: where passes match, and why they do not."""

    matched: dict[str, list[str]]

    def begin(self) -> None:
        """Note that a pass is about to run."""

    def rewriting(self, at: str) -> None:
        """Receive the node at which a rewrite begins."""

    def end(self, name: str, outcome: str, place: Place | None) -> None:
        """Receive the outcome of a pass."""

    def keep(self, name: str, graph: ir.Graph) -> ir.Graph | None:
        """Return the graph in which a pass that is about to run may have to be explained; None: not needed."""

    def explain(self, name: str, tried: Tried, graph: ir.Graph) -> None:
        """Explain why a pass did not match more often in a graph, as the pass found it."""

    def unmatched(self, result: PipelineResult) -> list[LostMatches]:
        """Return the passes that match nowhere, and why."""

    def verify(self, result: PipelineResult) -> list[Surplus]:
        """Return what matched more often than expected; raise if something matched less often."""
