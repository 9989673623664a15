"""Entry points for native hosts, called by ``lib/Bridge``: a face of `ge.passes`."""

from ._pipeline._host import load, load_and_get_pass_descriptors, shutdown, start, unload
from ._pipeline._plugins import unload_for_host as clear_loaded_pass_modules

__all__ = [
    "clear_loaded_pass_modules",
    "load",
    "load_and_get_pass_descriptors",
    "shutdown",
    "start",
    "unload",
]
