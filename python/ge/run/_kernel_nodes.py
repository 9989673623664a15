"""Nodes that are called from Python.

What does not change from run to run is found once and kept with the plan: attributes that are bound, what is written,
what the graph says of the results. Nothing here refers to the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import ir, ops
from .._foreign import NoKernelError
from .._mlir_like._providers import provider
from .._support.failures import is_interrupt, text_of
from .._support.segments import stored
from . import _service
from ._reference import ReferenceCall
from ._values import to_array

if TYPE_CHECKING:
    from ._interpreter import Frame

__all__ = ["KernelNode", "Prepared", "check"]


class Prepared:
    """What is kept of a step's node, for one state of the graph.

    Attributes
    ----------
    sessions : dict
        Of a region: weak references to sessions, by engine and types of the inputs.
    has_bodies : bool, optional
        Of a region: whether one of its nodes has bodies; None until it is asked.
    """

    __slots__ = ("_kept", "has_bodies", "sessions")

    def __init__(self) -> None:
        self.sessions: dict[Any, Any] = {}
        self.has_bodies: bool | None = None
        # One object: other threads run the same plan.
        self._kept: tuple[int, KernelNode] | None = None

    def find(self, frame: Frame, operands: list[Any]) -> KernelNode | None:
        """Return what calls the node; None: it has to be prepared, also when a kernel edited the graph meanwhile."""
        kept = self._kept
        if kept is None or frame.attributes is not None or kept[0] != frame.graph.change_count:
            return None
        return kept[1] if kept[1].fits(operands) else None

    def keep(self, frame: Frame, call: KernelNode) -> None:
        """Keep what calls the node, where it does not depend on the call of a function."""
        if frame.attributes is None:
            self._kept = (frame.graph.change_count, call)


# Names of element types, by NumPy's.
_names: dict[Any, str] = {}


def _name_of(array: Any) -> str:
    dtype = array.dtype
    name = _names.get(dtype)
    if name is None:
        name = "string" if dtype.kind in "OUST" else ir.DType(dtype.name).name
        if len(_names) < 256:
            _names[dtype] = name
    return name


class _Expected:
    """What a graph says of a result, which has a tensor's type."""

    __slots__ = ("_dtype", "_shape", "_text")

    def __init__(self, type_: ir.TensorType) -> None:
        shape = type_.shape
        self._dtype = type_.dtype.name
        self._text = str(type_)
        self._shape = (
            None if shape is None else tuple(d if isinstance(d, int) else None for d in shape)
        )

    def check(self, what: str, number: int, array: Any) -> None:
        dtype, shape = _name_of(array), array.shape
        expected = self._shape
        if dtype == self._dtype and (expected is None or expected == shape):
            return
        fits = expected is None or (
            len(expected) == len(shape)
            and all(d is None or d == n for d, n in zip(expected, shape, strict=True))
        )
        if dtype != self._dtype or not fits:
            sizes = ", ".join(map(str, shape))
            raise ops.KernelError(
                f"{what} gave {dtype}[{sizes}] for result {number}, its type says {self._text}"
            )


def check(what: str, number: int, type_: ir.Type, array: Any) -> None:
    """Compare a result with what the graph says of it.

    Raises
    ------
    KernelError
    """
    if isinstance(type_, ir.TensorType):
        _Expected(type_).check(what, number, array)


def _expected(node: ir.Node) -> list[_Expected | bool | None]:
    """Return what the graph says of the results: False of one that is absent, None where nothing is said."""
    return [
        False if r is None else _Expected(r.type) if isinstance(r.type, ir.TensorType) else None
        for r in node.results
    ]


class KernelNode:
    """A node with a kernel; operands that it writes are copies of its own.

    Parameters
    ----------
    node : Node
    record : OpDef
    kernel : Kernel
    operands : list
    attributes : dict
    backend : str, optional
    is_limited : bool
        Whether reference kernels that ship with GE run in the child process, under its limits.
    """

    def __init__(
        self,
        node: ir.Node,
        record: Any,
        kernel: Any,
        operands: list[Any],
        attributes: dict[str, Any],
        backend: str | None,
        is_limited: bool = False,
    ) -> None:
        self._what = f"node '{node.name}' ({node.op})"
        known = {p.name for p in record.attributes}
        given = {k: v for k, v in attributes.items() if k in known or not _is_free(record, k)}
        widths = [_width(p.type) for p in record.operands]
        if not all(_is_plain(p.type) for p in record.operands):
            from ._faults import definition_fault  # not above: it imports the planner

            if fault := definition_fault(node):
                raise ops.KernelError(fault)  # no node has such an operand
        # What it writes is seen only through a result with that alias: callers' inputs and constants never change.
        segments = stored(record, node.operand_segments)
        in_list = max(len(operands) - sum(widths) + 1, 0)  # what the others leave
        written = [
            _is_written(p.alias)
            for i, p in enumerate(record.operands)
            for _ in range(
                (segments[i] if i < len(segments) else 0)
                if segments is not None
                else in_list
                if p.is_variadic
                else widths[i]
            )
        ][: len(operands)]
        self._written = written if any(written) else None
        self._results = _expected(node)
        self._lengths = node.result_segments if record.has_result_choice else None
        if kernel.is_shipped:
            self._written = None  # its results are new
            formats = [
                None if v is None else getattr(v.type, "format", None) for v in node.operands
            ]
            in_child = is_limited and _service.mode() == "child"
            self._call: Any = self._raising(
                lambda: ReferenceCall(
                    record, kernel, operands, attributes, segments, formats, in_child
                )
            )
        else:
            self._call = self._raising(
                lambda: provider("calls of nodes")(record, operands, given, backend, segments)
            )
        self.fits = self._call.fits

    def _flat(self, found: list[Any]) -> list[Any]:
        """Return the results of the node: lists of results one after another."""
        if not any(type(f) in (list, tuple) for f in found):
            return found
        several = [f if type(f) in (list, tuple) else [f] for f in found]
        lengths = tuple(0 if f is None else len(one) for f, one in zip(found, several, strict=True))
        if self._lengths is not None and lengths != self._lengths:
            raise ops.KernelError(
                f"{self._what}: its kernel gave {lengths} values for its results, the node has {self._lengths}"
            )
        return [
            v
            for f, one in zip(found, several, strict=True)
            for v in one
            if self._lengths is None or f is not None
        ]

    def _raising(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except ops.KernelError as error:
            text = text_of(error)
            if isinstance(error, NoKernelError) or self._what in text:
                raise
            raise ops.KernelError(f"{self._what}: {text}") from (error.__cause__ or error)
        except (ir.GEError, TypeError, ValueError, NotImplementedError) as error:
            if is_interrupt(error):
                raise
            if isinstance(error, NotImplementedError):
                raise NoKernelError(f"{self._what}: {text_of(error)}") from error
            raise ops.KernelError(f"{self._what}: {text_of(error)}") from error

    def __call__(self, operands: list[Any]) -> list[Any]:
        """Return the results."""
        if self._written is not None:
            operands = [
                np.array(o) if o is not None and w else o
                for o, w in zip_longest(operands, self._written, fillvalue=False)
            ]
        found = self._flat(self._raising(lambda: self._call(operands)))
        arrays = [f if type(f) is np.ndarray else _array_of(f) for f in found]
        for i, expected in enumerate(self._results):
            if expected is False or (i < len(arrays) and not isinstance(arrays[i], np.ndarray)):
                continue
            if i >= len(arrays):
                raise ops.KernelError(
                    f"{self._what}: its kernel gave {len(arrays)} of {len(self._results)} results"
                )
            if isinstance(expected, _Expected):
                expected.check(f"{self._what}: its kernel", i, arrays[i])
        return arrays


def _array_of(found: Any) -> Any:
    return found.numpy() if isinstance(found, ir.Tensor) else to_array(found)


def _is_plain(type_: Any) -> bool:
    """Return whether an operand is a tensor or a list of tensors."""
    for kind in ("optional", "list", "optional"):
        if type_.kind == kind:
            type_ = type_.elements[0]
    return type_.kind in ("atom", "union")


def _width(type_: Any) -> int:
    """Return how many operands of a node an operand has that is no list: one for each element of a tuple."""
    if type_.kind == "optional":
        return _width(type_.elements[0])
    return sum(map(_width, type_.elements)) if type_.kind == "tuple" else 1


def _is_free(record: Any, name: str) -> bool:
    """Return whether a node may have that attribute whatever its operator is: a tool's, a pass's, of CANN any."""
    return record.vararg or record.ns in ("math", "nn") or "." in name or name.startswith("_")


def _is_written(alias: Any) -> bool:
    """Return whether an operand of that alias, or an array in it, is written."""
    return alias is not None and (
        alias["is_write"] or any(_is_written(inner) for inner in alias["contained"])
    )
