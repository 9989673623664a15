"""Shape and TensorDesc: the values that CANN passes where the IR has a `TensorType`."""

from collections.abc import Sequence

from .. import ir
from .types import DataType, Format

__all__ = ["Shape", "TensorDesc", "format_name", "format_of"]

UNKNOWN_DIM = -1
UNKNOWN_RANK = -2

_Dims = tuple[int | str | None, ...] | None  # a shape as TensorType has it


def _dims(value: object, what: str) -> list[int]:
    if not isinstance(value, list | tuple) or not all(
        isinstance(dim, int) and not isinstance(dim, bool) for dim in value
    ):
        raise TypeError(f"{what} must be a list of integers")
    return [int(dim) for dim in value]


class Shape(list[int]):
    """Sizes of dimensions; -1 is an unknown size, the one element -2 an unknown rank.

    Parameters
    ----------
    dims : list or tuple of int, optional
        Default: none, the shape of a scalar.

    Raises
    ------
    TypeError
        If `dims` is something else.
    """

    def __init__(self, dims: Sequence[int] | None = None) -> None:
        super().__init__([] if dims is None else _dims(dims, "dims"))

    def get_shape_size(self) -> int:
        """Return the number of elements, 0 for a scalar, -1 if a dimension is unknown.

        A scalar has one element; CANN says 0, and code that knows that depends on it.
        """
        if self.is_unknown_shape():
            return -1
        size = 1 if self else 0
        for dim in self:
            size *= dim
        return size

    def is_unknown_shape(self) -> bool:
        """Whether a dimension or the rank is unknown."""
        return any(dim in (UNKNOWN_DIM, UNKNOWN_RANK) for dim in self)

    def __repr__(self) -> str:
        return f"Shape({super().__repr__()})"


def format_of(name: str | None) -> Format:
    """Return the Format for a layout's name; those that CANN lacks are ``FORMAT_RESERVED``."""
    if name is None:
        return Format.FORMAT_ND
    return Format.__members__.get("FORMAT_" + name, Format.FORMAT_RESERVED)


def format_name(value: Format) -> str | None:
    """Return the name of a layout, None for ``FORMAT_ND``.

    Raises
    ------
    TypeError
        If it is not a Format.
    """
    if not isinstance(value, Format):
        raise TypeError(f"Format must be a Format, not {type(value).__name__}")
    if value is Format.FORMAT_ND:
        return None
    return value.name.removeprefix("FORMAT_")


def _shape_of(dims: _Dims) -> Shape:
    if dims is None:
        return Shape([UNKNOWN_RANK])
    return Shape([dim if isinstance(dim, int) else UNKNOWN_DIM for dim in dims])


def _dims_of(shape: Shape, before: _Dims) -> _Dims:
    """Return the dimensions of a type; unknown ones keep the symbol that they had before."""
    if UNKNOWN_RANK in shape:
        return None
    symbols: Sequence[int | str | None] = ()
    if before is not None and len(before) == len(shape):
        symbols = before
    dims: list[int | str | None] = list(shape)
    for index, dim in enumerate(shape):
        if dim == UNKNOWN_DIM:
            symbol = symbols[index] if symbols else None
            dims[index] = None if isinstance(symbol, int) else symbol
    return tuple(dims)


class TensorDesc:
    """Shape, layout and element type of a tensor, also before the layout was changed (origin).

    Parameters
    ----------
    shape : Shape or list of int, optional
        Default: a scalar's.
    format : Format
    data_type : DataType

    Notes
    -----
    Setters give back the object, so they chain. Two are equal if all they say is equal.
    """

    __slots__ = ("_data_type", "_format", "_origin_format", "_origin_shape", "_shape")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        shape: Sequence[int] | None = None,
        format: Format = Format.FORMAT_ND,
        data_type: DataType = DataType.DT_FLOAT,
    ) -> None:
        self._origin_shape: Shape | None = None
        self._origin_format: Format | None = None
        self.set_format(format)
        self.set_data_type(data_type)
        self.set_shape(Shape() if shape is None else shape)

    def set_shape(self, shape: Sequence[int]) -> "TensorDesc":
        """Set the shape: a Shape or list of int."""
        self._shape = Shape(_dims(shape, "shape"))
        return self

    def set_origin_shape(self, shape: Sequence[int]) -> "TensorDesc":
        """Set the shape before the layout was changed."""
        self._origin_shape = Shape(_dims(shape, "origin shape"))
        return self

    def set_format(self, format: Format) -> "TensorDesc":
        """Set the layout."""
        format_name(format)
        self._format = format
        return self

    def set_origin_format(self, format: Format) -> "TensorDesc":
        """Set the layout that there was before."""
        format_name(format)
        self._origin_format = format
        return self

    def set_data_type(self, data_type: DataType) -> "TensorDesc":
        """Set the element type."""
        if not isinstance(data_type, DataType):
            raise TypeError(f"Data type must be a DataType, not {type(data_type).__name__}")
        self._data_type = data_type
        return self

    def get_shape(self) -> Shape:
        """Return a copy of the shape."""
        return Shape(self._shape)

    def get_origin_shape(self) -> Shape:
        """Return a copy of the shape before the layout was changed; empty when it is not known."""
        return Shape(self._origin_shape)

    def get_format(self) -> Format:
        """Return the layout."""
        return self._format

    def get_origin_format(self) -> Format:
        """Return the layout that there was before; ``FORMAT_ND`` when it is not known."""
        return Format.FORMAT_ND if self._origin_format is None else self._origin_format

    def get_data_type(self) -> DataType:
        """Return the element type."""
        return self._data_type

    @property
    def shape(self) -> Shape:
        """The shape, a copy."""
        return self.get_shape()

    @property
    def origin_shape(self) -> Shape:
        """The shape before the layout was changed, a copy."""
        return self.get_origin_shape()

    @property
    def format(self) -> Format:
        """The layout."""
        return self.get_format()

    @property
    def origin_format(self) -> Format:
        """The layout that there was before."""
        return self.get_origin_format()

    @property
    def data_type(self) -> DataType:
        """The element type."""
        return self.get_data_type()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorDesc):
            return NotImplemented
        return self._key() == other._key()

    def _key(self) -> tuple[object, ...]:
        return (
            self._shape,
            self._format,
            self._data_type,
            self._origin_shape,
            self._origin_format,
        )

    def __repr__(self) -> str:
        text = f"shape={list(self._shape)}, format={self._format.name}"
        text += f", data_type={self._data_type.name}"
        if self._origin_shape is not None:
            text += f", origin_shape={list(self._origin_shape)}"
        if self._origin_format is not None:
            text += f", origin_format={self._origin_format.name}"
        return f"TensorDesc({text})"

    @classmethod
    def _of_type(cls, type: "ir.Type") -> "TensorDesc":
        if isinstance(type, ir.UnknownType):
            return cls([UNKNOWN_RANK], data_type=DataType.DT_UNDEFINED)
        if not isinstance(type, ir.TensorType):
            raise ir.GEError(f"{type} is not a tensor type and has no description")
        number = type.dtype.ge
        if number is None:
            raise ir.GEError(f"CANN has no DataType for the element type '{type.dtype.name}'")
        desc = cls(_shape_of(type.shape), format_of(type.format), DataType(number))
        if type.origin_shape is not None:
            desc._origin_shape = _shape_of(type.origin_shape)
        if type.origin_format is not None:
            desc._origin_format = format_of(type.origin_format)
        return desc

    def _to_type(self, context: "ir.Context", before: "ir.Type | None") -> "ir.Type":
        """Return the described type; symbols and layout names, which a description cannot express, come from `before`."""
        old = before if isinstance(before, ir.TensorType) else None
        nothing_said = TensorDesc([UNKNOWN_RANK], data_type=DataType.DT_UNDEFINED)
        if old is None and self == nothing_said:
            return ir.UnknownType(context=context)
        if self._data_type is DataType.DT_MAX:
            raise ir.GEError("DT_MAX is not an element type")
        origin_shape: _Dims = None
        if self._origin_shape is not None:
            origin_shape = _dims_of(self._origin_shape, old.origin_shape if old else None)
        return ir.TensorType(
            _dims_of(self._shape, old.shape if old else None),
            ir.DType(self._data_type.name),
            format=_layout(self._format, old.format if old else None),
            origin_shape=origin_shape,
            origin_format=_layout(self._origin_format, old.origin_format if old else None),
            context=context,
        )


def _layout(value: Format | None, before: str | None) -> str | None:
    if value is None:
        return None
    # Names that CANN lacks, and an explicit "ND".
    if before is not None and format_of(before) is value:
        return before
    return format_name(value)


for _class in (Shape, TensorDesc):
    _class.__module__ = __name__.rpartition(".")[0]
