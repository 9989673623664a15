"""The source distribution has every file of the repository except CI and benchmarks: it can be built and tested.

A suite of `make test-long` builds and tests it in a fresh environment.
"""

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LEFT_OUT = (".ci/", ".git", "bench/")


@pytest.mark.slow
def test_the_source_distribution_is_complete(tmp_path: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("needs a clone: this is no repository")
    build = f"import scikit_build_core.build as b; b.build_sdist({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as content:
        names = {name.partition("/")[2] for name in content.getnames()}
    tracked = {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    assert not {n for n in tracked - names if not n.startswith(LEFT_OUT)}
    strangers = {n for n in names - tracked if n and not n.endswith(("PKG-INFO",))}
    assert not {n for n in strangers if n.startswith(("build/", ".venv/"))}
