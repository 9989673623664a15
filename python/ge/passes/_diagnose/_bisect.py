"""The first wrong rewrite of a pipeline, found by bisection."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ... import ir
from .._pattern._public import publish
from .._pattern._trace import Place
from .._pipeline._manager import PassManager
from .._pipeline._observer import SeenRewrite
from .._pipeline._result import PassResult
from ._cut import Cut, cut, whole
from ._reproducer import write_reproducer
from ._rewrite_check import describe

__all__ = ["BisectResult", "bisect"]

Oracle = Callable[[ir.Module], "bool | None"]
"""Returns whether a model is right; None if it cannot decide."""


@dataclass
class BisectResult:
    """What `bisect` found.

    Attributes
    ----------
    pass_name, where : str
        The pass, and what it is nested in.
    execution : int
        Which execution of a pass in the run, from 1.
    rewrite, rewrites : int
        Which rewrite of that execution, from 1, and of how many; 0: the pass as a whole, or another edit of it.
    at : str
        The node that the rewrite began at.
    rule : str
    nodes, made : list of str
        What was replaced and by what, where that is known.
    file : str or None
    line : int or None
        Of the pass.
    reproducer : str
        File with what was there before and after, and inputs; empty: it could not be written.
    tested : int
        Models that were looked at.
    skipped : int
        Models that the oracle could not judge: the wrong rewrite may be one of so many before this one.
    """

    pass_name: str
    where: str
    execution: int
    rewrite: int = 0
    rewrites: int = 0
    at: str = ""
    rule: str = ""
    nodes: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    file: str | None = None
    line: int | None = None
    reproducer: str = ""
    tested: int = 0
    skipped: int = 0

    def __str__(self) -> str:
        inside = f" in {self.where}" if self.where else ""
        place = f" ({self.file}:{self.line})" if self.file else ""
        which = f"rewrite {self.rewrite} of {self.rewrites}" if self.rewrite else "as a whole"
        text = f"pass '{self.pass_name}'{inside}{place}, execution {self.execution}, {which}"
        if self.at:
            text += f", at node '{self.at}'"
        if self.nodes:
            text += f": {', '.join(self.nodes)} became {', '.join(self.made) or 'nothing new'}"
        return text


class _Catcher:
    """Observer that keeps what one rewrite replaces, and the place of the pass that does it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.at = self.rule = ""
        self.place: Place | None = None
        self.nodes: list[str] = []
        self.made: list[str] = []
        self.cut: Cut | None = None

    def begin(self, target: ir.Module | ir.Graph) -> None:
        """Ignore the graph before a pass."""

    def rewriting(self, number: int, at: str, seen: SeenRewrite | None) -> None:
        """Keep the rewrite of the wanted number."""
        if number != self.number:
            return
        self.at = at
        if seen is None:
            return
        self.rule, self.place = seen.rule, seen.place
        self.nodes = [describe(node) for node in seen.matched]
        self.made = [describe(node) for node in seen.made]
        self.cut = cut(seen.before, seen.after, seen.matched, seen.made)

    def accept(self, pass_name: str, place: Place | None, target: ir.Module | ir.Graph) -> None:
        """Keep the place of the pass."""
        if place is not None:
            self.place = place


def bisect(
    module: ir.Module,
    pipeline: str,
    is_right: Oracle,
    *,
    options: Mapping[str, str] | None = None,
    directory: str | os.PathLike[str] = ".",
) -> BisectResult | None:
    """Find the first rewrite of a pipeline that makes a model wrong.

    First the execution of a pass, then the rewrite in it, each by halving.

    Parameters
    ----------
    module : Module
        The model; it is not changed.
    pipeline : str
    is_right : callable
        Gets the model after a part of the pipeline and says whether it is right; None: it cannot say.
    options : Mapping of str to str, optional
        What hooks read.
    directory : path-like
        For the reproducer.

    Returns
    -------
    BisectResult or None
        None: the model is right after the whole pipeline.

    Raises
    ------
    ValueError
        If the model is wrong before the first pass, or the oracle cannot judge it.
    PassError
        If a pass fails.

    Notes
    -----
    A model that is wrong for a while and right again later is not found. Cost: O(log(passes) + log(rewrites)) runs of the
    pipeline.
    """
    search = _Search(module, pipeline, is_right, options)
    if search.ask(0, None) is not True:
        raise ValueError("the model is not right, or cannot be tested, before the first pass")
    runs = [r for r in search.full().passes if r.outcome != "skipped"]
    if not runs or search.ask(len(runs), None) is True:
        return None
    execution = search.first_wrong(len(runs), lambda n: search.ask(n, None))
    found = _in_execution(search, runs, execution, directory)
    found.tested, found.skipped = search.tested, search.skipped
    return found


class _Search:
    def __init__(
        self,
        module: ir.Module,
        pipeline: str,
        is_right: Oracle,
        options: Mapping[str, str] | None,
    ) -> None:
        self._module = module
        self._pipeline = pipeline
        self._is_right = is_right
        self._options = options
        self._known: dict[tuple[int, int | None], bool | None] = {}
        self.tested = self.skipped = 0

    def after(
        self, passes: int | None, rewrites: int | None, catcher: _Catcher | None = None
    ) -> tuple[ir.Module, Any]:
        """Return a copy of the model after so many executions and rewrites, and the run's result."""
        copy = self._module.clone()
        manager = PassManager.parse(self._pipeline, options=self._options)
        manager.set_bisect_limit(passes).set_rewrite_limit(rewrites)
        return copy, manager._execute(copy, watch=catcher)

    def full(self) -> Any:
        return self.after(None, None)[1]

    def ask(self, passes: int, rewrites: int | None) -> bool | None:
        key = passes, rewrites
        if key not in self._known:
            self.tested += 1
            self._known[key] = self._is_right(self.after(passes, rewrites)[0])
        return self._known[key]

    def first_wrong(self, last: int, ask: Callable[[int], bool | None]) -> int:
        """Return the first number up to `last`, which is wrong, that is wrong; 0 is right."""
        right, wrong = 0, last
        while wrong - right > 1:
            # Search from the middle outwards, as the oracle may not be able to decide for the
            # nearest ones.
            middle = (right + wrong) // 2
            between = sorted(range(right + 1, wrong), key=lambda n: (abs(n - middle), n))
            answers = ((n, ask(n)) for n in between)
            number, answer = next(((n, a) for n, a in answers if a is not None), (0, None))
            if answer is None:
                self.skipped += wrong - right - 1
                break
            if answer:
                right = number
            else:
                wrong = number
        return wrong


def _in_execution(
    search: _Search, runs: list[PassResult], execution: int, directory: str | os.PathLike[str]
) -> BisectResult:
    guilty = runs[execution - 1]
    earlier = sum(r.rewrites for r in runs[: execution - 1])
    found = BisectResult(guilty.name, guilty.where, execution, rewrites=guilty.rewrites)
    if guilty.rewrites and search.ask(execution, earlier) is True:
        found.rewrite = search.first_wrong(
            guilty.rewrites, lambda n: search.ask(execution, earlier + n)
        )
    catcher = _Catcher(earlier + found.rewrite if found.rewrite else -1)
    limit = earlier + found.rewrite if found.rewrite else None
    after, _ = search.after(execution, limit, catcher)
    found.at, found.rule, found.nodes, found.made = (
        catcher.at,
        catcher.rule,
        catcher.nodes,
        catcher.made,
    )
    if catcher.place is not None:
        found.file, found.line = catcher.place
    pair = catcher.cut
    if pair is None:
        before = search.after(*((execution, limit - 1) if limit else (execution - 1, None)))[0]
        pair = next(iter(whole(before, after)))
    name = f"ge-bisect-{found.pass_name}-{found.rewrite or 'whole'}"
    with contextlib.suppress(OSError, ir.GEError):  # what is wrong matters more
        found.reproducer = write_reproducer(pair, _inputs(pair), directory, name, str(found))
    return found


def _inputs(pair: Cut) -> dict[str, Any]:
    """Return inputs on which the two differ; random ones when they agree, none when they cannot be compared."""
    from ...run import PART_EDGES, compare

    try:
        both = pair.matched, pair.replacement
        return compare(*both, runs=2, edges=PART_EDGES, finite=("extremes",))[1]
    except (RuntimeError, ValueError, ir.GEError):
        return {}


publish(globals())
