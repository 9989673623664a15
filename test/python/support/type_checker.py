"""What a type checker says of programs that use this package."""

import site
import subprocess
import sys
from pathlib import Path

import ge.ir

__all__ = ["check_types"]

_FLAGS = ["--strict", "--no-incremental", "--namespace-packages", "--explicit-package-bases"]


def check_types(directory: Path, *files: str) -> str:
    """Return what mypy prints of files of a directory: lines of errors in them, else nothing.

    It finds an installed package by the interpreter, whose directories it refuses as a search path, and one of a build
    tree by that path.
    """
    root = str(Path(ge.ir.__file__).parents[2])
    environment = {} if root in site.getsitepackages() else {"MYPYPATH": root}
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "", "--no-error-summary", *_FLAGS, *files],
        env={"PATH": "", **environment},
        capture_output=True,
        text=True,
        check=False,
        cwd=directory,
    )
    text = done.stdout + done.stderr
    others = [line for line in text.splitlines() if not line.startswith(files)]
    assert done.returncode in (0, 1) and not others, text
    return text
