"""CANN's path of `Node`."""

from ..ir import Node

__all__ = ["Node"]
