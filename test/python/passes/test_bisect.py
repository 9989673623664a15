"""``ge bisect`` finds the first wrong rewrite of a pipeline, judged by the built-in check or by a command."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from cli_models import chain
from cli_run import ge

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import ge.ir as ir  # noqa: E402
import ge.onnx as ge_onnx  # noqa: E402
from ge import es  # noqa: E402
from ge.es import onnx as op  # noqa: E402
from ge.passes import (  # noqa: E402
    FusionBasePass,
    PassManager,
    SubgraphBoundary,
    SubgraphInput,
    SubgraphOutput,
    SubgraphRewriter,
    WrongRewriteError,
    bisect,
    check_reproducer,
    clear_registered_passes,
    load_pass_plugins,
    register_pass,
    unload_pass_plugins,
)

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    chain(tmp_path / "m.onnx", 5)
    yield tmp_path
    unload_pass_plugins()
    clear_registered_passes()
    gc.collect()


def write_pass(here: Path, replacement: str) -> int:
    """Write a pass with one wrong rewrite; return its line."""
    text = f"""
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass


@register_fusion_pass(name="Turn", stage=PassStage.BEFORE_INFER_SHAPE)
class Turn(PatternFusionPass):
    @pattern
    def add(self, x, b):
        return op.Add(x, b)

    def replacement(self, x, b):
        return {replacement}
"""
    (here / "my_pass.py").write_text(text)
    (here / "my_pass.py").chmod(0o644)
    return text[: text.index("def replacement")].count("\n") + 1


THIRD = "op.Sub(x, b if x.node.name == 'mul2' else op.Neg(b))"


@pytest.mark.slow
def test_the_third_of_five_rewrites(here: Path) -> None:
    line = write_pass(here, THIRD)
    done = ge("bisect", "m.onnx", "--passes", "my_pass.py", "-O", "--json")
    assert done.status == 1, done.err
    found = done.json["found"]
    assert (found["pass_name"], found["rewrite"], found["rewrites"]) == ("Turn", 3, 5)
    assert (found["at"], found["nodes"]) == ("add2", ["onnx.Add add2"])
    assert found["file"].endswith("my_pass.py") and found["line"] == line
    assert found["skipped"] == 0 and found["tested"] < 14
    report = check_reproducer(found["reproducer"])
    assert not report and Path(found["reproducer"]).name == "ge-bisect-Turn-3.mlir"
    done = ge("bisect", "m.onnx", "--passes", "my_pass.py")
    assert "first wrong: pass 'Turn'" in done.out and "rewrite 3 of 5, at node 'add2'" in done.out


def test_a_right_pipeline(here: Path) -> None:
    write_pass(here, "op.Sub(x, op.Neg(b))")
    done = ge("bisect", "m.onnx", "--passes", "my_pass.py", "-O")
    assert done.status == 0 and "m.onnx is right after all passes" in done.out
    assert ge("bisect", "m.onnx", "--passes", "my_pass.py", "--json").json["found"] is None


def script(here: Path, body: str) -> str:
    # Matches the bytes of NodeProto's field op_type; importing onnx in each child would dominate the run time.
    (here / "oracle.py").write_text(
        "import sys\nsubs = open(sys.argv[1], 'rb').read().count(b'\\x22\\x03Sub')\n" + body
    )
    return f"{sys.executable} oracle.py"


@pytest.mark.slow
def test_a_command_says_what_is_right(here: Path) -> None:
    write_pass(here, "op.Sub(x, op.Neg(b))")
    oracle = script(here, "sys.exit(subs >= 4)")
    words = ["bisect", "m.onnx", "--passes", "my_pass.py", "--json", "--script"]
    done = ge(*words, oracle)
    assert (done.status, done.json["found"]["rewrite"]) == (1, 4)
    assert ge(*words, f"{oracle} {{}} more").json["found"]["rewrite"] == 4
    # Exit status 125: the command cannot judge the candidates with two or three Subs.
    oracle = script(here, "sys.exit({2: 125, 3: 125}.get(subs, subs > 1))")
    found = ge(*words, oracle).json["found"]
    assert (found["rewrite"], found["skipped"]) == (4, 2)
    done = ge("bisect", "m.onnx", "--passes", "my_pass.py", "--script", oracle)
    assert "or one of the 2 before it, which could not be tested" in done.out


def test_a_killed_search_leaves_no_model(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pass(here, "op.Sub(x, op.Neg(b))")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (here / "oracle.py").write_text(
        "import os, shutil, signal, sys\n"
        "shutil.copyfile(sys.argv[1], 'seen')\n"
        "os.kill(int(sys.argv[2]), signal.SIGKILL)\n"
    )
    script = f"{sys.executable} oracle.py {{}} $PPID"
    words = [sys.executable, "-m", "ge", "bisect", "m.onnx", "--passes", "my_pass.py"]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    done = subprocess.run([*words, "--script", script], cwd=here, env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    assert (here / "seen").read_bytes()  # the script could read it
    assert not list(temporary.rglob("*"))


def test_the_commands_of_ge_read_the_model_of_a_script(here: Path) -> None:
    write_pass(here, "op.Sub(x, op.Neg(b))")
    script = f"{sys.executable} -m ge info {{}} > /dev/null"
    assert ge("bisect", "m.onnx", "--passes", "my_pass.py", "--script", script).status == 0


def test_commands_that_cannot_help(here: Path) -> None:
    write_pass(here, "op.Sub(x, op.Neg(b))")
    words = ["bisect", "m.onnx", "--passes", "my_pass.py", "--script"]
    done = ge(*words, script(here, "sys.exit(1)"))
    assert done.status == 1 and "the model is not right" in done.err
    done = ge(*words, "exit 200; true")
    assert done.status == 1 and "the script ended with status 200" in done.err
    assert ge("bisect", "m.onnx", "--passes", "nosuch").status == 2
    assert ge("bisect", "m.onnx", "--runs", "0").status == 2
    assert ge("bisect", "missing.onnx").status == 1


def test_a_pass_that_edits_by_itself(here: Path) -> None:
    @register_pass("lose")
    def lose(graph: ir.Graph, context: Any) -> None:
        if node := graph.find("mul3"):
            node.replace_with(node.operands[0])

    module = ge_onnx.load("m.onnx")

    def is_right(candidate: ir.Module) -> bool:
        return bool(ge_onnx.check(module, candidate, runs=1))

    found = bisect(module, "infer-types,dce,lose,cse", is_right, directory=here)
    assert found is not None
    assert (found.pass_name, found.execution, found.rewrite) == ("lose", 3, 0)
    assert found.file == __file__ and "as a whole" in str(found)
    assert not check_reproducer(found.reproducer)
    assert bisect(module, "infer-types,dce,cse", is_right) is None
    assert len(module.graphs[0].find_all("onnx.Mul")) == 5


class ByHand(FusionBasePass):
    """Replaces each Add by an equivalent Sub and Neg with SubgraphRewriter; the third replacement is wrong."""

    status: ClassVar[list[int | None]] = []

    def run(self, graph: ir.Graph, context: Any) -> None:
        for add in list(graph.find_all("onnx.Add")):
            boundary = SubgraphBoundary()
            for index in (0, 1):
                boundary.add_input(index, SubgraphInput([(add, index)]))
            boundary.add_output(0, SubgraphOutput(add, 0))
            with es.builder("by_hand", opset=17) as b:
                x, y = b.input("x", add.operands[0].type), b.input("y", add.operands[1].type)
                wrong = add.operands[0].node.name == "mul2"
                b.output(op.Sub(x, y if wrong else op.Neg(y)))
            self.status.append(SubgraphRewriter.replace(boundary, b.graph))


def test_a_rewrite_by_hand(here: Path) -> None:
    register_pass("by-hand")(ByHand)
    module = ge_onnx.load("m.onnx")
    right = module.clone()

    def is_right(candidate: ir.Module) -> bool:
        return bool(ge_onnx.check(right, candidate, runs=1))

    found = bisect(module, "infer-types,by-hand,cse", is_right, directory=here)
    assert found is not None
    assert (found.pass_name, found.rewrite, found.rewrites) == ("by-hand", 3, 5)
    assert found.nodes == ["onnx.Add add2"] and "onnx.Sub" in found.made[-1]
    assert found.file == __file__ and not check_reproducer(found.reproducer)


def test_a_limit_ends_rewrites_by_hand() -> None:
    module = ge_onnx.load("m.onnx")
    ByHand.status.clear()
    result = PassManager().add(ByHand).set_rewrite_limit(2).run(module)
    # The first rewrite beyond the limit ends the pass; earlier rewrites are kept.
    assert ByHand.status == [0, 0] and result.passes[0].rewrites == 2
    assert len(module.graphs[0].find_all("onnx.Sub")) == 2


def test_a_rewrite_by_hand_is_checked(here: Path) -> None:
    module = ge_onnx.load("m.onnx")
    before = module.to_text()
    with pytest.raises(WrongRewriteError) as caught:
        PassManager(check="rewrite", check_dir=here).add(ByHand).run(module)
    error = caught.value
    assert (error.number, error.nodes, error.file) == (3, ["onnx.Add add2"], __file__)
    assert module.to_text() == before


def test_a_rewrite_of_a_run_inside_a_pass(here: Path) -> None:
    write_pass(here, THIRD)
    load_pass_plugins(str(here / "my_pass.py"))

    @register_pass("inside")
    def inside(graph: ir.Graph, context: Any) -> None:
        PassManager.parse("Turn").run(graph)

    module = ge_onnx.load("m.onnx")
    found = bisect(
        module,
        "inside",
        lambda candidate: bool(ge_onnx.check(module, candidate, runs=1)),
        directory=here,
    )
    assert found is not None
    assert (found.pass_name, found.rewrite, found.rewrites, found.at) == ("inside", 3, 5, "add2")


def test_a_rewrite_of_a_built_in_pass(here: Path) -> None:
    """The check pretends that folding the second of three Identity nodes makes the model wrong."""
    graph = ir.Graph("main")
    graph.attributes["opset"] = 17
    value = graph.add_input("x", ir.TensorType((2,), ir.f32))
    for i in range(3):
        relu = graph.add_node("onnx.Relu", [value], result_types=value.type)
        value = graph.add_node(
            "onnx.Identity", [relu], name=f"id{i}", result_types=value.type
        ).result
    graph.outputs = [graph.add_node("onnx.Neg", [value], result_types=value.type)]
    module = ir.Module("m")
    module.add_graph(graph)

    def is_right(candidate: ir.Module) -> bool:
        return len(candidate.graphs[0].find_all("onnx.Identity")) > 1

    found = bisect(module, "dce,fixpoint(eliminate-identity)", is_right, directory=here)
    assert found is not None
    assert (found.pass_name, found.where) == ("eliminate-identity", "fixpoint#1")
    assert (found.rewrite, found.rewrites, found.at) == (2, 3, "id1")
    assert found.nodes == []
    assert Path(found.reproducer).exists()
