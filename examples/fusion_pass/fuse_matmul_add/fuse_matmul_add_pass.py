"""MatMul or BatchMatMulV2, then Add: one GEMM. CANN's sample 1_fuse_matmul_add_pass in CANN's style.

``python fuse_matmul_add_pass.py graph.mlir`` runs it by itself.
"""

from typing import Any

import ge.passes
from ge.es.math import GEMM, MatMul
from ge.es.nn import BatchMatMulV2
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass


@register_fusion_pass(name="PythonFuseMatMulAddPass", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseMatMulAddPass(PatternFusionPass):
    """``Add(MatMul(a, b), c)`` becomes ``GEMM(a, b, c, 1, 1)``."""

    @pattern
    def matmul_add(self, inputs: Any) -> Any:
        """First pattern."""
        a, b, c = inputs[:3]
        return MatMul(a, b) + c

    @pattern
    def batch_matmul_add(self, inputs: Any) -> Any:
        """Second pattern, looked for when the first is done."""
        a, b, c = inputs[:3]
        return BatchMatMulV2(a, b) + c

    def replacement(self, inputs: Any) -> Any:
        """Of both."""
        a, b, c = inputs[:3]
        return GEMM(a, b, c, 1.0, 1.0)


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
