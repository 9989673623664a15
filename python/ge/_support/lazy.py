"""Lazy names of a package, which are imported at first use, and their public homes."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

__all__ = ["lazy_name", "publish"]

_package = __name__.rpartition("._support")[0]


def lazy_name(namespace: dict[str, Any], holds: Mapping[str, Sequence[str]], name: str) -> Any:
    """Return the object of a lazy name: the implementation of a package's ``__getattr__``.

    Parameters
    ----------
    namespace : dict
        ``globals()`` of the package.
    holds : mapping
        The names that each module of the package holds.
    name : str

    Raises
    ------
    AttributeError
    """
    package = namespace["__name__"]
    for module, names in holds.items():
        if name in names:
            value = getattr(import_module(f"{package}.{module}"), name)
            namespace[name] = value
            return value
    raise AttributeError(f"module '{package}' has no attribute '{name}'")


def publish(home: str, *names: Any) -> None:
    """Give classes and functions the public home that errors, pickles and docs show.

    Parameters
    ----------
    home : str
        Name of the module in this package.
    *names : class or function
    """
    for name in names:
        name.__module__ = f"{_package}.{home}"
