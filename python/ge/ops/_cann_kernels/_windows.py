"""Windows over images: sizes, padding and the views that convolutions and pools compute with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._table import Array, UnsupportedError, integers
from .blocks import is_channels_last

__all__ = ["Window", "check_format", "spatial", "windows"]


def check_format(op: str, data_format: str, layout: str | None) -> bool:
    """Return whether channels are last, by the attribute; the layout of the operand must not contradict it.

    Raises
    ------
    UnsupportedError
    """
    is_last = is_channels_last(data_format, op)
    if layout in ("NCHW", "NHWC", "NCDHW", "NDHWC") and layout != data_format:
        raise UnsupportedError(f"{op}: x has layout {layout}, but data_format is '{data_format}'")
    return is_last


def spatial(op: str, name: str, given: Any, rank: int, is_last: bool) -> list[int]:
    """Return one number for each dimension of space, from a list of one, of those, or of all dimensions."""
    numbers = integers(given)
    if len(numbers) == rank + 2:
        numbers = numbers[1:-1] if is_last else numbers[2:]
    elif len(numbers) == 1:
        numbers = numbers * rank
    elif not numbers:
        numbers = [1] * rank
    if len(numbers) != rank or min(numbers) < 1:
        raise ValueError(
            f"{op}: {name} is {integers(given)}; {rank + 2} positive numbers are needed"
        )
    return numbers


class Window:
    """How windows lie over the dimensions of space.

    Parameters
    ----------
    op : str
    kernel, strides, dilations : list of int
        One for each dimension.
    pads : sequence of int
        Two for each dimension: before and after. -1 keeps the size, as mode SAME does.
    mode : str
        ``""`` and the words for "by pads", ``"SAME"``, ``"SAME_UPPER"``, ``"SAME_LOWER"``, ``"VALID"``.
    ceil_mode : bool
        Rounds the size of the result up; a window that begins after the image and its padding does not count.
    """

    def __init__(
        self,
        op: str,
        kernel: list[int],
        strides: list[int],
        dilations: list[int],
        pads: Sequence[int] = (),
        mode: str = "",
        ceil_mode: bool = False,
    ) -> None:
        rank = len(kernel)
        self.op, self.kernel, self.strides, self.dilations = op, kernel, strides, dilations
        self.ceil_mode = ceil_mode
        given = integers(pads) or [0] * (2 * rank)
        if len(given) != 2 * rank:
            raise ValueError(f"{op}: {len(given)} pads, but {2 * rank} are needed")
        if mode not in ("", "SPECIFIC", "CALCULATED", "SAME", "SAME_UPPER", "SAME_LOWER", "VALID"):
            raise UnsupportedError(f"{op}: padding '{mode}' is not supported")
        if -1 in given:
            mode = "SAME"
        if min(given) < -1:
            raise UnsupportedError(f"{op}: negative pads {given} are not supported")
        self.mode = mode
        self.given = (
            [(0, 0)] * rank if mode == "VALID" else list(zip(given[::2], given[1::2], strict=True))
        )
        self.extent = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]

    def counts(self, sizes: Sequence[int]) -> list[int]:
        """Return how many windows there are over an image."""
        made = []
        for size, extent, stride, (a, b) in zip(
            sizes, self.extent, self.strides, self.given, strict=True
        ):
            if self.mode.startswith("SAME"):
                made.append(-(-size // stride))
                continue
            room = size + a + b - extent
            if room < 0:
                raise ValueError(
                    f"{self.op}: a window of {extent} does not fit {size} and {a + b} of padding"
                )
            count = (-(-room // stride) if self.ceil_mode else room // stride) + 1
            if self.ceil_mode and (count - 1) * stride >= size + a:
                count -= 1
            made.append(count)
        return made

    def pads(self, sizes: Sequence[int]) -> list[tuple[int, int]]:
        """Return the padding of an image, before and after; what the last windows reach beyond it included."""
        made = []
        for i, (size, count) in enumerate(zip(sizes, self.counts(sizes), strict=True)):
            needed = max((count - 1) * self.strides[i] + self.extent[i] - size, 0)
            before, after = self.given[i]
            if self.mode.startswith("SAME"):
                before = (needed + 1) // 2 if self.mode == "SAME_LOWER" else needed // 2
                after = needed - before
            made.append((before, max(after, needed - before)))
        return made


def windows(x: Array, window: Window, value: Any = 0) -> Array:
    """Return a view of shape ``[N, C, *counts, *kernel]`` of an image with channels in dimension 1."""
    sizes = x.shape[2:]
    pads = window.pads(sizes)
    padded = np.pad(x, [(0, 0), (0, 0), *pads], constant_values=value)
    rank = len(sizes)
    view = np.lib.stride_tricks.sliding_window_view(
        padded, window.extent, tuple(range(2, 2 + rank))
    )
    steps = [
        slice(0, (n - 1) * s + 1 if n else 0, s)
        for n, s in zip(window.counts(sizes), window.strides, strict=True)
    ]
    taps = [slice(None, None, d) for d in window.dilations]
    return view[(slice(None), slice(None), *steps, *taps)]
