"""How often passes are to match in a model: ``--expect``, ``[tool.ge.expect]`` of pyproject.toml, and the lock file."""

from __future__ import annotations

import fnmatch
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from .._support.files import read_file
from .._support.program import PROGRAM
from ._models import pairs, write_text
from ._output import CommandError, Options, Parser, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..passes import Expected

__all__ = ["LOCK", "Expectations", "add_arguments", "counts", "lock_path", "locked", "write_lock"]

# In the directory where the command runs, unless --lock-file says otherwise.
LOCK = "ge.lock"
_VERSION = 1


def add_arguments(parser: Parser) -> None:
    """Add the options.

    Parameters
    ----------
    parser : Parser
    """
    add = parser.add_argument
    add("--expect", action="append", default=[], metavar="PASS=N", help="how often it must match")
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--lock", action="store_true", help=f"write how often the passes matched into {LOCK}"
    )
    group.add_argument("--locked", action="store_true", help=f"fail if {LOCK} has no entry")
    group.add_argument("--no-lock", action="store_true", help=f"leave {LOCK} alone")
    add("--lock-file", metavar="FILE", help=f"a file other than {LOCK}")


class Expectations:
    """The expected matches of the passes of a pipeline; files are read once, for all models.

    Parameters
    ----------
    options : Options
    pipeline : str
        As text.

    Raises
    ------
    UsageError
        For a file that does not say what it should.
    CommandError
        With ``--locked``, when there is no lock file.
    """

    def __init__(self, options: Options, pipeline: str) -> None:
        self._pipeline = pipeline
        self._is_locked = options.locked
        self._given = _given(options.expect)
        names = _names(pipeline)
        for name, expected in self._given.items():
            # A larger number is reported after the run, with the reason why the pass did not run.
            if name not in names and expected.count == 0:
                raise UsageError(f"--expect {name}=0: no pass '{name}' in the pipeline {pipeline}")
        self._project = _Project.here(names)
        self._is_named = options.lock_file is not None
        self._lock_file = Path(options.lock_file or LOCK)
        self._lock = {} if options.lock or options.no_lock else self._read_lock()

    def _read_lock(self) -> _Lock:
        if self._lock_file.exists():
            return _read_lock(self._lock_file)
        if self._is_locked or self._is_named:
            raise CommandError(
                f"{self._lock_file} is not there; '{PROGRAM} optimize --lock' writes it"
            )
        return {}

    def of(self, model: str) -> dict[str, Expected]:
        """Return the expected matches in one model. If several sources give a number, the greatest counts.

        Parameters
        ----------
        model : str
            Path.

        Raises
        ------
        CommandError
            With ``--locked``, when the lock file does not know the model or the pipeline.
        """
        found = dict(self._given)
        for source in (self._project.of(model), self._of_lock(model)):
            for name, one in source.items():
                if name not in found or found[name].count <= one.count:
                    found[name] = one
        return found

    def _of_lock(self, model: str) -> dict[str, Expected]:
        name = _relative(model, self._lock_file.parent)
        by_pipeline = self._lock.get(name, {})
        if self._is_locked and self._pipeline not in by_pipeline:
            what = f"not with the passes {self._pipeline}" if by_pipeline else "not at all"
            raise CommandError(
                f"{self._lock_file} knows {name} {what}; '{PROGRAM} optimize --lock' adds it"
            )
        passes = by_pipeline.get(self._pipeline, {})
        return {name: _entry(entry) for name, entry in passes.items()}


def _given(words: list[str]) -> dict[str, Expected]:
    given = pairs(words, "--expect", "PASS=N, as in --expect FuseGelu=12").items()
    return {
        name: _count(int(text) if text.isdecimal() else text, f"--expect {name}={text}")
        for name, text in given
    }


def _count(value: Any, where: str) -> Expected:
    from ..passes import Expected

    try:
        return Expected(value)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{where}: {error}") from error


# --- pyproject.toml


class _Project:
    """``[tool.ge.expect]``: of all models, and of those whose path below the project's directory fits."""

    def __init__(
        self,
        directory: Path,
        of_all: dict[str, Expected],
        of_some: dict[str, dict[str, Expected]],
        run: set[str],
    ) -> None:
        self._directory = directory
        self._of_all = of_all
        self._of_some = of_some
        self._run = run

    @classmethod
    def here(cls, run: set[str]) -> _Project:
        """Read ``pyproject.toml``; passes that do not run have no expectation."""
        path = next((p for d in _upwards() if (p := d / "pyproject.toml").is_file()), None)
        if path is None:
            return cls(Path(), {}, {}, run)
        tool = _read_toml(path).get("tool", {})
        table = tool.get("ge", {}) if isinstance(tool, dict) else tool
        where = f"{path}: [tool.ge"
        if not isinstance(table, dict):
            raise UsageError(f"{where}] is not a table")
        if unknown := sorted(set(table) - {"expect"}):
            raise UsageError(f"{where}] has '{unknown[0]}', which is not a key: expect")
        expect = table.get("expect", {})
        if not isinstance(expect, dict):
            raise UsageError(f"{where}.expect] is not a table of numbers by pass")
        tables = {key: value for key, value in expect.items() if isinstance(value, dict)}
        numbers = {key: value for key, value in expect.items() if key not in tables}
        return cls(
            path.parent,
            _counts(numbers, where),
            {key: _counts(value, f"{where}.expect.{key!r}") for key, value in tables.items()},
            run,
        )

    def of(self, model: str) -> dict[str, Expected]:
        path = _relative(model, self._directory)
        counts = dict(self._of_all)
        for key, more in self._of_some.items():
            if fnmatch.fnmatchcase(path, key):
                counts |= more
        return {name: one for name, one in counts.items() if name in self._run}


def _upwards() -> list[Path]:
    here = Path.cwd()
    return [here, *here.parents]


def _read_toml(path: Path) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        content: dict[str, Any] = tomllib.loads(read_file(os.fspath(path)).decode())
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, and numbers of too many digits
        raise UsageError(f"{path}: {error}") from error
    return content


def _counts(table: dict[str, Any], where: str) -> dict[str, Expected]:
    return {name: _count(value, f"{where}]: {name}") for name, value in table.items()}


def _names(pipeline: str) -> set[str]:
    """Return the passes of a pipeline that exist, including those of aliases."""
    from ..optimize import pass_names
    from ..passes import list_passes

    return {p["name"] for p in list_passes()} & pass_names(pipeline)


# --- The lock file


# By path of a model, pipeline and pass: what `OptimizeReport.lockable` gave.
_Lock: TypeAlias = "dict[str, dict[str, dict[str, Any]]]"


def _read_lock(path: Path) -> _Lock:
    try:
        content = json.loads(read_file(os.fspath(path)).decode())
        if content["version"] != _VERSION:
            raise UsageError(
                f"{path} is of version {content['version']!r}, and this is for {_VERSION}; "
                f"'{PROGRAM} optimize --lock' writes a new one after it is deleted"
            )
        models: _Lock = content["models"]
        for by_pipeline in models.values():
            for passes in by_pipeline.values():
                for entry in passes.values():
                    _entry(entry)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(
            f"{path} is no lock file ({type(error).__name__}: {error}); "
            f"'{PROGRAM} optimize --lock' writes a new one after it is deleted"
        ) from error
    return models


def _entry(entry: dict[str, Any]) -> Expected:
    from ..passes import Expected

    return Expected(entry["matches"], entry.get("nodes", ()))


def locked(options: Options, pipeline: str, found: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the lock file with the entries of a pipeline in models replaced by new matches.

    Parameters
    ----------
    options : Options
    pipeline : str
    found : mapping
        By path of a model what `OptimizeReport.lockable` gave.

    Returns
    -------
    str
        What the lock file is to hold.

    Raises
    ------
    CommandError
        If there is nothing to lock: the passes of ``-O`` alone are not.
    UsageError
        If the file that is there is no lock file.
    """
    if not any(found.values()):
        raise CommandError("nothing to lock: no pass of --passes matches or could match")
    path = Path(options.lock_file or LOCK)
    models = _read_lock(path) if path.exists() else {}
    for model, passes in found.items():
        if passes:
            models.setdefault(_relative(model, path.parent), {})[pipeline] = dict(passes)
    text = json.dumps({"version": _VERSION, "models": models}, indent=2, sort_keys=True)
    return text + "\n"


def write_lock(options: Options, text: str) -> str:
    """Write the lock file and return its path.

    Parameters
    ----------
    options : Options
    text : str
        What `locked` gave.

    Raises
    ------
    OSError
        Also for a link at the default path: only a path that the user names is followed.
    """
    path = lock_path(options)
    write_text(text, path, allow_pipe=options.allow_pipe, no_links=options.lock_file is None)
    return path


def lock_path(options: Options) -> str:
    """Return the path of the lock file."""
    path: str = options.lock_file or LOCK
    return path


def counts(passes: Mapping[str, Any]) -> str:
    """Return the matches of a model in a line.

    Parameters
    ----------
    passes : mapping
        What `OptimizeReport.lockable` gave.
    """
    return ", ".join(f"{name} {entry['matches']}" for name, entry in passes.items())


def _relative(model: str, directory: Path) -> str:
    """Return a model's path below a directory as a file says it on every system."""
    real = os.path.relpath(os.path.realpath(model), os.path.realpath(directory))
    return real.replace(os.sep, "/")
