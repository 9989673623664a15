"""`ge.ops.constant_tensor` returns the value of a constant in every form."""

from typing import Any

import numpy as np
import pytest

import ge.es
import ge.ir as ir
from ge import ops
from ge.es import onnx as op


@pytest.mark.parametrize(
    ("attributes", "held"),
    [
        ({"value": np.float64([[1, 2]])}, np.float64([[1, 2]])),
        ({"value_float": 0.5}, np.float32(0.5)),
        ({"value_floats": [0.5, 2.0]}, np.float32([0.5, 2])),
        ({"value_floats": []}, np.float32([])),
        ({"value_int": -3}, np.int64(-3)),
        ({"value_ints": [1, 2]}, np.int64([1, 2])),
        ({"value_string": "a"}, np.array("a", object)),
        ({"value_strings": ["a", "b"]}, np.array(["a", "b"], object)),
    ],
    ids=str,
)
def test_each_form_is_a_tensor_of_the_type_that_is_inferred(
    attributes: dict[str, Any], held: np.ndarray
) -> None:
    with ge.es.builder("g"):
        value = op.Constant(**attributes)
        tensor = ops.constant_tensor(value)
        assert tensor.type == value.type
        np.testing.assert_array_equal(tensor.numpy(), held)


def test_what_is_no_dense_constant_holds_nothing() -> None:
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType((2,), ir.f32))
    computed = graph.add_node("onnx.Relu", [x], result_types=[x.type]).result
    constant = graph.add_node("ge.Const", [], {"value": ir.Tensor([1.0, 2.0])}).result
    sparse = {"values": np.float32([1]), "indices": np.int64([0]), "dims": [2]}
    with ge.es.builder(graph=graph):
        values = [x, computed, op.Constant(sparse_value=sparse)]
    assert [ops.constant_tensor(value) for value in values] == [None] * 3
    assert ops.constant_tensor(constant).numpy().tolist() == [1.0, 2.0]
