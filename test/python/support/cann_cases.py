"""Cases for CANN's reference kernels: operands and attributes, and what comes out by another formula.

What is expected comes from ONNX's operator, run by onnxruntime or ONNX's reference, or from a formula that shares
nothing with the kernel: loops over elements, functions of `math`, closed forms, differences for gradients.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

import ge.ops as ops

__all__ = ["Case", "cases"]

Array = np.ndarray[Any, Any]
_random = np.random.default_rng(7)
BF16 = np.dtype(ml_dtypes.bfloat16)


class Case(NamedTuple):
    op: str
    operands: Sequence[Any]
    attributes: dict[str, Any]
    expected: Callable[[], Any]
    formats: Sequence[str | None] = ()
    tolerance: float = 1e-5
    # Whether the operands of the graph are constants, so that shapes may depend on them.
    inferred: bool = True


def floats(*shape: int, low: float = -2.0, high: float = 2.0, dtype: Any = np.float32) -> Array:
    return _random.uniform(low, high, shape).astype(dtype)


def ints(*shape: int, low: int = -9, high: int = 9, dtype: Any = np.int32) -> Array:
    return _random.integers(low, high, shape).astype(dtype)


def onnx(
    op: str, operands: Sequence[Any], count: int = 1, opset: int | None = None, **attributes: Any
) -> Any:
    """Return a function that gives the results of ONNX's operator."""

    def run() -> list[Array]:
        found = ops.evaluate_operator(
            f"onnx.{op}", list(operands), attributes, num_results=count, opset=opset
        )
        assert found is not None, f"nothing evaluates {op}"
        return [np.asarray(t.numpy()) for t in found]

    return run


def each(function: Callable[..., Any], *operands: Array, dtype: Any = None) -> Any:
    """Return a function that computes element by element, in Python's numbers."""

    def run() -> list[Array]:
        given = np.broadcast_arrays(*operands)
        made = [
            function(*values)
            for values in zip(*(g.reshape(-1).tolist() for g in given), strict=True)
        ]
        return [np.array(made, dtype or operands[0].dtype).reshape(given[0].shape)]

    return run


def value(*made: Any) -> Any:
    return lambda: [np.asarray(m) for m in made]


def nhwc(x: Array) -> Array:
    return np.moveaxis(x, 1, -1)


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


def _lgamma_derivative(x: float) -> float:
    # The derivative of lgamma by a difference of high order, far from the poles.
    h = 1e-3
    return (
        8 * (math.lgamma(x + h) - math.lgamma(x - h))
        - (math.lgamma(x + 2 * h) - math.lgamma(x - 2 * h))
    ) / (12 * h)


def _inverse_erf(y: float) -> float:
    low, high = -6.0, 6.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erf(middle) < y else (low, middle)
    return low


_LOGISTIC = lambda x: 1 / (1 + math.exp(-x))  # noqa: E731
_FORMULAS: dict[str, Callable[[float], float]] = {
    "Rsqrt": lambda x: 1 / math.sqrt(x),
    "Square": lambda x: x * x,
    "Inv": lambda x: 1 / x,
    "Expm1": math.expm1,
    "Log1p": math.log1p,
    "Erfc": math.erfc,
    "Lgamma": math.lgamma,
    "Digamma": _lgamma_derivative,
    "OnesLike": lambda x: 1.0,
    "ZerosLike": lambda x: 0.0,
    "Round": round,
    "Trunc": math.trunc,
    "Relu6": lambda x: min(max(x, 0), 6),
    "LogSigmoid": lambda x: math.log(_LOGISTIC(x)),
    "Gelu": lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "FastGelu": lambda x: x * _LOGISTIC(1.702 * x),
    "GeluV2": lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2))),
    "Swish": lambda x: x * _LOGISTIC(x),
    "HardShrink": lambda x: x if abs(x) > 0.5 else 0.0,
    "SoftShrink": lambda x: math.copysign(max(abs(x) - 0.5, 0), x),
    "SoftplusV2": lambda x: math.log(1 + math.exp(x)),
    "ThresholdedRelu": lambda x: x if x > 1 else 0.0,
    "Threshold": lambda x: float(x > 0),
    "HardSigmoid": lambda x: min(max(0.16666666 * x + 0.5, 0), 1),
    "LeakyRelu": lambda x: max(x, 0),
    "Celu": lambda x: x if x > 0 else math.exp(x) - 1,
    "Power": lambda x: x,
}


def _unary() -> Iterator[Case]:
    for op, other in _ONNX_UNARY.items():
        for shape in _SHAPES:
            low, high = (
                (-0.9, 0.9) if op in _UNIT else (1.1, 3.0) if op in _POSITIVE else (-2.0, 2.0)
            )
            x = floats(*shape, low=low, high=high)
            yield Case(op, [x], {}, onnx(other, [x]), tolerance=1e-5)
    for op, formula in _FORMULAS.items():
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
    yield Case("Digamma", [x], {}, each(_lgamma_derivative, x), tolerance=1e-6)
    yield Case("Digamma", [np.array([1.0])], {}, value([-0.5772156649015329]), tolerance=1e-12)
    large = np.array([-60.0, 60.0], np.float32)
    yield Case("FastGeluV2", [large], {}, value(np.array([0, 60], np.float32)))
    # The documented polynomial, at places where its branches are known.
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
    yield Case("Swish", [x], {"scale": 2.0}, each(lambda v: v * _LOGISTIC(2 * v), x))
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
    t = _random.integers(0, 2, (2, 3)).astype(bool)
    yield Case("LogicalAnd", [t, t[:1]], {}, onnx("And", [t, t[:1]]))
    yield Case("LogicalOr", [t, t[:1]], {}, onnx("Or", [t, t[:1]]))
    yield Case("NotEqual", [a, b], {}, each(lambda p, q: p != q, a, b, dtype=bool))
    half = np.array([1, 2, -3], np.int32)
    yield Case(
        "Pow", [half, np.array([2, -1, 3], np.int32)], {}, value(np.array([1, 0, -27], np.int32))
    )
    # Rounded once: in half precision the sum of three would be 2048.
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
        "FastGeluGrad": _FORMULAS["FastGelu"],
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
    yield Case("GeluGrad", [g, x, x], {}, _slope(_FORMULAS["Gelu"], x, g), tolerance=1e-6)
    yield Case(
        "SwishGrad",
        [g, x, x],
        {"scale": 2.0},
        _slope(lambda v: v * _LOGISTIC(2 * v), x, g),
        tolerance=1e-6,
    )
    selu = lambda v: 1.0507009873554805 * (v if v > 0 else 1.6732632423543772 * math.expm1(v))  # noqa: E731
    elu = lambda v: v if v > 0 else math.expm1(v)  # noqa: E731
    by_result: dict[str, tuple[Callable[[float], float], bool]] = {
        "EluGrad": (elu, False),
        "SeluGrad": (selu, False),
        "SigmoidGrad": (_LOGISTIC, True),
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
    t = _random.integers(0, 2, (3, 4)).astype(bool)
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


def cases() -> list[Case]:
    from cann_cases_layers import layers
    from cann_cases_moves import moves
    from cann_cases_others import others

    return [*_unary(), *_binary(), *_gradients(), *_reductions(), *moves(), *layers(), *others()]
