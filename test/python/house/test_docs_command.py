"""The shell blocks of the pages about the command line run, with the exit status that a comment gives (default 0)."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from cli_run import affine, ge, write_model

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx import helper  # noqa: E402

from ge.passes import unload_pass_plugins  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's own libraries are not built for it

DOCS = Path(__file__).resolve().parents[3] / "docs"
# onnxsim.md is left out: test_cli_onnxsim.py tests each flag that it lists.
PAGES = ["command", "first-model", "first-pass", "guide-simplify", "guide-debug-pattern"]


def lines_of(page: str) -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```$", (DOCS / f"{page}.md").read_text(), re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


PASS = """
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass

@register_fusion_pass(name="MulAddTurned", stage=PassStage.BEFORE_INFER_SHAPE)
class MulAddTurned(PatternFusionPass):
    @pattern
    def mul_add(self, x, a, b):
        return op.Add(op.Mul(x, a), b)

    def replacement(self, x, a, b):
        return op.Sub(op.Mul(x, a), op.Neg(b))
"""


REPRODUCER = """
module {
  func.func @matched(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y = "onnx.Abs"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
  func.func @replacement(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
"""


@pytest.fixture(autouse=True)
def plugins() -> Iterator[None]:
    yield
    unload_pass_plugins()


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_the_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    affine(tmp_path / "model.onnx")
    affine(tmp_path / "optimized.onnx")
    affine(tmp_path / "different.onnx", 3.0)
    relu = helper.make_node("Relu", ["x"], ["y"])
    ends = {"x": ("FLOAT", [4])}, {"y": ("FLOAT", [4])}
    write_model(tmp_path / "other.onnx", [relu], *ends)
    (tmp_path / "models").mkdir()
    affine(tmp_path / "models" / "a.onnx")
    affine(tmp_path / "models" / "b.onnx", 4.0)
    (tmp_path / "my_pass.py").write_text(PASS)
    (tmp_path / "wrong_pass.py").write_text(
        PASS.replace("op.Neg(b)", "b").replace("Turned", "Wrong")
    )
    for name in ("my_pass.py", "wrong_pass.py"):
        (tmp_path / name).chmod(0o644)
    (tmp_path / "reproducer.mlir").write_text(REPRODUCER)
    (tmp_path / "data").mkdir()
    np.save(tmp_path / "data" / "x.npy", np.ones((1, 3), np.float32))
    lines = lines_of(page)
    assert lines
    for line in lines:
        command, *words = shlex.split(line, comments=True)
        assert command == "ge", line
        expected = int(m.group(1)) if (m := re.search(r"# exit status (\d)", line)) else 0
        done = ge(*words)
        assert done.status == expected, f"{line}: {done.err or done.out}"


def test_the_page_has_every_command() -> None:
    from ge.cli import COMMANDS

    words = {shlex.split(line, comments=True)[1] for line in lines_of("command")}
    assert set(COMMANDS) <= words
