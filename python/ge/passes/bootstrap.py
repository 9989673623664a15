"""Discovery of pass files and installed plugins as CANN has it, in modules and dicts: a face of `ge.passes`."""

from ._pipeline._plugins import (
    ENTRY_POINT_GROUP,
    ENV_PY_PASS_PATH,
    load_errors,
    unload_pass_plugins,
)
from ._pipeline._plugins import load_pass_modules as load_pass_plugins
from ._pipeline._registry import get_registered_pass_dicts as get_registered_passes

__all__ = [
    "ENTRY_POINT_GROUP",
    "ENV_PY_PASS_PATH",
    "get_registered_passes",
    "load_errors",
    "load_pass_plugins",
    "unload_pass_plugins",
]
