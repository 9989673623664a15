"""GELU as exporters write it becomes onnxruntime's Gelu, FastGelu or QuickGelu, and takes the bias before it.

``python gelu_pass.py model.onnx -o out.onnx`` runs it by itself.
"""

import math
from typing import Any

import ge.ops
import ge.passes
from ge import ir
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, p, pattern, register_fusion_pass

contrib = ge.ops.Library("com.microsoft", "FRAGMENT")
contrib.define("Gelu(Tensor X) -> Tensor Y", doc="GELU by erf.")
contrib.define("FastGelu(Tensor X, Tensor? bias=None) -> Tensor Y", doc="GELU by tanh.")
contrib.define("QuickGelu(Tensor X, *, float alpha=1.702) -> Tensor Y", doc="x sigmoid(alpha x).")
contrib.define("BiasGelu(Tensor A, Tensor B) -> Tensor C", doc="GELU by erf of a sum.")

gelu = p.op("com.microsoft.Gelu")
fast_gelu = p.op("com.microsoft.FastGelu")
quick_gelu = p.op("com.microsoft.QuickGelu")
bias_gelu = p.op("com.microsoft.BiasGelu")

FLOATS = (ir.f32, ir.f16, ir.bf16)
ROOT_2 = math.sqrt(2)
ROOT_2_PI = math.sqrt(2 / math.pi)


def half_of_product(x: Any, gate: Any) -> Any:
    """``x * gate / 2``, in each order of products."""
    return p.any_of(
        op.Mul(op.Mul(x, gate), 0.5),
        op.Mul(x, op.Mul(gate, 0.5)),
        op.Mul(op.Mul(x, 0.5), gate),
    )


def series(x: Any) -> Any:
    """``sqrt(2 / pi) (x + 0.044715 x^3)``: with a power, with products, or with x taken out."""
    square = op.Mul(x, x)
    cube = p.any_of(op.Pow(x, 3.0), op.Mul(x, square))
    scaled_square = p.any_of(op.Mul(op.Mul(x, 0.044715), x), op.Mul(square, 0.044715))
    return p.any_of(
        op.Mul(op.Add(x, op.Mul(cube, 0.044715)), ROOT_2_PI),
        op.Mul(op.Mul(x, ROOT_2_PI), op.Add(scaled_square, 1.0)),
    )


class _Gelu(PatternFusionPass):
    """What all of them ask."""

    def meet_requirements(self, x: Any, match: Any) -> bool:
        """No constant adds axes to x."""
        made = match.outputs[0].type
        return made.rank == x.type.rank or match.reject(f"{x.type} becomes {made}")


@register_fusion_pass(name="FuseGelu", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseGelu(_Gelu):
    """``x (1 + erf(x / sqrt(2))) / 2`` becomes Gelu."""

    @pattern
    def by_erf(self, x: Any) -> Any:
        """PyTorch's exporters below operator set 20, and formulas written by hand."""
        x = x.where(dtype=FLOATS)
        scaled = p.any_of(op.Div(x, ROOT_2), op.Mul(x, 1 / ROOT_2))
        return half_of_product(x, op.Add(op.Erf(scaled), 1.0))

    def replacement(self, x: Any) -> Any:
        """Gelu."""
        return gelu(x)


@register_fusion_pass(name="FuseFastGelu", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseFastGelu(_Gelu):
    """``x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2`` becomes FastGelu."""

    @pattern
    def by_tanh(self, x: Any) -> Any:
        """The same two, and transformers' "gelu_new" and "gelu_fast"."""
        x = x.where(dtype=FLOATS)
        return half_of_product(x, op.Add(op.Tanh(series(x)), 1.0))

    def replacement(self, x: Any) -> Any:
        """FastGelu."""
        return fast_gelu(x)


@register_fusion_pass(name="FuseQuickGelu", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseQuickGelu(_Gelu):
    """``x sigmoid(1.702 x)`` becomes QuickGelu."""

    @pattern
    def by_sigmoid(self, x: Any) -> Any:
        """CLIP's; with any factor, which is the attribute."""
        x = x.where(dtype=FLOATS)
        alpha = p.constant(predicate=lambda tensor: tensor.size == 1, name="alpha")
        return op.Mul(x, op.Sigmoid(op.Mul(x, alpha)))

    def replacement(self, x: Any, match: Any) -> Any:
        """QuickGelu."""
        alpha = ge.ops.constant_tensor(match["alpha"])
        assert alpha is not None  # the pattern asks for a constant
        return quick_gelu(x, alpha=float(alpha.numpy().item()))


@register_fusion_pass(name="FuseBiasGelu", stage=PassStage.BEFORE_INFER_SHAPE, after="FuseGelu")
class FuseBiasGelu(PatternFusionPass):
    """The bias of a dense layer and the GELU after it become one node."""

    @pattern
    def by_erf(self, x: Any, bias: Any) -> Any:
        """Also ONNX's own Gelu, which exporters write since operator set 20."""
        total = op.Add(x, bias.where(rank=1, dtype=ir.f32))
        return p.any_of(gelu(total), op.Gelu(total, approximate="none"))

    def meet_requirements(self, x: Any, bias: Any, match: Any) -> bool:
        """A number for each element of the last axis."""
        if x.type.rank is None or x.type.rank < 1:
            return match.reject("the rank of x is not known")
        same = x.type.shape[-1] == bias.type.shape[0] is not None
        return same or match.reject(f"bias {bias.type} is not along the last axis of {x.type}")

    def replacement(self, x: Any, bias: Any) -> Any:
        """BiasGelu."""
        return bias_gelu(x, bias)


@register_fusion_pass(
    name="FuseBiasFastGelu", stage=PassStage.BEFORE_INFER_SHAPE, after="FuseFastGelu"
)
class FuseBiasFastGelu(FuseBiasGelu):
    """The same with FastGelu."""

    @pattern
    def by_tanh(self, x: Any, bias: Any) -> Any:
        """Likewise."""
        total = op.Add(x, bias.where(rank=1, dtype=FLOATS))
        return p.any_of(fast_gelu(total), op.Gelu(total, approximate="tanh"))

    def replacement(self, x: Any, bias: Any) -> Any:
        """FastGelu with its second operand."""
        return fast_gelu(x, bias)


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
