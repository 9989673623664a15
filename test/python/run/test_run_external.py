"""A model whose weights lie beside it runs from any directory, also weights of bodies and of constants in attributes."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ge.onnx as ge_onnx
import ge.ops as ops

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

F = TensorProto.FLOAT


def info(name: str, shape: Any = None) -> Any:
    return helper.make_tensor_value_info(name, F, shape)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_external_weights_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: bool
) -> None:
    rng = np.random.default_rng(0)
    a, b, c = (rng.standard_normal((64, 64)).astype(np.float32) for _ in range(3))
    branch = helper.make_graph(
        [helper.make_node("MatMul", ["t", "b"], ["z"])], "branch", [], [info("z")],
        [numpy_helper.from_array(b, "b")],
    )  # fmt: skip
    nodes = [
        helper.make_node("MatMul", ["x", "a"], ["t"]),
        helper.make_node("If", ["k"], ["u"], then_branch=branch, else_branch=branch),
        helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(c)),
        helper.make_node("MatMul", ["u", "c"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes, "g", [info("x", [2, 64])], [info("y")],
        [numpy_helper.from_array(a, "a"), numpy_helper.from_array(np.array(True), "k")],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (tmp_path / "model").mkdir()
    path = tmp_path / "model" / "m.onnx"
    onnx.save(model, path, save_as_external_data=True, location="m.bin", size_threshold=0, convert_attribute=True)  # fmt: skip
    monkeypatch.chdir(tmp_path if elsewhere else path.parent)
    x = rng.standard_normal((2, 64)).astype(np.float32)
    assert np.allclose(ops.run(ge_onnx.load(path), {"x": x})[0], x @ a @ b @ c, 1e-3, 1e-3)
    os.chdir(tmp_path)
    assert np.allclose(ops.run(ge_onnx.load(path), {"x": x})[0], x @ a @ b @ c, 1e-3, 1e-3)


def test_bytes_with_all_weights(tmp_path: Path) -> None:
    w = np.ones((32, 32), np.float32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [info("x", [2, 32])], [info("y")],
        [numpy_helper.from_array(w, "w")],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location="w", size_threshold=0)  # fmt: skip
    module = ge_onnx.load(tmp_path / "m.onnx")
    assert len(ge_onnx.to_bytes(module)) < w.nbytes < len(ge_onnx.to_bytes(module, external_data=False))  # fmt: skip
    with pytest.raises(ValueError, match="external_data"):
        ge_onnx.to_bytes(module, external_data=True)
