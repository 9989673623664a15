"""Classes that a library in C++ has (``torch::class_``), as subclasses of `Object`.

An object of such a class lies in the library; here is a face, which holds one reference to it. The same object has
the same face as long as that lives.
"""

import types
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

from .._mlir_like._cext_loader import load
from ._call import Operator
from ._define import _KEYS
from ._objects import Object, _ObjectType, find_class

__all__ = ["face", "register_classes"]

_native: Any = load("ops")
_ir: Any = load("ir")

# By the address of the instance.
_alive: "weakref.WeakValueDictionary[int, Any]" = weakref.WeakValueDictionary()
# By key, also when the library is closed: objects outlive it.
_faces: dict[str, Any] = {}


class _Face(Object):
    """What the classes of C++ have in common."""

    __slots__ = ("_ge_instance",)
    _ge_key: ClassVar[str] = ""
    _ge_constructor: "ClassVar[Callable[..., Any] | None]" = None
    _ge_pickle: "ClassVar[tuple[Callable[..., Any], Callable[..., Any]] | None]" = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls._ge_constructor is None:
            raise TypeError(f"{cls._ge_key or cls.__name__} has no constructor")
        if cls.__dict__.get("_ge_constructor") is None:
            raise TypeError(
                f"{cls.__qualname__} cannot be made: {cls._ge_key} is a class of C++, which has no subclasses"
            )
        return cls._ge_constructor(*args, **kwargs)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass  # made by the constructor in C++

    def __repr__(self) -> str:
        return f"<{self._ge_key} at {id(self):#x}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self._ge_pickle is None:
            raise TypeError(f"{self._ge_key} cannot be pickled: it has no def_pickle")
        return _restore, (self._ge_key, self._ge_pickle[0](self))


def _restore(key: str, state: Any) -> Any:
    return find_class(key)._ge_pickle[1](state)


class _Method:
    """A method, whose object comes first."""

    def __init__(self, operator: Any) -> None:
        self._operator = operator

    def __get__(self, made: Any, owner: Any = None) -> Any:
        return self._operator if made is None else types.MethodType(self._operator, made)


def face(instance: Any, key: str, address: int) -> Any:
    """Return the object over an instance that a kernel gave."""
    made = _alive.get(address)
    if made is not None and made._ge_key == key:
        return made
    cls = _faces[key]
    made = object.__new__(cls)
    made._ge_instance = instance
    _alive[address] = made
    return made


def register_classes(library: Any) -> None:
    """Make the faces of the classes of a library that was loaded."""
    for key in library._spaces:
        if "." not in key:
            continue
        if key in _native._classes:
            raise _ir.OpSchemaError(f"there is a class '{key}' already; close its library")
        cls = _face_of(key)
        _faces[key] = _native._classes[key] = cls
        _KEYS[cls] = key


def _face_of(key: str) -> Any:
    namespace, _, name = key.rpartition(".")
    members: dict[str, Any] = {
        "__slots__": (),
        "__module__": f"{__name__.rpartition('.')[0]}.classes.{namespace}",
        "_ge_key": key,
    }
    getters: dict[str, Any] = {}
    setters: dict[str, Any] = {}
    pickle: dict[str, Any] = {}
    for qualified in _native.list_ops(key):
        word = qualified.partition("::")[2]
        record = _native.get(qualified)
        operator = Operator((qualified,))
        if word == "init":
            members["_ge_constructor"] = staticmethod(operator)
            members["__doc__"] = record.doc or None
        elif word.startswith("__get_"):
            getters[word[len("__get_") :]] = operator
        elif word.startswith("__set_"):
            setters[word[len("__set_") :]] = operator
        elif word in ("__getstate__", "__setstate__"):
            pickle[word] = operator
        elif record.params and record.params[0].name == "self":
            members[word] = _Method(operator)
        else:
            members[word] = staticmethod(operator)
    for word, getter in getters.items():
        members[word] = property(getter, setters.get(word))
    if len(pickle) == 2:
        members["_ge_pickle"] = (pickle["__getstate__"], pickle["__setstate__"])
    return _ObjectType(name, (_Face,), members)
