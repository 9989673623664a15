"""Graph building in eager style: ``ge.es.onnx.Conv(x, w)``, ``ge.es.<namespace>.<Op>(...)``.

Each registered operator has a function with a signature and documentation, created from its record at first use.
Operands are positional, attributes keyword-only; numbers and arrays become constants.

    >>> from ge.es import onnx as op
    >>> with ge.es.builder("main") as b:
    ...     x = b.input("x", ("N", 8), ir.f32)
    ...     b.output(op.Relu(x * 2 + 1), name="y")

CANN's eager style is here too: `GraphBuilder`, `TensorHolder`, ``ge.es.math``, ``ge.es.nn``, ``ge.es.all``, and the
namespaces of plugin packages.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .._mlir_like._cext_loader import load
from .._support.domains import load as load_domain
from . import _plugins
from ._builder import Builder, builder
from ._builder import leave as leave  # for ge.passes; not public
from ._namespace import Finder, Namespace, namespace, opset
from ._plugins import PluginWarning, get_plugin, list_plugins

if TYPE_CHECKING:
    from . import all as all
    from . import math as math
    from . import nn as nn
    from . import onnx as onnx
    from .graph_builder import GraphBuilder, InputType, attr_scope, control_dependency_scope
    from .tensor_holder import TensorHolder

_native = load("ops")

# Imported at first use.
_LAZY = {
    "GraphBuilder": "graph_builder",
    "InputType": "graph_builder",
    "TensorHolder": "tensor_holder",
    "attr_scope": "graph_builder",
    "control_dependency_scope": "graph_builder",
}
_MODULES = ("all", "graph_builder", "tensor_holder", "tensor_like")
__all__ = [
    "Builder",
    "GraphBuilder",
    "InputType",
    "Namespace",
    "PluginWarning",
    "TensorHolder",
    "attr_scope",
    "builder",
    "control_dependency_scope",
    "get_plugin",
    "list_plugins",
    "namespace",
    "opset",
]

if not any(isinstance(f, Finder) and f.package == __name__ for f in sys.meta_path):
    sys.meta_path.insert(0, Finder(__name__))
    sys.meta_path.append(_plugins.Finder(__name__))


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    if name in _LAZY:
        found = getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
        globals()[name] = found
        return found
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    try:
        return namespace(name)
    except AttributeError as error:
        load_domain(name)  # a package may define its operators
        found = _plugins.plugin(name)
        if found is None:
            return namespace(name)
        if isinstance(found, ModuleType):
            return import_module(f"{__name__}.{name}")
        raise AttributeError(str(found)) from error


def __dir__() -> list[str]:
    tops = {n.partition(".")[0] for n in _native.namespaces()}
    return sorted({*__all__, *_MODULES, *tops})
