"""Kinds of model files by the endings of their names: ONNX and text."""

from __future__ import annotations

import os

from .program import PROGRAM

__all__ = ["ONNX", "TEXT", "is_text", "need_writable"]

ONNX = ".onnx"
# Of MLIR's generic assembly.
TEXT = (".mlir", ".ge", ".txt")


def is_text(path: str) -> bool:
    """Whether a file of that name is in the text form; ``-`` is.

    Parameters
    ----------
    path : str
    """
    return path == "-" or path.lower().endswith(TEXT)


def need_writable(path: str) -> None:
    """Raise when the ending of a name promises a kind of file that is not written.

    Parameters
    ----------
    path : str
        Names without an ending, and with a number for one, as in ``resnet-v1.5``, promise nothing.

    Raises
    ------
    ValueError
    """
    ending = os.path.splitext(path)[1].lower()
    if ending in ("", ".", ONNX) or ending[1:].isdecimal() or is_text(path):
        return
    raise ValueError(
        f"'{path}': {PROGRAM} writes no {ending} files; a name that ends in {ONNX} is ONNX, one in "
        f"{', '.join(TEXT[:-1])} or {TEXT[-1]} is text"
    )
