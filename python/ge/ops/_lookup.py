"""Which implementation computes an operator."""

from typing import TYPE_CHECKING, Any

from .._mlir_like._cext_loader import load
from ._kernels import ALIASES, DECOMPOSITION, REFERENCE, Decomposer, Kernel, decomposer_of, find

if TYPE_CHECKING:
    from ..ir import Node

__all__ = ["SetAsideError", "check_backend", "decomposer", "look_up", "record_of_node"]

_native: Any = load("ops")


class SetAsideError(NotImplementedError):
    """The registered kernel does not fit the operator's schema: nothing else runs in its place."""


def check_backend(backend: str) -> None:
    """Raise ValueError for what is no backend, such as a rank."""
    known = _native.backends()
    if backend in known:
        return
    if backend in (DECOMPOSITION, REFERENCE):
        raise ValueError(
            f"'{backend}' is a rank of kernels, no backend; backends are {', '.join(known)}"
        )
    raise ValueError(f"backend '{backend}' must be one of {', '.join(known)}")


def look_up(record: Any, backend: str = "cpu") -> "Kernel | None":
    """Return what computes an operator on a backend.

    Parameters
    ----------
    record : OpDef
    backend : str

    Returns
    -------
    Kernel or None
        The first of: the kernel for the backend, the one for ``"any"``, a `Decomposer` that a library registered, and
        on the CPU the reference kernel.

    Raises
    ------
    SetAsideError
        If there are kernels of a rank, and none of them fits the schema.
    """
    name = record.qualified_name
    found = _fitting(record, backend, backend, "any") or decomposer_of(name)
    if found is None and backend == "cpu":
        found = _fitting(record, backend, REFERENCE)
    return found


def _fitting(record: Any, backend: str, *words: str) -> "Kernel | None":
    """Return the first kernel for some words that fits a record, or None if there is no kernel."""
    set_aside = None
    for word in words:
        found = find(record.qualified_name, word)
        if found is None:
            continue
        fault = found.fault(record)
        if fault is None:
            return found
        set_aside = set_aside or fault
    if set_aside is not None:
        raise SetAsideError(
            f"{record.qualified_name} has no kernel for {backend} that fits its schema: {set_aside}"
        )
    return None


def decomposer(record: Any) -> "Decomposer | None":
    """Return the function that builds an operator from others, or None."""
    return decomposer_of(record.qualified_name)


def record_of_node(node: "Node") -> Any:
    """Return the record of a node's operator, or None."""
    for ns in ALIASES.get(node.domain, (node.domain,)):
        record = _native.find(ns, node.type, node.overload or "")
        if record is not None:
            return record
    return None
