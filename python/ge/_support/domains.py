"""Operators of installed packages, defined when a graph has an operator of their domain.

The native core asks `load` once for each domain that has an operator without a record. Reading entry points takes
tens of milliseconds, so nothing here runs before that.
"""

import threading
import warnings
from functools import cache
from typing import Any

from .._mlir_like._providers import provider
from .entries import entries_of
from .initialize import initialize, plugins_allowed

__all__ = ["load"]

#: Entry points whose loading defines the operators of the domain that they are named after.
GROUP = "ge.ops.plugins"
#: Packages that bring graph-building functions define operators, too.
_ES_GROUP = "ge.es.plugins"


@cache
def _entry_points() -> "dict[str, list[tuple[str, Any]]]":
    """Return the entry points of both groups by name, those of `GROUP` first, each group in order of its values."""
    found: dict[str, list[tuple[str, Any]]] = {}
    for group in (GROUP, _ES_GROUP):
        for entry in entries_of(group):
            found.setdefault(entry.name, []).append((group, entry))
    return found


# GE's own domains bring all their operators. An interrupted load is repeated.
_loaded: set[str] = {"", "ge", "math", "nn", "onnx", "pattern"}
_locks: dict[str, threading.Lock] = {}


def load(domain: str) -> None:
    """Load the packages that define the operators of a domain, once; for ``"acme.ml"`` also those of ``acme``.

    A package that fails is a `PluginWarning` and harms no other. While a domain is being loaded, `load` returns at once: a
    package may name its own domain. The native core lets other threads wait.
    """
    if not plugins_allowed() or domain in _loaded:
        return
    lock = _locks.setdefault(domain, threading.Lock())
    if lock.locked():
        return
    with lock:
        if domain not in _loaded:
            initialize()
            _load(domain)
            _loaded.add(domain)


def _load(domain: str) -> None:
    known = _entry_points()
    name = domain
    while name and name not in known:
        name = name.rpartition(".")[0]
    if not name:
        return
    plugins = provider("es plugins")
    groups = set()
    for group, entry in known[name]:
        if group == _ES_GROUP:
            if group not in groups:
                plugins.plugin(name)  # warns itself, also of further ones of that name
        else:
            warning = plugins.load_operators(entry, group)
            if warning is not None:
                warnings.warn(warning, stacklevel=2)
        groups.add(group)
