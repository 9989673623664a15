"""The native module of `ge.passes`, under the names that CANN has for it."""

from types import ModuleType

from ..._mlir_like._cext_loader import load
from .._pattern._public import publish

__all__ = ["ensure_native_module", "run_fallback_codegen"]


def ensure_native_module() -> ModuleType:
    """Return the native module; ImportError tells what was tried."""
    return load("passes")


def run_fallback_codegen() -> str:
    """Return the file of the native module: the package's, or with ``GE_NATIVE_FALLBACK=1`` one that was built."""
    return str(load("passes").__file__)


publish(globals(), home="runtime")
