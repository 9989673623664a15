"""MatMul or BatchMatMulV2, then Add: one GEMM, with what the captured product says.

``python fuse_matmul_add_captured_pass.py graph.mlir`` runs it by itself.
"""

from collections.abc import Callable
from typing import Any

import ge.passes
from ge.es import GraphBuilder
from ge.es.math import GEMM, Add, MatMul
from ge.es.nn import BatchMatMulV2
from ge.graph import DataType, Graph, Node
from ge.passes import (
    MatchResult,
    PassStage,
    Pattern,
    PatternFusionPass,
    create_pattern,
    create_replacement,
    register_fusion_pass,
)

PRODUCT, SUM = 0, 1  # indices of what is captured


def pattern_of(product: Callable[..., Any]) -> Pattern:
    """Return the pattern ``product(a, b) + c``, with both results captured."""
    builder = GraphBuilder(f"{product.__name__}_add")
    a, b, c = builder.create_inputs(3)
    matmul = product(a, b)
    add = Add(matmul, c)
    pattern = create_pattern(builder.build_and_reset([add]))
    return pattern.capture_tensor(matmul).capture_tensor(add)


def is_transposed(product: Node, operand: int) -> bool:
    """Return what the product's attribute says; one that is not there is False."""
    for name in (f"transpose_x{operand}", f"adj_x{operand}"):
        if product.has_attr(name):
            return bool(product.get_attr(name))
    return False


@register_fusion_pass(name="PythonFuseMatMulAddCapturedPass", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseMatMulAddCapturedPass(PatternFusionPass):
    """``Add(MatMul(a, b), c)`` of floats becomes ``GEMM(a, b, c, 1, 1)``, transposed as the product is."""

    def patterns(self) -> list[Pattern]:
        """Two graphs, in the order in which they are looked for."""
        return [pattern_of(MatMul), pattern_of(BatchMatMulV2)]

    def meet_requirements(self, match_result: MatchResult) -> bool:
        """Only sums of two DT_FLOAT."""
        add = match_result.get_captured_tensor(SUM).node
        return all(add.get_input_desc(i).data_type == DataType.DT_FLOAT for i in (0, 1))

    def replacement(self, match_result: MatchResult) -> Graph:
        """Of both patterns."""
        product = match_result.get_captured_tensor(PRODUCT).node
        builder = GraphBuilder("gemm")
        a, b, c = builder.create_inputs(3)
        gemm = GEMM(
            a,
            b,
            c,
            builder.create_scalar_float(1.0),
            builder.create_scalar_float(1.0),
            transpose_a=is_transposed(product, 1),
            transpose_b=is_transposed(product, 2),
        )
        return create_replacement(builder.build_and_reset([gemm]))


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
