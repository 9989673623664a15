"""A name that only marks an unknown size is none: ``?``, ``None``, ``-1``, ``unk__5``.

Exporters give one such name to several sizes. It is not in types, so that nothing takes two of them for equal; files keep it.
"""

from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

import ge.ir as ir  # noqa: E402
import ge.onnx as ge_onnx  # noqa: E402
import ge.ops as ops  # noqa: E402

ANONYMOUS = ("?", "??", "None", "-1", "unk__0", "unk__12_o0", "")
NAMED = ("N", "batch?", "unk", "none", "-2", "None_1", "x?", "height")


def model(name: str) -> Any:
    """The second size of x in front of the first, and whether they are equal."""
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "turned"], ["t"]),
        helper.make_node("Equal", ["s", "t"], ["same"]),
        helper.make_node("Expand", ["one", "t"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [name, name])],
        [
            helper.make_tensor_value_info("y", TensorProto.FLOAT, [name, name]),
            helper.make_tensor_value_info("same", TensorProto.BOOL, [2]),
        ],
        [
            numpy_helper.from_array(np.array([1, 0]), "turned"),
            numpy_helper.from_array(np.float32(1), "one"),
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("name", ANONYMOUS)
def test_an_anonymous_size_is_not_the_other_one(name: str) -> None:
    module = ge_onnx.load(model(name).SerializeToString())
    assert module.graphs["g"].inputs[0].type.shape == (None, None)
    x = np.zeros((2, 5), np.float32)
    for _ in range(2):
        y, same = ops.run(module, {"x": x})
        assert np.asarray(y).shape == (5, 2)
        assert not np.asarray(same).any()
        ge_onnx.optimize(module)


@pytest.mark.parametrize("name", ANONYMOUS)
def test_a_file_keeps_its_anonymous_names(name: str) -> None:
    data = model(name).SerializeToString()
    assert ge_onnx.to_bytes(ge_onnx.load(data)) == data


@pytest.mark.parametrize("name", NAMED)
def test_other_names_are_symbols(name: str) -> None:
    module = ge_onnx.load(model(name).SerializeToString())
    assert module.graphs["g"].inputs[0].type.shape == (name, name)


def test_types_have_no_anonymous_names() -> None:
    assert ir.TensorType(["?", "N", "unk__3"], ir.DType("f32")).shape == (None, "N", None)
    assert ir.TensorType(["?"], ir.DType("f32")) == ir.TensorType([None], ir.DType("f32"))
