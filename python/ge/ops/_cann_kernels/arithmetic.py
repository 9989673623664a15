"""Element-wise arithmetic, comparison and logic."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ._table import Array, add_rounded, is_float, kernel, narrow, number, rounded, same_type, wide

__all__: list[str] = []


def _each(function: Callable[[Any], Any]) -> Callable[[Array], Array]:
    """Return a function of arrays from one of numbers; for what NumPy lacks."""
    many = np.frompyfunc(function, 1, 1)
    return lambda x: np.asarray(many(x)).astype(np.float64)


def _lgamma(x: float) -> float:
    if x == -math.inf or (x <= 0 and x == math.floor(x)):
        return math.inf
    return math.nan if x != x else math.lgamma(x)


def _digamma(x: float) -> float:
    """By reflection below 0, recurrence up to 10 and the asymptotic series above (Abramowitz and Stegun 6.3)."""
    if x != x or x == -math.inf or (x <= 0 and x == math.floor(x)):
        return math.nan
    if x == math.inf:
        return x
    if x < 0:
        return _digamma(1 - x) - math.pi / math.tan(math.pi * x)
    shift = 0.0
    while x < 10:
        shift -= 1 / x
        x += 1
    y = 1 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132)))))
    return shift + math.log(x) - 0.5 / x - series


def _erfinv(y: float) -> float:
    """Newton's method on erf, from Winitzki's approximation."""
    if y != y or abs(y) > 1:
        return math.nan
    if abs(y) == 1:
        return math.copysign(math.inf, y)
    if y == 0:
        return y
    log = math.log1p(-y * y)
    half = 2 / (math.pi * 0.147) + log / 2
    x = math.copysign(math.sqrt(math.sqrt(half * half - log / 0.147) - half), y)
    for _ in range(4):
        # By the complement near 1, where erf has no digits left.
        error = math.erfc(abs(x)) - (1 - abs(y))
        step = error / (2 / math.sqrt(math.pi) * math.exp(-x * x))
        x += math.copysign(1.0, x) * step
    return x


erf = _each(math.erf)

_UNARY: dict[str, Callable[[Array], Any]] = {
    "Abs": np.abs,
    "Neg": np.negative,
    "Sign": np.sign,
    "Sqrt": np.sqrt,
    "Rsqrt": lambda x: 1 / np.sqrt(x),
    "Square": np.square,
    "Expm1": np.expm1,
    "Log1p": np.log1p,
    "Sin": np.sin,
    "Cos": np.cos,
    "Tan": np.tan,
    "Asin": np.arcsin,
    "Acos": np.arccos,
    "Atan": np.arctan,
    "Sinh": np.sinh,
    "Cosh": np.cosh,
    "Asinh": np.arcsinh,
    "Acosh": np.arccosh,
    "Atanh": np.arctanh,
    "Erf": erf,
    "Erfc": _each(math.erfc),
    "Lgamma": _each(_lgamma),
    "Digamma": _each(_digamma),
    "Erfinv": _each(_erfinv),
    "Ceil": np.ceil,
    "Floor": np.floor,
    "Rint": np.rint,
    "Trunc": np.trunc,
    "OnesLike": lambda x: np.ones_like(x),
    "ZerosLike": lambda x: np.zeros_like(x),
}


add_rounded(_UNARY, "CANN {op}, element by element")


@rounded("Reciprocal", "Inv", source="CANN Reciprocal, Inv: 1 / x; of integers truncated")
def _reciprocal(x: Array) -> Any:
    return _divide(np.ones_like(x), x)


@kernel("Invert", source="CANN Invert: every bit of an integer inverted")
def _invert(x: Array) -> Any:
    return np.invert(x)


@rounded("Round", source="CANN Round: ties to even, after `decimals` digits")
def _round(x: Array, *, decimals: int) -> Any:
    return np.round(x, decimals)


@rounded("Exp", source="CANN Exp: base ** (scale * x + shift)")
def _exp(x: Array, *, base: float, scale: float, shift: float) -> Any:
    power = x * scale + shift
    return np.exp(power) if base == -1 else np.power(float(base), power)


@rounded("Log", source="CANN Log: logarithm of scale * x + shift to a base")
def _log(x: Array, *, base: float, scale: float, shift: float) -> Any:
    found = np.log(x * scale + shift)
    return found if base == -1 else found / math.log(base)


@rounded("Power", source="CANN Power: (scale * x + shift) ** power")
def _power(x: Array, *, power: float, scale: float, shift: float) -> Any:
    return np.power(x * scale + shift, power)


_TESTS = {"IsFinite": np.isfinite, "IsInf": np.isinf, "IsNan": np.isnan}
add_rounded(_TESTS, "CANN {op}, element by element", gives=np.bool_)


# --- Two operands, broadcast ---


def _divide(a: Any, b: Any) -> Array:
    if is_float(np.result_type(a, b)) or np.result_type(a, b).kind == "c":
        return np.asarray(a / b)
    return _truncated(a, b)


def _truncated(a: Any, b: Any) -> Array:
    """Integers divided with rounding towards 0; 0 where the divisor is 0, which NumPy does, too."""
    if is_float(np.result_type(a, b)):
        return np.asarray(np.trunc(a / b))
    floor = np.floor_divide(a, b)
    rest = a - floor * b
    return np.asarray(floor + ((rest != 0) & ((a < 0) != (b < 0))).astype(floor.dtype))


def _no_nan(a: Any, b: Any) -> Array:
    return np.where(b == 0, np.zeros_like(a), _divide(a, np.where(b == 0, np.ones_like(b), b)))


def _xlogy(a: Any, b: Any) -> Array:
    return np.where(a == 0, 0.0, a * np.log(b))


def _int_power(a: Any, b: Any) -> Array:
    if (
        is_float(np.result_type(a, b))
        or np.result_type(a, b).kind == "c"
        or not (np.asarray(b) < 0).any()
    ):
        return np.asarray(np.power(a, b))
    return np.asarray(np.trunc(np.power(a.astype(np.float64), b)))


def _maximum(a: Any, b: Any) -> Array:
    return np.asarray(np.maximum(a, b))


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": _divide,
    "RealDiv": _divide,
    "FloorDiv": np.floor_divide,
    "TruncateDiv": _truncated,
    "DivNoNan": _no_nan,
    "MulNoNan": lambda a, b: np.where(b == 0, np.zeros_like(a * b), a * b),
    "Mod": np.fmod,
    "TruncateMod": np.fmod,
    "FloorMod": np.mod,
    "Pow": _int_power,
    "Maximum": _maximum,
    "Minimum": np.minimum,
    "SquaredDifference": lambda a, b: np.square(a - b),
    "Atan2": np.arctan2,
    "Xdivy": lambda a, b: np.where(a == 0, np.zeros_like(a * b), _divide(a, b)),
    "Xlogy": _xlogy,
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
    "LeftShift": np.left_shift,
    "RightShift": np.right_shift,
}


add_rounded(_BINARY, "CANN {op}, element by element, broadcast", same=True)

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "Equal": np.equal,
    "NotEqual": np.not_equal,
    "Greater": np.greater,
    "GreaterEqual": np.greater_equal,
    "Less": np.less,
    "LessEqual": np.less_equal,
    "LogicalAnd": np.logical_and,
    "LogicalOr": np.logical_or,
}


add_rounded(_COMPARISONS, "CANN {op}, element by element, broadcast", gives=np.bool_, same=True)


@kernel("LogicalNot", source="CANN LogicalNot")
def _logical_not(x: Array) -> Any:
    return np.logical_not(x)


@rounded("ApproximateEqual", source="CANN ApproximateEqual: |x1 - x2| < tolerance", gives=np.bool_)
def _approximate_equal(x1: Array, x2: Array, *, tolerance: float) -> Any:
    return np.abs(x1 - x2) < tolerance


# --- Several operands ---


@kernel("AddN", "AccumulateNV2", source="CANN AddN: sum of its operands", ignores=("N",))
def _add_n(x: list[Array]) -> Array:
    same_type("AddN", *x)
    total = wide(x[0])
    for other in x[1:]:
        total = total + wide(other)
    return narrow(total, x[0].dtype)


@kernel("Eltwise", source="CANN Eltwise: product, sum or maximum", ignores=("N",))
def _eltwise(x: list[Array], *, mode: int, coeff: list[float]) -> Array:
    factors = list(coeff) or [1.0] * len(x)
    if len(factors) != len(x):
        raise ValueError(f"Eltwise: {len(factors)} coefficients for {len(x)} operands")
    made = wide(x[0]) * factors[0] if mode == 1 else wide(x[0])
    for other, factor in zip(x[1:], factors[1:], strict=True):
        if mode == 0:
            made = made * wide(other)
        elif mode == 1:
            made = made + wide(other) * factor
        elif mode == 2:
            made = np.maximum(made, wide(other))
        else:
            raise ValueError(f"Eltwise: mode {mode} is not 0, 1 or 2")
    return narrow(made, x[0].dtype)


@rounded("Adds", source="CANN Adds: x + value")
def _adds(x: Array, *, value: float) -> Any:
    return x + value


@rounded("Muls", source="CANN Muls: x * value")
def _muls(x: Array, *, value: float) -> Any:
    return x * value


@rounded("Axpy", source="CANN Axpy: x1 + alpha * x2", same=True)
def _axpy(x1: Array, x2: Array, *, alpha: float) -> Any:
    return x1 + alpha * x2


@kernel("AxpyV2", source="CANN AxpyV2: x1 + alpha * x2")
def _axpy_v2(x1: Array, x2: Array, alpha: Array) -> Array:
    same_type("AxpyV2", x1, x2)
    return narrow(wide(x1) + wide(alpha).reshape(()) * wide(x2), x1.dtype)


@rounded("Addcdiv", source="CANN Addcdiv: input_data + value * x1 / x2")
def _addcdiv(data: Array, x1: Array, x2: Array, value: Array) -> Any:
    return data + value * _divide(x1, x2)


@rounded("Addcmul", source="CANN Addcmul: input_data + value * x1 * x2")
def _addcmul(data: Array, x1: Array, x2: Array, value: Array) -> Any:
    return data + value * x1 * x2


@rounded("Lerp", source="CANN Lerp: start + weight * (end - start)")
def _lerp(start: Array, end: Array, weight: Array) -> Any:
    return start + weight * (end - start)


@rounded("ClipByValue", source="CANN ClipByValue: min(max(x, least), greatest)")
def _clip(x: Array, least: Array, greatest: Array) -> Any:
    return np.minimum(np.maximum(x, least), greatest)


@rounded("L2Loss", source="CANN L2Loss: half of the sum of squares")
def _l2_loss(x: Array) -> Any:
    return np.square(x).sum() / 2


@kernel("Cross", source="CANN Cross; dim -65530 is the first dimension of size 3")
def _cross(x1: Array, x2: Array, *, dim: int) -> Array:
    shape = np.broadcast_shapes(x1.shape, x2.shape)
    axis = shape.index(3) if dim == -65530 and 3 in shape else number(dim)
    if not -len(shape) <= axis < len(shape) or shape[axis] != 3:
        raise ValueError(f"Cross: dimension {axis} of {list(shape)} has not 3 elements")
    a, b = (np.moveaxis(np.broadcast_to(wide(x), shape), axis, 0) for x in (x1, x2))
    made = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    return narrow(np.moveaxis(np.stack(made), 0, axis), x1.dtype)
