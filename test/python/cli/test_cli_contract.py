"""Match contracts on the command line: --expect, the lock file, pyproject.toml; a broken one prevents the output."""

import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_models import chain
from cli_run import ge, write_model

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import helper  # noqa: E402

from ge.passes import unload_pass_plugins  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's own libraries are not built for it

PASS = """
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass


@register_fusion_pass(name="MulAdd", stage=PassStage.BEFORE_INFER_SHAPE)
class MulAdd(PatternFusionPass):
    @pattern
    def mul_add(self, x, a, b):
        return op.Add(op.Mul(x, a), b)

    def meet_requirements(self, match):
        return match["x"].type.rank == 2

    def replacement(self, x, a, b):
        return op.Sub(op.Mul(x, a), op.Neg(b))
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_pass.py").write_text(PASS)
    (tmp_path / "my_pass.py").chmod(0o644)
    chain(tmp_path / "m.onnx")
    yield tmp_path
    unload_pass_plugins()
    gc.collect()


def optimize(*words: object, model: str = "m.onnx", out: str = "out.onnx") -> Any:
    return ge("optimize", model, "-o", out, "--passes", "my_pass.py", *words)


def test_expect_on_the_command_line(here: Path) -> None:
    assert optimize("--expect", "MulAdd=3").status == 0
    (here / "out.onnx").unlink()
    done = optimize("--expect", "MulAdd=4")
    assert done.status == 1 and not (here / "out.onnx").exists()
    line = PASS[: PASS.index("def replacement")].count("\n") + 1
    assert f"my_pass.py:{line}): 3 matches, 4 were expected" in done.err
    assert "out.onnx was not written" in done.err
    done = optimize("--expect", "MulAdd=2")
    assert done.status == 0 and "matched 3 times, 2 were expected\nge: --lock, or" in done.err


@pytest.mark.parametrize("word", ["MulAdd", "MulAdd=many", "=3", "MulAdd=-1"])
def test_expect_that_is_none(word: str) -> None:
    assert optimize("--expect", word).status == 2


def test_the_lock_file_round_trips(here: Path) -> None:
    done = optimize("--lock")
    assert (done.status, done.err) == (0, "") and "ge.lock: MulAdd 3" in done.out
    written = (here / "ge.lock").read_text()
    nodes = ["add0", "add1", "add2"]
    assert json.loads(written) == {
        "version": 1,
        "models": {"m.onnx": {"infer-types,MulAdd": {"MulAdd": {"matches": 3, "nodes": nodes}}}},
    }
    # Writing it again gives the same file, and the run is checked against it by default.
    assert optimize("--lock").status == 0
    assert (here / "ge.lock").read_text() == written
    for words in ([], ["--locked"], ["--no-lock"]):
        assert (optimize(*words).status, optimize(*words).err) == (0, "")


def test_a_lost_match_is_named_and_nothing_written(here: Path) -> None:
    assert optimize("--lock").status == 0
    (here / "out.onnx").unlink()
    chain(here / "m.onnx", neg=1)
    written = (here / "ge.lock").read_text()
    done = optimize("--json")
    assert done.status == 1 and not (here / "out.onnx").exists()
    facts = json.loads(done.out)
    assert facts["written"] is False
    (lost,) = facts["lost"]
    assert (lost["pass_name"], lost["expected"], lost["found"]) == ("MulAdd", 3, 2)
    assert (lost["reason"], lost["nodes"]) == ("operator", ["add1"])
    assert lost["file"].endswith("my_pass.py") and lost["line"] > 1
    assert lost["attempts"][0]["node"] == "neg1"
    assert "it does not match any more at 'add1'" in done.err
    assert (here / "ge.lock").read_text() == written
    # The options accept the current matches.
    assert optimize("--no-lock").status == 0
    assert optimize("--lock").status == 0
    assert optimize("--locked").status == 0


def test_a_condition_that_fails_is_the_reason(here: Path) -> None:
    assert optimize("--lock").status == 0
    chain(here / "m.onnx", shape=("N", 3, 3))
    done = optimize()
    assert done.status == 1 and "then condition" in done.err
    assert all(f"at onnx.Add 'add{i}'" in done.err for i in range(3))


def test_a_pass_that_is_not_there_any_more(here: Path) -> None:
    assert optimize("--lock").status == 0
    lock = json.loads((here / "ge.lock").read_text())
    passes = lock["models"]["m.onnx"]["infer-types,MulAdd"]
    passes["MulAdds"] = passes["MulAdd"]
    (here / "ge.lock").write_text(json.dumps(lock))
    done = optimize()
    assert done.status == 1 and "did you mean 'MulAdd'?" in done.err


def test_each_model_and_pipeline_has_its_own(here: Path) -> None:
    (here / "models").mkdir()
    chain(here / "models" / "five.onnx", 5)
    assert optimize("--lock").status == 0
    assert optimize("--lock", model="models/five.onnx").status == 0
    assert optimize("--lock", "-O").status == 0
    models = json.loads((here / "ge.lock").read_text())["models"]
    assert list(models) == ["m.onnx", "models/five.onnx"]
    assert list(models["m.onnx"]) == ["infer-types,MulAdd", "infer-types,MulAdd,optimize"]
    # No match count is recorded for the passes of -O.
    assert list(models["m.onnx"]["infer-types,MulAdd,optimize"]) == ["MulAdd"]
    # A model or pipeline without an entry is an error with --locked only.
    chain(here / "new.onnx")
    assert optimize(model="new.onnx").status == 0
    done = optimize("--locked", model="new.onnx")
    assert done.status == 1 and "knows new.onnx not at all" in done.err
    done = optimize("--locked", "--skip", "infer-types")
    assert done.status == 1 and "not with the passes MulAdd" in done.err


def test_another_file_and_none(here: Path) -> None:
    done = optimize("--locked")
    assert done.status == 1 and "ge.lock is not there; 'ge optimize --lock' writes it" in done.err
    (here / "locks").mkdir()
    assert optimize("--lock", "--lock-file", "locks/a.json").status == 0
    assert not (here / "ge.lock").exists()
    assert list(json.loads((here / "locks" / "a.json").read_text())["models"]) == ["../m.onnx"]
    assert optimize("--locked", "--lock-file", "locks/a.json").status == 0
    assert optimize("--lock", "--locked").status == 2


def test_nothing_to_lock() -> None:
    done = ge("optimize", "m.onnx", "-o", "out.onnx", "--lock")
    assert done.status == 1 and "nothing to lock" in done.err


def test_what_cannot_be_written_is_not_locked(here: Path) -> None:
    done = optimize("--lock", out="nowhere/out.onnx")
    assert done.status == 1 and not (here / "ge.lock").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is no lock file"),
        ("[]", "is no lock file"),
        ('{"version": 2, "models": {}}', "is of version 2"),
        (
            '{"version": 1, "models": {"m.onnx": {"p": {"MulAdd": {"matches": -1}}}}}',
            "not a number",
        ),
        (
            '{"version": 1, "models": {"m.onnx": {"p": {"A": {"matches": 1, "nodes": "add0"}}}}}',
            "nodes are a tuple of names",
        ),
        ('{"version": 1, "models": {"m.onnx": {"p": {"MulAdd": 3}}}}', "is no lock file"),
    ],
)
def test_a_lock_file_that_is_none(here: Path, text: str, says: str) -> None:
    (here / "ge.lock").write_text(text)
    done = optimize()
    assert done.status == 2 and says in done.err
    assert optimize("--no-lock").status == 0


@pytest.mark.parametrize("name", ["ge.lock", "other.lock"])
def test_a_lock_file_that_is_a_pipe_is_not_waited_for(here: Path, name: str) -> None:
    os.mkfifo(here / name)
    more = [] if name == "ge.lock" else ["--lock-file", name]
    done = optimize(*more)
    assert done.status == 1 and "not a regular file but a pipe" in done.err, done


# --- pyproject.toml


def project(here: Path, text: str) -> None:
    (here / "pyproject.toml").write_text(text)


def test_expectations_of_the_project(here: Path) -> None:
    project(here, "[tool.ge.expect]\nMulAdd = 3\n")
    assert optimize().status == 0
    project(here, "[tool.ge.expect]\nMulAdd = 4\n")
    done = optimize()
    assert done.status == 1 and "3 matches, 4 were expected" in done.err
    # Expectations for passes that do not run are ignored.
    assert ge("optimize", "m.onnx", "-o", "out.onnx").status == 0


def test_expectations_of_single_models(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "models").mkdir()
    chain(here / "models" / "five.onnx", 5)
    project(here, '[tool.ge.expect]\nMulAdd = 3\n"models/*.onnx" = {MulAdd = 5}\n')
    assert (optimize().status, optimize(model="models/five.onnx").err) == (0, "")
    # Also from a subdirectory; paths are relative to the project's directory.
    monkeypatch.chdir(here / "models")
    done = ge("optimize", "five.onnx", "-o", "o.onnx", "--passes", "../my_pass.py")
    assert (done.status, done.err) == (0, "")
    project(here, '[tool.ge.expect."models/five.onnx"]\nMulAdd = 6\n')
    done = ge("optimize", "five.onnx", "-o", "o.onnx", "--passes", "../my_pass.py")
    assert done.status == 1 and "5 matches, 6 were expected" in done.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[tool.ge\n", "pyproject.toml: "),
        ("[tool.ge.expect]\nMulAdd = 'many'\n", "MulAdd: 'many' is not a number of matches"),
        ("[tool.ge.expect]\nMulAdd = true\n", "MulAdd: True is not a number of matches"),
        ("[tool.ge.expect.m]\nMulAdd = -1\n", "MulAdd: -1 is not a number of matches"),
        ("[tool.ge]\nexpect = 3\n", "[tool.ge.expect] is not a table"),
        ("[tool.ge]\nexpects = {}\n", "has 'expects', which is not a key: expect"),
        ("[tool]\nge = 3\n", "[tool.ge] is not a table"),
    ],
)
def test_a_table_that_says_something_else(here: Path, text: str, says: str) -> None:
    project(here, text)
    done = optimize()
    assert done.status == 2 and says in done.err and str(here / "pyproject.toml") in done.err


def test_a_project_without_a_table(here: Path) -> None:
    project(here, "[project]\nname = 'x'\n")
    assert optimize("--expect", "MulAdd=3").status == 0


# --- Many models


def test_many_models_are_held_to_what_is_expected(here: Path) -> None:
    many = ["--passes", "infer-types,fuse-matmul-add", "--jobs", "1", "--output-dir", "out"]
    project(here, '[tool.ge.expect."m.onnx"]\nfuse-matmul-add = 1\n')
    chain(here / "other.onnx")
    done = ge("optimize", "m.onnx", "other.onnx", *many)
    assert done.status == 1
    assert "m.onnx: matches were lost: pass 'fuse-matmul-add': 0 matches, 1 were" in done.err
    assert "m.onnx: it has no patterns that could be explained" in done.err
    assert sorted(p.name for p in (here / "out").glob("*.onnx")) == ["other.onnx"]


@pytest.mark.slow
def test_many_models_are_locked_with_passes_of_a_file(here: Path) -> None:
    chain(here / "other.onnx", 1)
    models = ["m.onnx", "other.onnx"]
    many = ["--passes", "my_pass.py", "--jobs", "1", "--output-dir", "out"]
    done = ge("optimize", *models, *many, "--lock")
    assert done.status == 0, done.err
    assert "ge.lock: m.onnx: MulAdd 3" in done.out and "ge.lock: other.onnx: MulAdd 1" in done.out
    content = json.loads((here / "ge.lock").read_text())["models"]
    (entry,) = content["m.onnx"].values()
    assert entry["MulAdd"]["matches"] == len(entry["MulAdd"]["nodes"]) == 3
    # Models that are skipped because they are up to date are locked, too.
    (here / "ge.lock").unlink()
    done = ge("optimize", *models, *many, "--lock", "--json")
    assert {m["status"] for m in done.json["models"]} == {"skipped"}
    assert json.loads((here / "ge.lock").read_text())["models"] == content

    assert ge("optimize", *models, *many, "--locked").status == 0
    chain(here / "other.onnx", 1, neg=0)
    done = ge("optimize", *models, *many)
    assert done.status == 1
    assert (
        "other.onnx: matches were lost: pass 'MulAdd'" in done.err and "ge: m.onnx" not in done.err
    )
    # Only models that succeed are locked.
    (here / "ge.lock").unlink()
    (here / "broken.onnx").write_bytes(b"no model")
    done = ge("optimize", "m.onnx", "broken.onnx", *many, "--lock", "--again")
    assert done.status == 1
    assert list(json.loads((here / "ge.lock").read_text())["models"]) == ["m.onnx"]


@pytest.mark.slow
def test_many_models_and_files_of_passes(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = ["--jobs", "1", "--output-dir", "out", "--json", "--passes"]
    # A model is optimized again if the pass file changed.
    assert ge("optimize", "m.onnx", *many, "my_pass.py").json["models"][0]["status"] == "done"
    assert ge("optimize", "m.onnx", *many, "my_pass.py").json["models"][0]["status"] == "skipped"
    (here / "my_pass.py").write_text(PASS.replace("rank == 2", "rank == 7"))
    unload_pass_plugins()
    done = ge("optimize", "m.onnx", *many, "my_pass.py")
    assert done.json["models"][0]["status"] == "done"
    assert "no pass of my_pass.py matches in any model; 'ge why my_pass.py MODEL'" in done.err
    # By name, from a file that the environment variable names.
    (here / "my_pass.py").write_text(PASS)
    unload_pass_plugins()
    assert ge("optimize", "m.onnx", *many, "MulAdd").status == 2
    monkeypatch.setenv("ASCEND_GE_PY_PASS_PATH", str(here))
    done = ge("optimize", "m.onnx", *many, "infer-types,MulAdd")
    assert done.json["models"][0]["matches"]["MulAdd"]["matches"] == 3
    done = ge("optimize", "m.onnx", "-o", "out.onnx", "--passes", "infer-types,MulAdd", "--json")
    assert done.json["matches"]["MulAdd"] == 3


@pytest.mark.slow
def test_many_models_say_what_one_does(here: Path) -> None:
    many = ["--jobs", "1", "--output-dir", "out", "--passes"]
    project(here, "[tool.ge.expect]\neliminate-identity = 0\n")
    nodes = helper.make_node("Identity", ["x"], ["a"]), helper.make_node("Relu", ["a"], ["y"])
    both = {"x": ("FLOAT", [2])}, {"y": ("FLOAT", [2])}
    write_model(here / "id.onnx", list(nodes), *both)
    done = ge("optimize", "id.onnx", *many, "eliminate-identity", "--check-rewrites", "--json")
    notes = done.json["models"][0]["notes"]
    assert notes[0].startswith("checked: ") and "matched 1 times, 0 were expected" in notes[1]
    again = ge("optimize", "id.onnx", *many, "eliminate-identity", "--check-rewrites", "--json")
    assert (again.json["models"][0]["status"], again.json["models"][0]["notes"]) == (
        "skipped",
        notes,
    )
    assert f"ge: id.onnx: {notes[1]}" in again.err


@pytest.mark.slow
def test_the_processes_of_many_models_say_nothing_beside_the_command(here: Path) -> None:
    nodes = [
        helper.make_node("Identity", ["x"], ["same"], "same"),
        helper.make_node("Bernoulli", ["same"], ["y"], "bits", seed=1.0),
    ]
    both = {"x": ("FLOAT", (2, 3))}, {"y": ("FLOAT", (2, 3))}
    write_model(here / "random.onnx", nodes, *both)
    code = (
        "import sys; from ge.cli import main; "
        "sys.exit(main('optimize random.onnx --output-dir out --jobs 1 --check-rewrites "
        "--passes eliminate-identity --expect eliminate-identity=0'.split()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    told = [line.removeprefix("ge: random.onnx: ") for line in done.stderr.splitlines()]
    starts = ("checked: 0 rewrites", "pass 'eliminate-identity' matched 1 times", "not evaluated: ")
    assert len(told) == len(starts), done.stderr
    assert all(line.startswith(start) for line, start in zip(told, starts, strict=True)), told


def test_toml_of_python_310_is_declared() -> None:
    text = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    assert "tomli>=2; python_version < '3.11'" in text
    assert sys.version_info < (3, 11) or __import__("tomllib")


# --- --check-rewrites


WRONG = PASS.replace("op.Neg(b)", "b")


@pytest.mark.slow
def test_a_wrong_rewrite_is_not_written(here: Path) -> None:
    (here / "my_pass.py").write_text(WRONG)
    done = optimize("--check-rewrites", "--reproducer-dir", "wrong", "--json")
    assert done.status == 1 and not (here / "out.onnx").exists()
    facts = json.loads(done.out)["wrong_rewrite"]
    assert (facts["pass_name"], facts["number"]) == ("MulAdd", 1)
    assert facts["nodes"] == ["onnx.Mul mul0", "onnx.Add add0"]
    assert facts["file"].endswith("my_pass.py") and facts["max_abs"] > 0.1
    assert Path(facts["reproducer"]) == Path("wrong/ge-rewrite-MulAdd-1.mlir")
    assert "out.onnx was not written" in done.err
    # The reproducer alone shows the difference again.
    again = ge("check", facts["reproducer"])
    assert again.status == 1 and "NOT equal: 1 runs" in again.out
    assert ge("check", facts["reproducer"], "--json").json["equal"] is False


@pytest.mark.slow
def test_each_of_many_models_has_its_reproducer(here: Path) -> None:
    (here / "my_pass.py").write_text(WRONG)
    chain(here / "other.onnx", 1)
    many = ["--passes", "my_pass.py", "--jobs", "1", "--output-dir", "out"]
    done = ge("optimize", "m.onnx", "other.onnx", *many, "--check-rewrites")
    assert done.status == 1
    texts = sorted(here.glob("*/*.mlir"))
    assert texts == [here / name / "ge-rewrite-MulAdd-1.mlir" for name in ("m", "other")]
    assert all(f"see {text}" in done.err for text in texts)


def test_right_rewrites_are_reported() -> None:
    done = optimize("--check-rewrites")
    assert done.status == 0 and "checked: 3 rewrites and 1 passes compute the same" in done.out
    facts = optimize("--check-rewrites", "--json").json
    assert facts["rewrite_check"]["rewrites"] == 3 and facts["matches"]["MulAdd"] == 3


def test_one_file_that_is_no_reproducer(here: Path) -> None:
    assert ge("convert", "m.onnx", "-o", "m.mlir").status == 0
    done = ge("check", "m.mlir")
    assert done.status == 2 and "has not the functions @matched and @replacement" in done.err


@pytest.mark.slow
def test_what_is_not_sure_is_said_once(here: Path) -> None:
    """The command reports it; the log does not repeat it."""
    nodes = [
        helper.make_node("Exp", ["bias"], ["positive"], "exp"),
        helper.make_node("Mul", ["x", "x"], ["m"], "mul"),
        helper.make_node("Relu", ["positive"], ["r"], "relu"),
        helper.make_node("Add", ["m", "r"], ["y"], "add"),
    ]
    (here / "my_pass.py").write_text(
        PASS.replace("op.Add(op.Mul(x, a), b)", "op.Add(op.Mul(x, a), op.Relu(b))")
    )
    both = {"x": ("FLOAT", [2, 3]), "bias": ("FLOAT", [2, 3])}
    write_model(here / "m.onnx", nodes, both, {"y": ("FLOAT", [2, 3])})
    code = (
        "import sys; from ge.cli import main; "
        "sys.exit(main('optimize m.onnx -o o.onnx --passes my_pass.py --check-rewrites'.split()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.count("equal only in context: pass 'MulAdd', rewrite 1") == 1
    assert (
        "0 rewrites and 1 passes compute the same, 1 rewrites where they stand only" in done.stdout
    )
