"""Small models of many exporters, old operator sets and merged models come back equal, and compute the same optimised.

The files are in test/models/small, with the program that exports them.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ge.onnx as ge_onnx
import ge.ops as ops

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")

FILES = sorted((Path(__file__).resolve().parents[2] / "models" / "small").glob("*.onnx"))


def session(data: bytes) -> Any:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(data, options)


def feeds(of: Any, rows: int) -> dict[str, Any]:
    rng = np.random.default_rng(rows)
    kinds = {"tensor(float)": np.float32, "tensor(int64)": np.int64}
    found = {}
    for given in of.get_inputs():
        shape = [s if isinstance(s, int) else rows for s in given.shape]
        values = rng.integers(0, 2, shape) if given.type == "tensor(int64)" else rng.normal(size=shape)  # fmt: skip
        if len(shape) == 2 and shape[1] == 5:
            values[:, 4] = values[:, 4] > 0  # a category
        found[given.name] = np.asarray(values, kinds[given.type])
    return found


def same(a: Any, b: Any) -> bool:
    if isinstance(a, list):  # maps of probabilities
        return len(a) == len(b) and all(
            x.keys() == y.keys() and all(np.isclose(x[k], y[k], 1e-4, 1e-6) for k in x)
            for x, y in zip(a, b, strict=True)
        )
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return np.allclose(a, b, 1e-4, 1e-5, equal_nan=True) if a.dtype.kind == "f" else bool((a == b).all())  # fmt: skip


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def data(request: pytest.FixtureRequest) -> bytes:
    made: bytes = request.param.read_bytes()
    return made


def test_there_is_a_file_of_each_kind() -> None:
    assert {p.stem.partition("_")[0] for p in FILES} >= {
        "skl", "lightgbm", "spox", "merged", "opset7", "opset8", "opset9", "proto3",
    }  # fmt: skip
    assert sum(p.stat().st_size for p in FILES) < 200_000


def test_it_comes_back(data: bytes) -> None:
    expected = onnx.ModelProto.FromString(data).SerializeToString(deterministic=True)
    back = onnx.ModelProto.FromString(ge_onnx.to_bytes(ge_onnx.load(data)))
    assert back.SerializeToString(deterministic=True) == expected


def test_optimised_it_computes_the_same(data: bytes) -> None:
    before = session(data)
    module = ge_onnx.load(data)
    ge_onnx.optimize(module)
    after = session(ge_onnx.to_bytes(module))
    assert [o.name for o in after.get_outputs()] == [o.name for o in before.get_outputs()]
    for rows in (1, 3):
        given = feeds(before, rows)
        if any(i.shape and i.shape[0] not in (rows, None) and isinstance(i.shape[0], int) for i in before.get_inputs()):  # fmt: skip
            given = feeds(before, 1)
        for want, got in zip(before.run(None, given), after.run(None, given), strict=True):
            assert same(want, got)


def test_it_runs_as_in_onnxruntime(data: bytes) -> None:
    before = session(data)
    given = feeds(before, 2)
    for want, got in zip(before.run(None, given), ops.run(ge_onnx.load(data), given), strict=True):
        assert same(want, got)
