"""A run with ``check="rewrite"``, and a rule for it."""

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
    """Three products in a row; the one in the middle is by 0.5, the others by 2."""
    with es.builder("main", opset=17) as b:
        value = b.input("x", x)
        for i, factor in enumerate((2.0, 0.5, 2.0)):
            value = op.Mul(value, np.float32(factor), _name=f"mul{i}")
        b.output(value, name="y")
    return b.graph


def run(graph: ir.Graph, what: Any, tmp_path: Path, **options: Any) -> Any:
    return PassManager(check="rewrite", check_dir=tmp_path, **options).add(what).run(graph)


class Double(PatternFusionPass):
    """Right for factors of 2 only."""

    @pattern
    def product(self, x, factor):
        return op.Mul(x, factor)

    def replacement(self, x, factor):
        return op.Add(x, x)
