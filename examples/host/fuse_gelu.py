"""A pass in Python that the compiler runs: the five nodes of an exact GELU become onnxruntime's Gelu."""

import math
from typing import Any

from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, p, pattern, register_fusion_pass


@register_fusion_pass(name="FuseGelu", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseGelu(PatternFusionPass):
    """Replace ``0.5 * x * (1 + erf(x / sqrt(2)))`` by Gelu, which models of every operator set may have."""

    @pattern
    def gelu(self, x: Any) -> Any:
        """Match as PyTorch exports it."""
        return op.Mul(op.Mul(x, op.Add(op.Erf(op.Div(x, math.sqrt(2))), 1.0)), 0.5)

    def replacement(self, x: Any) -> Any:
        """Return what computes the same."""
        return p.op("com.microsoft.Gelu")(x)
