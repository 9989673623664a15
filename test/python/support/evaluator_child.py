"""Fixtures and models for tests of the evaluators' child process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ge.onnx
from ge import ops
from ge.passes import PassManager
from ge.run import _child, _service

__all__ = ["F", "child", "exp", "fold", "minimum", "model_of", "restored"]

F = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture(autouse=True)
def restored(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give each test default settings, independent of the environment, and a new child.

    In that child, minimum() crashes onnxruntime.
    """
    for name in [n for n in os.environ if n.startswith("GE_EVALUATORS") or n == "GE_PYTHON"]:
        monkeypatch.delenv(name)
    fatal = str(Path(__file__).parent / "fatal_runtime")
    monkeypatch.syspath_prepend(fatal)
    monkeypatch.setenv("PYTHONPATH", fatal, prepend=os.pathsep)
    before = ops.evaluator()
    _end()
    yield
    _end()
    ops.use_evaluator(before)


def _end() -> None:
    if (found := _service._children.child) is not None:
        found.end()


def exp(size: int = 3) -> list[Any] | None:
    return ops.evaluate_operator("onnx.Exp", [np.ones(size, np.float32)])


def child() -> _child.Child:
    """Return the child of this process, started if necessary."""
    assert exp() is not None
    found = _service._children.child
    assert found is not None
    return found


def model_of(node: Any, arrays: dict[str, Any], opset: int, shape: Any = (2, 3)) -> bytes:
    """Return a model with a node on constants, whose result has a declared type and is not a graph output."""
    from onnx import TensorProto, helper, numpy_helper

    kind = TensorProto.FLOAT
    declared = helper.make_tensor_value_info(node.output[0], kind, shape)
    initializers = [numpy_helper.from_array(np.asarray(a), n) for n, a in arrays.items()]
    end = helper.make_node("Abs", [node.output[0]], ["end"], name="end")
    graph = helper.make_graph(
        [node, end],
        "g",
        [],
        [helper.make_tensor_value_info("end", kind, shape)],
        initializers,
        value_info=[declared],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return model.SerializeToString()


def minimum(name: str = "m") -> bytes:
    """Return a model whose node ends the process that evaluates it."""
    from onnx import helper

    node = helper.make_node("Min", ["a", "b", "a", "b", "a"], ["y"], name=name)
    return model_of(node, {"a": F, "b": F}, 13)


def fold(model: bytes) -> tuple[ge.ir.Module, list[str]]:
    module = ge.onnx.load(model)
    result = PassManager.parse("infer-types,constant-fold").run(module)
    return module, [r.message for each in result.passes for r in each.remarks]
