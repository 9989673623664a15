"""ONNX models as modules and back, checked against each other, and optimised, one or many.

``docs/onnx.md`` says where each field of a model is in the IR. Everything a model carries survives a
round trip, unknown fields included. Weights are views into the mapped file (or the bytes) until
they are replaced, and unchanged ones are copied by the kernel when the model is saved.
"""

from typing import TYPE_CHECKING, Any

from .._mlir_like._providers import provider
from ._files import from_onnx, load, save, to_bytes, to_onnx

if TYPE_CHECKING:
    from ..optimize import (
        ContradictionError,
        ModelResult,
        OptimizeReport,
        PassReport,
        Size,
        optimize,
        optimize_many,
    )
    from ..run import CheckReport, OutputReport, check, make_inputs

__all__ = [
    "CheckReport",
    "ContradictionError",
    "ModelResult",
    "OptimizeReport",
    "OutputReport",
    "PassReport",
    "Size",
    "check",
    "from_onnx",
    "load",
    "make_inputs",
    "optimize",
    "optimize_many",
    "save",
    "to_bytes",
    "to_onnx",
]

for _function in (from_onnx, load, save, to_bytes, to_onnx):
    _function.__module__ = __name__  # their public home
del _function

if not TYPE_CHECKING:
    _RUN = {"CheckReport", "OutputReport", "check", "make_inputs"}

    def __getattr__(name: str) -> Any:
        """Import the functions that run, compare and optimise models at first use."""
        if name not in __all__:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        value = getattr(provider("run" if name in _RUN else "optimize"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
