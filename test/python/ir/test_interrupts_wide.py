"""Ctrl-C interrupts calls on graphs with few but large nodes: many results, inputs or outputs, large tensors, arithmetic.

Times are processor time of the thread, so that other processes do not matter.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest
from interrupts import (
    LARGE,
    X,
    check_interrupted,
    default_handler,  # noqa: F401 - a fixture
    large,  # noqa: F401 - a fixture
    module_of,
)
from needs import SANITIZED

import ge.onnx
from ge import ir
from ge.passes import PassManager


def seconds_until_heard(work: Callable[[], object], after: float) -> float | None:
    """Do the same as `interrupted`, but measure in processor time of this thread."""
    clock = time.pthread_getcpuclockid(threading.main_thread().ident or 0)
    begin, sent = time.clock_gettime(clock), 0.0
    over = threading.Event()

    def send() -> None:
        nonlocal sent
        while not over.wait(0.002):
            if time.clock_gettime(clock) - begin >= after:
                sent = time.clock_gettime(clock)
                os.kill(os.getpid(), signal.SIGINT)
                return

    sender = threading.Thread(target=send)
    try:
        sender.start()
        work()
        over.set()
        sender.join()
        return None
    except KeyboardInterrupt:
        return time.clock_gettime(clock) - sent
    finally:
        over.set()
        sender.join()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="asks for the clock of a thread")
def test_naming_values_is_interrupted(large):
    """Half of the time of writing goes into names for unnamed values; that loop must check for signals, too."""
    module = module_of(large.clone())
    start = time.thread_time()
    ge.onnx.to_bytes(module)
    whole = time.thread_time() - start
    for part in (0.1, 0.3, 0.5):
        took = seconds_until_heard(lambda: ge.onnx.to_bytes(module), whole * part)
        assert took is None or took < 0.1 + 0.15 * whole, (part, took, whole)


def many_results() -> ir.Graph:
    """Return a graph of one node whose result types contradict the inferred ones, with a diagnostic for each."""
    g = ir.Graph("g")
    x = g.add_input("x", X)
    node = g.add_node("onnx.Split", [x], name="s", result_types=[X] * 6 * LARGE)
    g.outputs = [node.results[0]]
    return g


def many_inputs() -> ir.Graph:
    g = ir.Graph("g")
    for i in range(2 * LARGE):
        x = g.add_input(f"x{i}", X)
    g.outputs = [x]
    return g


def many_outputs() -> ir.Graph:
    """Return a graph with one value as all outputs, so that each output of a model needs its own node and name."""
    g = ir.Graph("g")
    x = g.add_node("onnx.Abs", [g.add_input("x", X)], name="a", result_types=[X]).result
    g.outputs = [x] * 4 * LARGE
    return g


@pytest.mark.slow
@pytest.mark.nosan  # takes a minute in sanitized builds, whose latency says nothing about users' builds
@pytest.mark.skipif(sys.platform != "linux", reason="asks for the clock of a thread")
@pytest.mark.parametrize("shape", [many_results, many_inputs, many_outputs])
def test_what_has_few_nodes_is_interrupted(shape, caplog):
    """Loops over the results of one node, or over the inputs of a graph, must check for signals, too."""
    caplog.set_level("CRITICAL", "ge")
    g = shape()
    module = module_of(g.clone())
    text, data = g.to_text(), ge.onnx.to_bytes(module)
    works = {
        "to_bytes": lambda: ge.onnx.to_bytes(module),
        "load": lambda: ge.onnx.load(data),
        "parse": lambda: ir.Graph.parse(text),
        "clone": g.clone,
        "cse": lambda: PassManager.parse("cse").run(g.clone()),
    }
    for name, work in works.items():
        start = time.thread_time()
        work()
        whole = time.thread_time() - start
        for part in (0.1, 0.3, 0.5):
            took = seconds_until_heard(work, whole * part)
            assert took is None or took < 0.15 + 0.15 * whole, (name, part, took, whole)


@pytest.mark.slow
def test_large_tensors_are_interrupted(tmp_path):
    weight = ir.Tensor(np.arange(6_000_000, dtype=np.float32))
    g = ir.Graph("g")
    g.outputs = [
        g.add_node("ge.Const", attributes={"value": weight}, result_types=weight.type).result
    ]
    check_interrupted(g.to_text)
    text = g.to_text()
    check_interrupted(lambda: ir.Graph.parse(text))


@pytest.mark.slow
def test_arithmetic_of_constants_is_interrupted():
    n = 4_000_000
    type_ = ir.TensorType((n,), ir.f32)
    g = ir.Graph("g")
    values = [
        g.add_node(
            "ge.Const",
            attributes={"value": ir.Tensor(np.arange(n, dtype=np.float32) + i)},
            result_types=type_,
        ).result
        for i in range(2)
    ]
    total = g.add_node("onnx.Add", values, result_types=type_).result
    g.outputs = [
        g.add_node(
            "onnx.Abs",
            [g.add_node("onnx.Mul", [total, total], result_types=type_).result],
            result_types=type_,
        ).result
    ]
    before = len(g.nodes)

    def fold():
        with g.transaction() as t:
            PassManager.parse(f"constant-fold{{limit={16 * n}}}").run(g)
            t.rollback()

    check_interrupted(fold, lambda: len(g.nodes))
    assert len(g.nodes) == before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="asks for the clock of a thread")
def test_parsing_one_node_of_many_results_is_interrupted():
    results = 60_000 if SANITIZED else 600_000
    names = ", ".join(f"%m#{i}" for i in range(results))
    types = ", ".join(["tensor<2x2xf32>"] * results)
    text = (
        f'func.func @g(%x: tensor<2x2xf32>) -> ({types}) {{\n  %m:{results} = "x.f"(%x) : '
        f"(tensor<2x2xf32>) -> ({types})\n  return {names} : {types}\n}}\n"
    )
    start = time.thread_time()
    ir.Module.parse(text)
    whole = time.thread_time() - start
    for part in (0.1, 0.3, 0.5, 0.7):
        took = seconds_until_heard(lambda: ir.Module.parse(text), whole * part)
        # Parsing a list must not run to its end first. The time includes the release of the partial module.
        assert took is None or took < 0.1 + 0.25 * whole, (part, took, whole)
