"""A residual sum and the normalization after it become onnxruntime's SkipLayerNormalization, with the bias before them.

``python skip_layer_norm_pass.py model.onnx -o out.onnx`` runs it by itself. Below operator set 17 LayerNormalization must
be one node first: layer_norm_pass.py.
"""

from typing import Any

import ge.ops
import ge.passes
from ge import ir
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, p, pattern, register_fusion_pass

contrib = ge.ops.Library("com.microsoft", "FRAGMENT")
contrib.define(
    "SkipLayerNormalization(Tensor input, Tensor skip, Tensor gamma, Tensor? beta=None, "
    "Tensor? bias=None, *, float epsilon=1e-05) -> (Tensor output, Tensor? mean, "
    "Tensor? inv_std_var, Tensor? input_skip_bias_sum)",
    doc="LayerNormalization of a sum.",
)
contrib.define(
    "SkipSimplifiedLayerNormalization(Tensor input, Tensor skip, Tensor gamma, Tensor? bias=None, "
    "*, float epsilon=1e-05) -> (Tensor output, Tensor? mean, Tensor? inv_std_var, "
    "Tensor? input_skip_bias_sum)",
    doc="The same without a mean.",
)
FLOATS = (ir.f32, ir.f16)


class _Skip(PatternFusionPass):
    """The four cases: a bias is added before or not, and the sum is used further on or not.

    With the bias comes first: without, its Add would stay. Where the sum is used by others it is an output of the
    pattern, which the last result replaces.
    """

    def normalized(self, total: Any, gamma: Any, beta: Any) -> Any:
        """Return the normalization of a sum."""
        raise NotImplementedError

    def total(self, x: Any, skip: Any) -> Any:
        return p.named(op.Add(x, skip), "total")

    @pattern
    def with_bias(self, x: Any, skip: Any, gamma: Any, bias: Any, beta: Any = None) -> Any:
        """A bias, and the sum ends here: post-normalization."""
        return self.normalized(self.total(op.Add(x, bias), skip), gamma, beta)

    @pattern
    def with_bias_and_sum(self, x: Any, skip: Any, gamma: Any, bias: Any, beta: Any = None) -> Any:
        """A bias, and the sum goes on: pre-normalization."""
        total = self.total(op.Add(x, bias), skip)
        return self.normalized(total, gamma, beta), total

    @pattern
    def without_bias(
        self, x: Any, skip: Any, gamma: Any, beta: Any = None, bias: Any = None
    ) -> Any:
        """No bias."""
        return self.normalized(self.total(x, skip), gamma, beta)

    @pattern
    def without_bias_but_sum(
        self, x: Any, skip: Any, gamma: Any, beta: Any = None, bias: Any = None
    ) -> Any:
        """No bias, and the sum goes on."""
        total = self.total(x, skip)
        return self.normalized(total, gamma, beta), total

    def meet_requirements(self, x: Any, skip: Any, match: Any) -> bool:
        """Over the last axis, and what onnxruntime broadcasts: the bias, nothing else."""
        total = match["total"].type
        if total.rank not in (2, 3):
            return match.reject(f"the sum is {total}, not of 2 or 3 axes")
        if match.node("norm").attributes.get("axis", -1) not in (-1, total.rank - 1):
            return match.reject("not over the last axis")
        if not x.type.shape == skip.type.shape == total.shape or None in total.shape[1:]:
            return match.reject(f"{x.type} and {skip.type} are broadcast")
        for value in (match["gamma"], match["beta"], match["bias"]):
            if value is not None and value.type.shape != total.shape[-1:]:
                return match.reject(f"{value.type} is not along the last axis of {total}")
        return True

    def fused(self, name: str, match: Any, *operands: Any) -> Any:
        """Add the node; return what the pattern gives, which is one value or two."""
        epsilon = match.node("norm").attributes.get("epsilon", 1e-5)
        unknown = ir.UnknownType()  # the types of what is replaced go over
        types = [unknown] if len(match.outputs) == 1 else [unknown, None, None, unknown]
        node = ir.Node.create(
            f"com.microsoft.{name}", operands, {"epsilon": epsilon}, result_types=types
        )
        return node.results[0] if len(types) == 1 else (node.results[0], node.results[3])


@register_fusion_pass(
    name="FuseSkipLayerNorm", stage=PassStage.BEFORE_INFER_SHAPE, after="FuseLayerNorm"
)
class FuseSkipLayerNorm(_Skip):
    """``LayerNormalization(x + bias + skip)`` becomes SkipLayerNormalization."""

    def normalized(self, total: Any, gamma: Any, beta: Any) -> Any:
        """With a bias of its own or without."""
        total = total.where(dtype=FLOATS)
        return p.op("onnx.LayerNormalization")(total, gamma, p.optional(beta), name="norm")

    def replacement(self, x: Any, skip: Any, gamma: Any, beta: Any, bias: Any, match: Any) -> Any:
        """SkipLayerNormalization."""
        return self.fused("SkipLayerNormalization", match, x, skip, gamma, beta, bias)


@register_fusion_pass(
    name="FuseSkipSimplifiedLayerNorm",
    stage=PassStage.BEFORE_INFER_SHAPE,
    after="FuseSimplifiedLayerNorm",
)
class FuseSkipSimplifiedLayerNorm(_Skip):
    """The same with the normalization by root mean square, onnxruntime's or ONNX's."""

    def normalized(self, total: Any, gamma: Any, beta: Any) -> Any:
        """Never with a bias."""
        total = total.where(dtype=FLOATS)
        # Any operator, for the first of these is known only where layer_norm_pass.py is loaded.
        norms = ("onnx.SimplifiedLayerNormalization", "onnx.RMSNormalization")
        made = p.any_op()(total, gamma, name="norm")
        return made.where(lambda value: value.node.op in norms)

    def replacement(self, x: Any, skip: Any, gamma: Any, bias: Any, match: Any) -> Any:
        """SkipSimplifiedLayerNormalization."""
        return self.fused("SkipSimplifiedLayerNormalization", match, x, skip, gamma, bias)


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
