"""The vendor's passes."""

from pathlib import Path
from typing import Any

from thin.ge import ops
from thin.ge.es import onnx as op
from thin.ge.passes import (
    PassStage,
    PatternFusionPass,
    load_plugin,
    p,
    pattern,
    register_fusion_pass,
)

from . import ops as _operators  # noqa: F401 - defines thin.ScaledRelu

scaled_relu = p.op("thin.ScaledRelu")

# Passes in C++: plugin/ThinPasses.cpp.
load_plugin(Path(__file__).parent / "plugins" / "libthin_passes.so")


def _scale(value: Any) -> "float | None":
    """Return what a constant of one float holds."""
    tensor = ops.constant_tensor(value)
    if tensor is None or tensor.type.num_elements != 1 or value.type.rank:
        return None
    return float(tensor.numpy())


@register_fusion_pass(name="ThinFuseScaledRelu", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseScaledRelu(PatternFusionPass):
    """``Relu(x) * c`` becomes ScaledRelu, for a scalar constant c."""

    @pattern
    def scaled(self, x: Any, c: Any) -> Any:
        """Return the product."""
        return op.Mul(op.Relu(x), c)

    def meet_requirements(self, c: Any) -> bool:
        """Whether c is a scalar: it adds no axes to x."""
        return _scale(c) is not None

    def replacement(self, x: Any, c: Any) -> Any:
        """Return ScaledRelu."""
        return scaled_relu(x, scale=_scale(c))
