"""The examples of building graphs: they run as programs, print a graph, and the graphs compute the right results."""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import ge.ir as ir
import ge.onnx

BUILDERS = Path(__file__).resolve().parents[3] / "examples" / "builders"
NAMES = sorted(p.stem for p in BUILDERS.glob("*.py"))


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, BUILDERS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_graph(graph: ir.Graph, *inputs: Any) -> list[Any]:
    """Return the results of ONNX's reference evaluator for the graph."""
    reference = pytest.importorskip("onnx.reference")
    import onnx

    module = ir.Module("model")
    opset = dict(graph.attributes["opset"])
    module.add_graph(graph)
    module.attributes["onnx.ir_version"] = 10
    module.attributes["onnx.opset_imports"] = opset
    model = onnx.ModelProto.FromString(ge.onnx.to_bytes(module))
    onnx.checker.check_model(model, full_check=True)
    names = [i.name for i in model.graph.input]
    evaluator = reference.ReferenceEvaluator(model)
    return list(evaluator.run(None, dict(zip(names, inputs, strict=True))))


def test_there_are_examples() -> None:
    assert NAMES == ["attention", "cann_style", "resnet_block"]


@pytest.mark.nosan  # the child process would need the sanitizer's runtime
@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_a_program(name: str) -> None:
    command = [sys.executable, str(BUILDERS / f"{name}.py")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "func.func @" in done.stdout
    assert max(map(len, done.stdout.splitlines())) < 1000  # weights are elided


def test_resnet() -> None:
    graph = example("resnet_block").build()
    assert all(isinstance(r.type, ir.TensorType) for n in graph.nodes for r in n.results)
    assert graph.outputs[0].type == ir.TensorType(("N", 10), ir.f32)
    types = [n.type for n in graph.nodes if n.op.startswith("onnx.")]
    assert types == [
        *("Conv", "BatchNormalization", "Relu", "Conv", "BatchNormalization", "Add", "Relu"),
        *("Conv", "BatchNormalization", "Relu", "Conv", "BatchNormalization"),
        *("Conv", "BatchNormalization", "Add", "Relu"),
        *("GlobalAveragePool", "Flatten", "Gemm", "Softmax"),
    ]
    image = np.random.default_rng(1).standard_normal((2, 3, 32, 32)).astype(np.float32)
    (probabilities,) = run_graph(graph, image)
    assert probabilities.shape == (2, 10)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize(("rounds", "masked"), [(0, False), (2, False), (2, True)])
def test_attention(rounds: int, masked: bool) -> None:
    heads, width = 4, 32
    graph = example("attention").build(heads, width)
    assert graph.outputs[0].type == ir.TensorType(("batch", "sequence", width), ir.f32)
    (loop,) = (n for n in graph.nodes if n.type == "Loop")
    assert [n.type for n in loop.subgraphs["body"].nodes].count("If") == 1
    random = np.random.default_rng(2)
    x = random.standard_normal((2, 5, width)).astype(np.float32)
    mask = np.tri(5, dtype=bool)
    (got,) = run_graph(graph, x, mask, np.array(masked), np.array(rounds, np.int64))

    weights = np.random.default_rng(0)  # as the example draws them
    q, k, v, out = (weights.standard_normal((width, width), np.float32) for _ in range(4))
    for _ in range(rounds):
        parts = [(x @ w).reshape(2, 5, heads, -1).transpose(0, 2, 1, 3) for w in (q, k, v)]
        scores = parts[0] @ parts[1].transpose(0, 1, 3, 2) / math.sqrt(width // heads)
        if masked:
            scores = np.where(mask, scores, -1e9)
        x = x + (softmax(scores) @ parts[2]).transpose(0, 2, 1, 3).reshape(2, 5, width) @ out
    np.testing.assert_allclose(got, x, rtol=2e-2, atol=1e-2)


def test_cann_style() -> None:
    module = example("cann_style")
    convolution = module.grouped_convolution(2)
    types = [n.type for n in convolution.nodes]
    assert types == ["Const", "Split", "Const", "Split", "Conv2D", "Conv2D", "Const", "Concat"]
    assert convolution.outputs[0].type.shape == (1, 4, 8, 8)
    product = module.fused_product()
    assert [n.type for n in product.nodes if n.has_attr("_stream_label")] == [
        "Const",
        "Const",
        "GEMM",
    ]
    choice = module.choice()
    (branches,) = (n for n in choice.nodes if n.type == "If")
    assert [g.name for g in branches.subgraphs] == ["then", "else"]
    assert choice.outputs[0].type == ir.TensorType((4, 4), ir.f32)
    for graph in (convolution, product, choice):
        graph.verify()
