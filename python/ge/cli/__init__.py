"""The command ``ge``: models looked at, compared, converted, optimised and drawn from a shell.

``docs/command.md`` is its page. A command's module is imported when the command runs, so that
``ge doctor`` works where the native modules do not.
"""

from __future__ import annotations

import difflib
import importlib
import os
import sys
from importlib.util import find_spec
from typing import Any

from .._support import failures
from .._support.initialize import initialize
from .._support.log import escape_controls
from .._support.program import PACKAGE, PROGRAM

__all__ = ["main"]

# Each is a module _<name>.py: HELP, and STATUS if the exit status says more than done or not, stand in its help;
# `add_arguments(parser)`; `run(options, output)` returns the exit status. PARSER: a class of its own.
COMMANDS = {
    "bisect": "the first rewrite of a pipeline that makes a model wrong",
    "check": "whether two models compute the same",
    "convert": "ONNX to text, and text to ONNX",
    "diff": "how the nodes of two models correspond",
    "doctor": "what is installed, and what is wrong with it",
    "info": "operators, sizes, opsets, free dimensions, warnings",
    "optimize": "a model, or many, through a pipeline of passes",
    "plugins": "which passes there are, and what could not be loaded",
    "view": "a picture (.svg) or a page (.html) of a model, or of two",
    "why": "why a pass does not match in a model",
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : list of str, optional
        Default: those of the process.

    Returns
    -------
    int
        0 done, 1 failed (also: models differ), 2 wrong usage, 3 not decided whether models differ. 0 only if the command came to its end and what it
        printed was written: what code of plugins raises, ``SystemExit`` included, is a failure.
    """
    from ._output import UNDECIDED, CommandError, Output, UndecidedError, UsageError

    arguments = sys.argv[1:] if arguments is None else list(arguments)
    _open_closed_streams()
    escape_controls()
    output = Output(json="--json" in arguments)
    try:
        status = _dispatch(arguments, output)
        _flush()
        return status
    except UsageError as error:
        output.error(str(error))
        return 2
    except UndecidedError as error:
        output.error(str(error))
        output.result({"outcome": error.outcome, "error": str(error)})
        return UNDECIDED
    except CommandError as error:
        output.error(str(error))
        return 1
    except BrokenPipeError:
        _drop_stdout()
        return 1
    except KeyboardInterrupt:
        output.error("interrupted")
        return 1
    except Exception as error:
        if not _is_expected(error):
            raise
        output.error(_sentence(error))
        return 1
    except BaseException as error:  # of plugins; that of argparse is caught where it parses
        file, line = failures.raised_at(error)
        place = f" at {file}:{line}" if file else ""
        output.error(
            f"the code of a plugin terminated the command{place}: {failures.describe(error)}"
        )
        return 1


def _dispatch(arguments: list[str], output: Any) -> int:
    from ._output import Parser, UsageError

    if not arguments or arguments[0] in ("-h", "--help", "help"):
        if len(arguments) == 2 and arguments[1] in COMMANDS:
            return _dispatch([arguments[1], "--help"], output)
        print(_usage())
        return 0 if arguments else 2
    if arguments[0] in ("-V", "--version"):
        from ._doctor import version

        print(f"{PROGRAM} {version()}")
        return 0
    name, *rest = arguments
    if name not in COMMANDS:
        raise UsageError(f"no command '{name}'{_near(name)}; '{PROGRAM} --help' lists them")
    if not _is_built(name):
        raise UsageError(f"'{PACKAGE}' was built without the group of '{PROGRAM} {name}'")
    command = importlib.import_module(f"._{name}", __package__)
    if name != "doctor":  # it works where the packages do not
        initialize()
    make = getattr(command, "PARSER", Parser)
    parser = make(name, command.HELP, getattr(command, "STATUS", ""))
    command.add_arguments(parser)
    parser.add_json()
    try:
        options = parser.parse_args(rest)
    except SystemExit as stop:  # argparse has printed its help
        return 0 if not stop.code else 2
    status = command.run(options, output)
    if not isinstance(status, int):
        raise TypeError(
            f"{PROGRAM} {name} returned {type(status).__name__} instead of its exit status"
        )
    return status


def _open_closed_streams() -> None:
    """Open the null device for each stream that the shell closed: files that are opened later must not get its number."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # until the process ends


def _flush() -> None:
    """Flush the output, so that the exit status can report a full disk."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _drop_stdout()
        raise OSError(error.errno, error.strerror, "standard output") from error


def _drop_stdout() -> None:
    """Discard further output: it cannot be written, and would fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_built(name: str) -> bool:
    """Whether this package has the modules of a command: a vendor's build may lack the group View."""
    return name != "view" or find_spec(f"{PACKAGE}.view") is not None


def _near(name: str) -> str:
    if name.startswith("-"):
        return f" (the command comes first: '{PROGRAM} check a.onnx b.onnx')"
    if os.path.exists(name) or name.endswith(".onnx"):
        return f" (the command comes first: '{PROGRAM} info {name}')"
    near = difflib.get_close_matches(name, COMMANDS, 1, 0.5)
    return f"; did you mean '{near[0]}'?" if near else ""


def _usage() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {text}" for name, text in COMMANDS.items() if _is_built(name)]
    return "\n".join(
        [
            f"usage: {PROGRAM} COMMAND ...",
            "",
            *lines,
            "",
            f"'{PROGRAM} COMMAND --help' describes a command; exit status: 0 done, 1 failed or different, 2 wrong usage,",
            "3 not decided (a model could not be loaded, or something could not be evaluated).",
        ]
    )


def _is_expected(error: Exception) -> bool:
    """Whether the error's text is meant for the user; all else is a defect, with its traceback."""
    if isinstance(error, (OSError, ImportError)):
        return True
    ir = sys.modules.get(__package__.rpartition(".")[0] + ".ir") if __package__ else None
    return ir is not None and isinstance(error, ir.GEError)


def _sentence(error: Exception) -> str:
    if not isinstance(error, OSError) or not error.strerror:
        return failures.text_of(error)
    where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    return f"{where}{error.strerror}"
