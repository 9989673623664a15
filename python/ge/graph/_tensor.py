"""The constructor of tensors with CANN's parameters, which `Tensor` calls for them."""

import math
import os
from collections.abc import Sequence
from typing import Any

from .. import ir
from ._tensor_desc import format_name
from .types import DataType, Format, Placement

__all__ = ["new_tensor", "text_of"]

# Number of elements up to which `str` shows all.
_MOST_SHOWN = 1 << 16


def new_tensor(
    data: Any = None,
    file_path: "str | os.PathLike[str] | None" = None,
    data_type: DataType | None = None,
    format: Format = Format.FORMAT_ND,
    shape: Sequence[int] | None = None,
    placement: Placement = Placement.PLACEMENT_HOST,
) -> "ir.Tensor":
    """Return a tensor.

    Parameters
    ----------
    data : list or array, optional
        Flat or nested list of numbers, or a NumPy array or what else `Tensor` takes.
    file_path : path-like, optional
        A file of raw elements, which is mapped.
    data_type : DataType, optional
        Default: an array's own, else ``DT_FLOAT``.
    format : Format
    shape : list of int, optional
        Default: an array's own; ``[n]`` for a list or file of n elements.
    placement : Placement
        ``PLACEMENT_HOST``.

    Raises
    ------
    TypeError
        For arguments of other types.
    ValueError
        If data does not fit the shape.
    GEError
        If there are both data and file, or the file cannot be read.
    NotImplementedError
        For ``PLACEMENT_DEVICE``.
    """
    if shape is not None and (
        not isinstance(shape, list | tuple) or not all(type(dim) is int for dim in shape)
    ):
        raise TypeError(f"Shape must be a list of integers, not {shape!r:.60}")
    if not isinstance(placement, Placement):
        raise TypeError(f"Placement must be a Placement, not {type(placement).__name__}")
    if data is not None and file_path is not None:
        raise ir.GEError("Tensor should be created either by data or by file, not by both")
    if data_type is not None and not isinstance(data_type, DataType):
        raise TypeError(f"Data_type must be a DataType, not {type(data_type).__name__}")
    layout = format_name(format)
    if placement is Placement.PLACEMENT_DEVICE:
        raise NotImplementedError(
            "device memory needs Ascend hardware and its runtime (ACL), which are not available"
        )
    if file_path is not None:
        tensor = _from_file(file_path, _dtype(data_type), shape)
    elif data is not None:
        tensor = _from_data(data, data_type, shape)
    else:
        tensor = ir.Tensor.splat(0, ir.TensorType(tuple(shape or ()), _dtype(data_type)))
    return tensor if layout is None else tensor.set_format(format)


def _dtype(data_type: DataType | None) -> "ir.DType":
    if data_type is DataType.DT_MAX:
        raise ir.GEError("DT_MAX is not an element type")
    return ir.DType((data_type or DataType.DT_FLOAT).name)


def _from_data(data: Any, data_type: DataType | None, shape: Sequence[int] | None) -> "ir.Tensor":
    plain = isinstance(data, list | tuple)
    if not plain and isinstance(data, str | bytes | int | float | dict | set):
        raise TypeError(f"data should be List or an array, not {type(data).__name__}")
    wanted = _dtype(data_type) if plain or data_type is not None else None
    if plain and data_type is DataType.DT_BOOL:
        data = _bools(data)
    elif plain and wanted is not None and wanted is not ir.string:
        data = _numbers(data, data_type or DataType.DT_FLOAT)
    tensor = ir.Tensor(data, wanted)
    if shape is None or tuple(shape) == tensor.shape:
        return tensor
    if -1 in shape or -2 in shape or math.prod(shape) != tensor.size:
        raise ValueError(f"data of {tensor.size} elements does not fit the shape {list(shape)}")
    if tensor.dtype is ir.string:
        return ir.Tensor(tensor.numpy().reshape(shape))
    return ir.Tensor.from_bytes(tensor.tobytes(), tensor.dtype, shape)


def _bools(data: Any) -> list[Any]:
    """Return nested lists of bools; NumPy would accept any object as a bool."""
    if isinstance(data, list | tuple):
        return [_bools(item) for item in data]
    # 0 and 1 stand for False and True, as in CANN's lists.
    is_bool = isinstance(data, bool) or str(getattr(data, "dtype", "")) == "bool"
    if not is_bool and (type(data) is not int or data not in (0, 1)):
        raise TypeError(
            f"an element of a DT_BOOL tensor is a bool, 0 or 1, not {data!r:.60} "
            f"({type(data).__name__})"
        )
    return bool(data)  # type: ignore[return-value]


def _numbers(data: Any, data_type: DataType) -> Any:
    """Return nested lists of numbers, floats as ``int(x)`` where the elements are integers, as in CANN.

    What NumPy would convert in silence is refused: "1" to an int, None to NaN.
    """
    if isinstance(data, list | tuple):
        return [_numbers(item, data_type) for item in data]
    if hasattr(data, "__array__") and getattr(data, "shape", ()) != ():
        return data
    is_integer = data_type.name.startswith(("DT_INT", "DT_UINT"))
    if not any(hasattr(data, method) for method in ("__index__", "__float__", "__complex__")):
        raise TypeError(
            f"an element of a {data_type.name} tensor is a number, "
            f"not {data!r:.60} ({type(data).__name__})"
        )
    if not is_integer or hasattr(data, "__index__"):
        return data
    try:
        return int(data)
    except (TypeError, ValueError, OverflowError) as error:  # a complex number, nan, inf
        raise type(error)(
            f"an element of a {data_type.name} tensor is a finite number, not {data!r:.60}"
        ) from error


def text_of(tensor: "ir.Tensor") -> str:
    """Return CANN's text of a tensor: layout, element type, shape and elements, which end in "..." where there are many."""
    try:
        layout, element = tensor.format.name, tensor.data_type.name
    except ir.GEError:  # CANN has no such type
        layout, element = f"FORMAT_{tensor.type.format or 'ND'}", str(tensor.dtype)
    data: Any
    if tensor.size <= _MOST_SHOWN:
        data = tensor.get_data()
    else:
        first = ir.Tensor(tensor.numpy().reshape(-1)[:_MOST_SHOWN]).get_data()
        data = f"{str(first)[:-1]}, ...] ({tensor.size} elements)"
    return (
        f"Tensor format is {layout}\ndata_type is {element}\n"
        f"shape is {list(tensor.shape)}\ndata is {data}"
    )


def _from_file(
    path: "str | os.PathLike[str]", dtype: "ir.DType", shape: Sequence[int] | None
) -> "ir.Tensor":
    try:
        if shape is None:
            width = max(dtype.bits // 8, 1)
            shape = [os.path.getsize(path) // width]
        return ir.Tensor.from_file(path, dtype, shape)
    except (OSError, ValueError) as error:
        raise ir.GEError(f"Failed to create Tensor from file {os.fspath(path)}: {error}") from error
