"""Sends SIGINT during a call, and measures how long the call continues."""

import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from needs import SANITIZED

from ge import ir

LARGE = 30_000 if SANITIZED else 150_000  # nodes; takes about as long in both trees
LATE = 5.0  # seconds; only a loop that ignores signals takes longer
X = ir.TensorType((2, 2), ir.f32)


@pytest.fixture(autouse=True)
def default_handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def chain(nodes: int) -> ir.Graph:
    """Return a chain of named nodes of three kinds; the last one is the output."""
    g = ir.Graph("g")
    x = g.add_input("x", X)
    for i in range(nodes):
        name = f"n{i}"
        if i % 3 == 0:
            x = g.add_node("onnx.Abs", [x], name=name, result_types=X).result
        elif i % 3 == 1:
            x = g.add_node("onnx.Add", [x, x], name=name, result_types=X).result
        else:
            x = g.add_node("onnx.Identity", [x], name=name, result_types=X).result
    g.outputs = [x]
    return g


def interrupted(work: Callable[[], object], after: float) -> float | None:
    """Send SIGINT `after` seconds into `work`; return how long it still ran, None if it had ended before."""
    sent = 0.0
    over = threading.Event()

    def send() -> None:
        nonlocal sent
        if not over.wait(after):
            sent = time.monotonic()
            os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    try:
        try:
            sender.start()
            work()
            over.set()
            sender.join()  # a late signal is raised here
            return None
        except KeyboardInterrupt:
            return time.monotonic() - sent
    finally:
        over.set()
        sender.join()


def check_interrupted(
    work: Callable[[], object], states: Callable[[], object] = lambda: None
) -> None:
    """Interrupt `work` at a few points in time; the result of `states` must not change."""
    start = time.monotonic()
    work()
    whole = time.monotonic() - start
    before, heard = states(), 0
    gc.collect()
    context = ir.Context.default
    counts = context.live_handle_count(), context.live_graph_count()
    for part in (0.15, 0.4, 0.7):
        took = interrupted(work, max(whole * part, 0.001))
        gc.collect()
        assert (context.live_handle_count(), context.live_graph_count()) == counts
        if took is None:
            continue
        heard += 1
        assert took < LATE
        assert states() == before
    # Work that takes only as long as a few polls may never be interrupted.
    assert heard or whole < 0.5, f"of {whole:.2f} s nothing was interrupted"


@pytest.fixture(scope="module")
def large() -> ir.Graph:
    return chain(LARGE)


def module_of(graph: ir.Graph) -> ir.Module:
    module = ir.Module("m")
    module.add_graph(graph)
    return module
