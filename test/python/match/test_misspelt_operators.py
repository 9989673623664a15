"""A rule or pass may not create an operator that its domain lacks, unless the model already has that operator."""

import pytest

from ge import ir
from ge.es import onnx as op
from ge.passes import PassManager, p, rewrite, rewrite_rule

X = ir.TensorType((4,), ir.f32)


def graph_of(operator: str = "onnx.Abs") -> ir.Graph:
    graph = ir.Graph("main")
    first = graph.add_node(operator, [graph.add_input("x", X)], result_types=[X])
    graph.outputs = [graph.add_node("onnx.Neg", [first.result], result_types=[X]).result]
    return graph


@pytest.mark.parametrize("how", ["rewrite", "manager", "call"])
def test_a_misspelt_operator_of_a_rule_is_an_error(how: str) -> None:
    graph = graph_of()
    before = graph.to_text()
    rule = rewrite_rule(lambda x: op.Neg(x), lambda x: p.op("onnx.Reluu")(x), name="typo")
    with pytest.raises(
        ir.PassError, match=r"rule 'typo'.*'onnx' has no operator 'Reluu'; did you mean .*Relu"
    ):
        if how == "rewrite":
            rewrite(graph, rule)
        elif how == "call":
            rule(graph)
        else:
            PassManager().add(rule).run(graph)
    assert graph.to_text() == before


def test_a_misspelt_operator_of_a_pass_is_an_error() -> None:
    def add(graph: ir.Graph) -> bool:
        node = graph.add_node("onnx.Reluu", [graph.inputs[0]], result_types=[X])
        graph.outputs = [node.result]
        return True

    graph = graph_of()
    before = graph.to_text()
    with pytest.raises(ir.PassError, match="'onnx' has no operator 'Reluu'; did you mean"):
        PassManager().add(add).run(graph)
    assert graph.to_text() == before


@pytest.mark.parametrize("is_erased", [False, True])
def test_operators_that_the_model_has_may_be_copied(is_erased: bool) -> None:
    def copy(graph: ir.Graph) -> bool:
        old = graph.nodes[0]
        new = graph.add_node(old.op, list(old.operands), result_types=[X])
        if is_erased:
            old.replace_with(new.result)
        else:
            graph.outputs = [*graph.outputs, new.result]
        return True

    assert PassManager().add(copy).run(graph_of("onnx.Reluu")).changed


def test_operators_of_functions_of_the_model_are_inlined() -> None:
    graph = graph_of("onnx.Reluu")
    again = rewrite_rule(
        lambda x: p.any_op()(x).where(lambda v: v.node.op == "onnx.Reluu" and not v.node.origins),
        lambda x, match: ir.Node.create("onnx.Reluu", [x], result_types=[X]).result,
        per_match=True,
        name="again",
    )
    assert rewrite(graph, again).rewrites == 1


def test_operators_of_domains_without_definitions_are_allowed() -> None:
    graph = graph_of()
    rule = rewrite_rule(lambda x: op.Neg(x), lambda x: p.op("com.example.Reluu")(x), name="own")
    assert rewrite(graph, rule).rewrites == 1


def test_operators_of_canns_domain_are_allowed() -> None:
    def add(graph: ir.Graph) -> bool:
        graph.outputs = [graph.add_node("ge.MatMulV9", [graph.inputs[0]], result_types=[X]).result]
        return True

    import ge.es.math  # noqa: F401  # CANN's records

    assert PassManager().add(add).run(graph_of()).changed
