"""Files of text or bytes: read by the native core, and written whole or not at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .._mlir_like._cext_loader import load as _load

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["read_file", "several_paths", "write_file"]


def write_file(
    path: str | os.PathLike[str],
    data: str | bytes,
    *,
    is_new: bool = False,
    allow_pipe: bool = False,
    no_links: bool = False,
) -> None:
    """Write a file by a temporary one that is synced and renamed; see ``geFileWrite``.

    Parameters
    ----------
    path : path-like
        A link stays, and its target is replaced. A file that is replaced keeps owner, mode and extended attributes.
    data : str or bytes
        A str is written as UTF-8.
    is_new : bool
        Refuse to replace anything.
    allow_pipe : bool
        Write pipes and devices, too. ``/dev/stdout`` and ``/dev/null`` need no permission.
    no_links : bool
        Refuse a symbolic link: for paths that GE makes, not its user.

    Raises
    ------
    OSError
        Of the subclass for the reason, with the path as `filename`; the old file is still there.
    """
    native: Any = _load("ir")
    content = data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape")
    native._write_file(os.fsdecode(path), content, is_new, allow_pipe, no_links)


def read_file(path: str, *, allow_pipe: bool = False) -> bytes:
    """Return the bytes of a file; pipes and devices if that is allowed.

    Parameters
    ----------
    path : str
    allow_pipe : bool
    """
    native: Any = _load("ir")
    data: bytes = native._read_file(path, allow_pipe)
    return data


def several_paths(roots: Sequence[str | os.PathLike[str]]) -> Sequence[str | os.PathLike[str]]:
    """Refuse one path, which is a sequence of characters."""
    if isinstance(roots, (str, bytes, os.PathLike)):
        raise TypeError("data_roots is a sequence of directories, not one path")
    return roots
