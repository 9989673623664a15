"""Nodes that violate their operator's definition or type inference do not reach an engine, which might crash on them.

Not promised: that an engine survives valid nodes; therefore engines run in a child process.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
if sys.platform == "win32":
    pytest.skip("the child process needs pipes of POSIX", allow_module_level=True)

from cli_run import ge as run_ge
from cli_run import write_model
from onnx import helper

import ge.ir as ir
import ge.onnx
import ge.ops as ops
from ge.run import _regions, _service

F, I = ("FLOAT", [2, 2]), ("INT64", [2, 1])
Q = ("FLOAT", [2, 4, 8])
# Nodes, their inputs, and the error for the last node.
FAULTS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "operands": (helper.make_node("Relu", ["a", "b"], ["y"], name="n"), {"a": F, "b": F}, r"\(onnx.Relu\): has 2 operands, at most 1"),
    "name of an attribute": (helper.make_node("Softmax", ["a"], ["y"], name="n", axle=1), {"a": F}, r"\(onnx.Softmax\): .*no attribute 'axle'"),
    "type of an attribute": (helper.make_node("Softmax", ["a"], ["y"], name="n", axis=1.5), {"a": F}, r"\(onnx.Softmax\): .*axis"),
    "element type": (helper.make_node("BitwiseNot", ["a"], ["y"], name="n"), {"a": F}, r"\(onnx.BitwiseNot\): .*f32"),
    "GatherND": (helper.make_node("GatherND", ["a", "b"], ["y"], name="n", batch_dims=-2), {"a": F, "b": I}, r"\(onnx.GatherND\): .*'batch_dims' is -2; it must be in"),
    "Attention": (helper.make_node("Attention", ["a", "b", "c"], ["y"], name="n", q_num_heads=-(2**63), kv_num_heads=1), {"a": Q, "b": Q, "c": Q}, r"\(onnx.Attention\): .*'q_num_heads'"),
}  # fmt: skip


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Return the list of engines that loaded a model."""
    asked: list[str] = []
    load = _service.load

    def spy(engine: str, *arguments: Any) -> Any:
        asked.append(engine)
        return load(engine, *arguments)

    monkeypatch.setattr(_service, "load", spy)
    _regions._sessions.clear()
    yield asked
    _regions._sessions.clear()


def write(path: Path, name: str) -> tuple[Path, list[Any], str]:
    node, inputs, says = FAULTS[name]
    before = helper.make_node("Abs", ["a"], ["a2"], name="before")
    node.input[0] = "a2"
    write_model(path, [before, node], inputs, {"y": ("FLOAT", None)}, opset=23)
    arrays = [np.zeros(s, np.float32 if t == "FLOAT" else np.int64) for t, s in inputs.values()]
    return path, arrays, "node 'n' " + says


@pytest.mark.parametrize("name", FAULTS)
def test_a_node_with_a_fault_is_not_run(tmp_path: Path, name: str, engines: list[str]) -> None:
    path, arrays, says = write(tmp_path / "m.onnx", name)
    for _ in range(2):
        with pytest.raises(ops.KernelError, match=says):
            ge.onnx.load(path).graphs[0].run(arrays)
    assert engines == []


@pytest.mark.parametrize("name", FAULTS)
def test_ge_check_names_a_node_with_a_fault(tmp_path: Path, name: str, engines: list[str]) -> None:
    path, _, says = write(tmp_path / "m.onnx", name)
    done = run_ge("check", path, path)
    assert done.status == 1
    assert engines == []
    assert "the first model: node 'n'" in done.err
    assert re.search(says, done.err)


def test_ge_check_names_a_node_of_the_second_model(tmp_path: Path) -> None:
    path, _, _ = write(tmp_path / "wrong.onnx", "GatherND")
    node = helper.make_node("GatherND", ["a", "b"], ["y"], name="n", batch_dims=1)
    good = write_model(
        tmp_path / "good.onnx", [node], FAULTS["GatherND"][1], {"y": ("FLOAT", None)}
    )
    assert run_ge("check", good, good).status == 0
    done = run_ge("check", good, path)
    assert done.status == 1
    assert "'batch_dims' is -2" in done.out


def test_a_node_in_a_body_is_found(engines: list[str]) -> None:
    module = ir.Module("m")
    module.attributes["onnx.opset_imports"] = {"onnx": 17}
    graph = module.add_graph("main")
    type_ = ir.TensorType([2], ir.DType("f32"))
    x = graph.add_input("x", type_)
    condition = graph.add_input("c", ir.TensorType([], ir.DType("bool")))
    node = graph.add_node("onnx.If", [condition], result_types=[type_], name="if")
    for slot in ("then_branch", "else_branch"):
        body = node.add_subgraph(slot)
        inner = body.add_node("onnx.Relu", [x, x], result_types=[type_], name=f"in_{slot}")
        body.outputs = [inner.result]
    graph.outputs = [node.result]
    with pytest.raises(
        ops.KernelError, match=r"node 'in_then_branch' \(onnx.Relu\): has 2 operands"
    ):
        graph.run([np.zeros(2, np.float32), np.array(True)])
    assert engines == []


def test_types_that_are_stale_do_not_count(engines: list[str]) -> None:
    graph = ir.Module("m").add_graph("main")
    x = graph.add_input("x", ir.TensorType([2], ir.DType("f32")))
    relu = graph.add_node("onnx.Relu", [x], result_types=[ir.UnknownType()])
    graph.outputs = [
        graph.add_node("onnx.Neg", [relu.result], result_types=[ir.UnknownType()]).result
    ]
    relu.result.type = ir.TensorType([3], ir.DType("bool"))
    np.testing.assert_array_equal(graph.run([np.array([1, -1], np.float32)])[0], [-1, 0])
    assert engines == ["onnxruntime"]


def test_a_function_of_the_user_does_not_see_it_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GE_EVALUATORS", "none")
    asked: list[str] = []

    def evaluate(call: ops.OpCall) -> Any:
        asked.append(call.op)
        return [np.zeros(2, np.float32)]

    before = ops.use_evaluator(evaluate)
    try:
        graph = ir.Module("m").add_graph("main")
        type_ = ir.TensorType([2], ir.DType("f32"))
        x = graph.add_input("x", type_)
        node = graph.add_node("onnx.Relu", [x, x], result_types=[type_], name="n")
        graph.outputs = [node.result]
        with pytest.raises(ops.KernelError, match=r"node 'n' \(onnx.Relu\): has 2 operands"):
            graph.run([np.zeros(2, np.float32)])
        assert asked == []
        node.operands = [x]
        graph.run([np.zeros(2, np.float32)])
        assert asked == ["onnx.Relu"]
    finally:
        ops.use_evaluator(before)
