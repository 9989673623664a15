"""Cases for CANN's reference kernels: the list of all cases, and the cases of element-wise kernels."""

import math
from collections.abc import Iterator

import numpy as np
from cann_case import (
    BF16,
    FORMULAS,
    LOGISTIC,
    RANDOM,
    Case,
    each,
    floats,
    ints,
    lgamma_derivative,
    onnx,
    value,
)
from cann_cases_layers import layers
from cann_cases_moves import moves
from cann_cases_others import others
from cann_cases_sums import sums

__all__ = ["Case", "cases"]


_SHAPES: list[tuple[int, ...]] = [(), (3,), (2, 0), (2, 3, 4)]


# --- Element-wise ---

_ONNX_UNARY = {
    "Abs": "Abs", "Neg": "Neg", "Sign": "Sign", "Sqrt": "Sqrt", "Reciprocal": "Reciprocal", "Sin": "Sin",
    "Cos": "Cos", "Tan": "Tan", "Asin": "Asin", "Acos": "Acos", "Atan": "Atan", "Sinh": "Sinh", "Cosh": "Cosh",
    "Asinh": "Asinh", "Acosh": "Acosh", "Atanh": "Atanh", "Erf": "Erf", "Ceil": "Ceil", "Floor": "Floor",
    "Rint": "Round", "Exp": "Exp", "Log": "Log", "Relu": "Relu", "Sigmoid": "Sigmoid", "Tanh": "Tanh",
    "Softplus": "Softplus", "BNLL": "Softplus", "Softsign": "Softsign", "HardSwish": "HardSwish", "Mish": "Mish",
    "Selu": "Selu", "Elu": "Elu", "CeluV2": "Celu",
}  # fmt: skip


_UNIT = ("Asin", "Acos", "Atanh")


_POSITIVE = ("Sqrt", "Log", "Acosh", "Reciprocal")


def _inverse_erf(y: float) -> float:
    low, high = -6.0, 6.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erf(middle) < y else (low, middle)
    return low


def _unary() -> Iterator[Case]:
    for op, other in _ONNX_UNARY.items():
        for shape in _SHAPES:
            low, high = (
                (-0.9, 0.9) if op in _UNIT else (1.1, 3.0) if op in _POSITIVE else (-2.0, 2.0)
            )
            x = floats(*shape, low=low, high=high)
            yield Case(op, [x], {}, onnx(other, [x]), tolerance=1e-5)
    for op, formula in FORMULAS.items():
        positive = op in ("Rsqrt", "Inv", "Log1p", "Digamma", "Lgamma")
        for shape in _SHAPES:
            for dtype in (np.float32, np.float16, BF16):
                x = floats(
                    *shape,
                    low=0.3 if positive else -2.0,
                    high=9.0 if positive else 2.0,
                    dtype=dtype,
                )
                tolerance = 1e-5 if dtype is np.float32 else 1e-3 if dtype is np.float16 else 1e-2
                yield Case(op, [x], {}, each(formula, x), tolerance=tolerance)
    y = floats(9, low=-0.99, high=0.99, dtype=np.float64)
    yield Case("Erfinv", [y], {}, each(_inverse_erf, y), tolerance=1e-12)
    yield Case(
        "Erfinv",
        [np.array([1, -1, 0, 1 - 1e-12])],
        {},
        value([math.inf, -math.inf, 0, _inverse_erf(1 - 1e-12)]),
        tolerance=1e-3,
    )
    x = np.array([-0.5, -1.5, -3.25])
    yield Case("Digamma", [x], {}, each(lgamma_derivative, x), tolerance=1e-6)
    yield Case("Digamma", [np.array([1.0])], {}, value([-0.5772156649015329]), tolerance=1e-12)
    large = np.array([-60.0, 60.0], np.float32)
    yield Case("FastGeluV2", [large], {}, value(np.array([0, 60], np.float32)))
    # The documented polynomial, at points where its branches are known.
    points = np.array([-1.769, 0, 0.5, 1.769], np.float32)
    yield Case(
        "FastGeluV2",
        [points],
        {},
        each(
            lambda x: (
                x
                * (math.copysign(1, x) * (-0.0722 * (min(abs(x), 1.769) - 1.769) ** 2 + 0.5) + 0.5)
            ),
            points,
        ),
    )
    for op, formula in (
        ("Abs", abs),
        ("Neg", lambda x: -x),
        ("Square", lambda x: x * x),
        ("Sign", lambda x: (x > 0) - (x < 0)),
    ):
        i = ints(3, 2)
        yield Case(op, [i], {}, each(formula, i))
    i = ints(2, 3, dtype=np.int16)
    yield Case("Invert", [i], {}, each(lambda v: ~v, i))
    x = np.array([0.125, 2.675, -1.45], np.float64)
    yield Case("Round", [x], {"decimals": 1}, value([0.1, 2.7, -1.4]), tolerance=1e-12)
    x = floats(4, low=0.5)
    yield Case(
        "Exp", [x], {"base": 2.0, "scale": 3.0, "shift": 1.0}, each(lambda v: 2 ** (3 * v + 1), x)
    )
    yield Case(
        "Log",
        [x],
        {"base": 10.0, "scale": 3.0, "shift": 9.0},
        each(lambda v: math.log10(3 * v + 9), x),
    )
    yield Case(
        "Power",
        [x],
        {"power": 3.0, "scale": 2.0, "shift": 9.0},
        each(lambda v: (2 * v + 9) ** 3, x),
    )
    special = np.array([1, math.inf, -math.inf, math.nan], np.float32)
    yield Case("IsInf", [special], {}, onnx("IsInf", [special]))
    yield Case("IsNan", [special], {}, onnx("IsNaN", [special]))
    yield Case("IsFinite", [special], {}, value([True, False, False, False]))
    yield Case("LogicalNot", [np.array([True, False])], {}, value([False, True]))
    x = floats(2, 3)
    yield Case("LeakyRelu", [x], {"negative_slope": 0.1}, onnx("LeakyRelu", [x], alpha=0.1))
    yield Case(
        "Elu",
        [x],
        {"alpha": 0.5, "scale": 2.0, "input_scale": 3.0},
        each(lambda v: 2 * v if v > 0 else math.expm1(3 * v), x),
    )
    yield Case(
        "Celu",
        [x],
        {"alpha1": 2.0, "alpha2": 3.0, "alpha3": 0.5},
        each(lambda v: max(0, 0.5 * v) + min(0, 2 * math.expm1(v / 3)), x),
    )
    yield Case("CeluV2", [x], {"alpha": 2.0}, onnx("Celu", [x], alpha=2.0))
    yield Case("Swish", [x], {"scale": 2.0}, each(lambda v: v * LOGISTIC(2 * v), x))
    yield Case("GeluV2", [x], {"approximate": "tanh"}, onnx("Gelu", [x], approximate="tanh"))
    yield Case(
        "HardSigmoid",
        [x],
        {"alpha": 0.3, "beta": 0.4},
        onnx("HardSigmoid", [x], alpha=0.3, beta=0.4),
    )
    yield Case("HardShrink", [x], {"lambd": 1.0}, onnx("Shrink", [x], lambd=1.0))
    yield Case("SoftShrink", [x], {"lambd": 1.0}, onnx("Shrink", [x], lambd=1.0, bias=1.0))
    yield Case("ThresholdedRelu", [x], {"alpha": 0.5}, onnx("ThresholdedRelu", [x], alpha=0.5))
    big = np.array([-3, 0, 9.9, 10.1, 800], np.float32)
    yield Case(
        "SoftplusV2",
        [big],
        {"beta": 2.0},
        each(lambda v: v if v > 10 else math.log1p(math.exp(2 * v)) / 2, big),
    )
    w = floats(3)
    x = floats(2, 3, 4)
    yield Case("PRelu", [x, w], {}, onnx("PRelu", [x, w.reshape(3, 1)]))
    yield Case("PRelu", [x, w[:1]], {}, onnx("PRelu", [x, w[:1]]))
    x = floats(2, 6)
    yield Case("SwiGlu", [x], {}, lambda x=x: [x[:, :3] / (1 + np.exp(-x[:, :3])) * x[:, 3:]])
    yield Case("SwiGlu", [x], {"dim": 0}, lambda x=x: [x[:1] / (1 + np.exp(-x[:1])) * x[1:]])


_BINARY = {
    "Add": "Add", "Sub": "Sub", "Mul": "Mul", "RealDiv": "Div", "Div": "Div", "Pow": "Pow", "Maximum": "Max",
    "Minimum": "Min", "Equal": "Equal", "Greater": "Greater", "GreaterEqual": "GreaterOrEqual", "Less": "Less",
    "LessEqual": "LessOrEqual",
}  # fmt: skip


def _binary() -> Iterator[Case]:
    for op, other in _BINARY.items():
        for left, right in [((), ()), ((2, 3), (3,)), ((2, 1, 4), (3, 1)), ((0, 3), (1, 3))]:
            a, b = floats(*left, low=0.5), floats(*right, low=0.5)
            yield Case(op, [a, b], {}, onnx(other, [a, b]))
    a, b = ints(4, 3), ints(3, low=1)
    for op in ("Add", "Sub", "Mul", "Maximum", "Minimum", "Equal", "Less"):
        yield Case(op, [a, b], {}, onnx(_BINARY[op], [a, b]))
    sign = b * np.array([1, -1, 1], np.int32)
    for op in ("Div", "RealDiv", "TruncateDiv"):
        yield Case(op, [a, sign], {}, each(lambda x, y: int(x / y), a, sign))
    yield Case("FloorDiv", [a, sign], {}, each(lambda x, y: x // y, a, sign))
    yield Case("Mod", [a, sign], {}, onnx("Mod", [a, sign], fmod=1))
    yield Case("TruncateMod", [a, sign], {}, each(lambda x, y: int(math.fmod(x, y)), a, sign))
    yield Case("FloorMod", [a, sign], {}, onnx("Mod", [a, sign]))
    x, y = floats(2, 3), floats(3, low=0.5)
    yield Case("TruncateDiv", [x, y], {}, each(lambda p, q: math.trunc(p / q), x, y))
    yield Case("FloorMod", [x, y], {}, each(lambda p, q: p - q * math.floor(p / q), x, y))
    zero = np.array([0, 2, 0], np.float32)
    inf = np.array([math.inf, 1, math.nan], np.float32)
    yield Case("DivNoNan", [inf, zero], {}, value(np.array([0, 0.5, 0], np.float32)))
    yield Case("MulNoNan", [inf, zero], {}, value(np.array([0, 2, 0], np.float32)))
    yield Case("Xdivy", [zero, zero], {}, value(np.array([0, 1, 0], np.float32)))
    yield Case("Xlogy", [zero, inf], {}, value(np.array([0, 0, 0], np.float32)))
    yield Case("Xlogy", [y, y], {}, each(lambda p, q: p * math.log(q), y, y))
    yield Case("SquaredDifference", [x, y], {}, each(lambda p, q: (p - q) ** 2, x, y))
    yield Case("Atan2", [x, y], {}, each(math.atan2, x, y))
    yield Case(
        "ApproximateEqual",
        [x, x + np.float32(0.05)],
        {"tolerance": 0.1},
        value(np.ones((2, 3), bool)),
    )
    for op, formula in {
        "BitwiseAnd": "BitwiseAnd",
        "BitwiseOr": "BitwiseOr",
        "BitwiseXor": "BitwiseXor",
    }.items():
        yield Case(op, [a, b], {}, onnx(formula, [a, b]))
    shift = ints(4, 3, low=0, high=3)
    yield Case("LeftShift", [a, shift], {}, each(lambda p, q: p << q, a, shift))
    yield Case("RightShift", [a, shift], {}, each(lambda p, q: p >> q, a, shift))
    t = RANDOM.integers(0, 2, (2, 3)).astype(bool)
    yield Case("LogicalAnd", [t, t[:1]], {}, onnx("And", [t, t[:1]]))
    yield Case("LogicalOr", [t, t[:1]], {}, onnx("Or", [t, t[:1]]))
    yield Case("NotEqual", [a, b], {}, each(lambda p, q: p != q, a, b, dtype=bool))
    half = np.array([1, 2, -3], np.int32)
    yield Case(
        "Pow", [half, np.array([2, -1, 3], np.int32)], {}, value(np.array([1, 0, -27], np.int32))
    )
    # The sum is rounded once; rounding to half precision after each addition would give 2048.
    h = [np.array([v], np.float16) for v in (2048, 1, 1)]
    yield Case("AddN", [*h], {"N": 3}, value(np.array([2050], np.float16)))
    xs = [floats(2, 3) for _ in range(3)]
    yield Case("AddN", xs, {"N": 3}, onnx("Sum", xs))
    yield Case("AccumulateNV2", xs, {"N": 3}, onnx("Sum", xs))
    yield Case("Eltwise", xs, {"N": 3}, onnx("Sum", xs))
    yield Case("Eltwise", xs, {"N": 3, "mode": 0}, each(lambda p, q, r: p * q * r, *xs))
    yield Case("Eltwise", xs, {"N": 3, "mode": 2}, onnx("Max", xs))
    yield Case(
        "Eltwise",
        xs,
        {"N": 3, "coeff": [1.0, -2.0, 0.5]},
        each(lambda p, q, r: p - 2 * q + r / 2, *xs),
    )
    p, q, r = xs
    yield Case("Adds", [p], {"value": 1.5}, each(lambda v: v + 1.5, p))
    yield Case("Muls", [p], {"value": 1.5}, each(lambda v: v * 1.5, p))
    yield Case("Axpy", [p, q], {"alpha": 2.0}, each(lambda u, v: u + 2 * v, p, q))
    two = np.array([2], np.float32)
    yield Case("AxpyV2", [p, q, two], {}, each(lambda u, v: u + 2 * v, p, q))
    yield Case("Addcdiv", [p, q, r + 9, two], {}, each(lambda u, v, w: u + 2 * v / w, p, q, r + 9))
    yield Case("Addcmul", [p, q, r, two], {}, each(lambda u, v, w: u + 2 * v * w, p, q, r))
    yield Case("Lerp", [p, q, r], {}, each(lambda u, v, w: u + w * (v - u), p, q, r))
    low, high = np.float32(-0.5).reshape(()), np.float32(0.5).reshape(())
    yield Case("ClipByValue", [p, low, high], {}, onnx("Clip", [p, low, high]))
    yield Case(
        "L2Loss",
        [p],
        {},
        lambda p=p: [np.float32(math.fsum(v * v for v in p.reshape(-1).tolist()) / 2)],
    )
    yield Case("Cross", [p, q], {}, lambda p=p, q=q: [np.cross(p, q)])
    yield Case("Cross", [p.T, q.T], {"dim": 0}, lambda p=p, q=q: [np.cross(p, q).T])


def cases() -> list[Case]:
    return [*_unary(), *_binary(), *sums(), *moves(), *layers(), *others()]
