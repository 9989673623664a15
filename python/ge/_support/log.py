"""Loggers of the package, made when something is logged: ``logging`` takes longer to import than `ge.ir`."""

import sys

from .program import PACKAGE

TYPE_CHECKING = False  # typing's constant without its import
if TYPE_CHECKING:
    import logging

__all__ = ["is_debug_wanted", "keep_silent", "logger", "name_of"]

_is_silent = False


def name_of(name: str) -> str:
    """Return what a logger that is ``"ge"`` or ``"ge.*"`` here is called in this package."""
    return PACKAGE + name.removeprefix("ge")


def logger(name: str) -> "logging.Logger":
    """Return the logger of a name such as ``"ge.passes"``: of a vendor's package, ``"acme.ge.passes"``."""
    import logging

    if _is_silent:
        top = logging.getLogger(PACKAGE)
        if not any(isinstance(handler, logging.NullHandler) for handler in top.handlers):
            top.addHandler(logging.NullHandler())
    return logging.getLogger(name_of(name))


def is_debug_wanted(name: str) -> bool:
    """Whether messages of level DEBUG go anywhere; while nothing has imported ``logging`` they do not."""
    logging = sys.modules.get("logging")
    return logging is not None and logging.getLogger(name_of(name)).isEnabledFor(logging.DEBUG)


def keep_silent() -> None:
    """Print nothing where no handler is set: the interpreter serves a native program, which shows failures itself."""
    global _is_silent
    _is_silent = True
    if "logging" in sys.modules:
        logger("ge")
