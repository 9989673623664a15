"""Layer normalization that was exported as its parts becomes LayerNormalization, that by root mean square SimplifiedLayerNormalization.

``python layer_norm_pass.py model.onnx -o out.onnx`` runs it by itself.
"""

from typing import Any

import numpy as np

import ge.ops
import ge.passes
from ge import ir
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, p, pattern, register_fusion_pass

# onnxruntime's own, in ONNX's domain.
runtime = ge.ops.Library("onnx", "FRAGMENT")
runtime.define(
    "SimplifiedLayerNormalization(Tensor X, Tensor scale, *, int axis=-1, float epsilon=1e-05, "
    "int stash_type=1) -> Tensor Y",
    doc="Division by the root of the mean of squares.",
)
# onnxruntime has it in every operator set, ONNX since 17.
layer_normalization = p.op("onnx.LayerNormalization")
simplified_layer_normalization = p.op("onnx.SimplifiedLayerNormalization")

FLOATS = (ir.f32, ir.f16, ir.bf16)


def mean(x: Any, axes: Any, name: str) -> Any:
    """Axes are an attribute before operator set 18, then an operand."""
    return p.op("onnx.ReduceMean")(x, p.optional(axes), name=name)


def square(x: Any) -> Any:
    return p.any_of(op.Pow(x, 2.0), op.Mul(x, x))


def over_root(x: Any, variance: Any, epsilon: Any) -> Any:
    """``x / sqrt(variance + epsilon)``; what is too small to matter was folded away."""
    root = op.Sqrt(p.any_of(op.Add(variance, epsilon), variance))
    inverse = p.any_of(op.Reciprocal(root), op.Div(1.0, root))
    return p.any_of(op.Div(x, root), op.Mul(x, inverse))


def numbers(value: Any) -> np.ndarray | None:
    """Return the value of a constant, also through a Reshape; None if it is not constant."""
    while value.node.type == "Reshape":
        value = value.node.operands[0]
    tensor = ge.ops.constant_tensor(value)
    return None if tensor is None else tensor.numpy()


def axes_of(node: ir.Node) -> list[int] | None:
    """Return the last axes as negative numbers; None: others, or not known."""
    axes: Any = node.attributes.get("axes")
    if len(node.operands) > 1 and node.operands[1] is not None:
        axes = numbers(node.operands[1])
    rank = node.operands[0].type.rank
    if axes is None or rank is None:
        return None
    found = sorted(int(axis) % rank - rank for axis in np.ravel(axes))
    return found if found == list(range(-len(found), 0)) else None


def epsilon_of(match: Any) -> float | None:
    """Return what is added to the variance, 0 where nothing is; None: it is not a number."""
    if match["epsilon"] is None:
        return 0.0
    held = numbers(match["epsilon"])
    return float(held.item()) if held is not None and held.size == 1 else None


class _Normalization(PatternFusionPass):
    """What both ask, and what they hand over."""

    means: tuple[str, ...]

    def meet_requirements(self, x: Any, match: Any) -> bool:
        """Over the last axes, everywhere the same, with a number for each of their elements."""
        axes = [axes_of(match.node(name)) for name in self.means if match.node(name) is not None]
        if axes[0] is None or axes.count(axes[0]) != len(axes):
            return match.reject("not over the same last axes")
        shape = x.type.shape[axes[0][0] :]
        if match["variance"].type.shape != (*x.type.shape[: axes[0][0]], *[1] * len(shape)):
            return match.reject(f"the variance is {match['variance'].type}")
        for value in (match["scale"], match["bias"]):
            if value is not None and value.type.shape != shape:
                return match.reject(f"{value.type} is not for the axes {shape}")
        if (epsilon := epsilon_of(match)) is None or epsilon < 0:
            return match.reject("epsilon is not a number, or a negative one")
        if (made := match.outputs[0].type).rank != x.type.rank:  # by the axes of epsilon
            return match.reject(f"{x.type} becomes {made}")
        known = match["scale"] is not None or all(isinstance(size, int) for size in shape)
        return known or match.reject(f"the sizes {shape} are not known")

    def operands(self, x: Any, match: Any) -> tuple[list[Any], dict[str, Any]]:
        """Return operands and attributes; a scale that is not there is ones."""
        axes = axes_of(match.node(self.means[0]))
        assert axes is not None  # asked above
        scale, bias = match["scale"], match["bias"]
        if scale is None:
            scale = p.constant(np.ones(x.type.shape[axes[0] :], x.type.dtype.numpy))
        attributes = {"axis": axes[0], "epsilon": epsilon_of(match)}
        return [x, scale, *([] if bias is None else [bias])], attributes


@register_fusion_pass(name="FuseLayerNorm", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseLayerNorm(_Normalization):
    """``(x - mean) / sqrt(variance + epsilon) * scale + bias`` becomes LayerNormalization."""

    means = ("mean", "square_mean", "other_mean")

    def normal(self, x: Any, axes: list[Any], epsilon: Any) -> Any:
        """The part before scale and bias."""
        x = x.where(dtype=FLOATS)
        middle = mean(x, axes[0], "mean")
        centred = op.Sub(x, middle)
        # Exporters compute the variance from a difference, or even a mean, of its own.
        again = op.Sub(x, p.any_of(middle, mean(x, axes[1], "other_mean")))
        variance = mean(square(p.any_of(centred, again)), axes[2], "square_mean")
        kept = op.Reshape(variance, axes[3])  # a reduction that lost its axes
        spread = p.any_of(op.Expand(kept, axes[4]), kept, variance)
        return over_root(centred, p.named(spread, "variance"), epsilon)

    @pattern
    def affine(self, x, scale, bias, epsilon, a0, a1, a2, a3, a4):
        """With both."""
        return op.Add(op.Mul(self.normal(x, [a0, a1, a2, a3, a4], epsilon), scale), bias)

    @pattern
    def scaled(self, x, scale, epsilon, a0, a1, a2, a3, a4, bias=None):
        """Without a bias."""
        return op.Mul(self.normal(x, [a0, a1, a2, a3, a4], epsilon), scale)

    @pattern
    def plain(self, x, epsilon, a0, a1, a2, a3, a4, scale=None, bias=None):
        """With neither."""
        return self.normal(x, [a0, a1, a2, a3, a4], epsilon)

    def replacement(self, x: Any, match: Any) -> Any:
        """LayerNormalization."""
        operands, attributes = self.operands(x, match)
        return layer_normalization(*operands, **attributes)


@register_fusion_pass(name="FuseSimplifiedLayerNorm", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseSimplifiedLayerNorm(_Normalization):
    """``x / sqrt(mean(x^2) + epsilon) * scale`` becomes SimplifiedLayerNormalization: RMSNorm."""

    means = ("square_mean",)

    @pattern
    def scaled(self, x: Any, scale: Any, epsilon: Any, axes: Any, bias: Any = None) -> Any:
        """As Llama has it."""
        x = x.where(dtype=FLOATS)
        variance = mean(square(x), axes, "square_mean")
        return op.Mul(over_root(x, p.named(variance, "variance"), epsilon), scale)

    def replacement(self, x: Any, match: Any) -> Any:
        """SimplifiedLayerNormalization."""
        operands, attributes = self.operands(x, match)
        return simplified_layer_normalization(*operands, **attributes)


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
