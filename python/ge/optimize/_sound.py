"""Checks of a model before it is written: consistent types, and the outputs of the original."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from .._support.lazy import publish
from ..ir import ModelError, PassError
from ..run import main_graph, main_graphs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..ir import Graph, Module, Type

__all__ = [
    "ContradictionError",
    "InputShapeError",
    "OutputGuard",
    "contradictions",
    "listed",
    "need_outputs",
    "refused_contradictions",
]

_MOST = 3
_CORRECT = "leave the pass out (skip), or correct it"


class ContradictionError(ModelError):
    """Options or passes left a model whose types contradict each other, or one with other outputs than it had."""


class InputShapeError(ContradictionError):
    """A model cannot have inputs of the requested shapes."""


def contradictions(module: Module) -> list[str]:
    """Return the errors that inference finds in a model, which is not changed.

    Parameters
    ----------
    module : Module

    Returns
    -------
    list of str
        Declared types that differ from inferred ones, and calls whose operands do not fit, a sentence each.

    Notes
    -----
    Functions have types only where they are called. Cost: that of inferring all types.
    """
    found: list[str] = []
    for graph in main_graphs(module):
        with graph.transaction() as edits:
            found += [d.message for d in graph.infer_types().diagnostics]
            edits.rollback()
    return found


def listed(messages: Sequence[str]) -> str:
    """Return the first few sentences, and how many more there are."""
    more = f"; and {len(messages) - _MOST} more" if len(messages) > _MOST else ""
    return "; ".join(messages[:_MOST]) + more


def need_outputs(module: Module) -> None:
    """Raise if a model has no outputs.

    Parameters
    ----------
    module : Module

    Raises
    ------
    ContradictionError
    """
    if not main_graph(module).outputs:
        raise ContradictionError("the passes remove all outputs of the model; keep one")


class OutputGuard:
    """Refuses passes that change the outputs of a model: their number, names, element types or static sizes.

    Declarations of a file may be stale: an output may also change to the type that inference finds for the original.

    Parameters
    ----------
    module : Module
        As it is before the passes; it is cloned.
    """

    def __init__(self, module: Module) -> None:
        self._copy = module.clone()
        self._before = main_graphs(self._copy)
        self._graphs = main_graphs(module)

    def accept(self, name: str, _where: str) -> None:
        """Raise `ContradictionError` if a pass has changed the outputs: a hook of a pass manager."""
        for graph, before in zip(self._graphs, self._before, strict=True):
            if not graph.is_alive:
                continue
            outputs, now = tuple(before.output_names), tuple(graph.output_names)
            if not now and not outputs:
                raise ContradictionError(f"graph '{graph.name}' of the model has no outputs")
            if not now:
                raise ContradictionError(f"pass '{name}' leaves no outputs; {_CORRECT}")
            if now != outputs:
                raise ContradictionError(
                    f"pass '{name}' changes the outputs of graph '{graph.name}' from {', '.join(outputs) or 'none'} to "
                    f"{', '.join(now) or 'none'}; {_CORRECT}"
                )
            changed = [
                (output, old, type_)
                for output, old, type_ in zip(outputs, _types(before), _types(graph), strict=True)
                if _differs(type_, old)
            ]
            inferred = dict(zip(outputs, _inferred(before), strict=True)) if changed else {}
            for output, old, type_ in changed:
                if _differs(type_, inferred[output]):
                    raise ContradictionError(
                        f"pass '{name}' changes output '{output}' of graph '{graph.name}' from {old} to {type_}; "
                        f"{_CORRECT}"
                    )


def _types(graph: Graph) -> list[Type | None]:
    return [None if value is None else value.type for value in graph.outputs]


def _inferred(graph: Graph) -> list[Type | None]:
    """Return what inference says of the outputs, without regard to the shapes that a file declares for inner values."""
    from ..ir import TensorType

    with graph.transaction() as edits:
        for node in graph.walk():
            if node.op == "ge.Const" or node.is_input:
                continue
            for result in node.results:
                if isinstance(result.type, TensorType):
                    result.type = TensorType(None, result.type.dtype)
        graph.infer_types()
        found = _types(graph)
        edits.rollback()
    return found


def _differs(now: Type | None, before: Type | None) -> bool:
    """Whether two types cannot be the same: other kinds or element types, ranks or static sizes."""
    from ..ir import TensorType, UnknownType

    if isinstance(before, UnknownType):  # neither declared nor inferred
        return False
    if not isinstance(now, TensorType) or not isinstance(before, TensorType):
        return type(now) is not type(before)
    if now.dtype != before.dtype:
        return True
    if now.shape is None or before.shape is None:
        return False
    return len(now.shape) != len(before.shape) or any(
        isinstance(a, int) and isinstance(b, int) and a != b
        for a, b in zip(now.shape, before.shape, strict=True)
    )


@contextmanager
def refused_contradictions() -> Iterator[None]:
    """Raise `ContradictionError` when a pass fails because of the types that it leaves."""
    try:
        yield
    except PassError as error:
        if error.kind != "contradiction":
            raise
        raise ContradictionError(f"{error}; {_CORRECT}") from error


publish("onnx", ContradictionError)
