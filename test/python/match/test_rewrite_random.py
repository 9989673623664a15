"""Random rules, correct by construction, on random graphs: rewriting does not change what a graph computes.

Rules have one or two outputs, share values or not, and use alternatives, optional nodes, numbers and conditions; graphs
have control edges, bodies with captures, outside uses and unsorted lists. Arithmetic wraps around, so results are equal
exactly. Which matches are found, and in which order, is tested in test_match_random.py and test_rewrite.py.
"""

import random

import algebra
import numpy as np
import pytest

from ge import ir
from ge.es import onnx as op
from ge.passes import p, rewrite, rewrite_rule

I64 = ir.TensorType((3,), ir.i64)
NAMES = ("a", "b", "c")


# --- Rules


class Builder:
    """Adds the nodes of expressions to the graph being traced; equal subexpressions share a node if `shares`."""

    def __init__(self, values, rng, shares, features):
        self.values = values
        self.rng = rng
        self.shares = shares
        self.features = features
        self.made = {}

    def __call__(self, e):
        if self.shares and e in self.made:
            return self.made[e]
        if isinstance(e, str):
            value = self.values[e]
            if self.features and self.rng.random() < 0.15:
                value = p.optional(op.Identity, value)
        elif not algebra.is_made(e):
            value = p.constant(np.int64(e))
        else:
            value = getattr(op, e[0])(*(self(operand) for operand in e[1:]))
            if self.features and self.rng.random() < 0.1:
                value = value.where(lambda found: len(found.uses) < 3)
        self.made[e] = value
        return value


def named(function, names):
    """Return a wrapper of `function` whose parameters have these names."""
    return eval(f"lambda {', '.join(names)}: function({', '.join(names)})", {"function": function})


def sides(rng, weights):
    """Return two lists of pairwise equal expressions; the first has the greater weight, so that rewriting ends."""
    while True:
        outputs = [algebra.random_expression(rng, NAMES, rng.randint(1, 4))]
        if rng.random() < 0.3 and algebra.is_made(outputs[0]):
            # A second output that shares an operand with the first.
            outputs.append((rng.choice(algebra.UNARY), rng.choice(outputs[0][1:])))
        equal = [algebra.rewritten(rng, e, rng.randint(1, 3)) for e in outputs]
        pair = [outputs, equal]
        pair.sort(key=lambda side: -sum(algebra.weight(e, weights) for e in side))
        first, second = pair
        differ = sum(algebra.weight(e, weights) for e in first) > sum(
            algebra.weight(e, weights) for e in second
        )
        # A few rules may never reach a fixpoint; these must be rejected.
        if (differ or rng.random() < 0.02) and all(map(algebra.is_made, first)):
            return first, second


def random_rule(rng, number, weights):
    outputs, equal = sides(rng, weights)
    used = list(dict.fromkeys(v for e in outputs for v in algebra.variables(e)))
    shares, features = rng.random() < 0.7, rng.random() < 0.7
    other = algebra.rewritten(rng, outputs[0], 2) if rng.random() < 0.3 else None
    heavy = other is not None and algebra.weight(other, weights) >= algebra.weight(
        outputs[0], weights
    )
    if not heavy or len(outputs) > 1:
        other = None
    seed = rng.random()

    def found(*values):
        build = Builder(dict(zip(used, values, strict=True)), random.Random(seed), shares, features)
        made = [build(e) for e in outputs]
        return p.any_of(made[0], build(other)) if other is not None else tuple(made)

    def replaced(*values):
        build = Builder(dict(zip(used, values, strict=True)), rng, True, False)
        return tuple(build(e) for e in equal)

    when = None
    if rng.random() < 0.2:
        when = lambda match: len(match.anchor.results[0].uses) != 2  # noqa: E731
    try:
        return outputs, rewrite_rule(
            named(found, used),
            named(replaced, used),
            when,
            name=f"rule{number}",
            benefit=rng.randint(0, 2),
            per_match=rng.random() < 0.4,
        )
    except ValueError as error:
        # A variable or a number alone is not a pattern, and equal outputs become one.
        assert "pattern" in str(error) or "output" in str(error)
        return random_rule(rng, number, weights)


# --- Graphs


def add(graph, e, values, rng):
    """Add the nodes of an expression, with an Identity here and there."""
    if isinstance(e, str):
        value = values[e]
        if rng.random() < 0.1:
            value = graph.add_node("onnx.Identity", [value], result_types=[I64]).result
        return value
    if not algebra.is_made(e):
        tensor = ir.Tensor(np.int64(e))
        return graph.add_node(
            "ge.Const", attributes={"value": tensor}, result_types=[tensor.type]
        ).result
    operands = [add(graph, operand, values, rng) for operand in e[1:]]
    if e[0] in ("Add", "Mul") and rng.random() < 0.3:
        operands.reverse()
    return graph.add_node(f"onnx.{e[0]}", operands, result_types=[I64]).result


def grow(graph, rng, values, planted, count):
    """Add nodes over `values`, most of them expressions that the rules match."""
    for _ in range(count):
        e = rng.choice(rng.choice(planted)) if rng.random() < 0.7 else None
        e = e or algebra.random_expression(rng, NAMES, rng.randint(1, 2))
        here = {name: rng.choice(values[-6:]) for name in NAMES}
        made = add(graph, e, here, rng)
        if made.type == I64:
            values.append(made)


def random_graph(rng, planted):
    graph = ir.Graph("main")
    values = [graph.add_input(f"x{i}", I64) for i in range(3)]
    condition = graph.add_input("condition", ir.TensorType((), ir.i1))
    for _ in range(rng.randint(1, 3)):
        grow(graph, rng, values, planted, rng.randint(1, 5))
        if rng.random() < 0.3:
            node = graph.add_node(
                "onnx.If",
                [condition],
                result_types=[I64],
                subgraphs={"then_branch": None, "else_branch": None},
            )
            for body in node.subgraphs:
                inside = list(values)
                grow(body, rng, inside, planted, rng.randint(1, 3))
                body.outputs = [
                    inside[-1]
                    if inside[-1].node.graph is body
                    else add(body, ("Neg", "a"), {"a": inside[-1]}, rng)
                ]
            values.append(node.result)
    made = [v for v in values if not v.node.is_input]
    graph.outputs = rng.sample(made, min(len(made), rng.randint(1, 3)))
    graph.output_names = [f"y{i}" for i in range(len(graph.outputs))]
    nodes = list(graph.nodes)
    if rng.random() < 0.3:
        for _ in range(2):
            first, then = sorted(rng.sample(range(len(nodes)), 2)) if len(nodes) > 1 else (0, 0)
            if first != then:
                nodes[then].control_inputs.append(nodes[first])
    if rng.random() < 0.3:  # the list need not be sorted
        rng.shuffle(nodes)
        for node in nodes:
            node.move_before(graph.nodes[0])
    return graph


def evaluate(graph, inputs):
    """Compute the outputs; `inputs` are given by name."""
    graph.sort()
    return _evaluate(graph, {v: inputs[v.name] for v in graph.inputs})


def _evaluate(graph, known):
    known = dict(known)
    for node in graph.nodes:
        if node.op == "ge.Const":
            known[node.result] = node.attributes["value"].numpy()
        elif node.op == "onnx.If":
            which = "then_branch" if known[node.operands[0]] else "else_branch"
            (known[node.result],) = _evaluate(node.subgraphs[which], known)
        else:
            kernel = algebra.KERNELS[node.type]
            known[node.result] = kernel(*(known[v] for v in node.operands))
    return [known[v] for v in graph.outputs]


# --- The test


def rules_of(rng):
    weights = {op: rng.randint(1, 9) for op in algebra.KERNELS}
    made = [random_rule(rng, number, weights) for number in range(rng.randint(1, 4))]
    return [outputs for outputs, _ in made], [rule for _, rule in made]


def rewrites_of(seed):
    """Do one experiment; return how many matches were rewritten."""
    rng = random.Random(seed)
    planted, rules = rules_of(rng)
    graph = random_graph(rng, planted)
    numbers = np.random.default_rng(seed)
    inputs = [
        {**{f"x{i}": numbers.integers(-9, 9, 3) for i in range(3)}, "condition": np.bool_(side)}
        for side in (False, True)
    ]
    wanted = [evaluate(graph.clone(), given) for given in inputs]
    before = str(graph)
    count = 0
    try:
        count = rewrite(
            graph,
            rules,
            fixpoint=rng.random() < 0.5,
            outside_uses=rng.random() < 0.3,
            subgraphs=rng.random() < 0.9,
        ).rewrites
    except ir.PassError as error:
        # Rules may undo each other, or put a number where a tensor is needed.
        says = ("undo each other", "again and", "makes itself", "contradict each", "an output of")
        assert any(text in str(error) for text in says)
        assert str(graph) == before
    else:
        assert count or str(graph) == before
    assert graph.verify()
    assert list(graph.output_names) == [f"y{i}" for i in range(len(graph.outputs))]
    text = str(graph)
    for given, values in zip(inputs, wanted, strict=True):
        for a, b in zip(values, evaluate(graph.clone(), given), strict=True):
            assert np.array_equal(np.broadcast_to(a, 3), np.broadcast_to(b, 3)), f"{before}\n{text}"
    return count


@pytest.mark.parametrize("block", range(40))
def test_rewriting_keeps_what_is_computed(block):
    assert sum(rewrites_of(block * 25 + i) for i in range(25)) > 5
