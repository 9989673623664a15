"""Lengths of operand and result lists: `Node.operand_segments` and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

__all__ = ["as_lists", "copy_segments", "stored"]


def as_lists(items: Sequence[Any], lengths: Sequence[int]) -> list[list[Any]]:
    """Return the items of each length."""
    return [list(items[end - n : end]) for n, end in zip(lengths, accumulate(lengths), strict=True)]


def stored(record: Any, lengths: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Return the lengths of operand lists where the record does not imply them, else None."""
    return lengths if record is None or record.has_operand_choice else None


def copy_segments(source: Any, copy: Any) -> None:
    """Give the copy of a node the lengths of the operand and result lists of the node."""
    for name in ("operand_segments", "result_segments"):
        if (lengths := getattr(source, name)) is not None:
            setattr(copy, name, lengths)
