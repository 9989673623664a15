"""Regions of ONNX's operators in graphs that a C program runs (`geGraphRun`): in the engines, as `graph.run` has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import ir
from .._foreign import EvaluatorDiedError, chosen_packages
from . import _service
from ._engines import EngineError
from ._faults import first_fault
from ._plan import is_constant
from ._regions import IR_VERSION, refuse_small, session_of

__all__ = ["compile_region", "is_ready"]


def is_ready() -> bool:
    """Return whether there is an engine."""
    return _service.mode() != "none" and bool(_engines())


def _engines() -> list[str]:
    installed = _service.installed()
    return [e for e in chosen_packages() if e in installed]


def compile_region(module: ir.Module) -> Callable[[list[ir.Tensor]], list[Any] | str] | str:
    """Return what runs a region, or why no engine does.

    Parameters
    ----------
    module : Module
        With one graph.

    Returns
    -------
    callable or str
        Gets the inputs and returns the outputs, or why the engine refuses them.

    Raises
    ------
    KernelError
        If a node does not fit its definition.
    """
    (graph,) = module.graphs.values()
    module.attributes["onnx.ir_version"] = IR_VERSION
    engines = _engines()
    if sum(not is_constant(node) for node in graph.nodes) > 1:
        engines = engines[:1]  # the others are for single nodes
    names = [value.name for value in graph.inputs]
    reasons: list[str] = []
    sessions: list[tuple[str, Any]] = []
    for engine in engines:
        loaded = _loaded(engine, module)
        if isinstance(loaded, str):
            reasons.append(loaded)
        else:
            sessions.append((engine, loaded))
    if not sessions:
        return "; the reference evaluator: ".join(reasons) or "no evaluator is installed"
    first_fault(module)  # infers the types of the outputs
    types = [None if v is None else v.type for v in graph.outputs]
    return _Region(names, sessions, types)


def _loaded(engine: str, module: ir.Module) -> Any:
    """Return the session of a model, or why the engine refuses it."""
    try:
        return session_of(engine, module, _service.mode())
    except (EngineError, ir.ModelError) as error:
        return str(error)


class _Region:
    def __init__(
        self, names: list[str], sessions: Sequence[tuple[str, Any]], types: Sequence[ir.Type | None]
    ) -> None:
        self._names, self._sessions, self._types = names, sessions, types

    def __call__(self, inputs: list[ir.Tensor]) -> list[Any] | str:
        feeds = {n: t.numpy() for n, t in zip(self._names, inputs, strict=True)}
        reasons = []
        for engine, session in self._sessions:
            found = self._run(engine, session, feeds)
            if isinstance(found, list):
                return [_array(i, made) for i, made in enumerate(found)]
            reasons.append(found)
        return "; the reference evaluator: ".join(reasons)

    def _run(self, engine: str, session: Any, feeds: dict[str, Any]) -> list[Any] | str:
        try:
            if engine == "onnxruntime":
                refuse_small(self._types, list(feeds.values()))
            return session.run(feeds)  # type: ignore[no-any-return]
        except EngineError as error:
            return str(error)
        except EvaluatorDiedError as error:
            raise ir.GEError(str(error)) from error


def _array(number: int, made: Any) -> Any:
    if hasattr(made, "dtype"):
        return made
    kind = {list: "a sequence", dict: "a map", type(None): "an optional without a value"}
    what = kind.get(type(made), type(made).__name__)
    raise ir.GEError(f"output {number} is {what}; geGraphRun passes tensors only between regions")
