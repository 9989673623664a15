"""The demonstration runs to its end, and shows what it promises."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo.py"


@pytest.mark.nosan  # the child would need the sanitizer's run time
def test_the_demonstration_runs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(DEMO)],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["onnx.BatchNormalization", "53", "0", "-53"] in rows
    assert "sum_to_add: changed" in done.stdout
    assert done.stdout.count("equal: ") == 2
    assert "was erased" in done.stdout
    assert (tmp_path / "build" / "demo" / "resnet50.html").stat().st_size > 10_000
