"""Exceptions that hooks raise, and the error of a failed pass."""

from typing import Any

from ... import ir
from ..._mlir_like._cext_loader import load
from ..._support.failures import describe, is_interrupt, raised_at
from .._pattern._public import publish

__all__ = ["PassCancelled", "PassFatal", "PassSkip"]


class PassSkip(Exception):  # noqa: N818 - it is not an error
    """Raised by a hook: skip this match or node and continue with the next one.

    In ``run`` of a whole pass, or in a function that is a pass, it ends the call and undoes its edits of the graph. In
    ``__init__`` and ``patterns``, where there is not a match yet, it ends the pass; in a predicate of a pattern it is a no.
    """


class LimitReached(PassSkip):
    """Ends a pass at the limit of rewrites of a run (bisection); what it did until then stays."""


load("passes")._set_skip(PassSkip)


class PassCancelled(BaseException):
    """Raised in a hook when a native host cancels the run (``geHostCancel``): the pass is undone, and the run ends.

    It comes between two instructions of Python, as `KeyboardInterrupt` does, and no ``except Exception`` stops it.
    """


load("passes")._set_cancelled(PassCancelled)


class PassFatal(ir.GEError):
    """Raised by a hook: end the whole run, also one that goes on after failures.

    The pass is undone, like any that fails.
    """


def failure(
    error: BaseException,
    pass_name: str,
    hook: str,
    node: ir.Node | str | None = None,
    place: tuple[str, int] | None = None,
) -> BaseException:
    """Return the `PassError` with the location of `error`, and with `error` as its cause.

    `place` counts where no code of the user raised: what a hook returned was wrong.

    Interrupts (`is_interrupt`) and `PassCancelled` stay what they are, and a `PassError` is not wrapped again. Everything
    else, ``SystemExit`` included, is the failure of the pass.
    """
    if (
        is_interrupt(error)
        or isinstance(error, PassCancelled)
        or (isinstance(error, ir.PassError) and error.pass_name is not None)
    ):
        return error
    name = None
    if isinstance(node, str):
        name = node
    elif node is not None and node.is_alive:
        name = node.name
    file, line = raised_at(error)
    if file is None and place is not None:
        file, line = place
    detail = f"{hook}()" + (f" at node '{name}'" if name else "")
    what = describe(error)
    where = f" ({file}:{line})" if file else ""
    made: Any = ir.PassError(f"pass '{pass_name}' failed in {detail}{where}: {what}")
    made.pass_name, made.hook, made.node = pass_name, hook, name
    made.file, made.line = file, line
    made._ge_detail = f"{detail}: {what}"
    made._ge_fatal = isinstance(error, PassFatal)
    made.__cause__ = error
    wrapped: BaseException = made
    return wrapped


def name_place(error: BaseException, place: tuple[str, int] | None) -> None:
    """Add the location of a pass to a `PassError` that native code raised, for example for an invalid replacement."""
    if place is None or not isinstance(error, ir.PassError) or error.file is not None:
        return
    raised: Any = error
    raised.file, raised.line = place
    raised._ge_detail = str(error)
    raised.args = (f"{error} ({place[0]}:{place[1]})",)


publish(globals())
