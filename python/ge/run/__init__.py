"""The interpreter, evaluation of operators by packages, and comparison of models.

By default those packages run in a child process, so that a model on which one of them crashes, hangs or takes all memory
costs an answer and not the caller. This module imports nothing: the child process imports it, too.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._check import CheckReport, check, compare
    from ._difference import FirstDifference, first_difference
    from ._fitting_sizes import FittingSizes
    from ._inputs import (
        EDGES,
        PART_EDGES,
        Sizes,
        free_sizes,
        guessed_sizes,
        is_function,
        main_graph,
        main_graphs,
        make_inputs,
        need_module,
        required_inputs,
    )
    from ._outputs import OutputReport
    from ._runners import NotRunError

__all__ = [
    "EDGES",
    "PART_EDGES",
    "CheckReport",
    "FirstDifference",
    "FittingSizes",
    "NotRunError",
    "OutputReport",
    "Sizes",
    "check",
    "compare",
    "first_difference",
    "free_sizes",
    "guessed_sizes",
    "is_function",
    "main_graph",
    "main_graphs",
    "make_inputs",
    "need_module",
    "required_inputs",
]

_HOLDS = {
    "_check": ("CheckReport", "check", "compare"),
    "_difference": ("FirstDifference", "first_difference"),
    "_fitting_sizes": ("FittingSizes",),
    "_inputs": (
        "EDGES",
        "PART_EDGES",
        "Sizes",
        "free_sizes",
        "guessed_sizes",
        "is_function",
        "main_graph",
        "main_graphs",
        "make_inputs",
        "need_module",
        "required_inputs",
    ),
    "_outputs": ("OutputReport",),
    "_runners": ("NotRunError",),
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name.startswith("_"):  # a module, which the import system goes on to look for
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        from .._support.lazy import lazy_name

        return lazy_name(globals(), _HOLDS, name)
