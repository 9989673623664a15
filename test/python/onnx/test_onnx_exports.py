"""Small models of many exporters, old operator sets and merged models come back equal, and compute the same optimised.

The files are in test/models/small, with the program that exports them.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ge.onnx as ge_onnx
import ge.ops as ops
from ge.ir import Module

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")
ort_errors = ort.capi.onnxruntime_pybind11_state.Fail, ort.capi.onnxruntime_pybind11_state.InvalidArgument, ort.capi.onnxruntime_pybind11_state.RuntimeException  # fmt: skip

FILES = sorted((Path(__file__).resolve().parents[2] / "models" / "small").glob("*.onnx"))


# What the reader of a model may not know: the rates that a model takes, and the one length that a model was exported for.
VALUES = {("branches", "sr"): (8000, 16000)}
SIZES = {("dynamo_words", "s4"): (3,)}
ROWS = (0, 1, 3)

# onnxruntime ends the process with an LSTM of no rows.
NO_EMPTY_BATCH = {"tf_recurrent", "keras_words", "script_words", "dynamo_words", "paddle_recurrent", "dynamic", "f16_blocked", "int4", "int4_qdq", "branches"}  # fmt: skip

KINDS = {
    "tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(double)": np.float64,
    "tensor(int64)": np.int64, "tensor(int32)": np.int32,
}  # fmt: skip


def session(data: bytes) -> Any:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(data, options)


def feeds(of: Any, name: str, rows: int) -> dict[str, Any]:
    """Return inputs with that many rows; the other free sizes are 5, 6, and so on."""
    rng = np.random.default_rng(rows)
    inputs = of.get_inputs()
    free = {inputs[0].shape[0]: rows} if inputs[0].shape else {}
    found = {}
    for given in inputs:
        shape = []
        for i, size in enumerate(given.shape):
            if isinstance(size, int):
                shape.append(size)
            elif size is None or size.startswith("unk__"):  # which is no name
                shape.append(rows if i == 0 else 5)
            else:
                choice = SIZES.get((name, size), (5 + len(free),))
                shape.append(free.setdefault(size, choice[rows % len(choice)]))
        if given.type == "tensor(string)":
            found[given.name] = rng.choice(
                np.array(["a cat sat", "dog", "and a dog"], object), shape
            )
            continue
        kind = KINDS[given.type]
        values = rng.normal(size=shape) if np.dtype(kind).kind == "f" else rng.integers(0, 2, shape)
        if len(shape) == 2 and shape[1] == 5:
            values[:, 4] = values[:, 4] > 0  # a category
        if choice := VALUES.get((name, given.name)):
            values = np.full(shape, choice[rows % len(choice)])
        found[given.name] = np.asarray(values, kind)
    return found


def runs(of: Any, name: str) -> list[tuple[dict[str, Any], list[Any]]]:
    """Return inputs of several sizes that the model takes, with what it computes."""
    found = []
    for rows in ROWS:
        if rows == 0 and name in NO_EMPTY_BATCH:
            continue
        given = feeds(of, name, rows)
        try:
            found.append((given, of.run(None, given)))
        except ort_errors:
            assert rows == 0 or name in SIZES
    assert found
    return found


def same(a: Any, b: Any, exact: bool = False) -> bool:
    if isinstance(a, dict):  # a map of probabilities
        return a.keys() == b.keys() and all(same(a[k], b[k], exact) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(same(x, y, exact) for x, y in zip(a, b, strict=True))
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind != "f" or exact:
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    rtol, atol = (1e-2, 1e-2) if a.dtype == np.float16 else (1e-4, 1e-5)
    return np.allclose(a, b, rtol, atol, equal_nan=True)


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    made: Path = request.param
    return made


def test_there_is_a_file_of_each_kind() -> None:
    assert {p.stem.partition("_")[0] for p in FILES} >= {
        "branches", "catboost", "dynamic", "dynamo", "f16", "hummingbird", "int4", "jax", "keras", "lightgbm", "merged",
        "opset7", "opset8", "opset9", "optimised", "paddle", "proto3", "qdq", "qoperators", "script", "skl", "spox", "tf",
        "transformers", "upgraded", "xgboost",
    }  # fmt: skip
    assert sum(p.stat().st_size for p in FILES) < 200_000


def test_it_comes_back(path: Path) -> None:
    data = path.read_bytes()
    expected = onnx.ModelProto.FromString(data).SerializeToString(deterministic=True)
    module = ge_onnx.load(data)
    for came in (module, Module.parse(module.to_text())):
        back = onnx.ModelProto.FromString(ge_onnx.to_bytes(came))
        assert back.SerializeToString(deterministic=True) == expected


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "all"])
def test_optimised_it_computes_the_same(path: Path, exact: bool) -> None:
    data = path.read_bytes()
    before = session(data)
    module = ge_onnx.load(data)
    ge_onnx.optimize(module, exact=exact)
    optimised = ge_onnx.to_bytes(module)
    after = session(optimised)
    assert [(o.name, o.type) for o in after.get_outputs()] == [
        (o.name, o.type) for o in before.get_outputs()
    ]
    for given, wanted in runs(before, path.stem):
        for want, got in zip(wanted, after.run(None, given), strict=True):
            assert same(want, got, exact)

    again = ge_onnx.load(optimised)
    ge_onnx.optimize(again, exact=exact)
    assert ge_onnx.to_bytes(again) == optimised


def test_types_are_those_that_the_runtime_computes(path: Path) -> None:
    module = ge_onnx.load(path)
    ge_onnx.optimize(module, "infer-types")
    model = onnx.ModelProto.FromString(ge_onnx.to_bytes(module))
    types = {v.name: v.type.tensor_type for v in model.graph.value_info}
    if path.stem == "jax_loops":  # onnxruntime does not take all of its values as outputs
        return
    outputs = {o.name for o in model.graph.output}
    made = [o for n in model.graph.node for o in n.output if o in types and o not in outputs]
    model = onnx.ModelProto.FromString(path.read_bytes())
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in made)
    every = session(model.SerializeToString())
    names = [o.name for o in every.get_outputs()]
    for _, values in runs(every, path.stem):
        sizes: dict[str, int] = {}
        for name, value in zip(names, values, strict=True):
            if name not in types or not isinstance(value, np.ndarray):
                continue
            kind = onnx.helper.tensor_dtype_to_np_dtype(types[name].elem_type)
            assert value.dtype == kind
            if not types[name].HasField("shape"):
                continue
            assert len(types[name].shape.dim) == value.ndim
            for dim, size in zip(types[name].shape.dim, value.shape, strict=True):
                if dim.HasField("dim_value"):
                    assert dim.dim_value == size
                elif dim.dim_param and not dim.dim_param.startswith("unk__"):
                    assert sizes.setdefault(dim.dim_param, size) == size


def test_it_runs_as_in_onnxruntime(path: Path) -> None:
    data = path.read_bytes()
    given, wanted = runs(session(data), path.stem)[-1]
    # Quantised sums differ with the number of threads of onnxruntime.
    tolerant = path.stem == "dynamic"
    for want, got in zip(wanted, ops.run(ge_onnx.load(data), given), strict=True):
        assert np.allclose(want, got, 0, 0.05) if tolerant else same(want, got)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("branches", marks=pytest.mark.long),
        "catboost_numbers",
        "dynamo_words",
        "tf_resize",
        "tf_shapes",
    ],
)
def test_check_finds_sizes_with_which_it_runs(name: str) -> None:
    [path] = [p for p in FILES if p.stem == name]
    module = ge_onnx.load(path)
    ge_onnx.optimize(module)
    found = ge_onnx.check(path, module, runs=1)
    assert found.outcome == "equal"
