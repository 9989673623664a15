"""Engines for the rest of the package: in the child process, in this one, or none, as ``GE_EVALUATORS`` says."""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from .._foreign import EvaluatorBusyError, EvaluatorDiedError
from .._mlir_like._cext_loader import load as load_native
from .._support.failures import mark_interrupt
from .._support.program import PACKAGE
from . import _engines
from ._child import Child, ChildFailedError, Limits, NoInterpreterError, interpreter
from ._engines import ENGINES, EngineError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_T = TypeVar("_T")

__all__ = [
    "describe",
    "evaluate",
    "infer",
    "installed",
    "is_installed",
    "lacking",
    "limits_of_models",
    "load",
    "memory_limit",
    "mode",
    "reference",
    "require",
]

_MODES = ("child", "inprocess", "none")
_SECONDS = 10.0
_MODEL_SECONDS = 600.0
# Importing onnxruntime on a busy machine; once per child.
_PREPARE_SECONDS = 120.0
_FINISH_SECONDS = 5.0
# Deaths of the child in one call, such as a run of passes, after which that call does without evaluators.
_DEATHS = 10
# Calls of which the deaths are counted, the newest.
_CALLS = 256
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def mode() -> str:
    """Return where engines run: ``"child"``, ``"inprocess"`` or ``"none"``.

    It is none in a vendor's package without ``ge.onnx``, which writes the models that engines read.

    Raises
    ------
    ValueError
        If ``GE_EVALUATORS`` is something else.
    """
    chosen = os.environ.get("GE_EVALUATORS") or "child"
    if chosen not in _MODES:
        raise ValueError(f"GE_EVALUATORS={chosen} must be one of {', '.join(_MODES)}")
    return chosen if _has_onnx() else "none"


@cache
def _has_onnx() -> bool:
    return find_spec(f"{PACKAGE}.onnx") is not None


@cache
def is_installed(engine: str) -> bool:
    """Return whether the package of an engine is installed."""
    return _engines.is_installed(engine)


def require(engine: str) -> None:
    """Raise ImportError if the package of an engine is not installed."""
    if not is_installed(engine):
        package = ENGINES[engine]
        raise ImportError(f"{package} is not installed: pip install {package}", name=package)


def installed() -> list[str]:
    """Return the engines that can run models here, the one to ask first at the front."""
    return [] if mode() == "none" else [engine for engine in ENGINES if is_installed(engine)]


def describe() -> dict[str, Any]:
    """Return where engines run here and which ones; the child process is started to find out.

    Returns
    -------
    dict
        ``mode``: ``"child"``, ``"inprocess"`` or ``"none"``; ``engines``: names, the first to be asked first;
        ``interpreter``: the Python of the child, or None; ``why``: why the mode is not what it would be, or empty.

    Raises
    ------
    ValueError
        If a variable of the environment has a wrong value.
    """
    found: dict[str, Any] = {"mode": mode(), "engines": [], "interpreter": None, "why": ""}
    _limits(), _limits(is_model=True), _most_deaths()
    if found["mode"] == "none":
        return {**found, "why": "GE_EVALUATORS=none"}
    engines = installed()
    if not engines:
        return {**found, "mode": "none", "why": "neither onnxruntime nor onnx is installed"}
    if found["mode"] == "child":
        try:
            found["interpreter"] = interpreter()
            engines = [engine for engine in engines if _children.can_import(engine)]
        except (NoInterpreterError, EvaluatorDiedError) as error:
            return {**found, "mode": "none", "why": str(error)}
        if not engines:
            why = f"{found['interpreter']} imports neither onnxruntime nor onnx"
            return {**found, "mode": "none", "why": why}
    return {**found, "engines": engines}


def evaluate(engine: str, model: bytes, feeds: Mapping[str, Any], what: str) -> list[Any] | None:
    """Return the outputs of a small model, most often of one node; None: the engine cannot evaluate it.

    Parameters
    ----------
    engine : str
    model : bytes
    feeds : mapping of str to array
    what : str
        What messages call it: ``"onnx.Min 'm'"``.

    Raises
    ------
    EngineError
        If the engine refuses it.
    EvaluatorDiedError
        If the child process did not survive it, or cannot be started; the text is for the user. That no Python can
        be started is told once.
    """
    chosen = mode()
    if chosen == "none" or not is_installed(engine):
        return None
    if chosen == "inprocess":
        return _engines.evaluate(engine, model, feeds)
    message = {"do": "evaluate", "engine": engine}
    values = [model, dict(feeds)]
    answered = _children.owning(
        lambda: _children.ask(engine, message, values, f"evaluating {what}", _limits())
    )
    if answered is None:
        return None
    found: list[Any] | None = answered[1][0]
    if found is not None and not isinstance(found, list):
        raise EngineError("the outputs are not a list")
    return found


def infer(model: bytes, what: str) -> tuple[bytes | None, str] | None:
    """Return a model with inferred types, or None and what is wrong with it; None: nothing infers.

    Raises
    ------
    EvaluatorDiedError
        As for `evaluate`.
    """
    chosen = mode()
    if chosen == "none":
        return None
    if chosen == "inprocess":
        return _engines.infer(model)
    message = {"do": "infer"}
    answered = _children.owning(
        lambda: _children.ask("reference", message, [model], f"inferring {what}", _limits())
    )
    if answered is None:
        return None
    inferred, fault = answered[1][0], answered[0].get("fault", "")
    if not isinstance(fault, str) or not (inferred is None or isinstance(inferred, bytes)):
        raise EngineError("the answer is not a model")
    return inferred, fault


def lacking(engine: str, operators: Sequence[tuple[str, str, int]]) -> list[bool]:
    """Return of each operator whether an engine does not have it; see `_engines.lacking`.

    Raises
    ------
    EngineError
        If there is no engine.
    EvaluatorDiedError
    """
    chosen = mode()
    if chosen == "inprocess":
        return _engines.lacking(engine, operators)
    message = {"do": "lacking", "engine": engine, "operators": list(map(list, operators))}
    doing = "telling what it has"
    answered = None
    if chosen == "child":
        answered = _children.owning(lambda: _children.ask(engine, message, [], doing, _limits()))
    found: Any = None if answered is None else answered[1][0]
    if not isinstance(found, list) or len(found) != len(operators):
        raise EngineError("nothing runs models: no Python runs the child process")
    return list(map(bool, found))


def reference(
    op: str, operands: Sequence[Any], attributes: Mapping[str, Any], formats: Sequence[Any]
) -> list[Any]:
    """Return what a reference kernel of CANN's operators gives, computed in the child process under its limits.

    Raises
    ------
    EngineError
        What the kernel raised.
    EvaluatorDiedError
    TypeError
        If a value cannot be sent.
    """
    message = {"do": "reference", "op": op, "formats": list(formats)}
    values = [list(operands), dict(attributes)]
    limits = _limits(is_model=True)
    answered = _children.owning(
        lambda: _children.ask("", message, values, f"computing ge.{op}", limits)
    )
    if answered is None or not isinstance(found := answered[1][0], list):
        raise EngineError("nothing runs models: no Python runs the child process")
    return found


class LoadedModel:
    """A model in an engine of the child process.

    It is loaded again when the child that had it is gone.

    Attributes
    ----------
    inputs, outputs : list of str
    """

    def __init__(
        self,
        engine: str,
        model: bytes,
        providers: Sequence[str] | None,
        weights: Mapping[str, Any] | None = None,
    ) -> None:
        self._child: Child | None = None
        self._id = 0
        self._engine = engine
        self._message = {
            "do": "load",
            "engine": engine,
            "providers": list(providers) if providers else None,
        }
        self._values: list[Any] = [model, dict(weights or {})]
        _children.owning(self._load)

    def _load(self) -> None:
        """Load it; the caller is in `owning`."""
        answered = _children.ask(
            self._engine, self._message, self._values, "loading it", _limits(is_model=True)
        )
        if answered is None and _children.is_off():
            raise EvaluatorDiedError(
                "evaluators are off for the rest of the run: they died too often"
            )
        told: Any = {} if answered is None else answered[0]
        inputs, outputs = told.get("inputs"), told.get("outputs")
        if not (_is_names(inputs) and _is_names(outputs)):
            raise EngineError("nothing runs models: no Python runs the child process")
        self.inputs: list[str] = inputs
        self.outputs: list[str] = outputs
        self._child, self._id = _children.child, told.get("id", 0)

    def run(self, feeds: Mapping[str, Any]) -> list[Any]:
        """Return the outputs.

        Raises
        ------
        EngineError
            If the engine refuses the inputs.
        EvaluatorDiedError
        """

        def work() -> Any:
            child = self._child
            if child is None or child is not _children.child or not child.is_alive:
                self._load()
            message = {"do": "run", "id": self._id}
            return _children.ask(
                self._engine, message, [dict(feeds)], "running it", _limits(is_model=True)
            )

        answered = _children.owning(work)
        found: Any = answered[1][0] if answered is not None else None
        if not isinstance(found, list) or len(found) != len(self.outputs):
            raise EngineError("the outputs are not those of the model")
        return found

    def close(self) -> None:
        """Free it. Again does nothing."""
        child, self._child = self._child, None
        if child is not None:
            _children.close(child, self._id)

    def __del__(self) -> None:
        self.close()


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def load(
    engine: str,
    model: bytes,
    providers: Sequence[str] | None = None,
    weights: Mapping[str, Any] | None = None,
) -> LoadedModel | _engines.Loaded:
    """Load a whole model: its bytes, without data in files. An engine never opens a file of the user.

    Parameters
    ----------
    engine : str
    model : bytes
    providers : sequence of str, optional
        Of onnxruntime.
    weights : mapping of str to array, optional
        Inputs of the model that are the same in each run: what does not fit into its 2 GiB. They are sent once.

    Raises
    ------
    EngineError
        If the engine refuses it, or there is none.
    EvaluatorDiedError
    """
    chosen = mode()
    if chosen == "none":
        raise EngineError("nothing runs models: GE_EVALUATORS=none")
    if chosen == "inprocess":
        return _engines.load(engine, model, providers, weights)
    return LoadedModel(engine, model, providers, weights)


def _limits(is_model: bool = False) -> Limits:
    if is_model:
        seconds = _number("GE_EVALUATORS_MODEL_SECONDS", _MODEL_SECONDS)
    else:
        seconds = _number("GE_EVALUATORS_SECONDS", _SECONDS)
    memory = _number("GE_EVALUATORS_MEMORY", 0.0, _UNITS)
    return Limits(seconds, int(memory) or _most_memory())


def limits_of_models() -> Limits:
    """Return the limits of loading or running a whole model once."""
    return _limits(is_model=True)


def memory_limit() -> int:
    """Return the bytes that a child may have in memory."""
    return _limits().memory


def _most_deaths() -> int:
    return int(max(1, _number("GE_EVALUATORS_DEATHS", _DEATHS)))


def _number(variable: str, otherwise: float, units: Mapping[str, int] | None = None) -> float:
    text = os.environ.get(variable, "").strip()
    if not text:
        return otherwise
    unit = text[-1].upper() if units and not text[-1].isdigit() else ""
    try:
        number = float(text[: -len(unit)] if unit else text) * (units or _UNITS)[unit]
    except (ValueError, KeyError):
        number = 0
    if not 0 < number < float("inf"):
        example = "500M or 4G" if units else "a number of seconds"
        raise ValueError(f"{variable}={text} is not a positive number, such as {example}")
    return number


def _most_memory() -> int:
    """Return three quarters of the memory of the machine, or of the container that we are in."""
    global _memory
    if not _memory:
        amounts = [1 << 62]
        with contextlib.suppress(ValueError, OSError):
            amounts.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        for path in _CONTAINERS:
            with contextlib.suppress(ValueError, OSError), open(path) as file:
                amounts.append(int(file.read()))
        _memory = min(amounts) * 3 // 4
    return _memory


_memory = 0
# Limits of a container, of both versions of control groups.
_CONTAINERS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


class _Children:
    """The child process of this process: one at a time, for all threads."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # re-entrant for destructors; `owning` is not
        self._is_owned = False
        self.child: Child | None = None
        self._prepared: dict[str, dict[str, Any]] = {}  # by package, what the import gave
        self._to_close: list[tuple[Child, int]] = []
        self._unusable: dict[str | None, str] = {}
        self._deaths: dict[int, int] = {}  # by call of the native core
        self._is_over = False
        atexit.register(self._finish)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def owning(self, work: Callable[[], _T]) -> _T:
        """Return what `work` returns, which asks the child; other threads wait meanwhile.

        Raises
        ------
        EvaluatorBusyError
            If this thread is here already. What a signal handler or a destructor asks while the thread waits would get the
            answer that belongs to the other request.
        """
        # In one frame, so that an interrupt leaves the lock and the flag as they were.
        with self.lock:
            # A handler that runs before the flag is set completes what it asks, and nothing has begun here.
            if self._is_owned:
                raise EvaluatorBusyError
            try:
                self._is_owned = True
                return work()
            finally:
                self._is_owned = False

    def ask(
        self, engine: str, message: dict[str, Any], values: list[Any], doing: str, limits: Limits
    ) -> tuple[dict[str, Any], list[Any]] | None:
        """Return the child's answer; None: there is no child, which has been said, or it lacks the package.

        The caller is in `owning`. A model must not make us start children without end: after `_DEATHS` in one call of the native core, such as
        a run of passes, there is none for the rest of the call.

        Raises
        ------
        EngineError
            What the engine said.
        EvaluatorDiedError
        """
        if self.is_off():
            return None
        child = self._living()
        if child is None:
            return None
        name = "onnx" if message["do"] == "infer" else engine
        try:
            found: list[Any] = []
            # Without an engine only NumPy is needed.
            told = self._prepare(child, engine) if engine else {}
            if "error" not in told:
                told, found = child.request(self._with_closed(child, message), values, limits)
        except ChildFailedError as failure:
            self._drop()
            if self._is_over:
                return None  # we ended it
            detail = f": {failure.detail}" if failure.detail else ""
            off = self._count_death()
            raise EvaluatorDiedError(
                f"{_TITLES.get(name, name)} {failure.what} {doing}{detail}{off}"
            ) from None
        except BaseException as error:
            if not child.is_alive:
                mark_interrupt(error)  # a signal handler raised it while the request waited
                self._drop()
            raise
        if "error" in told:
            if told.get("missing"):
                return None
            lines = str(told["error"]).strip().splitlines()
            kind = "" if told.get("refused") else f"{told.get('kind')}: "
            text = kind + (lines[0] if lines else "")
            raise EngineError(text, bool(told.get("usage")), bool(told.get("lacks")))
        return told, found

    def can_import(self, engine: str) -> bool:
        """Return whether the child can import the package of an engine.

        Raises
        ------
        EvaluatorDiedError
            If there is no child, or it did not survive that.
        """

        def work() -> bool:
            child = self._living()
            if child is None:
                raise EvaluatorDiedError(
                    self._unusable.get(os.environ.get("GE_PYTHON"), "it ended")
                )
            try:
                return "error" not in self._prepare(child, engine)
            except ChildFailedError as failure:
                self._drop()
                raise EvaluatorDiedError(f"the child process {failure}") from None

        return self.owning(work)

    def is_off(self) -> bool:
        """Whether the call of this thread has had its deaths."""
        return bool(self._deaths) and self._deaths.get(_call_of_thread(), 0) >= _most_deaths()

    def _count_death(self) -> str:
        """Count one for the call of this thread; return what messages say if it was the last."""
        call = _call_of_thread()
        if call == 0:
            return ""  # the caller, which asks one thing at a time, decides when to stop
        deaths = self._deaths[call] = self._deaths.pop(call, 0) + 1
        if len(self._deaths) > _CALLS:
            del self._deaths[next(iter(self._deaths))]
        if deaths < _most_deaths():
            return ""
        return f"; that was number {deaths}, and evaluators are off for the rest of the run"

    def _living(self) -> Child | None:
        if self._is_over:
            return None
        if self.child is not None and self.child.is_alive:
            return self.child
        self._drop()
        chosen = os.environ.get("GE_PYTHON")
        if chosen in self._unusable:
            return None
        try:
            self.child = Child(interpreter())
        except NoInterpreterError as error:
            self._unusable[chosen] = str(error)
            text = f"operators of ONNX are evaluated natively only: {error}"
            from .._support.log import logger

            logger("ge.ops").warning("%s", text)
            raise EvaluatorDiedError(text) from None
        except BaseException as error:
            mark_interrupt(error)  # likewise, while the child started
            raise
        return self.child

    def _prepare(self, child: Child, engine: str) -> dict[str, Any]:
        package = ENGINES[engine]
        if package not in self._prepared:
            message = {"do": "prepare", "package": package}
            told, _ = child.request(message, [], _limits()._replace(seconds=_PREPARE_SECONDS))
            self._prepared[package] = told
            if told.get("missing"):
                from .._support.log import logger

                text = "%s cannot import %s, which is installed here: %s"
                logger("ge.ops").warning(text, child.program, package, told["error"])
        return self._prepared[package]

    def _with_closed(self, child: Child, message: dict[str, Any]) -> dict[str, Any]:
        if not self._to_close:
            return message
        closed, self._to_close = self._to_close, []
        return {**message, "close": [number for owner, number in closed if owner is child]}

    def close(self, child: Child, number: int) -> None:
        """Free a model of a child, now or with the next request; called by destructors."""
        if not self.lock.acquire(blocking=False):
            self._to_close.append((child, number))
            return
        try:
            if self._is_owned:  # in the midst of a request of this thread
                self._to_close.append((child, number))
            elif child is self.child and child.is_alive:
                child.tell({"close": [number]})
        finally:
            self.lock.release()

    def _drop(self) -> None:
        child, self.child = self.child, None
        self._prepared.clear()
        if child is not None:
            child.end()

    def _forked(self) -> None:
        """Begin anew in a process that was forked: the child is the other process's."""
        self.lock = threading.RLock()
        self._is_owned = False
        child, self.child = self.child, None
        self._prepared, self._to_close = {}, []
        if child is not None:
            child.forget()

    def _finish(self) -> None:
        self._is_over = True
        child = self.child
        if child is None:
            return
        if not self.lock.acquire(blocking=False):
            child.kill()
            # The thread that waits is told that it died, and leaves our frames while there is an interpreter.
            if not self.lock.acquire(timeout=_FINISH_SECONDS):
                return
        child.end()
        self.lock.release()


_call_of_thread = load_native("ir")._call_of_thread
_TITLES = {"reference": "the reference evaluator", "onnx": "onnx", "": "the child process"}
_children = _Children()
