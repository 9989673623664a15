"""CANN's operators of every namespace: ``from ge.es.all import MatMul, Relu``.

A name is looked for in ``math`` and ``nn``, then in the other registered namespaces, in order of their names; those
of ONNX are left out.
"""

from typing import Any

from .._mlir_like._cext_loader import load
from ._namespace import namespace

_native = load("ops")
_FIRST = ("math", "nn")


def _namespaces() -> list[str]:
    names = [n for n in _native.namespaces() if n.partition(".")[0] not in ("onnx", "ai")]
    return [n for n in _FIRST if n in names] + sorted(n for n in names if n not in _FIRST)


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted({op for ns in _namespaces() for op in namespace(ns).__all__})
    if not name.startswith("_"):
        for ns in _namespaces():
            if _native.versions(f"{ns}::{name}"):
                return getattr(namespace(ns), name)
        near = _native.suggest(f"math::{name}")[:1] or _native.suggest(f"nn::{name}")[:1]
        hint = f"; did you mean '{near[0].rpartition('::')[2]}'?" if near else ""
        raise AttributeError(f"module '{__name__}' has no operator '{name}'{hint}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))
