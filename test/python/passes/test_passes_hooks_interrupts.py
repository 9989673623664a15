"""After an interrupt of a run of Python passes the graph is as before or as after the run, and all scopes are exited.

Interrupts occur within any hook, at every line of the package's code that a run executes, and wherever a signal may
be handled; no insertion point, trace or run stays entered.
"""

import functools
import linecache
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hook_traps import (
    PASSES,
    ByHand,
    Named,
    Single,
    Trap,
    Whole,
    calls,
    raising,
    reset,  # noqa: F401 - a fixture
    run,
    target,
    trap,
)

import ge.passes as passes
from ge import ir
from ge.es import _builder
from ge.es import onnx as op
from ge.passes import (
    PassManager,
    rewrite,
    rewrite_rule,
)
from ge.passes._pattern import _trace
from ge.passes._pattern._trace import current_point, leave_to
from ge.passes._pipeline import _context

PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(passes.__file__)))


@pytest.fixture
def ctrl_c_raises() -> Iterator[None]:
    """Install the default handler: a background job of a shell starts with the signal ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c_raises")
@pytest.mark.parametrize("what", PASSES)
def test_the_signal_of_ctrl_c_in_any_hook(what: Any) -> None:
    class Presses(Trap):
        def __call__(self, hook: str) -> bool:
            self.calls[hook] += 1
            if (hook, self.calls[hook]) == self.at:
                signal.raise_signal(signal.SIGINT)
            return True

    for at in calls(what):
        trap.__class__ = Presses
        try:
            caught = raising(what, at, KeyboardInterrupt())
        finally:
            trap.__class__ = Trap
        assert isinstance(caught, KeyboardInterrupt), at


@functools.cache
def is_try(file: str, line: int) -> bool:
    """Return whether the line is a ``try:``, a no-op outside of its handler where CPython 3.11 handles no signal."""
    return linecache.getline(file, line).strip() == "try:"


def interrupted(work: Callable[[], object], at: int) -> tuple[int, BaseException | None]:
    """Run with an interrupt at line number `at` of the package; return the number of lines run, and the exception."""
    count = 0

    def line(frame: Any, event: str, _: object) -> Any:
        nonlocal count
        if event == "line" and not is_try(frame.f_code.co_filename, frame.f_lineno):
            count += 1
            if count == at:
                raise KeyboardInterrupt
        return line

    def call(frame: Any, event: str, _: object) -> Any:
        return line if is_ours(frame.f_code.co_filename) else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        work()
    except BaseException as error:
        return count, error
    finally:
        sys.settrace(before)
    return count, None


def rules(graph: ir.Graph) -> None:
    rule = rewrite_rule(
        lambda a, b, c: op.Add(op.MatMul(a, b), c),
        lambda a, b, c: op.Gemm(a, b, c),
        when=lambda match: True,
        per_match=True,
        name="gemm",
    )
    rewrite(graph, rule)


@pytest.mark.parametrize("what", [Named, Single, Whole, rules])
@pytest.mark.nosan  # thousands of runs
def test_an_interrupt_at_any_line(what: Any) -> None:
    """After an interrupt at any line the graph is as before the work or as after it."""

    def work(graph: ir.Graph) -> None:
        if what is rules:
            rules(graph)
        else:
            run(what, graph)

    after = target()
    work(after)
    states = {str(target()), str(after)}
    for _ in range(2):  # the second run uses lookups that the first one cached
        graph = target()
        total, error = interrupted(lambda graph=graph: work(graph), 0)
        assert error is None
    assert total > 100
    step = max(1, total // 250)
    for at in range(1, total + 1, step):
        graph = target()
        _, error = interrupted(lambda graph=graph: work(graph), at)
        assert isinstance(error, KeyboardInterrupt), (at, error)
        assert str(graph) in states, at
        leave_open_blocks()
        again = target()
        work(again)
        assert str(again) == str(after), at


def leave_open_blocks() -> None:
    """Exit scopes that an interrupt while entering or exiting a ``with`` may have left open."""
    _trace._current.set(None)
    getattr(_context._threads, "runs", []).clear()
    for builder in list(_builder._live):
        builder._forget()
    leave_to(None)


def interrupted_at_calls(work: Callable[[], object], at: int) -> tuple[int, BaseException | None]:
    """The same where a signal may be handled: after a native call in the package, and at the start of its functions."""
    count = 0

    def profile(frame: Any, event: str, _: object) -> None:
        nonlocal count
        if event in ("call", "c_return") and is_ours(frame.f_code.co_filename):
            count += 1
            if count == at:
                raise KeyboardInterrupt

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        work()
    except BaseException as error:
        return count, error
    finally:
        sys.setprofile(before)
    return count, None


@functools.cache
def is_ours(file: str) -> bool:
    return os.path.realpath(file).startswith(PACKAGE)


@pytest.mark.parametrize("what", [Named, Single, ByHand, rules])
@pytest.mark.nosan  # hundreds of runs
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_leaves_nothing_entered(what: Any) -> None:
    def work(graph: ir.Graph) -> None:
        if what is rules:
            rules(graph)
        else:
            PassManager().add(what).run(graph, expect={what.__name__: 1})

    for _ in range(2):
        graph = target()
        total, error = interrupted_at_calls(lambda graph=graph: work(graph), 0)
        assert error is None
    assert total > 100
    interrupts = 0
    for at in range(1, total + 1, max(1, total // 150)):
        graph = target()
        _, error = interrupted_at_calls(lambda graph=graph: work(graph), at)
        # None: the interrupt was raised while a generator was closed, where CPython ignores it.
        assert error is None or isinstance(error, KeyboardInterrupt), (at, error)
        interrupts += error is not None
        del error
        open_blocks = current_point(), _context.current_run(), _trace._current.get()
        assert open_blocks == (None, None, None), at
    target()
    assert not _builder._live
    assert interrupts > 100
