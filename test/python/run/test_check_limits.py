"""Models with operators that only GE computes are checked within the limits of the evaluators."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge.ir as ir
import ge.onnx
import ge.ops as ops
from ge.run import NotRunError
from ge.run._inputs import main_graph

pytest.importorskip("onnxruntime")


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("GE_EVALUATORS_MEMORY", "160M")
    monkeypatch.setenv("GE_EVALUATORS_MODEL_SECONDS", "1.5")
    with ops.Library("limited") as lib:
        lib.define("same(Tensor x) -> Tensor", traits=["pure"])
        lib.infer("same")(lambda call: [call.operand_types[0]])
        lib.impl("same", "cpu", lambda x: x + 0, as_="numpy")
        yield


def value(name: str, shape: Any = None, dtype: int = TensorProto.FLOAT) -> Any:
    return helper.make_tensor_value_info(name, dtype, shape)


def node(op: str, inputs: str, outputs: str, **attributes: Any) -> Any:
    domain, _, name = op.rpartition(".")
    return helper.make_node(
        name, inputs.split(","), outputs.split(","), domain=domain, **attributes
    )


def model(nodes: list[Any], outputs: list[Any], **weights: Any) -> bytes:
    held = [numpy_helper.from_array(np.asarray(w), name) for name, w in weights.items()]
    graph = helper.make_graph(nodes, "g", [value("x", [2])], outputs, held)
    sets = [helper.make_opsetid(domain, v) for domain, v in (("", 19), ("ge", 1), ("limited", 1))]
    return helper.make_model(graph, opset_imports=sets, ir_version=9).SerializeToString()


def body(op: str, scans: bool = False) -> Any:
    nodes = [node(op, "v", "w"), node("Identity", "cc", "co"), node("Identity", "w", "s")]
    inputs = [value("i", [], TensorProto.INT64), value("cc", [], TensorProto.BOOL), value("v", [1])]
    outputs = [value("co", [], TensorProto.BOOL), value("w", [1]), value("s", [1])]
    return helper.make_graph(nodes, "b", inputs, outputs[: 3 if scans else 2])


def refusal(data: bytes | ir.Module) -> str:
    with pytest.raises(NotRunError) as caught:
        ge.onnx.check(data, data)
    assert caught.value.outcome == "not-evaluated"
    return str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("op", ["ge.Neg", "limited.same"])
@pytest.mark.parametrize("scans", [False, True])
def test_a_loop_without_end_ends(op: str, scans: bool) -> None:
    ends = {"t": np.array(True), "o": np.ones(1, np.float32)}
    outputs = "y,z" if scans else "y"
    data = model([node("Loop", ",t,o", outputs, body=body(op, scans))], [value("y")], **ends)
    assert "took longer than 1.5 s" in refusal(data)


@pytest.mark.slow
def test_what_a_reference_kernel_makes_is_made_in_the_child() -> None:
    size = {"d": np.array([20000, 20000]), "v": np.float32(1)}
    data = model(
        [node("ge.Fill", "d,v", "f"), node("limited.same", "f", "y")], [value("y")], **size
    )
    assert "the child process took more than 160 MiB of memory computing ge.Fill" in refusal(data)
    with ops.add_evaluator(lambda call: None):  # then each operator is asked for alone
        assert "took more than 160 MiB of memory computing ge.Fill" in refusal(data)


def test_values_of_many_nodes_are_charged_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GE_EVALUATORS_MODEL_SECONDS", "60")
    size = {"d": np.array([2000, 2500]), "v": np.float32(1)}
    fills = [node("ge.Fill", "d,v", f"f{i}") for i in range(12)]
    ends = [node("limited.same", f"f{i}", f"y{i}") for i in range(12)]
    data = model([*fills, *ends], [value(f"y{i}") for i in range(12)], **size)
    assert "20000000 bytes, and" in refusal(data)


@pytest.mark.parametrize("op", ["limited.same", "onnx.Neg"])
def test_a_constant_of_one_repeated_element_is_charged_before_it_is_made(op: str) -> None:
    kind = "tensor<30000x30000xf32>"
    module = ir.Module.parse(
        f"func.func @g(%x: tensor<1xf32>) -> {kind} attributes {{ge.attrs = {{opset = 17 : i64}}}} {{\n"
        f' %c = "ge.Const"() {{value = dense<1.0> : {kind}}} : () -> {kind}\n'
        f' %y = "{op}"(%c) : ({kind}) -> {kind}\n return %y : {kind}\n}}'
    )
    assert "it needs 3600000000 bytes" in refusal(module)


def test_reference_kernels_in_the_child_give_what_they_give_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GE_EVALUATORS_MODEL_SECONDS", "60")
    nodes = [
        node("ge.Cast", "x", "h", dst_type=1),
        node("ge.ReduceSum", "x,axes", "r", keep_dims=1),
        node("ge.Tile", "r,n", "t"),
        node("ge.Muls", "t", "y", value=1.5),
        node("ge.Shape", "x", "s"),
    ]
    outputs = [
        value("y"),
        value("h", None, TensorProto.FLOAT16),
        value("s", None, TensorProto.INT32),
    ]
    data = model(nodes, outputs, axes=np.array([0]), n=np.array([3]))
    report = ge.onnx.check(data, data)
    assert report and report.by == "the interpreter", report
    x = np.array([1, 2], np.float32)
    found = main_graph(ge.onnx.load(data)).run([x])
    assert found[0].tolist() == [4.5] * 3 and found[1].dtype == np.float16


@pytest.mark.slow
def test_a_program_that_evaluates_imports_nothing_of_the_working_directory(tmp_path: Any) -> None:
    (tmp_path / "prog.py").write_text(
        "import os, sys\nimport ge.ops\nfrom ge.run import _child\n"
        "os.chdir('/')\n"
        "print(_child._environment(sys.executable)['PYTHONPATH'])\n"
    )

    def path(*arguments: str, before: str = "") -> list[str]:
        import os

        known = os.environ.get("PYTHONPATH", "")
        done = subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": f"{before}{os.pathsep}{known}" if known else before},
            check=True,
        )
        return done.stdout.strip().split(os.pathsep)

    here = str(tmp_path)
    assert here not in path("-m", "prog")
    assert here not in path("-c", "import prog")
    assert here not in path("-m", "prog", before=".")
    # But what was named: the directory of a script, and one of PYTHONPATH.
    assert here in path("prog.py")
    assert here in path("-m", "prog", before=here)
