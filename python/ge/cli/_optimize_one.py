"""``ge optimize`` of one model: build a request, call `optimize_request`, print the report."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .._support.program import PROGRAM
from . import _check, _contract
from ._optimize_request import request_of
from ._output import CommandError, Options, Output, UndecidedError, UsageError, human_bytes
from ._pipeline import matches_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ir import Module
    from ..onnx import OptimizeReport
    from ..optimize import RequestResult
    from ..passes import LostMatchesError, WrongRewriteError

__all__ = ["run_one"]


def run_one(options: Options, source: str, target: str, text: str, output: Output) -> int:
    """Optimise a model; return the exit status.

    Parameters
    ----------
    options : Options
    source, target : str
        Paths, or ``-``.
    text : str
        The pipeline.
    output : Output
    """
    from .._support.quiet import quiet
    from ..optimize import (
        CheckError,
        ContradictionError,
        InputShapeError,
        RequestError,
        optimize_request,
    )
    from ..passes import LostMatchesError, WrongRewriteError

    if target in ("-", "/dev/stdout"):
        output.give_stdout()
    request = request_of(options, source, target, text, output)
    size = _size(source)  # the result may go to its place
    try:
        with output.progress(f"optimizing {source}", 1) as step, quiet("ge.passes.check"):
            result = optimize_request(request)
            step("")
    except RequestError as error:
        raise UsageError(str(error)) from error
    except CheckError as error:
        if error.outcome:
            raise UndecidedError(str(error), error.outcome) from error
        raise CommandError(str(error)) from error
    except ContradictionError as error:
        force = "" if isinstance(error, InputShapeError) else "; --force writes it"
        raise CommandError(f"{error}{force}. {target} was not written") from error
    except (LostMatchesError, WrongRewriteError) as error:
        return _refused(source, target, error, output)
    if result.is_saved and options.lock:
        found = _contract.counts(result.report.lockable())
        output.line(f"{_contract.lock_path(options)}: {found}")
    if result.original is not None and options.graph_diff:
        _show_diff(result.original, request.module, output)
    _show(source, target, result, (size, _size(target)), output)
    _show_matches(options.pass_files, result.report, output)
    _show_unmatched(source, options.pass_files, result.report, output)
    return 0 if result.verdict is None else _check.status(result.verdict)


_WORDS = {
    "different": "the result computes something else",
    "not-loaded": "the result could not be loaded",
    "not-evaluated": "the result was not evaluated: nothing of the result could be compared",
}

# Fields of a wrong rewrite in the JSON output.
_WRONG = (
    "pass_name", "rule", "number", "nodes", "made", "file", "line", "max_abs", "max_rel", "reproducer",
)  # fmt: skip


def _refused(
    source: str, target: str, error: LostMatchesError | WrongRewriteError, output: Output
) -> int:
    """Report why nothing is written; return the exit status."""
    from ..passes import LostMatchesError

    output.error(f"{error}\n{target} was not written")
    found: dict[str, Any] = {"input": source, "output": target, "written": False}
    if isinstance(error, LostMatchesError):
        found["lost"] = [one.to_dict() for one in error.lost]
    else:
        found["wrong_rewrite"] = {
            "message": str(error),
            **{key: getattr(error, key) for key in _WRONG},
        }
    output.result(found)
    return 1


def _size(path: str) -> int | None:
    return os.path.getsize(path) if path != "-" and os.path.isfile(path) else None


def _show_diff(before: Module, after: Module, output: Output) -> None:
    from ..run import main_graph
    from ..view import compare
    from ._diff_lines import group_lines

    groups = compare(main_graph(before), main_graph(after)).groups
    for line in group_lines(group for group in groups if group.kind != "same"):
        output.line(line)


def _show(
    source: str,
    target: str,
    result: RequestResult,
    sizes: tuple[int | None, int | None],
    output: Output,
) -> None:
    report, verdict = result.report, result.verdict
    before, after = report.before, report.after
    rows: list[tuple[object, ...]] = [
        (
            op,
            before.operators.get(op, 0),
            after.operators.get(op, 0),
            _change(before.operators.get(op, 0), after.operators.get(op, 0)),
        )
        for op in sorted(set(before.operators) | set(after.operators))
    ]
    rows.append(("all nodes", before.nodes, after.nodes, _change(before.nodes, after.nodes)))
    output.table(("operator", "before", "after", "change"), rows)
    output.line(f"weights  {human_bytes(before.weights)} -> {human_bytes(after.weights)}")
    if result.is_saved:
        shown = [human_bytes(s) if s is not None else "-" for s in sizes]
        output.line(f"file     {shown[0]} -> {shown[1]}")
    if verdict is not None:
        _check.show(verdict, output)
    if not result.is_saved:
        what = _WORDS["different" if verdict is None else verdict.outcome]
        output.error(f"{what}: {target} was not written")
    else:
        output.line(f"{target}: {before.nodes} -> {after.nodes} nodes in {report.seconds:.2f} s")
    checked = report.rewrite_check
    if checked is not None:
        output.line(f"checked: {checked}")
    for note in report.notes:
        output.note(note)
    if report.surplus:
        output.note("--lock, or an edit of the expected number, accepts the new one")
    output.result(
        {
            "input": source,
            "output": target,
            "written": result.is_saved,
            "pipeline": report.pipeline,
            "changed": report.changed,
            "before": {**before._asdict(), "nodes": before.nodes, "bytes": sizes[0]},
            "after": {**after._asdict(), "nodes": after.nodes, "bytes": sizes[1]},
            "passes": [p._asdict() for p in report.passes],
            "seconds": report.seconds,
            "check": None if verdict is None else _check.report_json(verdict),
            "matches": report.matches,
            "surplus": [vars(one) for one in report.surplus],
            "unmatched": [one.to_dict() for one in report.unmatched],
            "rewrite_check": None if checked is None else checked.to_dict(),
        }
    )


def _show_matches(
    files: Mapping[str, Sequence[str]], report: OptimizeReport, output: Output
) -> None:
    """Report how often the passes of each file matched."""
    changing = {one.name for one in report.passes if one.changed}
    for file, names in files.items():
        output.line(f"{file}: {matches_of(names, report.matches, changing)}")


# Number of passes without matches up to which more than their names is shown.
_FEW_UNMATCHED = 3


def _show_unmatched(
    source: str, files: Mapping[str, Sequence[str]], report: OptimizeReport, output: Output
) -> None:
    """Report the files of which no pass matches, and the reasons if they are few."""
    silent = {
        file: mine
        for file, names in files.items()
        if not any(report.matches.get(name) for name in names)
        and (mine := [one for one in report.unmatched if one.pass_name in names])
    }
    are_few = sum(map(len, silent.values())) <= _FEW_UNMATCHED
    for file, mine in silent.items():
        for one in mine if are_few else ():
            output.note(one.message)
        told = "tells more" if are_few else "tells why"
        output.note(f"no pass of {file} matches; '{PROGRAM} why {file} {source}' {told}")


def _change(before: int, after: int) -> str:
    return "" if before == after else f"{after - before:+d}"
