"""`make check` finds the tests of what changed: every room of tests is in its table, and every source has a room."""

import subprocess
from pathlib import Path

import pytest

import check

ROOT = Path(__file__).resolve().parents[3]
TESTS = ROOT / "test"


def tracked(*folders: str) -> list[str]:
    command = ["git", "ls-files", *folders]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    return listed.splitlines()


def test_rooms_are_the_folders_of_tests() -> None:
    folders = {path.name for path in (TESTS / "python").iterdir() if list(path.glob("test_*.py"))}
    assert set(check.ROOMS) == folders
    for folder in {name for names in check.LIT.values() for name in names}:
        assert (TESTS / folder).is_dir(), folder


def test_every_source_has_a_room() -> None:
    if not (files := tracked("lib", "include", "python", "tools")):
        pytest.skip("needs the repository: the source distribution has none")
    without = [f for f in files if f.endswith((".cpp", ".h", ".py", ".pyi", ".c", ".hpp", ".inc"))]
    without = [f for f in without if check.room_of(f) is None]
    assert not without


def test_prefixes_of_the_table_exist() -> None:
    for sources in check.ROOMS.values():
        for prefix in sources.split():
            path = ROOT / prefix
            assert path.exists() or list(path.parent.glob(f"{path.name}*")), prefix


def test_the_longest_prefix_decides() -> None:
    assert check.room_of("lib/Passes/Match/Matcher.cpp") == "match"
    assert check.room_of("lib/Passes/Builtin/Dce.cpp") == "passes"
    assert check.room_of("LICENSE") is None
