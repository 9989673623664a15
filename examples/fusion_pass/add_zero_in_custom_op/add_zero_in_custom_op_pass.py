"""An operator of one's own: sums of zeros, after copies, are taken away.

``python add_zero_in_custom_op_pass.py graph.mlir`` runs it by itself.
"""

from typing import Any

import ge.passes
from ge import ops
from ge.es.math import Identity, TensorMove
from ge.graph import DataType, Tensor
from ge.passes import MatchResult, PassStage, PatternFusionPass, pattern, register_fusion_pass

# Open as long as this module is there; ge.es.custom has the operator from here on.
library = ops.Library("custom")
library.define("AddCustom(Tensor x, Tensor y) -> Tensor z", doc="x + y, of one shape or a scalar.")

from ge.es.custom import AddCustom  # type: ignore[import-not-found]  # noqa: E402

# What counts as zero.
TOLERANCE = {DataType.DT_FLOAT: 1e-6, DataType.DT_FLOAT16: 1e-3}


def is_zero(tensor: Tensor) -> bool:
    """Whether all elements are 0, of one of the types that are known here."""
    tolerance = TOLERANCE.get(tensor.data_type)
    return tolerance is not None and bool((abs(tensor.numpy()) < tolerance).all())


@register_fusion_pass(name="PythonAddZeroInCustomOpPass", stage=PassStage.BEFORE_INFER_SHAPE)
class AddZeroInCustomOpPass(PatternFusionPass):
    """``AddCustom(AddCustom(x, 0), y)`` becomes ``AddCustom(x, y)``."""

    @pattern
    def identity(self, inputs: Any) -> Any:
        """Find a constant after an Identity."""
        x, y = inputs[:2]
        zero = x.get_owner_builder().create_const_float(0.0)
        return AddCustom(AddCustom(x, Identity(zero)), y)

    @pattern
    def moved_identity(self, inputs: Any) -> Any:
        """Find one after a TensorMove, too."""
        x, y = inputs[:2]
        zero = x.get_owner_builder().create_const_float(0.0)
        return AddCustom(AddCustom(x, TensorMove(Identity(zero))), y)

    def meet_requirements(self, match_result: MatchResult) -> bool:
        """Only zeros."""
        return all(
            is_zero(node.get_attr("value"))
            for node in match_result.get_matched_nodes()
            if node.type in ("Const", "Constant")
        )

    def replacement(self, inputs: Any) -> Any:
        """Of both patterns."""
        return AddCustom(inputs[0], inputs[1])


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
