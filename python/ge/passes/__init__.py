"""Passes: patterns matched and rewritten natively, hooks in Python, one pass manager."""

from .._mlir_like._cext_loader import load

load("ir")  # its classes and exceptions
_native = load("passes")

from . import _explain, _ge_pattern, _match, _rules  # noqa: E402
from . import p as p  # noqa: E402

globals().update(
    (_name, _value) for _name, _value in vars(_native).items() if not _name.startswith("_")
)
for _module in (_explain, _ge_pattern, _match, _rules):
    globals().update((_name, getattr(_module, _name)) for _name in _module.__all__)
for _name in ("as_pattern", "find"):  # graph.find(pattern) is the public way
    del globals()[_name]
__all__ = sorted(
    _name for _name in globals() if not _name.startswith("_") and _name not in ("load",)
)
del load
