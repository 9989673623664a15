"""Evaluators of users: they are chained, exceptions become remarks, and results that do not fit the call are rejected.

Not covered here: the packages that ship with GE (test_ops_foreign.py, test_evaluators_child.py), and how often a pass
calls them (test_passes_constant_fold.py).
"""

import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ge import es, ir, ops
from ge.es import onnx as op
from ge.passes import PassManager

F2 = ir.TensorType((2,), ir.f32)


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    before = ops.evaluator()
    yield
    ops.use_evaluator(before)


def model() -> ir.Graph:
    """Return ``y = |x + exp([0, 1]) + exp([2, 3])|``, where folding takes more rounds after the two Exps."""
    with es.builder("g", opset=17) as b:
        x = b.input("x", F2)
        e = op.Exp(np.array([0, 1], np.float32), _name="first")
        f = op.Exp(np.array([2, 3], np.float32), _name="second")
        b.output(op.Abs(op.Identity(op.Add(op.Add(x, e), f))), name="y")
    return b.graph


def fold(graph: ir.Graph, pipeline: str = "infer-types,constant-fold") -> list[str]:
    """Run a pipeline and return its remarks."""
    result = PassManager.parse(pipeline).run(graph)
    return [r.message for each in result.passes for r in each.remarks]


def operators(graph: ir.Graph) -> set[str]:
    return {n.type for n in graph.nodes}


def exp(call: ops.OpCall) -> Any:
    return [np.exp(call.operands[0].numpy())] if call.op == "onnx.Exp" else None


def raises(call: ops.OpCall) -> Any:
    raise ZeroDivisionError("no scale\nsecond line")


def knows_nothing(call: ops.OpCall) -> Any:
    return None


@pytest.mark.parametrize("pipeline", ["infer-types,constant-fold", "optimize"])
def test_a_raise_is_one_remark_of_the_run(pipeline: str) -> None:
    graph = model()
    ops.use_evaluator(raises)
    remarks = fold(graph, pipeline)
    assert remarks == [
        "evaluator 'raises' raised ZeroDivisionError: no scale for onnx.Exp; the node 'first' stays"
    ]
    assert "Exp" in operators(graph)
    assert fold(graph, pipeline) == remarks  # another run repeats the remark


def test_each_raise_is_remarked() -> None:
    def by_data(call: ops.OpCall) -> Any:
        raise ValueError(f"no {call.operands[0].tolist()}")

    with ops.add_evaluator(by_data, name="by data"):
        assert fold(model()) == [
            f"evaluator 'by data' raised ValueError: no {data} for onnx.Exp; the node '{name}' stays"
            for data, name in (("[0.0, 1.0]", "first"), ("[2.0, 3.0]", "second"))
        ]


def test_leaving_is_a_raise() -> None:
    def leaves(call: ops.OpCall) -> Any:
        raise SystemExit(0)

    ops.use_evaluator(leaves)
    (remark,) = fold(model())
    assert "raised SystemExit: 0 for onnx.Exp" in remark


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([], "it has 0 results of 1"),
        ([1, 2], "it has 2 results of 1"),
        (1, "it is int, not a sequence of tensors or arrays"),
        ("a", "it is str, not a sequence"),
        ([np.zeros(3, np.float32)], r"result 0 is tensor<3xf32>, not tensor<2xf32>"),
        ([np.zeros((2, 1), np.float32)], r"result 0 is tensor<2x1xf32>, not tensor<2xf32>"),
        ([np.zeros(2, np.float64)], r"result 0 is tensor<2xf64>, not tensor<2xf32>"),
        ([object()], "result|TypeError"),
        ([[1.0, 2.0]], r"result 0 is list, not tensor<2xf32>"),
        ([{}], r"result 0 is dict, not tensor<2xf32>"),
        ([None], r"result 0 is NoneType, not tensor<2xf32>"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(answer: Any, words: str) -> None:
    ops.use_evaluator(lambda call: answer)
    graph = model()
    (remark,) = fold(graph)
    assert remark.startswith("the return value of evaluator ")
    assert remark.endswith("; the node 'first' stays")
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(remark)
    assert "Exp" in operators(graph)


def test_what_is_known_of_the_results_is_in_the_call() -> None:
    seen: list[ops.OpCall] = []
    with ops.add_evaluator(lambda call: seen.append(call)):  # type: ignore[func-returns-value]
        fold(model())
        ops.evaluate_operator("onnx.Exp", [np.zeros((2, 3), np.float16)])
        ops.evaluate_operator("acme.Unknown", [np.zeros(1)], num_results=2)
    types = [call.result_types for call in seen]
    assert (F2,) in types
    assert types[-2:] == [(ir.TensorType((2, 3), ir.f16),), (None, None)]


def test_a_direct_call_refuses_too(caplog: pytest.LogCaptureFixture) -> None:
    x = [np.zeros(2, np.float32)]
    ops.use_evaluator(lambda call: [np.zeros(3, np.float32)])
    with caplog.at_level(logging.WARNING, "ge.ops"):
        assert ops.evaluate_operator("onnx.Exp", x) is None
        assert "result 0 is tensor<3xf32>, not tensor<2xf32>" in caplog.text
        ops.use_evaluator(raises)
        assert ops.evaluate_operator("onnx.Exp", x) is None
        assert "evaluator 'raises' raised ZeroDivisionError: no scale for onnx.Exp" in caplog.text


def test_evaluators_chain() -> None:
    asked: list[str] = []

    def noted(name: str, function: Any) -> Any:
        def ask(call: ops.OpCall) -> Any:
            asked.append(name)
            return function(call)

        return ask

    ops.use_evaluator(noted("last", exp))
    with (
        ops.add_evaluator(noted("one", knows_nothing)) as one,
        ops.add_evaluator(noted("two", knows_nothing), name="two") as two,
    ):
        assert (one.name, two.name) == (
            "test_evaluators_chain.<locals>.noted.<locals>.ask",
            "two",
        )
        graph = model()
        assert fold(graph) == []
        assert asked == ["one", "two", "last"] * 2
        assert "Exp" not in operators(graph)
        with ops.add_evaluator(noted("three", exp)):
            ops.use_evaluator(None)  # keeps the added evaluators
            asked.clear()
            graph = model()
            assert fold(graph) == []
            assert asked == ["one", "two", "three"] * 2
            assert "Exp" not in operators(graph)
    one.remove()  # removing it again has no effect
    asked.clear()
    graph = model()
    assert fold(graph) == [] and asked == []
    assert "Exp" in operators(graph)
    with pytest.raises(TypeError, match="evaluate must be a callable, not int"):
        ops.add_evaluator(1)  # type: ignore[arg-type]


def test_the_first_failure_ends_the_asking() -> None:
    graph = model()
    with ops.add_evaluator(raises), ops.add_evaluator(exp):
        assert len(fold(graph)) == 1
    assert "Exp" in operators(graph)


def test_evaluators_are_callables() -> None:
    pytest.importorskip("onnx.reference")
    reference = ops.evaluator("reference")
    assert callable(reference) and reference == "reference"
    assert callable(ops.evaluator("auto"))
    with pytest.raises(ValueError, match="must be one of 'auto'"):
        ops.evaluator("numpy")
    ops.use_evaluator("reference")
    assert ops.evaluator() is reference
    calls: list[ops.OpCall] = []

    def mine(call: ops.OpCall) -> Any:
        calls.append(call)
        return reference(call)

    assert ops.use_evaluator(mine) is reference
    assert ops.evaluator() is mine
    (made,) = ops.evaluate_operator("onnx.Neg", [np.ones(2, np.float32)]) or ()
    assert made.tolist() == [-1, -1]
    assert reference(calls[0]) is not None
    assert reference(calls[0]._replace(op="acme.Unknown")) is None  # unknown operator: not an error
    assert ops.use_evaluator(None) is mine and ops.evaluator() is None
    ops.use_evaluator(reference)
    assert ops.evaluator() is reference


@pytest.mark.parametrize("change", ["shorten", "rewrite"])
@pytest.mark.parametrize("kind", ["function", "reference"])
def test_weights_that_changed_on_disk_are_no_refusal(
    tmp_path: Path, change: str, kind: str
) -> None:
    """If an evaluator cannot read its operand, the run fails instead of silently keeping the node."""
    import ge.onnx as ge_onnx

    pytest.importorskip("onnx.reference")
    module = ir.Module("m")
    with es.builder("g", graph=module.add_graph("g"), opset=17) as b:
        x = b.input("x", ir.TensorType((1 << 14,), ir.f32))
        w = np.linspace(0, 1, 1 << 14, dtype=np.float32)
        b.output(op.Add(x, op.Exp(w, _name="first")), name="y")
    path = tmp_path / "m.onnx"
    ge_onnx.save(module, path)
    module = ge_onnx.load(path)
    graph = module.graphs[0]
    PassManager.parse("infer-types").run(module)
    if change == "shorten":
        os.truncate(path, 4096)
    else:
        time.sleep(0.02)  # more than a tick of the file system's clock
        with path.open("r+b") as file:
            file.seek(path.stat().st_size // 2)
            file.write(b"\xff" * 8)
    ops.use_evaluator(exp if kind == "function" else "reference")
    with pytest.raises(ir.PassError, match=r"m\.onnx.* changed on disk"):
        PassManager.parse("constant-fold").run(module)
    assert "Exp" in operators(graph)
    with pytest.raises(ir.ModelError, match="changed on disk"):
        weight = next(n.attributes["value"] for n in graph.nodes if n.op == "ge.Const")
        ops.evaluate_operator("onnx.Exp", [weight])


def test_foreign_inferrers_are_called_once_for_a_call_that_is_refused() -> None:
    """They may start a process, so they are not called for operators that fold natively or for calls refused before."""
    asked: list[str] = []

    def infer(call: ops.OpCall) -> Any:
        asked.append(call.op)
        return None

    with ops.Library("refused") as lib, ops.add_inferrer(infer):
        lib.define("twice(Tensor x) -> Tensor", traits=["pure"])
        graph = ir.Graph("g")
        x = graph.add_input("x", F2)
        tensor = ir.Tensor(np.float32([1, 2]))
        k = graph.add_node("ge.Const", (), {"value": tensor}, result_types=[F2]).result
        for name in ("refused.twice", "refused.twice", "onnx.Neg"):
            made = graph.add_node(name, [k], result_types=[F2]).result
            x = graph.add_node("onnx.Add", [x, made], result_types=[F2]).result
        graph.outputs = [x]
        ops.use_evaluator(knows_nothing)
        fold(graph, "constant-fold")
    assert "Neg" not in operators(graph) and "twice" in operators(graph)
    assert asked == ["refused.twice"]
