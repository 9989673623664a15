"""The parent's end of a child process that evaluates: started, asked, watched, ended."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from ._wire import (
    Area,
    Incoming,
    MalformedError,
    decode,
    encode,
    enlarge,
    wait_soon,
    write_some,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Child", "ChildFailedError", "Limits", "NoInterpreterError", "interpreter"]

# Python and NumPy on a busy machine; not part of anybody's limit.
_START_SECONDS = 120.0
# How often a waiting parent looks at the child's memory, and at the clock.
_TICK_SECONDS = 0.05
_TAIL_BYTES = 4096
_FORKED = "belongs to the process that this one was forked from"


class NoInterpreterError(Exception):
    """No Python can run the child."""


class ChildFailedError(Exception):
    """The child has ended: it died, it exceeded a limit, or its answer was malformed.

    Attributes
    ----------
    what : str
        ``"died"``, ``"took longer than 10 s"`` and the like: a predicate.
    detail : str
        More about it, such as ``"SIGSEGV"``; may be empty.
    """

    def __init__(self, what: str, detail: str = "") -> None:
        super().__init__(f"{what} ({detail})" if detail else what)
        self.what = what
        self.detail = detail


class Limits(NamedTuple):
    """Of one request.

    Attributes
    ----------
    seconds : float
        Of wall time.
    memory : int
        Bytes of resident memory of the child, which holds what it was asked before.
    """

    seconds: float
    memory: int


def interpreter() -> str:
    """Return the Python that runs the child.

    Raises
    ------
    NoInterpreterError
        If ``GE_PYTHON`` is not a program, or this process is not a Python interpreter and `GE_PYTHON` does not name one.
    """
    chosen = os.environ.get("GE_PYTHON")
    if chosen:
        found = shutil.which(chosen)
        if found is None:
            raise NoInterpreterError(f"GE_PYTHON={chosen} is not a program")
        return os.path.abspath(found)
    own = sys.executable or ""
    # In a host that embeds Python it may be the host, and starting that once more would do anything.
    if not os.path.basename(own).lower().startswith(("python", "pypy")):
        raise NoInterpreterError(f"{own or 'this process'} is no Python; set GE_PYTHON to one")
    if not os.access(own, os.X_OK):
        raise NoInterpreterError(f"{own} cannot be run; set GE_PYTHON to a Python")
    return own


class Child:
    """One child process. Not thread-safe.

    Raises
    ------
    NoInterpreterError
        If it cannot be started.
    """

    # Whether something was sent whose answer was not read: an interrupt, and another one while the first one ends the
    # child, must not leave it to the next request.
    _is_asked = False

    def __init__(self, program: str) -> None:
        self.pid = os.getpid()  # whose child it is
        self.program = program
        self._area, self._theirs = Area(), Area()
        self._incoming = Incoming()
        self._tail = b""
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        enlarge(requests)
        enlarge(answers)
        inherited = requests, answers, self._area.fd, self._theirs.fd
        parent = _own_process()
        package = __package__ or ""
        # Where the package lies: nothing of the caller's directory can be imported in its place.
        root = os.path.abspath(__file__)
        for _ in range(package.count(".") + 2):
            root = os.path.dirname(root)
        try:
            self._process = subprocess.Popen(
                [program, "-m", f"{package}._worker", *map(str, (*inherited, parent))],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=root,
                env=_environment(program),
                pass_fds=inherited if parent < 0 else (*inherited, parent),
                start_new_session=True,
            )
        except OSError as error:
            self._close()
            raise NoInterpreterError(f"{program} cannot be started: {error}") from None
        finally:
            for fd in (requests, answers, parent):
                if fd >= 0:
                    os.close(fd)
        assert self._process.stderr is not None
        self._errors = self._process.stderr.fileno()
        os.set_blocking(self._requests, False)
        os.set_blocking(self._answers, False)
        os.set_blocking(self._errors, False)
        self._poll = select.poll()
        self._poll.register(self._answers, select.POLLIN)
        self._poll.register(self._errors, select.POLLIN)
        try:
            self._receive(Limits(_START_SECONDS, sys.maxsize))
        except ChildFailedError as error:
            self.end()
            last = self._last_line()
            raise NoInterpreterError(f"{program} cannot run {package}: {last or error}") from None
        except BaseException:
            self.end()
            raise

    @property
    def number(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._is_ours and not self._is_asked

    @property
    def _is_ours(self) -> bool:
        """Whether it is open, and no other process's that has forked into this one."""
        return self._requests >= 0 and self.pid == os.getpid()

    def request(
        self, message: Mapping[str, Any], values: Sequence[Any], limits: Limits
    ) -> tuple[dict[str, Any], list[Any]]:
        """Return its answer.

        Raises
        ------
        ChildFailedError
            Then it is not alive.
        TypeError
            If a value cannot be sent; it is alive.
        """
        out = encode(message, values, self._area)
        self._is_asked = True
        try:
            answer = self._receive(limits, out)
            self._area.trim()
            self._theirs.trim()
        except BaseException as error:
            # An interrupt too: a late answer would be taken for that of the next request.
            is_ours = self._is_ours
            self.end()
            if isinstance(error, OSError) and not is_ours:  # a handler forked, and closed our pipes
                raise ChildFailedError(_FORKED) from None
            raise
        self._is_asked = False
        return answer

    def tell(self, message: Mapping[str, Any]) -> None:
        """Send what has no answer, if that needs no waiting."""
        out = encode(message, (), self._area)
        self._is_asked = True  # until it is known to be sent whole
        try:
            left = write_some(self._requests, out)
        except OSError:
            left = []
        if left:
            self.end()
        self._is_asked = False

    def _receive(
        self, limits: Limits, pending: Sequence[Any] = ()
    ) -> tuple[dict[str, Any], list[Any]]:
        deadline = time.monotonic() + limits.seconds
        incoming = self._incoming
        if pending:
            pending = self._send(pending)
            if pending:
                self._poll.register(self._requests, select.POLLOUT)
        check = time.monotonic() + _TICK_SECONDS
        ready = wait_soon(self._poll)
        while True:
            if not self._is_ours:  # a signal handler forked this process, and the child is not ours
                raise ChildFailedError(_FORKED)
            for fd, _ in ready:
                if fd == self._errors:
                    if not self._read_errors():
                        self._poll.unregister(self._errors)
                elif fd == self._requests:
                    pending = self._send(pending)
                    if not pending:
                        self._poll.unregister(self._requests)
                elif not self._read():
                    raise self._death()
            try:
                message = incoming.message()
                if message is not None:
                    if incoming.has_more:
                        raise MalformedError("more than one answer")
                    answer = decode(*message, self._theirs, copies=True)
                    incoming.done()
                    return answer
            except MalformedError as error:
                raise ChildFailedError("gave an answer that makes no sense", str(error)) from None
            now = time.monotonic()
            if now >= deadline:
                raise ChildFailedError(f"took longer than {limits.seconds:g} s")
            if now >= check:
                self._check_memory(limits.memory)
                check = now + _TICK_SECONDS
            ready = self._poll.poll(1000 * min(deadline - now, _TICK_SECONDS))

    def _send(self, pending: Sequence[Any]) -> Sequence[Any]:
        try:
            return write_some(self._requests, list(pending))
        except BlockingIOError:
            return pending
        except BrokenPipeError:  # its answers end, too, and say how
            return ()

    def _read(self) -> bool:
        try:
            return self._incoming.read(self._answers)
        except BlockingIOError:
            return True

    def _read_errors(self) -> bool:
        try:
            part = os.read(self._errors, 1 << 16)
        except BlockingIOError:
            return True
        self._tail = (self._tail + part)[-_TAIL_BYTES:]
        return bool(part)

    def _check_memory(self, limit: int) -> None:
        try:
            with open(f"/proc/{self._process.pid}/statm", "rb") as file:
                pages = int(file.read().split()[1])
        except (OSError, ValueError, IndexError):
            return  # no such file system, or it has just died, which its answers say
        if pages * os.sysconf("SC_PAGE_SIZE") > limit:
            raise ChildFailedError(f"took more than {_amount(limit)} of memory")

    def _death(self) -> ChildFailedError:
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            return ChildFailedError("gave an answer that makes no sense", "it closed its pipe")
        while select.select([self._errors], [], [], 0)[0]:
            before = self._tail
            if not self._read_errors() or self._tail == before:
                break
        if code < 0:
            try:
                detail = signal.Signals(-code).name
            except ValueError:
                detail = f"signal {-code}"
        else:
            detail = f"exit status {code}"
        last = self._last_line()
        return ChildFailedError("died", f"{detail}: {last}" if last else detail)

    def _last_line(self) -> str:
        lines = self._tail.decode("utf-8", "replace").strip().splitlines()
        return (
            "".join(c if c.isprintable() else "?" for c in lines[-1].strip())[:200] if lines else ""
        )

    def end(self) -> None:
        """End it, and wait for its end. Idempotent."""
        if not self._is_ours:
            self.forget()
            return
        self.kill()
        self._close()

    def kill(self) -> None:
        """Kill it, and wait for its end."""
        with contextlib.suppress(OSError):
            self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)

    def forget(self) -> None:
        """Let go of a child that is another process's, which has forked into this one."""
        if self._requests >= 0:
            self._process.returncode = (
                0  # else its destructor waits for what is not a child of ours
            )
            self._close()

    def _close(self) -> None:
        for fd in (self._requests, self._answers):
            if fd >= 0:
                os.close(fd)
        self._requests = self._answers = -1
        process = getattr(self, "_process", None)
        if process is not None:
            process.stdin.close()
            process.stderr.close()
        self._area.close()
        self._theirs.close()


def _own_process() -> int:
    """Return a descriptor that is readable once this process has ended; -1: the system has none.

    The end of standard input does not say it while a process that was forked from this one holds the other end.
    """
    try:
        return os.pidfd_open(os.getpid())
    except (AttributeError, OSError):
        return -1


def _environment(program: str) -> dict[str, str]:
    environment = dict(os.environ)
    # It leaves a file in the temporary directory, and tells of the user's models.
    environment.setdefault("ORT_DISABLE_TELEMETRY", "1")
    environment.setdefault("ORT_TELEMETRY_DISABLED", "1")
    if program == sys.executable:
        # What this process can import, the child can, but nothing that depends on the working directory.
        here = _working_directories() - _chosen_directories()
        path = [p for p in sys.path if os.path.isabs(p) and os.pathsep not in p]
        path = [p for p in path if os.path.realpath(p) not in here]
        environment["PYTHONPATH"] = os.pathsep.join(path)
    return environment


def _working_directories() -> set[str]:
    """Return the working directory, now and when the package was imported: Python puts that into the path for ``-m``."""
    package = (__package__ or "").rpartition(".")[0]
    started = getattr(sys.modules.get(f"{package}._mlir_like"), "STARTED_IN", "")
    found = [started] if started else []
    with contextlib.suppress(OSError):
        found.append(os.getcwd())
    return set(map(os.path.realpath, found))


def _chosen_directories() -> set[str]:
    """Return directories of the path that the user named, whatever the working directory is."""
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    main = sys.modules.get("__main__")
    script = getattr(main, "__file__", None)
    if script and getattr(main, "__spec__", None) is None:
        named.append(os.path.dirname(os.path.abspath(script)))
    return {os.path.realpath(path) for path in named if os.path.isabs(path)}


def _amount(size: int) -> str:
    return f"{size / (1 << 30):.3g} GiB" if size >= 1 << 30 else f"{size / (1 << 20):.3g} MiB"
