"""Attribute values that say more than a Python number, string or tuple does."""

from ._cext_loader import load

__all__ = ["ArrayAttr", "GraphRef", "scalar_classes"]

_home = __name__.rpartition("._mlir_like")[0] + ".ir"

#: From the name of an element type to the class of its attributes; read by the native module.
scalar_classes = {}


def _scalar(base, dtype, what):
    """Make the subclass of `base` for attributes of an element type, and enter it in the tables."""
    name = dtype.upper() + "Attr"
    members = {
        "__slots__": (),
        "__module__": _home,
        "__doc__": f"{what} attribute of element type ``{dtype}``: reads as a plain {base.__name__}.",
        # Looked up each time: a class that held the object would outlive the native module.
        "dtype": property(lambda self: getattr(load("ir"), dtype), doc="The element type."),
        "__repr__": lambda self: f"{name}({base.__repr__(self)})",
        "__str__": base.__repr__,
        "__reduce__": lambda self: (type(self), (base(self),)),
    }
    scalar_classes[dtype] = globals()[name] = type(name, (base,), members)
    __all__.append(name)


for _dtype in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"):
    _scalar(int, _dtype, "An integer")
for _dtype in ("f16", "bf16", "f32", "f64"):
    _scalar(float, _dtype, "A float")


class ArrayAttr(tuple):
    """A list attribute that says what it is a list of, also when it is empty.

    Parameters
    ----------
    values : iterable
    dtype : DType or what DType() takes, optional
        Element type of numbers and bools, or ``ir.string``; None is a list of anything else.

    Equal to the tuple of its values.
    """

    __module__ = _home

    def __new__(cls, values=(), dtype=None):
        self = super().__new__(cls, values)
        self._dtype = None if dtype is None else load("ir").DType(dtype)
        return self

    @property
    def dtype(self):
        """Element type, or None."""
        return self._dtype

    def __repr__(self):
        dtype = "" if self.dtype is None else f", {self.dtype}"
        return f"ArrayAttr({list(self)!r}{dtype})"

    def __reduce__(self):
        return type(self), (tuple(self), self.dtype)


class GraphRef(str):
    """The name of a graph of the module, as an attribute (``@name`` in the text)."""

    __slots__ = ()
    __module__ = _home

    def __repr__(self):
        return f"GraphRef({str.__repr__(self)})"

    def __reduce__(self):
        return type(self), (str(self),)
