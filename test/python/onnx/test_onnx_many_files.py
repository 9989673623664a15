"""Many models: nothing outside of the output directory is written, no file of the user is replaced, nothing stale is skipped."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

import ge.onnx as ge_onnx  # noqa: E402

PRECIOUS = b"precious"
MANIFEST = "ge-optimize.jsonl"


class Here(Executor):
    """Runs tasks in this process, after something happened."""

    def __init__(self, before: Callable[[], object] = lambda: None) -> None:
        self.before = before

    def submit(self, function: Any, *arguments: Any, **options: Any) -> Any:
        self.before()
        future: Future[Any] = Future()
        future.set_result(function(*arguments, **options))
        return future


def model(path: Path, value: float = 1, beside: bool = False, count: int = 1000) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    numbers = np.arange(count, dtype=np.float32) + np.float32(value)
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        "g",
        [info("x", TensorProto.FLOAT, [count])],
        [info("y", TensorProto.FLOAT, [count])],
        [numpy_helper.from_array(numbers, "w")],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    if beside:
        place = f"{path.name}.weights"
        onnx.save(proto, path, save_as_external_data=True, location=place, size_threshold=0)
    else:
        path.write_bytes(proto.SerializeToString())
    return path


def weight(path: Path) -> float:
    (tensor,) = onnx.load(path).graph.initializer
    return float(numpy_helper.to_array(tensor)[0])


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., str]:
    """Return a function that optimises ``in/`` to ``out/`` and says what became of the first model."""

    def work(before: Callable[[], object] = lambda: None, **options: Any) -> str:
        sources = sorted((tmp_path / "in").rglob("*.onnx"))
        results = ge_onnx.optimize_many(
            sources, output_dir=tmp_path / "out", executor=Here(before), **options
        )
        return results[0].status

    return work


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_link_that_appears_at_a_result(tmp_path: Path, run: Any, overwrite: bool) -> None:
    model(tmp_path / "in" / "a.onnx")
    victim = tmp_path / "victim"
    victim.write_bytes(PRECIOUS)
    plant = lambda: (tmp_path / "out" / "a.onnx").symlink_to(victim)  # noqa: E731
    assert run(plant, overwrite=overwrite) == "failed"
    assert victim.read_bytes() == PRECIOUS


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("where", ["sub", "sub/deep", "."])
def test_a_link_that_appears_at_a_directory(
    tmp_path: Path, run: Any, where: str, overwrite: bool
) -> None:
    model(tmp_path / "in" / "sub" / "deep" / "a.onnx")
    model(tmp_path / "in" / "b.onnx")
    elsewhere = tmp_path / "elsewhere"
    for directory in (elsewhere, elsewhere / "deep", elsewhere / "sub" / "deep"):
        directory.mkdir(exist_ok=True, parents=True)
        (directory / "a.onnx").write_bytes(PRECIOUS)

    def plant() -> None:
        place = tmp_path / "out" / where
        if place.is_symlink():
            return
        if place.exists():
            place.rename(tmp_path / "old")
        place.parent.mkdir(exist_ok=True, parents=True)
        place.symlink_to(elsewhere)

    run(plant, overwrite=overwrite)
    assert {file.read_bytes() for file in elsewhere.rglob("a.onnx")} == {PRECIOUS}
    assert len(list(elsewhere.rglob("*"))) == 6


def test_a_file_that_appears_at_a_result(tmp_path: Path, run: Any) -> None:
    model(tmp_path / "in" / "a.onnx")
    result = tmp_path / "out" / "a.onnx"
    assert run(lambda: result.write_bytes(PRECIOUS)) == "failed"
    assert result.read_bytes() == PRECIOUS


@pytest.mark.parametrize("times", ["new", "old"])
def test_weights_of_the_source_that_changed(tmp_path: Path, run: Any, times: str) -> None:
    """Also if size and time of modification are the old ones."""
    source = model(tmp_path / "in" / "a.onnx", 1, beside=True)
    assert [run(), run()] == ["done", "skipped"]
    weights = source.with_name("a.onnx.weights")
    before = weights.stat()
    (np.fromfile(weights, np.float32) + 40).tofile(weights)
    if times == "old":
        os.utime(weights, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert run() == "done"
    assert weight(tmp_path / "out" / "a.onnx") == 41
    assert run() == "skipped"


def test_a_source_that_changes_while_it_is_optimised(
    tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its result is of the model before, and not skipped later."""
    from ge.optimize import _many

    source, optimize = model(tmp_path / "in" / "a.onnx", 1), _many.optimize

    def slow(module: Any, **options: Any) -> Any:
        report = optimize(module, **options)
        replacement = model(tmp_path / "new.onnx", 5)
        replacement.rename(source)
        return report

    monkeypatch.setattr(_many, "optimize", slow)
    assert run() == "done" and weight(tmp_path / "out" / "a.onnx") == 1
    monkeypatch.undo()
    assert run() == "done" and weight(tmp_path / "out" / "a.onnx") == 5
    assert run() == "skipped"


@pytest.mark.parametrize("how", ["gone", "replaced", "touched"])
def test_data_of_a_result_that_changed(tmp_path: Path, run: Any, how: str) -> None:
    model(tmp_path / "in" / "a.onnx", 1, beside=True)
    assert run() == "done"
    result, data = tmp_path / "out" / "a.onnx", tmp_path / "out" / "a.onnx.data"
    if how == "gone":
        data.unlink()
    elif how == "replaced":
        data.write_bytes(PRECIOUS)
    else:
        os.utime(data)
    status = run()
    if how == "replaced":
        assert status == "failed" and data.read_bytes() == PRECIOUS
        assert run(overwrite=True) == "done"
    else:
        assert status == "done"
    assert weight(result) == 1 and run() == "skipped"


@pytest.mark.parametrize("content", [PRECIOUS, b""])
def test_a_file_of_the_user_at_a_result(tmp_path: Path, run: Any, content: bytes) -> None:
    """At the place of one that was planned, and of one that was written."""
    model(tmp_path / "in" / "a.onnx")
    out, result = tmp_path / "out", tmp_path / "out" / "a.onnx"
    out.mkdir()
    (out / MANIFEST).write_text(json.dumps({"planned": "a.onnx"}) + "\n")
    result.write_bytes(content)
    assert run() == "failed" and result.read_bytes() == content
    result.unlink()
    assert run() == "done"
    result.write_bytes(content)
    assert run() == "failed" and result.read_bytes() == content
    assert run(overwrite=True) == "done" and weight(result) == 1


def test_a_result_of_a_killed_run_is_taken_over(tmp_path: Path, run: Any) -> None:
    """The run had written it, and was killed before the manifest had its line."""
    model(tmp_path / "in" / "a.onnx", 1, beside=True)
    model(tmp_path / "in" / "b.onnx", 2)
    assert run() == "done"
    out, manifest = tmp_path / "out", tmp_path / "out" / MANIFEST
    for _ in range(3):  # weights get another name each time
        lines = manifest.read_text().splitlines(keepends=True)
        manifest.write_text("".join(s for s in lines if '"planned"' in s) + '{"options": "')
        assert run() == "done"
        names = [MANIFEST, "a.onnx", "b.onnx", *(file.name for file in out.glob("a.onnx.data*"))]
        assert sorted(os.listdir(out)) == sorted(names) and len(names) == 4
        assert weight(out / "a.onnx") == 1
    assert run() == "skipped"


def test_lines_of_a_manifest_do_not_prove_anything_wrong(tmp_path: Path, run: Any) -> None:
    model(tmp_path / "in" / "a.onnx")
    out, result = tmp_path / "out", tmp_path / "out" / "a.onnx"
    assert run() == "done"
    line = json.loads((out / MANIFEST).read_text().splitlines()[-1])
    result.write_bytes(PRECIOUS)
    for files in ({}, {"a.onnx": ""}, {"a.onnx": 7}, [], {"../a.onnx": "x"}, {"a.onnx": "1-2-3"}):
        (out / MANIFEST).write_text(json.dumps({**line, "files": files}) + "\n")
        try:
            assert run() == "failed"
        except FileExistsError:
            pass
        assert result.read_bytes() == PRECIOUS


def members(group: int) -> list[int]:
    """Return the processes of a group that are alive."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(int(name))
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")
def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    for i in range(2):
        model(tmp_path / "in" / f"{i}.onnx")
    script = tmp_path / "many.py"
    script.write_text(
        "import glob, ge.onnx\n"
        "from ge.passes import register_pass\n"
        "@register_pass('sleeps')\n"
        "def sleeps(graph, context):\n"
        "    import time\n"
        "    open(f'started{__import__(\"os\").getpid()}', 'w').close()\n"
        "    time.sleep(600)\n"
        "if __name__ == '__main__':\n"
        "    ge.onnx.optimize_many(sorted(glob.glob('in/*.onnx')), output_dir='out', jobs=2, passes='sleeps')\n"
    )
    process = subprocess.Popen([sys.executable, script], cwd=tmp_path, start_new_session=True)
    try:
        end = time.monotonic() + 120
        while len(list(tmp_path.glob("started*"))) < 2 and time.monotonic() < end:
            assert process.poll() is None
            time.sleep(0.05)
        assert len(members(process.pid)) >= 3
        process.kill()
        process.wait()
        end = time.monotonic() + 20
        while members(process.pid) and time.monotonic() < end:
            time.sleep(0.05)
        assert members(process.pid) == []
    finally:
        for pid in members(process.pid):
            os.kill(pid, signal.SIGKILL)
