"""Match contracts: how often passes are expected to match, and why they did not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ... import ir
from .._pattern._public import publish
from .._pattern._trace import Place
from .._pipeline._findings import Expected, LostMatches, Surplus
from .._pipeline._manager import list_passes
from .._pipeline._observer import Tried
from .._pipeline._result import PassResult, PipelineResult
from ._explain import explain_tried

__all__ = ["LostMatchesError"]

# Nodes of a lock file that a message shows, and attempts of a pass.
_MOST = 5
# Number of attempts shown for a pass without an expectation.
_FEW = 2


def match_contract(expect: Mapping[str, Any], explain: Iterable[str]) -> Contract:
    """Return the observer for the arguments ``expect=`` and ``explain=``."""
    return Contract(expectations(expect), explain)


def expectations(given: Mapping[str, Any]) -> dict[str, Expected]:
    """Check the argument ``expect=``: counts by name of pass.

    Raises
    ------
    TypeError, ValueError
    """
    if not isinstance(given, Mapping):
        raise TypeError(f"expect is a dict of counts by pass, not {type(given).__name__}")
    checked = {}
    for name, value in given.items():
        if not isinstance(name, str):
            raise TypeError(f"expect[{name!r}]: the keys are names of passes")
        try:
            checked[name] = value if isinstance(value, Expected) else Expected(value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"expect[{name!r}]: {error}") from None
    return checked


class LostMatchesError(ir.PassError):
    """Passes matched less often than expected.

    The graph is as the passes left it.

    Attributes
    ----------
    lost : list of LostMatches
    result : PipelineResult
        Of the run, which went well otherwise.
    """

    kind = "lost-matches"
    lost: list[LostMatches]
    result: PipelineResult


@dataclass
class _Explained:
    """Explanation of one execution of a pass."""

    found: int
    texts: list[str] = field(default_factory=list)
    attempts: list[dict[str, Any]] = field(default_factory=list)


class Contract:
    """Observer that compares the matches of one run with the expected ones.

    Parameters
    ----------
    expect : mapping of str to Expected
    explain : iterable of str
        Passes to explain when they match nowhere, which does not fail the run.
    """

    def __init__(self, expect: Mapping[str, Expected], explain: Iterable[str] = ()) -> None:
        self.expect = expect
        self._wanted = {**{name: Expected(1) for name in explain}, **expect}
        self.matched: dict[str, list[str]] = {}
        """Nodes at which rewrites began, by pass; of executions that were not undone."""
        self._open: list[str] = []
        self._places: dict[str, Place | None] = {}
        self._explained: dict[str, _Explained] = {}

    def begin(self) -> None:
        """Note that a pass is about to run."""
        self._open = []

    def rewriting(self, at: str) -> None:
        """Receive the node at which a rewrite begins."""
        self._open.append(at)

    def end(self, name: str, outcome: str, place: Place | None) -> None:
        """Receive the outcome of a pass."""
        if outcome == "changed" and self._open:
            self.matched.setdefault(name, []).extend(self._open)
        if place is not None:
            self._places.setdefault(name, place)
        self._open = []

    def keep(self, name: str, graph: ir.Graph) -> ir.Graph | None:
        """Return the graph for which a pass that is about to run may need an explanation; None: none is needed."""
        expected = self.expect.get(name)
        if expected is not None:
            return graph.clone() if len(self.matched.get(name, ())) < expected.count else None
        # Explained only if nothing was rewritten, so that the graph is still the one that the pass
        # received.
        return graph if name in self._wanted else None

    def explain(self, name: str, tried: Tried, graph: ir.Graph) -> None:
        """Explain why a pass matched too seldom until now.

        Parameters
        ----------
        name : str
        tried : Tried
        graph : Graph
            As the pass found it.
        """
        found = len(self.matched.get(name, ())) + len(self._open)
        expected = self._wanted[name]
        if found >= expected.count:
            return
        explained = self._explained.get(name)
        if explained is not None and explained.found > len(self._open):
            return  # that time there was more to match
        made = _Explained(len(self._open))
        gone = _without(expected.nodes, [*self.matched.get(name, ()), *self._open])
        there = [n for n in gone if graph.find(n) is not None][:_MOST]
        places: list[str | None] = [*there] or [None]
        for node in places:
            most = _MOST if name in self.expect else _FEW
            for explanation in explain_tried(graph, name, tried, node, most):
                made.texts.append(str(explanation).rstrip())
                made.attempts += [attempt.to_dict() for attempt in explanation.attempts]
        if made.texts:
            self._explained[name] = made

    # --- After the run

    def verify(self, result: PipelineResult) -> list[Surplus]:
        """Return the passes that matched more often than expected.

        Raises
        ------
        LostMatchesError
            If something matched less often.
        """
        found = result.matches
        lost = [
            self._lost(name, expected, found.get(name, 0), result)
            for name, expected in self.expect.items()
            if found.get(name, 0) < expected.count
        ]
        if lost:
            error = LostMatchesError("matches were lost: " + "\n".join(map(str, lost)))
            error.lost, error.result = lost, result
            raise error
        return [
            Surplus(name, expected.count, found[name])
            for name, expected in self.expect.items()
            if found.get(name, 0) > expected.count
        ]

    def unmatched(self, result: PipelineResult) -> list[LostMatches]:
        """Return why passes to explain match nowhere; of those that ran and have patterns."""
        found = result.matches
        return [
            self._lost(name, self._wanted[name], 0, result)
            for name in self._explained
            if name not in self.expect and not found.get(name)
        ]

    def _lost(
        self, name: str, expected: Expected, found: int, result: PipelineResult
    ) -> LostMatches:
        place = self._places.get(name)
        gone = _without(expected.nodes, self.matched.get(name, []))
        explained = self._explained.get(name)
        runs = [r for r in result.passes if r.name == name and r.outcome != "skipped"]
        why = _why_not_run(name, runs, result)
        attempts: list[dict[str, Any]] = []
        if why is not None:
            reason, message = why
        elif explained is None:
            reason = "no-patterns"
            message = "it has no patterns that could be explained"
        else:
            attempts = explained.attempts
            reason = attempts[0]["reason"] if attempts else "operator"
            message = "\n".join(explained.texts)
            if not attempts:
                message += "\nno other node matches partially"
        if given_up := result.count(name, "exhausted"):
            message += f"\nat {given_up} nodes the search was given up: the budget was spent"
        if gone:
            shown = ", ".join(f"'{n}'" for n in gone[:_MOST])
            more = f" and {len(gone) - _MOST} more" if len(gone) > _MOST else ""
            message = f"it does not match any more at {shown}{more}\n{message}"
        return LostMatches(
            name,
            expected.count,
            found,
            reason,
            message,
            file=place[0] if place else None,
            line=place[1] if place else None,
            nodes=tuple(gone),
            attempts=tuple(attempts),
        )


def _without(names: Iterable[str], others: Iterable[str]) -> list[str]:
    taken = set(others)
    return [name for name in names if name not in taken]


def _why_not_run(
    name: str, runs: list[PassResult], result: PipelineResult
) -> tuple[str, str] | None:
    """Return class and text when a pass did not come to matching; None: it did."""
    failed = [r for r in runs if r.outcome == "failed"]
    if failed:
        return "failed", f"it failed: {failed[-1].error}"
    if runs:
        return None
    if any(r.name == name for r in result.passes):
        return "not-run", "it was skipped, by a hook or the bisect limit"
    if any(p["name"] == name for p in list_passes()):
        return "not-run", "it is registered, but not in the pipeline that ran, or it is disabled"
    return "never-loaded", never_loaded(name, [r.name for r in result.passes])


def never_loaded(name: str, others: Iterable[str] = ()) -> str:
    """Return names similar to that of an unregistered pass, and the files that could not be loaded.

    Parameters
    ----------
    name : str
    others : iterable of str
        Names beside those of the registered passes.
    """
    from difflib import get_close_matches

    known = list_passes()
    broken = [f"{p['origin']} could not be loaded: {p['error']}" for p in known if p["error"]]
    names = {p["name"] for p in known if p["name"]} | set(others)
    near = get_close_matches(name, names, 1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return "\n".join([f"no such pass is registered{hint}", *broken])


publish(globals())
