"""Every function of the C API is called by a C test, not only through the Python bindings."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HEADERS = sorted((ROOT / "include" / "ge-c").glob("*.h"))
CALLED = {
    name
    for path in (ROOT / "test" / "CAPI").glob("*.[ch]")
    for name in re.findall(r"\bge[A-Z]\w*", path.read_text())
}


@pytest.mark.parametrize("header", HEADERS, ids=lambda path: path.name)
def test_every_function_is_called(header: Path) -> None:
    declared = re.findall(r"GE_C_API [^;]*?\b(ge[A-Z]\w*)\(", header.read_text())
    assert sorted(set(declared) - CALLED) == []


def test_functions_are_found() -> None:
    text = (ROOT / "include" / "ge-c" / "Ops.h").read_text()
    assert len(re.findall(r"GE_C_API [^;]*?\b(ge[A-Z]\w*)\(", text)) == text.count("GE_C_API")
