"""What a model must not be when it is written: a contradiction of types, or without outputs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .._support.lazy import publish
from ..ir import ModelError, PassError
from ..run import main_graph, main_graphs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..ir import Module

__all__ = [
    "ContradictionError",
    "InputShapeError",
    "contradictions",
    "listed",
    "need_outputs",
    "opset_of",
    "refused_contradictions",
]

_MOST = 3
# What the pass manager says of such a failure.
_CONTRADICTS = "leaves types that contradict each other"


class ContradictionError(ModelError):
    """Options or passes left a model whose types contradict each other, or one without outputs."""


class InputShapeError(ContradictionError):
    """A model cannot have inputs of the shapes that are asked for."""


def opset_of(module: Module) -> int | None:
    """Return the version of ONNX's operators that a model imports; None: it says none, or what cannot be one."""
    imports = module.attributes.get("onnx.opset_imports")
    found = imports.get("onnx") if isinstance(imports, Mapping) else None
    return found if isinstance(found, int) and 0 < found < 1 << 31 else None


def contradictions(module: Module) -> list[str]:
    """Return what inference finds wrong in a model, which stays as it is.

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
            found += [d.message for d in graph.infer_types(opset_of(module)).diagnostics]
            edits.rollback()
    return found


def listed(messages: Sequence[str]) -> str:
    """Return the first few sentences, and how many more there are."""
    more = f"; and {len(messages) - _MOST} more" if len(messages) > _MOST else ""
    return "; ".join(messages[:_MOST]) + more


def need_outputs(module: Module) -> None:
    """Refuse a model of which nothing is needed.

    Parameters
    ----------
    module : Module

    Raises
    ------
    ContradictionError
    """
    if not main_graph(module).outputs:
        raise ContradictionError(
            "the passes leave no outputs, so that nothing of the model is needed; keep one"
        )


@contextmanager
def refused_contradictions() -> Iterator[None]:
    """Raise `ContradictionError` when a pass fails because of the types that it leaves."""
    try:
        yield
    except PassError as error:
        if _CONTRADICTS not in str(error):
            raise
        raise ContradictionError(f"{error}; leave the pass out (skip), or correct it") from error


publish("onnx", ContradictionError)
