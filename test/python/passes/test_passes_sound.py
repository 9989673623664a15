"""Nodes that rules and passes create fit the model: its opset, its types, and its outputs.

A stale declared shape is corrected; a shape that inference confirms stays.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_run import ge, write_model

import ge.ir as ir
from ge import onnx as ge_onnx
from ge.es import onnx as op
from ge.passes import FusionBasePass, PassManager, rewrite, rewrite_rule

onnx = pytest.importorskip("onnx")
from onnx import helper  # noqa: E402

X = ir.TensorType((2, 3), ir.f32)


def graph_of(*ops: str, type_: ir.TensorType = X, opset: int | None = None) -> ir.Graph:
    """Return a chain of operators, all declared with one type."""
    graph = ir.Graph("g")
    if opset is not None:
        graph.attributes["opset"] = opset
    value = graph.add_input("x", type_)
    for name in ops:
        value = graph.add_node(f"onnx.{name}", [value], result_types=[type_], name=name).result
    graph.outputs = [value]
    return graph


def transpose(x: Any) -> Any:
    return op.Transpose(x, perm=[1, 0])


def managed(graph: ir.Graph, rule: Any) -> None:
    PassManager().add(rule).run(graph)


DOORS = pytest.mark.parametrize("apply", [rewrite, managed])


# --- Opsets


@DOORS
def test_a_rule_to_an_operator_newer_than_the_opset_is_refused(apply: Callable[..., Any]) -> None:
    graph = graph_of("Relu", opset=17)
    before = str(graph)
    rule = rewrite_rule(lambda x: op.Relu(x), lambda x: op.Gelu(x), name="gelu")
    says = "rule 'gelu': .*onnx.Gelu.* came with opset 20 of 'onnx', the model imports 17"
    with pytest.raises(ir.PassError, match=says):
        apply(graph, rule)
    assert str(graph) == before
    graph.attributes["opset"] = 20
    apply(graph, rule)
    assert [n.op for n in graph.nodes] == ["onnx.Gelu"]


@DOORS
def test_a_rule_to_another_form_of_an_operator_is_refused(apply: Callable[..., Any]) -> None:
    """ReduceSum has an operand `axes` only from opset 13 on."""
    graph = graph_of("Relu", opset=11)
    rule = rewrite_rule(lambda x: op.Relu(x), lambda x: op.ReduceSum(x, [1], keepdims=1))
    with pytest.raises(ir.PassError, match="has 2 operands, at most 1 are allowed"):
        apply(graph, rule)
    assert [n.op for n in graph.nodes] == ["onnx.Relu"]


def test_a_pass_that_makes_a_node_newer_than_the_opset_is_undone() -> None:
    class Newer(FusionBasePass):
        def run(self, graph: ir.Graph, context: Any) -> None:
            (node,) = graph.find_all("onnx.Relu")
            made = graph.add_node("onnx.Gelu", list(node.operands), result_types=[X])
            node.replace_with(made.result)

    graph = graph_of("Relu", opset=17)
    with pytest.raises(ir.PassError, match="onnx.Gelu.* came with opset 20"):
        PassManager().add(Newer).run(graph)
    assert [n.op for n in graph.nodes] == ["onnx.Relu"]


def test_a_pass_is_not_blamed_for_nodes_that_were_too_new() -> None:
    graph = graph_of("Gelu", "Relu", opset=17)
    rewrite(graph, rewrite_rule(lambda x: op.Relu(x), lambda x: op.Abs(x)))
    managed(graph, rewrite_rule(lambda x: op.Abs(x), lambda x: op.Neg(x)))
    assert [n.op for n in graph.nodes] == ["onnx.Gelu", "onnx.Neg"]


# --- Types


@DOORS
def test_types_that_contradict_each_other_are_refused_by_both_doors(
    apply: Callable[..., Any],
) -> None:
    graph = graph_of("Abs", "Relu")
    before = str(graph)
    with pytest.raises(ir.PassError, match="types that contradict each other in graph 'g'"):
        apply(graph, rewrite_rule(lambda x: op.Abs(x), transpose))
    assert str(graph) == before


def test_an_inferred_type_wins_over_the_declared_one() -> None:
    """The types are compatible, because N may be 3, but they are not equal."""
    graph = graph_of("Abs", type_=ir.TensorType(("N", 3), ir.f32))
    rewrite(graph, rewrite_rule(lambda x: op.Abs(x), transpose))
    assert graph.outputs[0].type.shape == (3, "N")


def test_what_inference_leaves_open_stays_as_it_was_declared() -> None:
    graph = graph_of()
    to = graph.add_input("to", ir.TensorType((2,), ir.i64))
    made = graph.add_node("onnx.Expand", [graph.inputs[0], to], result_types=[X])
    graph.outputs = [made.result]
    rewrite(graph, rewrite_rule(lambda x, s: op.Expand(x, s), lambda x, s: op.Reshape(x, s)))
    assert [n.type for n in graph.nodes] == ["Reshape"]
    assert graph.outputs[0].type.shape == (2, 3)


# --- Outputs


@pytest.mark.parametrize(
    "made",
    [
        transpose,
        lambda x: op.Unsqueeze(x, [0]),
        lambda x: op.Concat([x, x], axis=0),
    ],
)
@DOORS
def test_a_rule_does_not_change_the_shape_of_an_output(
    apply: Callable[..., Any], made: Callable[..., Any]
) -> None:
    graph = graph_of("Relu")
    before = str(graph)
    rule = rewrite_rule(lambda x: op.Relu(x), made, name="other")
    with pytest.raises(ir.PassError, match=r"rule 'other': .*output 0.*and an output of graph 'g'"):
        apply(graph, rule)
    assert str(graph) == before


def test_a_stale_shape_of_an_output_is_corrected() -> None:
    graph = graph_of("Relu")
    graph.outputs[0].type = ir.TensorType((7, 7), ir.f32)
    rewrite(graph, rewrite_rule(lambda x: op.Relu(x), lambda x: op.Abs(x)))
    assert graph.outputs[0].type == X


def test_an_inner_number_may_stand_for_a_tensor_that_is_broadcast() -> None:
    graph = graph_of("Relu")
    x, relu = graph.inputs[0], graph.nodes[0].result
    graph.outputs = [graph.add_node("onnx.Add", [relu, x], result_types=[X]).result]
    rewrite(graph, rewrite_rule(lambda x: op.Relu(x), lambda x: op.ReduceMax(x, keepdims=0)))
    assert [n.type for n in graph.nodes] == ["ReduceMax", "Add"]


PASSES = """
from ge import ir
from ge.es import onnx as op
from ge.passes import FusionBasePass, PassStage, PatternFusionPass, pattern, register_fusion_pass

@register_fusion_pass(name="Changes_{change}", stage=PassStage.AFTER_INFER_SHAPE)
class Changes(FusionBasePass):
    def run(self, graph, context):
        {body}
"""
CHANGES = {
    "casts": (
        "cast = graph.add_node('onnx.Cast', [graph.outputs[0]], {'to': ir.i64},"
        " result_types=[ir.TensorType((2, 3), ir.i64)]); graph.outputs[0] = cast.result",
        "pass 'Changes_casts' changes output 'y' of graph 'g' from tensor<2x3xf32> to tensor<2x3xi64>",
    ),
    "drops": (
        "del graph.outputs[1]",
        "pass 'Changes_drops' changes the outputs of graph 'g' from y, z to y;",
    ),
    "adds": (
        "graph.outputs.append(graph.inputs[0])",
        "pass 'Changes_adds' changes the outputs of graph 'g' from y, z to y, z, ",
    ),
}


def small(path: Path) -> Path:
    nodes = [
        helper.make_node("Relu", ["x"], ["y"], "r"),
        helper.make_node("Abs", ["x"], ["z"], "a"),
    ]
    shape = ("FLOAT", [2, 3])
    return write_model(path, nodes, {"x": shape}, {"y": shape, "z": shape})


@pytest.mark.parametrize("change", CHANGES)
def test_a_pass_that_changes_the_outputs_is_an_error_and_nothing_is_written(
    tmp_path: Path, change: str
) -> None:
    body, says = CHANGES[change]
    model, target, passes = small(tmp_path / "m.onnx"), tmp_path / "o.onnx", tmp_path / "p.py"
    passes.write_text(PASSES.format(body=body, change=change))
    done = ge("optimize", model, "-o", target, "--passes", passes)
    assert done.status == 1 and says in done.err
    assert "--force" in done.err and not target.exists()
    done = ge("optimize", model, "-o", target, "--passes", passes, "--force")
    assert done.status == 0 and target.exists()


def test_a_rule_that_changes_an_output_is_an_error_and_nothing_is_written(tmp_path: Path) -> None:
    model, target, passes = small(tmp_path / "m.onnx"), tmp_path / "o.onnx", tmp_path / "p.py"
    passes.write_text("""
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass

@register_fusion_pass(name="Turns", stage=PassStage.AFTER_INFER_SHAPE)
class Turns(PatternFusionPass):
    @pattern
    def relu(self, x):
        return op.Relu(x)
    def replacement(self, x):
        return op.Transpose(x)
""")
    done = ge("optimize", model, "-o", target, "--passes", passes)
    assert done.status == 1 and not target.exists()
    assert "gives f32[3, 2]" in done.err and "which is f32[2, 3]" in done.err
    assert "Turns" in done.err


def test_a_stale_output_of_a_file_is_corrected_by_the_passes(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Relu", ["x"], ["r"], "r"),
        helper.make_node("Abs", ["r"], ["y"], "a"),
    ]
    model, passes = tmp_path / "m.onnx", tmp_path / "p.py"
    write_model(model, nodes, {"x": ("FLOAT", [2, 3])}, {"y": ("FLOAT", [7, 3])})
    passes.write_text("""
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass

@register_fusion_pass(name="Negs", stage=PassStage.AFTER_INFER_SHAPE)
class Negs(PatternFusionPass):
    @pattern
    def abs(self, x):
        return op.Abs(x)
    def replacement(self, x):
        return op.Neg(x)
""")
    done = ge("optimize", model, "-o", tmp_path / "o.onnx", "--passes", passes)
    assert done.status == 0, done.err
    graph = ge_onnx.load(tmp_path / "o.onnx").graphs["g"]
    assert graph.outputs[0].type.shape == (2, 3)
