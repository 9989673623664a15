"""Many models: failures are returned as results, finished models are skipped, any executor can be used."""

import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_models import wasteful
from cli_run import affine, dying_work, ge

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import ge.onnx as ge_onnx  # noqa: E402
from ge.optimize import _many  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's own libraries are not built for it


def models(directory: Path, count: int) -> list[Path]:
    directory.mkdir(exist_ok=True)
    return [wasteful(directory / f"m{i}.onnx") for i in range(count)]


@pytest.mark.slow
def test_processes_optimise_each_and_report_failures(tmp_path: Path) -> None:
    paths = models(tmp_path / "in", 3)
    paths[1].write_bytes(b"no model")
    paths.append(tmp_path / "in" / "none.onnx")
    seen = []
    results = ge_onnx.optimize_many(
        paths, output_dir=tmp_path / "out", jobs=2, check=1, on_result=seen.append
    )
    assert [r.status for r in results] == ["done", "failed", "done", "failed"]
    assert "byte" in results[1].error
    assert results[3].error == "No such file or directory"
    assert results[0].nodes == (5, 1)
    assert sorted(seen) == sorted(results)
    assert sorted(os.listdir(tmp_path / "out")) == [_many.MANIFEST, "m0.onnx", "m2.onnx"]
    assert len(onnx.load(results[0].output).graph.node) == 1


def test_a_second_run_leaves_alone_what_was_done(tmp_path: Path) -> None:
    paths = models(tmp_path / "in", 3)
    out = tmp_path / "out"

    def run(**options: object) -> list[str]:
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            results = ge_onnx.optimize_many(paths, output_dir=out, executor=pool, **options)
        return [r.status for r in results]

    assert run() == ["done"] * 3
    assert run() == ["skipped"] * 3
    os.unlink(out / "m0.onnx")
    affine(paths[1])
    assert run() == ["done", "done", "skipped"]
    assert run(passes="dce") == ["done"] * 3
    with (out / "m2.onnx").open("ab") as half:  # truncated, as by a full disk
        half.truncate(20)
    assert run(passes="dce") == ["skipped", "skipped", "done"]
    assert run(passes="dce", resume=False) == ["done"] * 3
    # A run that was killed while it wrote the manifest.
    with (out / _many.MANIFEST).open("a") as file:
        file.write('{"stamp": "12')
    assert run(passes="dce") == ["skipped"] * 3


def test_the_manifest_is_lines_of_json(tmp_path: Path) -> None:
    (path,) = models(tmp_path / "in", 1)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        ge_onnx.optimize_many([path], output_dir=tmp_path / "out", executor=pool)
    planned, done = (tmp_path / "out" / _many.MANIFEST).read_text().splitlines()
    assert json.loads(planned) == {"planned": "m0.onnx"}
    assert json.loads(done)["path"] == str(path)


def test_directories_are_kept_and_nothing_is_overwritten(tmp_path: Path) -> None:
    a, b = affine(tmp_path / "a.onnx"), tmp_path / "sub" / "a.onnx"
    b.parent.mkdir()
    shutil.copy(a, b)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        results = ge_onnx.optimize_many([a, b], output_dir=tmp_path / "out", executor=pool)
        outputs = [os.path.relpath(r.output, tmp_path) for r in results]
        assert outputs == ["out/a.onnx", "out/sub/a.onnx"]
        with pytest.raises(ValueError, match="would replace the model"):
            ge_onnx.optimize_many([a, b], output_dir=tmp_path, executor=pool)
        with pytest.raises(ValueError, match="given twice"):
            ge_onnx.optimize_many([a, a], output_dir=tmp_path / "out", executor=pool)
        with pytest.raises(ValueError, match="the executor has its own"):
            ge_onnx.optimize_many([a], output_dir=tmp_path / "out", executor=pool, jobs=2)
        assert ge_onnx.optimize_many([], output_dir=tmp_path / "out", executor=pool) == []


@pytest.mark.slow
def test_a_model_that_kills_its_process_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = models(tmp_path / "in", 4)
    monkeypatch.setattr(_many, "work", dying_work)
    results = ge_onnx.optimize_many(paths, output_dir=tmp_path / "out", jobs=2)
    assert [r.status for r in results] == ["done", "failed", "done", "done"]
    assert results[1].error == "the process that worked on it died"


def test_a_script_without_a_main_guard_gets_an_error_that_names_it(tmp_path: Path) -> None:
    (path,) = models(tmp_path / "in", 1)
    script = tmp_path / "script.py"
    script.write_text(
        "import ge.onnx\n"
        f"result, = ge.onnx.optimize_many([{str(path)!r}], output_dir={str(tmp_path / 'out')!r})\n"
        "print(result.status, *result.notes)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert (
        "failed optimize_many starts processes, which import the script: call it under"
        in done.stdout
    )
    assert 'under if __name__ == "__main__":' in done.stderr


def test_an_executor_that_breaks_is_no_exception(tmp_path: Path) -> None:
    class Broken(concurrent.futures.Executor):
        def submit(self, *arguments: object, **options: object):
            future: concurrent.futures.Future[object] = concurrent.futures.Future()
            future.set_exception(OSError("the machine is gone"))
            return future

    results = ge_onnx.optimize_many(
        models(tmp_path / "in", 2), output_dir=tmp_path / "out", executor=Broken()
    )
    assert [(r.status, r.error) for r in results] == [("failed", "the machine is gone")] * 2


@pytest.mark.slow
def test_a_dask_cluster(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    paths = models(tmp_path / "in", 4)
    paths[2].write_bytes(b"")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        results = ge_onnx.optimize_many(
            paths, output_dir=tmp_path / "out", executor=client.get_executor()
        )
    assert [r.status for r in results] == ["done", "done", "failed", "done"]
    assert "empty" in results[2].error


@pytest.mark.slow
def test_ge_optimize_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    paths = models(tmp_path / "in", 2)
    done = ge("optimize", "--jobs", "2", *paths)
    assert (done.status, done.err) == (0, "")
    assert "2 done, 0 done before, 0 failed: optimized" in done.out
    assert sorted(os.listdir("optimized")) == [_many.MANIFEST, "m0.onnx", "m1.onnx"]
    assert "0 done, 2 done before" in ge("optimize", "--jobs", "2", *paths).out
    paths[0].write_bytes(b"")
    done = ge("optimize", *paths, "--output-dir", "optimized", "--again", "--json")
    assert done.status == 1
    assert [m["status"] for m in done.json["models"]] == ["failed", "done"]
    assert "in/m0.onnx: " in done.err
