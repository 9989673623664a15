"""A logger silenced on one thread, for commands that print what it would log."""

import contextlib
import logging
import threading
from collections.abc import Iterator

from .log import name_of

__all__ = ["quiet"]


@contextlib.contextmanager
def quiet(logger: str = "ge.passes") -> Iterator[None]:
    """Return a block in which a logger drops the records of this thread.

    Parameters
    ----------
    logger : str
        For example ``ge.passes.check``: rewrites that were not evaluated and surplus matches, which results have too.
    """
    thread = threading.get_ident()

    def is_kept(record: logging.LogRecord) -> bool:
        return record.thread != thread

    log = logging.getLogger(name_of(logger))
    log.addFilter(is_kept)
    try:
        yield
    finally:
        log.removeFilter(is_kept)
