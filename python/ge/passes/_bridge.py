"""What a native host asks of the package, the other side of ``lib/Bridge``: a face of `ge.passes`."""

from ._pipeline._host import load, shutdown, start, unload

__all__ = ["load", "shutdown", "start", "unload"]
