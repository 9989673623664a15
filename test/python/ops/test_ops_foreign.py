"""Inferrers and evaluators of users and packages: when they are called, with what, and that their errors do no harm."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ge.ir as ir
import ge.ops as ops

F32 = ir.TensorType((2, 3), ir.f32)


def node_of(op: str, *operands: Any, **attributes: Any) -> ir.Node:
    """Return a node whose result type is unknown; operands are types or arrays."""
    graph = ir.Graph("g")
    values = []
    for i, operand in enumerate(operands):
        if isinstance(operand, ir.Type):
            values.append(graph.add_input(f"x{i}", operand))
        else:
            tensor = ir.Tensor(operand)
            values.append(
                graph.add_node("ge.Const", (), {"value": tensor}, result_types=[tensor.type]).result
            )
    node = graph.add_node(op, values, attributes, result_types=[ir.UnknownType()])
    graph.outputs = [node.result]
    return node


# --- Inferrers


def test_an_inferrer_is_called_for_unknown_operators() -> None:
    seen: list[ops.OpCall] = []

    def infer(call: ops.OpCall) -> list[Any]:
        seen.append(call)
        return [call.operand_types[0]]

    node = node_of("acme.Scale", F32, [1.0, 2.0], factor=2)
    with ops.add_inferrer(infer, "acme") as added:
        assert repr(added) == "<inferrer 'acme'>"
        found = node.graph.infer_types()
    assert node.result.type == F32
    assert (found.by_fallback, found.fallback_operators) == (1, {"acme.Scale": 1})
    assert (found.unknown, found.unknown_operators) == (0, {})
    assert "1 by fallback: acme.Scale" in repr(found)
    (call,) = seen
    assert (call.op, call.opset, call.since, call.num_results) == ("acme.Scale", 0, None, 1)
    assert call.operand_types == (F32, ir.TensorType((2,), ir.f32))
    assert call.operands[0] is None
    assert call.operands[1] is not None
    assert call.operands[1].tolist() == [1.0, 2.0]
    assert call.attributes == {"factor": 2}
    assert call.context == node.graph.context
    assert ops.inferrer_uses()["acme"]["acme.Scale"] == (1, 1)
    assert node_of("acme.Scale", F32).graph.infer_types().unknown_operators == {"acme.Scale": 1}
    assert repr(added) == "<inferrer 'acme', removed>"


def test_nodes_that_ge_infers_are_no_fallback() -> None:
    node = node_of("onnx.Relu", F32)
    with ops.add_inferrer(lambda call: pytest.fail("asked for Relu")):
        found = node.graph.infer_types()
    assert (found.by_fallback, found.fallback_operators) == (0, {})
    assert "fallback" not in repr(found)


def test_who_does_not_know_leaves_it_to_the_next() -> None:
    with ops.add_inferrer(lambda call: None, "a"), ops.add_inferrer(lambda call: [F32], "b"):
        node = node_of("acme.Next", F32)
        node.graph.infer_types()
    assert node.result.type == F32
    uses = ops.inferrer_uses()
    assert (uses["a"]["acme.Next"], uses["b"]["acme.Next"]) == ((1, 0), (1, 1))


def test_a_verify_error_of_an_inferrer_is_a_diagnostic_of_the_node() -> None:
    def infer(call: ops.OpCall) -> list[Any]:
        raise ir.VerifyError("the factor must be odd")

    node = node_of("acme.Odd", F32)
    with ops.add_inferrer(infer):
        found = node.graph.infer_types()
    (diagnostic,) = found.diagnostics
    assert "the factor must be odd" in diagnostic.message
    assert "acme.Odd" in diagnostic.message


def test_another_exception_comes_out_as_itself() -> None:
    error = ZeroDivisionError("mine")

    def infer(call: ops.OpCall) -> list[Any]:
        raise error

    with ops.add_inferrer(infer), pytest.raises(ZeroDivisionError) as caught:
        node_of("acme.Bad", F32).graph.infer_types()
    assert caught.value is error
    assert caught.traceback[-1].name == "infer"


@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        (1, TypeError, "what the inferrer of acme.Wrong returns"),
        ([], ValueError, "as many types as there are results"),
        (["f32"], TypeError, "what the inferrer of acme.Wrong returns"),
    ],
)
def test_a_wrong_answer_is_an_error(answer: Any, error: type[Exception], text: str) -> None:
    node = node_of("acme.Wrong", F32)
    with ops.add_inferrer(lambda call: answer), pytest.raises(error, match=text):
        node.graph.infer_types()
    assert node.result.type == ir.UnknownType()


def test_types_of_another_context_are_refused() -> None:
    other = ir.TensorType((2,), ir.f32, context=ir.Context())
    with ops.add_inferrer(lambda call: [other]), pytest.raises(ValueError, match="context"):
        node_of("acme.Foreign", F32).graph.infer_types()


@pytest.mark.parametrize("nodes", [1, 2000])
def test_the_graph_cannot_be_changed_under_the_walk(nodes: int) -> None:
    graph = ir.Graph("g")
    value = graph.add_input("x", F32)
    for _ in range(nodes):
        value = graph.add_node("acme.Step", [value], result_types=[ir.UnknownType()]).result
    graph.outputs = [value]
    refused: list[str] = []

    def infer(call: ops.OpCall) -> list[Any]:
        assert len(graph.nodes) == nodes  # reading is allowed
        if len(refused) < 4:
            for edit in (
                lambda: graph.nodes[-1].erase(force=True),
                lambda: graph.add_node("acme.New"),
                lambda: setattr(graph.inputs[0], "type", F32),
                lambda: graph.transaction().__enter__(),
            ):
                with pytest.raises(ir.GraphBusyError, match="cannot be changed by an inferrer"):
                    edit()
                refused.append("edit")
        return [call.operand_types[0]]

    with ops.add_inferrer(infer):
        assert graph.infer_types().by_fallback == nodes
    assert len(refused) == 4
    graph.add_node("acme.New")


def test_an_inferrer_that_removes_itself() -> None:
    added: list[Any] = []

    def infer(call: ops.OpCall) -> list[Any]:
        added[0].remove()
        added[0].remove()
        return [F32]

    added.append(ops.add_inferrer(infer))
    graph = node_of("acme.Once", F32).graph
    assert graph.infer_types().by_fallback == 1
    assert node_of("acme.Once", F32).graph.infer_types().by_fallback == 0


def test_inferrers_are_called_from_several_threads() -> None:
    graphs = []
    for _ in range(4):
        graph = ir.Graph("g")
        value = graph.add_input("x", F32)
        for _ in range(1500):
            value = graph.add_node("acme.Many", [value], result_types=[ir.UnknownType()]).result
        graphs.append(graph)
    with ops.add_inferrer(lambda call: [call.operand_types[0]]):
        results: list[Any] = []
        threads = [
            threading.Thread(target=lambda g=g: results.append(g.infer_types())) for g in graphs
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [r.by_fallback for r in results] == [1500] * 4


def test_add_inferrer_takes_callables() -> None:
    with pytest.raises(TypeError, match="callable"):
        ops.add_inferrer(1)  # type: ignore[arg-type]


# --- ONNX's reference inference


def unknown_to_ge() -> list[str]:
    """Return the operators of ONNX that only the reference infers."""
    native = set(ops._native._native_inferences())
    return [n for n in ops.list_ops("onnx") if n.replace("::", ".") not in native]


def test_the_onnx_package_is_called_for_its_operators_alone() -> None:
    pytest.importorskip("onnx")
    node_of("acme.Custom", F32).graph.infer_types()
    assert ops.inferrer_uses()["onnx"]["acme.Custom"][1] == 0


def test_importing_ge_imports_no_onnx() -> None:
    code = (
        "import sys, ge.ir as ir, ge.ops, ge.es\n"
        "g = ir.Graph('g'); x = g.add_input('x', ir.TensorType((2,), ir.f32))\n"
        "g.add_node('acme.Custom', [x], result_types=[ir.UnknownType()])\n"
        "ge.es.onnx.Relu(x); g.infer_types()\n"
        "loaded = {m.partition('.')[0] for m in sys.modules} & {'onnx', 'onnxruntime', 'numpy'}\n"
        "assert not loaded, loaded\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- Evaluators


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    before = ops.evaluator()
    yield
    ops.use_evaluator(before)


def fold(op: str, *operands: Any, **keywords: Any) -> Any:
    found = ops.evaluate_operator(
        op, [None if o is None else ir.Tensor(o) for o in operands], **keywords
    )
    return None if found is None else [t.numpy() for t in found]


NAMES = [
    pytest.param("onnxruntime", marks=pytest.mark.nosan),  # its own libraries are not built for it
    "reference",
]


def chosen(name: str) -> None:
    pytest.importorskip("onnx.reference" if name == "reference" else name)
    ops.use_evaluator(name)


@pytest.mark.parametrize("name", NAMES)
def test_operators_are_evaluated(name: str) -> None:
    chosen(name)
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    (sums,) = fold("onnx.Add", a, np.float32(1))
    np.testing.assert_array_equal(sums, a + 1)
    (turned,) = fold("onnx.Transpose", a, attributes={"perm": [1, 0]})
    np.testing.assert_array_equal(turned, a.T)
    values, indices = fold("onnx.TopK", a, np.array([1]), num_results=2)
    assert (values.tolist(), indices.tolist()) == ([[2.0], [5.0]], [[2], [2]])
    (clipped,) = fold("onnx.Clip", a, None, np.float32(2))
    np.testing.assert_array_equal(clipped, np.minimum(a, 2))
    (cast,) = fold("onnx.Cast", a, attributes={"to": ir.i8}, opset=21)
    assert cast.dtype == np.int8
    (text,) = fold("onnx.StringConcat", np.array(["a", "b"], object), np.array(["c", "d"], object))
    assert text.tolist() == ["ac", "bd"]
    (empty,) = fold("onnx.Concat", np.zeros((0, 3), np.float32), a, attributes={"axis": 0})
    np.testing.assert_array_equal(empty, a)
    assert fold("onnx.Softmax", a, opset=11)[0].shape == (2, 3)


@pytest.mark.parametrize("name", [*NAMES, "auto"])
def test_what_cannot_be_evaluated_is_none(name: str, caplog: pytest.LogCaptureFixture) -> None:
    if name != "auto":
        chosen(name)
    a = np.ones((2, 3), np.float32)
    with caplog.at_level(logging.DEBUG, "ge.ops"):
        assert fold("acme.Custom", a) is None
        assert fold("onnx.MatMul", a, a) is None
        if name == "onnxruntime":  # the reference ignores unknown attributes
            assert fold("onnx.Add", a, a, attributes={"nonsense": 1}) is None
        assert fold("onnx.SequenceConstruct", a, a) is None
        assert fold("ge.Data") is None
        assert fold("onnx.Add") is None
    assert caplog.records
    assert all(r.levelno == logging.DEBUG and r.name == "ge.ops" for r in caplog.records)
    assert any("onnx.MatMul" in r.getMessage() for r in caplog.records)


def test_remarks_of_compilers_are_no_attributes() -> None:
    pytest.importorskip("onnx.reference")
    ops.use_evaluator("reference")
    a = np.ones(2, np.float32)
    assert fold("onnx.Neg", a, attributes={"_stream": 1, "onnx.doc_string": "d"})[0].tolist() == [
        -1,
        -1,
    ]


def test_small_element_types_go_to_the_reference() -> None:
    pytest.importorskip("onnx.reference")
    import ml_dtypes

    ops.use_evaluator("auto")
    a = np.array([1.5, 2], ml_dtypes.bfloat16)
    (made,) = fold("onnx.Add", a, a)
    assert made.dtype == ml_dtypes.bfloat16
    assert made.astype(np.float32).tolist() == [3, 4]


def test_a_callable_gets_the_call() -> None:
    seen: list[ops.OpCall] = []

    def evaluate(call: ops.OpCall) -> Any:
        seen.append(call)
        return [call.operands[0]]

    assert ops.use_evaluator(evaluate) == "auto"
    assert ops.evaluator() is evaluate
    given = ir.Tensor([1.0, 2.0])
    found = ops.evaluate_operator("acme.Same", [given, None], {"k": (1, 2)}, opset=3)
    assert found is not None
    assert found[0] is given  # nothing is copied
    (call,) = seen
    assert (call.op, call.opset, call.attributes) == ("acme.Same", 3, {"k": (1, 2)})
    assert call.operands == (given, None)
    assert call.operand_types == (given.type, None)


def test_results_share_the_evaluators_memory() -> None:
    array = np.arange(1 << 16, dtype=np.float32)
    ops.use_evaluator(lambda call: [array])
    found = ops.evaluate_operator("acme.Big", [])
    assert found is not None
    assert np.shares_memory(found[0].numpy(), array)


def broken(call: ops.OpCall) -> Any:
    raise RuntimeError("no")


@pytest.mark.parametrize(
    "evaluate",
    [
        broken,
        lambda call: 1,
        lambda call: [],
        lambda call: "a",
        lambda call: [{}, 1],
        lambda call: None,
    ],
)
def test_a_failing_callable_is_no_answer(evaluate: Any) -> None:
    ops.use_evaluator(evaluate)
    assert ops.evaluate_operator("acme.Broken", []) is None
    ops.use_evaluator(None)
    assert ops.evaluate_operator("onnx.Add", [ir.Tensor([1]), ir.Tensor([1])]) is None


def test_an_interrupt_is_not_swallowed() -> None:
    def evaluate(call: ops.OpCall) -> Any:
        raise KeyboardInterrupt

    ops.use_evaluator(evaluate)
    with pytest.raises(KeyboardInterrupt):
        ops.evaluate_operator("acme.Stop", [])


def test_tensors_of_another_context_are_no_answer() -> None:
    other = ir.Tensor([1.0], context=ir.Context())
    ops.use_evaluator(lambda call: [other])
    assert ops.evaluate_operator("acme.Foreign", []) is None


def test_names_of_evaluators() -> None:
    with pytest.raises(ValueError, match="'auto', 'onnxruntime', 'reference'"):
        ops.use_evaluator("numpy")
    with pytest.raises(TypeError, match="callable"):
        ops.use_evaluator(1)  # type: ignore[arg-type]
    assert ops.evaluator() == "auto"
