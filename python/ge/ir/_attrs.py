"""Attribute values that plain Python numbers, strings and tuples cannot express."""

from .._mlir_like._cext_loader import load

__all__ = [
    "ArrayAttr",
    "GraphRef",
    "attribute_builders",
    "register_attribute_builder",
    "scalar_classes",
]

_home = __name__.rpartition(".")[0]

#: From the name of an element type to the class of its attributes; read by the native module.
scalar_classes = {}
#: From a class to what makes attributes of its objects; read by the native module.
attribute_builders = {}


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
    """A list attribute with an explicit element kind, also when it is empty.

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


def register_attribute_builder(cls):
    """Register the function that converts objects of a class to attributes; a decorator.

    Objects of the class, or of a subclass, are then taken wherever an attribute is: by ``node.attributes``,
    ``Graph.add_node``, graph-building functions and typed views.

    Parameters
    ----------
    cls : type
        A class of yours.

    Returns
    -------
    callable
        Takes a function ``(object, context)`` that returns an attribute's value, such as an `OpaqueType` of that context,
        and returns it unchanged.

    Raises
    ------
    TypeError
        If `cls` is not a class, or is an attribute class already.
    ValueError
        If another function is registered for it. (A function of the same name and module replaces the earlier one: its
        file was executed again.)

    Examples
    --------
    >>> @ir.register_attribute_builder(Quant)
    ... def _quant(value, context):
    ...     return ir.OpaqueType(f"#acme.quant<{value.scale}>", context=context)
    """
    if not isinstance(cls, type):
        raise TypeError("register_attribute_builder takes a class")
    plain = (bool, bytes, dict, float, int, list, object, str, tuple, type(None))
    if cls in plain or cls.__module__ == _home:
        raise TypeError(f"objects of {cls.__name__} are attributes already")

    def register(builder):
        known = attribute_builders.get(cls, builder)
        if _name(known) != _name(builder):
            raise ValueError(
                f"attributes of {cls.__qualname__} are made by {'.'.join(_name(known))}"
            )
        attribute_builders[cls] = builder
        load("ir")._set_attribute_builders(attribute_builders)
        return builder

    return register


register_attribute_builder.__module__ = _home


def _name(function):
    qualname = getattr(function, "__qualname__", type(function).__qualname__)
    return getattr(function, "__module__", ""), qualname
