"""What is generated from the records is current: stubs of ge.es.*, the page that lists operators; and the stubs are right."""

import subprocess
import sys
from pathlib import Path

import pytest

import ge.ops as ops

ROOT = Path(__file__).resolve().parents[2]
TREE = Path(ops.__file__).parent.parent


@pytest.mark.nosan  # the child would need the sanitizer's run time
@pytest.mark.parametrize("script", ["gen_es_stubs.py", "gen_ops_docs.py"])
def test_generated_files_are_current(script: str) -> None:
    command = [sys.executable, str(ROOT / "scripts" / script), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.skipif(
    not Path(ops.__file__).with_suffix(".pyi").exists(), reason="built without stubs"
)
def test_a_type_checker_knows_the_builders(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    right = """\
import ge.ir as ir
import ge.ops as ops
import ge.es
from ge.es import onnx as op

def f(x: ir.Value) -> ir.Value:
    y = op.Conv(x, x, pads=[1, 1], _name="c")
    parts: list[ir.Value] = op.Split(x, num_outputs=2)
    record: ops.OpDef = ops.get("onnx::Conv")
    print(record.params[0].type.is_list, parts)
    with ge.es.builder("g") as b:
        b.output(y + 1)
    return op.TopK(y, 1).Values
"""
    wrong = """\
from ge.es import onnx as op
op.Conv()
op.Softmax(1, axis="a")
"""
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--namespace-packages"]
    command += ["--config-file", "", "--explicit-package-bases", "--no-error-summary", str(program)]
    for text, lines in ((right, []), (wrong, [2, 3])):
        program.write_text(text)
        done = subprocess.run(
            command,
            env={"MYPYPATH": str(TREE), "PATH": ""},
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
        complaints = [c for c in done.stdout.splitlines() if c.startswith("program.py")]
        assert sorted({int(c.split(":")[1]) for c in complaints}) == lines, done.stdout
