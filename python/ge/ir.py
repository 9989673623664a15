"""The graph IR: contexts, modules, graphs, nodes, values, types and attributes."""

from ._mlir_like import _attrs
from ._mlir_like._cext_loader import load

_native = load("ir")

globals().update(
    (_name, _value) for _name, _value in vars(_native).items() if not _name.startswith("_")
)
globals().update(
    (_name, getattr(_attrs, _name)) for _name in _attrs.__all__ if _name != "scalar_classes"
)
__all__ = sorted(_name for _name in globals() if not _name.startswith("_") and _name != "load")
del load
