"""Optimised models with free sizes compute the same for all of them, 0 included, on random models (random_sizes.py).

With ``exact=True`` and by default: these models move elements and compute sizes, so that results are equal bit for bit in
both classes. Where onnxruntime rejects a size in the model itself, the optimised one may do anything.
"""

import io
from contextlib import redirect_stderr
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
from needs import LONG  # noqa: E402
from random_sizes import SIZES, make  # noqa: E402

import ge.onnx as ge_onnx  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented

COUNT, MANY = 100, 20_000
# Fractions of the models of which onnxruntime must run the first sizes, and an empty batch.
LEAST_VALID, LEAST_EMPTY = 0.8, 0.3


def session(model: bytes) -> Any:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def results(running: Any, feed: dict[str, Any]) -> list[Any] | None:
    try:
        return list(running.run(None, feed))
    except Exception:
        return None


def outcome(seed: int, exact: bool) -> tuple[list[bool], str]:
    """Return with which sizes the model runs, and what the optimised one does otherwise."""
    case = make(seed)
    data = case.model.SerializeToString()
    try:
        running = session(data)
    except Exception:
        return [False] * len(SIZES), ""
    before = [results(running, feed) for feed in case.feeds]
    ran = [one is not None for one in before]
    if not any(ran):
        return ran, ""
    module = ge_onnx.load(data)
    ge_onnx.optimize(module, exact=exact)
    running = session(ge_onnx.to_bytes(module))
    for sizes, feed, old in zip(SIZES, case.feeds, before, strict=True):
        if old is None or (not exact and sum(size == 0 for size in sizes.values()) > 1):
            continue  # two empty sizes: only the class exact promises them
        try:
            new = running.run(None, feed)
        except Exception as error:
            return ran, f"{sizes}: it does not run any more: {error}"
        for name, a, b in zip((o.name for o in case.model.graph.output), old, new, strict=True):
            if a.dtype != b.dtype or a.shape != b.shape:
                return ran, f"{sizes}: {name}: {a.dtype}{a.shape} became {b.dtype}{b.shape}"
            if a.tobytes() != b.tobytes():
                return ran, f"{sizes}: {name}: {np.ravel(a)[:4]} became {np.ravel(b)[:4]}"
    return ran, ""


def campaign(first: int, count: int, exact: bool) -> None:
    with redirect_stderr(io.StringIO()):
        found = {seed: outcome(seed, exact) for seed in range(first, first + count)}
    wrong = {seed: why for seed, (_, why) in found.items() if why}
    assert not wrong
    valid = sum(ran[0] for ran, _ in found.values())
    empty = sum(ran[3] for ran, _ in found.values())
    assert valid >= LEAST_VALID * count
    assert empty >= LEAST_EMPTY * count


@pytest.mark.slow
@pytest.mark.parametrize("exact", [True, False], ids=["exact", "default"])
def test_results_are_the_same_for_all_sizes(exact: bool) -> None:
    campaign(0, COUNT, exact)


@pytest.mark.long
@pytest.mark.skipif(not LONG, reason="only in make test-long")
@pytest.mark.parametrize("part", range(8))
@pytest.mark.parametrize("exact", [True, False], ids=["exact", "default"])
def test_many_results_are_the_same_for_all_sizes(exact: bool, part: int) -> None:
    campaign(part * MANY // 8, MANY // 8, exact)
