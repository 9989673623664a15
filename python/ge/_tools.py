"""Entry points that start the native programs of the wheel."""

import os
import sys

__all__ = ["ge_atc", "ge_opt"]


def _become(name: str) -> None:
    from .config import bin_dir

    # The program must find this interpreter, with its packages, for passes in Python.
    os.environ.setdefault("GE_PYTHON", sys.executable)
    program = os.path.join(bin_dir(), name)
    os.execv(program, [program, *sys.argv[1:]])


def ge_opt() -> None:
    """Replace this process by ``ge-opt``; the native program needs no interpreter."""
    _become("ge-opt")


def ge_atc() -> None:
    """Replace this process by ``ge-atc``; the native program needs no interpreter."""
    _become("ge-atc")
