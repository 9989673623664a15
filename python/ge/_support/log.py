"""Loggers of the package, made when something is logged: ``logging`` takes longer to import than `ge.ir`."""

import sys

from .program import PACKAGE

TYPE_CHECKING = False  # typing's constant without its import
if TYPE_CHECKING:
    import logging

__all__ = ["escape_controls", "is_debug_wanted", "keep_silent", "logger", "name_of"]

_is_silent = False
_is_escaped = False


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
    if _is_escaped and logging.lastResort:
        logging.lastResort.format = _escaped  # type: ignore[method-assign]
    return logging.getLogger(name_of(name))


def is_debug_wanted(name: str) -> bool:
    """Whether messages of level DEBUG go anywhere; while nothing has imported ``logging`` they do not."""
    logging = sys.modules.get("logging")
    return logging is not None and logging.getLogger(name_of(name)).isEnabledFor(logging.DEBUG)


def _escaped(record: "logging.LogRecord") -> str:
    import logging

    from .visible import visible

    return visible(logging.Formatter().format(record), keep="\n\t")


def escape_controls() -> None:
    """Escape controls in what is printed where no handler is set: names of a model go to the terminal of a command."""
    global _is_escaped
    _is_escaped = True


def keep_silent() -> None:
    """Print nothing where no handler is set: the interpreter serves a native program, which shows failures itself."""
    global _is_silent
    _is_silent = True
    if "logging" in sys.modules:
        logger("ge")
