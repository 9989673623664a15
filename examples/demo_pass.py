"""The fusion of the demonstration: GELU, which PyTorch exports as five nodes, becomes one.

``ge optimize model.onnx -o out.onnx --passes demo_pass.py`` runs it on any model.
"""

import math

import ge.ops
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, p, pattern, register_fusion_pass

# onnxruntime has one operator for GELU. Its schema makes it an operator here.
contrib = ge.ops.Library("com.microsoft", "FRAGMENT")
contrib.define("Gelu(Tensor X) -> Tensor Y", doc="x / 2 (1 + erf(x / sqrt(2)))")
gelu = p.op("com.microsoft.Gelu")


@register_fusion_pass(name="FuseErfGelu", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseErfGelu(PatternFusionPass):
    """GELU by erf, whatever its input is."""

    @pattern
    def exported(self, x):
        """Match this expression over any value x; constants match by value."""
        return op.Mul(op.Mul(x, op.Add(op.Erf(op.Div(x, math.sqrt(2))), 1.0)), 0.5)

    def replacement(self, x):
        """Replace each match; names, types and origins of its results are kept."""
        return gelu(x)
