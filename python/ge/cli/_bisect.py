"""``ge bisect``: the first rewrite of a pipeline that makes a model wrong."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from .._support.program import PROGRAM
from . import _check
from ._models import add_reading, read
from ._output import CommandError, Options, Output, Parser, UndecidedError, UsageError
from ._pipeline import add_pipeline, pipeline_of

if TYPE_CHECKING:
    from ..ir import Module

__all__ = ["add_arguments", "run"]

# As for `git bisect run`.
_CANNOT_SAY = 125
_ABORT = 128

HELP = (
    "Find the first rewrite of a pipeline after which a model is wrong: first the pass, then the rewrite in it, by\n"
    f"bisection. '{PROGRAM} check', which compares with the original model, or --script decides what is wrong."
)
STATUS = (
    "Exit status: 0 the model is right after all passes, 1 one makes it wrong, 2 wrong usage, 3 not decided: the model could\n"
    "not be loaded or evaluated before the first pass or after the last one."
)


def add_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.add_argument("model", metavar="MODEL")
    add_reading(parser)
    add_pipeline(parser)
    parser.add_argument(
        "--script",
        metavar="COMMAND",
        help="is given the path of a model ({} or at the end): exit 0 right, 125 cannot say, other numbers wrong",
    )
    parser.add_argument(
        "--runs", type=int, default=3, metavar="N", help="random inputs (default: 3)"
    )
    parser.add_argument(
        "--reproducer-dir",
        metavar="DIR",
        default=".",
        help="where the wrong rewrite leaves its text (default: here)",
    )
    _check.add_inputs(parser)


def run(options: Options, output: Output) -> int:
    """Search; return the exit status."""
    from ..optimize import free_initializers, freeze_inputs
    from ..passes import bisect

    if options.runs < 1:
        raise UsageError(f"--runs is {options.runs}: at least 1 is needed")
    text = pipeline_of(options)
    module = read(options.model, options)
    if not options.mutable_initializer:
        freeze_inputs(module)
    free_initializers(module)
    script = options.script
    oracle = _by_check(options, module) if script is None else _by_script(script)
    answers: list[bool | None] = []

    def asked(candidate: Module) -> bool | None:
        answer = oracle(candidate)
        answers.append(answer)
        step({True: "right", False: "wrong", None: "cannot say"}[answer])
        return answer

    with output.progress("models", 0) as step:
        try:
            found = bisect(module, text, asked, directory=options.reproducer_dir)
        except ValueError as error:
            if answers == [None]:
                raise UndecidedError(str(error), "not-evaluated") from error
            raise CommandError(str(error)) from error
    if found is not None and False not in answers:
        raise UndecidedError(
            f"no model that could be tested is wrong; after this none could be: {found}",
            "not-evaluated",
        )
    if found is None:
        output.line(f"{options.model} is right after all passes of {text}")
    else:
        output.line(f"first wrong: {found}")
        if found.skipped:
            output.line(f"or one of the {found.skipped} before it, which could not be tested")
        see = f"see {found.reproducer}" if found.reproducer else "no reproducer could be written"
        output.line(f"{found.tested} models tested; {see}")
    output.result(
        {
            "model": options.model,
            "pipeline": text,
            "found": None if found is None else vars(found),
        }
    )
    return 0 if found is None else 1


def _by_check(options: Options, module: Module) -> Callable[[Module], bool | None]:
    from ..run import NotRunError, check

    given = _check.arguments(options, module)

    def oracle(candidate: Module) -> bool | None:
        try:
            report = check(module, candidate, runs=options.runs, **given)
        except ValueError as error:
            raise UsageError(str(error)) from error
        except NotRunError as error:
            raise UndecidedError(f"cannot check: {error}", error.outcome) from error
        except RuntimeError as error:
            raise CommandError(f"cannot check: {error}") from error
        # A pass that makes what cannot be loaded is wrong, where the model could.
        known = {"equal": True, "different": False, "not-loaded": False}
        return known.get(report.outcome)

    return oracle


def _by_script(script: str) -> Callable[[Module], bool | None]:
    def oracle(candidate: Module) -> bool | None:
        with _file_of(candidate) as path:
            quoted = shlex.quote(path)
            command = script.replace("{}", quoted) if "{}" in script else f"{script} {quoted}"
            status = subprocess.run(command, shell=True, check=False).returncode
        if status < 0 or status >= _ABORT:
            raise CommandError(f"the script ended with status {status}: {command}")
        return None if status == _CANNOT_SAY else status == 0

    return oracle


@contextlib.contextmanager
def _file_of(module: Module) -> Iterator[str]:
    """Write a model for another program; give its path.

    The file has no name in a directory, so that nothing is left of it however this process ends. A model with external
    data is the exception: the data are found by the names of files.
    """
    from ..ir import ModelError
    from ..onnx import load, save, to_bytes

    own = f"/proc/{os.getpid()}/fd"
    try:
        data = to_bytes(module, external_data=False) if os.path.isdir(own) else None
    except ModelError:
        data = None  # more than protobuf's 2 GiB, or what `save` reports
    if data is None:
        with tempfile.TemporaryDirectory(prefix="ge-bisect-") as directory:
            path = os.path.join(directory, "model.onnx")
            save(module, path, verify=True)
            yield path
        return
    load(data)  # it is read again before it is used
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        yield f"{own}/{file.fileno()}"
