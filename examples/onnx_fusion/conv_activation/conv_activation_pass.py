"""A convolution and the activation after it become onnxruntime's FusedConv.

``python conv_activation_pass.py model.onnx -o out.onnx`` runs it by itself.
"""

from typing import Any

import ge.ops
import ge.passes
from ge import ir
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, p, pattern, register_fusion_pass

contrib = ge.ops.Library("com.microsoft", "FRAGMENT")
contrib.define(
    'FusedConv(Tensor X, Tensor W, Tensor? B=None, Tensor? Z=None, *, str auto_pad="NOTSET", '
    "int[] dilations=[], int group=1, int[] kernel_shape=[], int[] pads=[], int[] strides=[], "
    'str activation="", float[] activation_params=[]) -> Tensor Y',
    doc="A convolution, plus Z, through an activation.",
)
fused_conv = p.op("com.microsoft.FusedConv")

FLOATS = (ir.f32, ir.f16)
LEAST, GREATEST = -3.4028234663852886e38, 3.4028234663852886e38
# What an activation is told, beside its name: its attributes with ONNX's defaults.
PARAMETERS = {
    "Relu": {},
    "Sigmoid": {},
    "Tanh": {},
    "HardSwish": {},
    "LeakyRelu": {"alpha": 0.01},
    "HardSigmoid": {"alpha": 0.2, "beta": 0.5},
}


def convolution(x: Any, w: Any, bias: Any) -> Any:
    """With a bias or without one."""
    return p.op("onnx.Conv")(x, w, p.optional(bias), name="conv").where(dtype=FLOATS)


def attributes_of(match: Any) -> dict[str, Any]:
    """Return the attributes of the convolution; those with a dot are about the file."""
    return {k: v for k, v in match.node("conv").attributes.items() if "." not in k}


def number(value: Any, absent: float) -> float | None:
    """Return the constant of a bound, also through a cast; None if it is not constant."""
    if value is None:
        return absent
    while value.node.type == "Cast":
        value = value.node.operands[0]
    tensor = ge.ops.constant_tensor(value)
    return float(tensor.numpy().item()) if tensor is not None and tensor.size == 1 else None


@register_fusion_pass(name="FuseConvActivation", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseConvActivation(PatternFusionPass):
    """``act(Conv(x, w, b))`` becomes ``FusedConv(x, w, b, activation=act)``."""

    @pattern
    def activated(self, x: Any, w: Any, bias: Any) -> Any:
        """Activations of one operand."""
        return p.op(*(f"onnx.{name}" for name in PARAMETERS))(convolution(x, w, bias), name="act")

    def replacement(self, x: Any, w: Any, bias: Any, match: Any) -> Any:
        """The attributes of both nodes."""
        act = match.node("act")
        parameters = {}
        if PARAMETERS[act.type]:
            values = [float(act.attributes.get(k, v)) for k, v in PARAMETERS[act.type].items()]
            parameters["activation_params"] = values
        return fused_conv(x, w, bias, **attributes_of(match), activation=act.type, **parameters)


@register_fusion_pass(name="FuseConvClip", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseConvClip(PatternFusionPass):
    """``Clip(Conv(x, w, b), least, greatest)`` likewise: ReLU6, Hardtanh, ``clamp``."""

    @pattern
    def clipped(self, x: Any, w: Any, bias: Any, least: Any, greatest: Any) -> Any:
        """Bounds are operands, cast to the type of what is clipped, and each may be missing."""
        made = convolution(x, w, bias)
        bounds = (p.optional(p.any_of(op.CastLike(b, made), b)) for b in (least, greatest))
        return p.op("onnx.Clip")(made, *bounds)

    def meet_requirements(self, least: Any, greatest: Any, match: Any) -> bool:
        """Known bounds."""
        known = number(least, LEAST) is not None and number(greatest, GREATEST) is not None
        return known or match.reject("a bound is computed")

    def replacement(self, x: Any, w: Any, bias: Any, least: Any, greatest: Any, match: Any) -> Any:
        """Bounds as attributes."""
        return fused_conv(
            x,
            w,
            bias,
            **attributes_of(match),
            activation="Clip",
            activation_params=[number(least, LEAST), number(greatest, GREATEST)],
        )


@register_fusion_pass(name="FuseConvAddRelu", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseConvAddRelu(PatternFusionPass):
    """``Relu(Conv(x, w, b) + z)``, the end of a residual block, becomes ``FusedConv(x, w, b, z)``."""

    @pattern
    def added(self, x: Any, w: Any, bias: Any, z: Any) -> Any:
        """The sum in either order."""
        return op.Relu(op.Add(p.named(convolution(x, w, bias), "made"), z))

    def meet_requirements(self, match: Any) -> bool:
        """Nothing is broadcast."""
        made, z = match["made"].type, match["z"].type
        same = made == z and made.shape is not None and None not in made.shape
        return same or match.reject(f"{z} is added to {made}")

    def replacement(self, x: Any, w: Any, bias: Any, z: Any, match: Any) -> Any:
        """With the fourth operand."""
        return fused_conv(x, w, bias, z, **attributes_of(match), activation="Relu")


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
