"""Limits of what a check computes in this process: charged before it is done."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from .. import ir, ops

if TYPE_CHECKING:
    from ._child import Limits

__all__ = ["Budget", "LimitError", "byte_count"]


class LimitError(ops.KernelError):
    """A run exceeded a limit of time or memory."""


def byte_count(value: Any) -> int:
    """Return the bytes of the arrays of a value of a graph."""
    if isinstance(value, (list, tuple)):
        return sum(map(byte_count, value))
    if isinstance(value, dict):
        return sum(map(byte_count, value.values()))
    return int(getattr(value, "nbytes", 0))


class Budget:
    """Time and memory of one run.

    Parameters
    ----------
    limits : Limits
        Its seconds count from now on.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._deadline = time.monotonic() + limits.seconds
        self._used = 0

    def again(self) -> Budget:
        """Return a budget with all of the time, and the memory that is left."""
        left = max(self._limits.memory - self._used, 0)
        return Budget(self._limits._replace(memory=left))

    def look(self) -> None:
        """Raise if the time is over.

        Raises
        ------
        LimitError
        """
        if time.monotonic() > self._deadline:
            raise LimitError(f"it took longer than {self._limits.seconds:g} s")

    def take(self, size: int) -> None:
        """Charge bytes that are held from now on.

        Raises
        ------
        LimitError
        """
        self.need(size)
        self._used += size

    def give(self, size: int) -> None:
        """Take note that bytes are free again."""
        self._used -= size

    def need(self, size: int) -> None:
        """Raise if bytes that are about to be allocated are not left.

        Raises
        ------
        LimitError
        """
        left = self._limits.memory - self._used
        if size > left:
            raise LimitError(
                f"it needs {size} bytes, and {left} of {self._limits.memory} are left"
                " (GE_EVALUATORS_MEMORY raises the limit)"
            )

    def need_tensor(self, tensor: ir.Tensor) -> None:
        """Raise if a tensor of one repeated element does not fit; others have their bytes already.

        Raises
        ------
        LimitError
        """
        if tensor.is_splat:
            self.need(tensor.nbytes)
