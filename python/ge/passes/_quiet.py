"""Silence of a logger, for whoever tells by himself what it would say."""

import contextlib
import logging
import threading
from collections.abc import Iterator

__all__ = ["quiet"]


@contextlib.contextmanager
def quiet(logger: str = "ge.passes") -> Iterator[None]:
    """Return a block in which a logger says nothing of what happens on this thread.

    Parameters
    ----------
    logger : str
        ``ge.passes.check``: what was not evaluated, and matches beyond what was expected, which results have too.
    """
    thread = threading.get_ident()

    def is_heard(record: logging.LogRecord) -> bool:
        return record.thread != thread

    log = logging.getLogger(logger)
    log.addFilter(is_heard)
    try:
        yield
    finally:
        log.removeFilter(is_heard)
