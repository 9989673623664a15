"""merge-chains keeps the shape of a reduction whose result Unsqueeze gives axes, counted from either end."""

import numpy as np
import pytest

import ge.ir as ir
from ge.es import builder
from ge.es import onnx as op
from ge.passes import PassManager


@pytest.mark.parametrize("axes", [[3], [-1], [-2, 4], [3, -1], [-1, -2], [2, 3]])
@pytest.mark.parametrize("reduced", [[3], [-1]])
def test_axes_of_unsqueeze_count_in_its_result(axes: "list[int]", reduced: "list[int]") -> None:
    with builder("main") as b:
        x = b.input("x", (2, 3, 4, 1), ir.f32)
        y = op.ReduceMax(x, np.array(reduced), keepdims=0)
        b.output(op.Unsqueeze(y, np.array(axes)))
    graph = b.graph
    given = np.arange(24, dtype=np.float32).reshape(2, 3, 4, 1)
    (expected,) = graph.run([given])
    PassManager.parse("infer-types,merge-chains,dce").run(graph)
    assert graph.outputs[0].type.shape == expected.shape
    assert np.array_equal(graph.run([given])[0], expected)
