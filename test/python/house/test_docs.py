"""The documentation is correct and complete, and builds: the Python blocks of a page run in order in one namespace."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
# onnx.md is left out: it shows single calls that use the reader's models and cluster.
PAGES = [
    page
    for page in [*sorted(DOCS.glob("*.md")), ROOT / "README.md"]
    if page.name != "onnx.md" and BLOCK.search(page.read_text())
]


@pytest.mark.usefixtures("clean_passes")  # pages register passes under the same names
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_code_of_the_page_runs(page: Path) -> None:
    text = page.read_text()
    blocks = list(BLOCK.finditer(text))
    assert blocks
    namespace: dict[str, object] = {"__name__": "tutorial"}
    for block in blocks:
        # Line numbers are those of the page, so that a traceback points into it.
        lines = text[: block.start(1)].count("\n")
        exec(compile("\n" * lines + block.group(1), str(page), "exec"), namespace)
    namespace.clear()


def test_pages_with_code() -> None:
    names = {page.stem for page in PAGES}
    assert {"tutorial-ir", "first-model", "first-pass", "passes", "patterns", "from-mlir"} <= names


def test_every_page_is_in_the_contents() -> None:
    contents = (DOCS / "index.md").read_text().split()
    missing = {page.stem for page in DOCS.glob("*.md")} - {*contents, "index"}
    assert not missing


def test_the_map_has_every_room_and_header() -> None:
    page = (DOCS / "architecture.md").read_text()
    split = ("Ops", "Run", "Passes", "Formats")  # these layers consist of subfolders only
    rooms = [path for path in (ROOT / "lib").iterdir() if path.name not in split]
    folders = [path for room in split for path in (ROOT / "lib" / room).iterdir()]
    names = [
        f"lib/{path.relative_to(ROOT / 'lib')}" for path in [*rooms, *folders] if path.is_dir()
    ]
    names += [f"ge-c/{path.name}" for path in (ROOT / "include" / "ge-c").glob("*.h")]
    assert not [name for name in names if f"`{name}`" not in page]
    guide = (DOCS / "c-api.md").read_text()
    assert not [name for name in names if name.startswith("ge-c/") and f"| `{name}` |" not in guide]


def test_the_number_of_reference_kernels() -> None:
    from ge.ops import _cann_kernels

    count = len(_cann_kernels.kernels())
    assert f"reference kernels in NumPy, {count} of them" in (DOCS / "running.md").read_text()


@pytest.mark.slow
@pytest.mark.nosan  # a plain interpreter generates pages from the package
def test_the_documentation_builds(tmp_path: Path) -> None:
    """It builds without warnings, so all internal links and anchors have a target."""
    pytest.importorskip("sphinx")
    command = [sys.executable, str(ROOT / "scripts" / "build_docs.py"), "--output", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    reference = tmp_path / "html" / "docs" / "reference"
    assert "Graph.add_node" in (reference / "ge.ir.html").read_text()
    assert "geNodeErase" in (reference / "c-IR.html").read_text()
