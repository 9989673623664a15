"""Settings for where evaluators run: in the child, in this process or nowhere; whole models that crash a runtime."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evaluator_child import (
    F,
    child,
    exp,
    fold,
    minimum,
    model_of,
    restored,  # noqa: F401 - a fixture
)
from evaluator_programs import exp_model, run
from onnx import TensorProto, helper

import ge.onnx
from ge import ir, ops
from ge.passes import FusionBasePass, PassManager, bisect, clear_registered_passes, register_pass
from ge.run import _child, _service

onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented


# --- Place of evaluation


@pytest.mark.slow
def test_nothing_is_imported_here() -> None:
    done = run(
        """
        assert exp() is not None
        loaded = {m.partition(".")[0] for m in sys.modules}
        assert not loaded & {"onnx", "onnxruntime", "google", "multiprocessing"}, loaded
        """
    )
    assert done.returncode == 0, done.stderr


def test_in_process() -> None:
    code = """
        assert exp() is not None
        assert _service._children.child is None
        assert "onnxruntime" in sys.modules
        """
    done = run(code, GE_EVALUATORS="inprocess")
    assert done.returncode == 0, done.stderr


def test_none_evaluates_natively_only() -> None:
    code = """
        assert exp() is None
        assert _service._children.child is None
        assert "onnxruntime" not in sys.modules
        """
    done = run(code, GE_EVALUATORS="none")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("variable", "value", "text"),
    [
        ("GE_EVALUATORS", "thread", "must be one of child, inprocess, none"),
        ("GE_EVALUATORS_SECONDS", "-1", "not a positive number"),
        ("GE_EVALUATORS_SECONDS", "soon", "not a positive number"),
        ("GE_EVALUATORS_MEMORY", "4X", "such as 500M or 4G"),
        ("GE_EVALUATORS_MEMORY", "nan", "such as 500M or 4G"),
    ],
)
def test_a_wrong_setting_is_an_error(
    variable: str, value: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ValueError, match=text):
        _service.evaluate("onnxruntime", exp_model(), {"x0": np.ones(3, np.float32)}, "it")


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    ["no-such-program", "false", "cat"],
)
def test_without_a_python_there_are_the_native_ones(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    child().end()
    monkeypatch.setenv("GE_PYTHON", program)
    monkeypatch.setattr(_service._children, "_unusable", {})
    _, remarks = fold(exp_chain())
    (remark,) = remarks  # one remark, not one per node
    assert "operators of ONNX are evaluated natively only" in remark
    assert program in remark
    assert exp() is None
    monkeypatch.delenv("GE_PYTHON")
    assert exp() is not None


def exp_chain() -> bytes:
    node = helper.make_node("Exp", ["a"], ["y"], name="m")
    proto = onnx.load_from_string(model_of(node, {"a": F}, 17))
    proto.graph.node.append(helper.make_node("Exp", ["end"], ["z"], name="n"))
    proto.graph.node.append(helper.make_node("Log", ["a"], ["l"], name="l"))
    proto.graph.node.append(helper.make_node("Sum", ["z", "l"], ["last"], name="s"))
    proto.graph.output.append(helper.make_tensor_value_info("last", TensorProto.FLOAT, None))
    return bytes(proto.SerializeToString())


def test_an_embedded_python_needs_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/usr/bin/compiler")
    with pytest.raises(_child.NoInterpreterError, match="compiler is no Python; set GE_PYTHON"):
        _child.interpreter()


def test_the_working_directory_is_not_imported_from(tmp_path: Path) -> None:
    for name in ("onnxruntime", "numpy", "onnx", "json"):
        (tmp_path / f"{name}.py").write_text("import os; os.write(2, b'taken'); os._exit(3)\n")
    code = "import sys; sys.path.remove(''); from ge import ops; import numpy as np\n"
    code += "import ge.run._service\n"  # import now: later imports of the parent would use the changed path
    code += "import os; os.chdir(os.environ['TRAP']); sys.path.insert(0, '')\n"
    code += "a = ops.evaluate_operator('onnx.Exp', [np.ones(3, np.float32)])\n"
    code += "assert a is not None"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "TRAP": str(tmp_path)},
    )
    assert (done.returncode, done.stderr) == (0, "")


# --- Whole models


@pytest.fixture
def fatal_file(tmp_path: Path) -> str:
    """Write a model that crashes onnxruntime."""
    path = tmp_path / "fatal.onnx"
    path.write_bytes(minimum())
    return str(path)


@pytest.fixture
def right_file(tmp_path: Path) -> str:
    node = helper.make_node("Min", ["a", "b"], ["y"], name="m")
    path = tmp_path / "right.onnx"
    path.write_bytes(model_of(node, {"a": F, "b": F}, 13))
    return str(path)


@pytest.mark.slow
def test_check_reports_that_the_second_model_kills_the_runtime(
    fatal_file: str, right_file: str
) -> None:
    ops.use_evaluator("onnxruntime")
    report = ge.onnx.check(right_file, fatal_file)
    assert not report
    assert "onnxruntime died running it: SIG" in report.outputs[0].message
    assert not report.refused  # a crash of the runtime does not mean that the model is invalid


@pytest.mark.slow
def test_check_reports_that_the_first_model_kills_the_runtime(
    fatal_file: str, right_file: str
) -> None:
    ops.use_evaluator("onnxruntime")
    with pytest.raises(RuntimeError, match=r"the first model: onnxruntime died running it: SIG"):
        ge.onnx.check(fatal_file, right_file)


def test_check_says_that_nothing_is_to_run(
    right_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GE_EVALUATORS", "none")
    with pytest.raises(RuntimeError, match="nothing runs models: GE_EVALUATORS=none"):
        ge.onnx.check(right_file, right_file)


@pytest.mark.slow
def test_the_command_check_survives(fatal_file: str, right_file: str) -> None:
    command = [sys.executable, "-m", "ge.cli", "check", right_file, fatal_file]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "by the reference evaluator" in done.stdout  # which runs after the crash
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_model_is_loaded_again_in_a_new_child(right_file: str) -> None:
    loaded = _service.load("onnxruntime", right_file)
    (before,) = loaded.run({})
    os.kill(child().number, signal.SIGKILL)
    with pytest.raises(_service.EvaluatorDiedError, match="died running it: SIGKILL"):
        loaded.run({})
    (after,) = loaded.run({})
    np.testing.assert_array_equal(before, after)


@pytest.mark.slow
def test_a_loaded_model_leaves_no_file_and_opens_none(
    right_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place := tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", None)
    loaded: Any = _service.load("reference", Path(right_file).read_bytes())
    assert list(place.iterdir()) == []
    os.kill(_service._children.child.number, signal.SIGKILL)  # type: ignore[union-attr]
    with pytest.raises(_service.EvaluatorDiedError):
        loaded.run({})
    assert len(loaded.run({})) == 1


class Hole(FusionBasePass):
    """Replaces Min(x, y) by the equivalent Min(x, y, x, y, x), which crashes onnxruntime."""

    def run(self, graph: ir.Graph, context: Any) -> None:
        node = graph.find("m")
        assert node is not None
        x, y = node.operands
        assert x is not None
        with ir.InsertionPoint(node):
            made = graph.add_node("onnx.Min", [x, y, x, y, x], result_types=[x.type])
        node.replace_with(made.result)


@pytest.fixture
def hole() -> Iterator[None]:
    register_pass("Hole")(Hole)
    yield
    clear_registered_passes()


def minimum_graph() -> ir.Module:
    graph_inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, (2, 3)) for n in "ab"]
    graph = helper.make_graph(
        [
            helper.make_node("Min", ["a", "b"], ["m"], name="m"),
            helper.make_node("Abs", ["m"], ["y"]),
        ],
        "g",
        graph_inputs,
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (2, 3))],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return ge.onnx.load(model.SerializeToString())


@pytest.mark.slow
@pytest.mark.usefixtures("hole")
def test_a_rewrite_that_kills_the_runtime_is_not_evaluated(tmp_path: Path) -> None:
    ops.use_evaluator("onnxruntime")
    manager = PassManager(check="rewrite", check_dir=tmp_path).add(Hole)
    result = manager.run(minimum_graph())
    (doubt,) = result.rewrite_check.unevaluated
    assert "onnxruntime died running it: SIG" in doubt.reason


@pytest.mark.slow
@pytest.mark.usefixtures("hole")
def test_bisection_cannot_say_whether_a_model_that_kills_is_right(tmp_path: Path) -> None:
    ops.use_evaluator("onnxruntime")
    module = minimum_graph()
    said = []

    def oracle(candidate: ir.Module) -> bool | None:
        report = ge.onnx.check(module, candidate)
        said.append((report.equal, report.runs > 0, report.refused))
        return True if report.equal else False if report.runs or report.refused else None

    bisect(module, "Hole", oracle, directory=tmp_path)
    assert said == [(True, True, False), (False, False, False)]


# --- Packages with another name


@pytest.mark.slow
def test_a_copy_under_another_name_starts_its_own_worker(tmp_path: Path) -> None:
    package = tmp_path / "acme" / "deep" / "run"
    shutil.copytree(Path(_child.__file__).parent, package)
    code = """
        from acme.deep.run._child import Child, Limits
        child = Child(sys.executable)
        words = open(f"/proc/{child.number}/cmdline").read().split("\\0")
        assert words[1:3] == ["-m", "acme.deep.run._worker"], words
        feeds = {"x0": np.zeros(2, np.float32)}
        message = {"do": "evaluate", "engine": "reference"}
        model = bytes.fromhex(os.environ["MODEL"])
        told, found = child.request(message, [model, feeds], Limits(100, 1 << 40))
        assert found[0][0].tolist() == [1, 1], told
        child.end()
        """
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = run(code, PYTHONPATH=path, MODEL=exp_model().hex())
    assert done.returncode == 0, done.stderr
