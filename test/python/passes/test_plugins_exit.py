"""Foreign code that exits, or raises an exception that cannot be printed, fails by itself and affects nothing else.

Exit status 0 means that the output was written: plugins, hooks, evaluators and observers cannot cause it otherwise.
"""

import contextlib
import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_run import ge

import ge.ir as ir
import ge.passes as passes
from ge._support import failures
from ge.passes import PassManager, bootstrap, unload_pass_plugins

MODEL = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "onnx.Neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "onnx.Neg"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""
# Statements that end foreign code, and how the error reports them.
ENDS = {
    "sys.exit(0)": "SystemExit: 0",
    "sys.exit()": "SystemExit",
    "exit(0)": "SystemExit: 0",
    "raise GeneratorExit": "GeneratorExit",
    "raise Own('mine')": "Own: mine",
    "raise Dumb": "Dumb: its text cannot be shown: __str__ raises ",
    "raise Loud": "Loud: its text cannot be shown: __str__ raises SystemExit",
    "raise BaseExceptionGroup('all', [SystemExit(0)])": "all (1 sub-exception)",
}
if sys.version_info < (3, 11):
    del ENDS["raise BaseExceptionGroup('all', [SystemExit(0)])"]

PRELUDE = """
import sys
from ge import ops
from ge.es import onnx as op
from ge.passes import FusionBasePass, DecomposePass, PassStage, PatternFusionPass, pattern, register_fusion_pass
from ge.passes import register_decompose_pass

class Own(BaseException): pass
class Dumb(Exception):
    def __str__(self): raise ValueError("no text")
    __repr__ = __str__
class Loud(Exception):
    def __str__(self): sys.exit(0)
    __repr__ = __str__
def end(*_): {end}
"""
PATTERN = """
@register_fusion_pass(name="Bad", stage=PassStage.BEFORE_INFER_SHAPE)
class Bad(PatternFusionPass):
    @pattern
    def twice(self, x):
        return op.Neg(op.Neg(x))
    def replacement(self, x):
        return op.Abs(x)
"""
# Places in a pass file where foreign code runs.
HOOKS = {
    "the file": "end()\n" + PATTERN,
    "__init__": PATTERN + "    def __init__(self): end()\n",
    "patterns": """
@register_fusion_pass(name="Bad", stage=PassStage.BEFORE_INFER_SHAPE)
class Bad(PatternFusionPass):
    def patterns(self): end()
    def replacement(self, inputs): return op.Abs(inputs[0])
""",
    "meet_requirements": PATTERN + "    def meet_requirements(self, match): end()\n",
    "replacement": PATTERN.replace("return op.Abs(x)", "end()"),
    "predicate": PATTERN.replace("op.Neg(x)", "op.Neg(x).where(lambda value: end())"),
    "run": """
@register_fusion_pass(name="Bad", stage=PassStage.BEFORE_INFER_SHAPE)
class Bad(FusionBasePass):
    def run(self, graph, context): end()
""",
    "decompose": """
@register_decompose_pass(name="Bad", op_types=["Neg"], stage=PassStage.BEFORE_INFER_SHAPE)
class Bad(DecomposePass):
    def replacement(self, node): end()
""",
    "handler": """
from ge import ir
@register_fusion_pass(name="Bad", stage=PassStage.BEFORE_INFER_SHAPE)
class Bad(FusionBasePass):
    def run(self, graph, context):
        kept.append(ir.Context.default.attach_diagnostic_handler(end))
        with kept[0]:
            ir.Context.default.emit("text")
kept = []
""",
}


@pytest.fixture(autouse=True)
def clean(clean_passes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(bootstrap.ENV_PY_PASS_PATH, raising=False)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.mlir"
    path.write_text(MODEL)
    return path


def write(path: Path, body: str, end: str = "sys.exit(0)") -> Path:
    path.write_text(PRELUDE.replace("{end}", end) + body)
    return path


@pytest.mark.nosan
@pytest.mark.parametrize("hook", HOOKS)
def test_optimize_fails_and_names_pass_file_and_line(
    tmp_path: Path, model: Path, hook: str
) -> None:
    for end, says in ENDS.items():
        file = write(tmp_path / "bad.py", HOOKS[hook], end)
        target = tmp_path / "out.mlir"
        done = ge("optimize", model, "-o", target, "--passes", file)
        line = PRELUDE.split("\n").index("def end(*_): {end}") + 1
        assert done.status == 1 and not target.exists(), (end, done)
        assert says in done.err and f"{file}:{line}" in done.err, (end, done.err)
        assert hook == "the file" or "pass 'Bad' failed in" in done.err, done.err
        unload_pass_plugins()


@pytest.mark.nosan
def test_of_many_models_each_says_it(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    from cli_run import affine

    file = write(tmp_path / "bad.py", HOOKS["run"])
    models = [affine(tmp_path / f"m{i}.onnx") for i in range(2)]
    done = ge("optimize", "--output-dir", tmp_path / "o", "--jobs", 1, "--passes", file, *models)
    assert done.status == 1 and done.err.count("SystemExit: 0") == 2, done
    assert not list((tmp_path / "o").glob("*.onnx"))


@pytest.mark.nosan
@pytest.mark.parametrize("hook", ["the file", "patterns", "meet_requirements"])
def test_other_commands_say_it_too(tmp_path: Path, model: Path, hook: str) -> None:
    file = write(tmp_path / "bad.py", HOOKS[hook])
    done = ge("why", file, model)
    assert (done.status, "SystemExit: 0" in done.err) == (1, True), done
    unload_pass_plugins()
    if hook == "the file":
        done = ge("plugins", file)
        assert (done.status, "SystemExit: 0" in done.err) == (1, True), done


@pytest.mark.nosan
def test_the_process_ends_with_1(tmp_path: Path, model: Path) -> None:
    file = write(tmp_path / "bad.py", HOOKS["run"])
    target = tmp_path / "out.mlir"
    command = [sys.executable, "-m", "ge.cli", "optimize", model, "-o", target, "--passes", file]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "SystemExit: 0" in done.stderr and not target.exists()
    assert "Traceback" not in done.stderr


@pytest.mark.nosan
def test_a_name_that_a_broken_plugin_would_have_brought_says_so(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "bad.py", HOOKS["the file"])
    monkeypatch.setenv(bootstrap.ENV_PY_PASS_PATH, str(file))
    done = ge("optimize", model, "-o", tmp_path / "o.mlir", "--passes", "Bad")
    assert done.status == 2 and f"{file} was not loaded: SystemExit: 0" in done.err


@pytest.mark.nosan
def test_whatever_raises_inside_a_command_is_no_success(
    monkeypatch: pytest.MonkeyPatch, model: Path
) -> None:
    from ge.cli import _info

    class Own(BaseException):
        pass

    for error in (SystemExit(0), SystemExit(), GeneratorExit(), Own("mine")):

        def run(*_: Any, error: BaseException = error) -> int:
            raise error

        monkeypatch.setattr(_info, "run", run)
        done = ge("info", model)
        assert done.status == 1 and type(error).__name__ in done.err, done
    monkeypatch.setattr(_info, "run", lambda *_: None)
    with pytest.raises(TypeError, match="exit status"):
        ge("info", model)


@pytest.mark.nosan
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
def test_what_could_not_be_printed_is_no_success(model: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ge.cli", "info", model],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1 and "No space left" in done.stderr


@pytest.mark.parametrize("end", ENDS)
def test_discovery_goes_on_with_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, end: str
) -> None:
    directory = tmp_path / "d"
    directory.mkdir()
    bad = write(directory / "a.py", PATTERN + "end()\n", end)
    write(directory / "b.py", PATTERN.replace("Bad", "Good"), "pass")
    monkeypatch.setenv(bootstrap.ENV_PY_PASS_PATH, str(directory))
    with caplog.at_level(logging.ERROR, "ge.passes"):
        bootstrap.load_pass_plugins()
    assert [d.pass_name for d in passes.get_registered_passes()] == ["Good"]
    (text,) = bootstrap.load_errors().values()
    assert ENDS[end] in text and f"({bad}:" in text
    assert len(caplog.records) == 1 and str(bad) in caplog.text


def test_an_interrupt_ends_discovery(tmp_path: Path) -> None:
    file = write(tmp_path / "a.py", "end()\n", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        bootstrap.load_pass_plugins(str(file))


def entry_points(directory: Path, group: str, **modules: str) -> dict[str, str]:
    """Write a package with entry points; return an environment that finds it."""
    info = directory / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    lines = [f"{name} = plugin_{name}" for name in modules]
    (info / "entry_points.txt").write_text(f"[{group}]\n" + "\n".join(lines) + "\n")
    for name, body in modules.items():
        write(directory / f"plugin_{name}.py", body, "sys.exit(0)")
    path = [str(directory), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def test_an_entry_point_of_passes_that_exits(tmp_path: Path) -> None:
    good = PATTERN.replace("Bad", "Good")
    environment = entry_points(tmp_path, "ge.passes.plugins", bad="end()\n", good=good)
    program = (
        "import json, ge.passes as p; p.load_pass_plugins();"
        "print(json.dumps([[d.pass_name for d in p.get_registered_passes()], p.bootstrap.load_errors()]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    names, errors = json.loads(done.stdout)
    assert names == ["Good"]
    assert "SystemExit: 0" in errors["entry point bad = plugin_bad"]


def test_a_plugin_of_builders_that_exits(tmp_path: Path) -> None:
    environment = entry_points(tmp_path, "ge.es.plugins", bad="end()\n", good="value = 1\n")
    program = (
        "import warnings, ge.es\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    assert ge.es.get_plugin('good').value == 1 and ge.es.get_plugin('bad') is None\n"
        "    print(seen[0].message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert "plugin 'bad'" in done.stdout and "SystemExit: 0" in done.stdout


class Dumb(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")

    __repr__ = __str__


class Loud(Exception):
    def __str__(self) -> str:
        raise SystemExit(0)

    __repr__ = __str__


@pytest.mark.parametrize("kind", [SystemExit, GeneratorExit, Dumb, Loud])
def test_hooks_of_the_manager(kind: type[BaseException]) -> None:
    def hook(*_: Any) -> None:
        raise kind

    for where in ("before", "after"):
        manager = PassManager.parse("dce").add_hook(**{where: hook})
        with pytest.raises((ir.PassError, Dumb, Loud)) as caught:
            manager.run(ir.Graph.parse(MODEL))
        if issubclass(kind, Exception):
            assert caught.type is kind
        else:
            assert type(caught.value.__cause__) is kind and f"{where}()" in str(caught.value)


@pytest.mark.parametrize("kind", [SystemExit, GeneratorExit, Dumb, Loud])
def test_a_pass_that_is_skipped_is_listed_with_its_failure(
    kind: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def bad(graph: ir.Graph) -> None:
        raise kind

    graph = ir.Graph.parse(MODEL)
    with caplog.at_level(logging.ERROR, "ge.passes"):
        result = PassManager(on_error="skip").add(bad).add("dce").run(graph)
    (failed,) = result.failures
    assert failed.name == "bad" and isinstance(failed.error, ir.PassError)
    assert kind.__name__ in str(failed.error) and kind.__name__ in caplog.text
    assert result.passes[1].outcome == "unchanged"
    del failed, result


def test_an_observer_of_printed_text_that_exits_disturbs_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda one: seen.append(one.exc_type))

    def sink(text: str) -> None:
        raise SystemExit(0)

    manager = PassManager.parse("dce").enable_ir_printing(before=True, to=sink)
    assert manager.run(ir.Graph.parse(MODEL)).passes[0].outcome == "unchanged"
    assert seen == [SystemExit]


@pytest.fixture
def evaluator() -> Iterator[Any]:
    from ge import ops

    before = ops.evaluator()
    yield ops.use_evaluator
    ops.use_evaluator(before)


@pytest.mark.parametrize("kind", [SystemExit, GeneratorExit, Dumb, Loud])
def test_an_evaluator_that_exits_cannot_evaluate(
    evaluator: Any, kind: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def bad(call: Any) -> None:
        raise kind

    evaluator(bad)
    from ge import ops

    with caplog.at_level(logging.WARNING, "ge.ops"):
        assert ops.evaluate_operator("acme.Unknown", [1.0]) is None
    assert f"raised {kind.__name__}" in caplog.text


@pytest.mark.parametrize("kind", [SystemExit, GeneratorExit, Dumb, Loud])
def test_an_inferrer_that_exits_is_a_failure_of_the_pass(kind: type[BaseException]) -> None:
    from ge import ops

    def bad(call: Any) -> None:
        raise kind

    graph = ir.Graph.parse(MODEL.replace("onnx.Neg", "acme.Unknown"))
    with ops.add_inferrer(bad):
        with pytest.raises(ir.PassError) as caught:
            PassManager.parse("infer-types").run(graph)
    cause = caught.value.__cause__
    if kind in (SystemExit, GeneratorExit):  # they are wrapped in a GEError
        assert isinstance(cause, ir.GEError)
        cause = cause.__cause__
    assert type(cause) is kind


def test_the_command_of_a_pass_file(tmp_path: Path, model: Path) -> None:
    file = write(
        tmp_path / "bad.py",
        HOOKS["run"] + "import ge.passes\nraise SystemExit(ge.passes.main())\n",
    )
    target = tmp_path / "o.mlir"
    done = subprocess.run(
        [sys.executable, file, model, "-o", target], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "SystemExit: 0" in done.stderr and not target.exists()


def test_texts_of_exceptions() -> None:
    class Text(str):
        def __format__(self, spec: str) -> str:
            raise SystemExit(0)

    class Formatted(Exception):
        def __str__(self) -> str:
            return Text("shown")

    class Meta(type):
        @property
        def __name__(cls) -> str:  # type: ignore[override]
            raise SystemExit(0)

    class Named(Exception, metaclass=Meta):
        pass

    assert failures.describe(ValueError("why")) == "ValueError: why"
    assert failures.describe(ValueError()) == "ValueError"
    assert failures.describe(Formatted()) == "Formatted: shown"
    assert failures.describe(Named("x")) == "Named: x"
    assert failures.describe(Dumb()).startswith("Dumb: its text cannot be shown")

    class Interrupted(Exception):
        def __str__(self) -> str:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        failures.describe(Interrupted())
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            raise Loud
        except Loud as error:
            assert "Loud" in failures.traceback_of(error)
