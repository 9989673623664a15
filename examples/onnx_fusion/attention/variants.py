"""Attention as PyTorch 2.13 exports it: batch 2, sequence 5, 4 heads of 4, nodes in the order in which they stand there.

``_free`` is exported with a free batch and sequence; shapes are computed then.
"""

from typing import Any

import numpy as np

from ge import ir

INPUTS = {
    "x": ((2, 5, 16), ir.f32),
    "x_free": (("batch", "sequence", 16), ir.f32),
    "mask": ((2, 1, 1, 5), ir.f32),
    "mask_free": (("batch", 1, 1, "sequence"), ir.f32),
    "shown": ((2, 1, 5, 5), ir.i1),
}

random = np.random.default_rng(0)
WEIGHTS = random.standard_normal((4, 16, 16), np.float32) / 4
BIASES = random.standard_normal((4, 16), np.float32)
WIDE_WEIGHT = random.standard_normal((16, 48), np.float32) / 4
WIDE_BIAS = random.standard_normal(48, np.float32)
HALF, FOURTH_ROOT = np.float32(0.5), np.full(1, 0.5**0.5, np.float32)  # of a width of 4
LAST = np.iinfo(np.int64).max
LOWEST = np.finfo(np.float32).min


def dense(op: Any, x: Any, i: int, bias_first: bool) -> Any:
    """Return a dense layer; the TorchScript exporter writes its bias first."""
    product = op.MatMul(x, WEIGHTS[i])
    return op.Add(BIASES[i], product) if bias_first else op.Add(product, BIASES[i])


def dense_transposed(op: Any, x: Any, i: int) -> Any:
    """Return a dense layer of the dynamo exporter that does not optimize."""
    weight = op.Transpose(np.ascontiguousarray(WEIGHTS[i].T), perm=[1, 0])
    return op.Add(op.MatMul(x, weight), BIASES[i])


def wide(op: Any, x: Any, bias_first: bool) -> Any:
    """Return queries, keys and values side by side."""
    product = op.MatMul(x, WIDE_WEIGHT)
    return op.Add(WIDE_BIAS, product) if bias_first else op.Add(product, WIDE_BIAS)


def first(op: Any, x: Any) -> Any:
    """Return heads before the sequence."""
    return op.Transpose(x, perm=[0, 2, 1, 3])


def joined(op: Any, x: Any, allowzero: int) -> Any:
    return op.Reshape(first(op, x), [2, 5, 16], allowzero=allowzero)


def shape_of(op: Any, x: Any, *rest: list[int]) -> Any:
    """Return ``[batch, sequence, *rest]`` as the TorchScript exporter computes it."""
    batch = op.Gather(op.Shape(x), np.int64(0), axis=0)
    sequence = op.Gather(op.Shape(x), np.int64(1), axis=0)
    return op.Concat([op.Unsqueeze(batch, [0]), op.Unsqueeze(sequence, [0]), *rest], axis=0)


# --- transformers, eager


def bert_heads(op: Any, x: Any, bias_first: bool) -> tuple[Any, Any]:
    """Return scores, divided, and values: keys are split and transposed at once."""
    allowzero = 0 if bias_first else 1
    q = op.Reshape(dense(op, x, 0, bias_first), [2, 5, 4, 4], allowzero=allowzero)
    q = first(op, q)
    k = op.Reshape(dense(op, x, 1, bias_first), [2, 5, 4, 4], allowzero=allowzero)
    v = op.Reshape(dense(op, x, 2, bias_first), [2, 5, 4, 4], allowzero=allowzero)
    v = first(op, v)
    return op.Div(op.MatMul(q, op.Transpose(k, perm=[0, 2, 3, 1])), np.float32(2)), v


def bert(op: Any, x: Any) -> Any:
    """BERT's, TorchScript exporter."""
    scores, v = bert_heads(op, x, True)
    return joined(op, op.MatMul(op.Softmax(scores, axis=-1), v), 0)


def bert_dynamo(op: Any, x: Any, mask: Any) -> Any:
    """BERT's with an additive mask, dynamo exporter."""
    scores, v = bert_heads(op, x, False)
    weights = op.Softmax(op.Add(scores, mask), axis=-1)
    return joined(op, op.MatMul(weights, v), 1)


def bert_free(op: Any, x_free: Any, mask_free: Any) -> Any:
    """The same with free sizes, TorchScript exporter."""

    def split(i: int) -> Any:
        made = dense(op, x_free, i, True)
        return op.Reshape(made, shape_of(op, made, [4], [4]), allowzero=0)

    q = first(op, split(0))
    k, v = split(1), split(2)
    v = first(op, v)
    scores = op.Div(op.MatMul(q, op.Transpose(k, perm=[0, 2, 3, 1])), np.float32(2))
    weights = op.Softmax(op.Add(scores, mask_free), axis=-1)
    mixed = first(op, op.MatMul(weights, v))
    return op.Reshape(mixed, shape_of(op, mixed, [16]), allowzero=0)


def bert_not_optimized(op: Any, x: Any) -> Any:
    """BERT's without a mask, dynamo exporter that does not optimize."""

    def split(i: int) -> Any:
        made = dense_transposed(op, x, i)
        return first(op, op.Reshape(made, op.Concat([[2], [5], [4], [4]], axis=0), allowzero=1))

    q, k, v = split(0), split(1), split(2)
    scores = op.MatMul(q, op.Transpose(k, perm=[0, 1, 3, 2]))
    weights = op.Softmax(op.Div(scores, np.float32(2)), axis=-1)
    mixed = op.Identity(first(op, op.MatMul(weights, v)))
    return op.Reshape(mixed, op.Concat([[2], [5], [16]], axis=0), allowzero=1)


# --- scaled_dot_product_attention, TorchScript exporter


def computed_scale(op: Any, q: Any) -> Any:
    """Return one by the root of the width, computed from a shape."""
    width = op.Cast(op.Slice(op.Shape(q), [-1], [LAST]), to=ir.f32)
    return op.Cast(op.Div(np.ones(1, np.float32), op.Sqrt(width)), to=ir.f32)


def scaled_product(op: Any, q: Any, k: Any, scale: Any, perm: list[int]) -> Any:
    """Return scores of queries and keys that were scaled each."""
    k = op.Transpose(k, perm=perm)
    q = op.Mul(q, op.Sqrt(scale))
    return op.MatMul(q, op.Mul(k, op.Sqrt(scale)))


def torchscript_heads(op: Any, x: Any) -> tuple[Any, Any, Any]:
    q = first(op, op.Reshape(dense(op, x, 0, True), [2, -1, 4, 4], allowzero=0))
    k = op.Reshape(dense(op, x, 1, True), [2, -1, 4, 4], allowzero=0)
    v = first(op, op.Reshape(dense(op, x, 2, True), [2, -1, 4, 4], allowzero=0))
    return q, k, v


def sdpa(op: Any, x: Any) -> Any:
    """scaled_dot_product_attention, TorchScript exporter: the scale is computed from a shape."""
    q, k, v = torchscript_heads(op, x)
    scores = scaled_product(op, q, k, computed_scale(op, q), [0, 2, 3, 1])
    made = joined(op, op.MatMul(op.Softmax(scores, axis=-1), v), 0)
    return dense(op, made, 3, True)


def sdpa_shown(op: Any, x: Any, shown: Any) -> Any:
    """The same with a mask of what is shown: rows without a key become zeros."""
    q, k, v = torchscript_heads(op, x)
    scores = scaled_product(op, q, k, computed_scale(op, q), [0, 2, 3, 1])
    mask = op.Where(shown, np.zeros(1, np.float32), np.full(1, -np.inf, np.float32))
    weights = op.Softmax(op.Add(scores, mask), axis=-1)
    weights = op.Where(op.IsNaN(weights), np.zeros(1, np.float32), weights)
    return dense(op, joined(op, op.MatMul(weights, v), 0), 3, True)


def sdpa_causal(op: Any, x: Any) -> Any:
    """The same, causal: the mask is computed from the shapes of queries and keys."""
    q = first(op, op.Reshape(dense(op, x, 0, True), [2, -1, 4, 4], allowzero=0))
    split = op.Reshape(dense(op, x, 1, True), [2, -1, 4, 4], allowzero=0)
    k = first(op, split)
    v = first(op, op.Reshape(dense(op, x, 2, True), [2, -1, 4, 4], allowzero=0))
    scale = computed_scale(op, q)
    shape_q, shape_k = op.Shape(q), op.Shape(k)
    rows, columns = op.Slice(shape_q, [-2], [-1]), op.Slice(shape_k, [-2], [-1])
    ones = op.Expand(np.ones(1, np.float32), op.Concat([rows, columns], axis=0))
    hidden = op.Equal(op.Trilu(ones, upper=0), np.zeros(1, np.float32))
    mask = op.Where(hidden, np.full(1, -np.inf, np.float32), np.zeros(1, np.float32))
    scores = scaled_product(op, q, split, scale, [0, 2, 3, 1])
    weights = op.Softmax(op.Add(scores, mask), axis=-1)
    return dense(op, joined(op, op.MatMul(weights, v), 0), 3, True)


# --- scaled_dot_product_attention, dynamo exporter


def dynamo_heads(op: Any, x: Any) -> list[Any]:
    heads = []
    for i in range(3):
        made = op.Reshape(dense(op, x, i, False), [2, -1, 4, 4], allowzero=1)
        heads.append(first(op, made))
    return heads


def flat_transposed(op: Any, k: Any) -> Any:
    """Return keys, transposed while batch and heads are one axis."""
    flat = op.Transpose(op.Reshape(k, [-1, 5, 4], allowzero=0), perm=[0, 2, 1])
    return op.Reshape(flat, [2, 4, 4, 5], allowzero=0)


def sdpa_dynamo(op: Any, x: Any, mask: Any) -> Any:
    """scaled_dot_product_attention with an additive mask, dynamo exporter."""
    q, k, v = dynamo_heads(op, x)
    k = flat_transposed(op, k)
    q, k = op.Mul(q, FOURTH_ROOT), op.Mul(k, FOURTH_ROOT)
    weights = op.Softmax(op.Add(op.MatMul(q, k), mask), axis=-1)
    return dense(op, joined(op, op.MatMul(weights, v), 1), 3, False)


def sdpa_dynamo_shown(op: Any, x: Any, shown: Any) -> Any:
    """The same with a mask of what is shown: the guard against rows without a key never does anything."""
    q, k, v = dynamo_heads(op, x)
    k = flat_transposed(op, k)
    q, k = op.Mul(q, FOURTH_ROOT), op.Mul(k, FOURTH_ROOT)
    mask = op.Where(shown, np.float32(0), LOWEST)
    weights = op.Softmax(op.Add(op.MatMul(q, k), mask), axis=-1)
    weights = op.Where(op.IsNaN(weights), np.float32(0), weights)
    return dense(op, joined(op, op.MatMul(weights, v), 1), 3, False)


def sdpa_dynamo_causal(op: Any, x: Any) -> Any:
    """The same, causal: the mask is a constant."""
    q, k, v = dynamo_heads(op, x)
    k = flat_transposed(op, k)
    q, k = op.Mul(q, FOURTH_ROOT), op.Mul(k, FOURTH_ROOT)
    mask = np.triu(np.full((5, 5), LOWEST), 1)
    weights = op.Softmax(op.Add(op.MatMul(q, k), mask), axis=-1)
    return dense(op, joined(op, op.MatMul(weights, v), 1), 3, False)


def sdpa_dynamo_free(op: Any, x_free: Any) -> Any:
    """The same with free sizes and no mask: keys are laid together by shapes that are computed."""
    batch, sequence = op.Shape(x_free, start=0, end=1), op.Shape(x_free, start=1, end=2)
    q = dense(op, x_free, 0, False)
    shape = op.Concat([batch, [-1], [4], [4]], axis=0)
    q = first(op, op.Reshape(q, shape, allowzero=1))
    k = first(op, op.Reshape(dense(op, x_free, 1, False), shape, allowzero=1))
    v = first(op, op.Reshape(dense(op, x_free, 2, False), shape, allowzero=1))
    shape = op.Shape(k, start=0)
    width, length = op.Slice(shape, [-1], [LAST]), op.Slice(shape, [-2], [-1])
    outer = op.Slice(shape, [-LAST - 1], [-2])
    k = op.Reshape(k, op.Concat([[-1], length, width], axis=0), allowzero=0)
    k = op.Transpose(k, perm=[0, 2, 1])
    k = op.Reshape(k, op.Concat([outer, width, length], axis=0), allowzero=0)
    q, k = op.Mul(q, FOURTH_ROOT), op.Mul(k, FOURTH_ROOT)
    mixed = op.MatMul(op.Softmax(op.MatMul(q, k), axis=-1), v)
    mixed = first(op, mixed)
    made = op.Reshape(mixed, op.Concat([batch, sequence, [16]], axis=0), allowzero=1)
    return dense(op, made, 3, False)


def sdpa_not_optimized(op: Any, x: Any) -> Any:
    """The same, dynamo exporter that does not optimize: the scale is computed and cast."""

    def split(i: int) -> Any:
        made = dense_transposed(op, x, i)
        return first(op, op.Reshape(made, op.Concat([[2], [-1], [4], [4]], axis=0), allowzero=1))

    q, k, v = split(0), split(1), split(2)
    width = op.CastLike(op.Gather(op.Shape(q, start=0), [-1], axis=0), q)
    one = op.CastLike(np.float32(1), q)
    scale = op.CastLike(op.Div(one, op.Sqrt(width)), q)
    shape = op.Shape(k, start=0)
    size, length = op.Slice(shape, [-1], [LAST]), op.Slice(shape, [-2], [-1])
    outer = op.Slice(shape, [-LAST - 1], [-2])
    k = op.Reshape(k, op.Concat([[-1], length, size], axis=0), allowzero=0)
    k = op.Transpose(k, perm=[0, 2, 1])
    k = op.Reshape(k, op.Concat([outer, size, length], axis=0), allowzero=0)
    q = op.Mul(q, op.Sqrt(scale))
    k = op.Mul(k, op.CastLike(op.Sqrt(scale), k))
    mixed = first(op, op.MatMul(op.Softmax(op.MatMul(q, k), axis=-1), v))
    made = op.Reshape(mixed, op.Concat([[2], [5], [16]], axis=0), allowzero=1)
    return dense_transposed(op, made, 3)


def sdpa_whole(op: Any, x: Any, shown: Any) -> Any:
    """The same is one node since operator set 23; it stays."""
    q, k, v = dynamo_heads(op, x)
    attended = op.Attention(q, k, v, shown, is_causal=0, qk_matmul_output_mode=0, softcap=0.0)
    return dense(op, joined(op, attended, 1), 3, False)


# --- One dense layer for queries, keys and values


def split_in_three(op: Any, x: Any) -> Any:
    """GPT-2's, eager: what is hidden is filled. TorchScript exporter."""
    made = op.Gemm(op.Reshape(x, [-1, 16], allowzero=0), WIDE_WEIGHT, WIDE_BIAS)
    made = op.Reshape(made, [2, 5, 48], allowzero=0)
    q, k, v = op.Split(made, [16, 16, 16], axis=2)
    q = first(op, op.Reshape(q, [2, 5, 4, 4], allowzero=0))
    k = op.Reshape(k, [2, 5, 4, 4], allowzero=0)
    v = first(op, op.Reshape(v, [2, 5, 4, 4], allowzero=0))
    scores = op.Mul(op.MatMul(q, op.Transpose(k, perm=[0, 2, 3, 1])), HALF)
    ones = op.Trilu(np.ones((5, 5), np.float32), np.int64(0), upper=0)
    hidden = op.Equal(op.Reshape(ones, [1, 1, 5, 5], allowzero=0), np.float32(0))
    scores = op.Where(op.Cast(hidden, to=ir.i1), np.float32(-np.inf), scores)
    return joined(op, op.MatMul(op.Softmax(scores, axis=-1), v), 0)


def unbound(op: Any, x: Any) -> Any:
    """timm's vision transformer, eager. TorchScript exporter."""
    made = op.Reshape(wide(op, x, True), [2, 5, 3, 4, 4], allowzero=0)
    made = op.Transpose(made, perm=[2, 0, 3, 1, 4])
    q, k, v = op.Split(made, [1, 1, 1], axis=0)
    q, k, v = (op.Squeeze(each, [0]) for each in (q, k, v))
    q = op.Mul(q, op.Pow(np.float32(4), np.float32(-0.5)))
    scores = op.MatMul(q, op.Transpose(k, perm=[0, 1, 3, 2]))
    made = joined(op, op.MatMul(op.Softmax(scores, axis=-1), v), 0)
    return dense(op, made, 3, True)


def unbound_dynamo(op: Any, x: Any) -> Any:
    """timm's vision transformer, scaled_dot_product_attention. Dynamo exporter."""
    made = op.Reshape(wide(op, x, False), [2, 5, 3, 4, 4], allowzero=1)
    made = op.Transpose(made, perm=[2, 0, 3, 1, 4])
    q, k, v = (op.Squeeze(op.Slice(made, [i], [i + 1], [0]), [0]) for i in range(3))
    k = flat_transposed(op, k)
    q, k = op.Mul(q, FOURTH_ROOT), op.Mul(k, FOURTH_ROOT)
    made = joined(op, op.MatMul(op.Softmax(op.MatMul(q, k), axis=-1), v), 1)
    return dense(op, made, 3, False)


# --- nn.MultiheadAttention, dynamo exporter: the sequence comes first inside


def module_heads(op: Any, x: Any) -> Any:
    made = op.Reshape(wide(op, op.Transpose(x, perm=[1, 0, 2]), False), [5, 2, 3, 16], allowzero=1)
    made = op.Transpose(op.Unsqueeze(made, [0]), perm=[3, 1, 2, 0, 4])
    made = op.Squeeze(made, [-2])
    return [op.Gather(made, np.int64(i), axis=0) for i in range(3)]


def module_output(op: Any, mixed: Any) -> Any:
    made = op.Gemm(op.Reshape(mixed, [10, 16], allowzero=1), WEIGHTS[3], transB=1)
    return op.Transpose(op.Reshape(made, [5, 2, 16], allowzero=1), perm=[1, 0, 2])


def module(op: Any, x: Any) -> Any:
    """``nn.MultiheadAttention``, ``need_weights=False``, dynamo exporter."""
    q, k, v = (
        op.Transpose(op.Reshape(each, [5, 8, 4], allowzero=1), perm=[1, 0, 2])
        for each in module_heads(op, x)
    )
    q, v = (op.Reshape(each, [2, 4, 5, 4], allowzero=1) for each in (q, v))
    k = op.Reshape(op.Transpose(k, perm=[0, 2, 1]), [2, 4, 4, 5], allowzero=0)
    q, k = op.Mul(q, FOURTH_ROOT), op.Mul(k, FOURTH_ROOT)
    mixed = op.MatMul(op.Softmax(op.MatMul(q, k), axis=-1), v)
    return module_output(op, op.Transpose(mixed, perm=[2, 0, 1, 3]))


def module_weights(op: Any, x: Any) -> Any:
    """``nn.MultiheadAttention``, ``need_weights=True``, and the weights are unused: batch and heads stay one axis."""
    q, k, v = module_heads(op, x)
    q = op.Transpose(op.Reshape(q, [5, 8, 4], allowzero=1), perm=[1, 0, 2])
    k = op.Reshape(k, [5, 8, 4], allowzero=1)
    v = op.Transpose(op.Reshape(v, [5, 8, 4], allowzero=1), perm=[1, 0, 2])
    scores = op.MatMul(op.Mul(q, HALF), op.Transpose(k, perm=[1, 2, 0]))
    mixed = op.MatMul(op.Softmax(scores, axis=-1), v)
    return module_output(op, op.Transpose(mixed, perm=[1, 0, 2]))


# --- Others


def bart(op: Any, x: Any, mask: Any) -> Any:
    """BART's, eager, dynamo exporter: batch and heads are one axis, except for the mask."""
    q = op.Mul(dense(op, x, 0, False), HALF)
    k = first(op, op.Reshape(dense(op, x, 1, False), [2, -1, 4, 4], allowzero=1))
    v = first(op, op.Reshape(dense(op, x, 2, False), [2, -1, 4, 4], allowzero=1))
    q = first(op, op.Reshape(q, [2, 5, 4, 4], allowzero=1))
    q, k, v = (op.Reshape(each, [8, -1, 4], allowzero=1) for each in (q, k, v))
    scores = op.MatMul(q, op.Transpose(k, perm=[0, 2, 1]))
    scores = op.Add(op.Reshape(scores, [2, 4, 5, 5], allowzero=1), mask)
    weights = op.Softmax(op.Reshape(scores, [8, 5, 5], allowzero=1), axis=-1)
    mixed = op.Reshape(op.MatMul(weights, v), [2, 4, 5, 4], allowzero=1)
    return dense(op, joined(op, mixed, 1), 3, False)


def weights_taken(op: Any, x: Any) -> Any:
    """The attention weights are used: not fused."""
    scores, v = bert_heads(op, x, True)
    weights = op.Softmax(scores, axis=-1)
    return joined(op, op.MatMul(weights, v), 0), weights


def softmax_over_queries(op: Any, x: Any) -> Any:
    """Softmax over another axis: not attention, not fused."""
    scores, v = bert_heads(op, x, True)
    return joined(op, op.MatMul(op.Softmax(scores, axis=-2), v), 0)


FUSED = {"com.microsoft.MultiHeadAttention": 1}
VARIANTS = {
    "bert": (bert, 17, FUSED, 7),
    "bert-dynamo": (bert_dynamo, 18, FUSED, 9),
    "bert-free": (bert_free, 17, FUSED, 31),
    "bert-not-optimized": (bert_not_optimized, 18, FUSED, 10),
    "sdpa": (sdpa, 14, FUSED, 9),
    "sdpa-shown": (sdpa_shown, 17, FUSED, 18),
    "sdpa-causal": (sdpa_causal, 17, FUSED, 24),
    "sdpa-dynamo": (sdpa_dynamo, 18, FUSED, 11),
    "sdpa-dynamo-shown": (sdpa_dynamo_shown, 18, FUSED, 10),
    "sdpa-dynamo-causal": (sdpa_dynamo_causal, 18, FUSED, 11),
    "sdpa-dynamo-free": (sdpa_dynamo_free, 18, FUSED, 9),
    "sdpa-not-optimized": (sdpa_not_optimized, 18, FUSED, 13),
    "sdpa-whole": (sdpa_whole, 23, {}, 17),
    "split-in-three": (split_in_three, 17, FUSED, 10),
    "unbound": (unbound, 17, FUSED, 13),
    "unbound-dynamo": (unbound_dynamo, 18, FUSED, 15),
    "module": (module, 18, FUSED, 30),
    "module-weights": (module_weights, 18, FUSED, 22),
    "bart": (bart, 18, FUSED, 26),
    "weights-taken": (weights_taken, 17, {}, 18),
    "softmax-over-queries": (softmax_over_queries, 17, {}, 18),
}
