"""A save that is killed, or finds no space, leaves the old file; nothing half-written takes its place.

Not tested: a crash of the machine. A killed process leaves its temporary file behind.
"""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import ge.ir as ir
import ge.onnx as ge_onnx

onnx = pytest.importorskip("onnx")

pytestmark = pytest.mark.nosan  # the children would need the sanitizer's run time

KILLS = 50
COUNT = 200
SIZE = 20_000


def model(number: float) -> ir.Module:
    """Return a model of many weights, all of them `number`, and none a splat."""
    module = ir.Module()
    graph = module.add_graph("g")
    type_ = ir.TensorType((SIZE,), ir.f32)
    values = [
        graph.add_node(
            "ge.Const",
            attributes={"value": np.full(SIZE, number, np.float32)},
            name=f"w{i}",
            result_types=[type_],
        )
        for i in range(COUNT)
    ]
    graph.outputs = [graph.add_node("onnx.Sum", values, name="sum", result_types=[type_])]
    return module


def content(path: Path) -> float:
    """Return the number that all weights of a file are."""
    proto = onnx.load(path)
    onnx.checker.check_model(proto)
    assert len(proto.graph.initializer) == COUNT
    found = {
        float(x) for w in proto.graph.initializer for x in np.unique(onnx.numpy_helper.to_array(w))
    }
    (number,) = found
    return number


# Saves model after model, each with the next number, until it is killed.
SAVER = """
import sys
sys.path.insert(0, sys.argv[2])
from test_onnx_crash import model
import ge.onnx
one, two = model(1.0), model(2.0)
ge.onnx.save(one, sys.argv[1])
print("ready", flush=True)
while True:
    ge.onnx.save(two, sys.argv[1])
    ge.onnx.save(one, sys.argv[1])
"""


def test_a_killed_save_leaves_an_old_or_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    generator = random.Random(7)
    seen = set()
    for _ in range(KILLS // 10):
        for _ in range(10):
            process = subprocess.Popen(
                [sys.executable, "-c", SAVER, path, Path(__file__).parent], stdout=subprocess.PIPE
            )
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(generator.uniform(0, 0.05))  # somewhere in a save
            process.send_signal(signal.SIGKILL)
            assert process.wait(60) == -signal.SIGKILL
            process.stdout.close()
            seen.add(content(path))
    assert seen <= {1.0, 2.0}
    # What is left besides are temporary files, at most one for each kill.
    left = [name for name in os.listdir(tmp_path) if name != "m.onnx"]
    assert all(name.startswith("m.onnx.") and name.endswith(".tmp") for name in left)
    assert len(left) <= KILLS


@pytest.fixture
def no_space():
    """Let files grow to a megabyte only; SIGXFSZ is ignored, as Python does, so that writing fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    signal.signal(signal.SIGXFSZ, old)


@pytest.mark.parametrize("external", [None, True])
def test_without_space_the_old_file_stays(
    tmp_path: Path, no_space: None, external: bool | None
) -> None:
    with pytest.raises(OSError, match="File too large"), open(tmp_path / "plain", "wb") as file:
        file.write(bytes(2 << 20))
        file.flush()
    os.unlink(tmp_path / "plain")
    path = tmp_path / "m.onnx"
    path.write_bytes(b"old")
    (tmp_path / "m.onnx.data").write_bytes(b"old data")
    with pytest.raises(OSError, match=r"cannot write '.*m\.onnx.*File too large"):
        ge_onnx.save(model(1.0), path, external_data=external)
    assert path.read_bytes() == b"old"
    assert (tmp_path / "m.onnx.data").read_bytes() == b"old data"
    assert sorted(os.listdir(tmp_path)) == ["m.onnx", "m.onnx.data"]


def test_without_space_a_copy_of_mapped_weights_fails_too(tmp_path: Path) -> None:
    source = tmp_path / "source.onnx"
    ge_onnx.save(model(3.0), source)
    module = ge_onnx.load(source)
    target = tmp_path / "m.onnx"
    target.write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            ge_onnx.save(module, target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert target.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["m.onnx", "source.onnx"]


def test_a_path_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for path in (tmp_path / "none" / "m.onnx", tmp_path / "file" / "m.onnx", tmp_path):
        with pytest.raises(OSError), open(path, "wb"):
            pass
        with pytest.raises(OSError, match="cannot write"):
            ge_onnx.save(model(1.0), path)
    assert os.listdir(tmp_path) == ["file"]
