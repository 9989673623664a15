"""Running a module."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._mlir_like._providers import provider

if TYPE_CHECKING:
    from ..ir import Module

__all__ = ["run"]


def run(
    module: Module,
    inputs: Mapping[str, Any] | Sequence[Any] | None = None,
    *,
    names: bool = False,
    trace: Callable[[str, Any], object] | None = None,
    backend: str | None = None,
    isolate: bool = True,
) -> Any:
    """Compute the outputs of a module's graph that is not a function; parameters are those of ``Graph.run``.

    Raises
    ------
    ValueError
        If the module has no such graph or several, or the inputs do not fit.
    KernelError
        If a node has no kernel, or its kernel fails.
    """
    return provider("interpreter of modules")(
        module, inputs, names=names, trace=trace, backend=backend, isolate=isolate
    )
