"""The native module of `ge.passes`, under the names that CANN has for it: a face of `ge.passes`."""

from ._pipeline._runtime import ensure_native_module, run_fallback_codegen

__all__ = ["ensure_native_module", "run_fallback_codegen"]
