"""Native plugins: shared libraries of passes in C and C++, which do not link against GE."""

import os
from typing import Any

from ..._mlir_like._cext_loader import load
from ..._support.log import logger
from .._pattern._public import publish

__all__ = ["load_plugin"]

_native: Any = load("passes")


def load_plugin(path: "str | os.PathLike[str]") -> list[str]:
    """Load a native plugin of passes, a shared library that defines ``gePluginInit``.

    Its passes are in the registry then, until `unload_pass_plugins`. Loading it again does nothing. The file must be
    trusted as a pass file must: see `load_pass_plugins`.

    Parameters
    ----------
    path : path

    Returns
    -------
    list of str
        Names of its passes, in the order in which it registered them.

    Raises
    ------
    OSError
        If the file cannot be read or loaded.
    ValueError
        If it is not a plugin for this machine and C ABI, is not trusted, or registers a name that is taken.
    GEError
        What else its ``gePluginInit`` failed with. Nothing of it stays registered.
    """
    _native._load_plugin(os.fsencode(path))
    real = os.path.realpath(os.fspath(path))
    return next((names for _, file, _, names in _native._list_plugins() if file == real), [])


def load_native_plugins(errors: dict[str, str]) -> None:
    """Load the plugins that the environment names; failures are logged and added to `errors`.

    Parameters
    ----------
    errors : dict
        By path.
    """
    for state, path, error, _ in _native._load_plugin_places():
        if state == "failed":
            errors[path] = error
            logger("ge.passes").error("%s", error)
        else:
            errors.pop(path, None)


def unload_native_plugins() -> None:
    """Unregister the passes of all native plugins, those of the last plugin first."""
    _native._unload_plugins()


publish(globals())
