"""``ge plugins``: which passes there are, where they come from, and what could not be loaded."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ._output import CommandError, Options, Output, Parser

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["add_arguments", "load_files", "run"]

HELP = (
    "List the built-in passes, those of ASCEND_GE_PY_PASS_PATH and of installed packages, and those of\n"
    "the given files."
)
STATUS = "Exit status: 0 done, 1 something could not be loaded, 2 wrong usage."


def add_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="pass files, or directories of them"
    )


def run(options: Options, output: Output) -> int:
    """List passes; return the exit status."""
    from .._support.quiet import quiet
    from ..passes import get_registered_passes, list_passes, load_pass_plugins

    for file in options.files:
        if not os.path.exists(file):
            raise CommandError(f"{file}: no such file or directory")
    with quiet():
        load_pass_plugins()
        if options.files:
            load_pass_plugins(os.pathsep.join(map(os.path.abspath, options.files)))
    replaced = {
        d.pass_name: d.cls._ge_replacement()
        for d in get_registered_passes()
        if hasattr(d.cls, "_ge_replacement")
    }
    passes = [{**p, "replacement": replaced.get(p["name"], "")} for p in list_passes()]
    good = [p for p in passes if not p["error"]]
    rows = [
        (
            p["name"],
            p["kind"],
            p["stage"],
            p["origin"] or "built-in",
            p["version"],
            p["exactness"],
            p["replacement"],
            p["doc"],
        )
        for p in good
    ]
    head = ("pass", "kind", "stage", "origin", "version", "class", "replacement", "what it does")
    output.table(head, rows)
    broken = [p for p in passes if p["error"]]
    for one in broken:
        output.error(f"{one['origin']}: {one['error']}")
    output.result({"passes": passes})
    return 1 if broken else 0


def load_files(files: Sequence[str]) -> list[str]:
    """Load pass files and return the names of the passes that they register, in their order.

    Parameters
    ----------
    files : sequence of str

    Raises
    ------
    CommandError
        If a file is not there, cannot be loaded, or registers no pass.
    """
    from .._support.quiet import quiet
    from ..passes import get_registered_passes, load_pass_plugins
    from ..passes.bootstrap import load_errors

    names: list[str] = []
    for file in files:
        if not os.path.isfile(file):
            what = "not a regular file" if os.path.lexists(file) else "no such file"
            raise CommandError(f"{file}: {what}")
        known = {d.descriptor_key for d in get_registered_passes()}
        with quiet():
            load_pass_plugins(os.path.abspath(file))
        if reasons := [e for origin, e in load_errors().items() if _is_of(origin, file)]:
            raise CommandError(f"{file}: {reasons[0]}")
        new = [d for d in get_registered_passes() if d.descriptor_key not in known]
        mine = new or [d for d in get_registered_passes() if _is_from(d, file)]
        if not mine:
            raise CommandError(f"{file} registers no pass")
        names += [d.pass_name for d in mine]
    return names


def _is_of(origin: str, file: str) -> bool:
    return os.path.realpath(origin) == os.path.realpath(file)


def _is_from(descriptor: Any, file: str) -> bool:
    """Whether a pass was loaded from a file before."""
    import sys

    module = sys.modules.get(descriptor.module_name)
    return module is not None and _is_of(getattr(module, "__file__", None) or "", file)
