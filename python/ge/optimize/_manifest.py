"""The manifest of optimize_many: which results in a directory are complete, and which files it wrote."""

from __future__ import annotations

import errno
import json
import os
import stat
from typing import TYPE_CHECKING, Any, NamedTuple

from .._support.lazy import publish

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

__all__ = ["MANIFEST", "Manifest", "ModelResult", "identity", "stamp"]

# Lies in the directory of the results: one JSON object a line, for each result that is to be written, and for each
# model that was done.
MANIFEST = "ge-optimize.jsonl"


class ModelResult(NamedTuple):
    """The result of one model."""

    path: str
    output: str
    status: str
    """done, skipped (it was done before), or failed."""
    error: str
    """Why it failed, in one line."""
    nodes: tuple[int, int]
    """Before and after; constants are not counted."""
    bytes: tuple[int, int]
    """Size of the file before and after."""
    seconds: float
    notes: tuple[str, ...] = ()
    """What else is to be known, a sentence each: of `OptimizeReport.notes`, what was compared, more of an error."""
    matches: dict[str, dict[str, Any]] = {}
    """Of `OptimizeReport.lockable`; the nodes with `expect` only."""


def stamp(path: str) -> str:
    """Return size and modification time of a file; empty if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_size}-{status.st_mtime_ns}"


def identity(path: str) -> tuple[int, int] | None:
    """Return device and inode of a path, links followed; None if it does not exist."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _result_of(fields: dict[str, Any]) -> ModelResult:
    """Return a result of the manifest; ValueError or TypeError if a field has another type than those that are written."""
    result: Any = ModelResult(**fields)  # of whatever types
    before, after = result.nodes  # lists, in JSON
    old, new = result.bytes
    texts = (result.path, result.output, result.status, result.error, *result.notes)
    if (
        not all(isinstance(text, str) for text in texts)
        or not all(type(count) is int for count in (before, after, old, new))
        or not isinstance(result.seconds, (int, float))
        or not isinstance(result.notes, list)
        or not isinstance(result.matches, dict)
        or not all(isinstance(counts, dict) for counts in result.matches.values())
    ):
        raise TypeError("a field of another type")
    made: ModelResult = result._replace(
        nodes=(before, after), bytes=(old, new), notes=tuple(result.notes)
    )
    return made


class Manifest:
    """The manifest of a directory.

    Its lines are data: they say which files of the directory may be replaced, never where to write.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._path = os.path.join(directory, MANIFEST)
        self._file: Any = None
        self._written: dict[str, str] = {}
        """Stamps of the results by path below the directory; empty for one that was not written."""

    def read(self) -> dict[str, tuple[str, str, ModelResult]]:
        """Return the results by model: its stamp, the options, what became of it."""
        done = {}
        try:
            with self._open(os.O_RDONLY) as file:
                lines = file.read().decode("utf-8", "replace").splitlines()
        except FileNotFoundError:
            return {}
        for line in lines:
            try:
                fields = json.loads(line)
                if "planned" in fields:
                    # A planned result may exist already: GE wrote it.
                    self._written[str(fields["planned"])] = str(fields.get("written", "planned"))
                    continue
                mark, setting = fields.pop("stamp"), fields.pop("options")
                written = fields.pop("written", None)
                result = _result_of(fields)
                name = os.path.relpath(result.output, self._directory)
                self._written[name] = str(written or "done")
                done[result.path] = (mark, setting, result)
            except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
                continue  # the last line of a run that was killed, or one that others wrote
        return done

    def refuse_others(self, targets: Iterable[str]) -> None:
        """Raise FileExistsError for a file at a target that is not a result in the manifest.

        Raises
        ------
        FileExistsError
            Also for a link, and for the target of a link that leads out of the directory.
        """
        root = os.path.join(os.path.realpath(self._directory), "")
        for target in targets:
            if not os.path.join(os.path.realpath(os.path.dirname(target)), "").startswith(root):
                raise FileExistsError(
                    errno.EEXIST, f"a link leads out of '{self._directory}'", target
                )
            try:
                mode = os.lstat(target).st_mode
            except FileNotFoundError:
                continue
            name = os.path.relpath(target, self._directory)
            if not stat.S_ISREG(mode):
                reason = "it is not a regular file"
            elif not self._written.get(name, ""):
                reason = f"{MANIFEST} does not list it as a result"
            else:
                continue
            raise FileExistsError(
                errno.EEXIST,
                f"the file exists, and {reason}; remove it, choose another directory, or replace it with "
                "overwrite=True (--force)",
                target,
            )

    def __enter__(self) -> Manifest:
        self._file = self._open(os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def plan(self, targets: Iterable[str]) -> None:
        """Record results before they are written."""
        names = (os.path.relpath(target, self._directory) for target in targets)
        self._append("".join(json.dumps({"planned": name}) + "\n" for name in names))

    def give_up(self, target: str) -> None:
        """Record that a planned result was not written and the earlier file, if any, is still there."""
        name = os.path.relpath(target, self._directory)
        self._append(json.dumps({"planned": name, "written": stamp(target)}) + "\n")

    def add(self, result: ModelResult, mark: str, setting: str) -> None:
        """Record a result: the stamp of its model, and the options it was made with."""
        line = {
            "stamp": mark,
            "options": setting,
            "written": stamp(result.output),
            **result._asdict(),
        }
        self._append(json.dumps(line) + "\n")

    def _append(self, text: str) -> None:
        self._file.write(text.encode("utf-8", "replace"))
        self._file.flush()

    def _open(self, flags: int) -> Any:
        """Open the manifest, which is a file of its own: neither a link nor linked from elsewhere."""
        try:
            fd = os.open(self._path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            raise FileExistsError(
                errno.EEXIST, "the manifest is a link; remove it", self._path
            ) from None
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            os.close(fd)
            raise FileExistsError(
                errno.EEXIST,
                "the manifest is not a regular file with a single link; remove it",
                self._path,
            )
        return os.fdopen(fd, "wb" if flags & os.O_WRONLY else "rb", buffering=-1)


publish("onnx", ModelResult)
