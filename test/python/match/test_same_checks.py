"""`rewrite` without a pass manager rejects and rolls back the same replacements as a manager that runs the rule."""

from collections.abc import Callable
from typing import Any

import pytest

from ge import es, ir
from ge.es import onnx as op
from ge.passes import PassManager, p, rewrite, rewrite_rule

F = ir.TensorType((2, 3), ir.f32)
T = ir.TensorType((3, 2), ir.f32)


def module() -> ir.Module:
    """Return a module with Cast, Transpose, Exp and Neg that imports opset 17."""
    with es.builder("main") as b:
        x = op.Cast(b.input("x", F), to=ir.f32)
        b.output(op.Neg(op.Exp(op.Transpose(x, perm=[1, 0]))), name="y")
    made = ir.Module("m")
    made.attributes["onnx.opset_imports"] = {"onnx": 17}
    made.add_graph(b.graph)
    return made


def by_function(edit: Callable[[ir.Graph], object]) -> Any:
    """Return a rule that replaces Neg by Relu and edits the graph around it."""

    def replacement(x: ir.Value) -> ir.Value:
        graph = x.node.graph
        assert graph is not None
        edit(graph)
        return op.Relu(x)

    return rewrite_rule(lambda x: op.Neg(x), replacement, name="r", per_match=True)


def only(graph: ir.Graph, operator: str) -> ir.Node:
    (node,) = graph.find_all(operator)
    return node


def cycle(graph: ir.Graph) -> None:
    relu = graph.add_node("onnx.Abs", [only(graph, "onnx.Exp").result], result_types=[T])
    only(graph, "onnx.Exp").operands[0] = relu.result


def of_graph(inner: ir.TensorType) -> Any:
    """Return a rule whose replacement declares the type of an inner value."""
    g = ir.Graph("r")
    first = g.add_node("onnx.Relu", [g.add_input("x", T)], result_types=[inner])
    g.outputs = [g.add_node("onnx.Abs", [first.result], result_types=[T]).result]
    return rewrite_rule(lambda x: op.Neg(x), g, name="r")


def captured() -> Any:
    """Return a rule that passes a captured list of numbers as the attribute `axis`, an int."""
    g = ir.Graph("r")
    node = g.add_node(
        "onnx.Softmax", [g.add_input("x", F)], {"axis": {"match.bind": "k"}}, result_types=[T]
    )
    g.outputs = [node.result]
    pattern = lambda x: p.op("onnx.Transpose")(x, perm=p.attr(bind="k"))  # noqa: E731
    return rewrite_rule(pattern, g, name="r")


CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "cycle": (lambda: by_function(cycle), "has a cycle"),
    "inner type": (lambda: of_graph(ir.TensorType((4,), ir.f32)), r"f32\[4\]"),
    "inner element type": (lambda: of_graph(ir.TensorType((3, 2), ir.i64)), r"i64\[3, 2\]"),
    "captured attribute": (captured, "attribute 'axis' must be int"),
    "attribute that contradicts": (
        lambda: by_function(
            lambda g: only(g, "onnx.Transpose").attributes.update(perm=[0, 1, 2]),
        ),
        "'perm' has 3 numbers",
    ),
    "attribute of another kind": (
        lambda: by_function(lambda g: only(g, "onnx.Transpose").attributes.update(perm="no")),
        "attribute 'perm' must be",
    ),
    "attribute that is taken away": (
        lambda: by_function(lambda g: only(g, "onnx.Cast").attributes.pop("to")),
        "attribute 'to' is missing",
    ),
    "newer operator": (
        lambda: rewrite_rule(lambda x: op.Neg(x), lambda x: op.Gelu(x), name="r"),
        "came with opset 20",
    ),
    "operands that do not fit": (
        lambda: rewrite_rule(lambda x: op.Neg(x), lambda x: op.MatMul(x, x), name="r"),
        "these must be equal",
    ),
    "shape of an output": (
        lambda: rewrite_rule(lambda x: op.Neg(x), lambda x: op.Transpose(x), name="r"),
        "an output of graph 'main'",
    ),
}


@pytest.mark.parametrize("how", ["rewrite", "manager on a graph", "manager on a module"])
@pytest.mark.parametrize("name", CASES)
def test_what_is_refused_in_a_manager_is_refused_outside(name: str, how: str) -> None:
    rule, says = CASES[name]
    target = module()
    (graph,) = target.graphs.values()
    before = target.to_text()
    with pytest.raises(ir.PassError, match=says):
        if how == "rewrite":
            rewrite(graph, rule())
        else:
            PassManager().add(rule()).run(target if how.endswith("module") else graph)
    assert target.to_text() == before


@pytest.mark.parametrize("how", ["rewrite", "manager"])
def test_what_was_wrong_before_is_no_fault_of_rules(how: str) -> None:
    target = module()
    (graph,) = target.graphs.values()
    transpose = only(graph, "onnx.Transpose")
    transpose.attributes["prem"] = 1
    transpose.result.type = ir.TensorType((7, 7), ir.f32)
    rule = by_function(lambda g: only(g, "onnx.Transpose").attributes.update(perm=[0, 1]))
    if how == "rewrite":
        assert rewrite(graph, rule).rewrites == 1
    else:
        assert PassManager().add(rule).run(graph).changed
