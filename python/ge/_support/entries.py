"""Entry points that installed packages declare for this one.

A vendor's package ``acme.ge`` reads the groups of its own name (``acme.ge.passes.plugins``) and those of ``ge``.
"""

import os
import sys
from importlib.machinery import PathFinder
from typing import Any

__all__ = ["entries_of", "is_declared"]

_package = __name__.rpartition(".")[0].rpartition(".")[0]


def entries_of(group: str, package: str = _package) -> "list[Any]":
    """Return the entry points of a group in an order that is the same everywhere: by group, name and value.

    Parameters
    ----------
    group : str
        As it is called for ``ge``: ``"ge.passes.plugins"``.
    package : str
        The package that asks.
    """
    groups = list(dict.fromkeys([group, package + group.removeprefix("ge")]))
    # Costs more than importing ge.ir and ge.passes, and mostly for nothing.
    if "importlib.metadata" not in sys.modules and not _is_named([g.encode() for g in groups]):
        return []
    from importlib.metadata import entry_points

    return [
        entry
        for each in groups
        for entry in sorted(entry_points(group=each), key=lambda e: (e.name, e.value))
    ]


def _is_named(groups: "list[bytes]") -> bool:
    """Whether an installed package may declare entry points of one of the groups: its file has the name in it.

    True also where that cannot be determined: with a finder that is not Python's own, or an archive on the path.
    """
    if any(f is not PathFinder and hasattr(f, "find_distributions") for f in sys.meta_path):
        return True
    for root in dict.fromkeys(sys.path):
        try:
            names = os.listdir(root or os.curdir)
        except NotADirectoryError:
            return True
        except OSError:
            continue
        if root.lower().endswith(".egg"):
            names.append("EGG-INFO")
        for name in names:
            if not name.lower().endswith((".dist-info", ".egg-info", "egg-info")):
                continue
            try:
                with open(os.path.join(root, name, "entry_points.txt"), "rb") as file:
                    text = file.read()
            except OSError:
                continue
            if any(group in text for group in groups):
                return True
    return False


def is_declared(word: str) -> bool:
    """Whether a distribution in a directory of ``sys.path`` has this word in its entry points.

    Looks at files alone, a tenth of the time of `entries_of`: for groups that few packages have.

    Parameters
    ----------
    word : str
        Part of the group's name.
    """
    wanted = word.encode()
    for directory in dict.fromkeys(sys.path):
        try:
            names = os.listdir(directory or os.curdir)
        except OSError:  # an archive, or nothing
            continue
        for name in names:
            if not name.endswith((".dist-info", ".egg-info")):
                continue
            try:
                with open(os.path.join(directory, name, "entry_points.txt"), "rb") as file:
                    if wanted in file.read():
                        return True
            except OSError:
                continue
    return False
