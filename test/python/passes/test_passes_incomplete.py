"""Errors for incomplete classes and wrong arguments name the pattern, hook and user's file, and say what to do."""

import logging
from pathlib import Path
from typing import Any

import pytest

import ge.ir as ir
import ge.onnx
from ge.es import GraphBuilder
from ge.es import math as cann
from ge.es import onnx as op
from ge.passes import (
    DecomposePass,
    FusionBasePass,
    PassManager,
    PassStage,
    PatternFusionPass,
    pattern,
    register_custom_pass,
    register_decompose_pass,
    register_fusion_pass,
    rewrite,
    rewrite_rule,
    run_stage,
)

STAGE = PassStage.BEFORE_INFER_SHAPE
X = ir.TensorType((2, 3), ir.f32)

pytestmark = pytest.mark.usefixtures("clean_passes")


def relu_graph() -> ir.Graph:
    graph = ir.Graph("g")
    x = graph.add_input("x", X)
    graph.outputs = [graph.add_node("onnx.Relu", [x], result_types=[X]).result]
    return graph


def failure(cls: Any, graph: ir.Graph) -> Any:
    with pytest.raises(ir.PassError) as caught:
        PassManager().add(cls).run(graph)
    assert caught.value.file == __file__, caught.value
    assert f"({__file__}:{caught.value.line})" in str(caught.value)
    return caught.value


class NoReplacement(PatternFusionPass):
    @pattern
    def relu(self, x: Any) -> Any:
        return op.Relu(x)


class OneOfTwo(PatternFusionPass):
    @pattern
    def neg(self, x: Any) -> Any:
        return op.Neg(x)

    @neg.replacement
    def _of_neg(self, x: Any) -> Any:
        return op.Abs(x)

    @pattern
    def relu(self, x: Any) -> Any:
        return op.Relu(x)


# --- Missing hooks


@pytest.mark.parametrize("cls", [NoReplacement, OneOfTwo])
def test_a_pattern_without_replacement_is_named(cls: Any) -> None:
    error = failure(cls, relu_graph())
    assert "has none for pattern 'relu'" in str(error) and error.hook == "replacement"
    with pytest.raises(TypeError, match="no replacement for pattern 'relu'; write replacement"):
        register_fusion_pass(name="P", stage=STAGE)(cls)


def test_a_class_of_cann_without_replacement_is_registered_as_in_cann() -> None:
    @register_fusion_pass(name="P", stage=STAGE)
    class P(PatternFusionPass):
        @pattern
        def relu(self, inputs: Any) -> Any:
            return cann.Add(inputs[0], inputs[1])

    assert P.__name__ == "P"


def test_a_base_pass_without_run_names_its_methods() -> None:
    class P(FusionBasePass):
        def rum(self, graph: Any, context: Any) -> None: ...

    assert "its methods are rum" in str(failure(P, relu_graph()))


def test_a_decompose_pass_without_replacement_is_at_the_users_place() -> None:
    class P(DecomposePass):
        op_types = ("Relu",)

        def meet_requirements(self, node: Any) -> bool:
            return True

    adapted = failure_of_decompose(P)
    assert adapted.hook == "replacement"


def failure_of_decompose(cls: Any) -> Any:
    register_decompose_pass(name="D", stage=STAGE, op_types=["Relu"])(cls)
    return failure(cls, relu_graph())


# --- Replacements of the wrong size


def test_a_template_with_too_many_outputs_is_the_replacements_failure() -> None:
    class P(PatternFusionPass):
        @pattern
        def relu(self, x: Any) -> Any:
            return op.Relu(x)

        def replacement(self, x: Any) -> Any:
            return op.Abs(x), op.Neg(x)

    error = failure(P, relu_graph())
    assert error.hook == "replacement" and "2 outputs, the pattern 1" in str(error)


def test_a_replacement_of_cann_with_too_many_inputs_is_a_pass_error() -> None:
    class P(PatternFusionPass):
        @pattern
        def add(self, inputs: Any) -> Any:
            return cann.Add(inputs[0], inputs[1])

        def replacement(self, inputs: Any) -> Any:
            return cann.Add(inputs[0], inputs[2])

    builder = GraphBuilder("g")
    a, b = builder.create_inputs(2)
    error = failure(P, builder.build_and_reset([cann.Add(a, b)]))
    assert error.hook == "replacement" and "input size: 3" in str(error)


# --- Wrong arguments


@pattern
def relu(x: Any) -> Any:
    return op.Relu(x)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (relu_graph, "not the function relu_graph; rewrite_rule"),
        (NoReplacement, r"not the class NoReplacement; PassManager\(\).add\(NoReplacement\)"),
        (relu, "not a pattern; rewrite_rule"),
        ("cse", "takes rules, not str"),
    ],
)
def test_rewrite_takes_rules(given: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        rewrite(relu_graph(), given)


def test_a_pattern_is_no_pass() -> None:
    with pytest.raises(TypeError, match="a pattern is no pass: rewrite_rule"):
        PassManager().add(relu)


def test_the_name_of_a_rule_is_a_str() -> None:
    name: Any = 3
    with pytest.raises(TypeError, match="name is a str, not int"):
        rewrite_rule(relu, lambda x: op.Abs(x), name=name)


def test_save_takes_a_module(tmp_path: Path) -> None:
    module: Any = None
    with pytest.raises(TypeError, match="module is a Module, not NoneType"):
        ge.onnx.save(module, tmp_path / "a.onnx")


@pytest.mark.parametrize("paths", ["ab.onnx", b"ab.onnx", Path("ab.onnx")])
def test_optimize_many_refuses_one_path(tmp_path: Path, paths: Any) -> None:
    with pytest.raises(TypeError, match="not one path"):
        ge.onnx.optimize_many(paths, output_dir=tmp_path)


def test_load_of_a_proto_names_from_onnx() -> None:
    proto: Any = ge.onnx.to_onnx(ge.onnx.from_onnx(_model()))
    with pytest.raises(TypeError, match=r"not ModelProto: ge\.onnx\.from_onnx\(proto\)"):
        ge.onnx.load(proto)


def _model() -> Any:
    from onnx import TensorProto, helper

    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
    node = helper.make_node("Relu", ["x"], ["y"])
    return helper.make_model(helper.make_graph([node], "g", [x], [y]))


def test_text_is_not_a_model(tmp_path: Path) -> None:
    path = tmp_path / "readme.onnx"
    path.write_text("# A title\n\nThis is no model, but the text of a page about one.\n" * 5)
    with pytest.raises(ir.ModelError, match=r"not an ONNX model, but text: .*\(byte \d+"):
        ge.onnx.load(path)


def test_skip_names_the_near_pass() -> None:
    from ge.passes import Pipeline

    with pytest.raises(ValueError, match="no pass 'csx' .*; did you mean 'cse'"):
        Pipeline("cse,dce").without("csx")


# --- Switches


@pytest.mark.parametrize("in_file", [False, True])
def test_a_switch_does_not_disable_a_custom_pass(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, in_file: bool
) -> None:
    ran: list[str] = []

    @register_custom_pass(name="Legacy", stage=STAGE)
    def legacy(graph: Any, context: Any) -> None:
        ran.append(graph.name)

    options = {"Legacy": "off"}
    if in_file:
        file = tmp_path / "switch.json"
        file.write_text('{"Switch": {"GraphFusion": {"Legacy": "off"}}}')
        options = {"ge.fusionSwitchFile": str(file)}
    with caplog.at_level(logging.WARNING, "ge.passes"):
        result = run_stage(relu_graph(), STAGE, options)
    assert ran == ["g"]
    (remark,) = result.remarks
    assert remark.severity == "warning" and "register_custom_pass" in remark.message
    assert "Legacy" in remark.message and "Legacy" in caplog.text


@pytest.mark.parametrize("wrong", ["Relu", b"Relu", [1], [""], 3, None])
def test_op_types_that_are_no_names_are_an_error(wrong) -> None:
    def define() -> None:
        class D(DecomposePass):
            op_types = wrong

    with pytest.raises(TypeError, match=r"D\.op_types must be a tuple of operator names") as caught:
        define()
    assert (wrong != "Relu") or '; write op_types = ("Relu",)' in str(caught.value)


def test_op_types_of_a_decorator_that_are_a_str_are_an_error() -> None:
    with pytest.raises(TypeError, match=r"write op_types=\[\"Relu\"\]"):
        register_decompose_pass(name="D", stage=STAGE, op_types="Relu")
