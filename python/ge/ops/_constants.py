"""The tensors of constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._mlir_like._cext_loader import load

if TYPE_CHECKING:
    from ..ir import Tensor, Value

__all__ = ["constant_tensor"]

_ir: Any = load("ir")

# Attributes of onnx.Constant other than `value`, and the element type that each implies.
_FORMS = {
    "value_float": "f32",
    "value_floats": "f32",
    "value_int": "i64",
    "value_ints": "i64",
    "value_string": "string",
    "value_strings": "string",
}


def constant_tensor(value: Value) -> Tensor | None:
    """Return the tensor of a constant: a ``ge.Const`` or ``ge.Constant``, or an ``onnx.Constant`` in any dense form.

    Parameters
    ----------
    value : Value

    Returns
    -------
    Tensor or None
        None for what is no such constant: an input, also one with a default, a node that computes, a sparse constant.
        A number is a tensor without axes, a list one with one axis.
    """
    node = value.node
    if node.op not in ("ge.Const", "ge.Constant", "onnx.Constant"):
        return None
    attributes = node.attributes
    held = attributes.get("value")
    if not isinstance(held, _ir.Tensor):
        made = (
            _ir.Tensor(attributes[form], dtype=_ir.DType(dtype))
            for form, dtype in _FORMS.items()
            # A reference to an attribute of a function's call has no value here.
            if form in attributes and not isinstance(attributes[form], dict)
        )
        held = next(made, None)
    tensor: Tensor | None = held
    return tensor
