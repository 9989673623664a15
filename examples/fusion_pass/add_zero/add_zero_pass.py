"""``x + 0`` becomes ``x``: any constant is found, and the condition looks at its value.

``python add_zero_pass.py graph.mlir`` runs it by itself.
"""

from typing import Any

import ge.passes
from ge.graph import DataType, Tensor
from ge.passes import MatchResult, PassStage, PatternFusionPass, pattern, register_fusion_pass

# What counts as zero.
TOLERANCE = {DataType.DT_FLOAT: 1e-6, DataType.DT_DOUBLE: 1e-15, DataType.DT_INT32: 1}


def is_zero(tensor: Tensor) -> bool:
    """Whether it is a scalar 0, of one of the types that are known here."""
    tolerance = TOLERANCE.get(tensor.data_type)
    if tolerance is None or len(tensor.shape):
        return False
    return bool(abs(tensor.get_data()) < tolerance)


@register_fusion_pass(name="PythonAddZeroPass", stage=PassStage.BEFORE_INFER_SHAPE)
class AddZeroPass(PatternFusionPass):
    """``Add(x, 0)`` is taken away."""

    @pattern
    def add_constant(self, inputs: Any) -> Any:
        """Find any constant: the matcher is not configured to compare them."""
        return inputs[0] + 0

    def meet_requirements(self, match_result: MatchResult) -> bool:
        """Only zeros."""
        return all(
            is_zero(node.get_attr("value"))
            for node in match_result.get_matched_nodes()
            if node.type in ("Const", "Constant")
        )

    def replacement(self, inputs: Any) -> Any:
        """Nothing but the input."""
        return inputs[0]


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
