"""Weights are read when their numbers are needed: sizes and ends tell them apart, and one part of a file is itself.

Guarantee under test: optimising, counting and comparing models with large weights beside them reads some KiB of each
weight, if nothing in it needs the numbers; and weights that differ in the middle only are never taken for equal.
"""

import hashlib
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

import ge.ir as ir  # noqa: E402
import ge.onnx as ge_onnx  # noqa: E402
from ge.optimize._optimize import census  # noqa: E402
from ge.passes import PassManager  # noqa: E402
from ge.view import compare  # noqa: E402

SIZE = 64 << 20  # bytes of a weight, holes of a sparse file


def decoder(path: Path, count: int, marks: bool = True) -> Path:
    """Write a chain of products with weights that are zero but for their first bytes."""
    side = int((SIZE // 4) ** 0.5)
    nodes, weights, x = [], [], "x"
    with path.with_suffix(".data").open("wb") as data:
        for i in range(count):
            offset = i * SIZE
            weight = onnx.TensorProto(name=f"w{i}", data_type=1, dims=[side, side], data_location=1)
            for key, text in (
                ("location", path.with_suffix(".data").name),
                ("offset", str(offset)),
                ("length", str(SIZE)),
            ):
                entry = weight.external_data.add()
                entry.key, entry.value = key, text
            data.seek(offset)
            data.write(hashlib.sha256(b"%d" % (i if marks else 0)).digest())
            weights.append(weight)
            nodes.append(onnx.helper.make_node("MatMul", [x, f"w{i}"], [f"y{i}"]))
            x = f"y{i}"
        data.truncate(count * SIZE)
    info = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes, "g", [info("x", 1, ["N", side])], [info(x, 1, ["N", side])], weights
    )
    path.write_bytes(onnx.helper.make_model(graph, ir_version=8).SerializeToString())
    return path


def read_bytes() -> int:
    """Return how many bytes this process has read."""
    for line in Path("/proc/self/io").read_text().splitlines():
        if line.startswith("rchar"):
            return int(line.split()[1])
    raise AssertionError


needs_proc = pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="needs Linux's /proc")


@needs_proc
def test_optimising_reads_ends(tmp_path: Path) -> None:
    path = decoder(tmp_path / "m.onnx", 6)
    before = read_bytes()
    module = ge_onnx.load(path)
    report = ge_onnx.optimize(module, skip=["merge-matmuls"])
    ge_onnx.save(module, tmp_path / "o.onnx")
    assert report.after.weights == 6 * SIZE
    assert read_bytes() - before < 4 << 20


@needs_proc
def test_comparing_models_of_one_file_reads_ends(tmp_path: Path) -> None:
    path = decoder(tmp_path / "m.onnx", 6)
    ge_onnx.save(ge_onnx.load(path), tmp_path / "o.onnx")
    first, second = ge_onnx.load(path), ge_onnx.load(tmp_path / "o.onnx")
    before = read_bytes()
    groups = compare(first.graphs["g"], second.graphs["g"]).groups
    assert {group.kind for group in groups} == {"same"}
    assert read_bytes() - before < 4 << 20


@needs_proc
def test_counting_reads_nothing_of_equal_weights(tmp_path: Path) -> None:
    module = ge_onnx.load(decoder(tmp_path / "m.onnx", 3, marks=False))
    before = read_bytes()
    assert census(module).weights == 3 * SIZE
    assert read_bytes() - before < 1 << 16


def constants(*arrays: np.ndarray) -> ir.Graph:
    """Return a graph that adds constants up."""
    graph = ir.Graph("g")
    type_ = ir.TensorType(arrays[0].shape, ir.f32)
    value = graph.add_input("x", type_)
    for array in arrays:
        constant = graph.add_node(
            "ge.Const", attributes={"value": ir.Tensor(array)}, result_types=[type_]
        )
        value = graph.add_node(
            "onnx.Add", [value, constant.result], attributes={}, result_types=[type_]
        ).result
    graph.outputs = [value]
    return graph


def shared(*arrays: np.ndarray) -> list[int]:
    """Return, for each constant, the first one that it shares its node with."""
    graph = constants(*arrays)
    PassManager.parse("share-weights").run(graph)
    graph.verify()
    used = [node.operands[1].node for node in graph.nodes if node.op == "onnx.Add"]
    return [used.index(node) for node in used]


def middle(number: float, size: int = 20_000) -> np.ndarray:
    """Return ones with another number in the middle: ends of 4 KiB are the same."""
    array = np.ones(size, np.float32)
    array[size // 2] = number
    return array


def test_weights_with_the_same_ends() -> None:
    assert shared(middle(2), middle(3)) == [0, 1]
    assert shared(middle(2), middle(2)) == [0, 0]
    assert shared(*map(middle, (2, 3, 4, 3, 2, 5, 4, 2))) == [0, 1, 2, 1, 0, 5, 2, 0]
    assert shared(middle(1), np.full(20_000, 1, np.float32), middle(2)) == [0, 0, 2]


@pytest.mark.parametrize("size", [1, 2, 1023, 1024, 1025, 2047, 2048, 2049, 5000])
def test_equal_tensors_have_one_hash(size: int) -> None:
    """Dense, splat, packed and mapped ones; around the length of the ends."""
    array = np.arange(size, dtype=np.float32)
    assert hash(ir.Tensor(array)) == hash(ir.Tensor(array.copy()))
    ones = np.ones(size, np.float32)
    splat = ir.Tensor.splat(1.0, ir.TensorType((size,), ir.f32))
    assert splat == ir.Tensor(ones) and hash(splat) == hash(ir.Tensor(ones))
    for at in (0, size // 2, size - 1):
        other = array.copy()
        other[at] += 1
        assert ir.Tensor(other) != ir.Tensor(array)
