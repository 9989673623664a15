"""A graph, a pass and a run with ``check="rewrite"``."""

from pathlib import Path
from typing import Any

import numpy as np

import ge.ir as ir
from ge import es
from ge.es import onnx as op
from ge.passes import (
    PassManager,
    PatternFusionPass,
    pattern,
)

FLOATS = ir.TensorType(("N", 4), ir.f32)


def three(*, x: ir.Type = FLOATS) -> ir.Graph:
    """Build a chain of three products, with the factors 2, 0.5 and 2."""
    with es.builder("main", opset=17) as b:
        value = b.input("x", x)
        for i, factor in enumerate((2.0, 0.5, 2.0)):
            value = op.Mul(value, np.float32(factor), _name=f"mul{i}")
        b.output(value, name="y")
    return b.graph


def run(graph: ir.Graph, what: Any, tmp_path: Path, **options: Any) -> Any:
    return PassManager(check="rewrite", check_dir=tmp_path, **options).add(what).run(graph)


class Double(PatternFusionPass):
    """Replaces x * factor by x + x, which is correct only for a factor of 2."""

    @pattern
    def product(self, x, factor):
        return op.Mul(x, factor)

    def replacement(self, x, factor):
        return op.Add(x, x)
