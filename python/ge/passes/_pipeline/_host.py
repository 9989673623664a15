"""Entry points for native hosts, called by ``lib/Bridge``.

A native program that embeds GE calls these functions, and the pass manager calls the adapters of the passes that they
load: the ones that serve a Python process, too. No exception leaves them: texts say what is wrong, and an empty one
that nothing is.
"""

import gc
import os
import sys
from collections.abc import Callable
from typing import Any

from ..._mlir_like._cext_loader import load as _load
from ..._support.failures import describe
from ..._support.log import keep_silent
from ._plugins import load_for_host, load_pass_plugins, unload_for_host
from ._registry import get_registered_pass_dicts

__all__ = ["load", "load_and_get_pass_descriptors", "shutdown", "start", "unload"]

_native: Any = _load("passes")
# Not one that a test or a program has put there later.
_ENVIRON = os.environ


def start(owns_interpreter: int) -> str:
    """Prepare the package; the interpreter was started for it, or runs a program of its own."""
    if owns_interpreter:
        gc.freeze()  # what was imported stays: no collection looks at it again
        keep_silent()  # the host gets what is logged as failures and remarks, and shows it as it likes
    return ""


def load(paths: bytes, modules: bytes) -> list[str]:
    """Load pass files, modules and installed plugins.

    Parameters
    ----------
    paths : bytes
        As in ``ASCEND_GE_PY_PASS_PATH``.
    modules : bytes
        Names of modules, with commas between them.

    Returns
    -------
    list of str
        Origin and reason of what could not be loaded, by turns.
    """

    def work() -> list[str]:
        _read_environment()
        names = [name.strip() for name in os.fsdecode(modules).split(",") if name.strip()]
        failures = load_for_host(os.fsdecode(paths), names)
        return [_shown(text) for failure in failures.items() for text in failure]

    collects = gc.isenabled()
    gc.disable()  # imports make nothing but what stays
    try:
        return work()
    except BaseException as error:
        return ["the loading of passes", _shown(describe(error))]
    finally:
        if collects:
            gc.enable()


def _read_environment() -> None:
    """Bring ``os.environ`` up to date: a host sets variables with ``setenv``, which Python does not hear of."""
    variables = os.environ
    if variables is not _ENVIRON:
        return  # a program has put another mapping there
    now: dict[bytes, bytes] = {}
    for entry in _native._environment():
        name, sign, value = entry.partition(b"=")
        if name and sign:
            now.setdefault(name, value)  # as getenv: the first one counts
    data = variables._data  # type: ignore[attr-defined]
    for gone in data.keys() - now.keys():
        del data[gone]
    data.update(now)


def unload() -> str:
    """Forget the plugins and what they registered; the next load executes them again."""
    return _text_of(unload_for_host)


def load_and_get_pass_descriptors() -> list[dict[str, Any]]:
    """Load the plugins of the environment, and return the Python passes as dicts, as CANN's bridge requires."""
    load_pass_plugins()
    return get_registered_pass_dicts()


def shutdown(is_last: int) -> str:
    """Release everything before the interpreter or the bridge is shut down.

    Parameters
    ----------
    is_last : int
        The process ends, and the interpreter cannot be ended before: what its end would run is run now.
    """
    text = unload()
    if is_last:
        import atexit

        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                text = _text_of(stream.flush) or text
    return text


def _text_of(work: Callable[[], object]) -> str:
    try:
        work()
    except BaseException as error:
        return _shown(describe(error))
    return ""


def _shown(text: str) -> str:
    """Return bytes as text; those that are not UTF-8 are escaped."""
    return text.encode("utf-8", "backslashreplace").decode()
