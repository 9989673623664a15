"""Entry points for native hosts, called by ``lib/Bridge``: a face of `ge.passes`."""

from ._pipeline._host import load, shutdown, start, unload

__all__ = ["load", "shutdown", "start", "unload"]
