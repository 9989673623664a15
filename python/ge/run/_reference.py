"""CANN's reference kernels on nodes: with the layouts of their operands, and in the child process where there are limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import ir, ops
from .._foreign import EvaluatorDiedError, OpCall, functions
from .._mlir_like._providers import provider
from .._support.failures import is_interrupt, text_of
from . import _service
from ._engines import EngineError

__all__ = ["ReferenceCall", "evaluate_call"]


class ReferenceCall:
    """What a reference kernel gives for a node's operands; it is prepared once.

    Parameters
    ----------
    record : OpDef
    kernel : Kernel
        One that ships with GE.
    operands : sequence
        Arrays, None where one is absent. Later calls have absent operands in the same places.
    attributes : mapping
        Of the node; what the schema does not have is a compiler's note.
    segments : sequence of int, optional
        The number of operands of each operand parameter, where the record does not imply it.
    formats : sequence of str or None
        Layouts of the operands.
    in_child : bool
        Whether the kernel runs in the child process, under its limits.
    """

    def __init__(
        self,
        record: Any,
        kernel: Any,
        operands: Sequence[Any],
        attributes: dict[str, Any],
        segments: Sequence[int] | None,
        formats: Sequence[str | None],
        in_child: bool,
    ) -> None:
        declared = {p.name: p.type.name for p in record.attributes}
        given = {k: _declared(v, declared[k]) for k, v in attributes.items() if k in declared}
        self._bound = provider("calls of nodes")(record, operands, given, "cpu", segments)
        self._attributes = self._bound.attributes
        if in_child:
            self._attributes = {n: _sendable(v) for n, v in self._attributes.items()}
        self._formats = list(formats)
        self._shown = f"{record.qualified_name}: kernel {kernel.backend} ({kernel.place})"
        self._kernel = kernel.function
        self._in_child = in_child

    def fits(self, operands: Sequence[Any]) -> bool:
        """Return whether it takes these."""
        return not functions() and bool(self._bound.fits(operands))  # those of users come first

    def compute(self, operands: Sequence[Any]) -> list[Any]:
        """Return the results, which may be views of operands; none is written.

        Raises
        ------
        UnsupportedError, ValueError, IndexError
            What the kernel raised, in this process.
        EngineError, EvaluatorDiedError
            In the child, the same.
        """
        given = self._bound.by_parameter(operands)
        if self._in_child:
            return _service.reference(self._kernel.op, given, self._attributes, self._formats)
        made: list[Any] = self._kernel.compute(given, self._attributes, self._formats)
        return made

    def __call__(self, operands: Sequence[Any]) -> list[Any]:
        """Return what `compute` does.

        Raises
        ------
        KernelError
        """
        try:
            return self.compute(operands)
        except EvaluatorDiedError as error:
            raise ops.KernelError(f"{self._shown}: {error}") from error
        except EngineError as error:  # in the child, and the text has its class
            raise ops.KernelError(f"{self._shown} raised {error}") from error
        except Exception as error:
            if is_interrupt(error):
                raise
            raise ops.KernelError(
                f"{self._shown} raised {type(error).__name__}: {text_of(error)}"
            ) from error


def evaluate_call(call: OpCall, in_child: bool = False) -> list[Any] | None:
    """Return the results of an operator of CANN on constants; None: it has no reference kernel, or is random.

    Parameters
    ----------
    call : OpCall
    in_child : bool
        Whether the kernel runs in the child process, under its limits.

    Raises
    ------
    UnsupportedError
        If the kernel does not support an attribute, type or layout.
    ValueError, IndexError, BindError
        If the operands do not fit.
    """
    domain, _, name = call.op.rpartition(".")
    records = [ops.find(ns, name) for ns in (("math", "nn") if domain == "ge" else (domain,))]
    record = next((r for r in records if r is not None), None)
    if record is None or call.subgraphs or "nondeterministic" in record.traits:
        return None
    kernel = provider("look-up")(record)
    if kernel is None or not kernel.is_shipped:
        return None
    operands = [None if t is None else t.numpy() for t in call.operands]
    if any(t is not None and o is None for t, o in zip(call.operand_types, operands, strict=True)):
        return None
    formats = [None if t is None else getattr(t, "format", None) for t in call.operand_types]
    given = dict(call.attributes)
    segments = call.operand_segments
    prepared = ReferenceCall(record, kernel, operands, given, segments, formats, in_child)
    return prepared.compute(operands)[: call.num_results]


def _declared(value: Any, type_name: str) -> Any:
    """Return an attribute as its schema has it: nodes of CANN may hold numbers of element types."""
    if type_name == "ScalarType" and isinstance(value, int):
        return ir.DType(provider("element types of CANN")(int(value)))
    return value


def _sendable(value: Any) -> Any:
    """Return an attribute as NumPy and Python have it: the child knows no objects of graphs."""
    if isinstance(value, ir.Tensor):
        return value.numpy()
    if isinstance(value, ir.DType):
        kind: Any = value.numpy
        return None if kind is None else np.dtype(kind).name
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)  # of an enumeration
    if isinstance(value, (list, tuple)):
        return [_sendable(v) for v in value]
    return value
