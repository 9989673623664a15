"""Each rewrite of a run compared with what it replaces, on the same inputs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import ir
from ..._support.failures import text_of
from .._pattern._public import publish
from .._pattern._trace import Place
from .._pipeline._findings import Doubt, RewriteReport, names_of
from .._pipeline._observer import SeenRewrite
from ._cut import Cut, TooLarge, cut, whole
from ._reproducer import write_reproducer

if TYPE_CHECKING:
    from ...onnx import CheckReport, OutputReport

__all__ = ["WrongRewriteError"]

# Number of surrounding nodes that are included if a rewrite differs or cannot be evaluated alone.
_MOST_AROUND = 4096


class WrongRewriteError(ir.PassError):
    """A rewrite, or a pass as a whole, computes different results.

    Attributes
    ----------
    rule : str
        Of a rewrite; empty: of a pass that has none.
    number : int
        Which rewrite of that execution of the pass, from 1; 0: the pass as a whole.
    nodes, made : list of str
        What was replaced, and by what, as ``"onnx.Add add_1"``.
    max_abs, max_rel : float
        Largest difference, absolute and relative.
    reproducer : str
        File with both functions and inputs on which they differ, which ``ge check FILE`` runs; with more than 16 MiB of
        constants it is a model, and the other one and the inputs are beside it. Empty: it could not be written.
    """

    kind = "wrong-rewrite"
    rule: str
    number: int
    nodes: list[str]
    made: list[str]
    max_abs: float
    max_rel: float
    reproducer: str


class _Verdict(NamedTuple):
    kind: str
    """equal, differs, not-loaded (by what has all operators of the replacement), or unknown."""
    reason: str
    worst: OutputReport | None
    inputs: dict[str, Any]


class RewriteCheck:
    """Observer of a run: compares each rewrite, and each pass without rewrites, with the graph before it.

    Parameters
    ----------
    directory : path-like
        For reproducers.
    seed : int
        Of the random inputs.
    """

    def __init__(self, directory: str | os.PathLike[str] = ".", seed: int = 0) -> None:
        self.report = RewriteReport()
        self._directory = directory
        self._seed = seed
        self._number = 0
        self._before: ir.Module | ir.Graph | None = None

    def begin(self, target: ir.Module | ir.Graph) -> None:
        """Copy the target before a pass."""
        self._number = 0
        self._before = target.clone()

    def rewriting(self, number: int, at: str, seen: SeenRewrite | None) -> None:
        """Compare a replacement with the nodes that it replaces.

        Raises
        ------
        WrongRewriteError
        """
        if seen is None:
            return
        self._number += 1
        ends = (seen.before, seen.after, seen.matched, seen.made)
        small = cut(*ends)
        if small is None:
            return
        verdict, shown = self._run(small), small
        nodes, made = (list(map(describe, part)) for part in (seen.matched, seen.made))
        doubt = Doubt(seen.pass_name, seen.rule, self._number, tuple(nodes), verdict.reason)
        if verdict.kind != "equal":
            around = self._around(*ends)
            wider = None if around is None else self._run(around)
            if wider is not None and wider.kind == "equal" and verdict.kind != "unknown":
                self.report.contextual.append(doubt)
                return
            if around is not None and wider is not None and verdict.kind == "unknown":
                verdict, shown = wider, around
        if verdict.kind == "unknown":
            self.report.unevaluated.append(doubt)
        elif verdict.kind == "equal":
            self.report.rewrites += 1
        else:
            self._fail(shown, verdict, seen.pass_name, seen.rule, seen.place, nodes, made)

    @staticmethod
    def _around(*what: Any) -> Cut | None:
        try:
            return cut(*what, most=_MOST_AROUND)
        except TooLarge:
            return None

    def accept(self, pass_name: str, place: Place | None, target: ir.Module | ir.Graph) -> None:
        """Compare a target with its state before the pass.

        Raises
        ------
        WrongRewriteError
        """
        self._number = 0
        assert self._before is not None
        try:
            cuts = whole(self._before, target)
        except ValueError:
            reason = "the pass made graphs, or erased some"
            self.report.unevaluated.append(Doubt(pass_name, "", 0, (), reason))
            return
        for pair in cuts:
            verdict = self._run(pair)
            if verdict.kind in ("differs", "not-loaded"):
                self._fail(pair, verdict, pass_name, "", place, [], [])
            elif verdict.kind == "unknown":
                self.report.unevaluated.append(Doubt(pass_name, "", 0, (), verdict.reason))
            else:
                self.report.passes += 1

    def _run(self, pair: Cut) -> _Verdict:
        from ...run import EDGES, PART_EDGES, compare

        is_part = self._number > 0
        try:
            report, inputs = compare(
                pair.matched,
                pair.replacement,
                runs=2 if is_part else 1,
                seed=self._seed + self._number,
                edges=PART_EDGES if is_part else EDGES,
                # Two correct formulas may overflow at different inputs.
                finite=("extremes",),
            )
        except (RuntimeError, ValueError, ir.GEError) as error:  # nothing runs what matched
            return _Verdict("unknown", _in_words_of_rewrites(_line(error)), None, {})
        if report and all(o.verdict != "random" for o in report.outputs):
            return _Verdict("equal", "", None, inputs)
        wrong = [o for o in report.outputs if o.verdict in ("differs", "missing")]
        if wrong:
            worst = max(wrong, key=lambda o: o.max_abs)
            worst = worst._replace(message=_in_words_of_rewrites(worst.message))
            return _Verdict("differs", worst.message, worst, inputs)
        refused = [o for o in report.outputs if o.verdict == "not-loaded"]
        if refused and report.refused:
            worst = refused[0]._replace(message=_in_words_of_rewrites(refused[0].message))
            return _Verdict("not-loaded", worst.message, worst, inputs)
        return _Verdict("unknown", _in_words_of_rewrites(_why_not(report)), None, inputs)

    def _fail(
        self,
        pair: Cut,
        verdict: _Verdict,
        pass_name: str,
        rule: str,
        place: Place | None,
        nodes: list[str],
        made: list[str],
    ) -> None:
        worst = verdict.worst
        assert worst is not None
        number = self._number
        which = f"rewrite {number}" if number else "what it did as a whole"
        of_rule = f" (rule '{rule}')" if rule and rule != pass_name else ""
        at = f" ({place[0]}:{place[1]})" if place else ""
        does = "makes what could not be loaded" if verdict.kind == "not-loaded" else "computes something else"  # fmt: skip
        what = f"{which}{of_rule} {does}{at}"
        lines = [
            f"output '{worst.name}'{f', {worst.inputs}' if worst.inputs else ''}: {worst.message} "
            f"(max abs {worst.max_abs:.3g}, max rel {worst.max_rel:.3g})"
        ]
        if number:
            lines.append(f"{names_of(nodes)} became {names_of(made) or 'nothing new'}")
        name = f"ge-rewrite-{pass_name}-{number or 'whole'}"
        about = "\n".join([f"pass '{pass_name}': {what}", *lines])
        try:
            file = write_reproducer(pair, verdict.inputs, self._directory, name, about)
            lines.append(f"see {file}")
        except (OSError, ir.GEError) as unwritten:  # what is wrong matters more
            file = ""
            lines.append(f"no reproducer: {unwritten}")
        detail = "; ".join([what, *lines])
        error = WrongRewriteError(f"pass '{pass_name}': {detail}")
        made_: Any = error
        made_.pass_name, made_.hook, made_._ge_detail = pass_name, "check", detail
        made_.node = nodes[-1].partition(" ")[2] if nodes else None
        made_.file, made_.line = place if place else (None, None)
        error.rule, error.number, error.nodes, error.made = rule, number, nodes, made
        error.max_abs, error.max_rel, error.reproducer = worst.max_abs, worst.max_rel, file
        raise error


def describe(node: ir.Node) -> str:
    """Return the description of a node in messages."""
    return f"{node.op} {node.name}"


def _why_not(report: CheckReport) -> str:
    messages = [o.message for o in report.outputs if o.message]
    return messages[0] if messages else "nothing could be compared"


def _in_words_of_rewrites(text: str) -> str:
    """Return the message of a model comparison in terms of rewrites."""
    return (
        text.replace("the first model", "what matched")
        .replace("the second model", "the replacement")
        # Inputs of a match are inner values, which no data file names.
        .replace(
            "give its data with --input-data",
            "its type is needed; run infer-types before the pass, and inline before it where this is the body of a function",
        )
    )


def _line(error: BaseException) -> str:
    lines = text_of(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


publish(globals())
