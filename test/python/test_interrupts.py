"""Ctrl-C is heard in native loops: KeyboardInterrupt comes out, and graphs are as before the call.

Each operation works on an input that keeps it busy for long. A thread sends SIGINT at a moment inside of
the work, told by how far the work came the last time. Loops ask every 50 ms; the limit here is that of a
loaded machine. Not promised: operations that end within 50 ms hear nothing.
"""

import ctypes
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import ge.onnx
from ge import ir
from ge.es import onnx as op
from ge.passes import PassManager, p, rewrite, rewrite_rule

LATE = 5.0  # seconds: only a loop that hears nothing takes longer
X = ir.TensorType((2, 2), ir.f32)


@pytest.fixture(autouse=True)
def default_handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def chain(nodes: int) -> ir.Graph:
    """Three kinds of nodes, each with a name; the last is the output."""
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
    """Send SIGINT `after` seconds into `work`; return how long it ran on, None if it was over before."""
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
            sender.join()  # a signal that came too late is raised here
            return None
        except KeyboardInterrupt:
            return time.monotonic() - sent
    finally:
        over.set()
        sender.join()
