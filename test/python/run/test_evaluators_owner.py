"""One request owns the child process: what its thread asks meanwhile is an error, and answers are never exchanged."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from evaluator_child import (
    child,
    restored,  # noqa: F401 - a fixture
)
from evaluator_programs import exp_model, run

import ge.ir as ir
import ge.ops as ops
from ge._foreign import EvaluatorBusyError, _evaluators
from ge.run import _service

pytestmark = pytest.mark.nosan


@contextmanager
def alarms(handler: Callable[[], None]) -> Iterator[None]:
    """Call a function again and again in a signal handler of this thread, never in itself."""
    inside = False

    def handle(*_: Any) -> None:
        nonlocal inside
        if not inside:
            inside = True
            try:
                handler()
            finally:
                inside = False

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 3e-4, 3e-4)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def determinant(value: float) -> float | None:
    found = ops.evaluate_operator("onnx.Det", [np.array([[value, 0], [0, 1]], np.float32)])
    return None if found is None else float(found[0].numpy())


@pytest.mark.slow
def test_answers_are_not_exchanged_with_those_of_a_signal_handler() -> None:
    child()
    logging.disable(logging.CRITICAL)
    wrong: list[Any] = []
    counts = {"outside": 0, "inside": 0, "refused": 0}

    def inside() -> None:
        counts["inside"] += 1
        asked = -float(counts["inside"])
        got = determinant(asked)
        counts["refused"] += got is None
        if got not in (None, asked):
            wrong.append((asked, got))

    try:
        end = time.monotonic() + 1.5
        with alarms(inside):
            while time.monotonic() < end:
                counts["outside"] += 1
                asked = float(counts["outside"])
                got = determinant(asked)
                if got != asked:
                    wrong.append((asked, got))
    finally:
        logging.disable(logging.NOTSET)
    assert not wrong
    assert counts["refused"] and counts["outside"] > 10, counts
    assert determinant(7.0) == 7.0


def test_a_nested_request_is_an_error_that_says_so() -> None:
    model: Any = _service.load("onnxruntime", exp_model())
    graph = ir.Module("m").add_graph("main")
    graph.attributes["opset"] = 18
    t = ir.TensorType([3], ir.f32)
    graph.outputs = [graph.add_node("onnx.Erf", [graph.add_input("x", t)], result_types=[t]).result]
    x = np.ones(3, np.float32)

    def nested() -> None:
        with pytest.raises(EvaluatorBusyError, match="the evaluators are in use by this thread"):
            model.run({"x0": x})
        with pytest.raises(ops.KernelError, match="the evaluators are in use by this thread"):
            graph.run([x])

    _service._children.owning(nested)
    np.testing.assert_allclose(model.run({"x0": x})[0], np.exp(x), 1e-6)
    assert graph.run([x])[0].shape == (3,)


@pytest.mark.slow
def test_a_model_that_is_freed_during_a_request_does_not_disturb_it() -> None:
    model: Any = _service.load("onnxruntime", exp_model())
    wrong = []

    def free() -> None:
        _service.LoadedModel.close(doomed.pop()) if doomed else None

    doomed = [_service.load("onnxruntime", exp_model()) for _ in range(15)]
    with alarms(free):
        for i in range(200):
            x = np.full(3, i % 7, np.float32)
            if not np.allclose(model.run({"x0": x})[0], np.exp(x)):
                wrong.append(i)
    assert not wrong and not doomed


@pytest.mark.slow
def test_an_interrupt_lets_go_of_the_child() -> None:
    child()

    def interrupt() -> None:
        raise KeyboardInterrupt

    for _ in range(4):
        with pytest.raises(KeyboardInterrupt), alarms(interrupt):
            while True:
                determinant(1.0)
        assert determinant(3.0) == 3.0


@pytest.mark.slow
def test_a_process_that_is_forked_in_a_signal_handler_leaves_the_child() -> None:
    done = run(
        """
        exp()
        forked = []
        def handler(*_):
            pid = os.fork()
            if pid == 0:
                signal.setitimer(signal.ITIMER_REAL, 0)
            else:
                forked.append(pid)
        main = os.getpid()
        signal.signal(signal.SIGALRM, handler)
        for _ in range(5):
            signal.setitimer(signal.ITIMER_REAL, 3e-4)
            end = time.monotonic() + 0.1
            while time.monotonic() < end:
                found = exp()
                if os.getpid() != main:
                    assert exp() is not None  # of a child of its own
                    os._exit(0)
                assert found is not None
        assert [os.waitpid(pid, 0)[1] for pid in forked] == [0] * len(forked) and forked
        """
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_child_ends_with_its_parent_though_another_process_holds_its_pipe() -> None:
    done = run(
        """
        import ctypes
        exp()
        pid = ctypes.CDLL(None).fork()  # as C code forks: no hook of Python closes the pipe
        if pid == 0:
            os.close(1), os.close(2)  # for which we wait
            time.sleep(30)
            os._exit(0)
        print(_service._children.child.number, pid, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    evaluator, sibling = map(int, done.stdout.split())
    try:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and os.path.exists(f"/proc/{evaluator}/cmdline"):
            if not open(
                f"/proc/{evaluator}/cmdline"
            ).read():  # a zombie whose parent does not wait for it
                break
            time.sleep(0.05)
        assert time.monotonic() < deadline, "the evaluator outlives its parent"
    finally:
        os.kill(sibling, signal.SIGKILL)


def test_leaving_by_a_signal_handler_is_no_missing_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(*_: Any) -> None:
        raise SystemExit(7)  # as a handler does while this thread waits for the child

    monkeypatch.setattr(_evaluators, "provider", lambda _: leave)
    with pytest.raises(SystemExit):
        _evaluators.NamedEvaluator("onnxruntime")(None)  # type: ignore[arg-type]
