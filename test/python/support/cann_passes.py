"""A graph, a pass and a run of it in CANN's style."""

from collections.abc import Callable
from typing import Any

import ge.passes as passes
from ge.es import GraphBuilder
from ge.es.math import GEMM, MatMul
from ge.graph import Graph
from ge.passes import (
    PassManager,
    PassStage,
    PatternFusionPass,
    pattern,
)

STAGE = PassStage.BEFORE_INFER_SHAPE


def build(count: int, make: Callable[..., Any]) -> Graph:
    builder = GraphBuilder("target")
    made = make(*builder.create_inputs(count))
    return builder.build_and_reset(list(made) if isinstance(made, (list, tuple)) else [made])


def types(graph: Graph) -> list[str]:
    return [node.type for node in graph.nodes]


def run(graph: Graph, *classes: Any, **options: Any) -> passes.PipelineResult:
    manager = PassManager(**options)
    for cls in classes:
        manager.add(cls)
    return manager.run(graph)


class MatMulAdd(PatternFusionPass):
    @pattern
    def matmul_add(self, inputs: Any) -> Any:
        return MatMul(inputs[0], inputs[1]) + inputs[2]

    def replacement(self, inputs: Any) -> Any:
        return GEMM(inputs[0], inputs[1], inputs[2], 1.0, 1.0)


def matmul_add() -> Graph:
    return build(3, lambda a, b, c: MatMul(a, b) + c)
