"""Entry points that hand over to the native programs of the wheel."""

import os
import sys

__all__ = ["ge_atc", "ge_opt"]


def _become(name: str) -> None:
    from .config import bin_dir

    # A program that runs passes in Python shall find this interpreter, with its packages.
    os.environ.setdefault("GE_PYTHON", sys.executable)
    program = os.path.join(bin_dir(), name)
    os.execv(program, [program, *sys.argv[1:]])


def ge_opt() -> None:
    """Become ``ge-opt``; the native program needs no interpreter."""
    _become("ge-opt")


def ge_atc() -> None:
    """Become ``ge-atc``; the native program needs no interpreter."""
    _become("ge-atc")
