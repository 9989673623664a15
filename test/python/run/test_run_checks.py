"""Evaluation, checks and the search for the first difference support CANN's operators and those with user kernels."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_run import affine
from cli_run import ge as command

import ge.ir as ir
import ge.onnx
import ge.ops as ops
from ge.run._inputs import make_inputs


def cann(factor: float, op: str = "ge.Muls") -> ir.Module:
    module = ir.Module("m")
    graph = module.add_graph("main")
    type_ = ir.TensorType([2, 3], ir.DType("f32"))
    x = graph.add_input("x", type_)
    attributes = {"value": factor} if op == "ge.Muls" else {}
    scaled = graph.add_node(op, [x], attributes, result_types=[type_], name="scale")
    scaled.result.name = "scaled"
    out = graph.add_node("ge.Relu", [scaled.result], result_types=[type_], name="relu").result
    graph.outputs = [out]
    graph.output_names = ["y"]
    return module


def test_models_of_cann_are_compared() -> None:
    report = ge_check(cann(2.0), cann(2.0))
    assert report and report.by == "the interpreter"
    report = ge_check(cann(2.0), cann(2.5))
    assert not report and report.outputs[0].verdict == "differs"


def ge_check(a: ir.Module, b: ir.Module) -> Any:
    return ge.onnx.check(a, b)


def test_models_with_kernels_of_the_user_are_compared() -> None:
    with ops.Library("acme") as lib:
        lib.define("twice(Tensor x) -> Tensor", traits=["pure"])
        lib.infer("twice")(lambda call: [call.operand_types[0]])
        lib.impl("twice", "cpu", lambda x: x * 2, as_="numpy")
        assert ge_check(cann(2.0), cann(2.0, "acme.twice"))
        assert not ge_check(cann(3.0), cann(2.0, "acme.twice"))


def test_operators_of_cann_are_evaluated() -> None:
    held = np.array([[4, 1, 0], [3, 2, 1]], np.float32)
    found = ops.evaluate_operator("ge.SoftmaxV2", [held], {"axes": [0]})
    assert found is not None
    np.testing.assert_allclose(found[0].numpy(), np.exp(held) / np.exp(held).sum(0), 1e-6)


def test_random_numbers_are_not_evaluated() -> None:
    assert ops.evaluate_operator("ge.TruncatedNormal", [np.array([2, 3])], {"seed": 1}) is None


def test_the_first_difference_is_named(tmp_path: Path) -> None:
    a, b = affine(tmp_path / "a.onnx"), affine(tmp_path / "b.onnx", 2.01)
    done = command("check", a, b, "--first-difference")
    assert done.status == 1
    assert "first difference: value '" in done.out
    done = command("check", a, b, "--first-difference", "--json")
    assert done.json["first_difference"]["node"].startswith("onnx.Mul")
    assert command("check", a, a, "--first-difference").status == 0


def test_the_first_difference_in_a_body_says_the_turn() -> None:
    from ge.run import first_difference

    def model(late: float) -> ir.Module:
        module = ir.Module("m")
        graph = module.add_graph("main")
        type_ = ir.TensorType([], ir.DType("f32"))
        x = graph.add_input("x", type_)
        zero, end, one = (
            graph.add_node(
                "ge.Const",
                attributes={"value": ir.Tensor(np.int32(v).reshape(()))},
                result_types=[ir.TensorType([], ir.DType("i32"))],
            ).result
            for v in (0, 3, 1)
        )
        loop = graph.add_node("ge.For", [zero, end, one, x], result_types=[type_])
        body = loop.add_subgraph("body")
        turn, value = body.add_input("i", zero.type), body.add_input("v", type_)
        real = body.add_node("ge.Cast", [turn], {"dst_type": 0}, result_types=[type_]).result
        scaled = body.add_node(
            "ge.Muls", [real], {"value": late}, result_types=[type_], name="late"
        ).result
        scaled.name = "scaled"
        body.outputs = [body.add_node("ge.Add", [value, scaled], result_types=[type_]).result]
        graph.outputs = [loop.result]
        return module

    found, _ = first_difference(model(1.0), model(2.0), {"x": np.float32(1)})
    assert found is not None and (found.name, found.node) == ("scaled", "ge.Muls 'late'")
    assert found.message.endswith("in turn 2")
    assert first_difference(model(1.0), model(1.0), {"x": np.float32(1)})[0] is None


def test_inputs_that_would_fill_the_memory_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small model can state huge sizes of inputs."""
    monkeypatch.setenv("GE_EVALUATORS_MEMORY", "64M")

    def reduced(type_: ir.Type) -> ir.Module:
        module = ir.Module("m")
        graph = module.add_graph("main")
        graph.outputs = [graph.add_input("x", type_)]
        return module

    nested: ir.Type = ir.TensorType([2], ir.DType("f32"))
    for _ in range(100):
        nested = ir.SequenceType(nested)
    for type_ in (
        ir.TensorType([1 << 20, 1 << 20], ir.DType("f32")),
        ir.TensorType([1 << 62, 1 << 62], ir.DType("i8")),
        ir.TensorType([1 << 23], ir.DType("string")),
        nested,
    ):
        with pytest.raises(ValueError, match=r"input 'x' is .* are left for inputs"):
            make_inputs(reduced(type_))
    assert make_inputs(reduced(ir.TensorType([1 << 20], ir.DType("f32"))))["x"].size == 1 << 20
