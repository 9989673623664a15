"""The graph IR: contexts, modules, graphs, nodes, values, types and attributes."""

from ._mlir_like import _cext_loader

_native = _cext_loader.load("ir")

__all__ = [_name for _name in dir(_native) if not _name.startswith("_")]
globals().update((_name, getattr(_native, _name)) for _name in __all__)
