"""A pattern rejects attributes and operands that no opset has; numbers get the element type of the matched values."""

import numpy as np
import pytest

import ge.es as es
import ge.ir as ir
from ge.es import onnx as op
from ge.passes import PassManager, PatternFusionPass, p, pattern, rewrite, rewrite_rule

X = ir.TensorType((2, 3), ir.f32)


def unary(operator: str, dtype: ir.DType = ir.f32) -> ir.Graph:
    with es.builder("main") as b:
        b.output(getattr(op, operator)(b.input("x", ir.TensorType((2, 3), dtype))))
    return b.graph


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: p.op("onnx.Transpose")(x, prem=[1, 0]), "'prem'.*did you mean 'perm'"),
        (lambda x: p.op("onnx.Gemm")(x, x, trnsB=1), "'trnsB'.*in no opset .*'transB'"),
        (
            lambda x: p.op("onnx.Relu", "onnx.LeakyRelu")(x, alhpa=0.1),
            "'alhpa'.*did you mean 'alpha'",
        ),
        (lambda x, y: p.op("onnx.Relu")(x, y), "2 operands, but 'onnx.Relu' has at most 1"),
        (lambda x: p.op("onnx.Add")(x), "1 operand, but 'onnx.Add' has at least 2.*opset 1, 6, 7"),
        (lambda x: p.op("onnx.Relu")(x, x, p.rest()), "2 operands, .* at most 1"),
    ],
)
def test_a_pattern_that_no_opset_can_match_is_an_error(function, message):
    with pytest.raises(ValueError, match=message):
        unary("Relu").find(function)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: p.op("onnx.Unsqueeze")(x, axes=[0]),  # up to opset 11
        lambda x: p.op("onnx.Unsqueeze")(x, p.constant()),
        lambda x, y, z: p.op("onnx.Concat")(x, y, z),
        lambda: p.op("onnx.Concat")(p.rest()),
        lambda x: p.op("onnx.Add")(x, p.rest()),
        lambda x: p.op("onnx.Clip")(x),
        lambda x: p.op("onnx.Relu")(x, my_pass_saw_it=1),
        lambda x: p.op("onnx.Transpose")(x, **{"acme.prem": 1, "_perm": 2}),
        lambda x, y: p.op("com.acme.Relu")(x, y, prem=1),
        lambda x: p.op("Relu")(x, prem=1),  # an operator of any domain
        lambda x, y: p.op("onnx.Relu", "com.acme.Relu")(x, y, prem=1),
    ],
)
def test_what_some_operator_or_opset_has_is_no_error(function):
    assert pattern(function).compiled()


@pytest.mark.parametrize("dtype", [ir.f32, ir.f16, ir.f64, ir.i64, ir.i32])
def test_numbers_of_rules_have_the_element_type_of_the_match(dtype):
    graph = unary("Neg", dtype)
    assert rewrite(graph, rewrite_rule(lambda x: op.Neg(x), lambda x: x * 2 + 1)).rewrites == 1
    constants = [n.result.type.dtype for n in graph.find_all("ge.Const")]
    assert constants == [dtype, dtype]
    graph.module.verify() if graph.module else graph.verify()
    back = rewrite_rule(lambda x: x * 2 + 1, lambda x: op.Neg(x))
    assert rewrite(graph, back).rewrites == 1
    assert [n.op for n in graph.nodes if n.op != "ge.Const"] == ["onnx.Neg"]


@pytest.mark.parametrize("dtype", [ir.f32, ir.f16])
def test_numbers_of_passes_have_the_element_type_of_the_match(dtype):
    class Double(PatternFusionPass):
        @pattern
        def neg(self, x):
            return op.Neg(x)

        def replacement(self, x):
            return x * 2.0

    graph = unary("Neg", dtype)
    PassManager().add(Double).run(graph)
    (constant,) = graph.find_all("ge.Const")
    assert constant.result.type.dtype is dtype


def test_a_rule_that_leaves_a_wrong_type_is_named():
    graph = unary("Neg", ir.f16)
    rule = rewrite_rule(
        lambda x: op.Neg(x),
        lambda x: op.Mul(x, op.Constant(value=np.array(2.0, np.float32))),
        name="twice",
    )
    with pytest.raises(ir.PassError, match="rule 'twice' left types that contradict each other"):
        rewrite(graph, rule)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '"onnx.Unsqueeze"(%x) {axes = [0]} : (tensor<2x3xf32>) -> tensor<*xf32>',
            "no attribute 'axes'.*the form of opset 1.*imports opset 17",
        ),
        (
            '"onnx.Dropout"(%x, %x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<*xf32>',
            "has 3 operands, at most 1 are allowed.*the form of opset 12.*imports opset 11",
        ),
    ],
)
def test_the_form_of_another_opset_is_named(line, message):
    opset = int(message.rpartition(" ")[2])
    module = ir.Module.parse(f"""module {{
func.func @main(%x: tensor<2x3xf32>) -> tensor<*xf32> {{
  %y = {line}
  return %y : tensor<*xf32>
}}
}}""")
    module.attributes["onnx.opset_imports"] = {"onnx": opset}
    with pytest.raises(ir.VerifyError, match=message):
        module.verify()
