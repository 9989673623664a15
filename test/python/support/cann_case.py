"""A test case for CANN's reference kernels: operands, attributes, and results computed by another formula.

Expected results come from ONNX's operator, run by onnxruntime or ONNX's reference, or from a formula that is
independent of the kernel: loops over elements, functions of `math`, closed forms, differences for gradients.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

import ge.ops as ops
from ge.run._reference import ReferenceCall

Array = np.ndarray[Any, Any]


def record(op: str) -> Any:
    """Return the record of an operator of CANN."""
    for namespace in ("math", "nn"):
        found = ops.find(namespace, op)
        if found is not None:
            return found
    raise KeyError(op)


def computed(
    op: str,
    operands: Sequence[Any],
    attributes: dict[str, Any],
    formats: Sequence[str | None] = (),
) -> list[Array]:
    """Return what the reference kernel of an operator gives, as a node with these attributes and layouts."""
    schema = record(op)
    operands = [None if o is None else np.asarray(o) for o in operands]
    kernel = ops.kernel(schema, "reference")
    return ReferenceCall(schema, kernel, operands, attributes, None, formats, False).compute(
        operands
    )


RANDOM = np.random.default_rng(7)


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
    return RANDOM.uniform(low, high, shape).astype(dtype)


def ints(*shape: int, low: int = -9, high: int = 9, dtype: Any = np.int32) -> Array:
    return RANDOM.integers(low, high, shape).astype(dtype)


def onnx(
    op: str, operands: Sequence[Any], count: int = 1, opset: int | None = None, **attributes: Any
) -> Any:
    """Return a function that returns the results of ONNX's operator."""

    def run() -> list[Array]:
        found = ops.evaluate_operator(
            f"onnx.{op}", list(operands), attributes, num_results=count, opset=opset
        )
        assert found is not None, f"nothing evaluates {op}"
        return [np.asarray(t.numpy()) for t in found]

    return run


def each(function: Callable[..., Any], *operands: Array, dtype: Any = None) -> Any:
    """Return a function that computes element by element with Python's numbers."""

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


def nhwc_of(made: Callable[[], Any]) -> Callable[[], Any]:
    """Return a function that returns the first result with its channels last."""
    return lambda: [nhwc(made()[0])]


def i64(*numbers: int) -> Array:
    return np.array(numbers, np.int64)


def i32(*numbers: int) -> Array:
    return np.array(numbers, np.int32)


def lgamma_derivative(x: float) -> float:
    # The derivative of lgamma by a difference of high order, far from the poles.
    h = 1e-3
    return (
        8 * (math.lgamma(x + h) - math.lgamma(x - h))
        - (math.lgamma(x + 2 * h) - math.lgamma(x - 2 * h))
    ) / (12 * h)


LOGISTIC = lambda x: 1 / (1 + math.exp(-x))  # noqa: E731


FORMULAS: dict[str, Callable[[float], float]] = {
    "Rsqrt": lambda x: 1 / math.sqrt(x),
    "Square": lambda x: x * x,
    "Inv": lambda x: 1 / x,
    "Expm1": math.expm1,
    "Log1p": math.log1p,
    "Erfc": math.erfc,
    "Lgamma": math.lgamma,
    "Digamma": lgamma_derivative,
    "OnesLike": lambda x: 1.0,
    "ZerosLike": lambda x: 0.0,
    "Round": round,
    "Trunc": math.trunc,
    "Relu6": lambda x: min(max(x, 0), 6),
    "LogSigmoid": lambda x: math.log(LOGISTIC(x)),
    "Gelu": lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "FastGelu": lambda x: x * LOGISTIC(1.702 * x),
    "GeluV2": lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2))),
    "Swish": lambda x: x * LOGISTIC(x),
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
