"""Evaluators: results of operators on constants."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._mlir_like._cext_loader import load
from .._mlir_like._providers import provider
from .._support.failures import describe, is_interrupt, traceback_of
from ._call import EvaluatorDiedError, EvaluatorError, KernelError, OpCall
from ._inferrers import inferrers_changed
from ._installed import Installed

if TYPE_CHECKING:
    from ..ir import Context, Tensor, Type

    Evaluator = Callable[[OpCall], "Sequence[Any] | None"]

_native: Any = load("ir")

# By name, the engines in the order in which they are tried.
_ENGINES = {
    "auto": ("onnxruntime", "reference"),
    "onnxruntime": ("onnxruntime",),
    "reference": ("reference",),
}


class NamedEvaluator(str):
    """An evaluator that ships with GE: its name, and the function of that name.

    Notes
    -----
    Called with an `OpCall` it returns tensors, or None for what the package cannot evaluate. The package runs in the
    child process; a call that the child does not survive raises `EvaluatorDiedError`.
    """

    __slots__ = ()

    def __call__(self, call: OpCall) -> list[Tensor] | None:
        """Return a tensor for each result, or None."""
        try:
            found = provider("engines")(call, _ENGINES[self])
            return None if found is None else _tensors(call, found)
        except EvaluatorDiedError:
            raise
        except Exception as error:
            if is_interrupt(error):
                raise
            # The package runs in the child: what is no Exception ends this program, as its signal handlers ask.
            _log_failure(call, error)
            return None


_NAMED = {name: NamedEvaluator(name) for name in _ENGINES}

# Both are replaced as a whole, so that calls on other threads continue with what they have read.
_current: Evaluator | None = _NAMED["auto"]
_added: tuple[tuple[int, str, Evaluator], ...] = ()
# Whether a library has kernels or evaluators, which are tried first.
_has_kernels = False
_lock = threading.Lock()
_tokens = itertools.count(1)


def kernels_came() -> None:
    """Let constant folding use kernels from now on, also where no evaluator is installed."""
    global _has_kernels
    if not _has_kernels:
        with _lock:
            _has_kernels = True
            _install()


class InstalledEvaluator(Installed):
    """An evaluator that `add_evaluator` added, until `remove` or the end of its ``with``."""

    _kind = "evaluator"

    def _take_out(self, token: int) -> None:
        global _added
        with _lock:
            _added = tuple(entry for entry in _added if entry[0] != token)
            _install()


def add_evaluator(evaluate: Evaluator, name: str | None = None) -> InstalledEvaluator:
    """Add an evaluator of operators on constants, for the whole process, before the built-in ones.

    Constant folding and equivalence checks use evaluators for operators that GE does not evaluate natively. They try
    the functions added here, oldest first, then the one of `use_evaluator`. The first that supports the operator
    determines the results.

    Parameters
    ----------
    evaluate : callable
        Takes an `OpCall`; returns a tensor or array for each result, or None if it does not support the operator.
        It is called from any thread.
    name : str, optional
        Name in remarks; None: the name of the function.

    Returns
    -------
    InstalledEvaluator

    Notes
    -----
    If the function raises an exception, or the number or types of its results do not fit the call, the node stays
    unchanged and the run has a remark, once for each text; no other evaluator is tried. `evaluate_operator` logs a
    warning.
    """
    if not callable(evaluate):
        raise TypeError(f"evaluate must be a callable, not {type(evaluate).__name__}")
    global _added
    shown = name or _name_of(evaluate)
    with _lock:
        token = next(_tokens)
        _added = (*_added, (token, shown, evaluate))
        _install()
    return InstalledEvaluator(shown, token)


def use_evaluator(
    evaluator: str | Evaluator | None = "auto",
) -> Evaluator | None:
    """Select the evaluator of operators on constants, for the whole process.

    Constant folding and equivalence checks use it for operators that GE does not evaluate natively, after the
    functions of `add_evaluator`.

    Parameters
    ----------
    evaluator : str, callable or None
        ``"onnxruntime"``, ``"reference"`` (``onnx.reference``), or ``"auto"``: onnxruntime, and the reference for
        operators that it does not support, as far as they are installed. A callable as for `add_evaluator`. None:
        only the functions of `add_evaluator`.

    Returns
    -------
    callable or None
        The previous evaluator; pass it to this function to restore it.

    Raises
    ------
    ValueError
        For another name.
    ImportError
        If the package is not installed.

    Notes
    -----
    CPU kernels of the operators (`Library.impl`) and ``Library.evaluate`` are always tried first.

    If a package cannot evaluate an operator, the node stays unchanged, and the logger ``ge.ops`` logs this at level
    ``DEBUG``. An exception of a callable is a remark, as for `add_evaluator`.

    The packages run in a child process, with limits of time and memory; a callable runs in this process.
    ``docs/evaluators.md`` describes the variables ``GE_EVALUATORS...``.
    """
    global _current
    given: object = evaluator  # whatever the caller's types are
    chosen: Evaluator | None
    if isinstance(given, str):
        chosen = _named(given)
        if chosen != "auto":
            provider("evaluators").require(str(chosen))  # an ImportError now, not silence later
    elif given is None or callable(given):
        chosen = given
    else:
        kind = type(given).__name__
        raise TypeError(f"evaluator must be a name, a callable or None, not {kind}")
    with _lock:
        before, _current = _current, chosen
        _install()
    return before


def evaluator(name: str | None = None) -> Evaluator | None:
    """Return an evaluator, to be called with an `OpCall`.

    Parameters
    ----------
    name : str, optional
        ``"onnxruntime"``, ``"reference"`` or ``"auto"``; None: what `use_evaluator` chose last.

    Returns
    -------
    callable or None
        Of those with a name it equals the name. None: `use_evaluator` chose None.

    Raises
    ------
    ValueError
        For another name.
    """
    return _current if name is None else _named(name)


def _named(name: str) -> NamedEvaluator:
    if name not in _ENGINES:
        names = ", ".join(map(repr, _ENGINES))
        raise ValueError(f"evaluator {name!r} must be one of {names}, a callable or None")
    return _NAMED[name]


def _install() -> None:
    inferrers_changed()  # calls were learned with a reference kernel, which evaluators of users precede
    is_asked = _added or _current is not None or _has_kernels
    _native._set_evaluator(evaluate if is_asked else None)


def _name_of(function: Evaluator) -> str:
    if isinstance(function, NamedEvaluator):
        return str(function)
    return str(getattr(function, "__qualname__", type(function).__name__))


def chosen_packages() -> Sequence[str]:
    """Return the packages to try, in order: those that `use_evaluator` named, else all."""
    return _ENGINES[_current if isinstance(_current, NamedEvaluator) else "auto"]


def functions() -> list[tuple[str, Evaluator]]:
    """Return names and functions of the user's evaluators, in the order in which they are tried."""
    found = [(name, function) for _, name, function in _added]
    if _current is not None and not isinstance(_current, NamedEvaluator):
        found.append((_name_of(_current), _current))
    return found


def evaluate_operator(
    op: str,
    operands: Sequence[Any],
    attributes: Mapping[str, Any] | None = None,
    *,
    opset: int | None = None,
    num_results: int = 1,
    context: Context | None = None,
) -> list[Tensor] | None:
    """Return the results of an operator on constants, as the evaluator returns them.

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
    from ..ir import VerifyError

    try:
        results: list[Tensor] | None = _native._evaluate(
            op, list(operands), dict(attributes or {}), opset or 0, num_results, context
        )
    except VerifyError as error:  # only of `evaluate`
        from .._support.log import logger

        logger("ge.ops").warning("%s", error)
        return None
    return results


def evaluate(*asked: Any) -> list[Tensor] | None:
    """Serve the native core: try the operator's library, then installed functions, then the selected packages.

    Raises
    ------
    VerifyError
        With a remark about the operator: a function failed, or the runtime did not survive it.
    """
    call = OpCall(*asked)
    try:
        found = _by_kernel(call) if _has_kernels else None
        if found is None:
            found = _by_functions(call)
        if found is None and isinstance(_current, NamedEvaluator):
            found = _current(call)
        return found
    except (EvaluatorDiedError, EvaluatorError) as error:
        from ..ir import VerifyError

        raise VerifyError(str(error)) from None


def evaluate_call(call: OpCall, in_child: bool = False) -> list[Tensor] | None:
    """Return the results of a call: of a user's evaluator or, if that does not support the operator, of a runtime.

    Parameters
    ----------
    call : OpCall
    in_child : bool
        Also reference kernels of CANN's operators run in the child process, under its limits.

    Raises
    ------
    EvaluatorError
        If an evaluator raised, which is the cause, or its answer does not fit the call.
    Exception
        What the runtime raised.
    """
    made = _by_functions(call)
    if made is not None:
        return made
    found = provider("engines")(call, _ENGINES["auto"], in_child)
    return None if found is None else _tensors(call, found)


def _by_kernel(call: OpCall) -> list[Tensor] | None:
    """Return the results of a library's evaluator or CPU kernel; None if there is none.

    Raises
    ------
    EvaluatorError
    """
    try:
        found = provider("kernels of libraries")(call)
    except KernelError as error:
        raise EvaluatorError(str(error)) from error.__cause__
    except EvaluatorDiedError:
        raise
    except BaseException as error:
        if is_interrupt(error):
            raise
        _log_failure(call, error)
        said = describe(error).split("\n", 1)[0]
        raise EvaluatorError(f"the library of {call.op} raised {said}") from error
    return None if found is None else _taken(call, f"the library of {call.op}", found)


def _by_functions(call: OpCall) -> list[Tensor] | None:
    for name, function in functions():
        made = _by_function(call, name, function)
        if made is not None:
            return made
    return None


def _by_function(call: OpCall, name: str, function: Evaluator) -> list[Tensor] | None:
    """Return the results of one function.

    Raises
    ------
    EvaluatorDiedError
        If the package that it called died.
    EvaluatorError
    """
    try:
        found = function(call)
    except EvaluatorDiedError:
        raise
    except BaseException as error:
        if is_interrupt(error):
            raise
        _log_failure(call, error)
        said = describe(error).split("\n", 1)[0]
        raise EvaluatorError(f"evaluator '{name}' raised {said} for {call.op}") from error
    return None if found is None else _taken(call, f"evaluator '{name}' for {call.op}", found)


def _taken(call: OpCall, who: str, found: Sequence[Any]) -> list[Tensor] | None:
    """Return the tensors of an answer that fits the call.

    Raises
    ------
    EvaluatorError
    """
    try:
        made = _tensors(call, found)
        if made is None:
            _refuse_others(call, found)
        return _checked(call, made)
    except BaseException as error:
        if is_interrupt(error):
            raise
        _log_failure(call, error)
        said = str(error) if isinstance(error, _MisfitError) else describe(error)
        raise EvaluatorError(f"the return value of {who} is rejected: {said}") from None


def _log_failure(call: OpCall, error: BaseException) -> None:
    from logging import DEBUG

    from .._support.log import logger

    log = logger("ge.ops")
    if log.isEnabledFor(DEBUG):
        log.debug("cannot evaluate %s: %s", call.op, traceback_of(error))


_RETURN_A_LIST = "an evaluator returns a list with one tensor for each result"


class _MisfitError(Exception):
    """Why an answer does not fit the call."""


def _tensors(call: OpCall, found: Sequence[Any]) -> list[Tensor] | None:
    from ..ir import Tensor

    if isinstance(found, (str, bytes, Tensor)) or not hasattr(found, "__len__"):
        raise _MisfitError(
            f"it is {type(found).__name__}, not a sequence of tensors or arrays; {_RETURN_A_LIST}"
        )
    if len(found) != call.num_results:
        bare = "" if isinstance(found, (list, tuple)) else f"; {_RETURN_A_LIST}"
        raise _MisfitError(f"it has {len(found)} results of {call.num_results}{bare}")
    if any(isinstance(item, (list, dict)) or item is None for item in found):
        return None  # sequences and maps are not tensors
    made = [
        item if isinstance(item, Tensor) else Tensor(item, context=call.context) for item in found
    ]
    if any(tensor.type.context != call.context for tensor in made):
        raise _MisfitError("a tensor belongs to another context; create it in call.context")
    return made


def _refuse_others(call: OpCall, found: Sequence[Any]) -> None:
    """Raise an error where a list, a dict or None is given for a result that is a tensor."""
    from ..ir import TensorType

    for i, (item, expected) in enumerate(zip(found, call.result_types, strict=False)):
        if isinstance(expected, TensorType) and (item is None or isinstance(item, (list, dict))):
            raise _MisfitError(f"result {i} is {type(item).__name__}, not {expected}")


def _checked(call: OpCall, made: list[Tensor] | None) -> list[Tensor] | None:
    for i, (tensor, expected) in enumerate(zip(made or (), call.result_types, strict=False)):
        if not _fits(tensor.type, expected):
            raise _MisfitError(f"result {i} is {tensor.type}, not {expected}")
    return made


def _fits(made: Type, expected: Type | None) -> bool:
    """Whether a tensor may have what is known of its type; layouts are not compared."""
    from ..ir import TensorType

    if not isinstance(expected, TensorType) or not isinstance(made, TensorType):
        return True
    if made.dtype != expected.dtype:
        return False
    if expected.shape is None or made.shape is None:
        return True
    return len(made.shape) == len(expected.shape) and all(
        not isinstance(size, int) or size == actual
        for size, actual in zip(expected.shape, made.shape, strict=True)
    )
