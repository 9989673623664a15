"""Numbers and lists as operands, in CANN's way: ints are int64, floats float32, whatever they stand beside."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union, cast

from .._mlir_like._cext_loader import load

if TYPE_CHECKING:
    from .graph_builder import GraphBuilder
    from .tensor_holder import TensorHolder

__all__ = ["Number", "TensorLike", "convert_to_tensor_holder", "resolve_builder"]

_ir = load("ir")

Number = int | float
#: What a graph-building function takes for a tensor.
TensorLike = Union["TensorHolder", int, float, Sequence[Any], None]

# CANN's classes, once they are imported: both import this module.
_Holder: Any = ()
_Builder: Any = ()

_WRONG_ITEM = "Value must be int|float or nested lists of int|float"
_WRONG = "Value must be TensorHolder or int|float or nested lists of int|float or None"


def convert_to_tensor_holder(value: Any, owner_builder: "GraphBuilder") -> "TensorHolder | None":
    """Return a value as a tensor of a builder; create a constant if necessary.

    Parameters
    ----------
    value : TensorHolder, Value, int, float, nested list or None
        Ints (and bools) are int64; a float makes the whole list float32. Arrays and `Tensor` keep their type.
    owner_builder : GraphBuilder

    Returns
    -------
    TensorHolder or None
        `value` itself if it is a TensorHolder or None.

    Raises
    ------
    TypeError
        If it is nothing of these.
    ValueError
        If lists in it have different lengths, or it belongs to another builder.
    """
    if value is None or isinstance(value, _Holder):
        return cast("TensorHolder | None", value)
    if isinstance(value, _ir.Value):
        return owner_builder._holder(value)
    return owner_builder._add_constant(tensor_of(value))


def tensor_of(value: Any) -> Any:
    """Return the Tensor of a number, nested list, array or Tensor."""
    if isinstance(value, (int, float)) and not hasattr(value, "dtype"):
        flat: list[Any] = [value]
        shape: list[int] = []
    elif isinstance(value, (list, tuple)):
        flat, shape = _flatten(value)
    elif isinstance(value, _ir.Tensor):
        return value
    elif hasattr(value, "__array__") or hasattr(value, "__dlpack__"):
        return _ir.Tensor(value)
    else:
        raise TypeError(f"{_WRONG}, not {type(value).__name__}")
    is_float = any(isinstance(item, float) for item in flat)
    return make_tensor(flat, shape, _ir.f32 if is_float else _ir.i64)


def make_tensor(flat: Sequence[Any], shape: Sequence[int], dtype: Any) -> Any:
    """Return the Tensor of these elements, in order."""
    import numpy as np

    return _ir.Tensor(np.array(flat, dtype=dtype.numpy).reshape(tuple(shape)))


def _flatten(value: "Sequence[Any]") -> "tuple[list[Any], list[int]]":
    """Return the numbers of nested lists, and their shape."""
    if not value:
        return [], [0]
    if not any(isinstance(item, (list, tuple)) for item in value):
        if not all(isinstance(item, (int, float)) for item in value):
            raise TypeError(_WRONG_ITEM)
        return list(value), [len(value)]
    flat: list[Any] = []
    inner: list[int] | None = None
    for item in value:
        if not isinstance(item, (list, tuple)):
            raise ValueError("Irregular nested list: all sub-lists must have the same shape")
        if not item:
            raise TypeError(f"{_WRONG_ITEM}; an inner list is empty")
        numbers, shape = _flatten(item)
        if inner is not None and shape != inner:
            raise ValueError("Irregular nested list: all sub-lists must have the same shape")
        flat += numbers
        inner = shape
    return flat, [len(value), *(inner or ())]


def resolve_builder(*args: Any) -> "GraphBuilder":
    """Return the builder of the first argument that has one.

    Parameters
    ----------
    *args : TensorHolder, GraphBuilder, or anything
        Lists are not looked into.

    Raises
    ------
    ValueError
        If none has.
    """
    for item in args:
        if isinstance(item, _Holder):
            return cast("GraphBuilder", item.get_owner_builder())
        if isinstance(item, _Builder):
            return cast("GraphBuilder", item)
    raise ValueError(
        "Please ensure at least one input tensor or an explicit owner_builder is provided when supported"
    )
