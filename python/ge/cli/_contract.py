"""How often passes are to match in a model: ``--expect``, ``[tool.ge.expect]`` of pyproject.toml, and the lock file."""

from __future__ import annotations

import fnmatch
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._models import pairs
from ._output import CommandError, Options, Parser, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..passes import Expected

__all__ = ["LOCK", "add_arguments", "counts", "expected", "locked"]

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
    group.add_argument("--locked", action="store_true", help=f"fail if {LOCK} does not say it")
    group.add_argument("--no-lock", action="store_true", help=f"leave {LOCK} alone")
    add("--lock-file", metavar="FILE", default=LOCK, help=f"another file than {LOCK}")


def expected(options: Options, model: str, pipeline: str) -> dict[str, Expected]:
    """Return what is expected of the passes of a pipeline in a model.

    Where several places say something of a pass, the greatest number counts.

    Parameters
    ----------
    options : Options
    model : str
        Path.
    pipeline : str
        As text.

    Raises
    ------
    UsageError
        For a file that does not say what it should.
    CommandError
        With ``--locked``, when the lock file does not know the model or the pipeline.
    """
    from ..passes import Expected

    found = {name: Expected(count) for name, count in _given(options.expect).items()}
    sources = [_of_project(model, pipeline)]
    if not options.lock and not options.no_lock:
        sources.append(_of_lock(options, model, pipeline))
    for source in sources:
        for name, one in source.items():
            if name not in found or found[name].count <= one.count:
                found[name] = one
    return found


def _given(words: list[str]) -> dict[str, int]:
    found = {}
    for name, text in pairs(words, "--expect", "PASS=N, as in --expect FuseGelu=12").items():
        if not text.isdecimal():
            raise UsageError(f"--expect {name}={text}: a number of matches is 0 or more")
        found[name] = int(text)
    return found


# --- pyproject.toml


def _of_project(model: str, pipeline: str) -> dict[str, Expected]:
    path = next((p for d in _upwards() if (p := d / "pyproject.toml").is_file()), None)
    if path is None:
        return {}
    table = _read_toml(path).get("tool", {}).get("ge", {})
    where = f"{path}: [tool.ge"
    if not isinstance(table, dict):
        raise UsageError(f"{where}] is no table")
    if unknown := sorted(set(table) - {"expect"}):
        raise UsageError(f"{where}] has '{unknown[0]}', which is none of its keys: expect")
    expect = table.get("expect", {})
    if not isinstance(expect, dict):
        raise UsageError(f"{where}.expect] is no table of numbers by pass")
    counts = _counts({k: v for k, v in expect.items() if not isinstance(v, dict)}, where)
    name = _relative(model, path.parent)
    for key, value in expect.items():
        if isinstance(value, dict):
            more = _counts(value, f"{where}.expect.{key!r}")
            if fnmatch.fnmatchcase(name, key):
                counts |= more
    run = _names(pipeline)
    return {name: one for name, one in counts.items() if name in run}


def _upwards() -> list[Path]:
    here = Path.cwd()
    return [here, *here.parents]


def _read_toml(path: Path) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error
    return content


def _counts(table: dict[str, Any], where: str) -> dict[str, Expected]:
    from ..passes import Expected

    for name, value in table.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise UsageError(f"{where}]: {name} is {value!r}, not a number of matches")
    return {name: Expected(value) for name, value in table.items()}


def _names(pipeline: str) -> set[str]:
    """Return the passes of a pipeline, those of aliases too."""
    from ..onnx._optimize import pipeline_text
    from ..passes import list_passes

    text = pipeline_text(pipeline, expand=True)
    separated = "".join(" " if c in "(),{}" else c for c in text)
    return {p["name"] for p in list_passes()} & set(separated.split())


# --- The lock file


def _of_lock(options: Options, model: str, pipeline: str) -> dict[str, Expected]:
    from ..passes import Expected

    path = Path(options.lock_file)
    if not path.exists():
        if options.locked:
            raise CommandError(f"{path} is not there; 'ge optimize --lock' writes it")
        return {}
    models = _read_lock(path)
    name = _relative(model, path.parent)
    by_pipeline = models.get(name, {})
    passes = by_pipeline.get(pipeline)
    if passes is None:
        if options.locked:
            what = f"not with the passes {pipeline}" if by_pipeline else "not at all"
            raise CommandError(f"{path} knows {name} {what}; 'ge optimize --lock' adds it")
        return {}
    return {
        name: Expected(entry["matches"], tuple(entry.get("nodes", ())))
        for name, entry in passes.items()
    }


def _read_lock(path: Path) -> dict[str, dict[str, dict[str, Any]]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["version"] != _VERSION:
            raise UsageError(
                f"{path} is of version {content['version']!r}, and this is for {_VERSION}; "
                "'ge optimize --lock' writes it anew when it is gone"
            )
        models: dict[str, dict[str, dict[str, Any]]] = content["models"]
        for by_pipeline in models.values():
            for passes in by_pipeline.values():
                for entry in passes.values():
                    _check_entry(entry)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{path} is no lock file ({type(error).__name__}: {error}); "
            "'ge optimize --lock' writes it anew when it is gone"
        ) from error
    return models


def _check_entry(entry: dict[str, Any]) -> None:
    count, nodes = entry["matches"], entry.get("nodes", [])
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise ValueError(f"matches is {count!r}, not a number")
    if not isinstance(nodes, list) or not all(isinstance(n, str) for n in nodes):
        raise ValueError("nodes is no list of names")


def locked(options: Options, pipeline: str, found: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the lock file with the matches of a pipeline in models in place of what it said of them.

    Parameters
    ----------
    options : Options
    pipeline : str
    found : mapping
        By path of a model what `OptimizeReport.lockable` gave.

    Returns
    -------
    str
        What `options.lock_file` is to hold.

    Raises
    ------
    CommandError
        If there is nothing to lock: the passes of ``-O`` alone are not.
    UsageError
        If the file that is there is no lock file.
    """
    if not any(found.values()):
        raise CommandError("nothing to lock: no pass of --passes matches or could match")
    path = Path(options.lock_file)
    models = _read_lock(path) if path.exists() else {}
    for model, passes in found.items():
        if passes:
            models.setdefault(_relative(model, path.parent), {})[pipeline] = dict(passes)
    text = json.dumps({"version": _VERSION, "models": models}, indent=2, sort_keys=True)
    return text + "\n"


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
