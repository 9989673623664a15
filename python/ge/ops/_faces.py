"""Classes that a library in C++ has (``ge::Library::class_``, ``torch::class_``), as subclasses of `Object`.

The instance of such a class belongs to the library. Its Python object, the *face*, holds one reference to it; an
instance has at most one face at a time.
"""

import types
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

from .._mlir_like._cext_loader import load
from ._call import Operator
from ._define import _KEYS
from ._errors import KernelError
from ._kernels import find
from ._objects import Object, _ObjectType, find_class
from ._overload import Overload

__all__ = ["face", "register_classes", "register_object"]

_native: Any = load("ops")
_ir: Any = load("ir")

# By the address of the instance.
_alive: "weakref.WeakValueDictionary[int, Any]" = weakref.WeakValueDictionary()
# By key, also when the library is closed: objects outlive it.
_faces: dict[str, Any] = {}


class _Face(Object):
    """Base of the Python classes of C++ classes."""

    __slots__ = ("_ge_instance",)
    _ge_key: ClassVar[str] = ""
    _ge_constructor: "ClassVar[Callable[..., Any] | None]" = None
    _ge_pickle: "ClassVar[tuple[Callable[..., Any], Callable[..., Any]] | None]" = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls._ge_constructor is None:
            raise TypeError(f"{cls._ge_key or cls.__name__} has no constructor")
        if cls.__dict__.get("_ge_constructor") is None:
            raise TypeError(
                f"{cls.__qualname__} cannot be made: {cls._ge_key} is a class of C++, which cannot be subclassed"
            )
        return cls._ge_constructor(*args, **kwargs)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if hasattr(self, "_ge_instance"):
            return  # made by the constructor in C++
        if self._ge_constructor is None:
            raise TypeError(f"{self._ge_key} has no constructor")
        made = self._ge_constructor(*args, **kwargs)
        self._ge_instance = made._ge_instance
        _alive[made._ge_instance.address] = self

    def __repr__(self) -> str:
        if not self._ge_fields or not hasattr(self, "_ge_instance"):
            return f"<{self._ge_key} at {id(self):#x}>"
        shown = ", ".join(f"{f}={getattr(self, f)!r}" for f in self._ge_fields)
        return f"{self._ge_key}({shown})"

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self._ge_pickle is None:
            raise TypeError(f"{self._ge_key} cannot be pickled: it has no def_pickle")
        own = getattr(self, "__dict__", None) or None
        return _restore, (self._ge_key, self._ge_pickle[0](self)), own

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)


def _restore(key: str, state: Any) -> Any:
    return find_class(key)._ge_pickle[1](state)


class _Method:
    """A method, whose object comes first."""

    def __init__(self, operator: Any) -> None:
        self._operator = operator

    def __get__(self, made: Any, owner: Any = None) -> Any:
        return self._operator if made is None else types.MethodType(self._operator, made)


def face(instance: Any, key: str, address: int) -> Any:
    """Return the Python object of an instance that a kernel returned."""
    made = _alive.get(address)
    if made is not None and made._ge_key == key:
        return made
    cls = _faces[key]
    made = object.__new__(cls)
    made._ge_instance = instance
    _alive[address] = made
    return made


def register_classes(library: Any) -> None:
    """Make the Python classes for the classes of a loaded library."""
    for key in library._spaces:
        if "." not in key:
            continue
        if key in _native._classes:
            raise _ir.OpSchemaError(f"there is a class '{key}' already; close its library")
        cls = _face_of(key)
        _faces[key] = _native._classes[key] = cls
        _KEYS[cls] = key


def _getter(record: Any, operator: Any) -> Callable[[Any], Any]:
    """Return a getter of a field, which works after the library is closed, too."""
    found = find(record.qualified_name, "any")
    if found is None or not found.native:
        return operator  # type: ignore[no-any-return]
    is_list = record.results[0].type.is_list
    name = record.qualified_name.replace("__get_", "")

    def get(made: Any) -> Any:
        try:
            value = found.function.run(made)
        except (ValueError, _ir.GEError) as error:
            raise KernelError(f"{name}: {error}") from None
        return list(value) if is_list else value

    get.__doc__ = record.doc
    return get


def _setter(record: Any, operator: Any) -> Callable[[Any, Any], None]:
    """Return a setter of a field, which works after the library is closed, too."""
    found = find(record.qualified_name, "any")
    if found is None or not found.native:
        return operator  # type: ignore[no-any-return]
    # The binder keeps the name for its messages.
    field = record.name[len("__set_") :]
    word = record.params[1].type
    check = Overload(_native.parse_schema(f"{record.ns}::{field}({word} {field}) -> ()"))

    def set_(made: Any, value: Any) -> None:
        _, values, codes = _native._bind_call((check.record,), (value,), {})
        check.complete(values, codes)
        try:
            found.function.run(made, values[0])
        except (ValueError, _ir.GEError) as error:
            raise KernelError(f"{record.ns}::{field}: {error}") from None

    return set_


def register_object(key: str) -> Callable[[Any], Any]:
    """Make a subclass of `Object` the Python class of a class that a C++ library defines: a decorator.

    The class gets fields, methods and the constructor of the records; what it defines itself stays, and its ``__init__``
    calls ``super().__init__`` with the arguments of the constructor. It may set attributes of its own, before and after;
    they are the Python object's, and objects that C++ makes have none. Register it before there are
    instances.

    Parameters
    ----------
    key : str
        ``"acme.Plan"``.

    Raises
    ------
    KeyError
        If no library defines that class; the message names those that are near.
    OpSchemaError
        If the class is one of Python, or has a face already.
    TypeError
        If the class is not a subclass of `Object`, or has fields.
    """
    if not isinstance(key, str):
        raise TypeError(f"register_object takes the key of a class, not {type(key).__name__}")

    def decorate(cls: Any) -> Any:
        if not (isinstance(cls, type) and issubclass(cls, Object)) or cls is Object:
            raise TypeError(f"a class that is registered is a subclass of Object, not {cls!r}")
        if cls.__bases__ != (Object,) or cls._ge_fields:
            raise TypeError(
                f"{cls.__qualname__}: a face derives from Object alone and has no fields"
            )
        before = find_class(key)
        if not issubclass(before, _Face):
            raise _ir.OpSchemaError(f"{key} is a class of Python; Library.cls registered it")
        if before.__bases__ != (_Face,):
            raise _ir.OpSchemaError(f"{key} has the face {before.__qualname__} already")
        members = {
            "__slots__": (
                "__dict__",
            ),  # of its __init__'s own attributes, which belong to the face
            "__module__": cls.__module__,
            "__qualname__": cls.__qualname__,
            "__doc__": cls.__doc__ or before.__doc__,
            "__new__": _new_face,
        }
        made: Any = _ObjectType(cls.__name__, (cls, before), members)
        made._ge_fields = before._ge_fields
        _faces[key] = _native._classes[key] = made
        _KEYS[made] = key
        return made

    return decorate


def _new_face(cls: Any, *args: Any, **kwargs: Any) -> Any:
    if cls is not _faces[cls._ge_key]:
        raise TypeError(
            f"{cls.__qualname__} cannot be made: {cls._ge_key} is a class of C++, which cannot be subclassed"
        )
    return object.__new__(cls)


def _face_of(key: str) -> Any:
    namespace, _, name = key.rpartition(".")
    members: dict[str, Any] = {
        "__slots__": (),
        "__module__": f"{__name__.rpartition('.')[0]}.classes.{namespace}",
        "_ge_key": key,
    }
    getters: dict[str, Any] = {}
    setters: dict[str, Any] = {}
    lines: dict[str, int] = {}
    pickle: dict[str, Any] = {}
    for qualified in _native.list_ops(key):
        word = qualified.partition("::")[2]
        if "." in word:
            continue  # an overload, of which the first one's operator knows
        record = _native.get(qualified)
        operator = Operator((qualified,))
        if word == "init":
            members["_ge_constructor"] = staticmethod(operator)
            members["__doc__"] = record.doc or None
        elif word.startswith("__get_"):
            field = word[len("__get_") :]
            getters[field] = _getter(record, operator)
            lines[field] = record.source[1]
        elif word.startswith("__set_"):
            setters[word[len("__set_") :]] = _setter(record, operator)
        elif word in ("__getstate__", "__setstate__"):
            pickle[word] = operator
        elif record.params and record.params[0].name == "self":
            members[word] = _Method(operator)
        else:
            members[word] = staticmethod(operator)
    for word, getter in getters.items():
        members[word] = property(getter, setters.get(word), doc=getter.__doc__)
    if len(pickle) == 2:
        members["_ge_pickle"] = (pickle["__getstate__"], pickle["__setstate__"])
    made: Any = _ObjectType(name, (_Face,), members)
    made._ge_fields = tuple(sorted(lines, key=lambda field: (lines[field], field)))
    return made
