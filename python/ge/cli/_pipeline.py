"""Which passes run: ``--passes``, ``-O`` and what takes some of them out again."""

from __future__ import annotations

import os

from . import _onnxsim
from ._models import byte_count
from ._output import Options, Parser, UsageError
from ._plugins import load_files

__all__ = ["add_pipeline", "pipeline_of", "plugins_of"]


def add_pipeline(parser: Parser) -> None:
    """Add what says which passes run.

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
        help="leave a pass of the pipeline out",
    )
    add("--fold-limit", metavar="BYTES", help="a folded tensor may not be larger (default: 1MiB)")
    add("--mutable-initializer", action="store_true", help="inputs with a default stay inputs")


def pipeline_of(options: Options) -> str:
    """Return the pipeline that the options say, which is one.

    Parameters
    ----------
    options : Options

    Raises
    ------
    UsageError
    """
    from ..ir import ParseError
    from ..onnx._optimize import pipeline_text

    try:
        text = pipeline_text(
            _passes(options),
            fold_limit=byte_count(options.fold_limit, "--fold-limit"),
            skip=_skipped(options),
        )
        _parse(options, text)
    except (ValueError, ParseError) as error:
        raise UsageError(str(error)) from error
    return text


def _passes(options: Options) -> str | None:
    from ..onnx._optimize import PIPELINE

    first = ["inline"] if getattr(options, "inline_functions", False) else []  # onnxsim's
    options.pass_files, options.needs_plugins = {}, False
    if not options.passes:
        return ",".join([*first, PIPELINE]) if first else None
    words: list[str] = []
    for text in options.passes:
        for word in _pieces(text):
            if word.endswith(".py"):
                names = load_files([word])
                options.pass_files[word] = names
                words += names
            else:
                words.append(word)
    if options.pass_files:
        # Conditions of pass files ask for shapes; a model seldom says them of all values.
        words.insert(0, "infer-types")
    return ",".join([*first, *words, *([PIPELINE] if options.all else [])])


def _pieces(text: str) -> list[str]:
    """Return pass files, and what is pipeline between them, of a text such as ``optimize,my_pass.py``."""
    if os.path.isfile(text):
        return [text]
    found: list[str] = []
    for word in text.split(","):
        if word.strip().endswith(".py"):
            found.append(word.strip())
        elif found and not found[-1].endswith(".py"):
            found[-1] += f",{word}"  # of options, or of a nested pipeline
        else:
            found.append(word)
    return found


def _parse(options: Options, text: str) -> None:
    """Parse a pipeline; where it names a pass that is not there, with those of the environment."""
    from ..ir import ParseError
    from ..passes import PassManager
    from ..passes._quiet import quiet
    from ..passes.bootstrap import load_errors, load_pass_plugins

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
    """Return the files that another process loads to know the passes that are known here; None: there is no need.

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


def _skipped(options: Options) -> list[str]:
    names: list[str] = list(options.skip)
    given = getattr(options, "skip_optimization", None)  # onnxsim's
    if given is not None and not given:
        # onnxsim: none of its optimiser's passes; inference and folding stay.
        given = sorted(set(_onnxsim.PASSES) - {"eliminate_if_with_const_cond"})
    for name in given or ():
        if name in _onnxsim.PASSES:
            names.append(_onnxsim.PASSES[name])
        elif name not in _onnxsim.WITHOUT_COUNTERPART:
            names.append(name)
    return list(dict.fromkeys(names))
