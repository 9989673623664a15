"""Values of a dialect's types as objects of its classes, in typed views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .._mlir_like._cext_loader import load
from .._support.elsewhere import from_elsewhere

__all__ = ["ValueView", "cast_value", "register_value_caster"]

_ir = load("ir")
_Caster = TypeVar("_Caster", bound=Callable[[Any], Any])
# Keyed by the name of a type of another dialect, "!acme.handle", or by a class of types.
_casters: dict[Any, Callable[[Any], Any]] = {}


class ValueView:
    """Base of classes that wrap a value of a registered type.

    Typed views take it where they take a Value; elsewhere pass `value`. Two views of one class and value are equal.

    Parameters
    ----------
    value : Value
    """

    __slots__ = ("_value",)
    _value: Any

    def __init__(self, value: Any) -> None:
        if not isinstance(value, _ir.Value):
            raise TypeError(
                f"a Value is expected, not {type(value).__name__}{from_elsewhere(value)}"
            )
        self._value = value

    @property
    def value(self) -> Any:
        """The value."""
        return self._value

    @property
    def type(self) -> Any:
        """Type of the value."""
        return self._value.type

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ValueView):
            return NotImplemented
        return type(self) is type(other) and self._value is other._value

    def __hash__(self) -> int:
        return hash((ValueView, self._value))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._value!r})"


def register_value_caster(key: Any) -> Callable[[_Caster], _Caster]:
    """Register the class or function that wraps operands and results of a type in typed views; a decorator.

    Parameters
    ----------
    key : str or type
        The name of a type of another dialect without its parameters, ``"!acme.handle"``; or a class of types, such as
        ``ir.SequenceType``.

    Returns
    -------
    callable
        Takes a function from a Value to an object, such as a subclass of `ValueView`, and returns it unchanged.

    Raises
    ------
    TypeError
        If `key` is neither.
    ValueError
        If another caster is registered for it. (One of the same name and module replaces the earlier one: its file was
        executed again.)

    Examples
    --------
    >>> @ops.register_value_caster("!acme.handle")
    ... class Handle(ops.ValueView):
    ...     @property
    ...     def slots(self):
    ...         return int(self.type.payload.removeprefix("!acme.handle<").removesuffix(">"))
    """
    is_name = isinstance(key, str) and key.startswith("!") and "." in key and "<" not in key
    if not is_name and not (isinstance(key, type) and issubclass(key, _ir.Type)):
        raise TypeError(
            "register_value_caster takes the name of a type such as '!acme.handle', or a class of types"
            + from_elsewhere(key)
        )

    def register(caster: _Caster) -> _Caster:
        known = _casters.get(key, caster)
        if _name(known) != _name(caster):
            raise ValueError(f"{key} has the caster {'.'.join(_name(known))} already")
        _casters[key] = caster
        return caster

    return register


def cast_value(value: Any) -> Any:
    """Return the registered wrapper of a value (`register_value_caster`), else the value itself.

    Parameters
    ----------
    value : Value or None
    """
    if value is None or not _casters:
        return value
    type_ = value.type
    name = type_.payload.partition("<")[0] if isinstance(type_, _ir.OpaqueType) else None
    caster = _casters.get(name)
    if caster is None:
        caster = next((_casters[c] for c in type(type_).__mro__ if c in _casters), None)
    return value if caster is None else caster(value)


def plain_value(item: Any) -> Any:
    """Return the value of a view; return other objects unchanged."""
    return item.value if isinstance(item, ValueView) else item


def _name(caster: Any) -> tuple[str, str]:
    return (
        getattr(caster, "__module__", ""),
        getattr(caster, "__qualname__", type(caster).__qualname__),
    )
