"""What hooks raise, and the error that a failed pass becomes."""

import os
from types import TracebackType
from typing import Any

from .. import ir
from .._mlir_like._cext_loader import load
from ._public import publish

__all__ = ["PassFatal", "PassSkip", "failure"]

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # .../ge


class PassSkip(Exception):  # noqa: N818 - it is no error
    """Raised by a hook: leave this match or node alone and go on with the next one.

    In ``run`` of a whole pass it ends the pass; what it did until then stays. In ``__init__`` and ``patterns``, where there
    is no match yet, it ends the pass too; in a predicate of a pattern it is a no.
    """


load("passes")._set_skip(PassSkip)


class PassFatal(ir.GEError):
    """Raised by a hook: end the whole run, also one that goes on after failures.

    The pass is undone, like any that fails.
    """


def _frames(traceback: TracebackType | None) -> list[tuple[str, int]]:
    frames = []
    while traceback is not None:
        frames.append((traceback.tb_frame.f_code.co_filename, traceback.tb_lineno))
        traceback = traceback.tb_next
    return frames


def _place(error: BaseException) -> tuple[str | None, int | None]:
    """Return file and line in the user's code: the innermost frame that is none of ours."""
    frames = _frames(error.__traceback__)
    for file, line in reversed(frames):
        if not os.path.abspath(file).startswith(_OWN + os.sep):
            return file, line
    return (None, None)


def failure(
    error: BaseException, pass_name: str, hook: str, node: ir.Node | str | None = None
) -> BaseException:
    """Return the `PassError` that says where `error` came from, with `error` as its cause.

    What ends the program (``KeyboardInterrupt``, ``SystemExit``) stays what it is, and a `PassError` is not
    wrapped again.
    """
    if not isinstance(error, Exception) or (
        isinstance(error, ir.PassError) and error.pass_name is not None
    ):
        return error
    name = None
    if isinstance(node, str):
        name = node
    elif node is not None and node.is_alive:
        name = node.name
    file, line = _place(error)
    detail = f"{hook}()" + (f" at node '{name}'" if name else "")
    text = str(error)
    what = type(error).__name__ + (f": {text}" if text else "")
    place = f" ({file}:{line})" if file else ""
    made: Any = ir.PassError(f"pass '{pass_name}' failed in {detail}{place}: {what}")
    made.pass_name, made.hook, made.node = pass_name, hook, name
    made.file, made.line = file, line
    made._ge_detail = f"{detail}: {what}"
    made._ge_fatal = isinstance(error, PassFatal)
    made.__cause__ = error
    wrapped: BaseException = made
    return wrapped


publish(globals())
