"""The public home of a name: errors, pickles and docs show it, not the room that defines it."""

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["publish"]

_PACKAGE = __name__.rsplit(".", 2)[0]


def publish(
    namespace: Mapping[str, Any], names: Iterable[str] | None = None, home: str = ""
) -> None:
    """Give classes and functions of a module their public home.

    Parameters
    ----------
    namespace : mapping
        ``globals()`` of the module, at its end.
    names : iterable of str, optional
        Default: those of ``__all__``.
    home : str
        Module of `ge.passes` that makes them public; default: the package itself.
    """
    own = namespace["__name__"]
    for name in namespace["__all__"] if names is None else names:
        value = namespace[name]
        if hasattr(value, "__qualname__") and value.__module__ == own:
            value.__module__ = f"{_PACKAGE}.{home}" if home else _PACKAGE
