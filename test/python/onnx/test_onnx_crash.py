"""A save that is killed or runs out of space leaves the complete old model or the complete new one; the next save
removes leftover files.

Not tested: a crash of the machine.
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
from needs import CC
from places import SUPPORT

import ge.ir as ir
import ge.onnx as ge_onnx

onnx = pytest.importorskip("onnx")

pytestmark = pytest.mark.nosan  # the children would need the sanitizer's run time

KILLS = 50
COUNT = 200
SIZE = 20_000


# Where a child finds this file and its helpers.
HERE = f"{Path(__file__).parent}:{SUPPORT}"


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
    """Return the number that is the value of all weights of a file."""
    proto = onnx.load(path)
    onnx.checker.check_model(proto)
    assert len(proto.graph.initializer) == COUNT
    found = {
        float(x) for w in proto.graph.initializer for x in np.unique(onnx.numpy_helper.to_array(w))
    }
    (number,) = found
    return number


# Saves the models of 1.0 and 2.0 in turn until it is killed.
SAVER = """
import sys
sys.path[:0] = sys.argv[2].split(":")
from test_onnx_crash import model
import ge.onnx
one, two = model(1.0), model(2.0)
ge.onnx.save(one, sys.argv[1])
print("ready", flush=True)
while True:
    ge.onnx.save(two, sys.argv[1])
    ge.onnx.save(one, sys.argv[1])
"""


@pytest.mark.slow
def test_a_killed_save_leaves_an_old_or_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    generator = random.Random(7)
    seen = set()
    for _ in range(KILLS // 10):
        for _ in range(10):
            process = subprocess.Popen(
                [sys.executable, "-c", SAVER, path, HERE], stdout=subprocess.PIPE
            )
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(generator.uniform(0, 0.05))  # somewhere in a save
            process.send_signal(signal.SIGKILL)
            assert process.wait(60) == -signal.SIGKILL
            process.stdout.close()
            seen.add(content(path))
    assert seen <= {1.0, 2.0}
    # The only leftover is a temporary file of the last killed save.
    assert set(os.listdir(tmp_path)) <= {"m.onnx", "m.onnx.ge-0.tmp"}
    ge_onnx.save(model(1.0), path)
    assert os.listdir(tmp_path) == ["m.onnx"]


# Kills a save before each of its steps, each time in a new child, and checks the files that are left.
STEPS = """
import ctypes, os, shutil, signal, sys
from pathlib import Path
sys.path[:0] = sys.argv[4].split(":")
from test_onnx_crash import small, weights
import ge.onnx

kill_at = ctypes.CDLL(sys.argv[1]).kill_at
home, kind = Path(sys.argv[2]), sys.argv[3]
before = {"inline": False, "external": True, "named": "d", "shared": True}[kind.split("-")[0]]
after = {"inline": False, "external": True, "named": "d"}[kind.split("-")[1]]
old, new = small(1.0), small(2.0)
seen = set()
for step in range(1, 1000):
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    path = home / "m.onnx"
    ge.onnx.save(old, path, external_data=before)
    if kind.startswith("shared"):
        shutil.copy(path, home / "copy.onnx")
    child = os.fork()
    if child == 0:
        kill_at(step)
        ge.onnx.save(new, path, external_data=after, overwrite=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    found = weights(path)
    assert found in ({1.0}, {2.0}), (step, found)
    seen |= found
    ge.onnx.save(old, path, external_data=before, overwrite=True)
    assert weights(path) == {1.0}, step
    left = set(os.listdir(home)) - {"m.onnx", "copy.onnx"}
    if kind.startswith("shared"):
        assert weights(home / "copy.onnx") == {1.0}, step
        assert len(left) == 2 and "m.onnx.data" in left, (step, left)
    elif before == "d":
        assert left == {"d"}, (step, left)
    else:
        assert len(left) == (before is True), (step, left)
        assert all(name in ("m.onnx.data", "m.onnx.data.1") for name in left), (step, left)
    if os.WIFEXITED(status):
        assert os.WEXITSTATUS(status) == 0
        break
    assert os.WTERMSIG(status) == signal.SIGKILL
assert seen == {1.0, 2.0} and step > 5, (seen, step)
print(step)
"""


def small(number: float) -> ir.Module:
    """Return a model of three weights, all of them `number`."""
    module = ir.Module()
    graph = module.add_graph("g")
    type_ = ir.TensorType((600,), ir.f32)
    values = [
        graph.add_node(
            "ge.Const",
            attributes={"value": np.full(600, number, np.float32)},
            name=f"w{i}",
            result_types=[type_],
        )
        for i in range(3)
    ]
    graph.outputs = [graph.add_node("onnx.Sum", values, name="sum", result_types=[type_])]
    return module


def weights(path: Path) -> set[float]:
    """Return the numbers among the weights of a file."""
    tensors = onnx.load(path).graph.initializer
    return {float(x) for w in tensors for x in np.unique(onnx.numpy_helper.to_array(w))}


@pytest.mark.slow
@CC
@pytest.mark.parametrize(
    "kind",
    [
        "inline-inline",
        "inline-external",
        "external-external",
        "external-inline",
        "shared-external",
        "named-named",
    ],
)
def test_a_kill_before_any_step_of_a_save(tmp_path: Path, kind: str) -> None:
    """Data of a given name (`d`) is replaced with overwrite=True; `shared` data belongs to a second model, too."""
    shim = tmp_path / "kill_steps.so"
    source = SUPPORT / "kill_steps.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, source, "-ldl"], check=True)
    done = subprocess.run(
        [sys.executable, "-c", STEPS, shim, tmp_path / "home", kind, HERE],
        env={**os.environ, "LD_PRELOAD": str(shim)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def no_space():
    """Limit files to 1 MiB; SIGXFSZ is ignored, as Python does, so that a write fails with an error."""
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
    with pytest.raises(OSError, match=r"File too large: '.*m\.onnx"):
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
        with pytest.raises((FileNotFoundError, NotADirectoryError, IsADirectoryError)):
            ge_onnx.save(model(1.0), path)
    assert os.listdir(tmp_path) == ["file"]
