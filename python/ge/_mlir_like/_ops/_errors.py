"""The errors of ge.ops; they live in ge.ir with the others of their family."""

from .._cext_loader import load

_ir = load("ir")
BindError = _ir.BindError
OpSchemaError = _ir.OpSchemaError
