"""Which passes run: ``--passes``, ``-O`` and ``--skip``."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from . import _onnxsim
from ._models import byte_count
from ._output import Options, Parser, UsageError
from ._plugins import load_files

if TYPE_CHECKING:
    from ..passes import Pipeline

__all__ = ["add_pipeline", "matches_of", "pipeline_of", "plugins_of", "prepared_by"]


def add_pipeline(parser: Parser) -> None:
    """Add the options that select passes.

    Parameters
    ----------
    parser : Parser
    """
    add = parser.add_argument
    add(
        "--passes",
        action="append",
        metavar="PIPELINE",
        help="passes, as in 'cse,dce', or a pass file.py",
    )
    add("-O", dest="all", action="store_true", help="all passes, after those of --passes")
    add(
        "--skip",
        action="append",
        default=[],
        metavar="PASS",
        help="leave out a pass of the pipeline",
    )
    add(
        "--fold-limit",
        metavar="BYTES",
        help="largest tensor that folding may create (default: 1MiB)",
    )
    add(
        "--exact",
        action="store_true",
        help="only rewrites that preserve results bit for bit",
    )
    add(
        "--fast-math",
        action="store_true",
        help="also rewrites after which results may differ by more than rounding",
    )
    add(
        "--fold-quantized",
        action="store_true",
        help="also turn quantised constants into wide ones",
    )
    add(
        "--mutable-initializer",
        action="store_true",
        help="keep inputs with a default value as inputs",
    )


def pipeline_of(options: Options) -> str:
    """Return the pipeline of the options.

    Parameters
    ----------
    options : Options

    Raises
    ------
    UsageError
    """
    from ..ir import ParseError
    from ..optimize import exactness_of, pipeline_text

    if options.exact and options.fast_math:
        raise UsageError("--exact and --fast-math contradict each other: give one of them")
    try:
        passes = _passes(options)
        text = pipeline_text(
            passes,
            fold_limit=byte_count(options.fold_limit, "--fold-limit"),
            skip=_skipped(options, passes),
        )
        _parse(options, text)
        # Looked up after parsing, which loads the passes that the text names.
        text = pipeline_text(
            text,
            exactness=exactness_of(options.exact, options.fast_math),
            fold_quantized=options.fold_quantized,
        )
    except (ValueError, ParseError) as error:
        raise UsageError(str(error)) from error
    return text


def _passes(options: Options) -> str | None:
    from ..optimize import PIPELINE
    from ..passes import Pipeline

    first = ["inline"] if getattr(options, "inline_functions", False) else []  # onnxsim's
    options.pass_files, options.needs_plugins = {}, False
    if not options.passes:
        return ",".join([*first, PIPELINE]) if first else None
    written = _written(options.passes, options.pass_files)
    if options.pass_files:
        # Conditions of pass files need shapes, which models seldom declare for all values.
        first.append("infer-types")
    return str(Pipeline.of(*first) + written + Pipeline.of(*([PIPELINE] if options.all else [])))


def _written(texts: Sequence[str], files: dict[str, list[str]]) -> Pipeline:
    """Return the pipeline that texts of ``--passes`` say, with the passes of files, which are put into `files`."""
    from ..passes import Pipeline

    written = Pipeline()
    for text in texts:
        for piece in _pieces(text):
            if isinstance(piece, str):
                files[piece] = load_files([piece])
                piece = Pipeline.of(*files[piece])
            written += piece
    return written


def prepared_by(options: Options) -> str:
    """Return the pipeline that ``--after`` says; empty without it.

    Parameters
    ----------
    options : Options

    Raises
    ------
    UsageError
    """
    from ..ir import ParseError
    from ..passes import Pipeline

    files: dict[str, list[str]] = {}
    try:
        written = _written(options.after, files)
        text = str(Pipeline("infer-types") + written if files else written)
        _parse(options, text)
    except (ValueError, ParseError) as error:
        raise UsageError(str(error)) from error
    return text


def _pieces(text: str) -> Iterator[str | Pipeline]:
    """Yield pass files and the pipelines between them of a text such as ``optimize,my_pass.py``."""
    from ..passes import Pipeline

    if os.path.isfile(text) or (text.endswith(".py") and "," not in text):
        yield text  # whatever characters are in it
        return
    pipeline = Pipeline(text)
    for index, element in enumerate(pipeline):
        if element.group is None and element.name.endswith(".py"):
            yield element.name
        else:
            yield pipeline[index : index + 1]


def _parse(options: Options, text: str) -> None:
    """Parse a pipeline; if it names an unknown pass, load the passes of the environment and try again."""
    from .._support.quiet import quiet
    from ..ir import ParseError
    from ..passes import PassManager, load_pass_plugins
    from ..passes.bootstrap import load_errors

    if not text:
        return
    try:
        PassManager.parse(text)
    except ParseError:
        with quiet():
            options.needs_plugins = bool(load_pass_plugins())
        try:
            PassManager.parse(text)
        except ParseError as error:
            failed = "".join(f"\n{o} was not loaded: {why}" for o, why in load_errors().items())
            raise ParseError(f"{error}{failed}") from error


def plugins_of(options: Options) -> list[str] | None:
    """Return the files that another process must load to have the passes that this one has; None: none are needed.

    Parameters
    ----------
    options : Options
        For which `pipeline_of` was asked.
    """
    from ..passes.bootstrap import ENV_PY_PASS_PATH

    files = list(options.pass_files)
    if options.needs_plugins:
        files += [
            p.strip() for p in os.environ.get(ENV_PY_PASS_PATH, "").split(os.pathsep) if p.strip()
        ]
    return files if files or options.needs_plugins else None


def _skipped(options: Options, passes: str | None) -> list[str]:
    from ..optimize import pass_names

    names: list[str] = list(options.skip)
    given: list[list[str]] = getattr(options, "skip_optimization", None) or []  # onnxsim's
    if [] in given:
        # As in onnxsim: leaves out the optimiser's passes, but not inference and folding.
        all_of_them = set(_onnxsim.PASSES) - {"eliminate_if_with_const_cond"}
        run = pass_names(passes)
        names += sorted({_onnxsim.PASSES[name] for name in all_of_them} & run)
    for name in [name for some in given for name in some]:
        if name in _onnxsim.PASSES:
            names.append(_onnxsim.PASSES[name])
        elif name not in _onnxsim.WITHOUT_COUNTERPART:
            names.append(name)
    return list(dict.fromkeys(names))


def matches_of(names: Sequence[str], matches: Mapping[str, int], changing: Collection[str]) -> str:
    """Return how often each pass of a file matched, in a line.

    Parameters
    ----------
    names : sequence of str
        Of the passes.
    matches : mapping of str to int
        Of the passes that ran.
    changing : collection of str
        Names of the passes that changed something: a pass without patterns may do so without a match.
    """

    def one(name: str) -> str:
        if name not in matches:
            return f"{name} did not run"
        count = matches[name]
        if not count and name in changing:
            return f"{name} changed the model"
        return f"{name} {count} {'match' if count == 1 else 'matches'}"

    return ", ".join(map(one, names))
