"""The code of the documentation runs, block after block of a page in one namespace."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [*sorted(DOCS.glob("tutorial*.md")), DOCS / "passes.md", DOCS / "patterns.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_code_of_the_page_runs(page: Path) -> None:
    text = page.read_text()
    blocks = list(BLOCK.finditer(text))
    assert blocks
    namespace: dict[str, object] = {"__name__": "tutorial"}
    for block in blocks:
        # Lines count as in the page, so that a traceback leads there.
        lines = text[: block.start(1)].count("\n")
        exec(compile("\n" * lines + block.group(1), str(page), "exec"), namespace)
    namespace.clear()


def test_there_is_a_tutorial_of_the_ir() -> None:
    assert DOCS / "tutorial-ir.md" in PAGES
