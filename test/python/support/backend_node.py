"""ONNX's own backend node tests, as the installed `onnx` package generates them, and how results are compared."""

import warnings
from functools import cache
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

import ge.onnx
import ge.ops as ops

__all__ = ["by_engine", "difference", "node_cases"]


@cache
def node_cases() -> dict[str, Any]:
    """Return the tests by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {case.name: case for case in collect_testcases(None)}


def _value(value: Any) -> Any:
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, (list, tuple)):
        return [_value(v) for v in value]
    return None if value is None else np.asarray(value)


def _same(made: Any, expected: Any, rtol: float, atol: float) -> bool:
    if expected is None or made is None:
        return made is expected
    if isinstance(expected, list):
        return (
            isinstance(made, list)
            and len(made) == len(expected)
            and all(_same(m, e, rtol, atol) for m, e in zip(made, expected, strict=True))
        )
    made, expected = np.asarray(made), np.asarray(expected)
    if made.shape != expected.shape:
        return False
    if expected.dtype.kind in "OUST":
        return [_text(v) for v in made.reshape(-1)] == [_text(v) for v in expected.reshape(-1)]
    if made.dtype != expected.dtype:
        return False
    if expected.dtype.kind in "biu":
        return bool((made == expected).all())
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    return bool(np.allclose(made.astype(wide), expected.astype(wide), rtol, atol, equal_nan=True))


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _compare(case: Any, run: Any) -> str:
    try:
        for inputs, outputs in case.data_sets:
            made = run([_value(v) for v in inputs])
            for i, (m, e) in enumerate(zip(made, map(_value, outputs), strict=True)):
                if not _same(m, e, case.rtol, max(case.atol, 1e-6)):
                    return f"output {i} differs"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def difference(name: str, **options: Any) -> str:
    """Return what ``run`` gives differently from what a test expects; empty: nothing."""
    case = node_cases()[name]
    try:
        module = ge.onnx.load(case.model.SerializeToString())
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return _compare(case, lambda inputs: ops.run(module, inputs, **options))


def by_engine(name: str, engine: str) -> str:
    """Return what onnxruntime or the reference alone gives differently, in the child process."""
    from ge.run import _service

    case = node_cases()[name]
    try:
        loaded = _service.load(engine, case.model.SerializeToString())
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    feeds = loaded.inputs
    return _compare(case, lambda inputs: loaded.run(dict(zip(feeds, inputs, strict=False))))
