"""Packages that bring namespaces: entry points of the group ``ge.es.plugins``.

An entry ``acme = es_acme:get_module`` makes ``ge.es.acme``: the entry is a module, the path of one, or a callable that
returns either. An entry is loaded at its first use, and one that fails harms no other. Under ``GE_NO_PLUGINS=1``
there are none.
"""

import importlib
import sys
import warnings
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .._support.domains import load as load_domain
from .._support.entries import entries_of
from .._support.failures import describe
from .._support.initialize import plugins_allowed

__all__ = ["Finder", "PluginWarning", "get_plugin", "list_plugins", "plugin"]

GROUP = "ge.es.plugins"
_package = __name__.rpartition(".")[0]
# CANN has its own operators in plugins of these names.
_OWN = ("all", "math", "nn")


class PluginWarning(UserWarning):
    """A plugin that cannot be used.

    Attributes
    ----------
    name : str
        Of the entry point.
    value : str
        What it points to.
    distribution : str or None
        The package that declares it.
    error : BaseException
        Why.
    """

    def __init__(
        self,
        name: str,
        value: str,
        distribution: "str | None",
        error: BaseException,
        group: str = GROUP,
    ) -> None:
        self.name = name
        self.value = value
        self.distribution = distribution
        self.error = error
        of = f" of {distribution}" if distribution else ""
        super().__init__(
            f"plugin '{name}' ({value}){of} of group {group} is left out: {describe(error)}"
        )


# By name; a PluginWarning is one that failed.
_known: "dict[str, ModuleType | PluginWarning]" = {}
# Plugins whose names were registered elsewhere; each was reported once.
_shadowed: "set[str]" = set()


def _entry_points() -> "list[Any]":
    if not plugins_allowed():
        return []
    return entries_of(GROUP)


def _load(entry: Any) -> "ModuleType | PluginWarning":
    try:
        found: object = entry.load()
        if callable(found) and not isinstance(found, ModuleType):
            found = found()
        if isinstance(found, str):
            found = importlib.import_module(found)
        if not isinstance(found, ModuleType):
            raise TypeError(
                "the entry is no module, path of one or callable that returns one, but of type "
                + type(found).__name__
            )
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return _broken(entry, error)
    return found


def _broken(entry: Any, error: BaseException, group: str = GROUP) -> PluginWarning:
    distribution = getattr(entry, "dist", None)
    return PluginWarning(entry.name, entry.value, distribution and distribution.name, error, group)


def load_operators(entry: Any, group: str) -> "PluginWarning | None":
    """Load an entry that defines operators, and call it if it is callable; return what is wrong with it."""
    try:
        found: object = entry.load()
        if callable(found) and not isinstance(found, ModuleType):
            found()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return _broken(entry, error, group)
    return None


def plugin(name: str) -> "ModuleType | PluginWarning | None":
    """Return a plugin's module, what is wrong with it, or None when no package has one of that name."""
    found = _known.get(name)
    if found is None:
        entries = [entry for entry in _entry_points() if entry.name == name]
        if not entries:
            return None
        found = _known[name] = _load(entries[0])
        for other in entries[1:]:
            if other.value != entries[0].value:
                taken = ImportError(f"the name is taken by {entries[0].value}")
                warnings.warn(_broken(other, taken), stacklevel=3)
        if isinstance(found, PluginWarning):
            warnings.warn(found, stacklevel=3)
    return found


def list_plugins() -> "list[str]":
    """Return the names of the namespaces of GE and of plugins that can be used, sorted.

    All plugins are loaded for it. Those that fail are left out, with a `PluginWarning`.
    """
    names = {*_OWN}
    for entry in _entry_points():
        is_loaded = entry.name in _known or entry.module in sys.modules
        if not is_loaded and _is_registered(entry.name):
            if entry.name not in _shadowed:
                _shadowed.add(entry.name)
                taken = ImportError("a namespace of this name is registered already")
                warnings.warn(_broken(entry, taken), stacklevel=2)
        elif get_plugin(entry.name) is not None:
            names.add(entry.name)
    return sorted(names)


def get_plugin(name: str) -> "ModuleType | None":
    """Return the module of a namespace, or None if it does not exist or cannot be used.

    Parameters
    ----------
    name : str
        ``"math"``, or the name of a plugin.
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be a string, not {type(name).__name__}")
    if not _is_registered(name) and not isinstance(plugin(name), ModuleType):
        return None
    return importlib.import_module(f"{_package}.{name}")


def _is_registered(name: str) -> bool:
    from ._namespace import namespace

    if name in _OWN:
        return True
    try:
        namespace(name)
    except AttributeError:
        return False
    return True


class Finder:
    """Lets ``import ge.es.<plugin>`` find plugins; the last finder that is tried."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return a spec for a plugin, else None."""
        prefix, _, last = name.rpartition(".")
        if prefix != self.package or last.startswith("_"):
            return None
        load_domain(last)
        found = plugin(last)
        if found is None:  # a package may have defined the operators
            from ._namespace import Finder as Namespaces

            return Namespaces(self.package).find_spec(name)
        if isinstance(found, PluginWarning):
            raise ImportError(str(found), name=name) from found.error
        return ModuleSpec(name, self, origin=GROUP)  # type: ignore[arg-type]

    def create_module(self, spec: Any) -> None:
        """Leave it to the import system; the module is replaced."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the plugin's own module in the place of the new one, which would change it."""
        name = module.__name__
        sys.modules[name] = _known[name.rpartition(".")[2]]  # type: ignore[assignment]
