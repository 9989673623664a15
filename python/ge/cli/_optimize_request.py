"""The request of ``ge optimize`` for one model: its arguments, checked against the model."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from . import _check, _contract
from ._inputs import input_data
from ._models import as_read, byte_count, is_text, read, shapes, text_of, write_text
from ._output import Options, Output, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ir import Module
    from ..onnx import OptimizeReport
    from ..optimize import Request

__all__ = ["request_of"]


def request_of(options: Options, source: str, target: str, text: str, output: Output) -> Request:
    """Read a model and return the request for it.

    Parameters
    ----------
    options : Options
    source, target : str
        Paths, or ``-``.
    text : str
        The pipeline.
    output : Output
        For notes while the result is written.

    Raises
    ------
    UsageError
        For options that contradict each other or the model.
    GEError, OSError
        If the model cannot be read.
    """
    from ..optimize import Request, pass_names

    run = pass_names(text)
    expect = _contract.Expectations(options, text).of(source)
    _need_consistent(options, source, target)
    module = read(source, options)
    try:
        words = _shape_words("--overwrite-input-shape", options.overwrite_input_shape, module)
        input_shapes = {name: [_dimension(part) for part in parts] for name, parts in words.items()}
    except ValueError as error:
        raise UsageError(str(error)) from error
    _need_inputs("--test-input-shape", options.test_input_shape, module)
    _need_inputs("--input-data-path", options.input_data_path, module)
    file = as_read(source, module, options)
    is_changed = bool(input_shapes or options.unused_output)

    def save(report: OptimizeReport) -> None:
        locked = None
        if options.lock:
            locked = _contract.locked(options, text, {source: report.lockable()})
        _write(module, target, options, report, output)
        if locked is not None:
            _contract.write_lock(options, locked)

    return Request(
        module=module,
        pipeline=text,
        save=save,
        input_shapes=input_shapes,
        unused_outputs=options.unused_output,
        freeze=not options.mutable_initializer,
        trace=options.trace,
        # Without a contract no rewrite needs an observer.
        expect=expect if expect or options.lock else None,
        explain=[n for names in options.pass_files.values() for n in names if n in run],
        check_rewrites=options.check_rewrites,
        check_dir=options.reproducer_dir,
        force=options.force,
        runs=options.check or 0,
        check_arguments=lambda optimized: _check_arguments(options, optimized),
        # A model that was changed before the passes is not a file.
        reference=file if isinstance(file, str) and not is_changed else None,
        keep_original=options.graph_diff,
    )


def _need_consistent(options: Options, source: str, target: str) -> None:
    """Refuse options that contradict each other, or that would have no effect."""
    if is_text(target) and (options.external_data or options.external_data_threshold):
        raise UsageError("--external-data is for ONNX; a text holds its weights")
    for option, value in (("dim", options.dim), ("shape", options.shape)):
        if value and not options.check:
            raise UsageError(
                f"--{option} configures --check N, which is not given; "
                "--overwrite-input-shape NAME:SIZES changes its inputs"
            )
    if options.input_data and not options.check:
        raise UsageError("--input-data supplies the inputs of --check N: give both")
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
        # As the option is parsed: the name precedes the last or the first colon.
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
            if word in (each.name for each in inputs):
                raise UsageError(
                    f"{option} {word}: the input has no shape there: {word}:1,3,224,224"
                )
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


def _write(
    module: Module, target: str, options: Options, report: OptimizeReport, output: Output
) -> None:
    from ..ir import ModelError
    from ..onnx import save
    from ._info import PROTOBUF_LIMIT

    if is_text(target):
        write_text(text_of(module), target, allow_pipe=options.allow_pipe)
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
            verify=True,
        )
    except ValueError as error:
        raise UsageError(f"--external-data: {error}") from error
    except ModelError:
        if external is not None or report.after.weights < PROTOBUF_LIMIT // 2:
            raise
        save(module, target, external_data=True, verify=True)
        output.note(f"weights are in {target}.data: protobuf allows 2 GiB in one file")
