"""The demonstration runs to its end and prints the results that it announces."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

DEMO = Path(__file__).resolve().parents[3] / "examples" / "demo.py"


@pytest.mark.slow
@pytest.mark.nosan  # the child process would need the sanitizer's runtime
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
    assert ["onnx.Erf", "2", "0", "-2"] in rows
    assert ["com.microsoft.Gelu", "0", "2", "+2"] in rows
    assert done.stdout.count("equal: ") == 1
    assert "became this 1" in done.stdout
    assert (tmp_path / "build" / "demo" / "bert.html").stat().st_size > 10_000


def test_the_demonstration_is_short() -> None:
    lines = [len(path.read_text().splitlines()) for path in (DEMO, DEMO.parent / "demo_pass.py")]
    assert sum(lines) <= 65
