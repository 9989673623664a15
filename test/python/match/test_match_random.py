"""The native matcher finds the same matches as a slow reference matcher, on random graphs and random patterns."""

import random

import pytest
from slow_matcher import anchors

from ge import ir

F32 = ir.TensorType((2,), ir.f32)
OPS = {"onnx.Relu": 1, "onnx.Neg": 1, "onnx.Add": 2, "onnx.Sub": 2, "onnx.Mul": 2}


def random_graph(rng, inputs, nodes, outputs):
    g = ir.Graph("g")
    values = [g.add_input(f"x{i}", F32) for i in range(inputs)]
    for _ in range(nodes):
        op = rng.choice(sorted(OPS))
        recent = values[-4:]
        operands = [rng.choice(recent if rng.random() < 0.8 else values) for _ in range(OPS[op])]
        values.append(g.add_node(op, operands, result_types=[F32]).result)
    made = values[inputs:]
    g.outputs = rng.sample(made, min(outputs, len(made))) if made else []
    return g


def cone(rng, graph, root, size):
    """Return a pattern cut out of a graph: a root and some of its producers; their other operands become inputs."""
    taken = [root]
    for node in taken:
        for value in node.operands:
            producer = value.node
            if len(taken) < size and producer.op in OPS and producer not in taken:
                if rng.random() < 0.8:
                    taken.append(producer)
    p = ir.Graph("p")
    values = {}

    def value_of(v):
        if v not in values:
            values[v] = p.add_input(f"a{len(values)}", ir.UnknownType())
        return values[v]

    for node in [n for n in graph.nodes if n in taken]:
        operands = [value_of(v) for v in node.operands]
        if node.op in ("onnx.Add", "onnx.Mul") and rng.random() < 0.5:
            operands.reverse()
        values[node.result] = p.add_node(node.op, operands, result_types=[ir.UnknownType()]).result
    outputs = [values[root.result]]
    for node in taken[1:]:
        if rng.random() < 0.15:
            outputs.append(values[node.result])
    p.outputs = outputs
    return p


@pytest.mark.parametrize("seed", range(150))
def test_finds_what_the_slow_matcher_finds(seed):
    rng = random.Random(seed)
    graph = random_graph(rng, rng.randint(1, 3), rng.randint(1, 9), rng.randint(1, 3))
    for _ in range(4):
        root = rng.choice(list(graph.nodes))
        pattern = cone(rng, graph, root, rng.randint(1, 4))
        target = graph if rng.random() < 0.7 else random_graph(rng, 2, 9, 2)
        found = [match.anchor for match in target.find(pattern)]
        assert found == anchors(pattern, target), f"{pattern}\n{target}"


def test_the_seeds_meet_both_answers():
    """Ensures that the comparison above is not only of empty lists."""
    counts = {True: 0, False: 0}
    for seed in range(150):
        rng = random.Random(seed)
        graph = random_graph(rng, rng.randint(1, 3), rng.randint(1, 9), rng.randint(1, 3))
        pattern = cone(rng, graph, rng.choice(list(graph.nodes)), 3)
        counts[bool(graph.find(pattern))] += 1
    assert counts[True] > 40 and counts[False] > 20
