"""Callbacks of the native functions: signatures, docs, tracing of subgraph callables.

The modules that it calls are imported at first use: `import ge.es` is cheap.
"""

from collections.abc import Callable
from typing import Any

from .._mlir_like._cext_loader import load

_native = load("ops")
_installed = False


def _signature(function: Any) -> Any:
    from ._signature import signature

    return signature(function)


def _doc(function: Any) -> str:
    from ._docs import docstring

    return docstring(function)


def _trace(body: Any, op: Any, parameter: str, operands: Any, attributes: Any, graph: Any) -> Any:
    from ._subgraphs import trace

    return trace(body, op, parameter, operands, attributes, graph)


def _capture(value: Any, graph: Any) -> Any:
    from ._subgraphs import capture

    return capture(value, graph)


def _adopted(captures: Any) -> None:
    from ._subgraphs import adopted

    adopted(captures)


def _at_opset(function: Any, opset: int) -> Any:
    from ._namespace import at_opset

    return at_opset(function, opset)


def install(forget: Callable[[str], None]) -> None:
    """Give the native module its hooks, once."""
    global _installed
    if not _installed:
        _native._set_hooks(_signature, _doc, _trace, _capture, _adopted, forget, _at_opset)
        _installed = True
