"""Classes whose keys are types of schemas: `Object`, ``Library.cls``, `classes`.

Fields lie in slots, which the collector of cycles sees; constructors, methods and static methods are records of the
class's own namespace, so that the binder, its words and docs serve them.
"""

import inspect
import reprlib
import sys
import types
import typing
from collections.abc import Callable
from typing import Any, ClassVar

from .._foreign import KernelError
from .._mlir_like._cext_loader import load
from .._support.program import PACKAGE
from ._call import Operator
from ._define import _KEYS, _type, schema_of
from ._kernels import closed_at
from ._overload import Overload
from ._range import constant_text

__all__ = ["Object", "classes"]

_native: Any = load("ops")
_ir: Any = load("ir")

_ATOMS = (bool, int, float, str, bytes, _ir.Tensor)
_MISSING: Any = object()
_LOW, _HIGH = -(2**63), 2**63 - 1


def _is_class_variable(hint: Any) -> bool:
    if isinstance(hint, str):
        return hint.startswith(("ClassVar", "typing.ClassVar"))
    return hint is ClassVar or typing.get_origin(hint) is ClassVar


def _annotations(namespace: dict[str, Any]) -> dict[str, Any]:
    found = namespace.get("__annotations__")
    if found is None and "__annotate_func__" in namespace:  # Python 3.14
        annotationlib = __import__("annotationlib")
        annotate = annotationlib.get_annotate_from_class_namespace(namespace)
        found = annotationlib.call_annotate_function(annotate, annotationlib.Format.FORWARDREF)
    return dict(found or {})


class _ObjectType(_native._ObjectType):  # type: ignore[misc, name-defined, unused-ignore]
    """Makes slots of the fields of a class."""

    def __new__(
        mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **extra: Any
    ) -> "_ObjectType":
        if bases:
            inherited = {f for base in bases for f in getattr(base, "_ge_fields", ())}
            own = [
                field
                for field, hint in _annotations(namespace).items()
                if not _is_class_variable(hint) and field not in inherited
            ]
            defaults = {f: namespace.pop(f) for f in own if f in namespace}
            before = [f for base in reversed(bases) for f in getattr(base, "_ge_fields", ())]
            namespace["__slots__"] = (*own, *namespace.get("__slots__", ()))
            namespace["_ge_fields"] = (*dict.fromkeys(before), *own)
            namespace["_ge_defaults"] = {
                k: v
                for base in reversed(bases)
                for k, v in getattr(base, "_ge_defaults", {}).items()
            } | defaults
            namespace.setdefault("_ge_class", None)
        return super().__new__(mcs, name, bases, namespace, **extra)  # type: ignore[no-any-return]


class Object(metaclass=_ObjectType):
    """The base of classes that schemas name: annotations are fields, and ``Library.cls`` registers a subclass.

    Fields are `int` (of 64 bits), `float`, `bool`, `str`, `bytes`, `ge.ir.Tensor`, registered classes, the class
    itself, and ``T | None``, ``list[T]`` and tuples of these; assigning another type is a TypeError. ``ClassVar``
    annotations are not fields. Objects are equal when they are the same one, unless the class is frozen; pickles hold
    the key and the fields. They outlive their library; making new ones then is an error.
    """

    __slots__ = ("__weakref__",)
    _ge_fields: ClassVar[tuple[str, ...]] = ()
    _ge_class: "ClassVar[_Class | None]" = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        own = _class_of(type(self))
        own.fill(self, own.bind(args, kwargs))

    def __setattr__(self, name: str, value: Any) -> None:
        own = type(self)._ge_class
        if own is None or name not in own.checks:
            object.__setattr__(self, name, value)
        elif own.frozen and hasattr(self, name):
            raise AttributeError(f"{own.key} is frozen: '{name}' cannot be assigned")
        elif type(value) is own.exact.get(name) and (
            type(value) is not int or _LOW <= value <= _HIGH
        ):
            object.__setattr__(self, name, value)
        else:
            object.__setattr__(self, name, own.checked(name, value))

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"'{name}' cannot be deleted")

    @reprlib.recursive_repr()
    def __repr__(self) -> str:
        own = type(self)._ge_class
        shown = ", ".join(f"{f}={getattr(self, f, '?')!r}" for f in type(self)._ge_fields)
        return f"{own.key if own else type(self).__qualname__}({shown})"

    def __reduce_ex__(self, protocol: Any) -> Any:
        own = _class_of(type(self))
        state = {f: getattr(self, f) for f in own.fields if hasattr(self, f)}
        return _restore, (own.key,), state

    def __setstate__(self, state: dict[str, Any]) -> None:
        own = _class_of(type(self))
        for name, value in state.items():
            if name not in own.checks:
                raise TypeError(f"{own.key} has no field '{name}'")
            object.__setattr__(self, name, own.checked(name, value))


def _frozen_eq(self: Any, other: Any) -> Any:
    if type(self) is not type(other):
        return NotImplemented
    return all(getattr(self, f) == getattr(other, f) for f in self._ge_fields)


def _frozen_hash(self: Any) -> int:
    values = (getattr(self, f) for f in self._ge_fields)
    return hash((type(self), *(tuple(v) if isinstance(v, list) else v for v in values)))


def _restore(key: str) -> Any:
    return object.__new__(find_class(key))


def find_class(key: str) -> Any:
    """Return the class of a key.

    Raises
    ------
    KeyError
        With keys that are near.
    """
    found = _native._classes.get(key)
    if found is None:
        import difflib

        near = difflib.get_close_matches(key, _native._classes, 3)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        namespace = key.rpartition(".")[0] or key
        if place := closed_at(namespace):
            hint += f"; a library of '{namespace}' was closed{place}"
        raise KeyError(f"there is no class '{key}'{hint}")
    return found


def _class_of(cls: type) -> "_Class":
    own: _Class | None = cls.__dict__.get("_ge_class")
    if own is None:
        raise TypeError(f"{cls.__qualname__} is not registered; decorate it with Library.cls()")
    return own


class _Class:
    """What is known of a registered class."""

    def __init__(self, cls: Any, key: str, frozen: bool) -> None:
        self.cls, self.key, self.frozen = cls, key, frozen
        self.fields: tuple[str, ...] = cls._ge_fields
        self.closed = False
        self.checks: dict[str, Overload] = {}
        self.exact: dict[str, type] = {}
        self.constructor: Any = None

    def read_fields(self) -> str:
        """Read the types of fields; return the schema of the constructor that takes them."""
        names = {self.cls.__name__: self.cls}
        try:
            hints = typing.get_type_hints(self.cls, localns=names)
        except NameError as error:
            raise _ir.OpSchemaError(f"{self.key}: a type hint cannot be read: {error}") from error
        required, optional = [], []
        for field in self.fields:
            hint = hints[field]
            if not _can_hold(hint):
                raise TypeError(
                    f"{self.key}: field '{field}' cannot be {hint!r}; fields are int, float, bool, str, bytes, "
                    f"{PACKAGE}.ir.Tensor, registered classes, and optional ones, lists and tuples of these"
                )
            word = _type(hint, self.key, field)
            # The binder keeps the name for its messages.
            self.checks[field] = Overload(
                _native.parse_schema(f"{self.key}::{field}({word} {field}) -> ()")
            )
            if hint in (bool, int, float, str, bytes) or hint is _ir.Tensor:
                self.exact[field] = hint
            default = self.cls._ge_defaults.get(field, _MISSING)
            if default is _MISSING:
                required.append(f"{word} {field}")
            else:
                text = constant_text(default, f"{self.key}: the default of '{field}'")
                optional.append(f"{word} {field}={text}")
        if (
            optional
            and required
            and list(self.fields)[: len(required)] != [part.rpartition(" ")[2] for part in required]
        ):
            raise TypeError(f"{self.key}: a field without a default follows one that has one")
        return f"init({', '.join(required + optional)}) -> {self.key}"

    def checked(self, name: str, value: Any) -> Any:
        """Return a value converted to the type of a field."""
        if type(value) is self.exact.get(name) and type(value) is not int:
            return value
        overload = self.checks[name]
        _, values, codes = _native._bind_call((overload.record,), (value,), {})
        overload.complete(values, codes)
        return _as_tensor(overload.params[0].type, values[0])

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Return the values of the constructor's parameters."""
        self.require_open()
        overload = self.constructor
        _, values, codes = _native._bind_call((overload.record,), args, kwargs)
        overload.complete(values, codes)
        return values  # type: ignore[no-any-return]

    def require_open(self) -> None:
        if self.closed:
            raise _ir.OpSchemaError(
                f"{self.key} cannot be made any more: its library was closed"
                f"{closed_at(self.key.rpartition('.')[0])}; existing objects stay valid"
            )

    def fill(self, made: Any, values: list[Any]) -> None:
        for field, value in zip(self.fields, values, strict=True):
            type_ = self.checks[field].params[0].type
            object.__setattr__(made, field, _as_tensor(type_, value))

    def make_init(self) -> Callable[..., None]:
        """Return an ``__init__`` that sets fields of exact types at once, and else asks the binder."""
        fields = self.fields
        if not fields or any(f not in self.exact for f in fields):
            return Object.__init__
        space: dict[str, Any] = {
            "cls": self.cls,
            "low": _LOW,
            "high": _HIGH,
            "none": _MISSING,
            "own": self,
            "slow": Object.__init__,
        }
        tests = ["type(made) is cls"]
        for i, field in enumerate(fields):
            space[f"type{i}"] = self.exact[field]
            space[f"set{i}"] = getattr(self.cls, field).__set__
            tests.append(f"type(v{i}) is type{i}")
            if self.exact[field] is int:
                tests.append(f"low <= v{i} <= high")
        numbers = range(len(fields))
        body = "; ".join(f"set{i}(made, v{i})" for i in numbers)
        source = (
            f"def init(made, {', '.join(f'v{i}=none' for i in numbers)}, /, *rest, **kwargs):\n"
            f"    if {' and '.join(tests)} and not (rest or kwargs or own.closed):\n"
            f"        {body}\n"
            "    else:\n"
            f"        given = [v for v in ({', '.join(f'v{i}' for i in numbers)},) if v is not none]\n"
            "        slow(made, *given, *rest, **kwargs)\n"
        )
        exec(compile(source, f"<constructor of {self.key}>", "exec"), space)
        return space["init"]  # type: ignore[no-any-return]

    def make_at_once(self) -> None:
        """Let the class of classes make instances of values that are exactly of the fields' types."""
        if (
            self.cls.__new__ is object.__new__
            and self.fields
            and set(self.fields) <= set(self.exact)
        ):
            types = tuple(self.exact[field] for field in self.fields)
            slots = tuple(getattr(self.cls, field) for field in self.fields)
            _native._set_fields(self.cls, types, slots)


def _as_tensor(type_: Any, value: Any) -> Any:
    inner = type_.elements[0] if type_.kind == "optional" else type_
    if inner.name == "TensorLiteral" and value is not None and type(value) is not _ir.Tensor:
        return _ir.Tensor(value)
    return value


def _can_hold(hint: Any) -> bool:
    if isinstance(hint, type) and hint in _KEYS:
        return True
    if hint in _ATOMS:
        return True
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        rest = [a for a in arguments if a is not type(None)]
        return len(rest) == 1 and len(arguments) == 2 and _can_hold(rest[0])
    if origin is list:
        return _can_hold(arguments[0])
    if origin is tuple:
        return all(a is Ellipsis or _can_hold(a) for a in arguments)
    return False


class _Method:
    """A method as an operator: the object comes first."""

    def __init__(self, operator: Any, function: Callable[..., Any]) -> None:
        self._operator = operator
        self.__wrapped__ = function
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    def __get__(self, made: Any, owner: Any = None) -> Any:
        return self._operator if made is None else types.MethodType(self._operator, made)


def register(
    library: Any, name: "str | None" = None, *, frozen: bool = False, doc: str = ""
) -> Callable[[Any], Any]:
    """Serve `Library.cls`."""

    def decorate(cls: Any) -> Any:
        if not (isinstance(cls, type) and issubclass(cls, Object)) or cls is Object:
            raise TypeError(f"a class that is registered is a subclass of Object, not {cls!r}")
        before = cls.__dict__.get("_ge_class")
        if before is not None:
            raise _ir.OpSchemaError(
                f"{cls.__qualname__} was registered as {before.key}; a class is registered once"
            )
        key = f"{library.namespace}.{name or cls.__name__}"
        if key in _native._classes:
            raise _ir.OpSchemaError(f"there is a class '{key}' already; close its library")
        child = library._child(key)
        own = _Class(cls, key, frozen)
        _native._classes[key] = cls
        _KEYS[cls] = key
        try:
            frame = sys._getframe(1)
            _define(cls, own, child, doc, (frame.f_code.co_filename, frame.f_lineno))
        except BaseException:
            _forget(key)
            child.close()
            raise
        return cls

    return decorate


def _define(cls: Any, own: _Class, child: Any, doc: str, where: tuple[str, int]) -> None:
    names = {cls.__name__: cls}
    schema = own.read_fields()
    user = cls.__dict__.get("__init__")
    if user is not None:
        code = user.__code__
        where = (code.co_filename, code.co_firstlineno)
        words = schema_of(own.key, user, "", names).rpartition(" -> ")[0]
        schema = f"init{words} -> {own.key}"
    text = doc or inspect.getdoc(cls) or ""
    record = child.define(schema, doc=text, where=where)
    own.constructor = Overload(record)
    child.impl("init", "any", cls)
    for attribute, value in list(cls.__dict__.items()):
        is_static = isinstance(value, staticmethod)
        function = value.__func__ if is_static else value
        if attribute.startswith("_") or not inspect.isfunction(function):
            continue
        if not function.__annotations__:
            continue  # plain Python
        first = None if is_static else own.key
        words = schema_of(f"{own.key}.{attribute}", function, first, names)
        words = words.replace("TensorLiteral", "Tensor")
        code = function.__code__
        child.define(
            attribute + words,
            doc=inspect.getdoc(function) or "",
            where=(code.co_filename, code.co_firstlineno),
        )
        child.impl(attribute, "any", function)
        operator = Operator((f"{own.key}::{attribute}",))
        method = staticmethod(operator) if is_static else _Method(operator, function)
        setattr(cls, attribute, method)
    cls._ge_class = own
    if user is not None:
        cls.__init__ = _bound_init(own, user)
    elif cls.__dict__.get("__new__") is None:
        cls.__init__ = own.make_init()
        own.make_at_once()
    if own.frozen and "__eq__" not in cls.__dict__:
        cls.__eq__, cls.__hash__ = _frozen_eq, _frozen_hash


def _bound_init(own: _Class, user: Callable[..., None]) -> Callable[..., None]:
    count = own.constructor.num_positional
    keywords = own.constructor.keywords

    def init(made: Any, *args: Any, **kwargs: Any) -> None:
        if type(made) is not own.cls:
            user(made, *args, **kwargs)  # a subclass, which binds
            return
        values = own.bind(args, kwargs)
        user(made, *values[:count], **{name: values[i] for i, name in keywords})
        for field in own.fields:
            if not hasattr(made, field):
                raise KernelError(f"{own.key}.__init__ did not set field '{field}'")

    init.__doc__ = user.__doc__
    return init


def _forget(key: str) -> None:
    cls = _native._classes.pop(key, None)
    if cls is not None:
        _KEYS.pop(cls, None)
        _native._set_fields(cls, None, None)
        if cls._ge_class is not None:
            cls._ge_class.closed = True


_native._set_classes_closed(_forget)
_native._set_object_class(Object)


class _Classes:
    """Registered classes: ``ge.ops.classes.acme.Plan``."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        key = f"{self._prefix}{name}"
        if key in _native._classes:
            return _native._classes[key]
        if any(known.startswith(key + ".") for known in _native._classes):
            return _Classes(key + ".")
        try:
            return find_class(key)
        except KeyError as error:
            raise AttributeError(error.args[0], name=name, obj=None) from None

    def __dir__(self) -> list[str]:
        size = len(self._prefix)
        return sorted(
            {k[size:].partition(".")[0] for k in _native._classes if k.startswith(self._prefix)}
        )

    def __repr__(self) -> str:
        return f"<{PACKAGE}.ops.classes{'.' + self._prefix[:-1] if self._prefix else ''}>"


classes = _Classes()
