"""The guides to the C API quote the programs that are compiled and run as tests, and name existing functions only."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("guide.c", "c-api.md"),
        ("guide_ops.c", "c-api.md"),
        ("guide_pass.c", "guide-native-pass.md"),
    ],
)
def test_guide_quotes_the_compiled_program(name, page):
    program = (ROOT / "test" / "CAPI" / name).read_text().split("/* [guide] */\n")[1]
    assert f"```c\n{program}```" in (ROOT / "docs" / page).read_text()


def test_guide_names_only_functions_that_exist():
    headers = "".join(path.read_text() for path in (ROOT / "include" / "ge-c").glob("*.h"))
    words = (ROOT / "docs" / "c-api.md").read_text().replace("(", " ").replace("`", " ").split()
    named = {word.strip(".,:;)") for word in words if word.startswith(("ge", "GE_", "Ge"))}
    names = {n for n in named if n.isidentifier() and n[2:3].isupper() or n.startswith("GE_")}
    assert names
    for name in names - {"GE"}:
        assert name in headers, name
