"""``ge plugins``, ``ge why`` and ``ge optimize --passes file.py``: pass files on the command line."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_run import Ran, ge, write_model

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import helper  # noqa: E402

from ge.passes import unload_pass_plugins  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's own libraries are not built for it

PASS = '''
"""Passes for the tests."""
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass

@register_fusion_pass(name="{name}", stage=PassStage.BEFORE_INFER_SHAPE)
class NegOfNeg(PatternFusionPass):
    """Takes two Negs out."""

    @pattern
    def twice(self, x):
        return op.Neg(op.Neg(x))

    def replacement(self, x):
        return op.Abs(op.Abs(x))
'''


@pytest.fixture(autouse=True)
def plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("ASCEND_GE_PY_PASS_PATH", raising=False)
    yield
    unload_pass_plugins()


def write_pass(path: Path, name: str = "NegOfNeg") -> Path:
    path.write_text(PASS.format(name=name))
    path.chmod(0o644)
    return path


def negs(path: Path, ops: tuple[str, ...]) -> Path:
    nodes = [helper.make_node(op, [f"v{i}"], [f"v{i + 1}"], f"n{i}") for i, op in enumerate(ops)]
    ends = {"v0": ("FLOAT", [4])}
    return write_model(path, nodes, ends, {f"v{len(ops)}": ("FLOAT", [4])})


def test_plugins_lists_built_in_passes_and_those_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = ge("plugins", "--json")
    names = {p["name"] for p in done.json["passes"]}
    assert (done.status, {"dce", "optimize"} <= names) == (0, True)
    file = write_pass(tmp_path / "mine.py")
    file.write_text(f'__version__ = "2.1"\n{file.read_text()}')
    done = ge("plugins", file)
    assert done.status == 0
    (line,) = (line for line in done.out.splitlines() if line.startswith("NegOfNeg"))
    assert "pattern_fusion" in line
    assert "mine" in line and " 2.1 " in line and " template " in line
    monkeypatch.setenv("ASCEND_GE_PY_PASS_PATH", str(write_pass(tmp_path / "other.py", "Other")))
    assert "Other" in ge("plugins").out


def test_plugins_says_what_could_not_be_loaded(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("import no_such_module")
    done = ge("plugins", bad, write_pass(tmp_path / "good.py"))
    assert done.status == 1
    assert "bad.py: ModuleNotFoundError: No module named 'no_such_module'" in done.err
    assert "NegOfNeg" in done.out
    assert ge("plugins", tmp_path / "none.py").status == 1


def test_optimize_runs_a_pass_file(tmp_path: Path) -> None:
    path, target = negs(tmp_path / "m.onnx", ("Neg", "Neg", "Exp")), tmp_path / "o.onnx"
    file = write_pass(tmp_path / "mine.py")
    done = ge("optimize", path, "-o", target, "--passes", file, "--passes", "dce")
    assert (done.status, done.err) == (0, "")
    assert [n.op_type for n in onnx.load(target).graph.node] == ["Abs", "Abs", "Exp"]
    # -(-x) is not | |x| |: the check fails, and nothing is written.
    target.unlink()
    done = ge("optimize", path, "-o", target, "--passes", file, "--check", "1")
    assert (done.status, target.exists()) == (1, False)
    assert ge("diff", path, path).status == 0


def test_a_pass_file_that_is_wrong(tmp_path: Path) -> None:
    path, target = negs(tmp_path / "m.onnx", ("Neg", "Neg")), tmp_path / "o.onnx"
    bad, empty = tmp_path / "bad.py", tmp_path / "empty.py"
    bad.write_text("1 / 0")
    empty.write_text("")
    os.mkfifo(tmp_path / "pipe.py")
    for file, says in (
        (bad, "ZeroDivisionError: division by zero"),
        (empty, "registers no pass"),
        (tmp_path / "none.py", "no such file"),
        (tmp_path / "pipe.py", "not a regular file"),
    ):
        done = ge("optimize", path, "-o", target, "--passes", file)
        assert (done.status, says in done.err, target.exists()) == (1, True, False), done.err
        assert "Traceback" not in done.err


def test_why(tmp_path: Path) -> None:
    file = write_pass(tmp_path / "mine.py")
    matching, other = (
        negs(tmp_path / "a.onnx", ("Neg", "Neg")),
        negs(tmp_path / "b.onnx", ("Neg", "Abs", "Neg")),
    )
    done = ge("why", file, matching, "--json")
    assert (done.status, done.json["explanations"][0]["matches"]) == (0, 1)
    done = ge("why", file, other, "--json")
    assert done.status == 1
    (explanation,) = done.json["explanations"]
    assert explanation["matches"] == 0
    reasons = [(a["matched"], a["expected"], a["found"]) for a in explanation["attempts"]]
    assert (1, "onnx.Neg", "onnx.Abs 'n1'") in reasons
    assert "onnx.Abs" in ge("why", file, other).out
    for words, status, says in (
        ([file, other, "--node", "nobody"], 1, "has no node 'nobody'"),
        ([file, other, "--most", "0"], 2, "at least 1"),
        (["nothere", other], 1, "no such pass is registered"),
        (["NegOfNef", other], 1, "did you mean 'NegOfNeg'?"),
        (["dce", other], 1, "it edits by itself"),
        ([tmp_path / "none.py", other], 1, "no such file"),
    ):
        done = ge("why", *words)
        assert (done.status, says in done.err) == (status, True), done


def test_why_looks_at_what_other_passes_leave(tmp_path: Path) -> None:
    file = write_pass(tmp_path / "mine.py")
    between = negs(tmp_path / "between.onnx", ("Neg", "Identity", "Neg"))
    assert ge("why", file, between).status == 1
    done = ge("why", file, between, "--after", "eliminate-identity", "--json")
    assert done.status == 0 and done.json["after"] == "eliminate-identity"
    # A pass file works, too, and of several the first comes first.
    other = write_pass(tmp_path / "other.py", "First")
    twice = negs(tmp_path / "twice.onnx", ("Neg", "Neg"))
    assert ge("why", file, twice).status == 0
    assert ge("why", file, twice, "--after", other, "--after", "cse").status == 1
    done = ge("why", file, twice, "--after", "no-such-pass")
    assert done.status == 2 and "no pass 'no-such-pass'" in done.err


@pytest.mark.parametrize(
    ("ops", "line"),
    [
        (("Neg", "Neg", "Exp", "Neg", "Neg"), "Mine 2 matches, Twin 0 matches"),
        (("Neg", "Neg"), "Mine 1 match, Twin 0 matches"),
        (("Exp",), "Mine 0 matches, Twin 0 matches"),
    ],
)
def test_optimize_says_how_often_each_pass_of_a_file_matched(
    tmp_path: Path, ops: tuple[str, ...], line: str
) -> None:
    file = tmp_path / "mine.py"
    second = PASS.split("@register", 1)[1].replace("NegOfNeg", "Other").replace("op.Neg", "op.Cos")
    file.write_text(PASS.format(name="Mine") + "\n@register" + second.format(name="Twin"))
    file.chmod(0o644)
    model = negs(tmp_path / "in.onnx", ops)
    done = ge("optimize", model, "-o", tmp_path / "out.onnx", "--passes", file)
    assert done.status == 0 and f"{file}: {line}\n" in done.out
    done = ge("optimize", model, "-o", tmp_path / "out.onnx", "--passes", file, "--skip", "Twin")
    assert f"{line.partition(',')[0]}, Twin did not run\n" in done.out


def test_why_has_types_inferred_and_leaves_other_kinds_out(tmp_path: Path) -> None:
    file = tmp_path / "ranks.py"
    file.write_text("""
from ge.es import onnx as op
from ge.passes import FusionBasePass, PassStage, PatternFusionPass, pattern, register_fusion_pass

@register_fusion_pass(name="Ranks", stage=PassStage.BEFORE_INFER_SHAPE)
class Ranks(PatternFusionPass):
    @pattern
    def neg(self, x):
        return op.Neg(op.Neg(x).where(rank=1))

    def replacement(self, x):
        return x

@register_fusion_pass(name="Whole", stage=PassStage.BEFORE_INFER_SHAPE)
class Whole(FusionBasePass):
    def run(self, graph, context):
        pass
""")
    done = ge("why", file, negs(tmp_path / "a.onnx", ("Neg", "Neg")), "--json")
    assert (done.status, done.err) == (0, "")
    assert [(e["pass"], e["matches"]) for e in done.json["explanations"]] == [("Ranks", 1)]


CONDITION = PASS.replace(
    "    def replacement",
    """    def meet_requirements(self, match, context):
        context.count("asked")
        assert context.get_pass_name() == "NegOfNeg"
        return match["x"].type.rank == {rank}

    def replacement""",
)


def test_why_asks_the_condition(tmp_path: Path) -> None:
    # The model declares no type for inner values: `why` infers types first, as `optimize` does.
    model = negs(tmp_path / "m.onnx", ("Abs", "Neg", "Neg"))

    def why(rank: object, *words: str) -> Ran:
        file = tmp_path / f"rank_{words}_{len(str(rank))}_{rank!s:.1}.py"
        file.write_text(CONDITION.format(name="NegOfNeg", rank=rank))
        try:
            return ge("why", file, model, *words)
        finally:
            unload_pass_plugins()

    done = why(3, "--json")
    (explanation,) = done.json["explanations"]
    assert (done.status, explanation["matches"]) == (1, 0)
    attempts = [(a["reason"], a["matched"]) for a in explanation["attempts"]]
    assert attempts == [("condition", 2), ("operator", 1)]
    assert why(1, "--json").json["explanations"][0]["matches"] == 1
    done = why("1 / 0")
    assert done.status == 1
    assert "meet_requirements" in done.err and "ZeroDivisionError" in done.err


DECOMPOSITION = """
from ge import es
from ge.es import onnx as op
from ge.passes import DecomposePass, PassSkip, PassStage, register_decompose_pass

@register_decompose_pass(name="SplitNeg", stage=PassStage.BEFORE_INFER_SHAPE, op_types=["{op}"])
class SplitNeg(DecomposePass):
    def meet_requirements(self, node, context):
        assert context.get_pass_name() == "SplitNeg"
        if node.name == "n1":
            raise PassSkip("n1 is left out")
        return node.name != "n2"

    def replacement(self, node):
        raise AssertionError("nothing is replaced")
"""


def test_why_explains_passes_for_single_nodes(tmp_path: Path) -> None:
    file = tmp_path / "split.py"
    file.write_text(DECOMPOSITION.format(op="Neg"))
    model = negs(tmp_path / "m.onnx", ("Neg", "Neg", "Neg", "Abs"))
    done = ge("why", file, model, "--json")
    (said,) = done.json["explanations"]
    assert (done.status, said["matches"]) == (0, 1)
    assert [(a["node"], a["reason"], a["found"]) for a in said["attempts"]] == [
        ("n1", "condition", "n1 is left out"),
        ("n2", "condition", "it says no"),
    ]
    done = ge("why", file, model, "--node", "n3", "--json")
    assert [a["reason"] for a in done.json["explanations"][0]["attempts"]] == ["operator"]
    assert "found:    onnx.Abs 'n3'" in ge("why", file, model, "--node", "n3").out

    unload_pass_plugins()
    file = tmp_path / "misspelt.py"
    file.write_text(DECOMPOSITION.format(op="Negg"))
    done = ge("why", file, model)
    assert (done.status, "near: onnx.Neg, 3 in this graph" in done.out) == (1, True)


def test_why_reports_what_was_never_loaded_as_json(tmp_path: Path) -> None:
    model = negs(tmp_path / "m.onnx", ("Neg", "Neg"))
    bad = tmp_path / "bad.py"
    bad.write_text("x =")
    for words, reason, says in (
        (["nothere"], "never-loaded", "no such pass"),
        ([bad], "never-loaded", "SyntaxError"),
        (["dce"], "no-patterns", "it edits by itself"),
    ):
        (said,) = ge("why", *words, model, "--json").json["explanations"]
        assert (said["matches"], said["reason"], says in said["message"]) == (0, reason, True)


def test_optimize_says_why_no_pass_of_a_file_matches(tmp_path: Path) -> None:
    file, out = write_pass(tmp_path / "mine.py"), tmp_path / "out.onnx"
    model = negs(tmp_path / "m.onnx", ("Neg", "Abs", "Neg"))
    done = ge("optimize", model, "-o", out, "--passes", file)
    assert (done.status, out.exists()) == (0, True)
    assert "ge: NegOfNeg: 0 matches" in done.err
    assert "found:    onnx.Abs 'n1'" in done.err and f"'ge why {file} {model}'" in done.err
    (one,) = ge("optimize", model, "-o", out, "--passes", file, "--json").json["unmatched"]
    assert (one["pass_name"], one["reason"], len(one["attempts"])) == ("NegOfNeg", "operator", 2)
    # A file with several passes is reported only if none of them matches.
    file.write_text(file.read_text() + DECOMPOSITION.format(op="Softmax"))
    unload_pass_plugins()
    matching = negs(tmp_path / "n.onnx", ("Neg", "Neg"))
    done = ge("optimize", matching, "-o", out, "--passes", file)
    assert (done.status, done.err) == (0, "")
    done = ge("optimize", model, "-o", out, "--passes", file)
    assert "NegOfNeg: 0 matches" in done.err and "SplitNeg: 0 matches" in done.err
    # For many passes the report is one line.
    many = "\n".join(PASS.format(name=f"Neg{i}") for i in range(4))
    file.write_text(many)
    unload_pass_plugins()
    done = ge("optimize", model, "-o", out, "--passes", file)
    assert done.err == f"ge: no pass of {file} matches; 'ge why {file} {model}' tells why\n"


def test_files_stand_between_other_passes(tmp_path: Path) -> None:
    file, out = write_pass(tmp_path / "mine.py"), tmp_path / "out.onnx"
    model = negs(tmp_path / "m.onnx", ("Neg", "Identity", "Neg"))
    done = ge(
        "optimize",
        model,
        "-o",
        out,
        "--passes",
        f"fixpoint(cse,eliminate-identity),{file}",
        "--json",
    )
    assert done.json["matches"]["NegOfNeg"] == 1
    assert done.json["pipeline"] == "infer-types,fixpoint(cse,eliminate-identity),NegOfNeg"
    assert (
        ge("optimize", model, "-o", out, "--passes", f"{file},eliminate-identity", "--json").json[
            "matches"
        ]["NegOfNeg"]
        == 0
    )


@pytest.fixture
def readme_pass(tmp_path: Path) -> Path:
    readme = (Path(__file__).resolve().parents[3] / "README.md").read_text(encoding="utf-8")
    (text,) = (b for b in re.findall(r"```python\n(.*?)```", readme, re.S) if "PatternFusion" in b)
    file = tmp_path / "my_pass.py"
    file.write_text(text)
    return file


def optimized(model: Path, file: Path) -> list[str]:
    """Return the operators of a model after a pass file and -O, with the result checked."""
    target = model.with_suffix(".after.onnx")
    done = ge("optimize", model, "-o", target, "--passes", file, "-O", "--check", "2")
    assert done.status == 0, done.err
    return [node.op_type for node in onnx.load(str(target)).graph.node]


def test_the_pass_of_the_readme(tmp_path: Path, readme_pass: Path) -> None:
    # The model declares no type for `m` and `h`; the pass needs their ranks, which must be inferred.
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"]),
        helper.make_node("Add", ["m", "b"], ["h"]),
        helper.make_node("MatMul", ["h", "w"], ["n"]),
        helper.make_node("Add", ["b", "n"], ["y"]),
    ]
    ends = {"x": ("FLOAT", ["N", 4])}, {"y": ("FLOAT", None)}
    weights = {"w": np.full((4, 4), 0.5, np.float32), "b": np.ones(4, np.float32)}
    model = write_model(tmp_path / "m.onnx", nodes, *ends, weights)
    assert optimized(model, readme_pass) == ["Gemm", "Gemm"]


@pytest.mark.parametrize(
    ("x", "w", "b"),
    [((2, 3, 4), (4, 5), (5,)), ((2, 4), (4,), (2,)), ((1, 4), (4, 5), (3, 5)), ((1, 4), (4, 5), (2, 1, 5))],
    ids=["batch", "vector", "more-rows", "more-axes"],
)  # fmt: skip
def test_the_pass_of_the_readme_leaves_what_is_no_gemm(
    tmp_path: Path, readme_pass: Path, x: Any, w: Any, b: Any
) -> None:
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"]),
        helper.make_node("Add", ["m", "b"], ["y"]),
    ]
    inputs = {name: ("FLOAT", shape) for name, shape in {"x": x, "w": w, "b": b}.items()}
    model = write_model(tmp_path / "m.onnx", nodes, inputs, {"y": ("FLOAT", None)})
    assert optimized(model, readme_pass) == ["MatMul", "Add"]
