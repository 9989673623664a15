"""Cases for normalisations."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from cann_case import Array, Case, floats, i64, nhwc, nhwc_of, onnx, value

__all__ = ["norms"]


def norms() -> Iterator[Case]:
    x = floats(2, 4, 3, 5)
    scale, offset, mean, variance = floats(4), floats(4), floats(4), floats(4, low=0.5)
    operands = [x, scale, offset, mean, variance]
    known = onnx("BatchNormalization", operands, epsilon=1e-3)
    off = {"epsilon": 1e-3, "is_training": False}
    statistics = [mean, variance, mean, variance]
    yield Case(
        "BatchNorm", operands, {**off, "data_format": "NCHW"}, lambda: [known()[0], *statistics]
    )
    yield Case("BatchNorm", [nhwc(x), *operands[1:]], off, lambda: [nhwc(known()[0]), *statistics])
    yield Case("BNInfer", operands, {"epsilon": 1e-3}, known)
    yield Case("BNInfer", [nhwc(x), *operands[1:]], {"epsilon": 1e-3}, nhwc_of(known), ("NHWC",))
    double = np.array([2], np.float32)
    yield Case(
        "BNInference", [x, mean * 2, variance * 2, double, scale, offset], {"epsilon": 1e-3}, known
    )

    def training() -> list[Array]:
        made = onnx(
            "BatchNormalization", operands, count=3, epsilon=1e-4, training_mode=1, momentum=0.0
        )()
        return [made[0], made[1], made[2] * (30 / 29), made[1], made[2]]

    yield Case("BatchNorm", [x, scale, offset], {"data_format": "NCHW"}, training, tolerance=1e-4)
    five = floats(2, 4, 2, 3, 2)
    yield Case(
        "BatchNorm3D",
        [five, *operands[1:]],
        off,
        lambda: [*onnx("BatchNormalization", [five, *operands[1:]], epsilon=1e-3)(), *statistics],
    )
    rows, gamma, beta = floats(3, 2, 8), floats(8), floats(8)

    def layer(axis: int, g: Array, b: Array) -> list[Array]:
        y = onnx("LayerNormalization", [rows, g, b], axis=axis, epsilon=1e-5)()[0]
        axes = tuple(range(axis % 3, 3))
        return [y, rows.mean(axes, keepdims=True), rows.var(axes, keepdims=True)]

    def with_rstd(made: list[Array]) -> list[Array]:
        return [*made[:2], 1 / np.sqrt(made[2] + np.float32(1e-5))]

    flags = {"begin_norm_axis": -1, "begin_params_axis": -1, "epsilon": 1e-5}
    yield Case("LayerNorm", [rows, gamma, beta], flags, lambda: layer(-1, gamma, beta))
    yield Case("LayerNormV3", [rows, gamma, beta], flags, lambda: with_rstd(layer(-1, gamma, beta)))
    both = [floats(2, 8), floats(2, 8)]
    yield Case(
        "LayerNorm",
        [rows, *both],
        {**flags, "begin_norm_axis": 1, "begin_params_axis": 1},
        lambda: layer(1, *both),
    )
    yield Case(
        "LayerNormV4", [rows, i64(8), gamma, beta], {}, lambda: with_rstd(layer(-1, gamma, beta))
    )
    yield Case(
        "LayerNormV4",
        [rows, i64(8)],
        {},
        lambda: with_rstd(layer(-1, np.ones(8, np.float32), np.zeros(8, np.float32))),
    )
    part, bias = floats(3, 2, 8), floats(8)

    def summed() -> list[Array]:
        return [*with_rstd(layer(-1, gamma, beta)), rows]

    yield Case(
        "AddLayerNorm",
        [rows - part - bias, part, gamma, beta, bias],
        {"additional_output": True},
        summed,
        tolerance=1e-4,
    )

    def layer_gradient() -> list[Array]:
        # By numerical differences of sum(dy * layer_norm(x)).
        x64, g64 = rows.astype(np.float64), part.astype(np.float64)

        def total(v: Any, g: Any, b: Any) -> float:
            hat = (v - v.mean(-1, keepdims=True)) / v.std(-1, keepdims=True)
            return float((g64 * (hat * g + b)).sum())

        results = []
        given = [x64, gamma.astype(np.float64), beta.astype(np.float64)]
        for which, array in enumerate(given):
            made = np.zeros(array.shape)
            for place in np.ndindex(*array.shape):
                ends = []
                for step in (1e-5, -1e-5):
                    moved = [a.copy() for a in given]
                    moved[which][place] += step
                    ends.append(total(*moved))
                made[place] = (ends[0] - ends[1]) / 2e-5
            results.append(made.astype(np.float32))
        return results

    yield Case(
        "LayerNormGrad",
        [part, rows, rows.var(-1, keepdims=True), rows.mean(-1, keepdims=True), gamma],
        {},
        layer_gradient,
        tolerance=1e-4,
    )

    def root() -> list[Array]:
        rstd = np.array(
            [
                [[1 / math.sqrt(math.fsum(v * v for v in r) / 8 + 1e-6)] for r in m]
                for m in rows.tolist()
            ]
        )
        return [(rows * rstd * gamma).astype(np.float32), rstd.astype(np.float32)]

    yield Case("RmsNorm", [rows, gamma], {}, root)
    yield Case(
        "AddRmsNorm", [rows - part, part, gamma], {}, lambda: [*root(), rows], tolerance=1e-4
    )
    groups = lambda e: onnx(
        "GroupNormalization", [x, scale, offset], num_groups=2, epsilon=e, opset=21
    )()[0]  # noqa: E731
    means = lambda: [x.reshape(2, 2, -1).mean(-1), x.reshape(2, 2, -1).var(-1)]  # noqa: E731
    yield Case(
        "GroupNorm",
        [x, scale, offset],
        {"num_groups": 2, "data_format": "NCHW"},
        lambda: [groups(1e-4), *means()],
    )
    yield Case(
        "GroupNorm",
        [nhwc(x), scale, offset],
        {"num_groups": 2},
        lambda: [nhwc(groups(1e-4)), *means()],
    )

    def silu() -> list[Array]:
        y = groups(1e-5)
        middle, spread = means()
        return [y / (1 + np.exp(-y)), middle, 1 / np.sqrt(spread + np.float32(1e-5))]

    yield Case("GroupNormSilu", [x, scale, offset], {"num_groups": 2}, silu)
    instance = onnx("InstanceNormalization", [x, scale, offset], epsilon=1e-6)
    own = lambda: [x.mean((2, 3), keepdims=True), x.var((2, 3), keepdims=True)]  # noqa: E731
    yield Case(
        "InstanceNorm", [x, scale, offset], {"data_format": "NCHW"}, lambda: [*instance(), *own()]
    )
    yield Case("INInferV2", [x, scale, offset], {"epsilon": 1e-6}, lambda: [*instance(), *own()])
    for axis in (0, 1, -1):
        yield Case("SoftmaxV2", [x], {"axes": [axis]}, onnx("Softmax", [x], axis=axis))
        yield Case("LogSoftmaxV2", [x], {"axes": [axis]}, onnx("LogSoftmax", [x], axis=axis))
    large = np.array([[1000, 1001], [-np.inf, 0]], np.float32)
    yield Case("SoftmaxV2", [large], {}, onnx("Softmax", [large]))
    yield Case("SoftmaxV2", [floats(2, 0)], {}, value(np.zeros((2, 0), np.float32)))
    half = floats(2, 3, dtype=np.float16)
    yield Case(
        "SoftmaxV2", [half], {"half_to_float": True}, onnx("Softmax", [half.astype(np.float32)])
    )
    logits, back = floats(3, 4, dtype=np.float64), floats(3, 4, dtype=np.float64)
    soft = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)

    def jacobian(log: bool) -> list[Array]:
        made = np.zeros((3, 4))
        for r, i, j in np.ndindex(3, 4, 4):
            slope = ((i == j) - soft[r, i]) if log else soft[r, j] * ((i == j) - soft[r, i])
            made[r, i] += back[r, j] * slope
        return [made]

    yield Case("SoftmaxGrad", [soft, back], {}, lambda: jacobian(False))
    yield Case("LogSoftmaxGrad", [back, np.log(soft)], {}, lambda: jacobian(True))
    # ONNX divides alpha by the size, 5.
    yield Case(
        "LRN",
        [floats(1, 7, 2, 2) * 0 + 1],
        {"depth_radius": 0, "alpha": 3.0, "bias": 1.0},
        value(np.full((1, 7, 2, 2), 0.5, np.float32)),
    )
    deep = floats(2, 7, 3, 2)
    lrn = onnx("LRN", [deep], size=5, alpha=0.5, beta=0.75, bias=2.0)
    flags = {"depth_radius": 2, "alpha": 0.1, "beta": 0.75, "bias": 2.0}
    yield Case("LRN", [deep], flags, lrn)
    yield Case("LRN", [nhwc(deep)], flags, nhwc_of(lrn), ("NHWC",))
    yield Case("L2Normalize", [x], {"axis": [1]}, onnx("LpNormalization", [x], axis=1, p=2))
    yield Case(
        "MVNV2", [x], {}, onnx("MeanVarianceNormalization", [x], axes=[0, 2, 3]), tolerance=1e-4
    )
    yield Case("MVN", [x], {}, onnx("MeanVarianceNormalization", [x], axes=[2, 3]), tolerance=1e-4)
    yield Case(
        "MVN",
        [x],
        {"across_channels": True},
        onnx("MeanVarianceNormalization", [x], axes=[1, 2, 3]),
        tolerance=1e-4,
    )
    yield Case(
        "Normalize",
        [x, double],
        {"across_spatial": False},
        lambda: [2 * onnx("LpNormalization", [x], axis=1, p=2)()[0]],
    )
    yield Case(
        "Normalize",
        [x, scale],
        {"channel_shared": False},
        lambda: [
            np.stack(
                [
                    m
                    / math.sqrt(math.fsum(v * v for v in m.reshape(-1).tolist()))
                    * scale.reshape(4, 1, 1)
                    for m in x
                ]
            )
        ],
    )
    yield Case(
        "Scale",
        [x, scale, offset],
        {},
        lambda: [np.stack([x[:, c] * scale[c] + offset[c] for c in range(4)], 1)],
    )
    yield Case("Scale", [x, floats(3, 5) * 0 + 2], {"axis": 2, "num_axes": -1}, lambda: [x * 2])
    add = lambda: [np.stack([x[:, c] + offset[c] for c in range(4)], 1)]  # noqa: E731
    yield Case("BiasAdd", [x, offset], {"data_format": "NCHW"}, add)
    yield Case("BiasAdd", [nhwc(x), offset], {}, lambda: [nhwc(add()[0])])
