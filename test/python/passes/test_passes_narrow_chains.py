"""Chains of f16 and bf16 are not folded where a rounding in between decides an integer or, in class exact, any number.

Runtimes without arithmetic of 16-bit floats compute such chains in f32 and round their end only.
"""

from typing import Any

import numpy as np
import pytest

import ge.ir as ir
from ge.es import builder
from ge.es import onnx as op
from ge.onnx import optimize

ort = pytest.importorskip("onnxruntime")


def sizes(dtype: ir.DType, steps: "list[float]", last: str) -> ir.Module:
    """A size times some numbers, as an integer, decides the shape of the output."""
    with builder("main") as b:
        x = b.input("x", (2, 10), ir.f32)
        y: Any = op.Cast(op.Gather(op.Shape(x), np.array([1])), to=dtype)
        for step in steps:
            y = op.Mul(y, op.Cast(np.array([step], np.float32), to=dtype))
        y = getattr(op, last)(y)
        b.output(op.ConstantOfShape(op.Cast(y, to=ir.i64)))
    module = ir.Module("m")
    module.attributes["opset"] = 17
    module.add_graph(b.graph)
    return module


@pytest.mark.parametrize("steps", [[0.1, 10.0], [0.7], [0.3, 3.3, 1.01]], ids=str)
@pytest.mark.parametrize("last", ["Floor", "Ceil"])
@pytest.mark.parametrize("exact", [False, True])
def test_sizes_are_those_of_the_runtime(steps: "list[float]", last: str, exact: bool) -> None:
    from ge.onnx import to_bytes

    module = sizes(ir.f16, steps, last)

    def shape(data: bytes) -> "tuple[int, ...]":
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = ort.InferenceSession(data, options)
        return session.run(None, {"x": np.zeros((2, 10), np.float32)})[0].shape

    before = shape(to_bytes(module))
    optimize(module, "optimize{exactness=exact}" if exact else None)
    assert shape(to_bytes(module)) == before
