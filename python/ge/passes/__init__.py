"""Passes: patterns matched and rewritten natively, hooks in Python, one pass manager."""

from .._mlir_like._cext_loader import load

load("ir")  # its classes and exceptions
_native = load("passes")

globals().update(
    (_name, _value) for _name, _value in vars(_native).items() if not _name.startswith("_")
)
__all__ = sorted(_name for _name in globals() if not _name.startswith("_") and _name != "load")
del load
