"""Results of a run of a pipeline."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import ir
from .._pattern._public import publish

if TYPE_CHECKING:
    from ._findings import LostMatches, RewriteReport, Surplus

__all__ = ["PassResult", "PipelineResult"]


class PassResult(NamedTuple):
    """One execution of one pass.

    Attributes
    ----------
    name : str
    where : str
        What it is nested in, as ``"fixpoint#2/onnx.If"``; mostly empty.
    outcome : {"unchanged", "changed", "skipped", "failed"}
        A failed pass was undone; a skipped one was not run (bisect limit, or a hook returned False).
    start, seconds : float
        Start after that of the run, and length, in seconds.
    rewrites : int
        How often it replaced something, for passes that count it: rules, `DecomposePass`, built-in passes.
    statistics : dict of str to int
        What the pass counted.
    remarks : list of Diagnostic
        What it remarked.
    error : PassError or None
        Why it failed.
    """

    name: str
    where: str
    outcome: str
    start: float
    seconds: float
    rewrites: int
    statistics: dict[str, int]
    remarks: list[Any]
    error: BaseException | None = None

    @property
    def changed(self) -> bool:
        """Whether it changed something."""
        return self.outcome == "changed"

    @property
    def matches(self) -> int:
        """How often it matched and the match was replaced: rewrites, else what it counted as ``matched``."""
        if self.outcome == "failed":
            return 0
        return self.rewrites or self.statistics.get("matched", 0)


class PipelineResult:
    """What `PassManager.run` did; true when something changed.

    Attributes
    ----------
    passes : list of PassResult
        In the order of their starts.
    changed : bool
    seconds : float
        Of the whole run.
    remarks : list of Diagnostic
        Of the run itself: doubtful names in a fusion switch file, what was wrong in the graph before the run. Those of
        passes are in `passes`.
    rewrite_check : RewriteReport or None
        With ``check="rewrite"``: what was compared, and what could not be.
    matched_nodes : dict of str to list of str
        With ``expect=``: the nodes at which matches began, by pass, in order.
    surplus : list of Surplus
        With ``expect=``: passes that matched more often.
    unmatched : list of LostMatches
        With ``explain=``: passes that match nowhere, and why; not those without patterns.
    """

    rewrite_check: RewriteReport | None = None

    def __init__(self, report: Any, failures: list[BaseException | None] | None) -> None:
        self._report = report
        self._errors = failures

    # Created on access: for a small graph they cost as much as the run.

    @cached_property
    def matched_nodes(self) -> dict[str, list[str]]:
        return {}

    @cached_property
    def surplus(self) -> list[Surplus]:
        return []

    @cached_property
    def unmatched(self) -> list[LostMatches]:
        return []

    @cached_property
    def passes(self) -> list[PassResult]:
        errors = self._errors or [None] * len(self._report)
        return [_result(self._report.record(i), error) for i, error in enumerate(errors)]

    @cached_property
    def changed(self) -> bool:
        return bool(self._report.changed)

    @cached_property
    def seconds(self) -> float:
        return float(self._report.seconds)

    @cached_property
    def remarks(self) -> list[Any]:
        return list(self._report.remarks)

    @property
    def failures(self) -> list[PassResult]:
        """The executions that failed; empty unless ``on_error="skip"``."""
        return [result for result in self.passes if result.outcome == "failed"]

    def __bool__(self) -> bool:
        return self.changed

    @property
    def matches(self) -> dict[str, int]:
        """How often each pass that ran matched, over all of its executions, in the order of the first ones."""
        found: dict[str, int] = {}
        for each in self.passes:
            if each.outcome != "skipped":
                found[each.name] = found.get(each.name, 0) + each.matches
        return found

    def count(self, name: str, statistic: str) -> int:
        """Return the sum of a statistic over all executions of a pass."""
        return sum(r.statistics.get(statistic, 0) for r in self.passes if r.name == name)

    def timing(self) -> str:
        """Return a table of the times."""
        return str(self._report.text("timing"))

    def statistics(self) -> str:
        """Return a table of the statistics."""
        return str(self._report.text("statistics"))

    def trace(self) -> str:
        """Return Chrome's trace events as JSON, which Perfetto shows."""
        return str(self._report.text("trace"))

    def __repr__(self) -> str:
        changed = sum(result.changed for result in self.passes)
        failed = len(self.failures)
        more = f", {failed} failed" if failed else ""
        return f"<PipelineResult: {len(self.passes)} passes, {changed} changed{more}>"


def _result(record: tuple[Any, ...], error: BaseException | None) -> PassResult:
    *fields, diagnostic, kind = record
    if error is None and diagnostic is not None:
        error = ir.PassError(diagnostic.message)
        complete(error, record[0], diagnostic, kind)
    return PassResult._make((*fields, error))


def complete(error: Any, name: str, diagnostic: Any, kind: str) -> None:
    """Add to the error of a native pass the fields that errors of Python passes have, and its kind."""
    error.pass_name, error.kind = name, kind
    error.file = diagnostic.file or None
    error.line = diagnostic.line or None
    error.diagnostics = [diagnostic]


publish(globals())
