"""One-time initialisation by installed packages: entry points of the group ``ge.site_initialize``.

An entry is a module, or a callable that is called without arguments. It registers what does not belong to one domain
or pass: evaluators, inferrers, typed views, operators of several domains. It runs at the first look-up in `ge.ops` or
`ge.passes` that packages may extend, when a command starts, and when an operator without a record is first met;
never during ``import ge.ir``.
"""

import os
import warnings
from functools import cache
from importlib.util import find_spec
from typing import Any

from .._mlir_like._providers import provider
from .entries import entries_of, is_declared
from .program import PACKAGE

__all__ = ["GROUP", "faults", "initialize", "plugins_allowed"]

GROUP = "ge.site_initialize"
_is_done = False
_faults: "list[Warning]" = []


def plugins_allowed() -> bool:
    """Whether installed packages may be loaded: not under ``GE_NO_PLUGINS=1``, nor into a vendor's graphs alone."""
    return os.environ.get("GE_NO_PLUGINS") != "1" and _has_operators()


@cache
def _has_operators() -> bool:
    return find_spec(f"{PACKAGE}.es") is not None


def initialize() -> None:
    """Load the entries of `GROUP`, once; another thread that asks meanwhile does not wait.

    A package that fails is a `PluginWarning` and harms no other.
    """
    global _is_done
    if _is_done:
        return
    _is_done = True
    if not plugins_allowed() or not is_declared("site_initialize"):
        return
    load: Any = provider("es plugins").load_operators
    _faults.extend(filter(None, [load(entry, entry.group) for entry in entries_of(GROUP)]))
    for fault in _faults:  # where a warning is an error, all entries were loaded
        warnings.warn(fault, stacklevel=3)


def faults() -> "list[Warning]":
    """Return what was wrong with entries of `GROUP`, after they were loaded."""
    initialize()
    return list(_faults)
