"""``x + 0.0`` becomes ``x``: the matcher compares the constant, bit for bit.

``python add_zero_strict_pass.py graph.mlir`` runs it by itself.
"""

from typing import Any

import ge.passes
from ge.passes import (
    PassStage,
    PatternFusionPass,
    PatternMatcherConfigBuilder,
    pattern,
    register_fusion_pass,
)


@register_fusion_pass(name="PythonAddZeroStrictPass", stage=PassStage.BEFORE_INFER_SHAPE)
class AddZeroStrictPass(PatternFusionPass):
    """``Add(x, 0.0)`` is taken away."""

    def __init__(self) -> None:
        super().__init__(PatternMatcherConfigBuilder().enable_const_value_match().build())

    @pattern
    def add_zero(self, inputs: Any) -> Any:
        """Find a scalar of DT_FLOAT; the literal 0 would be one of DT_INT64."""
        return inputs[0] + 0.0

    def replacement(self, inputs: Any) -> Any:
        """Nothing but the input."""
        return inputs[0]


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
