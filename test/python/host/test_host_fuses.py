"""A pass file gives the same text, byte for byte, in a native program and in Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fusion_samples import SAMPLES
from native_hosts import BUILD, HAS_LIBRARY, PASS, environment, run

pytestmark = HAS_LIBRARY

GE_OPT = BUILD / "bin/ge-opt"
FILES = sorted(SAMPLES.glob("*/*_pass.py"))
RUN_UNDER_PYTHON = """
import sys
import ge.passes as passes
from ge import ir
passes.load_pass_plugins(sys.argv[1])
module = ir.Module.parse(open(sys.argv[2]).read())
for stage in {d.stage for d in passes.get_registered_passes()}:
    passes.run_stage(module, stage)
    open(sys.argv[3], "w").write(stage.value)
sys.stdout.write(module.to_text())
"""


def test_there_are_fifteen_samples() -> None:
    assert len({file.parent for file in FILES}) == 15


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_sample_under_a_native_program(file: Path, tmp_path: Path) -> None:
    env = environment(
        PYTHONPATH=str(BUILD / "python"),
        ASCEND_CUSTOM_FORMATS_CFG=str(SAMPLES / "transpose_fusion" / "formats.cfg"),
    )

    def python(*command: object) -> subprocess.CompletedProcess[str]:
        return run(sys.executable, *command, env=env)

    graph = tmp_path / "graph.mlir"
    graph.write_text(python(file.with_name("make_graph.py")).stdout)
    stage = tmp_path / "stage"
    under_python = python("-c", RUN_UNDER_PYTHON, file, graph, stage)
    del env["PYTHONPATH"]
    words = ["--py-pass-path", file, "--stage", stage.read_text()]
    native = run(GE_OPT, *words, graph, env=env)
    assert native.stdout == under_python.stdout
    plain = run(GE_OPT, graph, env=env)
    assert plain.stdout != native.stdout  # it changed something


def test_the_environment_names_passes(pairs: Path, graph: Path) -> None:
    env = environment(ASCEND_GE_PY_PASS_PATH=str(pairs))
    assert "Neg" not in run(GE_OPT, "--stage", "BeforeInferShape", graph, env=env).stdout
    # An empty option overrides the environment variable.
    words = [GE_OPT, "--py-pass-path", "", "--stage", "BeforeInferShape", graph]
    assert "Neg" in run(*words, env=env).stdout


def test_modules_by_name(pairs: Path, graph: Path) -> None:
    env = environment(PYTHONPATH=str(pairs.parent))
    words = [GE_OPT, "--py-pass-module", "pairs", "--pass-pipeline", "Pairs", graph]
    assert "Neg" not in run(*words, env=env).stdout
    words[2] = "pairs, nothing_of_that_name"
    done = run(*words, env=env, status=1)
    assert "module nothing_of_that_name" in done.stderr
    assert "No module named 'nothing_of_that_name'" in done.stderr


def test_a_bad_file_is_named_and_does_not_concern_the_others(pairs: Path, graph: Path) -> None:
    bad = pairs.with_name("bad.py")
    bad.write_text("raise SystemExit(0)\n")
    words = [GE_OPT, "--py-pass-path", f"{bad}:{pairs}", "--stage", "BeforeInferShape", graph]
    done = run(*words, status=1)  # not all requested files could be loaded
    assert f"{bad}: error: cannot be loaded: SystemExit: 0" in done.stderr
    assert "Neg" not in done.stdout


def test_passes_are_listed(pairs: Path) -> None:
    listed = run(GE_OPT, "--py-pass-path", pairs, "--list-passes").stdout
    assert f"(pattern_fusion, BeforeInferShape, {pairs})" in listed
    assert "Pairs" not in run(GE_OPT, "--list-passes").stdout


def test_a_failing_hook_is_an_error_of_the_program(tmp_path: Path, graph: Path) -> None:
    file = tmp_path / "fails.py"
    file.write_text(
        "from ge.passes import FusionBasePass, PassStage, register_fusion_pass\n"
        "@register_fusion_pass(name='Fails', stage=PassStage.BEFORE_INFER_SHAPE)\n"
        "class Fails(FusionBasePass):\n"
        "    def run(self, graph, context):\n"
        "        raise SystemExit(0)\n"
    )
    done = run(GE_OPT, "--py-pass-path", file, "--stage", "BeforeInferShape", graph, status=1)
    assert "Fails" in done.stderr and "SystemExit: 0" in done.stderr
    assert f"{file}:5" in done.stderr
    assert not done.stdout


def test_what_costs_is_not_imported(tmp_path: Path, graph: Path) -> None:
    """A program that runs for milliseconds must not spend time importing modules that its passes do not use."""
    file = tmp_path / "asks.py"
    file.write_text(
        PASS.format(name="Asks")
        + "import sys\nprint('loaded', {'importlib.metadata', 'logging', 'pathlib'} & set(sys.modules), flush=True)\n"
    )
    command = [GE_OPT, "--stage=BeforeInferShape", f"--py-pass-path={file}", graph]
    assert "loaded set()" in run(*command, env=environment()).stdout


def test_printing_starts_no_python(graph: Path) -> None:
    env = environment(ASCEND_GE_PY_PASS_PATH="/nowhere.py", GE_PYTHON="/nowhere/python")
    assert "Neg" in run(GE_OPT, "--verify", graph, env=env).stdout


def test_the_command_in_a_reproducer_runs_as_it_is(tmp_path: Path, graph: Path) -> None:
    """The command in its header has the pass file, the options of the run and the stage."""
    folder = tmp_path / "it's here"
    folder.mkdir()
    file, reproducer = folder / "fails.py", folder / "again.mlir"
    file.write_text(
        "from ge.passes import FusionBasePass, PassStage, register_fusion_pass\n"
        "@register_fusion_pass(name='Fails', stage=PassStage.BEFORE_INFER_SHAPE)\n"
        "class Fails(FusionBasePass):\n"
        "    def run(self, graph, context):\n"
        "        raise ValueError('answer ' + context.get_option_value('answer'))\n"
    )
    words = ["--py-pass-path", file, "--option", "answer=4 2", "--stage", "BeforeInferShape"]
    run(GE_OPT, *words, f"--crash-reproducer={reproducer}", graph, status=1)
    header = reproducer.read_text().splitlines()[:3]
    assert header[0] == "// ge-opt --run-reproducer: Fails"
    assert header[2] == "// Stage: BeforeInferShape"
    path = {"PATH": f"{GE_OPT.parent}:{os.environ['PATH']}"}
    command = header[1].removeprefix("// Run: ")
    again = run("sh", "-c", command, env=environment(**path), status=1)
    assert "ValueError: answer 4 2" in again.stderr and f"{file}:5" in again.stderr


@pytest.mark.parametrize("module", ["fails_by_name", "pk.fails"])
def test_a_reproducer_of_a_module_runs_as_it_is(tmp_path: Path, graph: Path, module: str) -> None:
    """The command names the module: loaded as a single file, it could not import other modules of its package."""
    reproducer = tmp_path / "again.mlir"
    (tmp_path / "pk").mkdir()
    (tmp_path / "pk/__init__.py").touch()
    (tmp_path / "pk/words.py").write_text("WORDS = 'found by name'\n")
    file = tmp_path / f"{module.replace('.', '/')}.py"
    file.write_text(
        f"from {'.' if '.' in module else 'pk.'}words import WORDS\n"
        "from ge.passes import FusionBasePass, PassStage, register_fusion_pass\n"
        "@register_fusion_pass(name='Fails', stage=PassStage.BEFORE_INFER_SHAPE)\n"
        "class Fails(FusionBasePass):\n"
        "    def run(self, graph, context):\n"
        "        raise ValueError(WORDS)\n"
    )
    path = {"PATH": f"{GE_OPT.parent}:{os.environ['PATH']}", "PYTHONPATH": str(tmp_path)}
    words = ["--py-pass-module", module, "--stage", "BeforeInferShape"]
    kept = f"--crash-reproducer={reproducer}"
    run(GE_OPT, *words, kept, graph, env=environment(**path), status=1)
    line = reproducer.read_text().splitlines()[1]
    assert f"--py-pass-module={module}" in line
    again = run("sh", "-c", line.removeprefix("// Run: "), env=environment(**path), status=1)
    assert "ValueError: found by name" in again.stderr


def test_a_reproducer_of_a_package_in_a_directory_runs_as_it_is(
    tmp_path: Path, graph: Path
) -> None:
    """The command names the package, because the pass's file imports another module of it."""
    reproducer, package = tmp_path / "again.mlir", tmp_path / "places/pk"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from .fails import Fails\n")
    (package / "words.py").write_text("WORDS = 'of a package'\n")
    (package / "fails.py").write_text(
        "from .words import WORDS\n"
        "from ge.passes import FusionBasePass, PassStage, register_fusion_pass\n"
        "@register_fusion_pass(name='Fails', stage=PassStage.BEFORE_INFER_SHAPE)\n"
        "class Fails(FusionBasePass):\n"
        "    def run(self, graph, context):\n"
        "        raise ValueError(WORDS)\n"
    )
    path = {"PATH": f"{GE_OPT.parent}:{os.environ['PATH']}"}
    words = ["--py-pass-path", package.parent, "--stage", "BeforeInferShape"]
    kept = f"--crash-reproducer={reproducer}"
    run(GE_OPT, *words, kept, graph, env=environment(**path), status=1)
    line = reproducer.read_text().splitlines()[1]
    assert f"--py-pass-path={package}/__init__.py" in line
    again = run("sh", "-c", line.removeprefix("// Run: "), env=environment(**path), status=1)
    assert "ValueError: of a package" in again.stderr
