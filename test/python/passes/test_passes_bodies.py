"""Replacements with nodes that have bodies: every style of pass copies the bodies, with captures and names."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import ge.ir as ir  # noqa: E402
from ge import es  # noqa: E402
from ge.es import onnx as op  # noqa: E402
from ge.passes import (  # noqa: E402
    DecomposePass,
    FusionBasePass,
    PassManager,
    PatternFusionPass,
    SubgraphBoundary,
    SubgraphInput,
    SubgraphOutput,
    SubgraphRewriter,
    pattern,
    rewrite,
    rewrite_rule,
)

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented
X, BOOL = ir.TensorType((4,), ir.f32), ir.TensorType((), ir.DType("bool"))


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    yield
    gc.collect()


def chosen(c: Any, x: Any) -> Any:
    """Build an If inside of an If; the inner bodies capture values of all enclosing graphs."""

    def inner() -> Any:
        y = op.Neg(x)
        return op.If(c, then_branch=lambda: op.Abs(y), else_branch=lambda: op.Add(x, y))

    return op.If(c, then_branch=lambda: op.Relu(x), else_branch=inner)


@pattern
def where(c: Any, x: Any) -> Any:
    return op.Where(c, op.Relu(x), op.Add(x, op.Neg(x)))


where.compiled()  # cached with the function, so that no test reports it as a leak


def network() -> ir.Graph:
    with es.builder("main", opset=18) as b:
        c, x = b.input("c", BOOL), b.input("x", X)
        b.output(op.Where(c, op.Relu(x), op.Add(x, op.Neg(x))), name="y")
    return b.graph


def branch(values: Any) -> ir.Graph:
    with es.builder("branch", opset=18) as b:
        c, x = (b.input(name, v.type) for name, v in zip("cx", values, strict=True))
        b.output(*chosen(c, x))
    return b.graph


class Named(PatternFusionPass):
    @pattern
    def where(self, c: Any, x: Any) -> Any:
        return op.Where(c, op.Relu(x), op.Add(x, op.Neg(x)))

    def replacement(self, c: Any, x: Any) -> ir.Graph:
        return branch((c, x))


class InGEsStyle(PatternFusionPass):
    def patterns(self) -> list[Any]:
        return [where]

    def replacement(self, match: Any) -> ir.Graph:
        return branch(match.inputs)


class ByHand(FusionBasePass):
    def run(self, graph: ir.Graph, context: Any) -> None:
        for node in list(graph.find_all("onnx.Where")):
            relu = node.operands[1].node
            add = node.operands[2].node
            boundary = SubgraphBoundary()
            boundary.add_input(0, SubgraphInput([(node, 0)]))
            boundary.add_input(1, SubgraphInput([(relu, 0), (add, 0), (add.operands[1].node, 0)]))
            boundary.add_output(0, SubgraphOutput(node, 0))
            made = branch((node.operands[0], relu.operands[0]))
            SubgraphRewriter.replace(boundary, made, context=context)


@pytest.mark.parametrize("what", ["traced", "graph", Named, InGEsStyle, ByHand])
def test_a_replacement_with_bodies(what: Any) -> None:
    graph = network()
    if isinstance(what, str):
        what = rewrite_rule(where, chosen if what == "traced" else branch(graph.inputs))
    result = PassManager(check="rewrite").add(what).run(graph)
    assert result.rewrite_check is not None
    assert (result.rewrite_check.rewrites, result.rewrite_check.unevaluated) == (1, [])
    (choice,) = graph.nodes
    assert choice.op == "onnx.If" and "onnx.Where" in [o.op for o in choice.origins]
    (inner,) = choice.subgraphs["else_branch"].find_all("onnx.If")
    assert inner.operands[0] is graph.inputs[0]
    relu = choice.subgraphs["then_branch"].nodes[0]
    assert (relu.op, relu.operands[0] is graph.inputs[1]) == ("onnx.Relu", True)
    assert list(graph.output_names) == ["y"]
    graph.verify()


def test_a_decomposition_into_bodies() -> None:
    class Lazy(DecomposePass):
        op_types = ("Where",)

        def replacement(self, node: ir.Node) -> ir.Graph:
            with es.builder("lazy", opset=18) as b:
                c, x, y = (b.input(f"i{i}", v.type) for i, v in enumerate(node.operands))
                b.output(
                    *op.If(
                        c, then_branch=lambda: op.Identity(x), else_branch=lambda: op.Identity(y)
                    )
                )
            return b.graph

    graph = network()
    result = PassManager(check="rewrite").add(Lazy).run(graph)
    assert result.rewrite_check is not None and result.rewrite_check.rewrites == 1
    graph.verify()


def test_each_match_has_bodies_of_its_own() -> None:
    with es.builder("main", opset=18) as b:
        c, x = b.input("c", BOOL), b.input("x", X)
        for _ in range(3):
            x = op.Where(c, op.Relu(x), op.Add(x, op.Neg(x)))
        b.output(x)
    graph = b.graph
    rule = rewrite_rule(where, chosen, name="lazy")
    assert rewrite(graph, rule).per_rule == {"lazy": 3}
    names = [n.name for n in graph.walk() if n.has_name]
    assert len(names) == len(set(names))
    assert [n.op for n in graph.nodes] == ["onnx.If"] * 3
    graph.infer_types()
    graph.verify()
    # A replacement that raises leaves no bodies behind.
    before = str(graph)

    def fails(x: Any) -> Any:
        raise ValueError("no")

    broken = rewrite_rule(lambda x: op.Abs(x), fails, per_match=True)
    with pytest.raises(ValueError, match="no"):
        rewrite(graph, [broken])
    assert str(graph) == before


def test_another_number_of_outputs_is_refused() -> None:
    class Two(Named):
        def replacement(self, c: Any, x: Any) -> ir.Graph:
            graph = branch((c, x))
            graph.outputs = [*graph.outputs, graph.inputs[1]]
            return graph

    graph = network()
    before = str(graph)
    with pytest.raises(ir.PassError, match="Replacement output size: 2"):
        PassManager().add(Two).run(graph)
    assert str(graph) == before
