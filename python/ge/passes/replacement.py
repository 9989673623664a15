"""Graphs as replacements, in CANN's way: a face of `ge.passes`."""

from ._rewrite._cann._pattern import create_replacement

__all__ = ["create_replacement"]
