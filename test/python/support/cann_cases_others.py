"""Cases for quantisation, losses, images and attention."""

import itertools
import math
from collections.abc import Iterator

import ml_dtypes
import numpy as np
from cann_case import Array, Case, each, floats, i32, i64, ints, nhwc, nhwc_of, onnx, value

__all__ = ["others"]


def _quantised() -> Iterator[Case]:
    x = floats(2, 3, 4, low=-30, high=30)
    yield Case(
        "AscendQuant",
        [x],
        {"scale": 2.0, "offset": 3.0},
        onnx("QuantizeLinear", [x, np.float32(0.5), np.int8(3)]),
    )
    yield Case(
        "AscendQuant",
        [x],
        {"scale": 2.0, "offset": -200.0, "sqrt_mode": True, "round_mode": "Floor"},
        each(lambda v: min(max(math.floor(v * 4 - 200), -128), 127), x, dtype=np.int8),
    )
    four = np.array([-9.6, -0.5, 0.5, 1.5, 9], np.float32)
    yield Case(
        "AscendQuant",
        [four],
        {"scale": 1.0, "offset": 0.0, "dst_type": 29},
        value(np.array([-8, 0, 0, 2, 7], ml_dtypes.int4)),
    )
    scales = np.array([0.5, 0.25, 2, 1], np.float32)
    yield Case(
        "AscendQuantV2",
        [x, 1 / scales],
        {},
        onnx("QuantizeLinear", [x, scales, np.zeros(4, np.int8)], axis=2),
    )
    zeros = np.array([1, 2, 3], np.int8)
    yield Case(
        "Quantize",
        [x, scales[:3], zeros],
        {"dtype": "torch.qint8"},
        onnx("QuantizeLinear", [x, scales[:3], zeros], axis=1),
    )
    sums = ints(2, 3, low=-1000, high=1000)
    deq = np.array([0.5, 0.25, 2], np.float32)
    yield Case("AscendDequant", [sums, deq], {}, onnx("DequantizeLinear", [sums, deq], axis=1))
    packed = deq.view(np.uint32).astype(np.uint64) | (np.uint64(5) << np.uint64(32))
    yield Case(
        "AscendDequant",
        [sums, packed],
        {"relu_flag": True},
        each(lambda v, s: max(v * s, 0), sums, deq, dtype=np.float32),
    )
    small = ints(2, 3, low=-128, high=127, dtype=np.int8)
    yield Case(
        "AscendAntiQuant",
        [small],
        {"scale": 0.5, "offset": 3.0},
        onnx("DequantizeLinear", [small, np.float32(0.5), np.int8(-3)]),
    )
    yield Case(
        "AscendRequant",
        [sums, deq],
        {},
        each(lambda v, s: min(max(round(v * s), -128), 127), sums, deq, dtype=np.int8),
    )
    low, high = np.float32(-1).reshape(()), np.float32(3).reshape(())
    bytes_ = np.array([0, 100, 255], np.uint8)
    for mode in ("MIN_COMBINED", "MIN_FIRST"):
        yield Case(
            "Dequantize",
            [bytes_, low, high],
            {"mode": mode},
            each(lambda v: -1 + v * 4 / 255, bytes_, dtype=np.float32),
        )
    yield Case(
        "Dequantize",
        [small, low, high],
        {"mode": "SCALED"},
        each(lambda v: v * 3 / 127, small, dtype=np.float32),
    )
    yield Case(
        "Dequantize",
        [small, low, high],
        {},
        each(lambda v: -1 + (v + 128) * 4 / 255, small, dtype=np.float32),
    )

    def rows() -> list[Array]:
        scale = np.array([max(abs(v) for v in r) / 127 for r in x.reshape(6, 4).tolist()])
        y = [
            [round(v / s) for v in r] for r, s in zip(x.reshape(6, 4).tolist(), scale, strict=True)
        ]
        return [np.array(y, np.int8).reshape(2, 3, 4), scale.astype(np.float32).reshape(2, 3)]

    yield Case("DynamicQuant", [x], {}, rows)
    a, b = (
        ints(2, 3, low=-128, high=127, dtype=np.int8),
        ints(3, 4, low=-128, high=127, dtype=np.int8),
    )
    tokens, bias = floats(2, low=0.5), ints(4)
    product = lambda: [
        ((a.astype(np.int64) @ b.astype(np.int64) + bias) * scales * tokens[:, None]).astype(
            np.float16
        )
    ]  # noqa: E731
    tokens *= np.float32(1e-3)
    yield Case(
        "QuantBatchMatmulV3",
        [a, b.T, scales, None, bias, tokens],
        {"dtype": 1, "transpose_x2": True},
        product,
        tolerance=1e-3,
    )
    points = np.array([-2, -1.003, 0.1, 2.9, 5], np.float32)
    # 255 steps from -1 to 3: zero is nudged to 64 steps above the minimum.
    step = 4 / 255
    nudged = each(lambda v: (round(min(max(v, -64 * step), 191 * step) / step)) * step, points)
    yield Case("FakeQuantWithMinMaxVars", [points, low, high], {}, nudged)


def _losses() -> Iterator[Case]:
    x, classes = floats(3, 5), np.array([1, 0, 4], np.int64)
    log = onnx("LogSoftmax", [x])
    sparse = onnx("SoftmaxCrossEntropyLoss", [x, classes], reduction="none")
    hot = np.eye(5, dtype=np.float32)[classes]
    both = lambda: [sparse()[0], np.exp(log()[0]) - hot]  # noqa: E731
    yield Case("SparseSoftmaxCrossEntropyWithLogits", [x, classes.astype(np.int32)], {}, both)
    yield Case("SoftmaxCrossEntropyWithLogits", [x, hot], {}, both)
    weight = floats(5, low=0.5)
    for reduction in ("none", "mean", "sum"):
        loss = onnx(
            "NegativeLogLikelihoodLoss", [x, classes, weight], reduction=reduction, ignore_index=0
        )
        total = np.float32(weight[1] + weight[4])
        yield Case(
            "NLLLoss",
            [x, classes, weight],
            {"reduction": reduction, "ignore_index": 0},
            lambda loss=loss, total=total: [*loss(), total],
        )
        a, b = floats(2, 3), floats(2, 3, low=0.1, high=0.9)
        reduce = {"none": np.asarray, "mean": np.mean, "sum": np.sum}[reduction]
        squares = each(lambda p, q: (p - q) ** 2, a, b)
        yield Case(
            "MseLoss",
            [a, b],
            {"reduction": reduction},
            lambda s=squares, r=reduce: [np.asarray(r(s()[0]), np.float32)],
        )
        entropy = lambda p, q: -(q * math.log(p) + (1 - q) * math.log(1 - p))  # noqa: E731
        probabilities = floats(2, 3, low=0.1, high=0.9)
        binary = each(entropy, probabilities, b)
        yield Case(
            "BinaryCrossEntropy",
            [probabilities, b],
            {"reduction": reduction},
            lambda s=binary, r=reduce: [np.asarray(r(s()[0]), np.float32)],
        )
        sigmoid = each(lambda p, q: entropy(1 / (1 + math.exp(-p)), q), a, b)
        yield Case(
            "SigmoidCrossEntropyWithLogitsV2",
            [a, b],
            {"reduction": reduction},
            lambda s=sigmoid, r=reduce: [np.asarray(r(s()[0]), np.float32)],
        )
        if reduction == "none":
            yield Case("SigmoidCrossEntropyWithLogits", [a, b], {}, sigmoid)
        divergence = each(lambda p, q: q * (math.log(q) - p), a, b)
        yield Case(
            "KLDiv",
            [a, b],
            {"reduction": reduction},
            lambda s=divergence, r=reduce: [np.asarray(r(s()[0]), np.float32)],
        )
    yield Case(
        "KLDiv",
        [a, b],
        {"reduction": "batchmean"},
        lambda s=divergence: [np.float32(s()[0].sum() / 2)],
    )
    yield Case(
        "SmoothL1Loss",
        [a, b],
        {},
        each(lambda p, q: 0.5 * (p - q) ** 2 if abs(p - q) < 1 else abs(p - q) - 0.5, a, b),
    )


def _images() -> Iterator[Case]:
    x = floats(1, 2, 4, 5)
    none = np.zeros(0, np.float32)
    for mode, where in itertools.product(
        ("nearest", "linear", "cubic"),
        ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"),
    ):
        sizes = i64(1, 2, 7, 3)
        flags = {"mode": mode, "coordinate_transformation_mode": where}
        made = onnx("Resize", [x, none, none, sizes], opset=13, **flags)
        yield Case("Resize", [x, None, None, sizes], flags, made, tolerance=1e-4)
    for nearest in ("floor", "ceil", "round_prefer_ceil"):
        scales = np.array([1, 1, 2, 0.6], np.float32)
        flags = {"nearest_mode": nearest, "coordinate_transformation_mode": "asymmetric"}
        yield Case(
            "Resize",
            [x, None, scales],
            flags,
            onnx("Resize", [x, none, scales], opset=13, mode="nearest", **flags),
        )
    roi = np.array([0, 0, 0.2, 0.1, 1, 1, 0.9, 1.3], np.float32)
    flags = {
        "mode": "linear",
        "coordinate_transformation_mode": "tf_crop_and_resize",
        "extrapolation_value": 9.0,
    }
    yield Case(
        "Resize",
        [x, roi, None, i64(1, 2, 3, 3)],
        flags,
        onnx("Resize", [x, roi, none, i64(1, 2, 3, 3)], opset=13, **flags),
        tolerance=1e-4,
    )
    outside = {"mode": "cubic", "exclude_outside": 1}
    yield Case(
        "Resize",
        [x, None, None, i64(1, 2, 6, 8)],
        outside,
        onnx("Resize", [x, none, none, i64(1, 2, 6, 8)], opset=13, **outside),
        tolerance=1e-4,
    )
    for corners, centers, where in (
        (False, False, "asymmetric"),
        (True, False, "align_corners"),
        (False, True, "half_pixel"),
    ):
        flags = {"align_corners": corners, "half_pixel_centers": centers}
        made = onnx(
            "Resize",
            [x, none, none, i64(1, 2, 7, 3)],
            opset=13,
            mode="linear",
            coordinate_transformation_mode=where,
        )
        yield Case("ResizeBilinearV2", [x, i32(7, 3)], flags, made, ("NCHW",), tolerance=1e-4)
        yield Case("ResizeBilinearV2", [nhwc(x), i32(7, 3)], flags, nhwc_of(made), tolerance=1e-4)
    made = onnx(
        "Resize",
        [x, none, none, i64(1, 2, 8, 10)],
        opset=13,
        mode="nearest",
        nearest_mode="floor",
        coordinate_transformation_mode="asymmetric",
    )
    yield Case("ResizeNearestNeighborV2", [x, i32(8, 10)], {}, made, ("NCHW",))
    yield Case(
        "ResizeNearestNeighborV2",
        [nhwc(x), i32(8, 10)],
        {"half_pixel_centers": True},
        nhwc_of(made),
    )
    corner = np.random.default_rng(3).uniform(0, 1, (2, 12, 2))
    size = np.random.default_rng(4).uniform(0.2, 0.6, (2, 12, 2))
    boxes = np.concatenate([corner, corner + size], -1).astype(np.float32)
    scores = np.random.default_rng(5).uniform(0, 1, (2, 3, 12)).astype(np.float32)
    limits = [i64(4), np.array([0.3], np.float32), np.array([0.2], np.float32)]
    chosen = onnx("NonMaxSuppression", [boxes, scores, *limits])
    small = [limits[0].astype(np.int32), *limits[1:]]
    yield Case(
        "NonMaxSuppressionV6", [boxes, scores, *small], {}, lambda: [chosen()[0].astype(np.int32)]
    )
    centers = np.concatenate([corner + size / 2, size], -1).astype(np.float32)
    by_center = onnx("NonMaxSuppression", [centers, scores, *limits], center_point_box=1)
    yield Case(
        "NonMaxSuppressionV6",
        [centers, scores, *small],
        {"center_point_box": 1},
        lambda: [by_center()[0].astype(np.int32)],
    )
    first = onnx("NonMaxSuppression", [boxes[:1], scores[:1, :1], *limits])
    yield Case(
        "NonMaxSuppressionV3",
        [boxes[0], scores[0, 0], *small],
        {},
        lambda: [first()[0][:, 2].astype(np.int32)],
    )
    query, key, values = floats(2, 3, 8), floats(2, 5, 4), floats(2, 5, 4)
    mask = np.random.default_rng(6).integers(0, 2, (2, 1, 3, 5)).astype(bool)
    mask[..., 0] = False

    def attention() -> list[Array]:
        made = np.zeros((2, 3, 8))
        for n, h, i in np.ndindex(2, 4, 3):
            k = h // 2
            terms = [
                math.exp(0.5 * float(query[n, i, 2 * h : 2 * h + 2] @ key[n, j, 2 * k : 2 * k + 2]))
                * (not mask[n, 0, i, j])
                for j in range(5)
            ]
            made[n, i, 2 * h : 2 * h + 2] = sum(
                t * values[n, j, 2 * k : 2 * k + 2] for j, t in enumerate(terms)
            ) / sum(terms)
        return [made.astype(np.float32)]

    flags = {"num_heads": 4, "num_key_value_heads": 2, "scale_value": 0.5}
    yield Case("PromptFlashAttention", [query, key, values, None, mask], flags, attention)
    heads = [query.reshape(2, 3, 4, 2), key.reshape(2, 5, 2, 2), values.reshape(2, 5, 2, 2)]
    yield Case(
        "PromptFlashAttention",
        [*heads, None, mask],
        {**flags, "input_layout": "BSND"},
        lambda: [attention()[0].reshape(2, 3, 4, 2)],
    )
    turned = [h.transpose(0, 2, 1, 3) for h in heads]
    yield Case(
        "PromptFlashAttention",
        [*turned, None, mask],
        {**flags, "input_layout": "BNSD"},
        lambda: [attention()[0].reshape(2, 3, 4, 2).transpose(0, 2, 1, 3)],
    )
    gates = floats(3, 4)

    def experts() -> list[Array]:
        soft = onnx("Softmax", [gates])()[0]
        best, which = onnx("TopK", [soft, i64(2)], count=2)()
        return [best, which.astype(np.int32), i32([0, 3], [1, 4], [2, 5])]

    yield Case("MoeGatingTopKSoftmax", [gates], {"k": 2}, experts)


def others() -> Iterator[Case]:
    for family in (_quantised, _losses, _images):
        yield from family()
