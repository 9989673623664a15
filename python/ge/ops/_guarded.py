"""A call of a kernel in C on arrays next to guard pages, in a child process."""

import ctypes
import mmap
import os
import signal
import time
from typing import Any

from .._mlir_like._cext_loader import load
from ._arrays import numpy_
from ._overload import Overload

__all__ = ["run_guarded"]

_ir: Any = load("ir")

_NOTHING, _READ = 0, 1  # PROT_NONE, PROT_READ
_SECONDS = 60.0
_RAISED = 3  # what the kernel raised is for other checks


def run_guarded(prepared: Overload, values: list[Any], known: Any) -> "str | None":
    """Run a kernel twice, with a guard page after each array and with one before it.

    Parameters
    ----------
    prepared : Overload
    values : list
        Complete arguments.
    known : tuple or None
        Types of results, as `Overload.infer` gives them; results are guarded where all are known.

    Returns
    -------
    str or None
        How the child ended; None: well.
    """
    for at_end, side in ((True, "behind"), (False, "before")):
        child = os.fork()
        if child == 0:
            _run_in_child(prepared, values, known, at_end)
        fault = _wait(child, side)
        if fault is not None:
            return fault
    return None


def _wait(child: int, side: str) -> "str | None":
    end = time.monotonic() + _SECONDS
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return f"the kernel did not return within {_SECONDS:.0f} s in a child process"
        time.sleep(0.002)
    if os.WIFEXITED(status):
        code = os.WEXITSTATUS(status)
        return None if code in (0, _RAISED) else _fault(f"status {code}", side)
    return _fault(signal.Signals(os.WTERMSIG(status)).name, side)


def _fault(how: str, side: str) -> str:
    if how == "SIGABRT":
        return f"the kernel ended a child process with {how}: it freed memory twice or wrote to invalid memory"
    return (
        f"the kernel ended a child process with {how}: it touches memory {side} its arrays, or writes an operand "
        "that the schema does not declare (Tensor(a!))"
    )


def _run_in_child(prepared: Overload, values: list[Any], known: Any, at_end: bool) -> None:
    """Run the kernel and end the process."""
    code = _RAISED
    try:
        import faulthandler
        import resource

        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        handed = list(values)
        for i in prepared.operands:
            is_written = i in prepared.written
            handed[i] = prepared.mapped(
                i,
                values[i],
                lambda one, w=is_written: _guarded(one, at_end, read_only=not w),  # type: ignore[misc]
            )
        prepared.run(handed, _buffers(prepared, known, at_end))
        code = 0
    except BaseException:
        pass
    finally:
        os._exit(code)


def _buffers(prepared: Overload, known: Any, at_end: bool) -> Any:
    """Return arrays for all results, or None where they are not known or not written by the kernel."""
    types: list[Any] = [None if known is None else known[i] for i in prepared.fresh]
    if not types or any(t is None or t[1] is None or None in t[1] for t in types):
        return None
    np = numpy_()
    made = [
        _guarded(np.zeros(shape, _ir.DType(name).numpy), at_end, read_only=False)
        for name, shape in types
    ]
    return made[0] if len(made) == 1 else tuple(made)


_kept: list[Any] = []  # mapped memory lives as long as the child


def _guarded(array: Any, at_end: bool, *, read_only: bool) -> Any:
    """Return a copy of an array that ends where a forbidden page begins, or begins where one ends."""
    np = numpy_()
    page = mmap.PAGESIZE
    size = max(-(-array.nbytes // page), 1) * page
    memory = mmap.mmap(-1, size + 2 * page)
    _kept.append(memory)
    whole = np.frombuffer(memory, np.uint8)
    start = page + (size - array.nbytes if at_end else 0)
    made = whole[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    made[...] = array
    protect = ctypes.CDLL(None).mprotect
    address = whole.ctypes.data
    for place, length, mode in (
        (0, page, _NOTHING),
        (page + size, page, _NOTHING),
        *([(page, size, _READ)] if read_only else []),
    ):
        if protect(ctypes.c_void_p(address + place), ctypes.c_size_t(length), mode):
            raise OSError("mprotect failed")
    return made
