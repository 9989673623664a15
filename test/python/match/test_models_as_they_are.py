"""Patterns in the style of onnxscript match the models of any exporter, or ``explain`` gives the reason."""

import numpy as np
import pytest

import ge.es as es
import ge.ir as ir
from ge.es import onnx as op
from ge.passes import GraphPattern, explain, p, pattern, rewrite, rewrite_rule


def f32(*shape):
    return ir.TensorType(shape, ir.f32)


def build(function, *types):
    with es.builder("main") as b:
        made = function(*(b.input(f"x{i}", t) for i, t in enumerate(types)))
        b.output(*(made if isinstance(made, tuple) else [made]))
    return b.graph


def text(body, opset=None):
    module = ir.Module.parse(
        f"module {{\nfunc.func @main(%x: tensor<2x3xf32>) -> tensor<*xf32> {{\n{body}\n"
        "return %y : tensor<*xf32>\n}\n}"
    )
    if opset is not None:
        module.attributes["onnx.opset_imports"] = {"onnx": opset}
    return next(iter(module.graphs.values()))


def first_reason(graph, function):
    assert not graph.find(function)
    first = explain(graph, pattern(function)).attempts[0]
    return first.reason, first.expected, first.found


IMAGE, WEIGHTS = f32(1, 3, 8, 8), f32(4, 3, 5, 3)


@pytest.mark.parametrize(
    "wanted",
    [
        {"strides": [1, 1]},
        {"dilations": [1, 1], "pads": [0, 0, 0, 0], "group": 1, "auto_pad": "NOTSET"},
        {"kernel_shape": [5, 3]},
        {"strides": p.attr(bind="s"), "dilations": p.attr(bind="s")},
    ],
)
def test_attributes_of_convolutions_that_are_left_out(wanted):
    graph = build(lambda x, w: op.Conv(x, w), IMAGE, WEIGHTS)
    assert len(graph.find(lambda x, w: p.op("onnx.Conv")(x, w, **wanted))) == 1


@pytest.mark.parametrize(
    "wanted", [{"strides": [2, 2]}, {"strides": [1]}, {"kernel_shape": [3, 5]}, {"pads": [0, 0]}]
)
def test_other_values_do_not_match_what_is_left_out(wanted):
    graph = build(lambda x, w: op.Conv(x, w), IMAGE, WEIGHTS)
    reason, _, found = first_reason(graph, lambda x, w: p.op("onnx.Conv")(x, w, **wanted))
    assert reason == "attribute" and "absent, which counts as array<i64: " in found


def test_what_is_left_out_is_absent_where_the_pattern_wants_that():
    graph = build(lambda x, w: op.Conv(x, w), IMAGE, WEIGHTS)
    conv = p.op("onnx.Conv")
    assert graph.find(lambda x, w: conv(x, w, strides=p.attr(absent=True)))
    padded = build(lambda x, w: op.Conv(x, w, auto_pad="SAME_UPPER"), IMAGE, WEIGHTS)
    assert not padded.find(lambda x, w: conv(x, w, pads=[0, 0, 0, 0]))
    unranked = build(lambda x, w: op.Conv(x, w), ir.TensorType(None, ir.f32), WEIGHTS)
    assert not unranked.find(lambda x, w: conv(x, w, strides=[1, 1]))


def test_attributes_that_are_written_may_be_left_out_of_a_whole_comparison():
    graph = build(lambda x, w: op.Conv(x, w, strides=[1, 1]), IMAGE, WEIGHTS)
    plain = build(lambda x, w: op.Conv(x, w), IMAGE, WEIGHTS)
    assert len(GraphPattern(plain, attributes="all").find(graph)) == 1
    assert len(GraphPattern(graph, attributes="all").find(plain)) == 1


def test_functions_get_what_is_left_out():
    graph = build(lambda x, w: op.Conv(x, w), IMAGE, WEIGHTS)

    def unit_strides(x, w):
        return p.op("onnx.Conv")(x, w, strides=p.attr(lambda s: set(s) == {1}))

    assert len(graph.find(unit_strides)) == 1


def test_a_transpose_without_perm_reverses():
    graph = build(lambda x: op.Transpose(x), f32(2, 3, 4))
    assert graph.find(lambda x: op.Transpose(x, perm=[2, 1, 0]))
    assert not graph.find(lambda x: op.Transpose(x, perm=[0, 2, 1]))


CONSTANTS = {
    "number": lambda: 2.0,
    "array": lambda: np.array([2.0], np.float32),
    "value": lambda: op.Constant(value=np.array(2.0, np.float32)),
    "value_float": lambda: op.Constant(value_float=2.0),
    "value_floats": lambda: op.Constant(value_floats=[2.0]),
}


@pytest.mark.parametrize("there", CONSTANTS)
@pytest.mark.parametrize("wanted", CONSTANTS)
def test_constants_of_one_element_match_in_every_form(there, wanted):
    graph = build(lambda x: op.Mul(CONSTANTS[there](), x), f32(2, 3))
    assert len(graph.find(lambda x: op.Mul(x, CONSTANTS[wanted]()))) == 1


@pytest.mark.parametrize(
    "form", ["value_ints = [2, 1]", "value_ints = array<i32: 2, 1>", "value_floats = [2.0, 1.0]"]
)
def test_constants_of_texts(form):
    graph = text(f"""%c = "onnx.Constant"() {{{form}}} : () -> tensor<2xi64>
%y = "onnx.Reshape"(%x, %c) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<*xf32>""")
    assert graph.find(lambda x: op.Reshape(x, p.constant([2, 1])))
    assert not graph.find(lambda x: op.Reshape(x, p.constant([2, 2])))


def test_a_constant_operator_that_the_pattern_gives_away_is_one():
    graph = build(lambda x: op.Add(x, op.Constant(value_float=2.0)), f32(2))
    rule = rewrite_rule(lambda: op.Constant(value_float=2.0), lambda: op.Constant(value_float=3.0))
    assert rewrite(graph, rule).rewrites == 1
    assert graph.find(lambda x: x + 3.0)


def test_constants_of_higher_rank_say_so():
    graph = build(lambda x: op.Mul(x, np.array([[2.0]], np.float32)), f32(3))
    assert first_reason(graph, lambda x: x * 2.0) == (
        "constant",
        "the constant [2.0] (tensor<f32>)",
        "[2.0] (tensor<1x1xf32>)",
    )


OLD_AXES = '%y = "onnx.Unsqueeze"(%x) {axes = [0]} : (tensor<2x3xf32>) -> tensor<*xf32>'


def test_axes_that_moved_between_opsets_say_so():
    old, new = text(OLD_AXES, 11), build(lambda x: op.Unsqueeze(x, [0]), f32(2, 3))
    new.attributes["opset"] = {"onnx": 13}
    reason, _, found = first_reason(old, lambda x: op.Unsqueeze(x, [0]))
    assert reason == "arity" and found.endswith("is absent; 'axes' is an attribute in opset 11")
    unsqueeze = p.op("onnx.Unsqueeze")
    reason, _, found = first_reason(new, lambda x: unsqueeze(x, axes=[0]))
    assert reason == "attribute" and found.startswith("absent, an operand in opset 13 at ")

    def both(x):
        return p.any_of(op.Unsqueeze(x, [0]), unsqueeze(x, axes=[0]))

    assert [len(graph.find(both)) for graph in (old, new)] == [1, 1]


def test_a_marked_operator_says_that_it_is_not_marked():
    graph = build(lambda x: op.Relu(x), f32(2))
    _, _, found = first_reason(graph, lambda x: p.op("onnx.Relu")(x, seen=1))
    assert found.startswith("absent, no attribute of the operator in opset ")


@pytest.mark.parametrize("bias", [True, False])
def test_an_operand_that_may_be_absent(bias):
    graph = build(
        lambda x, w, b: op.Relu(op.Conv(x, w, b if bias else None)), IMAGE, WEIGHTS, f32(4)
    )
    assert graph.find(lambda x, w, b: op.Relu(op.Conv(x, w, p.optional(b))))
    if bias:
        reason, *_ = first_reason(graph, lambda x, w: op.Relu(op.Conv(x, w)))
    else:
        reason, *_ = first_reason(graph, lambda x, w, b: op.Relu(op.Conv(x, w, b)))
    assert reason == "arity"


@pytest.mark.parametrize("shape", [(), (1,)])
def test_operands_of_commutative_operators_in_any_order(shape):
    def constant(number):
        return np.full(shape, number, np.float32)

    def gelu(x):
        return op.Mul(op.Mul(constant(0.5), x), op.Add(constant(1), op.Erf(x / constant(2**0.5))))

    assert build(gelu, f32(2, 3)).find(lambda x: (op.Erf(x / 1.4142135) + 1) * (x * 0.5))


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda m: (op.Relu(m), op.Neg(m)), "it is used by onnx.Neg "),
        (lambda m: (op.Relu(m), m), "it is an output of graph 'main'"),
    ],
)
def test_values_that_others_need_say_who(function, why):
    graph = build(lambda x: function(op.Abs(x)), f32(2, 3))
    reason, _, found = first_reason(graph, lambda x: op.Relu(op.Abs(x)))
    assert reason == "outside-use" and found.startswith(why)
    assert graph.find(lambda x: (lambda m: (op.Relu(m), m))(op.Abs(x)))
