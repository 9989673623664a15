"""The errors of ge.ops; they live in ge.ir with the others of their family, but for `KernelError`."""

from .._foreign import KernelError
from .._mlir_like._cext_loader import load

__all__ = ["BindError", "KernelError", "OpSchemaError"]

_ir = load("ir")
BindError = _ir.BindError
OpSchemaError = _ir.OpSchemaError
