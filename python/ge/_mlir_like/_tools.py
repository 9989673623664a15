"""Entry points that hand over to the native programs of the wheel."""

import os
import sys

__all__ = ["ge_opt"]


def ge_opt() -> None:
    """Become ``ge-opt``; the native program needs no interpreter."""
    from ..config import bin_dir

    program = os.path.join(bin_dir(), "ge-opt")
    os.execv(program, [program, *sys.argv[1:]])
