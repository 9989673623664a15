"""A single rewrite: the resulting graph, what it preserves, and which replacements are rejected."""

import pytest
from rewrite_graphs import X, build, chain, fused, matmul_add, ops

from ge import es, ir
from ge.es import onnx as op
from ge.passes import PassManager, Rule, p, rewrite, rewrite_rule


def test_a_template_is_stamped():
    g = build(lambda x, w, c: op.Relu(op.Add(c, op.MatMul(x, w))), X, X, X)
    assert rewrite(g, fused()).rewrites == 1
    assert ops(g) == ["Gemm", "Relu"]
    assert list(g.nodes[0].operands) == list(g.inputs)
    assert g.verify()


def test_what_was_rewritten_before_a_failure_is_all_there_again():
    def layers(x, w, c):
        for _ in range(3):
            x = op.Add(op.MatMul(x, w), c)
        return x, op.Relu(x)

    g = build(layers, X, X, X)
    for i, node in enumerate(g.nodes):
        node.name, node.result.name = f"n{i}", f"v{i}"
    held = list(g.nodes)
    uses = {v.name: [(u.node.name, u.index) for u in v.uses] for n in held for v in n.results}
    of_inputs = [[(u.node, u.index) for u in v.uses] for v in g.inputs]
    before, asked = g.to_text(), 0

    def third_fails(a, b, c):
        nonlocal asked
        asked += 1
        if asked == 3:
            raise ValueError("no")
        return op.Gemm(a, b, c)

    with pytest.raises(ValueError, match="no"):
        rewrite(g, rewrite_rule(matmul_add, third_fails, per_match=True))
    assert asked == 3 and g.to_text() == before
    assert list(g.nodes) == held and [g.find_node_by_name(n.name) for n in held] == held
    assert uses == {
        v.name: [(u.node.name, u.index) for u in v.uses] for n in held for v in n.results
    }
    assert of_inputs == [[(u.node, u.index) for u in v.uses] for v in g.inputs]
    assert all(not n.origins for n in held)
    assert g.verify()


def test_names_types_location_and_origins_are_kept():
    g = build(lambda x, w, c: op.Add(op.MatMul(x, w), c), X, X, X)
    matmul, add = g.nodes
    matmul.name, add.name, add.result.name = "mm", "sum", "total"
    add.location = ir.Location.file("model.py", 7, 1)
    g.output_names = ["y"]
    rewrite(g, fused())
    (node,) = g.nodes
    assert (node.name, node.result.name, node.result.type) == ("sum", "total", X)
    assert list(g.output_names) == ["y"]
    assert node.location == ir.Location.file("model.py", 7, 1)
    assert [(o.node, o.op, o.rule) for o in node.origins] == [
        ("mm", "onnx.MatMul", "gemm"),
        ("sum", "onnx.Add", "gemm"),
    ]


def test_inner_types_are_inferred():
    wide = ir.TensorType((4, 8), ir.f32)
    g = build(lambda x, y: op.Sub(x, y), wide, wide)
    rewrite(g, rewrite_rule(lambda x, y: op.Sub(x, y), lambda x, y: op.Add(x, op.Neg(y))))
    assert [n.result.type for n in g.nodes] == [wide, wide]


@pytest.mark.parametrize("per_match", [False, True])
def test_what_is_not_inferred_has_the_type_of_what_it_replaces(per_match):
    g = build(lambda x: op.Relu(x), X)
    rule = rewrite_rule(
        lambda x: op.Relu(x), lambda x: p.op("com.example.Mine")(x), per_match=per_match
    )
    assert rewrite(g, rule).rewrites == 1
    assert g.outputs[0].type == X


def test_an_input_that_the_match_makes_is_no_input():
    """Otherwise the replacement would use a value that it erases, or that is defined after it."""
    g = build(lambda x: (lambda n: op.Neg(op.Sub(x, n)))(op.Neg(x)), X)
    rule = rewrite_rule(
        lambda a, c: (op.Neg(op.Sub(a, c)), op.Neg(a)),
        lambda a, c: (op.Sub(c, a), op.Neg(a)),
        per_match=True,
    )
    before = str(g)
    for outside_uses in (False, True):
        assert rewrite(g, rule, outside_uses=outside_uses).rewrites == 0
    assert str(g) == before


def test_a_match_may_become_one_of_its_inputs():
    g = build(lambda x: op.Relu(op.Identity(op.Identity(x))), X)
    assert rewrite(g, rewrite_rule(lambda x: op.Identity(x), lambda x: x)).rewrites == 2
    assert ops(g) == ["Relu"] and g.nodes[0].operands[0] is g.inputs[0]


def test_constants_without_uses_are_erased():
    with es.builder("g") as b:
        x = b.input("x", X)
        b.output(op.Relu(op.Add(x, b.constant(0.0))))
    rule = rewrite_rule(lambda x: op.Add(x, p.constant(0)), lambda x: x)
    assert rewrite(b.graph, rule).rewrites == 1
    assert ops(b.graph) == ["Relu"]


def test_a_constant_may_be_kept_by_name():
    with es.builder("g") as b:
        x = b.input("x", X)
        b.output(op.Sub(x, b.constant(3.0)))
    rule = rewrite_rule(
        lambda x: op.Sub(x, p.constant(name="c")), lambda x, c: op.Add(x, op.Neg(c))
    )
    assert rewrite(b.graph, rule).rewrites == 1
    assert sorted(ops(b.graph)) == ["Add", "Const", "Neg"]


def test_attributes_and_rests_go_over():
    g = build(lambda x: op.Relu(op.Concat([x, x, x], axis=1)), X)

    def found(x):
        return op.Relu(p.op("onnx.Concat")(x, p.rest("others"), axis=p.attr(bind="axis")))

    def made(x, others):
        return p.op("onnx.Concat")(op.Relu(x), others, axis=p.attr(bind="axis"))

    rewrite(g, rewrite_rule(found, made))
    assert ops(g) == ["Relu", "Concat"]
    assert g.nodes[1].attributes["axis"] == 1 and len(g.nodes[1].operands) == 3


def test_control_edges_are_kept_directly():
    g = build(lambda x, w, c: (op.Neg(x), op.Add(op.MatMul(x, w), c), op.Abs(x)), X, X, X)
    neg, matmul, add, last = g.nodes
    matmul.control_inputs.append(neg)
    last.control_inputs.append(add)
    rewrite(g, fused())
    node = next(n for n in g.nodes if n.type == "Gemm")
    assert list(node.control_inputs) == [neg] and list(node.control_outputs) == [last]
    assert ops(g) == ["Neg", "Gemm", "Abs"]


def test_a_condition_decides():
    g = build(lambda x, w, c: op.Add(op.MatMul(x, w), c), X, X, X)
    assert rewrite(g, fused(when=lambda match: match["a"].type.rank == 3)).rewrites == 0
    assert rewrite(g, fused(when=lambda a, b: a.type.rank == b.type.rank == 2)).rewrites == 1


def test_a_condition_may_take_the_other_order():
    g = build(lambda x, y: op.Add(x, y), X, X)
    seen = []

    def only_second(match):
        seen.append(match["a"])
        return match["a"] is g.inputs[1]

    rule = rewrite_rule(lambda a, b: op.Add(a, b), lambda a, b: op.Sub(a, b), when=only_second)
    rewrite(g, rule)
    assert seen == list(g.inputs)
    assert list(g.nodes[0].operands) == [g.inputs[1], g.inputs[0]]


def test_a_replacement_for_each_match_looks_at_it():
    g = build(lambda x, w, c: op.Add(op.MatMul(x, w), c), X, X, X)

    def made(a, b, c, match):
        assert match.nodes[0].type == "MatMul"
        return op.Gemm(a, b, c, alpha=float(a.type.rank))

    rewrite(g, rewrite_rule(matmul_add, made, per_match=True))
    assert g.nodes[0].attributes["alpha"] == 2.0


def test_a_replacement_may_use_operators_and_literals():
    g = build(lambda x: op.Relu(x), X)
    rewrite(g, rewrite_rule(lambda x: op.Relu(x), lambda x: x * 2.0 + 1.0, per_match=True))
    assert [t for t in ops(g) if t != "Const"] == ["Mul", "Add"]


def test_a_match_expires_with_its_hook():
    g = build(lambda x, w, c: op.Add(op.MatMul(x, w), c), X, X, X)
    kept = []
    rewrite(g, fused(when=lambda match: kept.append(match) or True))
    with pytest.raises(ir.StaleHandleError, match="MatchResult handle has expired"):
        kept[0]["a"]
    assert not kept[0].is_valid


def test_what_a_replacement_must_not_do():
    def refused(made, error, text):
        g = chain(2)
        before = str(g)
        with pytest.raises(error, match=text):
            rewrite(g, rewrite_rule(matmul_add, made, per_match=True))
        assert str(g) == before

    refused(lambda a, b, c: None, TypeError, "what a replacement returns")
    refused(lambda a, b, c: (a, b), ir.PassError, "2 values for the 1 outputs")
    refused(lambda match: match.anchor.users[0].result, ir.PassError, "comes after the match")
    other = ir.Graph("other").add_input("x", X)
    refused(lambda a: other, ValueError, "another graph")
    refused(lambda a, match: (match.anchor.erase(force=True), a)[1], ir.PassError, "took away")


def test_a_replacement_that_is_a_graph():
    def made(match):
        with es.builder("r") as b:
            x, y, z = (b.input(n) for n in "abc")
            b.output(op.Gemm(x, y, z))
        return b.graph

    g = chain(3)
    assert rewrite(g, rewrite_rule(matmul_add, made, per_match=True)).rewrites == 3
    assert ops(g) == ["Gemm", "Relu"] * 3


def with_bodies(x):
    z = op.Neg(x)
    flag = op.Equal(op.Size(x), op.Size(z))
    return op.If(flag, then_branch=lambda: op.Add(z, op.Exp(x)), else_branch=lambda: x)


def test_types_in_a_template_are_inferred_from_what_is_matched():
    g = ir.Graph("g")
    x = g.add_input("x", ir.TensorType((2, "N"), ir.f16))
    g.outputs = [g.add_node("onnx.Relu", [x], result_types=[x.type]).result]
    twice = rewrite_rule(
        lambda x: op.Relu(x), lambda x: op.Cast(op.Cast(x, to=ir.f32), to=ir.f16), name="twice"
    )
    assert rewrite(g, twice).rewrites == 1
    assert [v.type for v in (g.nodes[0].result, g.outputs[0])] == [
        ir.TensorType((2, "N"), ir.f32),
        x.type,
    ]


def test_a_template_has_bodies_and_is_stamped_natively():
    """No Python runs for a match, captures are the match's values, and open types are inferred."""
    g = build(lambda x: op.Neg(op.Relu(op.Abs(op.Relu(x)))), X)
    rule = rewrite_rule(lambda x: op.Relu(x), with_bodies, name="r")
    assert not rule._in_python
    assert rewrite(g, rule).rewrites == 2
    ifs = [n for n in g.nodes if n.type == "If"]
    taken = [g.inputs[0], next(n for n in g.nodes if n.type == "Abs").result]
    for node, x in zip(ifs, taken, strict=True):
        bodies = {body.slot: body for body in node.subgraphs}
        exp, add = bodies["then_branch"].nodes
        assert exp.operands[0] is x and add.operands[0].node.type == "Neg"
        assert bodies["else_branch"].nodes[0].operands[0] is x
        assert exp.result.type == add.result.type == node.result.type == X
    assert [o.rule for n in ifs for o in n.origins] == ["r", "r"]
    assert g.verify()


def test_templates_refuse_what_only_a_match_can_say_inside_a_body():
    bound = ir.Graph.parse("""
    func.func @r(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %y = "my.Use"(%x) ({
        %z = "onnx.Elu"(%x) {alpha = {match.bind = "k"}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
        "ge.yield"(%z) : (tensor<4x4xf32>) -> ()
      }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      return %y : tensor<4x4xf32>
    }
    """)
    with pytest.raises(ValueError, match="in a subgraph of .* takes an attribute from 'k'"):
        rewrite_rule(lambda x: p.op("onnx.Elu")(x, alpha=p.attr(bind="k")), bound)


def test_outside_uses_may_be_allowed():
    g = build(lambda x, w, c: (lambda m: (op.Add(m, c), op.Relu(m)))(op.MatMul(x, w)), X, X, X)
    assert rewrite(g, fused()).rewrites == 0
    assert rewrite(g, fused(), outside_uses=True).rewrites == 1
    assert sorted(ops(g)) == ["Gemm", "MatMul", "Relu"]
    assert g.verify()


def test_rules_refuse_what_does_not_fit():
    with pytest.raises(TypeError, match="parameter 'd', which the pattern does not name"):
        rewrite_rule(matmul_add, lambda d: op.Neg(d))
    with pytest.raises(ValueError, match="2 outputs, the pattern 1"):
        rewrite_rule(matmul_add, lambda a: (op.Neg(a), a))
    with pytest.raises(ValueError, match="operators of its own"):
        rewrite_rule(matmul_add, lambda a: p.any_op()(a))
    with pytest.raises(ValueError, match="does not bind"):
        rewrite_rule(matmul_add, lambda a: p.op("onnx.Elu")(a, alpha=p.attr(bind="k")))
    with pytest.raises(TypeError, match="takes rules"):
        rewrite(chain(1), [matmul_add])
    assert isinstance(fused(), Rule)


def test_a_rule_is_a_pass():
    """It reports whether it changed the graph and how often it matched."""
    manager = PassManager().add(fused())
    for graph, outcome, statistics in (
        (chain(3), "changed", {"matched": 3}),
        (build(lambda x: op.Relu(x), X), "unchanged", {}),
    ):
        (done,) = manager.run(graph).passes
        assert (done.name, done.outcome, done.statistics) == ("gemm", outcome, statistics)
    assert fused()(chain(1)) is True
    assert fused()(build(lambda x: op.Relu(x), X)) is False


def test_editing_elsewhere_in_a_condition_is_refused_or_undone():
    """Edits of a condition that then raises are rolled back."""
    g = chain(5)
    before = str(g)

    def edits(match):
        match.graph_edit = None

    with pytest.raises(AttributeError):
        rewrite(g, fused(when=edits))

    def renames(a):
        g.nodes[-1].name = "renamed"
        raise ValueError("late")

    with pytest.raises(ValueError, match="late"):
        rewrite(g, fused(when=renames))
    assert str(g) == before
