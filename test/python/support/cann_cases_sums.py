"""Cases for gradients, reductions and running sums."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from cann_case import FORMULAS, LOGISTIC, RANDOM, Array, Case, each, floats, ints, onnx, value

__all__ = ["sums"]

# --- Gradients, by differences of the operator itself ---


def _slope(function: Callable[[float], float], x: Array, gradient: Array) -> Any:
    h = 1e-5
    return each(lambda v, g: g * (function(v + h) - function(v - h)) / (2 * h), x, gradient)


def _gradients() -> Iterator[Case]:
    x, g = floats(3, 4, dtype=np.float64), floats(3, 4, dtype=np.float64)
    softplus = lambda v: math.log1p(math.exp(v))  # noqa: E731
    by_operand: dict[str, Callable[[float], float]] = {
        "ReluGrad": lambda v: max(v, 0),
        "Relu6Grad": lambda v: min(max(v, 0), 6),
        "FastGeluGrad": FORMULAS["FastGelu"],
        "HardSwishGrad": lambda v: v * min(max(v + 3, 0), 6) / 6,
        "SoftplusGrad": softplus,
        "SoftsignGrad": lambda v: v / (1 + abs(v)),
        "MishGrad": lambda v: v * math.tanh(softplus(v)),
        "LeakyReluGrad": lambda v: max(v, 0),
    }
    for op, function in by_operand.items():
        yield Case(op, [g, x], {}, _slope(function, x, g), tolerance=1e-6)
    yield Case(
        "LeakyReluGrad",
        [g, x],
        {"negative_slope": 0.2},
        _slope(lambda v: v if v > 0 else v / 5, x, g),
        tolerance=1e-6,
    )
    yield Case("GeluGrad", [g, x, x], {}, _slope(FORMULAS["Gelu"], x, g), tolerance=1e-6)
    yield Case(
        "SwishGrad",
        [g, x, x],
        {"scale": 2.0},
        _slope(lambda v: v * LOGISTIC(2 * v), x, g),
        tolerance=1e-6,
    )
    selu = lambda v: 1.0507009873554805 * (v if v > 0 else 1.6732632423543772 * math.expm1(v))  # noqa: E731
    elu = lambda v: v if v > 0 else math.expm1(v)  # noqa: E731
    by_result: dict[str, tuple[Callable[[float], float], bool]] = {
        "EluGrad": (elu, False),
        "SeluGrad": (selu, False),
        "SigmoidGrad": (LOGISTIC, True),
        "TanhGrad": (math.tanh, True),
    }
    for op, (function, result_first) in by_result.items():
        y = each(function, x)()[0]
        yield Case(
            op, [y, g] if result_first else [g, y], {}, _slope(function, x, g), tolerance=1e-6
        )
    w = np.array([0.1, 0.2, 0.3, 0.4])

    def prelu() -> list[Array]:
        dx = np.where(x > 0, g, g * w)
        da = [sum(float(g[i, c] * x[i, c]) for i in range(3) if x[i, c] <= 0) for c in range(4)]
        return [dx, np.array(da)]

    yield Case("PReluGrad", [g, x, w], {}, prelu)


# --- Reductions ---


def _reductions() -> Iterator[Case]:
    names = {
        "Sum": "ReduceSum",
        "Mean": "ReduceMean",
        "Max": "ReduceMax",
        "Min": "ReduceMin",
        "Prod": "ReduceProd",
    }
    x = floats(2, 3, 4)
    for short, other in names.items():
        for axes in ([0], [-1], [0, 2], [0, 1, 2], []):
            for keep in (False, True):
                at = np.array(axes, np.int64)
                expected = onnx(
                    other, [x, at], keepdims=int(keep), noop_with_empty_axes=1, opset=18
                )
                yield Case(f"Reduce{short}", [x, at], {"keep_dims": keep}, expected)
                if axes:
                    yield Case(f"Reduce{short}D", [x], {"axes": axes, "keep_dims": keep}, expected)
        all_axes = onnx(other, [x, np.array([], np.int64)], keepdims=0, opset=18)
        yield Case(
            f"Reduce{short}", [x, np.array([], np.int32)], {"noop_with_empty_axes": False}, all_axes
        )
    i = ints(3, 4)
    one = np.array([1], np.int32)
    yield Case(
        "ReduceSum", [i, one], {}, lambda: [np.array([sum(r) for r in i.tolist()], np.int32)]
    )
    yield Case(
        "ReduceMean",
        [i, one],
        {},
        lambda: [np.array([int(sum(r) / 4) for r in i.tolist()], np.int32)],
    )
    empty = np.zeros((2, 0), np.float32)
    yield Case("ReduceSum", [empty, one], {}, value(np.zeros(2, np.float32)))
    yield Case("ReduceMax", [empty, one], {}, value(np.full(2, -np.inf, np.float32)))
    yield Case("ReduceProd", [empty, one], {}, value(np.ones(2, np.float32)))
    positive = floats(2, 3, low=0.5)
    yield Case(
        "ReduceLogSum",
        [positive, one],
        {},
        onnx("ReduceLogSum", [positive, one.astype(np.int64)], keepdims=0, opset=18),
    )
    yield Case(
        "EuclideanNorm",
        [x, np.array([0, 2])],
        {"keep_dims": True},
        onnx("ReduceL2", [x, np.array([0, 2])], opset=18),
    )
    for axes in ([1], [0, 1]):
        at = np.array(axes, np.int64)
        large = floats(2, 3, low=90, high=200)
        yield Case(
            "ReduceLogSumExp",
            [large, at],
            {},
            onnx("ReduceLogSumExp", [large, at], keepdims=0, opset=18),
        )
    t = RANDOM.integers(0, 2, (3, 4)).astype(bool)
    for op, formula in (("ReduceAll", all), ("ReduceAny", any)):
        rows = lambda formula=formula: [np.array([formula(r) for r in t.tolist()])]  # noqa: E731
        yield Case(op, [t, one], {}, rows)
        yield Case(f"{op}D", [t], {"axes": [1]}, rows)

    def deviation(rows: Any, ddof: int) -> list[Array]:
        means = [math.fsum(r) / len(r) for r in rows]
        spread = [
            math.sqrt(math.fsum((v - m) ** 2 for v in r) / (len(r) - ddof))
            for r, m in zip(rows, means, strict=True)
        ]
        return [np.array(spread, np.float32), np.array(means, np.float32)]

    rows = floats(3, 5)
    yield Case("ReduceStd", [rows], {"dim": [1]}, lambda: deviation(rows.tolist(), 1))
    yield Case(
        "ReduceStd", [rows], {"dim": [-1], "unbiased": False}, lambda: deviation(rows.tolist(), 0)
    )
    yield Case(
        "LpNorm",
        [rows],
        {"axes": [1]},
        lambda: [np.array([math.hypot(*r) for r in rows.tolist()], np.float32)],
    )
    yield Case(
        "LpNorm",
        [rows],
        {"p": 1},
        lambda: [np.float32(math.fsum(abs(v) for v in rows.reshape(-1).tolist()))],
    )
    yield Case(
        "LpNorm",
        [rows],
        {"p": 2147483647, "axes": [0], "keepdim": True},
        lambda: [np.array([[max(abs(v) for v in c) for c in rows.T.tolist()]], np.float32)],
    )
    for op, other in (("ArgMaxV2", "ArgMax"), ("ArgMin", "ArgMin")):
        for axis in (0, 1, -1):
            where = np.array(axis, np.int32)
            yield Case(
                op,
                [i, where],
                {},
                onnx(
                    other,
                    [
                        i,
                    ],
                    axis=axis,
                    keepdims=0,
                ),
            )
    for op, other, best in (
        ("ArgMaxWithValue", "ArgMax", "ReduceMax"),
        ("ArgMinWithValue", "ArgMin", "ReduceMin"),
    ):
        for keep in (False, True):

            def both(other: str = other, best: str = best, keep: bool = keep) -> list[Array]:
                place = onnx(other, [rows], axis=1, keepdims=int(keep))()[0].astype(np.int32)
                return [place, *onnx(best, [rows, np.array([1])], keepdims=int(keep), opset=18)()]

            yield Case(op, [rows], {"dimension": 1, "keep_dims": keep}, both)
    for exclusive in (False, True):
        for reverse in (False, True):
            flags = {"exclusive": exclusive, "reverse": reverse}
            for axis in (0, -1):
                at = np.array(axis, np.int32)
                expected = onnx("CumSum", [x, at], exclusive=int(exclusive), reverse=int(reverse))
                yield Case("Cumsum", [x, at], flags, expected)
                yield Case("CumsumD", [x], {"axis": axis, **flags}, expected)

            def product(exclusive: bool = exclusive, reverse: bool = reverse) -> list[Array]:
                made = []
                for row in rows.tolist():
                    order = row[::-1] if reverse else row
                    line = [math.prod(order[: n + (not exclusive)]) for n in range(len(order))]
                    made.append(line[::-1] if reverse else line)
                return [np.array(made, np.float32)]

            yield Case("Cumprod", [rows, np.array(1, np.int32)], flags, product)
            if not exclusive:

                def log_sums(reverse: bool = reverse) -> list[Array]:
                    made = []
                    for row in rows.tolist():
                        order = row[::-1] if reverse else row
                        line = [
                            math.log(math.fsum(map(math.exp, order[: n + 1])))
                            for n in range(len(order))
                        ]
                        made.append(line[::-1] if reverse else line)
                    return [np.array(made, np.float32)]

                yield Case("CumulativeLogsumexp", [rows, np.array(1, np.int32)], flags, log_sums)
    data = floats(4, 2)
    ids = np.array([0, 0, 2, 2], np.int32)
    zero = np.zeros(2, np.float32)
    yield Case(
        "SegmentSum",
        [data, ids],
        {},
        lambda: [np.stack([data[0] + data[1], zero, data[2] + data[3]])],
    )
    yield Case(
        "SegmentMax",
        [data, ids],
        {},
        lambda: [np.stack([np.maximum(data[0], data[1]), zero, np.maximum(data[2], data[3])])],
    )
    some = np.array([2, -1, 0, 2], np.int32)
    yield Case(
        "UnsortedSegmentSum",
        [data, some, np.array(3, np.int32)],
        {},
        lambda: [np.stack([data[2], zero, data[0] + data[3]])],
    )


def sums() -> Iterator[Case]:
    for family in (_gradients, _reductions):
        yield from family()
