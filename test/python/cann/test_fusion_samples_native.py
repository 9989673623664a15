"""Five of the samples in C++, in one plugin: they change each graph of a sample as the Python versions do."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fusion_samples import SAMPLES, run
from native_plugins import compile_library
from needs import CC

import ge.passes as passes
from ge import ir

pytestmark = [CC, pytest.mark.usefixtures("clean_passes")]

TWINS = {
    "fuse_matmul_add": "NativeFuseMatMulAddPass",
    "fuse_matmul_add_captured": "NativeFuseMatMulAddCapturedPass",
    "add_zero": "NativeAddZeroPass",
    "add_zero_in_custom_op": "NativeAddZeroInCustomOpPass",
    "move_relu_before_concat": "NativeMoveReluBeforeConcatPass",
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = sorted((SAMPLES / "native").glob("*.cpp"))
    return compile_library(
        tmp_path_factory.mktemp("samples") / "samples.so", *sources, flags=("-DGE_C_STUBS",)
    )


@pytest.fixture
def plugin(file: Path) -> Iterator[list[str]]:
    yield passes.load_plugin(file)
    passes.unload_pass_plugins()


def graphs_of(sample: str) -> ir.Module:
    """Return the graphs of a sample: those that its pass changes, and those that it leaves alone."""
    command = [sys.executable, str(SAMPLES / sample / "make_graph.py")]
    return ir.Module.parse(
        subprocess.run(command, capture_output=True, text=True, check=True).stdout
    )


@pytest.mark.slow
def test_one_plugin_has_all_five(plugin: list[str]) -> None:
    assert sorted(plugin) == sorted(TWINS.values())
    stages = {str(p["stage"]) for p in passes.list_passes() if p["name"] in plugin}
    assert stages == {"BeforeInferShape"}
    cmake = (SAMPLES / "native/CMakeLists.txt").read_text()
    assert all(path.name in cmake for path in (SAMPLES / "native").glob("*.cpp"))


@pytest.mark.parametrize("sample", TWINS)
def test_it_does_what_its_twin_does(sample: str, file: Path) -> None:
    python, native = graphs_of(sample), graphs_of(sample)
    changed = 0
    for graph in python.graphs.values():
        changed += run(sample, graph).changed
    passes.load_plugin(file)
    result = passes.PassManager.parse(TWINS[sample]).run(native)
    native.verify()
    assert 0 < changed and result.changed
    assert native.is_structurally_equal(python)
    # Only the Python version of that sample names new nodes after the node that they replace.
    if sample != "move_relu_before_concat":
        assert native.to_text() == python.to_text()
    # A second run finds nothing to change.
    if "matmul" not in sample:
        assert not passes.PassManager.parse(TWINS[sample]).run(native).changed
