"""Run models in onnxruntime without its optimisations, and compare results bit for bit."""

from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime

from ge.run._outputs import compare_values

__all__ = ["difference", "session", "values"]


def session(model: bytes) -> Any:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def values(running: Any, names: list[str], feed: dict[str, Any]) -> list[Any]:
    """Run a session and return outputs as arrays, including element types that NumPy lacks."""
    given = {}
    for name, array in feed.items():
        if array.dtype == ml_dtypes.bfloat16:
            element = onnx.TensorProto.BFLOAT16
            given[name] = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(
                array.view(np.uint16), element
            )
        else:
            given[name] = onnxruntime.OrtValue.ortvalue_from_numpy(array)
    found = []
    for value in running.run_with_ort_values(names, given):
        array = value.numpy()
        if value.element_type() == onnx.TensorProto.BFLOAT16:
            array = array.view(ml_dtypes.bfloat16)
        found.append(array)
    return found


def difference(before: Any, after: Any, tame: bool) -> str:
    """Return how two results differ; an empty string if they are equal."""
    if before.dtype != after.dtype or before.shape != after.shape:
        return f"{before.dtype}{before.shape} became {after.dtype}{after.shape}"
    if tame:
        return compare_values("", before, after, "", None, None).message
    if before.dtype.kind in "fV":
        nan = np.isnan(before)
        if (nan != np.isnan(after)).any():
            return f"NaN: {before.ravel()[:8]} became {after.ravel()[:8]}"
        bits = np.dtype(f"u{before.dtype.itemsize}")
        wrong = (before.view(bits) != after.view(bits)) & ~nan
    else:
        wrong = before != after
    if not wrong.any():
        return ""
    return f"{before[wrong].ravel()[:4]!r} became {after[wrong].ravel()[:4]!r}"
