"""Cases for convolutions and pools."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from cann_case import Array, Case, floats, i32, ints, nhwc, nhwc_of, onnx
from cann_cases_norms import norms

__all__ = ["layers"]


def _flat(pads: list[int]) -> list[int]:
    """Reorder pads for ONNX, which lists the begins of all axes before the ends."""
    return pads[::2] + pads[1::2]


def _convolutions() -> Iterator[Case]:
    bias = floats(4)
    for groups, dilation, stride, pads in [
        (1, 1, 1, [0, 0, 0, 0]),
        (2, 2, 1, [1, 2, 2, 0]),
        (2, 1, 2, [1, 1, 0, 3]),
    ]:
        x, w = floats(2, 4, 7, 8), floats(4, 4 // groups, 3, 2)
        steps = {"strides": [stride, stride], "dilations": [dilation, dilation]}
        made = onnx("Conv", [x, w, bias], group=groups, pads=_flat(pads), **steps)
        nchw = {k: [1, 1, *v] for k, v in steps.items()} | {
            "groups": groups,
            "pads": pads,
            "data_format": "NCHW",
        }
        last = {k: [1, *v, 1] for k, v in steps.items()} | {
            "groups": groups,
            "pads": pads,
            "data_format": "NHWC",
        }
        for op in ("Conv2D", "Conv2DV2"):
            yield Case(op, [x, w, bias], nchw, made, ("NCHW", "NCHW"))
            yield Case(op, [nhwc(x), w, bias], last, nhwc_of(made), ("NHWC", "NCHW"))
            yield Case(
                op, [nhwc(x), w.transpose(2, 3, 1, 0), bias], last, nhwc_of(made), ("NHWC", "HWCN")
            )
            yield Case(op, [nhwc(x), w, bias], last, nhwc_of(made))
        back = floats(*made()[0].shape)
        gradient = onnx(
            "ConvTranspose", [back, w], group=groups, pads=_flat(pads), output_shape=[7, 8], **steps
        )
        if stride == 1:
            yield Case(
                "Conv2DTranspose",
                [i32(2, 4, 7, 8), back, w],
                nchw,
                onnx("ConvTranspose", [back, w], group=groups, pads=_flat(pads), **steps),
            )
            yield Case(
                "Conv2DBackpropInput",
                [i32(2, 4, 7, 8), w, back],
                nchw,
                onnx("ConvTranspose", [back, w], group=groups, pads=_flat(pads), **steps),
            )
            yield Case(
                "Conv2DTranspose",
                [i32(0, 0, 0, 0), nhwc(back), w],
                last,
                nhwc_of(onnx("ConvTranspose", [back, w], group=groups, pads=_flat(pads), **steps)),
            )
            yield Case(
                "Deconvolution",
                [back, w, bias[:4]],
                nchw,
                onnx("ConvTranspose", [back, w, bias[:4]], group=groups, pads=_flat(pads), **steps),
            )
        assert gradient

        def by_filter(
            x: Array = x,
            w: Array = w,
            back: Array = back,
            groups: int = groups,
            pads: list[int] = pads,
            steps: Any = steps,
        ) -> list[Array]:
            # The convolution is linear in its filter, so results for unit filters give the gradient.
            made = np.zeros(w.shape)
            for place in np.ndindex(*w.shape):
                unit = np.zeros(w.shape, np.float32)
                unit[place] = 1
                made[place] = (_naive(x, unit, groups, pads, steps) * back).sum()
            return [made.astype(np.float32)]

        yield Case(
            "Conv2DBackpropFilter", [x, i32(*w.shape), back], nchw, by_filter, tolerance=1e-4
        )
    x, w = floats(1, 2, 5, 6), floats(3, 2, 3, 2)
    for mode, auto in (
        ("SAME", "SAME_UPPER"),
        ("SAME_UPPER", "SAME_UPPER"),
        ("SAME_LOWER", "SAME_LOWER"),
        ("VALID", "VALID"),
    ):
        flags = {"strides": [1, 1, 2, 2], "pad_mode": mode}
        yield Case("Conv2DV2", [x, w], flags, onnx("Conv", [x, w], strides=[2, 2], auto_pad=auto))
    yield Case(
        "Conv2D",
        [x, w],
        {"strides": [1, 1, 2, 2], "pads": [-1] * 4, "data_format": "NCHW"},
        onnx("Conv", [x, w], strides=[2, 2], auto_pad="SAME_UPPER"),
    )
    quantised, weights = (
        ints(1, 2, 4, 4, low=-128, high=127, dtype=np.int8),
        ints(3, 2, 2, 2, low=-128, high=127, dtype=np.int8),
    )
    summed = onnx(
        "ConvInteger",
        [
            quantised.astype(np.uint8) * 0 + (quantised.astype(np.int16) + 128).astype(np.uint8),
            weights,
            np.uint8(128).reshape(()),
        ],
    )
    yield Case(
        "Conv2D",
        [quantised, weights],
        {"strides": [1] * 4, "pads": [0] * 4, "data_format": "NCHW"},
        summed,
    )
    volume, w3 = floats(1, 2, 4, 5, 4), floats(4, 1, 2, 2, 3)
    pads = [1, 0, 0, 1, 1, 1]
    made = onnx("Conv", [volume, w3], group=2, pads=_flat(pads), strides=[1, 2, 1])
    yield Case(
        "Conv3D",
        [volume, w3],
        {"strides": [1, 1, 1, 2, 1], "pads": pads, "groups": 2, "data_format": "NCDHW"},
        made,
    )
    yield Case(
        "Conv3D",
        [nhwc(volume), w3.transpose(2, 3, 4, 1, 0)],
        {"strides": [1, 1, 2, 1, 1], "pads": pads, "groups": 2},
        nhwc_of(made),
        ("NDHWC", "DHWCN"),
    )
    y3 = floats(1, 4, 3, 3, 3)
    yield Case(
        "Conv3DTranspose",
        [i32(0, 0, 0, 0, 0), y3, w3],
        {"strides": [1, 1, 2, 2, 2], "pads": [0] * 6, "groups": 2, "data_format": "NCDHW"},
        onnx("ConvTranspose", [y3, w3], group=2, strides=[2, 2, 2]),
    )
    # One filter of K = 2 for each of 3 channels: input channel c produces output channels c * 2 and c * 2 + 1.
    image, depth = floats(2, 3, 5, 5), floats(3, 3, 3, 2)
    grouped = depth.transpose(2, 3, 0, 1).reshape(6, 1, 3, 3)
    made = onnx("Conv", [image, grouped], group=3, pads=[1, 1, 1, 1])
    yield Case(
        "DepthwiseConv2D",
        [nhwc(image), depth],
        {"strides": [1] * 4, "pads": [1] * 4},
        nhwc_of(made),
        ("NHWC", "HWCN"),
    )
    yield Case(
        "DepthwiseConv2D",
        [image, depth.transpose(3, 2, 0, 1)],
        {"strides": [1] * 4, "pads": [1] * 4, "data_format": "NCHW"},
        made,
    )
    stepped = floats(1, 2, 3, 3)
    w2 = floats(2, 3, 3, 3)
    yield Case(
        "Deconvolution",
        [stepped, w2],
        {"strides": [2, 2], "pads": [1, 1, 1, 1]},
        onnx("ConvTranspose", [stepped, w2], strides=[2, 2], pads=[1, 1, 1, 1]),
    )
    padded = onnx(
        "ConvTranspose", [stepped, w2], strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1]
    )
    yield Case(
        "Conv2DTranspose",
        [i32(0, 0, 0, 0), stepped, w2],
        {
            "strides": [1, 1, 2, 2],
            "pads": [1] * 4,
            "output_padding": [0, 0, 1, 1],
            "data_format": "NCHW",
        },
        padded,
    )
    yield Case(
        "Conv2DTranspose",
        [i32(1, 3, 6, 6), stepped, w2],
        {"strides": [1, 1, 2, 2], "pads": [1] * 4, "data_format": "NCHW"},
        padded,
    )


def _naive(x: Array, w: Array, groups: int, pads: list[int], steps: Any) -> Array:
    top, bottom, left, right = pads
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    (sh, sw), (dh, dw) = steps["strides"], steps["dilations"]
    out_channels, per, kh, kw = w.shape
    height = (x.shape[2] - (kh - 1) * dh - 1) // sh + 1
    width = (x.shape[3] - (kw - 1) * dw - 1) // sw + 1
    made = np.zeros((x.shape[0], out_channels, height, width))
    for o, c, i, j in np.ndindex(*w.shape):
        if w[o, c, i, j]:
            source = x[:, o // (out_channels // groups) * per + c]
            made[:, o] += (
                w[o, c, i, j]
                * source[:, i * dh :, j * dw :][:, : height * sh : sh, : width * sw : sw]
            )
    return made


def _pools() -> Iterator[Case]:
    x = floats(2, 3, 7, 6)
    for mode, auto in (("SAME", "SAME_UPPER"), ("VALID", "VALID")):
        size = {"kernel_shape": [3, 2], "strides": [2, 2], "auto_pad": auto}
        greatest, mean = onnx("MaxPool", [x], **size), onnx("AveragePool", [x], **size)
        first = {"ksize": [1, 1, 3, 2], "strides": [1, 1, 2, 2], "data_format": "NCHW"}
        last = {"ksize": [1, 3, 2, 1], "strides": [1, 2, 2, 1]}
        yield Case("MaxPool", [x], {**first, "padding": mode}, greatest)
        yield Case("MaxPool", [nhwc(x)], {**last, "padding": mode}, nhwc_of(greatest))
        yield Case("AvgPool", [x], {**first, "padding": mode}, mean)
        yield Case("AvgPool", [nhwc(x)], {**last, "padding": mode}, nhwc_of(mean))
        yield Case(
            "MaxPoolV2",
            [nhwc(x), i32(1, 3, 2, 1), i32(1, 2, 2, 1)],
            {"padding": mode},
            nhwc_of(greatest),
        )
        yield Case("MaxPoolV3", [x], {**first, "padding_mode": mode}, greatest)
        yield Case("AvgPoolV2", [x], {**first, "padding_mode": mode}, mean)
        grad = floats(*mean()[0].shape)

        def spread(mode: str = mode, grad: Array = grad, is_mean: bool = True) -> list[Array]:
            made = np.zeros(x.shape)
            before = (1, 0) if mode == "SAME" else (0, 0)
            for n, c, i, j in np.ndindex(*grad.shape):
                rows = [r for r in range(i * 2 - before[0], i * 2 - before[0] + 3) if 0 <= r < 7]
                columns = [q for q in range(j * 2 - before[1], j * 2 - before[1] + 2) if 0 <= q < 6]
                cells = list(itertools.product(rows, columns))
                if is_mean:
                    for r, q in cells:
                        made[n, c, r, q] += grad[n, c, i, j] / len(cells)
                else:
                    r, q = max(cells, key=lambda cell: x[n, c, cell[0], cell[1]])
                    made[n, c, r, q] += grad[n, c, i, j]
            return [made.astype(np.float32)]

        yield Case("AvgPoolGrad", [i32(*x.shape), grad], {**first, "padding": mode}, spread)
        by_greatest = lambda mode=mode, grad=grad, spread=spread: spread(mode, grad, False)  # noqa: E731
        yield Case("MaxPoolGrad", [x, grad, grad], {**first, "padding": mode}, by_greatest)
        yield Case("MaxPoolV3Grad", [x, grad, grad], {**first, "padding_mode": mode}, by_greatest)
    for ceil in (False, True):
        for pads in ([0, 0, 0, 0], [1, 1, 0, 1]):
            size = {
                "kernel_shape": [3, 2],
                "strides": [2, 3],
                "pads": _flat(pads),
                "ceil_mode": int(ceil),
            }
            flags = {
                "ksize": [1, 1, 3, 2],
                "strides": [1, 1, 2, 3],
                "pads": pads,
                "ceil_mode": ceil,
            }
            yield Case("MaxPoolV3", [x], flags, onnx("MaxPool", [x], **size))
            for exclusive in (False, True):
                mean = onnx(
                    "AveragePool", [x], count_include_pad=int(not exclusive), opset=19, **size
                )
                yield Case("AvgPoolV2", [x], {**flags, "exclusive": exclusive}, mean)
            rounded = {"window": [3, 2], "stride": [2, 3], "pad": pads, "ceil_mode": int(not ceil)}
            yield Case("Pooling", [x], rounded, onnx("MaxPool", [x], **size))
            yield Case(
                "Pooling",
                [x],
                {**rounded, "mode": 1},
                onnx("AveragePool", [x], count_include_pad=1, opset=19, **size),
            )
    yield Case(
        "AvgPoolV2",
        [x],
        {"ksize": [1, 1, 2, 2], "strides": [1, 1, 2, 2], "divisor_override": 3},
        lambda: [x[:, :, :6].reshape(2, 3, 3, 2, 3, 2).sum((3, 5)) / 3],
    )
    yield Case(
        "AvgPoolV2",
        [x],
        {"ksize": [1] * 4, "strides": [1] * 4, "global_pooling": True},
        onnx("GlobalAveragePool", [x]),
    )
    yield Case(
        "MaxPoolV3",
        [x],
        {"ksize": [1] * 4, "strides": [1] * 4, "global_pooling": True},
        onnx("GlobalMaxPool", [x]),
    )
    yield Case("GlobalAveragePool", [x], {}, onnx("GlobalAveragePool", [x]))
    line = floats(2, 3, 9)
    yield Case(
        "AvgPool1D",
        [line],
        {"ksize": 3, "strides": 2, "pads": [1, 1]},
        onnx("AveragePool", [line], kernel_shape=[3], strides=[2], pads=[1, 1]),
    )
    volume = floats(1, 2, 4, 5, 4)
    flags = {
        "ksize": [1, 1, 2, 3, 2],
        "strides": [1, 1, 2, 2, 1],
        "pads": [0, 1, 1, 1, 0, 0],
        "data_format": "NCDHW",
    }
    size = {"kernel_shape": [2, 3, 2], "strides": [2, 2, 1], "pads": _flat([0, 1, 1, 1, 0, 0])}
    yield Case(
        "AvgPool3D", [volume], flags, onnx("AveragePool", [volume], count_include_pad=1, **size)
    )
    yield Case(
        "MaxPool3D", [volume], {**flags, "padding": "CALCULATED"}, onnx("MaxPool", [volume], **size)
    )

    def argmax() -> list[Array]:
        values = nhwc(onnx("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])()[0])
        image = nhwc(x)
        places = [
            [int(np.flatnonzero(image[n] == v)[0]) for v in values[n].reshape(-1)] for n in range(2)
        ]
        return [values, np.array(places, np.int32).reshape(values.shape)]

    yield Case(
        "MaxPoolWithArgmax",
        [nhwc(x)],
        {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID", "Targmax": 3},
        argmax,
    )

    def adaptive(height: int, width: int) -> tuple[Array, Array]:
        mean, place = (
            np.zeros((2, 3, height, width), np.float32),
            np.zeros((2, 3, height, width), np.int32),
        )
        for n, c, i, j in np.ndindex(2, 3, height, width):
            cells = [
                (r, q)
                for r in range(i * 7 // height, math.ceil((i + 1) * 7 / height))
                for q in range(j * 6 // width, math.ceil((j + 1) * 6 / width))
            ]
            mean[n, c, i, j] = math.fsum(x[n, c, r, q] for r, q in cells) / len(cells)
            r, q = max(cells, key=lambda cell: x[n, c, cell[0], cell[1]])
            place[n, c, i, j] = r * 6 + q
        return mean, place

    for height, width in ((3, 4), (1, 1), (7, 6)):
        yield Case(
            "AdaptiveAvgPool2d",
            [x],
            {"output_size": [height, width]},
            lambda h=height, w=width: [adaptive(h, w)[0]],
        )

        def best(h: int = height, w: int = width) -> list[Array]:
            place = adaptive(h, w)[1]
            return [
                np.take_along_axis(x.reshape(2, 3, -1), place.reshape(2, 3, -1), 2).reshape(
                    place.shape
                ),
                place,
            ]

        yield Case("AdaptiveMaxPool2d", [x], {"output_size": [height, width]}, best)
    mask = floats(2, 3, 3)

    def dilated() -> list[Array]:
        image = nhwc(x)
        made = np.full((2, 5, 4, 3), -np.inf, np.float32)
        for i, j in np.ndindex(2, 3):
            made = np.maximum(made, image[:, i * 2 : i * 2 + 5, j : j + 4] + mask[i, j])
        return [made]

    yield Case(
        "Dilation2D",
        [nhwc(x), mask],
        {"strides": [1] * 4, "rates": [1, 2, 1, 1], "padding_mode": "VALID"},
        dilated,
    )


def layers() -> Iterator[Case]:
    for family in (_convolutions, _pools, norms):
        yield from family()
