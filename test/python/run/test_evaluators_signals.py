"""What a signal handler of Python raises while the evaluators compute reaches the user as it is, and they stay usable.

The handler runs in the thread that waits for the child process, so its exception comes out of the request. It is no
failure of the evaluation: nothing wraps it, takes it for a missing answer, or goes on without the answer.
"""

import signal
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnxruntime")

import ge.es  # noqa: E402
import ge.ir as ir  # noqa: E402
import ge.ops as ops  # noqa: E402
import ge.passes as passes  # noqa: E402
import ge.run  # noqa: E402
from ge.es import onnx as op  # noqa: E402
from ge.run import _child  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented

X = np.eye(8, dtype=np.float32) * 2


class FromTheHandlerError(Exception):
    pass


class FromTheHandlerExit(BaseException):
    pass


@pytest.fixture(
    params=[FromTheHandlerError, FromTheHandlerExit, TimeoutError, ValueError, TypeError]
)
def signalled(request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[type[BaseException]]]:
    """While the list is not empty, the next wait for the child gets a signal whose handler raises its class."""
    armed: list[type[BaseException]] = [request.param]
    poll_soon = _child.wait_soon

    def handler(*_: Any) -> None:
        raise armed.pop()("from the handler")

    def waiting(poll: Any) -> Any:
        if armed:
            signal.raise_signal(signal.SIGUSR1)
        return poll_soon(poll)

    before = signal.signal(signal.SIGUSR1, handler)
    fold()  # the child runs
    monkeypatch.setattr(_child, "wait_soon", waiting)
    yield armed
    signal.signal(signal.SIGUSR1, before)


def graph_of_det() -> ir.Graph:
    with ge.es.builder("g") as b:
        b.output(op.Det(b.input("x", [8, 8], ir.f32)))
    return b.graph


def run() -> Any:
    return graph_of_det().run([X])


def run_node_by_node() -> Any:
    return graph_of_det().run([X], trace=lambda name, value: None)


def call() -> Any:
    return ops.call.onnx.Det(X)


def kernel() -> Any:
    with ops.Library("signals") as lib:
        lib.define("f(Tensor x) -> Tensor")
        lib.impl("f", "cpu", lambda x: ops.call.onnx.Det(x), as_="numpy")
        return ops.call.signals.f(X)


def fold() -> Any:
    graph = ir.Graph("g")
    constant = graph.add_node("ge.Const", [], {"value": ir.Tensor(X)}).result
    scalar = ir.TensorType([], ir.f32)
    det = graph.add_node("onnx.Det", [constant], result_types=[scalar]).result
    graph.outputs = [graph.add_node("acme.keep", [det], result_types=[scalar]).result]
    passes.PassManager.parse("constant-fold").run(graph)
    assert "onnx.Det" not in str(graph)


def check() -> Any:
    module = ir.Module("m")
    module.add_graph(graph_of_det())
    assert ge.run.check(module, module.clone(), runs=1).outcome == "equal"


@pytest.mark.parametrize("way", [run, run_node_by_node, call, kernel, fold, check])
def test_it_propagates_and_the_evaluators_stay_usable(
    way: Callable[[], Any], signalled: list[type[BaseException]]
) -> None:
    expected = signalled[0]
    with pytest.raises(expected, match="^from the handler$") as raised:
        way()
    assert raised.type is expected and not signalled
    way()  # the same again, undisturbed
    fold()
