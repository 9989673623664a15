"""Rewrites keep the promise of their exactness class, on random models (random_models.py) under onnxruntime.

With ``--exact`` results are bit for bit those of the model before, in onnxruntime with its optimisations off; NaN counts as
NaN. With the default pipeline they are within the default tolerance of ``ge check``, on numbers of moderate size.
"""

import io
from contextlib import redirect_stderr
from typing import Any

import ml_dtypes
import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
from random_models import Case, make  # noqa: E402

import ge.onnx as ge_onnx  # noqa: E402
from ge.run._outputs import compare_values  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented

SHORT, LONG = 150, 10_000
# onnxruntime must run at least this fraction of the random models; the others test nothing.
LEAST_VALID = 0.8


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


def outcome(seed: int, tame: bool) -> tuple[str, str]:
    """Return the outcome for one model, ``invalid``, ``same`` or ``differs``, and the reason."""
    case: Case = make(seed, tame)
    data = case.model.SerializeToString()
    names = [output.name for output in case.model.graph.output]
    try:
        running = session(data)
        before = [values(running, names, feed) for feed in case.feeds]
    except Exception as error:
        return "invalid", str(error)
    module = ge_onnx.load(data)
    ge_onnx.optimize(module, exact=not tame)
    try:
        running = session(ge_onnx.to_bytes(module))
        after = [values(running, names, feed) for feed in case.feeds]
    except Exception as error:
        return "differs", f"it does not run any more: {error}"
    for old, new in zip(before, after, strict=True):
        for name, a, b in zip(names, old, new, strict=True):
            if message := difference(a, b, tame):
                return "differs", f"{name}: {message}"
    return "same", ""


def campaign(first: int, count: int, tame: bool) -> None:
    with redirect_stderr(io.StringIO()):
        found = {seed: outcome(seed, tame) for seed in range(first, first + count)}
    wrong = {seed: why for seed, (what, why) in found.items() if what == "differs"}
    assert not wrong
    valid = sum(what == "same" for what, _ in found.values())
    assert valid >= LEAST_VALID * count


@pytest.mark.parametrize("tame", [False, True], ids=["exact", "default"])
def test_random_models_keep_their_results(tame: bool) -> None:
    campaign(0, SHORT, tame)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("tame", [False, True], ids=["exact", "default"])
def test_many_random_models_keep_their_results(tame: bool, part: int) -> None:
    campaign(part * LONG // 4, LONG // 4, tame)
