"""A model cannot make the process start an unlimited number of evaluator child processes.

Operators that end a child are tested in test_evaluators_child.py.
"""

from __future__ import annotations

import numpy as np
import pytest
from evaluator_child import F, child, exp, fold, minimum, restored  # noqa: F401 - a fixture

from ge import ir, ops
from ge.run import _child, _service

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented


def crashing(count: int) -> bytes:
    """Return a model with `count` nodes that each end the child; their calls all differ."""
    proto = onnx.load_from_string(minimum("m0"))
    names = ["y"]
    for i in range(1, count):
        array = np.full((2, 3), i, np.float32)
        proto.graph.initializer.append(numpy_helper.from_array(array, f"c{i}"))
        operands = [f"c{i}", "b", "a", "b", "a"]
        proto.graph.node.insert(i, helper.make_node("Min", operands, [f"y{i}"], name=f"m{i}"))
        kind = helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, (2, 3))
        proto.graph.value_info.append(kind)
        names.append(f"y{i}")
    proto.graph.node.append(helper.make_node("Sum", names, ["s"], name="s"))
    proto.graph.output.append(helper.make_tensor_value_info("s", TensorProto.FLOAT, (2, 3)))
    return proto.SerializeToString()


@pytest.mark.slow
def test_a_model_does_not_start_children_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deaths are counted per run; at the limit a remark reports it and the run goes on without evaluators."""
    started: list[int] = []

    class Counted(_child.Child):
        def __init__(self, program: str) -> None:
            super().__init__(program)
            started.append(self.number)

    monkeypatch.setattr(_service, "Child", Counted)
    monkeypatch.setenv("GE_EVALUATORS_DEATHS", "3")
    for _ in range(2):
        child()
        started.clear()
        module, remarks = fold(crashing(8))
        assert len(remarks) == 3
        assert [("evaluators are off for the rest of the run" in r) for r in remarks] == [0, 0, 1]
        assert "that was number 3" in remarks[-1]
        assert len(started) == 2  # the first child existed before
        assert [n.op for n in module.graphs[0].nodes].count("onnx.Min") == 8
    assert exp() is not None


@pytest.mark.slow
def test_outside_of_a_run_nothing_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GE_EVALUATORS_DEATHS", "1")
    a = ir.Tensor(F)
    for _ in range(2):
        assert ops.evaluate_operator("onnx.Min", [a, a, a, a, a], opset=13) is None
        assert exp() is not None
