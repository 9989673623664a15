"""GeUtils: shape inference of a whole graph, and the error of functions that need an engine."""

from typing import Any

import pytest

import ge.ir as ir
from ge.es import GraphBuilder
from ge.es.math import MatMul, Reshape
from ge.es.nn import Relu
from ge.graph import DataType, Format, Graph
from ge.utils import GeUtils


def product() -> Graph:
    builder = GraphBuilder("main")
    x = builder.create_input(0, shape=[2, 3], data_type=DataType.DT_FLOAT16)
    y = builder.create_input(1, shape=[3, 4], data_type=DataType.DT_FLOAT16)
    return builder.build_and_reset([Relu(MatMul(x, y)).set_format(Format.FORMAT_NCHW)])


def shapes(graph: Graph) -> list[Any]:
    return [value.type for node in graph.get_direct_nodes() for value in node.results]


def test_shapes_are_inferred_anew() -> None:
    graph = product()
    GeUtils.infer_shape(graph, [[5, 7], [7, -1]])
    f16 = ir.f16
    assert shapes(graph) == [
        ir.TensorType((5, 7), f16),
        ir.TensorType((7, None), f16),
        ir.TensorType((5, None), f16),
        ir.TensorType((5, None), f16, format="NCHW"),
    ]


def test_failure_changes_nothing() -> None:
    graph = product()
    before = str(graph)
    with pytest.raises(RuntimeError, match="Failed to infer shape: .*MatMul"):
        GeUtils.infer_shape(graph, [[5, 7], [3, 4]])
    with pytest.raises(RuntimeError, match="Failed to infer shape: 1 shapes for 2 inputs"):
        GeUtils.infer_shape(graph, [[5, 7]])
    assert str(graph) == before


def test_constants_stay() -> None:
    builder = GraphBuilder("main")
    x = builder.create_input(0, shape=[2, 3])
    graph = builder.build_and_reset([Reshape(x, builder.create_const_int64([-1]))])
    GeUtils.infer_shape(graph, [[4, 5]])
    assert graph.outputs[0].type == ir.TensorType((20,), ir.f32)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (None, "input_shapes must be a list of shape lists"),
        ([2, 3], "input_shapes must be a list of shape lists"),
        ([(2, 3), [3, 4]], "input_shapes must be a list of shape lists"),
        ([[2, "3"], [3, 4]], "each shape dim must be an integer"),
        ([[2, 3.0], [3, 4]], "each shape dim must be an integer"),
    ],
)
def test_wrong_arguments(given: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        GeUtils.infer_shape(product(), given)
    with pytest.raises(TypeError, match=r"graph must be a ge\.graph\.Graph, not str"):
        GeUtils.infer_shape("graph", [])  # type: ignore[arg-type]


def test_what_needs_an_engine_says_so() -> None:
    with pytest.raises(NotImplementedError, match="AICore .* Ascend hardware"):
        GeUtils.check_node_support_on_aicore(product().nodes[0])
