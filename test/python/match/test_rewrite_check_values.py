"""``check="rewrite"``: how values are computed for the comparison, and reports of rewrites that cannot be compared."""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rewrite_checks import FLOATS, Double, run, three

import ge.ir as ir
from ge import es, ops
from ge.es import onnx as op
from ge.passes import (
    DecomposePass,
    PassManager,
    WrongRewriteError,
    check_reproducer,
    p,
    pattern,
    rewrite_rule,
)

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytestmark = [
    pytest.mark.nosan,  # onnxruntime's own libraries are not built for it
    pytest.mark.usefixtures("clean_passes"),
]


def custom() -> ir.Graph:
    graph = ir.Graph("main")
    x = graph.add_input("x", FLOATS)
    node = graph.add_node("acme.Scale", [x], {"by": 2.0}, name="scale", result_types=FLOATS)
    graph.outputs = [node]
    graph.attributes["opset"] = 17
    return graph


def scale_is(replacement: Any) -> Any:
    return rewrite_rule(lambda x: p.op("acme.Scale")(x), replacement, name="scale")


def test_what_nothing_evaluates_is_counted_and_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "ge.passes"):
        result = run(custom(), scale_is(lambda x: op.Add(x, x)), tmp_path)
    (doubt,) = result.rewrite_check.unevaluated
    assert result.rewrite_check.rewrites == 0
    assert doubt.nodes == ("acme.Scale scale",) and "Scale" in doubt.reason
    assert "not evaluated: pass 'scale', rewrite 1" in caplog.text
    assert "1 could not be evaluated" in str(result.rewrite_check)


@pytest.fixture
def evaluator() -> Iterator[Any]:
    before = ops.use_evaluator("auto")
    yield ops.use_evaluator
    ops.use_evaluator(before)


def test_an_evaluator_of_the_user_is_called(tmp_path: Path, evaluator: Any) -> None:
    def scale(call: Any) -> Sequence[Any] | None:
        if call.op != "acme.Scale":
            return None
        return [call.operands[0].numpy() * np.float32(call.attributes["by"])]

    evaluator(scale)
    result = run(custom(), scale_is(lambda x: op.Add(x, x)), tmp_path)
    assert result.rewrite_check.rewrites == 1
    with pytest.raises(WrongRewriteError) as raised:
        run(custom(), scale_is(lambda x: op.Mul(x, x)), tmp_path)
    assert not check_reproducer(raised.value.reproducer)


def test_an_evaluator_that_raises_is_no_agreement(tmp_path: Path, evaluator: Any) -> None:
    def raises(call: Any) -> Any:
        if call.op == "acme.Scale":
            raise ZeroDivisionError("no scale")
        return None

    evaluator(raises)
    result = run(custom(), scale_is(lambda x: op.Add(x, x)), tmp_path)
    (doubt,) = result.rewrite_check.unevaluated
    assert "the evaluator raised ZeroDivisionError: no scale" in doubt.reason
    assert result.rewrite_check.rewrites == 0


def test_an_evaluator_that_was_added_is_shown_as_itself(tmp_path: Path) -> None:
    from ge import ops

    def raises(call: Any) -> Any:
        if call.op == "acme.Scale":
            raise ZeroDivisionError("no scale")
        return None

    def scale(call: Any) -> Sequence[Any] | None:
        if call.op != "acme.Scale":
            return None
        return [call.operands[0].numpy() * np.float32(call.attributes["by"])]

    def nothing(call: Any) -> Sequence[Any] | None:
        return [] if call.op == "acme.Scale" else None

    doubled = scale_is(lambda x: op.Add(x, x))
    with ops.add_evaluator(raises):
        result = run(custom(), doubled, tmp_path)
    (doubt,) = result.rewrite_check.unevaluated
    assert "the evaluator raised ZeroDivisionError: no scale" in doubt.reason
    with ops.add_evaluator(nothing, name="nothing"):
        result = run(custom(), doubled, tmp_path)
    (doubt,) = result.rewrite_check.unevaluated
    assert (
        "the return value of evaluator 'nothing' for acme.Scale is rejected: it has 0 results of 1"
        in doubt.reason
    )
    with ops.add_evaluator(scale):
        assert run(custom(), doubled, tmp_path).rewrite_check.rewrites == 1


def test_random_operators_are_no_agreement(tmp_path: Path) -> None:
    with es.builder("main", opset=17) as b:
        b.output(op.Add(op.RandomNormalLike(x := b.input("x", FLOATS)), x), name="y")
    rule = rewrite_rule(
        lambda x: op.RandomNormalLike(x), lambda x: op.RandomUniformLike(x), name="noise"
    )
    result = run(b.graph, rule, tmp_path)
    (doubt,) = result.rewrite_check.unevaluated
    assert "another result each time" in doubt.reason


def test_nan_everywhere_is_no_agreement(tmp_path: Path) -> None:
    with es.builder("main", opset=17) as b:
        b.output(op.Sqrt(op.Sub(op.Neg(op.Abs(b.input("x", FLOATS))), np.float32(1))), name="y")
    rule = rewrite_rule(
        lambda x, c: op.Sqrt(op.Sub(op.Neg(op.Abs(x)), c)),
        lambda x, c: op.Log(op.Sub(op.Neg(op.Abs(x)), c)),
        name="nan",
    )
    result = run(b.graph, rule, tmp_path)
    (doubt,) = result.rewrite_check.unevaluated
    assert "only NaN and infinities came out of what matched" in doubt.reason


def conditional() -> ir.Graph:
    """Return a graph with an If that has a product in each branch; both capture ``x``."""
    graph = ir.Graph("main")
    graph.attributes["opset"] = 17
    condition = graph.add_input("condition", ir.TensorType((), ir.i1))
    x = graph.add_input("x", FLOATS)
    node = graph.add_node("onnx.If", [condition], name="if", result_types=FLOATS)
    for slot in ("then_branch", "else_branch"):
        body = node.add_subgraph(slot)
        made = body.add_node("onnx.Mul", [x, x], name=f"mul_{slot}", result_types=FLOATS)
        body.outputs = [made]
    graph.outputs = [node]
    return graph


def test_rewrites_in_bodies_are_compared(tmp_path: Path) -> None:
    square = rewrite_rule(lambda a: op.Mul(a, a), lambda a: op.Pow(a, np.float32(2)), name="square")
    result = run(conditional(), square, tmp_path)
    assert result.rewrite_check.rewrites == 2
    wrong = rewrite_rule(lambda a: op.Mul(a, a), lambda a: op.Add(a, a), name="wrong")
    with pytest.raises(WrongRewriteError) as raised:
        run(conditional(), wrong, tmp_path)
    assert raised.value.nodes == ["onnx.Mul mul_then_branch"]


def test_the_order_of_a_body_is_left_alone(tmp_path: Path) -> None:
    graph = conditional()
    body = graph.find("if").subgraphs[0]
    late = body.add_node("onnx.Neg", [body.nodes[0].result], name="late", result_types=FLOATS)
    body.outputs = [late]
    late.move_before(body.nodes[0])
    # A rule may not change the shape of an output, so the If must not be one.
    graph.outputs = [graph.add_node("onnx.Neg", list(graph.outputs), result_types=FLOATS)]

    node = graph.find("if")
    rule = rewrite_rule(lambda c: p.op("onnx.If")(c), lambda c: op.Cast(c, to=ir.f32), name="cast")
    with pytest.raises(WrongRewriteError):
        run(graph, rule, tmp_path)
    assert [n.name for n in node.subgraphs[0].nodes] == ["late", "mul_then_branch"]


def test_a_match_with_bodies_is_compared(tmp_path: Path) -> None:
    graph = conditional()
    rule = rewrite_rule(
        lambda c: p.op("onnx.If")(c), lambda c: op.Identity(c), when=lambda match: False
    )
    assert run(graph, rule, tmp_path).rewrite_check.rewrites == 0

    class Squares(DecomposePass):
        op_types = ("If",)

        def replacement(self, node):
            with es.builder("made", opset=17) as b:
                condition = b.input("condition", node.operands[0].type)
                b.output(op.Cast(condition, to=ir.f32))
            return b.graph

    with pytest.raises(WrongRewriteError, match="became float32"):
        run(graph, Squares, tmp_path)


def test_symbols_get_sizes_that_fit(tmp_path: Path) -> None:
    with es.builder("main", opset=17) as b:
        left = b.input("left", ir.TensorType(("batch", "rows", "inner"), ir.f32))
        right = b.input("right", ir.TensorType(("batch", "inner", None), ir.f32))
        b.output(op.Relu(op.MatMul(left, right)), name="y")
    rule = rewrite_rule(
        lambda a, b: op.Relu(op.MatMul(a, b)),
        lambda a, b: op.Max([op.MatMul(a, b), np.float32(0)]),
        name="max",
    )
    assert run(b.graph, rule, tmp_path).rewrite_check.rewrites == 1


def test_a_value_of_unknown_type_is_computed_from_what_is_before_it(tmp_path: Path) -> None:
    graph = ir.Graph("main")
    graph.attributes["opset"] = 17
    x = graph.add_input("x", FLOATS)
    exp = graph.add_node("onnx.Exp", [x], name="exp")  # of unknown type
    relu = graph.add_node("onnx.Relu", [exp], name="relu")
    graph.outputs = [relu]
    same = rewrite_rule(lambda x: op.Relu(x), lambda x: op.Max([x, np.float32(0)]), name="max")
    assert run(graph.clone(), same, tmp_path).rewrite_check.rewrites == 1
    wrong = rewrite_rule(lambda x: op.Relu(x), lambda x: op.Neg(x), name="wrong")
    with pytest.raises(WrongRewriteError) as raised:
        run(graph, wrong, tmp_path)
    assert "onnx.Exp" in Path(raised.value.reproducer).read_text()


def test_several_outputs_and_constants_keep_their_values(tmp_path: Path) -> None:
    def halves() -> ir.Graph:
        with es.builder("main", opset=17) as b:
            x = b.input("x", FLOATS)
            shifted = op.Add(x, np.arange(4, dtype=np.float32))
            b.output(shifted, name="shifted")
            b.output(op.Relu(shifted), name="y")
        return b.graph

    @pattern
    def both(x, c):
        shifted = op.Add(x, c)
        return shifted, op.Relu(shifted)

    right = rewrite_rule(
        both, lambda x, c: (op.Sub(x, op.Neg(c)), op.Relu(op.Sub(x, op.Neg(c)))), name="right"
    )
    assert run(halves(), right, tmp_path).rewrite_check.rewrites == 1
    swapped = rewrite_rule(both, lambda x, c: (op.Relu(op.Add(x, c)), op.Add(x, c)), name="swapped")
    with pytest.raises(WrongRewriteError, match="output 'Add#"):
        run(halves(), swapped, tmp_path)


def test_a_module_keeps_its_operator_sets_and_functions(tmp_path: Path) -> None:
    module = ir.Module("m")
    module.add_graph(three())
    module.attributes["onnx.opset_imports"] = {"onnx": 13}
    manager = PassManager(check="rewrite", check_dir=tmp_path).add(Double)
    with pytest.raises(WrongRewriteError) as raised:
        manager.run(module)
    assert "onnx = 13" in Path(raised.value.reproducer).read_text()
