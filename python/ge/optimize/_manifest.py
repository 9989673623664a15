"""The manifest of optimize_many: which results in a directory are complete, and which files it wrote."""

from __future__ import annotations

import errno
import json
import os
import stat
from typing import TYPE_CHECKING, Any, NamedTuple

from .._support.lazy import publish
from ._results import Results, stamp

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

__all__ = ["MANIFEST", "Manifest", "ModelResult", "Record", "another_file", "identity"]

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
    sources: dict[str, str] = {}
    """Stamps of the model's files by path, as they were read; empty if one changed since."""
    files: dict[str, str] = {}
    """Stamps of the result's files by name beside the result."""


class Record(NamedTuple):
    """A line of a result that was done."""

    setting: str
    """The options it was made with."""
    result: ModelResult

    def is_current(self, setting: str) -> bool:
        """Whether the model, and the options, are those that the result was made of."""
        sources = self.result.sources
        return (
            bool(sources)
            and self.setting == setting
            and all(stamp(path) == mark for path, mark in sources.items())
        )


def identity(path: str) -> tuple[int, int] | None:
    """Return device and inode of a path, links followed; None if it does not exist."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def another_file(target: str, reason: str) -> FileExistsError:
    """Return the error for a file at the place of a result that is not to be replaced."""
    return FileExistsError(
        errno.EEXIST,
        f"the file exists, and {reason}; remove it, choose another directory, or replace it with "
        "overwrite=True (--force)",
        target,
    )


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
        or not all(map(_are_stamps, (result.sources, result.files)))
    ):
        raise TypeError("a field of another type")
    made: ModelResult = result._replace(
        nodes=(before, after), bytes=(old, new), notes=tuple(result.notes)
    )
    return made


def _are_stamps(stamps: Any) -> bool:
    return isinstance(stamps, dict) and all(isinstance(mark, str) for mark in stamps.values())


class Manifest:
    """The manifest of a directory.

    Its lines are data: they say which files of the directory may be replaced, never where to write.
    """

    def __init__(self, results: Results) -> None:
        self._results = results
        self._directory = results.path
        self._path = os.path.join(results.path, MANIFEST)
        self._file: Any = None
        self._planned: set[str] = set()
        """Results, by path below the directory, that a run was about to write when it ended."""
        self._written: dict[str, dict[str, str]] = {}
        """Stamps of the files of results by path below the directory."""

    def read(self) -> dict[str, Record]:
        """Return the results by model."""
        done: dict[str, Record] = {}
        try:
            with self._open(os.O_RDONLY) as file:
                lines = file.read().decode("utf-8", "replace").splitlines()
        except FileNotFoundError:
            return {}
        for line in lines:
            try:
                fields = json.loads(line)
                if "planned" in fields:
                    self._planned.add(str(fields["planned"]))
                    continue
                if "given up" in fields:
                    self._planned.discard(str(fields["given up"]))
                    continue
                setting = str(fields.pop("options"))
                result = _result_of(fields)
                name = os.path.relpath(result.output, self._directory)
                self._written[name] = result.files
                self._planned.discard(name)
                done[result.path] = Record(setting, result)
            except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
                continue  # the last line of a run that was killed, or one that others wrote
        return done

    def written(self, target: str) -> dict[str, str] | None:
        """Return the stamps of a result's files as they were written last; None if it never was."""
        return self._written.get(os.path.relpath(target, self._directory))

    def refuse_others(self, targets: Iterable[str]) -> None:
        """Raise FileExistsError for a file at a target that cannot be a result of an earlier run.

        One that a run was about to write, or wrote and that changed, is looked at when the new result is there.

        Raises
        ------
        FileExistsError
            Also for a link.
        """
        for target in targets:
            name = os.path.relpath(target, self._directory)
            files = self._written.get(name)
            state = self._results.state(target, files)
            if state == "other":
                reason = "it is not a regular file"
            elif state == "changed" and files is None and name not in self._planned:
                reason = f"{MANIFEST} does not list it as a result"
            else:
                continue
            raise another_file(target, reason)

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
        """Record that a planned result was not written; the earlier file, if any, is still there."""
        self._append(json.dumps({"given up": os.path.relpath(target, self._directory)}) + "\n")

    def add(self, result: ModelResult, setting: str) -> None:
        """Record a result, and the options that it was made with."""
        self._append(json.dumps({"options": setting, **result._asdict()}) + "\n")

    def _append(self, text: str) -> None:
        self._file.write(text.encode("utf-8", "replace"))
        self._file.flush()

    def _open(self, flags: int) -> Any:
        """Open the manifest, which is a file of its own: neither a link nor linked from elsewhere."""
        try:
            flags |= os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            fd = os.open(MANIFEST, flags, 0o666, dir_fd=self._results.fd)
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
