"""Runs a type checker on programs that use this package."""

import site
import subprocess
import sys
from pathlib import Path

import ge.ir

__all__ = ["check_types"]

_FLAGS = ["--strict", "--no-incremental", "--namespace-packages", "--explicit-package-bases"]


def check_types(directory: Path, *files: str) -> str:
    """Return the errors that mypy prints for files of a directory, an empty string if there are none.

    mypy finds an installed package through the interpreter, and rejects its directories in MYPYPATH; a package in a
    build tree is found through MYPYPATH.
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
