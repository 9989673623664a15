"""CANN's path of `Graph`."""

from ..ir import Graph
from .types import DumpFormat

__all__ = ["DumpFormat", "Graph"]
