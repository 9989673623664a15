"""Sizes with two declared names: the file keeps both, and no operator that takes unequal sizes makes them one.

Add broadcasts a size of 1, and onnxruntime's Concat skips empty operands, so neither proves that its operands agree.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_run import ge

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented


def optimized(nodes: list[Any], inputs: dict[str, Any], outputs: dict[str, Any]) -> tuple[Any, Any]:
    def infos(shapes: dict[str, Any]) -> list[Any]:
        kinds = {"same": TensorProto.BOOL}
        return [
            helper.make_tensor_value_info(name, kinds.get(name, TensorProto.FLOAT), shape)
            for name, shape in shapes.items()
        ]

    graph = helper.make_graph(nodes, "g", infos(inputs), infos(outputs))
    before = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(before, "m.onnx")
    assert ge("optimize", "m.onnx", "-O", "-o", "o.onnx").status == 0
    return before, onnx.load("o.onnx")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_inputs_and_outputs_keep_their_names() -> None:
    node = helper.make_node
    before, after = optimized(
        [
            node("MatMul", ["x", "y"], ["p"]),
            node("Identity", ["p"], ["q"]),
            node("Add", ["q", "z"], ["s"]),
            node("Relu", ["s"], ["o"]),
        ],
        {"x": ["R", "B"], "y": ["N", 4], "z": ["S", 4]},
        {"o": ["T", 4]},
    )
    for kind in ("input", "output"):
        for old, new in zip(getattr(before.graph, kind), getattr(after.graph, kind), strict=True):
            assert new.type == old.type


@pytest.mark.parametrize(
    ("operator", "attributes", "sizes"),
    [("Add", {}, (1, 3)), ("Add", {}, (3, 1)), ("Concat", {"axis": 1}, (2, 0))],
)
def test_what_takes_unequal_sizes_proves_nothing(
    operator: str, attributes: dict[str, Any], sizes: tuple[int, int]
) -> None:
    node = helper.make_node
    before, after = optimized(
        [
            node(operator, ["x", "y"], ["o"], **attributes),
            node("Shape", ["x"], ["sx"]),
            node("Shape", ["y"], ["sy"]),
            node("Equal", ["sx", "sy"], ["same"]),
        ],
        {"x": ["B", 4], "y": ["N", 4]},
        {"o": ["B", None], "same": [2]},
    )
    given = {name: np.ones((n, 4), np.float32) for name, n in zip("xy", sizes, strict=True)}
    results = [
        onnxruntime.InferenceSession(model.SerializeToString()).run(None, given)
        for model in (before, after)
    ]
    # The Concat of an empty operand leaves elements of its result as they were in memory.
    assert [same.tolist() for _, same in results] == [[False, True]] * 2
