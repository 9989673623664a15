"""Values that no exporter writes, found by test/attack/models.py: optimising such a model raises at most a GEError.

Not tested: the optimised model.
"""

import pytest

import ge.ir as ir
import ge.onnx

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402


def model(node: onnx.NodeProto, opset: int = 17, *weights: onnx.TensorProto) -> bytes:
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 2])],
        [onnx.ValueInfoProto(name=node.output[0])],
        weights,
    )
    made = helper.make_model(graph, ir_version=8)
    made.opset_import[0].version = opset
    return bytes(made.SerializeToString())


@pytest.mark.parametrize("opset", [0, -1, 1 << 31, (1 << 63) - 1, -(1 << 63)])
def test_an_opset_that_is_none(opset: int) -> None:
    module = ge.onnx.load(model(helper.make_node("Relu", ["x"], ["y"]), opset))
    try:
        ge.onnx.optimize(module)
    except ir.GEError:
        return
    assert module.attributes["onnx.opset_imports"] == {"onnx": opset}


@pytest.mark.nosan  # onnxruntime's own libraries are not built for it
def test_strings_of_which_one_is_no_utf8() -> None:
    """Python reads them as str and bytes and can set them again, as inference by the package `onnx` does."""
    node = helper.make_node("RNN", ["x", "w", "w"], ["y"], name="n", hidden_size=1)
    node.attribute.append(helper.make_attribute("activations", ["Tanh", b"\xff", ""]))
    weight = numpy_helper.from_array(numpy_array(), "w")
    module = ge.onnx.load(model(node, 17, weight))
    kept = module.graphs[0].find("n")
    assert kept is not None
    assert kept.attributes["activations"] == ("Tanh", b"\xff", "")
    kept.attributes["again"] = list(kept.attributes["activations"])
    assert kept.attributes["again"] == kept.attributes["activations"]
    ge.onnx.optimize(module)
    again = onnx.load_from_string(ge.onnx.to_bytes(module)).graph.node[0]
    (found,) = [a for a in again.attribute if a.name == "activations"]
    assert list(found.strings) == [b"Tanh", b"\xff", b""]


def numpy_array() -> object:
    import numpy as np

    return np.ones((1, 1, 2), np.float32)
