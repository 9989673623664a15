"""A product with given attributes, plus a given constant: one GEMM. The matcher compares both.

``python fuse_matmul_add_configured_pass.py graph.mlir`` runs it by itself.
"""

from typing import Any

import ge.passes
from ge.es.math import GEMM, MatMul
from ge.es.nn import BatchMatMulV2
from ge.passes import (
    PassStage,
    PatternFusionPass,
    PatternMatcherConfigBuilder,
    pattern,
    register_fusion_pass,
)

TENTHS = [[0.1, 0.1], [0.1, 0.1]]  # a constant of DT_FLOAT, 2 by 2


@register_fusion_pass(name="PythonFuseMatMulAddConfiguredPass", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseMatMulAddConfiguredPass(PatternFusionPass):
    """``MatMul(x, y) + 0.1`` becomes ``GEMM(x, y, 0.1, 1, 1)`` where nothing is transposed."""

    def __init__(self) -> None:
        config = PatternMatcherConfigBuilder()
        config.enable_const_value_match().enable_ir_attr_match()
        super().__init__(config.build())

    @pattern
    def matmul_add(self, inputs: Any) -> Any:
        """First pattern."""
        x, y = inputs[:2]
        return MatMul(x, y, None, transpose_x1=False, transpose_x2=False) + TENTHS

    @pattern
    def batch_matmul_add(self, inputs: Any) -> Any:
        """Second pattern: attributes that are not given have the operator's defaults."""
        x, y = inputs[:2]
        return BatchMatMulV2(x, y) + TENTHS

    def replacement(self, inputs: Any) -> Any:
        """Of both."""
        x, y = inputs[:2]
        return GEMM(x, y, TENTHS, 1.0, 1.0)


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
