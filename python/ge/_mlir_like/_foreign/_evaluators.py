"""Evaluators: results of operators on constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._cext_loader import load
from .._failures import traceback_of
from .._providers import provider
from ._call import EvaluatorDiedError, OpCall

if TYPE_CHECKING:
    from ...ir import Context, Tensor

    Evaluator = Callable[[OpCall], "Sequence[Any] | None"]

_native: Any = load("ir")

# By name, the engines to ask in turn.
_ENGINES = {
    "auto": ("onnxruntime", "reference"),
    "onnxruntime": ("onnxruntime",),
    "reference": ("reference",),
}

_current: str | Evaluator | None = "auto"


def use_evaluator(
    evaluator: str | Evaluator | None = "auto",
) -> str | Evaluator | None:
    """Choose what evaluates operators on constants, in the whole process.

    Constant folding and equivalence checks ask it for operators that GE does not evaluate natively.

    Parameters
    ----------
    evaluator : str, callable or None
        ``"onnxruntime"``, ``"reference"`` (``onnx.reference``), or ``"auto"``: onnxruntime, and what it cannot
        do the reference, as far as they are installed. A callable gets an `OpCall` and returns a tensor or array
        for each result, or None when it does not know the operator; it is called from any thread. None: nothing
        is evaluated but natively.

    Returns
    -------
    str, callable or None
        The one before; give it back to restore it.

    Raises
    ------
    ValueError
        For another name.
    ImportError
        If the package is not installed.

    Notes
    -----
    An evaluator that raises "cannot evaluate": the exception is logged with level ``DEBUG`` by the logger
    ``ge.ops``, and the operator stays as it is.

    The named ones run in a child process, with limits of time and memory; a callable runs in this process.
    ``docs/evaluators.md`` describes the variables ``GE_EVALUATORS...``.
    """
    global _current
    given: object = evaluator  # whatever the caller's types are
    if isinstance(given, str):
        if given not in _ENGINES:
            names = ", ".join(map(repr, _ENGINES))
            raise ValueError(f"evaluator {given!r} is none of {names}, nor a callable or None")
        if given != "auto":
            provider("evaluators").require(given)  # an ImportError now, not silence later
    elif given is not None and not callable(given):
        kind = type(given).__name__
        raise TypeError(f"evaluator must be a name, a callable or None, not {kind}")
    before, _current = _current, evaluator
    _native._set_evaluator(None if evaluator is None else evaluate)
    return before


def evaluator() -> str | Evaluator | None:
    """Return what `use_evaluator` chose last."""
    return _current


def evaluate_operator(
    op: str,
    operands: Sequence[Any],
    attributes: Mapping[str, Any] | None = None,
    *,
    opset: int | None = None,
    num_results: int = 1,
    context: Context | None = None,
) -> list[Tensor] | None:
    """Return the results of an operator on constants, as the evaluator gives them.

    Parameters
    ----------
    op : str
        ``"onnx.Add"``.
    operands : sequence
        Tensors, arrays, or None for an absent operand.
    attributes : mapping, optional
    opset : int, optional
        None: the newest.
    num_results : int
    context : Context, optional

    Returns
    -------
    list of Tensor, or None
        None: there is no evaluator, or it cannot evaluate this. That a runtime died is logged as a warning.
    """
    from ...ir import VerifyError

    try:
        results: list[Tensor] | None = _native._evaluate(
            op, list(operands), dict(attributes or {}), opset or 0, num_results, context
        )
    except VerifyError as error:  # only of `evaluate`
        from logging import getLogger

        getLogger("ge.ops").warning("%s", error)
        return None
    return results


def evaluate(*asked: Any) -> list[Tensor] | None:
    """Answer the native core: by the chosen evaluator, and whatever it raises is "no".

    Raises
    ------
    VerifyError
        With a remark about the node: the runtime did not survive it.
    """
    call = OpCall(*asked)
    try:
        if callable(_current):
            found = _current(call)
        elif _current is not None:
            found = _by_engines(call, _ENGINES[_current])
        else:
            return None
        return None if found is None else _tensors(call, found)
    except EvaluatorDiedError as error:
        from ...ir import VerifyError

        raise VerifyError(str(error)) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        from logging import DEBUG, getLogger

        log = getLogger("ge.ops")
        if log.isEnabledFor(DEBUG):
            log.debug("cannot evaluate %s: %s", call.op, traceback_of(error))
        return None


def evaluate_call(call: OpCall) -> list[Tensor] | None:
    """Return the results of a call, by an evaluator that somebody wrote or, where it does not know, a runtime.

    Raises
    ------
    Exception
        What the evaluator raised.
    """
    found = _current(call) if callable(_current) else None
    made = None if found is None else _tensors(call, found)
    if made is not None:
        return made
    found = _by_engines(call, _ENGINES["auto"])
    return None if found is None else _tensors(call, found)


def _tensors(call: OpCall, found: Sequence[Any]) -> list[Tensor] | None:
    from ...ir import Tensor

    if isinstance(found, (str, bytes)) or len(found) != call.num_results:
        raise ValueError(f"the evaluator gave {len(found)} results of {call.num_results}")
    if any(isinstance(item, (list, dict)) or item is None for item in found):
        return None  # sequences and maps are no tensors
    made = [
        item if isinstance(item, Tensor) else Tensor(item, context=call.context) for item in found
    ]
    if any(tensor.type.context != call.context for tensor in made):
        raise ValueError("the evaluator gave a tensor of another context; make it in call.context")
    return made


def _by_engines(call: OpCall, engines: Sequence[str]) -> Sequence[Any] | None:
    """Return what the first engine gives that can evaluate the call.

    Raises
    ------
    EvaluatorDiedError
    Exception
        What the first one raised, if none can.
    """
    service = provider("evaluators")
    if service.mode() == "none":
        return None
    made = _model_of(call)
    if made is None:
        return None
    failure: Exception | None = None
    for engine in engines:
        try:
            found: Sequence[Any] | None = service.evaluate(engine, *made, call.shown)
        except EvaluatorDiedError:
            raise
        except Exception as error:
            failure = failure or error
            continue
        if found is not None:
            return found
    if failure is not None:
        raise failure
    return None


def _model_of(call: OpCall) -> tuple[bytes, dict[str, Any]] | None:
    """Return a model of the call and what to feed it; None when ONNX has no such operator."""
    from ._model import one_node_model

    if call.op.startswith(("ge.", "math.", "nn.")) or call.subgraphs:
        return None
    types = [None if t is None else t.type for t in call.operands]
    feeds = {f"x{i}": t.numpy() for i, t in enumerate(call.operands) if t is not None}
    return one_node_model(call, list(types), lambda i: False), feeds
