"""A pattern with several outputs is found in any order of them, at any distance from what they share, or apart.

The random driver ``test/random/patterns.cpp`` compares plain patterns with a search that tries all assignments; the cases
here have alternatives, constants and conditions, and say what explanations and rewrites do.
"""

import inspect
from itertools import permutations

import pytest

from ge import es, ir
from ge.es import onnx as op
from ge.passes import explain, p, pattern, rewrite, rewrite_rule

X = ir.TensorType((3, 3), ir.f32)


def built(function):
    """Return the graph that a pattern function builds."""
    with es.builder("main", opset=17) as b:
        names = inspect.signature(function).parameters
        b.output(*function(*(b.input(name, X) for name in names)))
    return b.graph


def chain(x, *ops):
    for each in ops:
        x = each(x)
    return x


def shared(value, *outputs):
    """Return what functions make of one value."""
    return tuple(each(value) for each in outputs)


SHAPES = {
    "far above one value": lambda x, y: shared(
        op.Sub(x, y),
        lambda s: chain(s, op.Sin, op.Cos, op.Exp),
        lambda s: chain(s, op.Neg, op.Tanh),
    ),
    "near and far": lambda x: shared(
        op.Relu(x), op.Sin, lambda s: chain(s, op.Neg, op.Abs, op.Exp)
    ),
    "an inner value": lambda x: shared(op.Relu(x), lambda s: s, lambda s: op.Exp(op.Neg(s))),
    "an input of both": lambda x, y, z: (op.Exp(op.Div(x, z)), op.Sin(op.Neg(op.Div(y, z)))),
    "a row of three": lambda x, y: (
        lambda a, b: (op.Sub(a, b), op.Neg(op.Abs(a)), op.Erf(op.Exp(b)))
    )(op.Sin(x), op.Cos(y)),
    "nothing": lambda x, y: (op.Exp(op.Sin(x)), op.Neg(op.Cos(y))),
    "nothing, of three": lambda x, y, z: (op.Sin(x), op.Neg(op.Cos(y)), op.Abs(z)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_order_of_outputs_is_found(name):
    graph = built(SHAPES[name])
    for order in permutations(range(len(graph.outputs))):
        ordered = built(SHAPES[name])
        ordered.outputs = [ordered.outputs[i] for i in order]
        matches = graph.find(ordered)
        assert len(matches) == 1
        assert list(matches[0].outputs) == [graph.outputs[i] for i in order]
        assert explain(graph, ordered).matches == 1


def test_outputs_that_are_alternatives_are_found():
    def wanted(x):
        s = op.Relu(x)
        return op.Sin(s), p.any_of(op.Exp(op.Neg(s)), op.Tanh(s))

    for graph in (
        built(lambda x: shared(op.Relu(x), op.Sin, lambda s: op.Exp(op.Neg(s)))),
        built(lambda x: shared(op.Relu(x), op.Sin, op.Tanh)),
    ):
        (match,) = graph.find(wanted)
        assert match.outputs[1] is graph.outputs[1]
    graph = built(lambda x: shared(op.Relu(x), op.Sin, op.Abs))
    assert graph.find(wanted) == []
    assert explain(graph, wanted).attempts[0].matched >= 1


def test_alternatives_on_the_way_are_all_tried():
    def wanted(x):
        s = op.Relu(x)
        return op.Sin(s), op.Exp(p.any_of(op.Neg(s), op.Abs(s)))

    for graph in (
        built(lambda x: shared(op.Relu(x), op.Sin, lambda s: op.Exp(op.Neg(s)))),
        built(lambda x: shared(op.Relu(x), op.Sin, lambda s: op.Exp(op.Abs(s)))),
    ):
        (match,) = graph.find(wanted)
        assert match.outputs[1] is graph.outputs[1]


def test_an_operand_that_may_be_absent_leads_nowhere():
    def wanted(x, w):
        s = op.Relu(x)
        return op.Sin(s), p.op("onnx.Gemm")(x, w, p.optional(s))

    graph = built(lambda x, w: (lambda s: (op.Sin(s), op.Gemm(x, w, s)))(op.Relu(x)))
    assert len(graph.find(wanted)) == 1
    graph = built(lambda x, w: (op.Sin(op.Relu(x)), op.Gemm(x, w)))
    assert len(graph.find(wanted)) == 1


def test_outputs_share_a_constant():
    def wanted(x, y):
        c = p.constant(0.5)
        return op.Sin(op.Mul(x, c)), op.Cos(op.Mul(y, c))

    with es.builder("main", opset=17) as b:
        x, y, c = b.input("x", X), b.input("y", X), b.constant(0.5)
        b.output(op.Sin(op.Mul(x, c)), op.Cos(op.Mul(y, c)))
    (match,) = b.graph.find(wanted)
    assert match["x"] is b.graph.inputs[0] and match["y"] is b.graph.inputs[1]


def test_conditions_hold_across_outputs():
    def wanted(x, y):
        return (
            op.Sin(x.where(shape=("N", "M"))),
            op.Cos(y.where(shape=("M", "K"))),
        )

    with es.builder("main", opset=17) as b:
        values = [
            b.input(n, ir.TensorType(s, ir.f32))
            for n, s in (("a", (2, 3)), ("b", (4, 5)), ("c", (3, 6)))
        ]
        b.output(op.Sin(values[0]), op.Cos(values[1]), op.Cos(values[2]))
    (match,) = b.graph.find(wanted)
    assert match["y"] is b.graph.inputs[2]


def test_two_results_of_a_node_and_one_above():
    def wanted(x):
        a, b = p.op("test.Fork")(x, results=2)
        return b, op.Exp(op.Neg(a))

    graph = ir.Graph.parse("""
    func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
      %0, %1 = "test.Fork"(%x) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
      %2 = "onnx.Neg"(%0) : (tensor<3xf32>) -> tensor<3xf32>
      %3 = "onnx.Exp"(%2) : (tensor<3xf32>) -> tensor<3xf32>
      return %1, %3 : tensor<3xf32>, tensor<3xf32>
    }""")
    for ordered in (wanted, lambda x: wanted(x)[::-1]):
        (match,) = graph.find(ordered)
        assert {v.index for v in match.outputs} == {0, 1}


def test_explanations_say_which_user_is_missing():
    def wanted(x):
        s = op.Relu(x)
        return op.Sin(s), op.Exp(op.Neg(s))

    graph = built(lambda x: (lambda s: (op.Sin(s), op.Tanh(op.Neg(s))))(op.Relu(x)))
    (attempt,) = explain(graph, wanted).attempts
    assert (attempt.reason, attempt.matched) == ("operator", 3)
    assert attempt.expected.startswith("onnx.Exp as a user of result 0 of onnx.Neg")
    graph = built(lambda x, y: (op.Sin(x), op.Neg(y)))
    (attempt,) = explain(graph, lambda x, y: (op.Sin(x), op.Cos(y))).attempts
    assert (attempt.reason, attempt.matched) == ("operator", 1)
    assert attempt.expected == "onnx.Cos in graph 'main'"


def test_outputs_apart_are_replaced_together():
    @pattern
    def both(x, y):
        return op.Sin(x), op.Cos(y)

    rule = rewrite_rule(
        both, lambda x, y: tuple(p.op("test.SinCos")(x, y, results=2)), name="sin_cos"
    )
    graph = built(lambda x, y: (op.Sin(x), op.Cos(y), op.Sin(op.Neg(x)), op.Cos(op.Neg(y))))
    assert rewrite(graph, rule).rewrites == 2
    assert sorted(n.type for n in graph.nodes) == ["Neg", "Neg", "SinCos", "SinCos"]
    graph.verify()


def test_outputs_apart_that_depend_on_each_other_are_not_replaced():
    rule = rewrite_rule(
        lambda x, y: (op.Sin(x), op.Cos(y)),
        lambda x, y: tuple(p.op("test.SinCos")(x, y, results=2)),
        name="sin_cos",
    )
    graph = built(lambda x: (op.Cos(op.Neg(op.Sin(x))), x))
    before = str(graph)
    result = rewrite(graph, rule)
    assert (result.rewrites, result.cyclic) == (0, 1)
    assert str(graph) == before


def test_the_number_of_users_does_not_exceed_the_budget():
    """A shared input has many users: the search for one gives up within the budget, and says so."""
    with es.builder("main", opset=17) as b:
        x = b.input("x", X)
        b.output(op.Sin(x), *(op.Neg(x) for _ in range(2000)))
    why = explain(b.graph, lambda x: (op.Sin(x), op.Cos(x)), budget=500)
    assert [a.reason for a in why.attempts] in (["budget"], ["operator"])
    assert b.graph.find(lambda x: (op.Sin(x), op.Cos(x))) == []
