"""A declared type that inference contradicts is not used: rules, classes and searches skip the match and report it.

``s = Add(k, k)`` has the shape [1] of k and is declared as [2, 3]. Conditions, replacements that are called for each
match and constraints of patterns would rely on the declaration; code that reads no types is not affected.
"""

from collections.abc import Callable
from typing import Any

import pytest

from ge import es, ir
from ge.es import onnx as op
from ge.passes import (
    DecomposePass,
    FusionBasePass,
    PassManager,
    PatternFusionPass,
    explain,
    explain_pass,
    p,
    pattern,
    rewrite,
    rewrite_rule,
)

F1, F23 = ir.TensorType((1,), ir.f32), ir.TensorType((2, 3), ir.f32)
SAID = "result 0 of node 's' (onnx.Add) is declared as f32[2, 3], but inferred as f32[1]"


def stale(declared: ir.TensorType = F23) -> ir.Graph:
    graph = ir.Graph("g")
    k = graph.add_input("k", F1)
    s = graph.add_node("onnx.Add", [k, k], name="s", result_types=[declared]).result
    graph.outputs = [graph.add_node("onnx.Neg", [s], name="n", result_types=[declared]).result]
    return graph


def operators(graph: ir.Graph) -> list[str]:
    return [node.type for node in graph.nodes]


def remarks(result: Any) -> list[str]:
    return [str(remark) for one in result.passes for remark in one.remarks]


def negation(x: Any) -> Any:
    return op.Neg(x)


def absolute(x: Any) -> Any:
    return op.Abs(x)


def asked(*types: Any) -> bool:
    raise AssertionError("a hook was asked about a disputed type")


class Reads(PatternFusionPass):
    @pattern
    def negation(self, x: Any) -> Any:
        return op.Neg(x)

    def meet_requirements(self, match: Any) -> bool:
        return bool(match["x"].type.rank == 2)

    def replacement(self, x: Any) -> Any:
        return op.Abs(x)


class Builds(PatternFusionPass):
    @pattern
    def negation(self, x: Any) -> Any:
        return op.Neg(x)

    def replacement(self, x: Any) -> Any:
        return op.Abs(x) if x.type.rank == 2 else op.Relu(x)


class Decomposes(DecomposePass):
    op_types = ("Neg",)

    def meet_requirements(self, node: ir.Node) -> bool:
        return asked(node.operands[0].type)

    def replacement(self, node: ir.Node) -> ir.Graph:
        return asked()  # type: ignore[return-value]


RULES: dict[str, Callable[[], Any]] = {
    "condition": lambda: rewrite_rule(negation, absolute, when=lambda x: x.type.shape == (2, 3)),
    "condition of the match": lambda: rewrite_rule(
        negation, absolute, when=lambda match: asked(match)
    ),
    "shape": lambda: rewrite_rule(lambda x: op.Neg(p.where(x, shape=(2, 3))), lambda x: op.Abs(x)),
    "symbols": lambda: rewrite_rule(
        lambda x: op.Neg(p.where(x, shape=("N", "M"))), lambda x: op.Abs(x)
    ),
    "element type": lambda: rewrite_rule(
        lambda x: op.Neg(p.where(x, dtype=ir.f32)), lambda x: op.Abs(x)
    ),
    "predicate": lambda: rewrite_rule(lambda x: op.Neg(p.where(x, asked)), lambda x: op.Abs(x)),
    "result": lambda: rewrite_rule(lambda x: p.where(op.Neg(x), shape=(2, 3)), lambda x: op.Abs(x)),
    "replacement of each match": lambda: rewrite_rule(
        lambda x: op.Neg(x), lambda x: op.Abs(x), per_match=True
    ),
    "class with a condition": lambda: Reads,
    "class that builds": lambda: Builds,
    "class for nodes": lambda: Decomposes,
}


@pytest.mark.parametrize("what", RULES)
def test_what_looks_at_a_disputed_type_leaves_the_match_and_says_so(what: str) -> None:
    graph = stale()
    result = PassManager().add(RULES[what]()).run(graph)
    assert operators(graph) == ["Add", "Neg"]
    (remark,) = [r for r in remarks(result) if "is declared as" in r]
    assert (
        SAID.replace("'s' (onnx.Add)", "'n' (onnx.Neg)" if what == "result" else "'s' (onnx.Add)")
        in remark
    )
    assert "infer-types" in remark


@pytest.mark.parametrize(
    "what", [w for w in RULES if not w.endswith(("match", "predicate", "nodes"))]
)
def test_after_inference_the_types_are_believed(what: str) -> None:
    """So are declared types that inference confirms from the start."""
    graph = stale(F1)
    PassManager().add(rewrite_rule(negation, absolute, when=lambda x: x.type.shape == (1,))).run(
        graph
    )
    assert operators(graph) == ["Add", "Abs"]
    graph = stale()
    graph.outputs = [graph.add_node("onnx.Relu", [graph.find("n").result]).result]
    result = PassManager.parse("infer-types").add(RULES[what]()).run(graph)
    expected = (
        "Neg"
        if what in ("condition", "shape", "symbols", "result", "class with a condition")
        else None
    )
    changed = operators(graph)[1]
    assert changed == expected if expected else changed in ("Abs", "Relu")
    assert not [r for r in remarks(result) if "does not match" in r]


def test_what_looks_at_no_type_is_not_affected() -> None:
    graph = stale()
    result = PassManager().add(rewrite_rule(lambda x: op.Neg(x), lambda x: op.Abs(x))).run(graph)
    assert operators(graph) == ["Add", "Abs"] and not remarks(result)


def test_types_that_follow_from_a_disputed_one_are_disputed() -> None:
    graph = ir.Graph("g")
    k = graph.add_input("k", F1)
    s = graph.add_node("onnx.Add", [k, k], name="s", result_types=[F23]).result
    m = graph.add_node("onnx.Abs", [s], name="m", result_types=[F23]).result
    graph.outputs = [graph.add_node("onnx.Neg", [m], name="n", result_types=[F23]).result]
    rule = rewrite_rule(negation, absolute, when=lambda x: asked(x.type))
    assert not rewrite(graph, rule)
    assert [value.node.name for value in graph.type_disputes()] == ["s", "m", "n"]


def test_searches_and_explanations_see_the_same() -> None:
    graph = stale()
    assert graph.find_all("onnx.Neg")
    shaped = pattern(lambda x: op.Neg(p.where(x, shape=(2, 3))))
    assert graph.find(shaped) == []
    assert len(stale(F1).find(pattern(lambda x: op.Neg(p.where(x, shape=(1,)))))) == 1
    assert len(graph.find(pattern(lambda x: op.Neg(x)))) == 1
    (attempt,) = explain(graph, shaped).attempts
    assert (attempt.reason, attempt.found) == ("shape", SAID)
    rule = rewrite_rule(negation, absolute, when=lambda x: asked(x.type))
    (attempt,) = explain(graph, rule).attempts
    assert attempt.reason == "condition" and "is declared as f32[2, 3]" in attempt.found
    for cls in (Reads, Decomposes):
        ((attempt,),) = [each.attempts for each in explain_pass(graph, cls)]
        assert attempt.reason == "condition" and "is declared as f32[2, 3]" in attempt.found
    with pytest.raises(TypeError, match="explain_pass\\(\\) takes classes of passes"):
        explain(graph, Reads)


def test_disputes_are_listed_and_change_nothing() -> None:
    graph = stale()
    before = graph.to_text()
    found = graph.type_disputes()
    assert [value.node.name for value in found] == ["s", "n"] and found[
        graph.find("s").result
    ] == SAID
    assert graph.to_text() == before and not graph.find("s").result.is_type_inferred
    assert stale(F1).type_disputes() == {}
    seen = []

    class Looks(FusionBasePass):
        def run(self, graph: ir.Graph, context: Any) -> None:
            seen.extend(graph.type_disputes().values())

    PassManager().add(Looks).run(graph)
    assert len(seen) == 2 and SAID in seen


def test_types_of_unregistered_operators_are_believed() -> None:
    graph = ir.Graph("g")
    k = graph.add_input("k", F1)
    s = graph.add_node("acme.Op", [k], name="s", result_types=[F23]).result
    graph.outputs = [graph.add_node("onnx.Neg", [s], name="n", result_types=[F23]).result]
    PassManager().add(Reads).run(graph)
    assert operators(graph) == ["Op", "Abs"]


def test_guesses_and_layouts_of_cann_are_no_disputes() -> None:
    """CANN's builder declares unknown types as f32 without a rank; engines compute in layouts of their own."""
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType((2,), ir.i64))
    guess = ir.TensorType(None, ir.f32)
    s = graph.add_node("ge.Add", [x, x], name="s", result_types=[guess]).result
    graph.outputs = [s]
    assert graph.type_disputes() == {}


def test_a_body_sees_disputes_of_the_graph_around_it() -> None:
    with es.builder("main") as b:
        k, c = b.input("k", F1), b.input("c", ir.TensorType((), ir.i1))
        s = b.graph.add_node("onnx.Add", [k, k], name="s", result_types=[F23]).result
        b.output(*op.If(c, then_branch=lambda: op.Neg(s), else_branch=lambda: op.Abs(k)))
    rule = rewrite_rule(negation, absolute, when=lambda x: asked(x.type))
    assert not rewrite(b.graph, rule)
    (choice,) = b.graph.find_all("onnx.If")
    assert not rewrite(choice.subgraphs["then_branch"], rule)
    assert SAID in b.graph.type_disputes().values()


def test_nodes_of_equal_types_are_distinguished_where_contents_count() -> None:
    """Comparisons are cached by operator and types, but the result type of a Reshape also depends on its constant."""
    graph = ir.Graph("g")
    f6 = ir.TensorType((6,), ir.f32)
    x = graph.add_input("x", f6)
    values = []
    for name, sizes in (("right", [2, 3]), ("wrong", [3, 2]), ("again", [2, 3])):
        to = graph.add_node(
            "ge.Const",
            [],
            {"value": ir.Tensor(sizes, dtype=ir.i64)},
            result_types=[ir.TensorType((2,), ir.i64)],
        ).result
        values.append(graph.add_node("onnx.Reshape", [x, to], name=name, result_types=[F23]).result)
        values.append(graph.add_node("onnx.Neg", [values[-1]], result_types=[F23]).result)
    graph.outputs = values
    assert [v.node.name for v in graph.type_disputes() if v.node.type == "Reshape"] == ["wrong"]
    assert len(graph.type_disputes()) == 2
