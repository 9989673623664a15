"""``expect=``: fewer matches of a pass than expected are an error that names the lost matches and the reasons."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ge.ir as ir
import ge.onnx
from ge import es
from ge.es import onnx as op
from ge.passes import (
    DecomposePass,
    Expected,
    FusionBasePass,
    LostMatchesError,
    PassManager,
    PassStage,
    PatternFusionPass,
    load_pass_plugins,
    p,
    pattern,
    register_fusion_pass,
    rewrite_rule,
    run_stage,
)

MATRIX = ir.TensorType((4, 4), ir.f32)


pytestmark = pytest.mark.usefixtures("clean_passes")


class Fuse(PatternFusionPass):
    """Fuses MatMul and Add unless the weight is named ``odd``."""

    @pattern
    def matmul_add(self, a, b, c):
        return op.Add(op.MatMul(a, b), c)

    def meet_requirements(self, match):
        return match.reject("odd weights") if match["b"].name == "odd" else True

    def replacement(self, a, b, c):
        return op.Gemm(a, b, c)


LINE = Fuse.replacement.__code__.co_firstlineno


def layers(
    change: Callable[[int, ir.Value, Any], ir.Value] | None = None, weight: str = "w"
) -> ir.Graph:
    """Return a graph of three layers; ``change(i, product, input)`` may replace the product of layer i."""
    with es.builder("main", opset=17) as b:
        value, w = b.input("x", MATRIX), b.input(weight, MATRIX)
        for i in range(3):
            product = op.MatMul(value, w, _name=f"product{i}")
            if change is not None:
                product = change(i, product, value)
            value = op.Relu(op.Add(product, w, _name=f"sum{i}"), _name=f"relu{i}")
        b.output(value, name="y")
    return b.graph


def lost(graph: ir.Graph, what: Any, expect: dict[str, Any]) -> Any:
    """Run a pass that fails one expectation; return the report of its lost matches."""
    with pytest.raises(LostMatchesError) as raised:
        PassManager().add(what).run(graph, expect=expect)
    (one,) = raised.value.lost
    assert str(one) in str(raised.value)
    assert one.to_dict()["reason"] == one.reason
    return one


def test_as_many_as_expected_is_silence(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "ge.passes"):
        result = PassManager().add(Fuse).run(layers(), expect={"Fuse": 3})
    assert result.matches == {"Fuse": 3} and result.surplus == []
    assert result.matched_nodes == {"Fuse": ["sum0", "sum1", "sum2"]}
    assert caplog.text == ""


def test_more_than_expected_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "ge.passes"):
        result = PassManager().add(Fuse).run(layers(), expect={"Fuse": 2})
    (surplus,) = result.surplus
    assert (surplus.pass_name, surplus.expected, surplus.found) == ("Fuse", 2, 3)
    assert "pass 'Fuse' matched 3 times, 2 were expected" in caplog.text


def test_the_error_says_where_and_why() -> None:
    one = lost(layers(lambda i, m, x: op.Neg(m) if i == 1 else m), Fuse, {"Fuse": 3})
    assert (one.pass_name, one.expected, one.found) == ("Fuse", 3, 2)
    assert (one.file, one.line) == (__file__, LINE)
    assert one.reason == "operator"
    assert f"pass 'Fuse' ({__file__}:{LINE}): 2 matches, 3 were expected" in str(one)
    assert one.attempts[0]["anchor"] == "sum1" and "onnx.Neg" in one.attempts[0]["found"]
    assert "sum1" in one.message


def outside_use() -> ir.Graph:
    graph = layers()
    graph.outputs = [*graph.outputs, graph.find("product1").result]
    return graph


def cast() -> ir.Graph:
    return layers(lambda i, m, x: op.Mul(m, np.float32(3)) if i == 2 else m)


REASONS: dict[str, tuple[Any, Callable[[], ir.Graph], int]] = {
    "operator": (
        rewrite_rule(
            lambda a, b, c: op.Add(op.MatMul(a, b), c),
            lambda a, b, c: op.Gemm(a, b, c),
            name="rule",
        ),
        cast,
        3,
    ),
    "outside-use": (
        rewrite_rule(
            lambda a, b, c: op.Add(op.MatMul(a, b), c),
            lambda a, b, c: op.Gemm(a, b, c),
            name="rule",
        ),
        outside_use,
        3,
    ),
    "condition": (
        rewrite_rule(
            lambda a, b, c: op.Add(op.MatMul(a, b), c),
            lambda a, b, c: op.Gemm(a, b, c),
            when=lambda match: match.reject("no odd one") if match.anchor.name == "sum1" else True,
            name="rule",
        ),
        layers,
        3,
    ),
    "attribute": (
        rewrite_rule(lambda x: op.Softmax(x, axis=0), lambda x: op.Identity(x), name="rule"),
        lambda: layers(lambda i, m, x: op.Softmax(m, axis=i % 2)),
        3,
    ),
    "constant": (
        rewrite_rule(lambda x: op.Mul(x, np.float32(3)), lambda x: op.Neg(x), name="rule"),
        lambda: layers(lambda i, m, x: op.Mul(m, np.float32(3 + i // 2))),
        3,
    ),
    "shape": (
        rewrite_rule(lambda x: op.Relu(x.where(shape=(8, ...))), lambda x: op.Abs(x), name="rule"),
        layers,
        1,
    ),
    "predicate": (
        rewrite_rule(
            lambda x: op.Relu(x.where(lambda value: value.node.name == "sum0")),
            lambda x: op.Abs(x),
            name="rule",
        ),
        layers,
        2,
    ),
    "binding": (
        rewrite_rule(lambda x: op.Mul(x, x), lambda x: op.Neg(x), name="rule"),
        lambda: layers(lambda i, m, x: op.Mul(m, m) if i else op.Mul(m, x)),
        3,
    ),
    "arity": (
        rewrite_rule(
            lambda x, y: p.op("onnx.Concat")(x, y, axis=0), lambda x, y: op.Add(x, y), name="rule"
        ),
        lambda: layers(
            lambda i, m, x: op.Slice(op.Concat([m, x] if i else [m, x, x], axis=0), [0], [4], [0])
        ),
        3,
    ),
    "overlap": (
        rewrite_rule(
            lambda x: op.Relu(op.Relu(x)),
            lambda x: op.Abs(op.Neg(x)),
            name="rule",
        ),
        lambda: layers(lambda i, m, x: op.Relu(op.Relu(op.Relu(m))) if i == 0 else m),
        2,
    ),
}


@pytest.mark.parametrize("reason", REASONS)
def test_each_class_of_reason(reason: str) -> None:
    rule, make, expected = REASONS[reason]
    one = lost(make(), rule, {"rule": expected})
    assert one.found == expected - 1
    assert one.reason == reason, one.message
    assert one.attempts[0]["reason"] == reason and reason in one.message


def test_nodes_that_matched_before_are_tried_one_by_one() -> None:
    matched = PassManager().add(Fuse).run(layers(), expect={}).matched_nodes["Fuse"]
    graph = layers(lambda i, m, x: op.Neg(m) if i == 1 else m)
    one = lost(graph, Fuse, {"Fuse": Expected(3, tuple(matched))})
    assert one.nodes == ("sum1",)
    assert "it does not match any more at 'sum1'" in one.message
    assert [a["anchor"] for a in one.attempts] == ["sum1"]
    # A node that no longer exists is named, but no reason is given for it.
    one = lost(layers(), Fuse, {"Fuse": Expected(4, (*matched, "sum9"))})
    assert one.nodes == ("sum9",) and "at 'sum9'" in one.message


def test_a_condition_gives_its_reason() -> None:
    one = lost(layers(weight="odd"), Fuse, {"Fuse": 3})
    assert (one.found, one.reason) == (0, "condition")
    assert "odd weights" in one.message


def test_a_decomposition_says_which_nodes_it_refused() -> None:
    class Split(DecomposePass):
        op_types = ("Relu",)

        def meet_requirements(self, node):
            return node.name != "relu1"

        def replacement(self, node):
            with es.builder("made", opset=17) as b:
                b.output(op.Max([b.input("x", MATRIX), np.float32(0)]))
            return b.graph

    one = lost(layers(), Split, {"Split": 3})
    assert (one.found, one.reason) == (2, "condition")
    assert one.attempts[0]["anchor"] == "relu1" and one.file == __file__

    class Misspelt(Split):
        op_types = ("Reluu",)

    one = lost(layers(), Misspelt, {"Misspelt": 3})
    assert one.reason == "operator" and "near: onnx.Relu, 3 in this graph" in one.message


def test_passes_that_did_not_run(tmp_path: Path) -> None:
    one = lost(layers(), Fuse, {"Fuze": 3})
    assert one.reason == "never-loaded" and "did you mean 'Fuse'?" in one.message

    one = lost(layers(), Fuse, {"compose": 1})
    assert one.reason == "not-run" and "not in the pipeline" in one.message

    broken = tmp_path / "broken.py"
    broken.write_text("raise ValueError('no such thing')\n")
    broken.chmod(0o644)
    load_pass_plugins(str(broken))
    one = lost(layers(), Fuse, {"OfBroken": 1})
    assert one.reason == "never-loaded"
    assert "broken.py could not be loaded" in one.message and "no such thing" in one.message

    with pytest.raises(LostMatchesError) as raised:
        PassManager().set_bisect_limit(0).add(Fuse).run(layers(), expect={"Fuse": 1})
    assert raised.value.lost[0].reason == "not-run"
    assert "skipped" in raised.value.lost[0].message


def test_a_pass_that_failed_and_was_undone() -> None:
    class Fails(Fuse):
        def replacement(self, a, b, c):
            raise ValueError("no replacement")

    graph = layers()
    manager = PassManager(on_error="skip").add(Fails)
    with pytest.raises(LostMatchesError) as raised:
        manager.run(graph, expect={"Fails": 3})
    (one,) = raised.value.lost
    assert (one.found, one.reason) == (0, "failed") and "no replacement" in one.message
    assert raised.value.result.failures


def test_a_pass_without_patterns_counts_what_it_says() -> None:
    class Own(FusionBasePass):
        def run(self, graph, context):
            context.count("matched", 2)
            graph.find("relu0").name = "renamed"

    assert PassManager().add(Own).run(layers(), expect={"Own": 2}).matches == {"Own": 2}
    assert lost(layers(), Own, {"Own": 3}).reason == "no-patterns"


def test_executions_add_up() -> None:
    register_fusion_pass(name="Fuse", stage=PassStage.BEFORE_INFER_SHAPE)(Fuse)
    manager = PassManager.parse("fixpoint(Fuse,dce)")
    result = manager.run(layers(), expect={"Fuse": 3})
    assert [r.matches for r in result.passes if r.name == "Fuse"] == [3, 0]


def test_the_graph_is_as_the_passes_left_it() -> None:
    graph = layers()
    lost(graph, Fuse, {"Fuse": 4})
    assert len(graph.find_all("onnx.Gemm")) == 3


def test_built_in_passes_count_too() -> None:
    one = lost(layers(), "fuse-matmul-add", {"fuse-matmul-add": 4})
    assert (one.found, one.reason) == (3, "no-patterns")


def test_stages_and_models_take_expectations() -> None:
    register_fusion_pass(name="Fuse", stage=PassStage.BEFORE_INFER_SHAPE)(Fuse)
    run_stage(layers(), PassStage.BEFORE_INFER_SHAPE, expect={"Fuse": 3})
    with pytest.raises(LostMatchesError):
        run_stage(layers(), PassStage.BEFORE_INFER_SHAPE, {"Fuse": "off"}, expect={"Fuse": 3})
    module = ir.Module("m")
    module.add_graph(layers())
    report = ge.onnx.optimize(module, "Fuse", expect={"Fuse": 2})
    assert report.matches == {"Fuse": 3} and report.surplus[0].found == 3
    with pytest.raises(LostMatchesError):
        ge.onnx.optimize(module, "Fuse", expect={"Fuse": 1})


@pytest.mark.parametrize(
    ("expect", "error"),
    [
        ({"Fuse": "many"}, TypeError),
        ({"Fuse": True}, TypeError),
        ({"Fuse": -1}, ValueError),
        ([("Fuse", 1)], TypeError),
        ({3: 3}, TypeError),
    ],
)
def test_what_is_no_number_of_matches(expect: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="expect"):
        PassManager().add(Fuse).run(layers(), expect=expect)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (("many",), TypeError),
        ((True,), TypeError),
        ((2.0,), TypeError),
        ((-1,), ValueError),
        ((1, "sum0"), TypeError),
        ((1, (3,)), TypeError),
    ],
)
def test_an_expectation_that_is_none_is_not_made(given: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="number of matches|names"):
        Expected(*given)


def test_hooks_that_are_called_again_for_the_reason_do_not_count_again() -> None:
    """Statistics and remarks of a run are the same with and without expectations."""
    calls = []

    class Counts(Fuse):
        def meet_requirements(self, match, context):
            calls.append(match.anchor.name)
            context.count("asked")
            context.remark(f"asked about {match.anchor.name}")
            return match.anchor.name != "sum1"

    def told(result: Any) -> Any:
        (done,) = result.passes
        return done.statistics, [remark.message for remark in done.remarks]

    alone = told(PassManager().add(Counts).run(layers()))
    assert alone[0] == {"asked": 3, "matched": 2}
    once = len(calls)
    with pytest.raises(LostMatchesError) as raised:
        PassManager().add(Counts).run(layers(), expect={"Counts": 3})
    assert told(raised.value.result) == alone
    assert len(calls) > 2 * once  # the hook was called again


def test_a_search_that_was_given_up_is_said() -> None:
    """The search is exponential: 14 levels of commutative Adds, and a pattern with Subs that the graph lacks."""
    graph = ir.Graph("g")
    v, w = graph.add_input("x", MATRIX), graph.add_input("y", MATRIX)
    for _ in range(14):
        v, w = (
            graph.add_node("onnx.Add", pair, result_types=[MATRIX]).result
            for pair in ((v, w), (w, v))
        )
    graph.outputs = [v]

    def deep(depth: int, x: Any, y: Any) -> Any:
        inner = deep(depth - 1, x, y) if depth else p.op("onnx.Sub")(x, y)
        return op.Add(p.any_of(inner, op.Add(inner, inner)), inner)

    rule = rewrite_rule(lambda x, y: deep(12, x, y), lambda x, y: op.Sub(x, y), name="deep")
    one = lost(graph, rule, {"deep": 1})
    assert "nodes the search was given up: the budget was spent" in one.message
