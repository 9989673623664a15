"""The shell blocks of docs/command.md run, with the exit status that they say."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from cli_run import affine, ge

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "command.md"
LINES = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    for line in block.splitlines()
    if line.strip()
]


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    affine(tmp_path / "model.onnx")
    affine(tmp_path / "optimized.onnx")
    affine(tmp_path / "different.onnx", 3.0)
    (tmp_path / "data").mkdir()
    np.save(tmp_path / "data" / "x.npy", np.ones((1, 3), np.float32))
    assert len(LINES) > 10
    for line in LINES:
        command, *words = shlex.split(line, comments=True)
        assert command == "ge", line
        expected = int(m.group(1)) if (m := re.search(r"# exit status (\d)", line)) else 0
        done = ge(*words)
        assert done.status == expected, f"{line}: {done.err or done.out}"


def test_the_page_has_every_command() -> None:
    from ge.cli import COMMANDS

    words = {shlex.split(line, comments=True)[1] for line in LINES}
    assert set(COMMANDS) <= words
