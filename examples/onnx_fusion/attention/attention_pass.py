"""Attention as exporters write it becomes onnxruntime's MultiHeadAttention.

``python attention_pass.py model.onnx -o out.onnx`` runs it by itself.
"""

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import ge.ops
import ge.passes
from ge import ir
from ge.es import onnx as op
from ge.passes import (
    FusionBasePass,
    PassContext,
    PassStage,
    PatternFusionPass,
    p,
    pattern,
    register_fusion_pass,
)

contrib = ge.ops.Library("com.microsoft", "FRAGMENT")
contrib.define(
    "MultiHeadAttention(Tensor query, Tensor? key=None, Tensor? value=None, Tensor? bias=None, "
    "Tensor? key_padding_mask=None, Tensor? attention_bias=None, Tensor? past_key=None, "
    "Tensor? past_value=None, *, int num_heads, float mask_filter_value=-10000.0, "
    "float scale=0.0, int unidirectional=0) -> (Tensor output, Tensor? present_key, "
    "Tensor? present_value)",
    doc="softmax(scale query key^T + attention_bias) value, for each head.",
)
multi_head_attention = p.op("com.microsoft.MultiHeadAttention")

HEADS_FIRST = [0, 2, 1, 3]
FLOATS = (ir.f32, ir.f16)
# Added to a score, what is at most this leaves nothing of it.
LARGE = -6e4


def number(value: Any) -> float | None:
    """Return what a value of one element is known to be, also by the type of a tensor; None: it is not.

    The TorchScript exporter computes the scale from the shape of the queries.
    """
    tensor = ge.ops.constant_tensor(value)
    if tensor is not None:
        return float(tensor.numpy().item()) if tensor.size == 1 else None
    node = value.node
    if node.is_input:
        return None
    if node.type in ("Slice", "Gather") and node.operands[0].node.type == "Shape":
        shape = node.operands[0].node.operands[0].type.shape
        index = number(node.operands[1])
        size = None if shape is None or index is None else shape[int(index)]
        return float(size) if isinstance(size, int) else None
    if node.type not in (*ARITHMETIC, *SAME):
        return None
    operands = [number(o) for o in node.operands[: 2 if node.type in ("Mul", "Div", "Pow") else 1]]
    if None in operands:
        return None
    try:
        found = ARITHMETIC[node.type](*operands) if node.type in ARITHMETIC else operands[0]
    except (ArithmeticError, ValueError):  # infinite, or no number
        return None
    return found


ARITHMETIC: dict[str, Callable[..., float]] = {
    "Mul": operator.mul,
    "Div": operator.truediv,
    "Pow": math.pow,
    "Sqrt": math.sqrt,
}
SAME = ("Cast", "CastLike", "Identity", "Squeeze", "Unsqueeze", "Reshape")


def is_number(value: Any) -> bool:
    return number(value) is not None


def operators(value: Any) -> Any:
    """Return ONNX's operators as they are in the model's operator set."""
    module = value.node.graph.root.module
    versions = {} if module is None else module.attributes.get("onnx.opset_imports", {})
    return op.at(versions["onnx"]) if "onnx" in versions else op


def cast_like(value: Any, like: Any) -> Any:
    """A number may be cast to the type of what it meets."""
    value = value.where(is_number)
    return p.any_of(op.CastLike(value, like), value)


def scaled(x: Any, factor: Any, divisor: Any) -> Any:
    """By a number, or not."""
    return p.any_of(op.Mul(x, cast_like(factor, x)), op.Div(x, cast_like(divisor, x)), x)


def agree(first: Any, second: Any) -> bool:
    """Return whether shapes of one number of elements are the same: all sizes but one are."""
    return sum(a is None or a != b for a, b in zip(first, second, strict=True)) <= 1


def broadcasts(mask: Any, scores: Any) -> bool:
    """Return whether a mask is surely no larger than the scores, axis by axis."""
    if mask.rank is None or mask.rank > scores.rank:
        return False
    pairs = zip(mask.shape, scores.shape[scores.rank - mask.rank :], strict=True)
    return all(m == 1 or (m is not None and m == s) for m, s in pairs)


def whole_of(split: Any) -> Any:
    """Return what was reshaped to have an axis of heads; None: nothing was, or it cannot be told."""
    if split.node.type != "Reshape":
        return None
    whole = split.node.operands[0]
    if whole.type.rank != 3 or not isinstance(whole.type.shape[2], int):
        return None
    heads, width = split.type.shape[2:]
    is_split = heads * width == whole.type.shape[2]
    return whole if is_split and agree(whole.type.shape[:2], split.type.shape[:2]) else None


def moved(value: Any) -> Any:
    """Return what a transposition of heads and sequence was applied to, else None."""
    node = value.node
    is_moved = node.type == "Transpose" and list(node.attributes.get("perm", ())) == HEADS_FIRST
    return node.operands[0] if is_moved else None


def unsplit(value: Any) -> Any:
    """Return what was split into heads to give this value; None: nothing was, or it cannot be told."""
    split = moved(value)
    return None if split is None else whole_of(split)


def rejoined(value: Any) -> Any:
    """Return what was split into heads that are put side by side again; None: nothing was."""
    while value.node.type == "Identity":
        value = value.node.operands[0]
    heads = moved(value)
    return None if heads is None else unsplit(heads)


def size(value: Any, axis: int, onnx: Any) -> Any:
    """Return a size as a list of one number, or what computes that."""
    known = value.type.shape[axis]
    return [known] if isinstance(known, int) else onnx.Slice(onnx.Shape(value), [axis], [axis + 1])


def scale_of(match: Any) -> float:
    """Return what the scores are multiplied by: up to three factors and three divisors."""
    factors = [match[name] for name in ("f0", "f1", "f2") if match[name] is not None]
    divisors = [match[name] for name in ("d0", "d1", "d2") if match[name] is not None]
    return math.prod(map(number, factors)) / math.prod(map(number, divisors))


class _Attention(PatternFusionPass):
    """What both forms have."""

    rank: int

    def product(self, q: Any, keys: Any, f: Sequence[Any], d: Sequence[Any]) -> Any:
        """Queries by keys, with a scale before or after."""
        scores = op.MatMul(scaled(q.where(rank=self.rank, dtype=FLOATS), f[0], d[0]), keys)
        return p.named(scaled(scores, f[2], d[2]), "scores")

    def weights(self, masked: Any) -> Any:
        """Softmax, and zeros for a row without a key if the exporter thought of that."""
        last = p.attr(one_of=(-1, self.rank - 1))
        softmax = p.op("onnx.Softmax")(p.named(masked, "masked"), axis=last)
        is_nan = p.op("onnx.IsNaN")(softmax, name="guard")
        safe = p.any_of(op.Where(is_nan, 0.0, softmax), softmax)
        return p.optional(op.Identity, safe)  # a dropout that is off

    def meet_requirements(self, match: Any) -> bool:
        """Known heads; a mask that broadcasts to the scores, and tells which rows have no key if that matters."""
        for value in (match["q"], match["v"]):
            axes = value.type.shape[1::2] if self.rank == 4 else value.type.shape[2:]
            if value.type.rank != self.rank or not all(isinstance(n, int) for n in axes):
                return match.reject(f"the heads of {value.type} are not known")
        scores = match["scores" if self.rank == 4 or match["apart"] is None else "apart"].type
        for mask in (match["mask"], match["hidden"]):
            if mask is not None and not broadcasts(mask.type, scores):
                return match.reject(f"the mask is {mask.type}, the scores {scores}")
        if not self.keeps_axes(match):
            return match.reject("a Reshape does something else with batch, heads and sequence")
        if match["fill"] is not None and number(match["fill"]) > LARGE:
            return match.reject("what is hidden keeps a score")
        if match.node("guard") is not None and self.shown(match) is None:
            return match.reject("rows may be without keys, and the mask does not tell which")
        return True

    def keeps_axes(self, match: Any) -> bool:
        """Return whether reshapes inside of the match only lay batch and heads together, or apart."""
        raise NotImplementedError

    def shown(self, match: Any) -> Any:
        """Return what a mask shows, of ``Where(shown, 0, fill)``; None: it is not made so."""
        made = None if match["mask"] is None else match["mask"].node
        if made is None or made.type != "Where" or number(made.operands[1]) != 0:
            return None
        fill = number(made.operands[2])
        return made.operands[0] if fill is not None and fill <= LARGE else None

    def bias(self, match: Any, onnx: Any) -> Any:
        """Return what is added to the scores, of any shape; None: nothing."""
        dtype = match["q"].type.dtype.numpy
        zero = p.constant(np.zeros((), dtype))
        if match["hidden"] is not None:
            return onnx.Where(match["hidden"], match["fill"], zero)
        if match.node("guard") is not None:
            lowest = p.constant(np.array(np.finfo(dtype).min, dtype))
            return onnx.Where(self.shown(match), zero, lowest)
        return match["mask"]

    def guarded(self, result: Any, match: Any, onnx: Any) -> Any:
        """Return zeros where a row has no key, if the exporter thought of that and it can be."""
        if match.node("guard") is None or math.isfinite(number(match["mask"].node.operands[2])):
            return result
        shown = onnx.Cast(self.shown(match), to=ir.f32)
        some = onnx.Cast(onnx.ReduceMax(shown, axes=[-1], keepdims=1), to=ir.i1)
        return onnx.Where(some, result, p.constant(np.zeros((), match["q"].type.dtype.numpy)))


@register_fusion_pass(name="FuseAttention", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseAttention(_Attention):
    """``softmax(q k^T scale + mask) v`` with four axes becomes MultiHeadAttention.

    That takes queries with the heads side by side and gives such a result; where exporters split them just before, and
    put them together just after, nothing is left of that.
    """

    rank = 4

    def transposed(self, k: Any, split: Any, joint: Any, turned: Any, s0: Any, s1: Any) -> Any:
        """Keys as the second matrix: split and then transposed, both at once, or with batch and heads as one axis."""
        k = k.where(rank=4)
        joint = p.any_of(op.Reshape(k, s0), joint.where(rank=3))
        flat = p.any_of(op.Transpose(joint, perm=[0, 2, 1]), op.Transpose(turned, perm=[1, 2, 0]))
        return p.any_of(
            op.Transpose(k, perm=[0, 1, 3, 2]),
            op.Transpose(split, perm=[0, 2, 3, 1]),
            op.Reshape(p.named(flat, "flat"), s1),
        )

    def keeps_axes(self, match: Any) -> bool:
        """Return whether keys that were laid together, [N, width, length], are [batch, heads, width, length]."""
        if match["flat"] is None:
            return True
        (batch, heads, _, width), length = match["q"].type.shape, match["v"].type.shape[2]
        if length is None or match["flat"].type.shape[1:] != (width, length):
            return False
        return match["k"] is None or match["k"].type.shape == (batch, heads, length, width)

    @pattern
    def attention(
        self, q, k, split, joint, turned, v, mask, hidden, fill, f0, f1, f2, d0, d1, d2, s0, s1
    ):
        """Scales, a mask and a guard may be there or not."""
        keys = scaled(self.transposed(k, split, joint, turned, s0, s1), f1, d1)
        scores = self.product(q, keys, [f0, f1, f2], [d0, d1, d2])
        masked = p.any_of(
            op.Where(hidden, cast_like(fill, scores), scores), op.Add(scores, mask), scores
        )
        return op.MatMul(self.weights(masked), v)

    def replacement(self, q: Any, v: Any, match: Any) -> Any:
        """MultiHeadAttention between what joins and what splits heads."""
        onnx = operators(q)
        heads, width = q.type.shape[1], v.type.shape[3]
        query = unsplit(q)
        if query is None:
            joined = onnx.Transpose(q, perm=HEADS_FIRST)
            query = onnx.Reshape(joined, [0, 0, heads * q.type.shape[3]])
        key, value = self.keys_and_values(match, onnx)
        bias, scale = self.bias(match, onnx), scale_of(match)
        if bias is not None and bias.type.shape[-4:][2:] != match["scores"].type.shape[2:]:
            rows, columns = size(q, 2, onnx), size(v, 2, onnx)
            bias = onnx.Expand(bias, onnx.Concat([[1, 1], rows, columns], axis=0))
        elif bias is not None and bias.type.rank != 4:
            bias = onnx.Expand(bias, [1, 1, 1, 1])
        made = multi_head_attention(
            query, key, value, None, None, bias, num_heads=heads, scale=scale
        )
        made.type = ir.TensorType((*query.type.shape[:2], heads * width), q.type.dtype)
        split = onnx.Reshape(made, [0, 0, heads, width])
        return self.guarded(onnx.Transpose(split, perm=HEADS_FIRST), match, onnx)

    def keys_and_values(self, match: Any, onnx: Any) -> tuple[Any, Any]:
        """Return both with three axes, or both with four."""
        k, split, v = match["k"], match["split"], match["v"]
        joint = match["joint"]
        if match["turned"] is not None:
            joint = onnx.Transpose(match["turned"], perm=[1, 0, 2])
        if joint is not None:
            heads, width = match["q"].type.shape[1::2]
            shape = onnx.Concat([[-1, heads], size(v, 2, onnx), [width]], axis=0)
            return onnx.Reshape(joint, shape), v
        key, value = whole_of(split) if k is None else unsplit(k), unsplit(v)
        if key is not None and value is not None:
            return key, value
        return onnx.Transpose(split, perm=HEADS_FIRST) if k is None else k, v


@register_fusion_pass(name="FuseFlatAttention", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseFlatAttention(_Attention):
    """The same with batch and heads as one axis: MultiHeadAttention with one head."""

    rank = 3

    @pattern
    def attention(self, q, k, split, v, mask, hidden, fill, f0, f1, f2, d0, d1, d2, s0, s1):
        """The mask may be for scores whose heads are an axis of their own."""
        keys = p.any_of(op.Transpose(k, perm=[0, 2, 1]), op.Transpose(split, perm=[1, 2, 0]))
        scores = self.product(q, scaled(keys, f1, d1), [f0, f1, f2], [d0, d1, d2])
        apart = p.named(op.Reshape(scores, s0), "apart")
        masked = p.any_of(
            op.Reshape(op.Add(apart, mask), s1),
            op.Where(hidden, cast_like(fill, scores), scores),
            op.Add(scores, mask),
            scores,
        )
        return op.MatMul(self.weights(masked), v)

    def keeps_axes(self, match: Any) -> bool:
        """Return whether scores that were taken apart for a mask are [batch, heads, rows, columns], and back."""
        if match["apart"] is None:
            return True
        scores, apart, masked = (match[n].type.shape for n in ("scores", "apart", "masked"))
        if len(apart) != 4 or None in apart[1:] or apart[2:] != masked[1:]:
            return False
        # Where lengths are free, inference may not know those of a product of two reshapes.
        return all(a in (None, b) for a, b in zip(scores[1:], apart[2:], strict=True))

    def replacement(self, q: Any, v: Any, match: Any) -> Any:
        """MultiHeadAttention with one head."""
        onnx = operators(q)
        k = match["k"]
        key = onnx.Transpose(match["split"], perm=[1, 0, 2]) if k is None else k
        bias, scale = self.bias(match, onnx), scale_of(match)
        if bias is not None:
            rows, columns = size(q, 1, onnx), size(v, 1, onnx)
            heads = [] if match["apart"] is None else [size(match["apart"], 1, onnx)]
            bias = onnx.Expand(bias, onnx.Concat([[1], *heads, rows, columns], axis=0))
            bias = onnx.Reshape(bias, onnx.Concat([[-1, 1], rows, columns], axis=0))
        made = multi_head_attention(q, key, v, None, None, bias, num_heads=1, scale=scale)
        return self.guarded(made, match, onnx)


@register_fusion_pass(name="JoinHeads", stage=PassStage.BEFORE_INFER_SHAPE, after="FuseAttention")
class JoinHeads(PatternFusionPass):
    """Heads that are split and put together again are as they were."""

    @pattern
    def joined(self, x: Any, shape: Any) -> Any:
        """What comes before is looked at, not matched: others may use it, such as for its shape."""
        return op.Reshape(x.where(rejoined), shape)

    def meet_requirements(self, x: Any, match: Any) -> bool:
        """Put together to what they were."""
        before, after = rejoined(x).type, match.outputs[0].type
        same = before.rank == after.rank and agree(before.shape, after.shape)
        return same or match.reject(f"{before} becomes {after}")

    def replacement(self, x: Any, shape: Any) -> Any:
        """What was split."""
        return rejoined(x)


@register_fusion_pass(name="DropHeads", stage=PassStage.BEFORE_INFER_SHAPE, after="JoinHeads")
class DropHeads(FusionBasePass):
    """Remove the nodes that split heads and are unused now."""

    def run(self, graph: ir.Graph, context: PassContext) -> None:
        """Erase what no output needs."""
        context.count("erased", graph.erase_dead_nodes())


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
