"""GE's built-in runtimes evaluate in a child process, so a crash or hang on a hostile operator is only a remark.

Not tested: the speed of runtimes, and memory limits on systems without /proc. test_evaluators_life.py tests the
lifetime of the child, test_evaluators_settings.py the settings that select where evaluators run.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evaluator_child import (
    F,
    child,
    exp,
    fold,
    minimum,
    model_of,
    restored,  # noqa: F401 - a fixture
)
from evaluator_programs import HANGS, exp_model
from onnx import TensorProto, helper, numpy_helper

import ge.onnx
from ge import ir, ops
from ge.passes import PassManager
from ge.run import _child, _service, _wire

onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented
CRASHES = {
    "Min": minimum(),
    "absent": model_of(
        helper.make_node("Min", ["a", "b", "", "a"], ["y"], name="m"), {"a": F, "b": F}, 13
    ),
    "GatherND": model_of(
        helper.make_node("GatherND", ["a", "i"], ["y"], name="m", batch_dims=-2),
        {"a": F, "i": np.zeros((2, 1), np.int64)},
        13,
        (2,),
    ),
    "Attention": model_of(
        helper.make_node(
            "Attention", ["q", "q", "q"], ["y"], name="m", q_num_heads=-(2**63), kv_num_heads=1
        ),
        {"q": np.ones((1, 2, 4), np.float32)},
        23,
        (1, 2, 4),
    ),
}


# --- Operators that crash a runtime


@pytest.mark.slow
@pytest.mark.parametrize("name", [*CRASHES, *HANGS])
def test_a_hostile_operator_never_ends_the_process(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runtime may reject the operator, die or hang: the node stays or is folded, and this process survives."""
    monkeypatch.setenv("GE_EVALUATORS_SECONDS", "2")
    module, _ = fold({**CRASHES, **HANGS}[name])
    assert module.graphs[0].find("end") is not None
    assert exp() is not None


def test_a_death_is_a_remark_and_the_node_stays() -> None:
    module, remarks = fold(minimum("m"))
    (remark,) = remarks
    assert remark.startswith("onnxruntime died evaluating onnx.Min 'm': SIG")
    assert remark.endswith("; the node stays")
    node = module.graphs[0].find("m")
    assert node is not None
    assert node.op == "onnx.Min"


@pytest.mark.slow
def test_each_node_has_its_remark_and_a_new_child() -> None:
    node = helper.make_node("Min", ["a", "b", "a", "b", "a"], ["y"], name="m")
    proto = onnx.load_from_string(model_of(node, {"a": F, "b": F}, 13))
    proto.graph.node.insert(1, helper.make_node("Min", ["b", "b", "a", "b", "a"], ["z"], name="n"))
    proto.graph.node.insert(2, helper.make_node("Exp", ["a"], ["e"], name="e"))
    proto.graph.node.append(helper.make_node("Sum", ["y", "z", "e"], ["s"], name="s"))
    proto.graph.node.append(helper.make_node("Abs", ["s"], ["last"], name="l"))
    proto.graph.output.append(helper.make_tensor_value_info("last", TensorProto.FLOAT, None))
    proto.graph.value_info.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, (2, 3)))
    proto.graph.initializer[1].CopyFrom(numpy_helper.from_array(F + 1, "b"))
    module, remarks = fold(proto.SerializeToString())
    assert [r.partition(":")[0] for r in remarks] == [
        "onnxruntime died evaluating onnx.Min 'm'",
        "onnxruntime died evaluating onnx.Min 'n'",
    ]
    ops_left = [n.op for n in module.graphs[0].nodes]
    assert ops_left.count("onnx.Min") == 2
    assert "onnx.Exp" not in ops_left


@pytest.mark.slow
def test_a_hang_is_ended_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    child()  # start it now: imports do not count toward the limit, but take long on a busy machine
    monkeypatch.setenv("GE_EVALUATORS_SECONDS", "1")
    _, remarks = fold(HANGS["TfIdfVectorizer"])
    (remark,) = remarks
    assert "took longer than 1 s evaluating onnx.TfIdfVectorizer 'm'" in remark
    assert exp() is not None


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    child()
    monkeypatch.setenv("GE_EVALUATORS_MEMORY", "400M")
    with pytest.raises(_service.EvaluatorDiedError, match=r"took more than 400 MiB of memory"):
        # The child needs 2 GiB, but the parent sees only small operands.
        shape = np.array([1 << 29], np.int64)
        node = helper.make_node("ConstantOfShape", ["x0"], ["c"])
        total = helper.make_node("ReduceSum", ["c"], ["y"], keepdims=0)
        graph = helper.make_graph(
            [node, total],
            "g",
            [helper.make_tensor_value_info("x0", TensorProto.INT64, [1])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [])],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        _service.evaluate("onnxruntime", model.SerializeToString(), {"x0": shape}, "it")
    assert exp() is not None


@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_the_signal_is_named(by: signal.Signals) -> None:
    os.kill(child().number, by)
    with pytest.raises(_service.EvaluatorDiedError, match=f"died evaluating this: {by.name}"):
        _service.evaluate("onnxruntime", exp_model(), {"x0": np.ones(3, np.float32)}, "this")
    assert exp() is not None


def test_evaluate_operator_logs_a_death(caplog: pytest.LogCaptureFixture) -> None:
    a = ir.Tensor(F)
    with caplog.at_level(logging.WARNING, "ge.ops"):
        assert ops.evaluate_operator("onnx.Min", [a, a, a, a, a], opset=13) is None
    assert "onnxruntime died evaluating onnx.Min: SIG" in caplog.text


# --- Calls that are not sent to the child


def test_what_type_inference_refuses_is_not_evaluated() -> None:
    asked: list[str] = []
    ops.use_evaluator(lambda call: asked.append(call.op))
    for name in ("GatherND", "Attention"):
        module, _ = fold(CRASHES[name])
        assert module.graphs[0].find("m") is not None
    assert asked == []


@pytest.mark.parametrize(
    "node",
    [
        helper.make_node("Exp", ["a", "a"], ["y"], name="m"),
        helper.make_node("Softmax", ["a"], ["y"], name="m", axis=1.5),
        helper.make_node("Softmax", ["a"], ["y"], name="m", axle=1),
        helper.make_node("BitwiseNot", ["a"], ["y"], name="m"),
        helper.make_node("Min", ["a", "a", "", "a"], ["y"], name="m"),
    ],
    ids=["operands", "attribute type", "attribute name", "element type", "absent operand"],
)
def test_a_node_against_its_definition_is_not_evaluated(node: Any) -> None:
    asked: list[str] = []

    def evaluate(call: ops.OpCall) -> Any:
        asked.append(call.op)
        return [F]

    ops.use_evaluator(evaluate)
    module = ge.onnx.load(model_of(node, {"a": F}, 18))
    result = PassManager.parse("constant-fold").run(module)
    assert (asked, module.graphs[0].find("m") is not None) == ([], True)
    (remark,) = result.passes[0].remarks
    assert remark.message.startswith(f"node 'm' (onnx.{node.op_type}): ")
    assert remark.message.endswith("; the node stays")


# --- Answers


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer",
    [
        b"\xff" * 16,
        b"\0" * 16,
        b"\x02\0\0\0\0\0\0\0" + b"\0" * 8 + b"{}",
        b"\x02\0\0\0\0\0\0\0" + b"\0" * 8 + b"[}",
        b'{"values":[["a",0,"float32",[1000000]]],"shared":0}',
        b'{"values":[["a",-4,"float32",[1]]],"shared":0}',
        b'{"values":[["a",0,"float32",[-1]]],"shared":0}',
        b'{"values":[["a",0,"dtype",[0]]],"shared":0}',
        b'{"values":[["b",0,4]],"shared":1099511627776}',
        b'{"values":[["z"]],"shared":0}',
        b'{"values":' + b"[" * 100_000,
    ],
)
def test_an_answer_that_makes_no_sense(answer: bytes) -> None:
    found = child()
    if answer.startswith(b"{"):
        answer = _wire.PREFIX.pack(len(answer), 0) + answer
    program = f"import os, sys; os.write(int(sys.argv[2]), {answer!r}); os.read(0, 1)"
    fake = _child.Child.__new__(_child.Child)
    vars(fake).update(fake_child(program))
    _service._children.child = fake
    try:
        with pytest.raises(_service.EvaluatorDiedError, match="makes no sense"):
            _service._children._prepared.clear()
            _service.evaluate("onnxruntime", exp_model(), {"x0": np.ones(3, np.float32)}, "it")
        assert not fake.is_alive
    finally:
        found.end()
    assert exp() is not None


def fake_child(program: str) -> dict[str, Any]:
    """Return the state of a Child whose process runs another program."""
    import ge.run._wire as wire

    requests, ours = os.pipe()
    theirs, answers = os.pipe()
    areas = wire.Area(), wire.Area()
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(requests), str(answers)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        pass_fds=(requests, answers),
    )
    os.close(requests)
    os.close(answers)
    assert process.stderr is not None
    state: dict[str, Any] = {
        "pid": os.getpid(),
        "_area": areas[0],
        "_theirs": areas[1],
        "_incoming": wire.Incoming(),
        "_tail": b"",
    }
    state.update(_requests=ours, _answers=theirs, _process=process, _errors=process.stderr.fileno())
    poll = state["_poll"] = select.poll()
    poll.register(theirs, select.POLLIN)
    for fd in (ours, theirs, process.stderr.fileno()):
        os.set_blocking(fd, False)
    return state
