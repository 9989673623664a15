"""``ge optimize``: models through a pipeline of passes, in GE's words or in onnxsim's."""

from __future__ import annotations

import argparse
import os
from typing import Any

from .._support.program import PROGRAM
from . import _check, _contract, _onnxsim
from ._models import add_reading, target_of
from ._optimize_many import run_many
from ._optimize_one import run_one
from ._output import Options, Output, Parser, UsageError
from ._pipeline import add_pipeline, pipeline_of

__all__ = ["add_arguments", "run"]

_DEFAULT_TRACE = "ge_profile.json"


class _OptimizeParser(Parser):
    """Parser that allows options between the files, and explains which flags of onnxsim GE rejects."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, after looking for flags that are refused.

        Parameters
        ----------
        args : list of str
        namespace : Options, optional
        """
        for word in args:
            name = word.partition("=")[0]
            if name in _onnxsim.REFUSED:
                raise UsageError(f"onnxsim's {name} is refused: {_onnxsim.REFUSED[name]}")
        return self.parse_intermixed_args(args, namespace)


HELP = (
    f"Optimise a model:    {PROGRAM} optimize IN -o OUT    (or as onnxsim, for a new file: {PROGRAM} optimize IN OUT [N])\n"
    f"or many:             {PROGRAM} optimize --jobs 4 models/*.onnx --output-dir optimized\n"
    "Without --passes all passes of -O run. The flags of onnxsim work, see docs/onnxsim.md."
)
STATUS = (
    "Exit status: 0 done, 1 failed (of many: any; with --check also: the result differs), 2 wrong usage, 3 --check could not\n"
    "decide: a model could not be loaded, or something could not be evaluated."
)
PARSER = _OptimizeParser


def add_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    add = parser.add_argument
    add("paths", nargs="*", metavar="MODEL", help="a model; as onnxsim: IN OUT [N]")
    add("-o", "--output", metavar="OUT", help="where the result goes; text if it ends in .mlir")
    add_reading(parser)
    add_pipeline(parser)
    add(
        "--check",
        type=int,
        metavar="N",
        help="compare with the model on N random inputs and on edge values",
    )
    _check.add_inputs(parser)
    add(
        "--check-rewrites",
        action="store_true",
        help="compare each rewrite with what it replaces, and other passes as a whole",
    )
    add(
        "--reproducer-dir",
        metavar="DIR",
        default=".",
        help="where a wrong rewrite leaves its text (default: here)",
    )
    _contract.add_arguments(parser)
    add(
        "--external-data",
        nargs="?",
        const=True,
        metavar="NAME",
        help="weights go to OUT.data, or to the new file NAME",
    )
    add(
        "--force",
        action="store_true",
        help="write a result whose types contradict each other, too; --external-data may replace NAME, "
        "--output-dir files that are not results of it",
    )
    add("--trace", metavar="FILE", help="write a Chrome trace of the passes")
    add("--jobs", type=int, metavar="N", help="many models, on N processes")
    add("--output-dir", metavar="DIR", help="of the results of many models (default: optimized)")
    add("--again", action="store_true", help="of many models: also those that were done before")
    _add_onnxsim(add)


def _add_onnxsim(add: Any) -> None:
    def hidden(*names: str, **settings: Any) -> None:
        add(*names, help=argparse.SUPPRESS, **settings)

    hidden("--check-rtol", type=float, dest="rtol")
    hidden("--check-atol", type=float, dest="atol")
    hidden("--overwrite-input-shape", "--input-shape", nargs="+", action="extend", default=[])
    hidden("--test-input-shape", nargs="+", action="extend", default=[])
    hidden("--input-data-path", nargs="+", action="extend", default=[])
    hidden("--input-fill", choices=("random", "ones", "zeros", "arange"))
    hidden("--skip-optimization", "--skip-optimizer", nargs="*", action="append")
    for flag, name in (
        ("--skip-fuse-bn", "fold-batch-norm"),
        ("--skip-constant-folding", "constant-fold"),
    ):
        hidden(flag, action="append_const", dest="skip", const=name)
    hidden("--no-large-tensor", nargs="?", const="1KB", dest="fold_limit")
    hidden("--unused-output", nargs="+", action="extend", default=[])
    hidden("--save-as-external-data", action="store_true")
    hidden("--external-data-threshold")
    hidden("--providers", nargs="+", action="extend", dest="provider")
    hidden("--profile", nargs="?", const=_DEFAULT_TRACE, dest="trace")
    hidden("--graph-diff", action="store_true")
    hidden("--list-default-optimizers", action="store_true")
    hidden("-v", "--version", action="store_true")
    hidden("--inline-functions", action="store_true")
    hidden("--list-other-optimizers", action="store_true")
    hidden("--cuda", action="store_true")
    for name in ("--enable-fuse-bn", "--dynamic-input-shape", "--include-subgraph"):
        hidden(name, action="store_true")
    for name in ("--skip-schema-import", "--skip-shape-inference", "--no-certify"):
        hidden(name, action="store_true")
    hidden("--custom-lib")


def run(options: Options, output: Output) -> int:
    """Optimise one model or many; return the exit status."""
    from ..optimize import pipeline_text

    if options.version:
        from ._doctor import version

        output.line(f"{PROGRAM} {version()}")
        return 0
    is_many = options.jobs is not None or options.output_dir is not None
    _settle(options, is_many)
    text = pipeline_of(options)
    if options.list_default_optimizers:
        output.line(pipeline_text(text, expand=True))
        return 0
    if options.list_other_optimizers:
        _list_others(output)
        return 0
    if options.check is not None and options.check < 1:
        raise UsageError(f"--check is {options.check}: at least 1 is needed")
    if is_many:
        return run_many(options, text, output)
    source, target = _files(options)
    return run_one(options, source, target, text, output)


def _settle(options: Options, is_many: bool) -> None:
    """Merge options that have the same meaning; raise if they contradict each other."""
    if options.save_as_external_data and options.external_data is None:
        options.external_data = True
    if options.cuda:
        if options.provider:
            raise UsageError("--cuda contradicts --provider: give one of them")
        options.provider = list(_onnxsim.CUDA)
    if options.again and not is_many:
        raise UsageError("--again is for many models: --output-dir DIR")
    if options.no_lock and options.lock_file:
        raise UsageError("--no-lock contradicts --lock-file: give one of them")


def _files(options: Options) -> tuple[str, str]:
    paths: list[str] = options.paths
    if not paths:
        raise UsageError(f"no model was given ('{PROGRAM} optimize --help' tells more)")
    if options.output is not None:
        if len(paths) > 1:
            raise UsageError(
                f"-o says where the result goes, so '{paths[1]}' is one model too many; "
                "many are optimised with --jobs N --output-dir DIR"
            )
        return paths[0], target_of(options.output)
    if len(paths) == 1:
        raise UsageError(f"where to? {PROGRAM} optimize {paths[0]} -o OUT")
    if len(paths) == 3 and paths[2].isdecimal():
        runs = int(paths[2])
        if options.check is not None and options.check != runs:
            raise UsageError(f"--check {options.check} contradicts {runs}: give one of them")
        options.check = runs or None
        paths = paths[:2]
    if len(paths) > 2:
        raise UsageError("many models are optimised with --jobs N --output-dir DIR")
    if os.path.lexists(paths[1]):
        # A shell's expansion of `*.onnx` to two models looks the same.
        raise UsageError(
            f"'{paths[1]}' exists: to replace it, {PROGRAM} optimize {paths[0]} -o {paths[1]}; "
            "to optimise both models, --output-dir DIR"
        )
    return paths[0], target_of(paths[1])


def _list_others(output: Output) -> None:
    """Print the passes that are not in ``-O``."""
    from ..optimize import pass_names
    from ..passes import list_passes

    default = pass_names()
    for one in list_passes():
        if one["name"] not in default and not one["pipeline"]:
            output.line(one["name"])
