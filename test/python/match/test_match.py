"""Structure of patterns: which nodes match together, which do not, and the contents of a match."""

import pytest
from match_graphs import X, anchors, build, f32

from ge import es, ir
from ge.es import onnx as op
from ge.passes import (
    GraphPattern,
    PatternFusionPass,
    explain,
    explain_pass,
    p,
    parse_pattern,
    pattern,
    rewrite_rule,
)


def test_named_parameters_are_names_of_the_match():
    g = build(lambda x, w, c: op.Add(op.MatMul(x, w), c), X, X, X)

    @pattern
    def matmul_add(a, b, c):
        return op.Add(op.MatMul(a, b), c)

    (match,) = g.find(matmul_add)
    assert [match[n] for n in "abc"] == list(g.inputs)
    assert match.inputs == tuple(g.inputs) and match.outputs == (g.nodes[1].result,)
    assert match.nodes == tuple(g.nodes) and match.anchor is g.nodes[1]
    assert match.get_pattern_graph_name() == "matmul_add"
    with pytest.raises(KeyError, match="no value 'd'; its names are a, b, c"):
        match["d"]


def test_commutative_operands_come_from_the_trait():
    g = build(lambda x, w, c: (op.Add(c, op.MatMul(x, w)), op.Sub(c, op.MatMul(w, x))), X, X, X)
    assert anchors(g, lambda a, b, c: op.Add(op.MatMul(a, b), c)) == ["Add"]
    assert anchors(g, lambda a, b, c: op.Sub(op.MatMul(a, b), c)) == []


def test_variadic_commutative_operands_are_tried_in_every_order():
    g = build(lambda x: op.Sum([op.Neg(x), op.Abs(x), op.Relu(x)]), X)
    sum3 = g.find(lambda x: p.op("onnx.Sum")(op.Relu(x), op.Neg(x), op.Abs(x)))
    assert len(sum3) == 1
    (match,) = g.find(lambda x: p.op("onnx.Sum")(p.rest("others"), op.Abs(x)))
    assert [v.node.type for v in match["others"]] == ["Neg", "Relu"]


def test_one_pattern_node_is_one_node_and_two_are_two():
    """x*x does not match y*z, and Add(Relu, Relu) needs two Relu nodes."""

    def square(x):
        return op.Mul(x, x)

    def two(a, b):
        return op.Add(op.Relu(a), op.Relu(b))

    g = build(lambda x, y: (op.Mul(x, y), op.Mul(x, x)), X, X)
    assert [m.anchor for m in g.find(square)] == [g.nodes[1]]
    shared = build(lambda x: (lambda r: op.Add(r, r))(op.Relu(x)), X)
    assert shared.find(two) == []
    assert len(build(lambda x: op.Add(op.Relu(x), op.Relu(x)), X).find(two)) == 1


def test_results_of_one_node_are_distinguished():
    def halves(x):
        a, b = p.op("onnx.Split")(x, results=2)
        return op.Sub(a, b)

    def graph(order):
        g = ir.Graph("g")
        split = g.add_node("onnx.Split", [g.add_input("x", X)], result_types=[X, X])
        values = [split.results[i] for i in order]
        g.outputs = [g.add_node("onnx.Sub", values, result_types=[X]).result]
        return g

    assert len(graph([0, 1]).find(halves)) == 1
    assert graph([1, 0]).find(halves) == graph([0, 0]).find(halves) == []


def test_optional_operand():
    def conv(x, w, b):
        return p.op("onnx.Conv")(x, w, p.optional(b))

    g = build(lambda x, w: op.Conv(x, w), f32(1, 1, 4, 4), f32(1, 1, 1, 1))
    (match,) = g.find(conv)
    assert match["b"] is None and match["x"] is g.inputs[0]
    g = build(lambda x, w, b: op.Conv(x, w, b), f32(1, 1, 4, 4), f32(1, 1, 1, 1), f32(1))
    (match,) = g.find(conv)
    assert match["b"] is g.inputs[2]
    assert g.find(lambda x, w: op.Conv(x, w)) == []


def test_optional_node():
    def maybe_cast(x):
        return op.Relu(p.optional(p.op("onnx.Cast"), x))

    g = build(lambda x: (op.Relu(x), op.Relu(op.Cast(x, to=ir.f16))), X)
    first, second = g.find(maybe_cast)
    assert [len(m.nodes) for m in (first, second)] == [1, 2]
    assert first["x"] is second["x"] is g.inputs[0]


def test_alternatives_and_blocks():
    @pattern
    def gelu_like(x):
        return p.any_of(op.Tanh(x), op.Erf(x), op.Sigmoid(op.Neg(x)))

    g = build(lambda x: (op.Abs(op.Erf(x)), op.Abs(op.Sigmoid(op.Neg(x))), op.Abs(op.Relu(x))), X)
    assert [m["x"] for m in g.find(lambda x: op.Abs(gelu_like(x)))] == [g.inputs[0]] * 2


def test_alternatives_are_taken_up_again():
    """The search backtracks: the first alternative matches, but then the rest of the pattern does not."""
    g = build(lambda x: (lambda n: op.Sub(op.Relu(n), n))(op.Neg(x)), X)

    def f(x, y):
        n = op.Neg(x)
        return op.Sub(p.any_of(op.Relu(y), op.Relu(n)), n)

    (match,) = g.find(f)
    assert match["x"] is g.inputs[0] and len(match.nodes) == 3


def test_rest():
    g = build(lambda x, y, z: op.Concat([op.Relu(x), y, z], axis=0), X, X, X)
    (match,) = g.find(lambda x: p.op("onnx.Concat")(op.Relu(x), p.rest("others")))
    assert match["others"] == (g.inputs[1], g.inputs[2])
    (match,) = g.find(lambda z: p.op("onnx.Concat")(p.rest("others"), z))
    assert match["z"] is g.inputs[2] and len(match["others"]) == 2
    assert g.find(lambda x: p.op("onnx.Concat")(p.rest(), op.Relu(x))) == []


def test_a_shared_constant_does_not_block_a_match():
    with es.builder("g") as b:
        x = b.input("x", f32(2))
        two = b.constant(2.0)
        b.output(op.Relu(op.Mul(x, two)), op.Neg(op.Mul(x, two)))
    assert len(b.graph.find(lambda x: op.Relu(op.Mul(x, p.constant(2.0))))) == 1
    # Two constants of a pattern may match the same constant of the graph.
    with es.builder("h") as b:
        x = b.input("x", f32(2))
        two = b.constant(2.0)
        b.output(op.Add(op.Mul(x, two), two))
    assert len(b.graph.find(lambda x: op.Add(op.Mul(x, p.constant(2.0)), p.constant(2.0)))) == 1


def test_an_outside_use_blocks_unless_it_is_an_output():
    def inner(x):
        return op.Relu(op.Neg(x))

    def both(x):
        n = op.Neg(x)
        return op.Relu(n), n

    g = build(lambda x: (lambda n: (op.Relu(n), op.Abs(n)))(op.Neg(x)), X)
    assert g.find(inner) == []
    assert len(g.find(both)) == 1
    pattern_of = pattern(inner).compiled()
    assert len(pattern_of.find(g, outside_uses=True)) == 1
    assert "it is used by onnx.Abs" in explain(g, inner).attempts[0].found


def test_several_outputs_are_found_over_what_they_share():
    def pair(x):
        return op.Sin(x), op.Cos(x)

    g = build(lambda x, y: (op.Sin(x), op.Sin(y), op.Cos(y)), X, X)
    (match,) = g.find(pair)
    assert match["x"] is g.inputs[1]
    assert [v.node.type for v in match.outputs] == ["Sin", "Cos"]


def test_subgraphs_are_visited_and_their_uses_count():
    with es.builder("main") as b:
        c, x = b.input("c", ir.TensorType((), "bool")), b.input("x", X)
        n = op.Neg(x)
        b.output(*op.If(c, then_branch=lambda: op.Relu(op.Neg(x)), else_branch=lambda: op.Abs(n)))
        b.output(op.Relu(n))
    g = b.graph
    (match,) = g.find(lambda x: op.Relu(op.Neg(x)))
    assert match.anchor.graph is not g  # the other Neg is captured by the else branch
    assert pattern(lambda x: op.Relu(op.Neg(x))).find(g, subgraphs=False) == []


def test_patterns_from_text_and_from_graphs():
    text = parse_pattern("""
    func.func @relu_of_any(%x: !ge.unknown) -> !ge.unknown {
      %0 = "pattern.Op"(%x) {ops = ["onnx.Neg", "Abs"]} : (!ge.unknown) -> !ge.unknown
      %1 = "onnx.Relu"(%0) : (!ge.unknown) -> !ge.unknown
      return %1 : !ge.unknown
    }""")
    g = build(lambda x: (op.Relu(op.Abs(x)), op.Relu(op.Relu(x))), X)
    assert len(g.find(text)) == 1
    assert text.name == "relu_of_any" and text.input_names == ("x",) and text.num_nodes == 2
    as_graph = build(lambda x: op.Relu(op.Abs(x)), ir.UnknownType())
    assert len(g.find(as_graph)) == 1


def test_an_error_for_a_misplaced_condition_names_the_right_place():
    with pytest.raises(ir.BindError, match=r"(?s)got dict.*taken by nodes that p\.op makes"):
        pattern(lambda x: op.Softmax(x, axis=p.attr(min=0))).compiled()


def test_what_cannot_be_a_pattern_is_refused_when_it_is_made():
    def refused(function, error, text):
        with pytest.raises(error, match=text):
            pattern(function).compiled()

    refused(lambda x: p.op("onnx.Reluu")(x), KeyError, "did you mean onnx::Relu")
    refused(lambda x: p.op("MatMull")(x), KeyError, "MatMul")
    refused(lambda x: x, ValueError, "no operator among its outputs")
    refused(lambda x: p.any_of(op.Relu(x), x), ValueError, "every value would match")
    refused(lambda x: p.op("onnx.Sum")(p.rest(), x, p.rest()), ValueError, "two Rests")
    refused(lambda x: 3, TypeError, "must return a value")
    empty = ir.Graph("empty")
    with pytest.raises(ValueError, match="has no output"):
        GraphPattern(empty)
    with pytest.raises(ValueError, match="can only be used inside a pattern function"):
        p.attr(lambda a: True)
    assert pattern(lambda x: p.op("com.example.Fused")(x)).compiled().num_nodes == 1


def test_an_exception_in_a_predicate_comes_out_as_itself():
    class Mine(Exception):
        pass

    def raising(value):
        raise Mine("no")

    g = build(lambda x: op.Relu(x), X)
    with pytest.raises(Mine):
        g.find(lambda x: op.Relu(x.where(raising)))


def test_matches_outlive_edits_and_say_what_is_stale():
    g = build(lambda x: op.Relu(op.Neg(x)), X)
    (match,) = g.find(lambda x: op.Relu(op.Neg(x)))
    g.outputs = [g.inputs[0]]
    g.nodes[1].erase()
    assert match["x"] is g.inputs[0]
    with pytest.raises(ir.StaleHandleError):
        match.anchor.op  # noqa: B018


def test_another_context_is_no_obstacle():
    with ir.Context():
        other = build(lambda x: op.Relu(op.Neg(x)), ir.TensorType((2,), ir.f32))
        patterns = pattern(lambda x: op.Relu(op.Neg(x)))
    here = build(lambda x: op.Relu(op.Neg(x)), X)
    pattern_here = pattern(lambda x: op.Relu(op.Neg(x)))
    assert len(pattern_here.find(other)) == 1
    assert len(patterns.find(here)) == 1


def test_deep_patterns_and_graphs_need_no_stack():
    def chain(n, last="onnx.Relu"):
        g = ir.Graph("chain")
        v = g.add_input("x", X)
        for i in range(n):
            v = g.add_node("onnx.Relu" if i < n - 1 else last, [v], result_types=[X]).result
        g.outputs = [v]
        return g

    (match,) = chain(20_003, "onnx.Neg").find(chain(20_000, "onnx.Neg"))
    assert len(match.nodes) == 20_000
    assert len(GraphPattern(chain(3)).find(chain(100_000))) == 99_998


def test_a_cycle_in_the_graph_is_no_trap():
    g = ir.Graph("cycle")
    a = g.add_node("onnx.Relu", [None], result_types=[X])
    b = g.add_node("onnx.Relu", [a.result], result_types=[X])
    a.operands[0] = b.result
    g.outputs = [b.result]
    assert g.find(lambda x: op.Relu(op.Relu(op.Relu(x)))) == []


def test_the_budget_ends_what_would_take_for_ever():
    """The search is exponential: 40 levels of commutative Adds, and a pattern with Subs that the graph lacks."""
    g = ir.Graph("g")
    v, w = g.add_input("x", X), g.add_input("y", X)
    for _ in range(40):
        v, w = (g.add_node("onnx.Add", pair, result_types=[X]).result for pair in ((v, w), (w, v)))
    g.outputs = [v]

    def f(x, y):
        def deep(depth):
            inner = deep(depth - 1) if depth else p.op("onnx.Sub")(x, y)
            return op.Add(p.any_of(inner, op.Add(inner, inner)), inner)

        return deep(12)

    made = pattern(f).compiled()
    assert made.find(g, outside_uses=True) == []
    tight = explain(g, made, outside_uses=True, budget=3)
    assert {a.reason for a in tight.attempts} == {"budget"}


def test_the_nearest_miss_comes_first():
    with es.builder("main") as b:
        x = y = b.input("x", X)
        for _ in range(30):  # more attempts than are kept, each fails at the operator
            x = op.Relu(op.Abs(x))
        near = op.Relu(op.LeakyRelu(x, alpha=0.25))
        both = op.Add(op.Neg(y), op.LeakyRelu(near, alpha=0.25))
        b.output(op.Relu(op.Abs(near)), both)
    found = explain(b.graph, pattern(lambda x: op.Relu(op.LeakyRelu(x, alpha=0.5)))).attempts
    assert found[0].anchor is near.node and found[0].reason == "attribute"
    assert {each.reason for each in found[1:]} == {"operator"}
    # The same holds for the orders of the operands of one node.
    (only,) = explain(b.graph, pattern(lambda x, c: op.Add(op.LeakyRelu(x, alpha=0.5), c))).attempts
    assert only.reason == "attribute"


def test_a_refused_match_comes_before_matches_that_others_take():
    with es.builder("main") as b:
        x = b.input("x", X)
        for _ in range(12):  # more overlapping matches than are kept
            x = op.Relu(x)
        x = op.Neg(x)
        b.output(op.Relu(op.Relu(x)), x)

    def not_of_neg(match):
        return match["x"].node.is_input or match["x"].node.op != "onnx.Neg"

    rule = rewrite_rule(lambda x: op.Relu(op.Relu(x)), lambda x: op.Relu(x), when=not_of_neg)
    made = explain(b.graph, rule)
    assert [each.reason for each in made.attempts] == ["condition", *["overlap"] * 4]


def test_the_pattern_with_the_nearest_miss_comes_first():
    class P(PatternFusionPass):
        @pattern
        def far(self, x):
            return op.Elu(op.Neg(x))

        @pattern
        def near(self, x):
            return op.Relu(op.Neg(x))

    with es.builder("main") as b:
        b.output(op.Relu(op.Abs(b.input("x", X))))
    first, second = explain_pass(b.graph, P)
    assert [each.matched for each in first.attempts] == [1] and not second.attempts
