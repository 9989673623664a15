"""A call passes through few files of the package: the tests count the files whose functions run.

Each call ("journey") runs in its own process, so that it includes the work of a first use.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ge.ir as ir
from ge.cli import main
from ge.es import onnx as op
from ge.passes import PassManager, PatternFusionPass, pattern

HOME = os.path.join(os.path.dirname(os.path.abspath(ir.__file__)), os.pardir)


def files_of(call: Callable[[], Any]) -> list[str]:
    """Return the files of `ge` whose functions a call runs, in the order in which each is first entered."""
    home = os.path.normpath(HOME) + os.sep
    found: dict[str, None] = {}

    def profile(frame: Any, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if event == "call" and frame.f_code.co_name != "<module>" and name.startswith(home):
            found[name[len(home) :]] = None

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return list(found)


def network() -> ir.Graph:
    graph = ir.Graph("g")
    t = ir.TensorType((2, 2), ir.f32)
    a, b, c = (graph.add_input(name, t) for name in "abc")
    product = graph.add_node("onnx.MatMul", [a, b], result_types=[t]).result
    graph.outputs = [graph.add_node("onnx.Add", [product, c], result_types=[t]).result]
    return graph


def in_a_process(journey: Callable[[], None]) -> None:
    done = subprocess.run(
        [sys.executable, __file__, journey.__name__], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_fusion_from_its_class_to_the_rewritten_graph_crosses_eight_files() -> None:
    in_a_process(fusion)


def fusion() -> None:
    graph = network()

    def fuse() -> None:
        class Fuse(PatternFusionPass):
            @pattern
            def matmul_add(self, a: Any, b: Any, c: Any) -> Any:
                return op.Add(op.MatMul(a, b), c)

            def meet_requirements(self, match: Any) -> bool:
                return bool(match["a"].type.rank == 2)

            def replacement(self, a: Any, b: Any, c: Any) -> Any:  # type: ignore[override]
                return op.Gemm(a, b, c)

        assert PassManager().add(Fuse).run(graph).count("Fuse", "matched") == 1

    files = files_of(fuse)
    assert [node.op for node in graph.nodes] == ["onnx.Gemm"]
    rooms = [os.path.dirname(name) for name in files]
    own = [name for name in files if name.startswith("passes" + os.sep)]
    assert len(own) <= 8, own
    # The other files are the builders that the methods call, and the code that loads plugins on first use.
    assert set(rooms) <= {os.path.dirname(name) for name in own} | {"es", "_support"}, files


@pytest.mark.slow
def test_ge_optimize_is_a_request_and_one_call() -> None:
    in_a_process(optimize)


def optimize() -> None:
    with tempfile.TemporaryDirectory() as directory:
        optimize_in(Path(directory))


def optimize_in(tmp_path: Path) -> None:
    source, target = tmp_path / "m.mlir", tmp_path / "o.mlir"
    source.write_text(network().to_text(), encoding="utf-8")
    calls: list[str] = []
    cli, floor = (
        os.path.join(os.path.normpath(HOME), name) + os.sep for name in ("cli", "optimize")
    )

    def profile(frame: Any, event: str, _: Any) -> None:
        code, caller = frame.f_code, frame.f_back
        if event == "call" and code.co_filename.startswith(floor) and caller is not None:
            given = (getattr(value, "module", value) for value in frame.f_locals.values())
            takes_model = any(isinstance(value, ir.Module) for value in given)
            if takes_model and caller.f_code.co_filename.startswith(cli):
                calls.append(code.co_name)

    sys.setprofile(profile)
    try:
        status = main(["optimize", str(source), "-o", str(target)])
    finally:
        sys.setprofile(None)
    assert status == 0
    assert "onnx.Gemm" in target.read_text(encoding="utf-8")
    assert calls == ["optimize_request"]


def test_a_node_is_added_without_python() -> None:
    in_a_process(node)


def node() -> None:
    graph = network()
    values = list(graph.inputs[:2])
    assert files_of(lambda: graph.add_node("onnx.Mul", values)) == []


if __name__ == "__main__":
    {"fusion": fusion, "optimize": optimize, "node": node}[sys.argv[1]]()
