"""The directory of optimize_many's results: opened once, and no link below it is followed."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from typing import TYPE_CHECKING, Any, NamedTuple

from .._mlir_like._cext_loader import load as _load
from ..onnx import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

    from ..ir import Module

__all__ = ["Identity", "Results", "data_files", "stamp"]

_native: Any = _load("ir")

# GeOnnxExternalData, and bytes: as ge.onnx.save by default.
_KEEP, _THRESHOLD = 0, 1024
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class Identity(NamedTuple):
    """What a directory is to processes of one machine."""

    machine: str
    device: int
    inode: int


def stamp(path: str, directory: int | None = None) -> str:
    """Return size and times of a file; empty if there is none.

    The time of change of the inode is one of them, which a copy with the old times has, too.

    Parameters
    ----------
    path : str
        A link is followed, unless it is a name in a directory.
    directory : int, optional
        Descriptor of the directory that `path` is a name in.
    """
    try:
        status = os.stat(path, dir_fd=directory, follow_symlinks=directory is None)
    except OSError:
        return ""
    return f"{status.st_size}-{status.st_mtime_ns}-{status.st_ctime_ns}"


def data_files(module: Module, model: str) -> list[str]:
    """Return the files beside a model that its tensors are in, sorted.

    Parameters
    ----------
    module : Module
        As it was loaded from `model`.
    model : str

    Notes
    -----
    Cost: O(nodes).
    """
    found = set()
    for graph in module.graphs.values():
        for node in graph.walk():
            for value in node.attributes.values():
                file = getattr(value, "file", None)
                if file is not None:
                    found.add(file[0])
    here = os.path.realpath(model)
    return sorted(path for path in found if os.path.realpath(path) != here)


class Results:
    """A directory of results.

    Parameters
    ----------
    path : str
    known : Identity, optional
        Of the directory that is meant, as another process sees it.

    Raises
    ------
    OSError
        If it cannot be opened, or is not the known one.
    """

    def __init__(self, path: str, known: Identity | None = None) -> None:
        self.path = path
        self.fd = os.open(path, _DIRECTORY)
        status = os.fstat(self.fd)
        self.identity = Identity(os.uname().nodename, status.st_dev, status.st_ino)
        if known and known.machine == self.identity.machine and known != self.identity:
            os.close(self.fd)
            raise FileExistsError(
                errno.EEXIST, "another directory was put in the place of the results", path
            )

    def __enter__(self) -> Results:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self.fd)

    @contextlib.contextmanager
    def around(self, target: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """Open the directory that a result is in; give descriptor and name.

        Parameters
        ----------
        target : str
            Path of the result, below that of this directory.
        make : bool
            Make directories that are not there.

        Raises
        ------
        FileExistsError
            For a link on the way.
        FileNotFoundError
            Without `make`.
        """
        *parts, name = os.path.relpath(target, self.path).split(os.sep)
        fd = os.dup(self.fd)
        try:
            for part in parts:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(part, dir_fd=fd)
                try:
                    inner = os.open(part, _DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
                except OSError as error:
                    if error.errno not in (errno.ELOOP, errno.ENOTDIR):
                        raise
                    raise FileExistsError(
                        errno.EEXIST,
                        f"'{part}' is a link that leads out of '{self.path}', or may do so, or no directory",
                        target,
                    ) from None
                os.close(fd)
                fd = inner
            yield fd, name
        finally:
            os.close(fd)

    def state(self, target: str, files: Mapping[str, str] | None) -> str:
        """Return what is at the place of a result.

        Parameters
        ----------
        target : str
        files : mapping, optional
            Stamps of the result's files by name, as they were written.

        Returns
        -------
        str
            ``"absent"``, ``"other"`` for what is no regular file, ``"whole"`` for the result, ``"incomplete"`` if some of
            its data is gone, ``"changed"`` for another file, or one with other data.
        """
        try:
            with self.around(target) as (fd, name):
                mode = os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode
                if not stat.S_ISREG(mode):
                    return "other"
                now = {each: stamp(each, fd) for each in {name, *(files or ())}}
        except FileNotFoundError:
            return "absent"
        if files is None or any(now[each] not in ("", files.get(each)) for each in now):
            return "changed"
        return "whole" if all(now.values()) else "incomplete"

    def save(self, module: Module, target: str, *, is_new: bool) -> dict[str, str]:
        """Write a result; return the stamps of its files by name.

        Parameters
        ----------
        module : Module
        target : str
        is_new : bool
            Replace nothing.
        """
        with self.around(target, make=True) as (fd, name):
            _save(module, target, fd, is_new=is_new)
            place = f"/proc/self/fd/{fd}"  # the directory itself, whatever its path leads to now
            written = f"{place}/{name}"
            here = os.path.realpath(place)
            data = [os.path.relpath(file, here) for file in data_files(load(written), written)]
            return {each: stamp(each, fd) for each in [name, *data]}

    def begins(self, module: Module, target: str) -> bool:
        """Return whether the file at a result's place is this result, or the beginning of it, as a killed run left it.

        Parameters
        ----------
        module : Module
        target : str
        """
        with self.around(target) as (fd, name):
            trial = f".ge-trial-{os.urandom(8).hex()}"
            os.mkdir(trial, 0o700, dir_fd=fd)
            inner = os.open(trial, _DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
            try:
                taken = {f"{name}.data" + f".{i}" * (i > 0) for i in range(_series(fd, name))}
                for each in taken:
                    os.close(os.open(each, os.O_CREAT | os.O_EXCL | os.O_WRONLY, dir_fd=inner))
                _save(module, target, inner, is_new=True)
                return all(_is_prefix(fd, inner, e) for e in set(os.listdir(inner)) - taken)
            finally:
                for each in os.listdir(inner):
                    os.unlink(each, dir_fd=inner)
                os.close(inner)
                os.rmdir(trial, dir_fd=fd)


def _save(module: Module, path: str, directory: int, *, is_new: bool) -> None:
    """Save a model under the last part of a path in an open directory; FileExistsError if it has to be new and is not."""
    # The result is read again before anything is replaced.
    verify = True
    _native._onnx_save(
        module, path, _KEEP, None, _THRESHOLD, False, False, verify, is_new, directory
    )


def _series(directory: int, name: str) -> int:
    """Return the number of the data file, of the series ``NAME.data``, ``NAME.data.1``, that a model refers to; 0 for none."""
    path = f"/proc/self/fd/{directory}/{name}"
    try:
        files = data_files(load(path), path)
    except Exception:  # no model, then
        return 0
    numbers = [
        re.fullmatch(rf"{re.escape(name)}\.data\.(\d{{1,4}})", os.path.basename(f)) for f in files
    ]
    return max((int(found[1]) for found in numbers if found), default=0)


def _is_prefix(old: int, new: int, name: str) -> bool:
    """Whether the file of one directory is absent, or begins that of the other one and is not empty."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        first = os.fdopen(os.open(name, flags, dir_fd=old), "rb")
    except FileNotFoundError:
        return True
    except OSError:
        return False
    with first, os.fdopen(os.open(name, flags, dir_fd=new), "rb") as second:
        if not os.fstat(first.fileno()).st_size:
            return False
        while piece := first.read(1 << 20):
            if second.read(len(piece)) != piece:
                return False
    return True
