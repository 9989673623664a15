"""A Loop without turns has the sizes of a turn that it could have made, as in onnxruntime."""

import numpy as np
import pytest

import ge.onnx as ge_onnx
import ge.ops as ops

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


def model() -> bytes:
    from onnx import TensorProto, helper

    def value(name: str, kind: int, shape: list[int | None] | None) -> object:
        return helper.make_tensor_value_info(name, kind, shape)

    taken = [helper.make_node("Gather", ["x", "turn"], ["row"]), helper.make_node("Neg", ["row"], ["made"])]  # fmt: skip
    body = helper.make_graph(
        taken,
        "body",
        [value("turn", TensorProto.INT64, []), value("go", TensorProto.BOOL, [])],
        [value("go", TensorProto.BOOL, []), value("made", TensorProto.FLOAT, None)],
    )
    graph = helper.make_graph(
        [helper.make_node("Loop", ["n", ""], ["y"], body=body)],
        "main",
        [value("x", TensorProto.FLOAT, [None, 3]), value("n", TensorProto.INT64, [])],
        [value("y", TensorProto.FLOAT, None)],
    )
    imports = [helper.make_opsetid("", 15)]
    made: bytes = helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()
    return made


def test_a_scan_output_of_no_turns_has_the_sizes_that_are_declared() -> None:
    module = ge_onnx.load(model())
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for turns in (0, 2, 0):
        (y,) = ops.run(module, {"x": x, "n": np.array(turns)})
        assert y.shape == (turns, 3)
        assert np.array_equal(y, -x[:turns])
