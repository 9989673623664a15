"""``ge optimize``: models through a pipeline of passes, in GE's words or in onnxsim's."""

from __future__ import annotations

import argparse
import os
import re
from typing import Any

from . import _check, _contract, _onnxsim
from ._models import add_reading
from ._optimize_many import run_many
from ._optimize_one import run_one
from ._output import Options, Output, Parser, UsageError
from ._pipeline import add_pipeline, pipeline_of

__all__ = ["add_arguments", "run"]

_DEFAULT_TRACE = "ge_profile.json"


class _OptimizeParser(Parser):
    """Options may stand between the files; what onnxsim has and GE refuses says why."""

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
    "Optimise a model:    ge optimize IN -o OUT    (or as onnxsim, for a new file: ge optimize IN OUT [N])\n"
    "or many:             ge optimize --jobs 4 models/*.onnx --output-dir optimized\n"
    "Without --passes all passes of -O run. The flags of onnxsim work, see docs/onnxsim.md."
)
STATUS = "Exit status: 0 done, 1 failed (of many: any; with --check also: the result differs), 2 wrong usage."
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
        help="--external-data may replace NAME, --output-dir files that are no results of it",
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
    hidden("--overwrite-input-shape", "--input-shape", nargs="+", default=[])
    hidden("--test-input-shape", nargs="+", default=[])
    hidden("--input-data-path", nargs="+", default=[])
    hidden("--input-fill", choices=("random", "ones", "zeros", "arange"))
    hidden("--skip-optimization", "--skip-optimizer", nargs="*")
    for flag, name in (
        ("--skip-fuse-bn", "fold-batch-norm"),
        ("--skip-constant-folding", "constant-fold"),
    ):
        hidden(flag, action="append_const", dest="skip", const=name)
    hidden("--no-large-tensor", nargs="?", const="1KB", dest="fold_limit")
    hidden("--unused-output", nargs="+", default=[])
    hidden("--save-as-external-data", action="store_const", const=True, dest="external_data")
    hidden("--external-data-threshold")
    hidden("--providers", nargs="+", dest="provider")
    hidden("--profile", nargs="?", const=_DEFAULT_TRACE, dest="trace")
    hidden("--graph-diff", action="store_true")
    hidden("--list-default-optimizers", action="store_true")
    hidden("-v", "--version", action="store_true")
    hidden("--inline-functions", action="store_true")
    hidden("--list-other-optimizers", action="store_true")
    hidden("--cuda", action="store_const", dest="provider", const=_onnxsim.CUDA)
    for name in ("--enable-fuse-bn", "--dynamic-input-shape", "--include-subgraph"):
        hidden(name, action="store_true")
    for name in ("--skip-schema-import", "--skip-shape-inference", "--no-certify"):
        hidden(name, action="store_true")
    hidden("--custom-lib")


def run(options: Options, output: Output) -> int:
    """Optimise one model or many; return the exit status."""
    from ..onnx._optimize import pipeline_text

    if options.version:
        from ._doctor import version

        output.line(f"ge {version()}")
        return 0
    is_many = options.jobs is not None or options.output_dir is not None
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


def _files(options: Options) -> tuple[str, str]:
    paths: list[str] = options.paths
    if not paths:
        raise UsageError("no model was given ('ge optimize --help' tells more)")
    if options.output is not None:
        if len(paths) > 1:
            raise UsageError(
                f"-o says where the result goes, so '{paths[1]}' is one model too many; "
                "many are optimised with --jobs N --output-dir DIR"
            )
        return paths[0], options.output
    if len(paths) == 1:
        raise UsageError(f"where to? ge optimize {paths[0]} -o OUT")
    if len(paths) == 3 and paths[2].isdecimal():
        if options.check is None and int(paths[2]):
            options.check = int(paths[2])
        paths = paths[:2]
    if len(paths) > 2:
        raise UsageError("many models are optimised with --jobs N --output-dir DIR")
    if os.path.lexists(paths[1]):
        # Two models, as a shell makes them of `*.onnx`, look the same.
        raise UsageError(
            f"'{paths[1]}' exists: to replace it, ge optimize {paths[0]} -o {paths[1]}; "
            "to optimise both models, --output-dir DIR"
        )
    return paths[0], paths[1]


def _list_others(output: Output) -> None:
    """Print the passes that are not in ``-O``."""
    from ..onnx._optimize import pipeline_text
    from ..passes import list_passes

    default = set(re.findall(r"[\w.-]+", pipeline_text(expand=True)))
    for one in list_passes():
        if one["name"] not in default and not one["pipeline"]:
            output.line(one["name"])
