"""CANN's eager view of a value."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from .._mlir_like._cext_loader import load
from ..graph import DataType, Format, Node, TensorDesc
from . import _eager

if TYPE_CHECKING:
    from .graph_builder import GraphBuilder
    from .tensor_like import TensorLike

__all__ = ["TensorHolder"]

_ir = load("ir")


class TensorHolder:
    """A tensor of a graph that a `GraphBuilder` makes: its `value` seen in CANN's way.

    Graph-building functions take it, and give one back. ``+ - * /`` are CANN's Add, Sub, Mul and Div; numbers and
    lists beside it become constants, of int64 or float32. It keeps its builder alive.

    Raises
    ------
    RuntimeError
        When it is constructed: builders and graph-building functions make it.
    """

    __slots__ = ("__weakref__", "_builder", "_value")
    # NumPy's arrays leave the operators to us.
    __array_ufunc__ = None

    _value: Any
    _builder: "GraphBuilder"

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise RuntimeError(
            "TensorHolder objects should not be created directly: GraphBuilder.create_* and graph-building functions make them"
        )

    @classmethod
    def _create_from(cls, handle: Any, builder: "GraphBuilder") -> "TensorHolder":
        """Return the view of a Value that a builder's graph has."""
        if handle is None:
            raise ValueError("Tensor handle cannot be None")
        if builder is None:
            raise ValueError("Owner builder cannot be None")
        self = object.__new__(cls)
        self._value = handle
        self._builder = builder
        return self

    @property
    def value(self) -> Any:
        """The Value."""
        return self._value

    @property
    def name(self) -> str:
        """Name of the node that makes it."""
        name: str = self._value.node.name
        return name

    def get_owner_builder(self) -> "GraphBuilder":
        """Return the builder."""
        return self._builder

    def _get_node_snapshot(self) -> Node:
        node: Node = self._value.node
        return node

    def set_data_type(self, data_type: DataType) -> "TensorHolder":
        """Set the element type.

        Parameters
        ----------
        data_type : DataType

        Returns
        -------
        TensorHolder
            This one; so do all setters.
        """
        self._builder._check_usable("set data type")
        if not isinstance(data_type, DataType):
            raise TypeError(f"Data type must be a DataType enum, not {type(data_type).__name__}")
        return self._describe(TensorDesc._of_type(self._value.type).set_data_type(data_type))

    def set_format(self, format: Format) -> "TensorHolder":
        """Set the layout.

        Parameters
        ----------
        format : Format
        """
        self._builder._check_usable("set format")
        if not isinstance(format, Format):
            raise TypeError(f"Format must be a Format enum, not {type(format).__name__}")
        return self._describe(TensorDesc._of_type(self._value.type).set_format(format))

    def set_shape(self, shape: Sequence[int]) -> "TensorHolder":
        """Set the shape.

        Parameters
        ----------
        shape : list of int
            -1 is an unknown size.
        """
        self._builder._check_usable("set shape")
        if not isinstance(shape, list | _ir.TensorShape):
            raise TypeError(f"Shape must be a list of integers, not {type(shape).__name__}")
        if not all(isinstance(dim, int) for dim in shape):
            raise TypeError(f"All shape dimensions must be integers, not {shape}")
        return self._describe(TensorDesc._of_type(self._value.type).set_shape(shape))

    def _describe(self, desc: TensorDesc) -> "TensorHolder":
        before = self._value.type
        self._value.type = desc._to_type(self._value.node.root.context, before)
        return self

    def add_control_dependency(self, src_tensors: "Sequence[TensorHolder]") -> "TensorHolder":
        """Let its node run after these tensors' nodes; see `GraphBuilder.add_control_dependency`."""
        self._builder.add_control_dependency(self, src_tensors)
        return self

    def add(self, other: "TensorLike") -> "TensorHolder":
        """Return ``self + other``, CANN's Add."""
        return _eager.arithmetic("add", self, other)

    def sub(self, other: "TensorLike") -> "TensorHolder":
        """Return ``self - other``, CANN's Sub."""
        return _eager.arithmetic("sub", self, other)

    def mul(self, other: "TensorLike") -> "TensorHolder":
        """Return ``self * other``, CANN's Mul."""
        return _eager.arithmetic("mul", self, other)

    def div(self, other: "TensorLike") -> "TensorHolder":
        """Return ``self / other``, CANN's Div."""
        return _eager.arithmetic("div", self, other)

    def __add__(self, other: "TensorLike") -> "TensorHolder":
        return _eager.arithmetic("add", self, other)

    def __sub__(self, other: "TensorLike") -> "TensorHolder":
        return _eager.arithmetic("sub", self, other)

    def __mul__(self, other: "TensorLike") -> "TensorHolder":
        return _eager.arithmetic("mul", self, other)

    def __truediv__(self, other: "TensorLike") -> "TensorHolder":
        return _eager.arithmetic("div", self, other)

    def __radd__(self, other: "TensorLike") -> "TensorHolder":
        return _eager.arithmetic("add", other, self)

    def __rsub__(self, other: "TensorLike") -> "TensorHolder":
        return _eager.arithmetic("sub", other, self)

    def __rmul__(self, other: "TensorLike") -> "TensorHolder":
        return _eager.arithmetic("mul", other, self)

    def __rtruediv__(self, other: "TensorLike") -> "TensorHolder":
        return _eager.arithmetic("div", other, self)

    def __copy__(self) -> NoReturn:
        raise RuntimeError("TensorHolder does not support copy")

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise RuntimeError("TensorHolder does not support deepcopy")

    def __repr__(self) -> str:
        return f"<TensorHolder of {self._value!r}>"
