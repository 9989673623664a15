"""CANN's path of `GeUtils`."""

from . import GeUtils

__all__ = ["GeUtils"]
