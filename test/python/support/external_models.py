"""Models with external data, and the files in their directory."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_run import ge

import ge.onnx as ge_onnx

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

A = np.arange(1024, dtype=np.float32)
B = np.arange(2048, dtype=np.float32) * 3
PRECIOUS = b"precious"


def model_at(path: Path, *parts: tuple[str, Any]) -> None:
    """Write a model with weights w0, w1, ... of the given (location, array), and a data file for each array."""
    tensors = []
    for number, (location, array) in enumerate(parts):
        tensor = numpy_helper.from_array(array, f"w{number}")
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=location)
        tensors.append(tensor)
        place = path.parent / location
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(array.tobytes())
    nodes = [
        helper.make_node("Neg", [t.name], [f"y{i}"], name=f"n{i}") for i, t in enumerate(tensors)
    ]
    outputs = [
        helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, a.shape)
        for i, (_, a) in enumerate(parts)
    ]
    graph = helper.make_graph(nodes, "g", [], outputs, tensors)
    path.write_bytes(helper.make_model(graph).SerializeToString())


def weights(path: Path) -> list[Any]:
    """Return the weights of a file as read by the package onnx."""
    return [numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer]


def equal(path: Path, *arrays: Any) -> bool:
    """Return whether both GE and onnx read these weights."""
    ours = [
        n.attributes["value"].numpy()
        for n in ge_onnx.load(path).graphs[0].nodes
        if n.op == "ge.Const"
    ]
    return all(
        len(found) == len(arrays) and all(map(np.array_equal, found, arrays))
        for found in (ours, weights(path))
    )


def locations(path: Path) -> set[str]:
    """Return the data files that a model references."""
    return {
        e.value
        for t in onnx.load(path, load_external_data=False).graph.initializer
        for e in t.external_data
        if e.key == "location"
    }


def save(source: Path, target: Path) -> None:
    ge_onnx.save(ge_onnx.load(source), target)


def optimize(source: Path, target: Path) -> None:
    done = ge("optimize", source, "-o", target, "--passes", "sort")
    assert done.status == 0, done.err


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """Create the directories of the input and of the output."""
    for name in ("dl", "home"):
        (tmp_path / name).mkdir()
    return tmp_path / "dl", tmp_path / "home"


def written(path: Path) -> tuple[int, ...]:
    """Return what changes when a file is written or replaced; reading changes the access time only."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
