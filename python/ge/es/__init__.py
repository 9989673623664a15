"""Graph building in eager style: ``ge.es.onnx.Conv(x, w)``, ``ge.es.<namespace>.<Op>(...)``.

Each registered operator has a function, made from its record when it is first asked for, with a true signature and
documentation. Operands are positional, attributes keyword-only; numbers and arrays become constants. ::

    import ge.es, ge.ir as ir
    from ge.es import onnx as op

    with ge.es.builder("main") as b:
        x = b.input("x", ("N", 8), ir.f32)
        b.output(op.Relu(x * 2 + 1), name="y")
"""

import sys
from types import ModuleType

from .._mlir_like._cext_loader import load
from ._builder import Builder, builder
from ._namespace import Finder, Namespace, namespace, opset

_native = load("ops")

__all__ = ["Builder", "Namespace", "builder", "namespace", "opset"]

if not any(isinstance(f, Finder) and f.package == __name__ for f in sys.meta_path):
    sys.meta_path.insert(0, Finder(__name__))


def __getattr__(name: str) -> ModuleType:
    if name.startswith("_"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return namespace(name)


def __dir__() -> list[str]:
    tops = {n.partition(".")[0] for n in _native.namespaces()}
    return sorted(set(__all__) | tops)
