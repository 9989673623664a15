"""The child process: serves requests until the parent ends.

``python -m ge.run._worker REQUESTS ANSWERS AREA OWN_AREA PARENT`` with numbers of inherited descriptors. Standard input
carries nothing: its end means that the parent is gone or wants no more. PARENT is readable when the parent has ended; -1:
the system has no such descriptors.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
from typing import Any

from . import _engines
from ._wire import Area, Incoming, decode, encode, wait_soon, write_some

__all__ = ["main"]

# How often the process looks whether its parent is another one.
_LOOK_MILLISECONDS = 1000


def main(arguments: list[str]) -> None:
    """Serve requests until one of the pipes ends."""
    # The working directory, where `-m` begins: it may hold another version of a package than the rest of the path.
    sys.path.append(sys.path.pop(0))
    requests, answers, area, own, parent = map(int, arguments)
    _end_with_parent(parent)
    _be_expendable()
    _Service(requests, answers, Area(area), Area(own)).serve()


def _end_with_parent(parent: int) -> None:
    """End the process when standard input or the parent ends, also while an engine computes and holds the interpreter's lock."""
    try:
        import fcntl

        # The kernel sends SIGIO when the last writer closes, and its default action ends us.
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    except (ImportError, AttributeError, OSError):
        pass  # the thread alone, then

    started_by = os.getppid()
    ends = select.poll()
    ends.register(0, select.POLLIN)
    if parent >= 0:
        ends.register(parent, select.POLLIN)

    def watch() -> None:
        # A process that the parent forked meanwhile may hold the other end of standard input for long.
        while os.getppid() == started_by:
            for fd, _ in ends.poll(_LOOK_MILLISECONDS):
                if fd == parent or not os.read(0, 1):
                    os._exit(0)
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def _be_expendable() -> None:
    """Disable core files, and be the first process that is killed when the machine or container is out of memory."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


class _Service:
    def __init__(self, requests: int, answers: int, area: Area, own: Area) -> None:
        self._requests = requests
        self._answers = answers
        self._area = area
        self._own = own
        self._incoming = Incoming()
        self._poll = select.poll()
        self._poll.register(requests, select.POLLIN)
        self._models: dict[int, _engines.Loaded] = {}
        self._count = 0
        self._do = {
            "prepare": self._prepare,
            "evaluate": self._evaluate,
            "infer": self._infer,
            "lacking": self._lacking,
            "reference": self._reference,
            "load": self._load,
            "run": self._run,
        }

    def serve(self) -> None:
        self._answer({"ready": 1}, [])
        incoming = self._incoming
        while True:
            while (message := incoming.message()) is None:
                wait_soon(self._poll)
                if not incoming.read(self._requests):
                    return  # the parent has ended
            self._serve_one(*message)
            incoming.done()

    def _serve_one(self, header: memoryview, body: memoryview) -> None:
        message, values = decode(header, body, self._area, copies=False)
        for number in message.get("close", ()):
            self._models.pop(number, None)
        do = message.get("do")
        if do is None:
            return  # only told to close something
        try:
            self._answer(*self._do[do](message, values))
        except Exception as error:
            kind = type(error).__name__
            self._answer({
                "error": str(error) or kind,
                "kind": kind,
                "refused": isinstance(error, _engines.EngineError),
                "usage": getattr(error, "is_usage", False),
                "lacks": getattr(error, "lacks", False),
                "missing": isinstance(error, ImportError),
            }, [])  # fmt: skip

    @staticmethod
    def _prepare(message: dict[str, Any], values: list[Any]) -> tuple[dict[str, Any], list[Any]]:
        """Import a package, which takes longer than most of what it is asked."""
        __import__(message["package"])
        return {}, []

    @staticmethod
    def _evaluate(message: dict[str, Any], values: list[Any]) -> tuple[dict[str, Any], list[Any]]:
        model, feeds = values
        found = _engines.evaluate(message["engine"], model, feeds)
        return {"known": found is not None}, [found]

    @staticmethod
    def _infer(message: dict[str, Any], values: list[Any]) -> tuple[dict[str, Any], list[Any]]:
        model, fault = _engines.infer(values[0])
        return {"fault": fault}, [model]

    @staticmethod
    def _lacking(message: dict[str, Any], values: list[Any]) -> tuple[dict[str, Any], list[Any]]:
        return {}, [_engines.lacking(message["engine"], message["operators"])]

    @staticmethod
    def _reference(message: dict[str, Any], values: list[Any]) -> tuple[dict[str, Any], list[Any]]:
        """Run a reference kernel of CANN's operators."""
        from .._mlir_like._providers import provider

        operands, attributes = values
        kernel = provider("reference kernels")()[message["op"]]
        return {}, [kernel.compute(operands, attributes, message["formats"])]

    def _load(self, message: dict[str, Any], values: list[Any]) -> tuple[dict[str, Any], list[Any]]:
        model, weights = values
        # They are views of what the next message overwrites.
        kept = {name: array.copy() for name, array in weights.items()}
        loaded = _engines.load(message["engine"], model, message["providers"], kept)
        self._count += 1
        self._models[self._count] = loaded
        told = {"id": self._count, "inputs": loaded.inputs, "outputs": loaded.outputs}
        return told, []

    def _run(self, message: dict[str, Any], values: list[Any]) -> tuple[dict[str, Any], list[Any]]:
        return {}, [self._models[message["id"]].run(values[0])]

    def _answer(self, message: dict[str, Any], values: list[Any]) -> None:
        parts = encode(message, values, self._own)
        while parts:
            parts = write_some(self._answers, parts)


if __name__ == "__main__":
    main(sys.argv[1:])
