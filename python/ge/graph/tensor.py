"""CANN's path of `Tensor`."""

from ..ir import Tensor

__all__ = ["Tensor"]
