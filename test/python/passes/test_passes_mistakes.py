"""A misspelt hook, parameter or pipeline is an error that suggests the right name; it is never ignored."""

from pathlib import Path
from typing import Any

import pytest
from cli_run import ge, write_model

import ge.ir as ir
from ge.es import onnx as op
from ge.passes import (
    DecomposePass,
    PassManager,
    PassStage,
    PatternFusionPass,
    clear_registered_passes,
    pattern,
    register_fusion_pass,
    rewrite,
    rewrite_rule,
)

X = ir.TensorType((2, 3), ir.f32)


def relu_graph() -> ir.Graph:
    graph = ir.Graph("g")
    x = graph.add_input("x", X)
    graph.outputs = [graph.add_node("onnx.Relu", [x], result_types=[X]).result]
    return graph


# --- Hooks


@pytest.mark.parametrize(
    ("name", "hook"),
    [
        ("meets_requirements", "meet_requirements"),
        ("meet_requirement", "meet_requirements"),
        ("meetRequirements", "meet_requirements"),
        ("condition", "meet_requirements"),
        ("when", "meet_requirements"),
        ("replace", "replacement"),
        ("replacment", "replacement"),
        ("pattern", "patterns"),
    ],
)
@pytest.mark.parametrize("base", [PatternFusionPass, DecomposePass])
def test_a_misspelt_hook_is_an_error_when_the_class_is_made(
    base: type, name: str, hook: str
) -> None:
    if base is DecomposePass and hook == "patterns":
        return
    with pytest.raises(
        TypeError, match=f"P has a method '{name}'.* did you mean the hook '{hook}'"
    ):
        type("P", (base,), {name: lambda self, match: False})


def test_methods_of_other_purposes_are_no_hooks() -> None:
    class P(PatternFusionPass):
        @pattern
        def relu(self, x: Any) -> Any:
            return op.Relu(x)

        def check_requirements(self, match: Any) -> bool:
            return True

        def replace(self, x: Any) -> Any:
            return op.Abs(x)

        def _condition(self) -> bool:
            return False

        def replacement(self, x: Any) -> Any:
            return self.replace(x)

    class Q(P):
        def meet_requirements(self, match: Any) -> bool:
            return self.condition(match)

        def condition(self, match: Any) -> bool:
            return True

    graph = relu_graph()
    PassManager().add(Q).run(graph)
    assert [n.type for n in graph.nodes] == ["Abs"]


class NoDecorator(PatternFusionPass):
    def relu(self, x: Any) -> Any:
        return op.Relu(x)

    def replacement(self, x: Any) -> Any:
        return op.Abs(x)


NO_PATTERNS = "NoDecorator has no patterns, .*decorate a method with @pattern, or define patterns"


def test_a_class_without_patterns_is_not_registered_and_does_not_run() -> None:
    with pytest.raises(TypeError, match=NO_PATTERNS):
        register_fusion_pass(name="NoDecorator", stage=PassStage.AFTER_INFER_SHAPE)(NoDecorator)
    with pytest.raises(ir.PassError, match=NO_PATTERNS):
        PassManager().add(NoDecorator).run(relu_graph())


NO_DECORATOR = """
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass

@register_fusion_pass(name="NoDec", stage=PassStage.AFTER_INFER_SHAPE)
class NoDec(PatternFusionPass):
    {patterns}
    def replacement(self, x):
        return op.Abs(x)
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    onnx = pytest.importorskip("onnx")
    nodes = [onnx.helper.make_node("Relu", ["x"], ["y"], "r")]
    return write_model(tmp_path / "m.onnx", nodes, *({v: ("FLOAT", [2, 3])} for v in "xy"))


def test_the_command_names_a_class_without_patterns(tmp_path: Path, model: Path) -> None:
    passes = tmp_path / "no_decorator.py"
    passes.write_text(NO_DECORATOR.format(patterns="def relu(self, x):\n        return op.Relu(x)"))
    says = "NoDec has no patterns, so that it would match nothing; decorate a method with @pattern"
    done = ge("optimize", model, "-o", tmp_path / "o.onnx", "--passes", passes)
    assert done.status != 0 and says in done.err
    assert not (tmp_path / "o.onnx").exists()
    done = ge("why", passes, model)
    assert done.status == 1 and says in done.err


def test_why_a_pass_whose_patterns_are_none_matches_nothing(tmp_path: Path, model: Path) -> None:
    passes = tmp_path / "gives_none.py"
    passes.write_text(NO_DECORATOR.format(patterns="def patterns(self):\n        return []"))
    try:
        done = ge("why", passes, model)
    finally:
        clear_registered_passes()
    assert done.status == 1 and "None" not in done.err
    assert "pass 'NoDec' has no patterns: its patterns() gives none" in done.err


# --- Parameters of rules


@pytest.mark.parametrize("per_match", [False, True])
def test_one_parameter_that_the_pattern_does_not_name_is_an_error(per_match: bool) -> None:
    with pytest.raises(
        TypeError, match="the condition has a parameter 'bais'.*did you mean 'bias'"
    ):
        rewrite_rule(
            lambda x, bias: op.Add(x, bias),
            lambda x, bias: op.Sub(x, bias),
            condition=lambda bais: bais is not None,
            per_match=per_match,
        )


def test_one_parameter_of_a_replacement_for_each_match_is_an_error() -> None:
    with pytest.raises(TypeError, match="the replacement has a parameter 'z'"):
        rewrite_rule(lambda x: op.Relu(x), lambda z: op.Abs(z), per_match=True)


@pytest.mark.parametrize("word", ["condition", "when"])
def test_condition_is_the_word_and_its_former_name_works(word: str) -> None:
    def rule(condition: Any) -> Any:
        return rewrite_rule(lambda x: op.Relu(x), lambda x: op.Abs(x), **{word: condition})

    assert not rewrite(relu_graph(), rule(lambda x: False))
    assert not rewrite(relu_graph(), rule(lambda match: match["x"] is None))
    assert not rewrite(relu_graph(), rule(lambda match_result: False))
    assert not rewrite(relu_graph(), rule(lambda: False))
    assert rewrite(relu_graph(), rule(lambda x: True))


def test_condition_and_its_former_name_are_not_given_both() -> None:
    with pytest.raises(TypeError, match="condition and when are the same"):
        rewrite_rule(lambda x: op.Relu(x), lambda x: op.Abs(x), lambda x: True, when=lambda x: True)


# --- Pipelines


@pytest.mark.parametrize(
    "text", ["builtin.module(func.func(dce))", "func.func(dce)", "builtin.module(dce)"]
)
def test_anchors_of_mlir_run_on_the_module_or_graph(text: str) -> None:
    graph = relu_graph()
    graph.add_node("onnx.Abs", [graph.inputs[0]], result_types=[X])
    manager = PassManager.parse(text)
    assert str(manager) == text
    assert len(manager.run(graph).passes) == 1
    assert [n.type for n in graph.nodes] == ["Relu"]
    module = ir.Module("m")
    module.add_graph(relu_graph())
    assert len(PassManager.parse(text).run(module).passes) == 1


def test_operators_of_unknown_domains_may_have_bodies() -> None:
    assert not PassManager.parse("acme.Loop(dce),ge.While(dce)").run(relu_graph())
