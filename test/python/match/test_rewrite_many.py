"""Many rewrites of one graph: order, fixpoints, benefit, cycles, bodies, and the rollback of all of them together."""

import random
from pathlib import Path

import numpy as np
import pytest
from rewrite_graphs import X, build, chain, fused, gemm, matmul_add, ops

from ge import es, ir
from ge.es import onnx as op
from ge.passes import p, rewrite, rewrite_rule


@pytest.mark.parametrize("hook", ["when", "replacement", "predicate"])
def test_an_exception_at_match_500_of_1000_undoes_everything(hook):
    class Mine(Exception):
        pass

    calls = []

    def hit(result):
        calls.append(1)
        if len(calls) == 500:
            raise Mine(hook)
        return result

    g = chain(1000)
    before = str(g)
    if hook == "predicate":
        rule = rewrite_rule(
            lambda a, b, c: op.Add(op.MatMul(a.where(lambda v: hit(True)), b), c), gemm
        )
    elif hook == "when":
        rule = fused(when=lambda a: hit(True))
    else:
        rule = rewrite_rule(matmul_add, lambda a, b, c: hit(op.Gemm(a, b, c)), per_match=True)
    with pytest.raises(Mine) as caught:
        rewrite(g, rule)
    assert len(calls) == 500
    assert caught.traceback[-1].path.name == Path(__file__).name
    assert str(g) == before
    calls.clear()
    assert rewrite(g, fused()).rewrites == 1000


def test_new_nodes_are_looked_at_at_once():
    """A chain becomes one node in one sweep."""
    g = build(lambda x: op.Relu(op.Relu(op.Relu(op.Relu(x)))), X)
    rule = rewrite_rule(lambda x: op.Relu(op.Relu(x)), lambda x: op.Relu(x))
    assert rewrite(g, rule).rewrites == 3
    assert ops(g) == ["Relu"]


def test_a_fixpoint_finds_what_a_sweep_makes_possible():
    """The Neg has two users until the second one, the later Abs, is replaced."""
    g = build(lambda x: (lambda n: (op.Relu(n), op.Abs(n)))(op.Neg(x)), X)
    rules = [
        rewrite_rule(lambda x: op.Relu(op.Neg(x)), lambda x: op.Tanh(x), name="tanh"),
        rewrite_rule(lambda n: op.Abs(n), lambda n: p.constant(np.ones(X.shape, "f4")), name="one"),
    ]
    assert rewrite(g.clone(), rules).per_rule == {"tanh": 0, "one": 1}
    assert rewrite(g, rules, fixpoint=True).per_rule == {"tanh": 1, "one": 1}


def test_rules_that_undo_each_other_are_named():
    there = rewrite_rule(lambda x: op.Relu(x), lambda x: op.Abs(x), name="there")
    back = rewrite_rule(lambda x: op.Abs(x), lambda x: op.Relu(x), name="back")
    g = build(lambda x: op.Relu(x), X)
    before = str(g)
    with pytest.raises(ir.PassError, match="rules 'there' and 'back' undo each other"):
        rewrite(g, [there, back])
    assert str(g) == before
    more = rewrite_rule(lambda x: op.Relu(x), lambda x: op.Relu(op.Relu(x)), name="more")
    with pytest.raises(ir.PassError, match="rule 'more' matches what it makes itself"):
        rewrite(g, more)
    assert str(g) == before


def test_the_greater_benefit_wins():
    small = rewrite_rule(lambda x: op.Relu(x), lambda x: op.Abs(x), name="small")
    large = rewrite_rule(
        lambda x: op.Relu(op.Neg(x)), lambda x: op.Tanh(x), name="large", benefit=1
    )
    g = build(lambda x: op.Relu(op.Neg(x)), X)
    assert rewrite(g, [small, large]).per_rule == {"small": 0, "large": 1}


def sin_cos():
    return rewrite_rule(
        lambda x, y: (op.Sin(x), op.Cos(y)),
        lambda x, y: p.op("com.example.SinCos")(x, y, results=2),
        name="sincos",
    )


def test_several_outputs_are_replaced_at_a_legal_point():
    """A user of the first output precedes the node of the second output."""

    def pair(x):
        return op.Sin(x), op.Cos(x)

    rule = rewrite_rule(pair, lambda x: p.op("com.example.SinCos")(x, results=2))
    g = build(lambda x: (lambda s: (op.Neg(s), op.Cos(x)))(op.Sin(x)), X)
    assert rewrite(g, rule).rewrites == 1
    assert ops(g) == ["SinCos", "Neg"]
    assert g.verify()


def test_what_would_make_a_cycle_is_left_alone():
    """One output of the match depends on the other through nodes outside of the match."""

    def found(x, y):
        a = op.Neg(x)
        return op.Relu(a), op.Sub(a, y)

    rule = rewrite_rule(found, lambda x, y: p.op("com.example.Two")(x, y, results=2))
    g = build(lambda x: (lambda a: op.Sub(a, op.Tanh(op.Relu(a))))(op.Neg(x)), X)
    before = str(g)
    done = rewrite(g, rule)
    assert (done.rewrites, done.cyclic) == (0, 1) and str(g) == before
    # Without that dependency the rewrite is legal, whatever the order of the nodes.
    g = build(lambda x, y: (lambda a: (op.Tanh(op.Relu(a)), op.Sub(a, op.Abs(y))))(op.Neg(x)), X, X)
    assert rewrite(g, rule).rewrites == 1
    order = {n: i for i, n in enumerate(g.nodes)}
    for node in g.nodes:
        for value in node.operands:
            assert value.node not in order or order[value.node] < order[node]


def test_a_control_edge_out_of_the_middle_may_make_a_cycle():
    g = build(lambda x, w, c: op.Add(op.MatMul(x, w), op.Neg(c)), X, X, X)
    matmul, neg, _ = sorted(g.nodes, key=lambda n: ["MatMul", "Neg", "Add"].index(n.type))
    neg.control_inputs.append(matmul)
    done = rewrite(g, fused())
    assert (done.rewrites, done.cyclic) == (0, 1)


def test_an_unsorted_list_is_no_obstacle():
    g = build(lambda x, w, c: op.Add(op.MatMul(x, w), c), X, X, X)
    g.nodes[1].move_before(g.nodes[0])
    assert rewrite(g, fused()).rewrites == 1
    g = build(lambda x, w, c: op.Relu(op.Add(op.MatMul(x, w), c)), X, X, X)
    g.nodes[2].move_before(g.nodes[0])
    assert rewrite(g, rewrite_rule(matmul_add, gemm, per_match=True)).rewrites == 1
    assert g.verify()


def test_bodies_are_rewritten_and_captures_respected():
    with es.builder("main") as b:
        c, x, w = b.input("c", ir.TensorType((), "bool")), b.input("x", X), b.input("w", X)
        m = op.MatMul(x, w)
        b.output(
            *op.If(c, then_branch=lambda: op.Add(op.MatMul(w, x), x), else_branch=lambda: op.Neg(m))
        )
        b.output(op.Add(m, x))
    g = b.graph
    assert rewrite(g, fused()).rewrites == 1  # the outer MatMul is captured
    bodies = next(n for n in g.nodes if n.type == "If").subgraphs
    body = next(body for body in bodies if ops(body) != ["Neg"])
    assert ops(body) == ["Gemm"]
    assert list(body.nodes[0].operands) == [g.inputs[2], g.inputs[1], g.inputs[1]]
    assert g.verify()
    assert rewrite(g, fused(), subgraphs=False).rewrites == 0


def test_rewriting_twice_gives_the_same_bytes():
    texts = set()
    for _ in range(3):
        g = chain(50)
        rewrite(g, [fused(), rewrite_rule(lambda x: op.Relu(x), lambda x: op.Abs(x), name="abs")])
        texts.add(str(g))
    assert len(texts) == 1


RULES = {
    "Sub to Add": (lambda x, y: op.Sub(x, y), lambda x, y: op.Add(x, op.Neg(y))),
    "double Neg": (lambda x: op.Neg(op.Neg(x)), lambda x: x),
    "factor": (
        lambda x, y, z: op.Add(op.Mul(x, y), op.Mul(x, z)),
        lambda x, y, z: op.Mul(x, op.Add(y, z)),
    ),
    "sum and difference": (
        lambda x, y: (op.Relu(x), op.Sub(x, y)),
        lambda x, y: (op.Relu(x), op.Neg(op.Sub(y, x))),
    ),
}
KERNELS = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Neg": np.negative,
    "Relu": lambda x: np.maximum(x, 0),
}


def evaluate(graph, inputs):
    known = dict(zip(graph.inputs, inputs, strict=True))
    graph.sort()
    for node in graph.nodes:
        known[node.result] = KERNELS[node.type](*(known[v] for v in node.operands))
    return [known[v] for v in graph.outputs]


@pytest.mark.parametrize("seed", range(120))
def test_random_graphs_compute_the_same_afterwards(seed):
    rng = random.Random(seed)
    g = ir.Graph("g")
    t = ir.TensorType((3,), ir.i64)
    values = [g.add_input(f"x{i}", t) for i in range(2)]
    for _ in range(rng.randint(1, 25)):
        kind = rng.choice(sorted(KERNELS))
        count = 1 if kind in ("Neg", "Relu") else 2
        operands = [rng.choice(values[-6:]) for _ in range(count)]
        values.append(g.add_node(f"onnx.{kind}", operands, result_types=[t]).result)
    g.outputs = rng.sample(values[2:], min(3, len(values) - 2))
    if rng.random() < 0.3:  # the list need not be sorted
        nodes = list(g.nodes)
        rng.shuffle(nodes)
        for node in nodes:
            node.move_before(g.nodes[0])
    data = [np.array(rng.sample(range(-9, 9), 3)) for _ in range(2)]
    wanted = evaluate(g.clone(), data)
    names = rng.sample(sorted(RULES), rng.randint(1, 4))
    rules = [rewrite_rule(*RULES[n], name=n, per_match=rng.random() < 0.5) for n in names]
    try:
        rewrite(g, rules, fixpoint=rng.random() < 0.5)
    except ir.PassError as error:
        assert "undo each other" in str(error) or "again and again" in str(error)
    assert g.verify()
    for a, b in zip(wanted, evaluate(g, data), strict=True):
        assert np.array_equal(a, b)
