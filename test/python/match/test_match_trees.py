"""Patterns that are trees are matched without the general search, with the same matches.

A condition forces a pattern with commutative operators through the general search; one that is always true has no other
effect. The test compares both on random graphs with shared operands and outside uses of inner values.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from ge import ir
from ge.es import onnx as op
from ge.passes import p, rewrite, rewrite_rule

X = ir.TensorType((2, 2), ir.f32)

PATTERNS: dict[str, Callable[..., Any]] = {
    "two sides": lambda a, b, c, d: op.Add(op.Mul(a, b), op.Mul(c, d)),
    "left": lambda a, b, c: op.Relu(op.Add(op.Mul(a, b), c)),
    "chain": lambda a, b, c, d: op.Add(op.Add(op.Add(a, b), c), d),
    "both": lambda a, b, c: op.Mul(op.Add(op.Relu(a), b), op.Relu(c)),
    "order": lambda a, b, c: op.Sub(op.Add(a, op.Relu(b)), c),
}


def random_graph(seed: int) -> ir.Graph:
    rng = random.Random(seed)
    g = ir.Graph("random")
    values = [g.add_input(f"x{i}", X) for i in range(3)]
    for i in range(rng.randrange(4, 30)):
        kind = rng.choice(["Add", "Mul", "Sub", "Relu"])
        operands = [rng.choice(values[-5:]) for _ in range(1 if kind == "Relu" else 2)]
        values.append(g.add_node(f"onnx.{kind}", operands, result_types=[X], name=f"n{i}").result)
    g.outputs = [values[-1], *rng.sample(values[3:-1], min(rng.randrange(3), len(values) - 4))]
    return g


@pytest.mark.parametrize("name", PATTERNS)
def test_the_general_search_finds_the_same(name: str) -> None:
    found = PATTERNS[name]

    def made(**values: Any) -> Any:
        return p.op("test.Made")(*values.values())

    names = found.__code__.co_varnames[: found.__code__.co_argcount]
    replacement = eval(
        f"lambda {', '.join(names)}: made({', '.join(f'{n}={n}' for n in names)})", {"made": made}
    )
    plain = rewrite_rule(found, replacement, name="rule")
    asking = rewrite_rule(found, replacement, condition=lambda match: True, name="rule")
    total = 0
    for seed in range(300):
        for outside in (False, True):
            graphs = random_graph(seed), random_graph(seed)
            counts = [
                rewrite(g, rule, outside_uses=outside).rewrites
                for g, rule in zip(graphs, (plain, asking), strict=True)
            ]
            assert counts[0] == counts[1], (seed, outside)
            assert str(graphs[0]) == str(graphs[1]), (seed, outside)
            total += counts[0]
    assert total >= 5
