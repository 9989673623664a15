"""A pattern must use all of its parameters: an unused one would be an absent operand in the replacement."""

from typing import Any

import pytest

from ge import es, ir
from ge.es import onnx as op
from ge.passes import PassManager, PatternFusionPass, pattern, rewrite, rewrite_rule

X = ir.TensorType((4, 4), ir.f32)


def matmul_add() -> ir.Graph:
    with es.builder("main") as b:
        a, w, bias = (b.input(name, X) for name in ("a", "w", "bias"))
        b.output(op.Add(op.MatMul(a, w), bias), name="y")
    return b.graph


class Typo(PatternFusionPass):
    @pattern
    def mm(self, a: Any, b: Any, c: Any) -> Any:
        return op.Add(op.MatMul(a, b), b)

    def replacement(self, a: Any, b: Any, c: Any) -> Any:  # type: ignore[override]
        return op.Gemm(a, b, c)


def test_a_parameter_that_a_method_never_uses_is_an_error() -> None:
    graph = matmul_add()
    before = graph.to_text()
    with pytest.raises(
        ir.PassError, match=r"pattern 'mm' never uses its parameter 'c' \(.*unused\.py:\d+\)"
    ):
        PassManager().add(Typo).run(graph)
    assert graph.to_text() == before


def test_a_parameter_that_a_function_never_uses_is_an_error() -> None:
    with pytest.raises(TypeError, match="never uses its parameter 'u'"):
        rewrite_rule(lambda a, b, u: op.MatMul(a, b), lambda a, b, u: op.Gemm(a, b, u))

    @pattern
    def pair(x: Any, y: Any) -> Any:
        return op.Relu(x)

    with pytest.raises(TypeError, match="pattern 'pair' never uses its parameter 'y'"):
        matmul_add().find(pair)


def test_a_parameter_with_the_default_none_is_absent_in_each_match() -> None:
    class Gemm(PatternFusionPass):
        @pattern
        def with_bias(self, a: Any, b: Any, c: Any) -> Any:
            return op.Add(op.MatMul(a, b), c)

        @pattern
        def plain(self, a: Any, b: Any, c: Any = None) -> Any:
            return op.MatMul(a, b)

        def replacement(self, a: Any, b: Any, c: Any) -> Any:  # type: ignore[override]
            return op.Gemm(a, b, c)

    for graph, operands in ((matmul_add(), 3), (product(), 2)):
        PassManager().add(Gemm).run(graph)
        assert [node.type for node in graph.nodes] == ["Gemm"]
        assert sum(o is not None for o in graph.nodes[0].operands) == operands


def product() -> ir.Graph:
    with es.builder("main") as b:
        b.output(op.MatMul(b.input("a", X), b.input("w", X)), name="y")
    return b.graph


def test_patterns_of_inputs_need_not_use_all_of_them() -> None:
    class Inputs(PatternFusionPass):
        @pattern
        def mm(self, inputs: Any) -> Any:
            a, b, _ = inputs[:3]
            return op.MatMul(a, b)

        def replacement(self, inputs: Any) -> Any:
            return op.Gemm(inputs[0], inputs[1])

    graph = product()
    PassManager().add(Inputs).run(graph)
    assert [node.type for node in graph.nodes] == ["Gemm"]


def test_a_condition_of_if_has_one_element() -> None:
    lazy = rewrite_rule(
        lambda c, x: op.Where(c, op.Relu(x), op.Neg(x)),
        lambda c, x: op.If(c, then_branch=lambda: op.Relu(x), else_branch=lambda: op.Neg(x)),
        name="lazy",
    )
    for shape, says in (((4, 4), r"bool\[4, 4\].*one element"), ((), "")):
        with es.builder("main") as b:
            c, x = b.input("c", ir.TensorType(shape, ir.i1)), b.input("x", X)
            b.output(op.Where(c, op.Relu(x), op.Neg(x)), name="y")
        before = b.graph.to_text()
        if says:
            with pytest.raises(ir.GEError, match=says):
                rewrite(b.graph, lazy)
            assert b.graph.to_text() == before
        else:
            assert rewrite(b.graph, lazy).rewrites == 1
