"""GE's samples of passes, in examples/fusion_pass: each runs by itself on the graph beside it, and by discovery."""

import gc
import importlib.util
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import ge.ir as ir
import ge.passes as passes

SAMPLES = Path(__file__).resolve().parents[2] / "examples" / "fusion_pass"


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    passes.clear_registered_passes()
    yield
    passes.unload_pass_plugins()
    passes.clear_registered_passes()
    gc.collect()


def module_of(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_matmul_add_by_itself(tmp_path: Path) -> None:
    sample = SAMPLES / "fuse_matmul_add"
    (tmp_path / "graph.mlir").write_text(module_of(sample / "make_graph.py").make_graph().to_text())
    done = subprocess.run(
        [sys.executable, sample / "fuse_matmul_add_pass.py", tmp_path / "graph.mlir"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == "PythonFuseMatMulAddPass: changed: 2 matched\n"
    graph = ir.Module.parse(done.stdout).graphs[0]
    assert sorted(node.type for node in graph.nodes) == ["Const"] * 4 + ["GEMM"] * 2


def test_eight_threads_with_passes_of_python() -> None:
    passes.load_pass_plugins(str(SAMPLES / "fuse_matmul_add" / "fuse_matmul_add_pass.py"))
    make_graph = module_of(SAMPLES / "fuse_matmul_add" / "make_graph.py").make_graph
    manager = passes.PassManager.parse("PythonFuseMatMulAddPass,infer-types")
    texts: list[str] = []
    failures: list[BaseException] = []
    start = threading.Barrier(8)

    def work() -> None:
        try:
            start.wait()
            for _ in range(5):
                graph = make_graph()
                assert manager.run(graph).count("PythonFuseMatMulAddPass", "matched") == 2
                texts.append(str(graph))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(texts) == 40 and len(set(texts)) == 1
