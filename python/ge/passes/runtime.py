"""The native module behind `ge.passes`, under the names that GE has for it."""

from types import ModuleType

from .._mlir_like._cext_loader import load

__all__ = ["ensure_native_module", "run_fallback_codegen"]


def ensure_native_module() -> ModuleType:
    """Return the native module; ImportError tells what was tried."""
    return load("passes")


def run_fallback_codegen() -> str:
    """Return the file of the native module. GE builds one here; ours comes with the package."""
    return str(load("passes").__file__)
