"""A pattern's attributes are compared by value, whatever form the model uses to write a number."""

import numpy as np
import pytest

import ge.es as es
import ge.ir as ir
from ge.es import onnx as op
from ge.passes import explain, p, parse_pattern, pattern

X = ir.TensorType((2, 3), ir.f32)


def text_graph(operator: str, attributes: str) -> ir.Graph:
    return ir.Graph.parse(f"""
func.func @main(%x: tensor<2x3xf32>) -> tensor<*xf32> {{
  %y = "{operator}"(%x) {{{attributes}}} : (tensor<2x3xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}}
""")


def matches(operator: str, attributes: str, **wanted) -> bool:
    found = text_graph(operator, attributes).find(lambda x: p.op(operator)(x, **wanted))
    return len(found) == 1


@pytest.mark.parametrize(
    ("operator", "text", "wanted"),
    [
        ("onnx.Transpose", "perm = [1, 0]", {"perm": [1, 0]}),
        ("onnx.Transpose", "perm = array<i32: 1, 0>", {"perm": (1, 0)}),
        ("onnx.Transpose", "perm = [1 : i32, 0 : ui8]", {"perm": [1, 0]}),
        ("onnx.Transpose", "perm = dense<[1, 0]> : tensor<2xi64>", {"perm": [1, 0]}),
        ("onnx.Transpose", "perm = [1, 0]", {"perm": np.array([1, 0], np.int32)}),
        ("onnx.Transpose", "perm = []", {"perm": ir.ArrayAttr([], ir.i64)}),
        ("onnx.Transpose", "perm = array<f32>", {"perm": ir.ArrayAttr([], ir.i64)}),
        ("onnx.Softmax", "axis = 1 : i32", {"axis": 1}),
        ("onnx.Softmax", "axis = 1 : ui64", {"axis": 1}),
        ("onnx.Softmax", "axis = -1 : si8", {"axis": -1}),
        ("onnx.Softmax", "axis = dense<1> : tensor<i64>", {"axis": 1}),
        ("onnx.LeakyRelu", "alpha = 0.1 : f64", {"alpha": 0.1}),
        ("onnx.LeakyRelu", "alpha = 0.1 : f16", {"alpha": 0.1}),
        ("onnx.LeakyRelu", "alpha = 1", {"alpha": 1.0}),
        ("onnx.LeakyRelu", "alpha = 1.0", {"alpha": 1}),
        ("onnx.LeakyRelu", "alpha = -0.0", {"alpha": 0.0}),
        ("onnx.LeakyRelu", "alpha = 0x7FC00001 : f32", {"alpha": float("nan")}),
        ("a.b.F", "k = [0.5, 2.0]", {"k": [0.5, 2.0]}),
        ("a.b.F", "k = [[1], [2 : i8]]", {"k": [[1], [2]]}),
        ("a.b.F", "k = {n = 1 : i32, s = [2]}", {"k": {"s": [2], "n": 1}}),
        ("a.b.F", 'k = "mean"', {"k": b"mean"}),
        ("a.b.F", "k = [1, 0]", {"k": [True, False]}),
        ("a.b.F", "k = true", {"k": 1}),
        ("a.b.F", "k = 2 : i8", {"k": p.attr(one_of=(1, 2))}),
        ("a.b.F", "k = 1 : i8", {"k": p.attr(one_of=(True, False))}),
        ("a.b.F", "k = 2 : ui8", {"k": p.attr(min=2, max=2)}),
        ("a.b.F", "k = [0.5, 2.0]", {"k": p.attr([0.5000001, 2.0], tolerance=1e-5)}),
    ],
)
def test_one_value_of_two_kinds_is_equal(operator, text, wanted):
    assert matches(operator, text, **wanted)


@pytest.mark.parametrize(
    ("operator", "text", "wanted"),
    [
        ("onnx.Transpose", "perm = [0, 1]", {"perm": [1, 0]}),
        ("onnx.Transpose", "perm = [1]", {"perm": [1, 0]}),
        ("onnx.Softmax", "axis = 1.0", {"axis": 1}),  # the operator declares an int
        ("onnx.LeakyRelu", "alpha = 0.1000001 : f64", {"alpha": 0.1}),
        ("onnx.LeakyRelu", "alpha = 1.0e-60 : f64", {"alpha": 0.0}),
        ("onnx.LeakyRelu", "alpha = 1.0e+60 : f64", {"alpha": float("inf")}),
        ("a.b.F", "k = 1.0", {"k": 1}),  # the operator is unregistered
        ("a.b.F", "k = [1.0, 2.0]", {"k": [1, 2]}),
        ("a.b.F", "k = true", {"k": 1.0}),
        ("a.b.F", "k = 18446744073709551615 : ui64", {"k": -1}),
        ("a.b.F", 'k = "1"', {"k": 1}),
        ("a.b.F", 'k = ["a"]', {"k": "a"}),
        ("a.b.F", "k = 1", {"k": [1]}),
        ("a.b.F", "k = {n = 1}", {"k": {"n": 2}}),
        ("a.b.F", "k = {n = 1}", {"k": {"m": 1}}),
        # The element type of a tensor is part of its value.
        ("a.b.F", "k = dense<[1, 0]> : tensor<2xi32>", {"k": np.array([1, 0], np.int64)}),
        ("a.b.F", "k = 18446744073709551615 : ui64", {"k": p.attr(max=0)}),
    ],
)
def test_different_values_stay_different(operator, text, wanted):
    assert not matches(operator, text, **wanted)


def test_a_pattern_in_text_matches_a_model_of_builders():
    with es.builder("main") as b:
        b.output(op.Transpose(b.input("x", X), perm=[1, 0]))
    wanted = parse_pattern("""
func.func @t(%x: tensor<*xf32>) -> tensor<*xf32> {
  %y = "pattern.Op"(%x) {ops = ["onnx.Transpose"], perm = [1, 0], opsets = [1, 30]} : (tensor<*xf32>) -> tensor<*xf32>
  %z = "pattern.Where"(%y) {rank = [1, 4], dims = ["N", 2]} : (tensor<*xf32>) -> tensor<*xf32>
  return %z : tensor<*xf32>
}
""")
    assert len(b.graph.find(wanted)) == 1


def test_explain_shows_both_values_and_their_kinds():
    graph = text_graph("onnx.Softmax", "axis = 1.0")
    (attempt,) = explain(graph, pattern(lambda x: p.op("onnx.Softmax")(x, axis=1))).attempts
    assert attempt.reason == "attribute"
    assert attempt.expected == "attribute 'axis' = 1 : i64"
    assert attempt.found == (
        "1.0 : f64 at onnx.Softmax 'y' (an integer equals a float only where the operator declares a float)"
    )
    (attempt,) = explain(graph, pattern(lambda x: p.op("onnx.Softmax")(x, axis=2))).attempts
    assert attempt.found == "1.0 : f64 at onnx.Softmax 'y'"


def test_explain_shows_the_default_of_an_absent_attribute():
    graph = text_graph("onnx.LeakyRelu", "")
    (attempt,) = explain(graph, pattern(lambda x: op.LeakyRelu(x, alpha=0.5))).attempts
    assert attempt.found == "absent, which counts as 0.01 : f32, at onnx.LeakyRelu 'y'"


def two_concats(first, second) -> ir.Graph:
    with es.builder("main") as b:
        x = b.input("x", X)
        b.output(op.Flatten(op.Flatten(x, **first), **second))
    return b.graph


@pytest.mark.parametrize("first", [{}, {"axis": 1}, {"axis": 0}])
@pytest.mark.parametrize("second", [{}, {"axis": 1}, {"axis": 0}])
def test_a_variable_counts_an_absent_attribute_as_its_default(first, second):
    flatten = p.op("onnx.Flatten")

    def same(x):
        return flatten(flatten(x, axis=p.attr(bind="k")), axis=p.attr(bind="k"))

    found = two_concats(first, second).find(same)
    is_same = first.get("axis", 1) == second.get("axis", 1)
    assert [m["k"] for m in found] == ([first.get("axis", 1)] if is_same else [])


def test_a_variable_is_one_value_of_several_kinds():
    graph = ir.Graph.parse("""
func.func @main(%x: tensor<2x3xf32>) -> tensor<*xf32> {
  %y = "a.b.F"(%x) {k = [1, 2]} : (tensor<2x3xf32>) -> tensor<*xf32>
  %z = "a.b.F"(%y) {k = array<i32: 1, 2>} : (tensor<*xf32>) -> tensor<*xf32>
  return %z : tensor<*xf32>
}
""")
    f = p.op("a.b.F")
    found = graph.find(lambda x: f(f(x, k=p.attr(bind="k")), k=p.attr(bind="k")))
    assert len(found) == 1


def test_a_predicate_gets_the_default_of_an_absent_attribute():
    graph = two_concats({}, {"axis": 0})
    asked = []

    def is_one(axis):
        asked.append(axis)
        return axis == 1

    found = graph.find(lambda x: p.op("onnx.Flatten")(x, axis=p.attr(is_one)))
    assert [m.anchor for m in found] == [graph.nodes[0]]
    assert sorted(asked) == [0, 1]
