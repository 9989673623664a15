"""``ge optimize`` of one model: run, checked, written, told."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from .._support.program import PROGRAM
from . import _check, _contract
from ._inputs import input_data
from ._models import as_read, byte_count, is_text, read, shapes, write_text
from ._output import CommandError, Options, Output, UsageError, human_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ir import Module
    from ..onnx import CheckReport, OptimizeReport
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
    from ..onnx import ContradictionError, check, optimize
    from ..optimize import drop_outputs, set_input_shapes
    from ..passes import LostMatchesError, WrongRewriteError

    if target in ("-", "/dev/stdout"):
        output.give_stdout()
    expect = _contract.Expectations(options, text).of(source)
    files: dict[str, list[str]] = options.pass_files
    _need_consistent(options, source, target)
    module = read(source, options)
    size = _size(source)  # the result may go to its place
    try:
        words = _shape_words("--overwrite-input-shape", options.overwrite_input_shape, module)
        shapes_given = {name: [_dimension(part) for part in parts] for name, parts in words.items()}
        _need_inputs("--test-input-shape", options.test_input_shape, module)
        _need_inputs("--input-data-path", options.input_data_path, module)
        drop_outputs(module, options.unused_output)
    except ValueError as error:
        raise UsageError(str(error)) from error
    try:
        set_input_shapes(module, shapes_given, force=options.force)
    except ContradictionError as error:
        raise CommandError(f"{error}. {target} was not written") from error
    except ValueError as error:
        raise UsageError(str(error)) from error
    # What the result is compared with: the model as it was asked for, which may be no file.
    is_other = bool(
        options.overwrite_input_shape
        or options.unused_output
        or not isinstance(as_read(source, module, options), str)
    )
    original = module.clone() if options.graph_diff or is_other else None
    try:
        with output.progress(f"optimizing {source}", 1) as step, quiet("ge.passes.check"):
            report = optimize(
                module,
                text,
                freeze=not options.mutable_initializer,
                trace=options.trace,
                # Without a contract no rewrite needs an observer.
                expect=expect if expect or options.lock else None,
                explain=[name for names in files.values() for name in names],
                check_rewrites=options.check_rewrites,
                check_dir=options.reproducer_dir,
                force=options.force,
            )
            step("")
    except ContradictionError as error:
        raise CommandError(f"{error}; --force writes it. {target} was not written") from error
    except (LostMatchesError, WrongRewriteError) as error:
        return _refused(source, target, error, output)
    verdict = None
    if options.check:
        given = _check_arguments(options, module)
        try:
            reference = source if original is None else original
            verdict = check(reference, module, runs=options.check, **given)
        except ValueError as error:
            raise UsageError(str(error)) from error
        except RuntimeError as error:
            raise CommandError(f"cannot check: {error}; nothing was written") from error
    if verdict is None or verdict:
        found = report.lockable() if options.lock else {}
        lock = _contract.locked(options, text, {source: found}) if options.lock else None
        _write(module, target, options, report, output)
        if lock is not None:
            lock_file = _contract.write_lock(options, lock)
            output.line(f"{lock_file}: {_contract.counts(found)}")
    if original is not None and options.graph_diff:
        _show_diff(original, module, output)
    _show(source, target, report, (size, _size(target)), verdict, output)
    _show_unmatched(source, files, report, output)
    return 0 if verdict is None or verdict else 1


# Of a wrong rewrite, for machines.
_WRONG = (
    "pass_name", "rule", "number", "nodes", "made", "file", "line", "max_abs", "max_rel", "reproducer",
)  # fmt: skip


def _refused(
    source: str, target: str, error: LostMatchesError | WrongRewriteError, output: Output
) -> int:
    """Say why nothing is written; return the exit status."""
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


def _write(
    module: Module, target: str, options: Options, report: OptimizeReport, output: Output
) -> None:
    from ..ir import ModelError
    from ..onnx import save
    from ._info import PROTOBUF_LIMIT

    if is_text(target):
        write_text(module.to_text(), target, allow_pipe=options.allow_pipe)
        return
    external = options.external_data
    limit = byte_count(options.external_data_threshold, "--external-data-threshold")
    if external is None and limit is not None and report.after.weights > limit:
        external = True
    try:
        save(
            module,
            target,
            external_data=external,
            overwrite=options.force,
            allow_pipe=options.allow_pipe,
        )
    except ValueError as error:
        raise UsageError(f"--external-data: {error}") from error
    except ModelError:
        if external is not None or report.after.weights < PROTOBUF_LIMIT // 2:
            raise
        save(module, target, external_data=True)
        output.note(f"weights are in {target}.data: protobuf allows 2 GiB in one file")


def _size(path: str) -> int | None:
    return os.path.getsize(path) if path != "-" and os.path.isfile(path) else None


def _show_diff(before: Module, after: Module, output: Output) -> None:
    from ..run import main_graph
    from ..view import compare
    from ._diff import sentence

    for group in compare(main_graph(before), main_graph(after)).groups:
        if group.kind != "same":
            output.line(sentence(group))


def _show(
    source: str,
    target: str,
    report: OptimizeReport,
    sizes: tuple[int | None, int | None],
    verdict: CheckReport | None,
    output: Output,
) -> None:
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
    if verdict is None or verdict:
        shown = [human_bytes(s) if s is not None else "-" for s in sizes]
        output.line(f"file     {shown[0]} -> {shown[1]}")
    if verdict is not None:
        _check.show(verdict, output)
    if verdict is not None and not verdict:
        output.error(f"the result computes something else: {target} was not written")
    else:
        output.line(f"{target}: {before.nodes} -> {after.nodes} nodes in {report.seconds:.2f} s")
    checked = report.rewrite_check
    if checked is not None:
        output.line(f"checked: {checked}")
    for note in report.notes:
        output.note(note)
    if report.surplus:
        output.note("--lock, or the number where it stands, says the new one")
    output.result(
        {
            "input": source,
            "output": target,
            "written": verdict is None or bool(verdict),
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


# Passes that match nowhere, of which more than names is told.
_FEW_UNMATCHED = 3


def _show_unmatched(
    source: str, files: Mapping[str, Sequence[str]], report: OptimizeReport, output: Output
) -> None:
    """Say of which files no pass matches, and why if they are few."""
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


def _need_consistent(options: Options, source: str, target: str) -> None:
    """Refuse options that contradict each other, or that would have no effect."""
    if is_text(target) and (options.external_data or options.external_data_threshold):
        raise UsageError("--external-data is for ONNX; a text holds its weights")
    for option, value in (("dim", options.dim), ("shape", options.shape)):
        if value and not options.check:
            raise UsageError(
                f"--{option} says how --check N runs the model; "
                "--overwrite-input-shape NAME:SIZES changes its inputs"
            )
    if options.input_data and not options.check:
        raise UsageError("--input-data says with what --check N runs the model: give both")
    others = {"-o": target, "the model": source}
    for option, path in (
        ("--trace", options.trace),
        ("--lock-file", options.lock_file if options.lock else None),
    ):
        if path is None:
            continue
        for what, other in others.items():
            if other != "-" and os.path.realpath(path) == os.path.realpath(other):
                raise UsageError(f"{option} {path} is the file of {what}: give another one")
        others[option] = path


def _need_inputs(option: str, words: Sequence[str], module: Module) -> None:
    """Refuse names of no input, also where nothing is checked."""
    from ..run import main_graph

    inputs = [value.name for value in main_graph(module).inputs]
    for word in words:
        # As the option is read: the name stands before the last or the first colon.
        names = {word.rpartition(":")[0], word.partition(":")[0]}
        if ":" in word and not names & set(inputs):
            have = ", ".join(inputs) or "none"
            raise UsageError(f"{option} {word}: the model has no such input; it has {have}")


def _dimension(text: str) -> int | str | None:
    """Return a size, a symbol, or None for a free dimension without one."""
    if text in ("?", "-1"):
        return None
    if text.isdecimal():
        return int(text)
    if re.fullmatch(r"[-+]?[\d.]+", text):
        raise ValueError(f"a dimension is a size, a symbol or -1, not {text}")
    return text


def _shape_words(option: str, words: Sequence[str], module: Module) -> dict[str, list[str]]:
    """Split onnxsim's ``name:1,3,224,224``; the name may be left out where there is one input."""
    from ..run import required_inputs

    found: dict[str, list[str]] = {}
    for word in words:
        name, sign, sizes = word.rpartition(":")
        if not sign:
            inputs = required_inputs(module)
            if len(inputs) != 1:
                raise UsageError(
                    f"'{word}' names no input, and the model has {len(inputs)}: NAME:{word}"
                )
            name = inputs[0].name
        parts = [part.strip() for part in sizes.split(",")]
        if not all(parts) and sizes:
            raise UsageError(f"'{word}' is no shape: NAME:1,3,224,224")
        shape = [part for part in parts if part]
        if found.setdefault(name, shape) != shape:
            raise UsageError(
                f"{option} gives '{name}' twice, as {','.join(found[name])} and as {','.join(shape)}"
            )
    return found


def _check_arguments(options: Options, module: Module) -> dict[str, Any]:
    from ..run import Sizes, make_inputs

    given = _check.arguments(options, module)
    for name, sizes in _shape_words("--test-input-shape", options.test_input_shape, module).items():
        shape = shapes([f"{name}={','.join(sizes)}"])
        if given["shapes"].setdefault(name, shape[name]) != shape[name]:
            raise UsageError(f"--shape and --test-input-shape give '{name}' different shapes")
    words = []
    for word in options.input_data_path:
        name, sign, file = word.partition(":")
        if not sign:
            raise UsageError(f"--input-data-path takes NAME:FILE, not '{word}'")
        words.append(f"{name}={file}")
    given["inputs"] |= input_data(words, module)
    if options.input_fill == "arange":
        free = Sizes(given["dims"], given["shapes"])
        given["inputs"] = {**make_inputs(module, kind="arange", sizes=free), **given["inputs"]}
    return given
