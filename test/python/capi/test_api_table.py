"""The C API as a table: complete, current, and never changed under a plugin that is compiled already."""

import ctypes
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from needs import CC

from ge._mlir_like._cext_loader import load

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts/gen_api_table.py"
GENERATED = (
    "include/ge-c/api.txt",
    "include/ge-c/Api.h",
    "lib/Host/ApiTable.cpp",
    "lib/Host/Stubs.inc",
)


def names() -> list[str]:
    """Return the functions of the committed table, in order."""
    text = (ROOT / GENERATED[0]).read_text()
    return re.findall(r"^\d+ (\w+): ", text, re.M)


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    return ctypes.CDLL(load("_init").library_path())


def address(function: object) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0  # type: ignore[arg-type]


def test_every_exported_function_is_in_the_table(library: ctypes.CDLL) -> None:
    from ge.ops._load import _exports

    exported = [name for name in _exports(load("_init").library_path()) if name.startswith("ge")]
    assert len(exported) > 400
    assert sorted(names()) == sorted(exported)


def test_each_entry_is_the_function_of_its_name(library: ctypes.CDLL) -> None:
    library.geApiGet.restype = ctypes.c_void_p
    table = library.geApiGet()
    size = ctypes.c_size_t.from_address(table).value
    width = ctypes.sizeof(ctypes.c_void_p)
    assert size == 2 * width + len(names()) * width
    entries = (ctypes.c_void_p * len(names())).from_address(table + 2 * width)
    wrong = [n for n, entry in zip(names(), entries, strict=True) if entry != address(library[n])]
    assert not wrong


def run(root: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(SCRIPT), "--root", str(root), *words]
    return subprocess.run(command, capture_output=True, text=True)


@CC
def test_generated_files_are_current() -> None:
    done = run(ROOT, "--check")
    assert done.returncode == 0, done.stderr


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a copy of what the generator reads and writes."""
    shutil.copytree(ROOT / "include/ge-c", tmp_path / "include/ge-c")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "lib/Host").mkdir(parents=True)
    for name in GENERATED[2:]:
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def edit(tree: Path, name: str, old: str, new: str) -> None:
    path = tree / "include/ge-c" / name
    text = path.read_text()
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new, 1))


CHANGES = {
    "removed": (
        "Support.h",
        "GE_C_API int geAbiVersion(void);",
        "",
        "is not declared",
    ),
    "gone": (
        "Passes.h",
        "GE_C_API bool gePassReportHasChanged(GePassReport *report);",
        "",
        "function gePassReportHasChanged is gone",
    ),
    "signature": (
        "Passes.h",
        "gePassReportHasChanged(GePassReport *report)",
        "gePassReportHasChanged(const GePassReport *report)",
        "was bool (GePassReport *report), is bool (const GePassReport *report)",
    ),
    "fixed struct": (
        "Support.h",
        "typedef struct GeStringRef {",
        "typedef struct GeStringRef {\n  int kind;",
        "struct GeStringRef was 16 bytes (data 0, length 8), is 24 bytes",
    ),
    "middle of a struct": (
        "Passes.h",
        "  GeStringRef name;     /**< as in pipelines */",
        "  GeStringRef alias, name;",
        "struct GePassInfo was",
    ),
    "enumerator": (
        "Support.h",
        "  GE_ERROR_PARSE,",
        "  GE_ERROR_NEW,\n  GE_ERROR_PARSE,",
        "GE_ERROR_PARSE was 2, is 3",
    ),
}


@CC
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_that_breaks_compiled_plugins_is_an_error(tree: Path, change: str) -> None:
    name, old, new, message = CHANGES[change]
    edit(tree, name, old, new)
    before = {path: (tree / path).read_text() for path in GENERATED}
    done = run(tree)
    assert done.returncode == 1 and message in done.stderr
    assert before == {path: (tree / path).read_text() for path in GENERATED}


@CC
def test_functions_and_fields_are_appended(tree: Path) -> None:
    added = "GE_C_API GeContext *geNew(GeStringRef (*a)(int), const char *const *b);\n"
    edit(
        tree, "Text.h", "typedef struct GePrintOptions {", added + "typedef struct GePrintOptions {"
    )
    edit(tree, "Text.h", "} GePrintOptions;", "  double added;\n} GePrintOptions;")
    assert run(tree, "--check").returncode == 1
    done = run(tree)
    assert done.returncode == 0, done.stderr
    lines = (tree / GENERATED[0]).read_text().splitlines()
    count = len(names())
    assert f"{count} geNew: GeContext *(GeStringRef (*a)(int), const char *const *b)" in lines
    assert "added 24" in next(line for line in lines if line.startswith("struct GePrintOptions"))
    stub = (tree / GENERATED[3]).read_text().splitlines()[-1]
    assert (
        stub == "GE_STUB(GeContext *, geNew, (GeStringRef (*a)(int), const char *const *b), (a, b))"
    )
    assert run(tree, "--check").returncode == 0


@CC
def test_a_new_abi_starts_a_new_table(tree: Path) -> None:
    edit(tree, "Passes.h", "GE_C_API bool gePassReportHasChanged(GePassReport *report);", "")
    assert "raise GE_C_ABI_VERSION" in run(tree, "--new-abi").stderr
    edit(tree, "Support.h", "#define GE_C_ABI_VERSION 1", "#define GE_C_ABI_VERSION 2")
    assert "--new-abi" in run(tree).stderr
    assert run(tree, "--new-abi").returncode == 0
    text = (tree / GENERATED[0]).read_text()
    assert "abi 2" in text and "gePassReportHasChanged" not in text
    first = re.findall(r"^\d (\w+)", text, re.M)[:3]
    assert first == ["geAbiVersion", "geVersion", "geErrorSet"]


def new_version(tree: Path, version: str) -> None:
    text = (tree / "pyproject.toml").read_text()
    (tree / "pyproject.toml").write_text(
        re.sub(r'(?m)^version = ".*"', f'version = "{version}"', text)
    )


@CC
def test_functions_say_the_version_that_they_came_with(tree: Path) -> None:
    new_version(tree, "0.2.0")
    place = "typedef struct GePrintOptions {"
    edit(tree, "Text.h", place, f"/** Does nothing. */\nGE_C_API void geNew(int a);\n{place}")
    done = run(tree)
    assert done.returncode == 1
    assert "function geNew is new: end its comment with 'Since 0.2.'" in done.stderr
    edit(tree, "Text.h", "/** Does nothing. */", "/** Does nothing. Since 0.2. */")
    assert run(tree).returncode == 0
    new_version(tree, "0.3.1")
    assert run(tree, "--check").returncode == 0
    assert (tree / GENERATED[0]).read_text().count("\nsince ") == 2
    assert f"since 0.2\n{len(names())} geNew: void (int a)" in (tree / GENERATED[0]).read_text()
    assert "/* Since 0.2. */ void (*geNew)(int a);" in (tree / GENERATED[1]).read_text()
    edit(tree, "Text.h", "Since 0.1 but", "Before 0.1 but")
    assert "Text.h: says not that" in run(tree).stderr


@CC
def test_a_table_is_held_to_the_last_release(tree: Path) -> None:
    assert run(tree, "--release").returncode == 0
    kept = tree / "include/ge-c/released/0.1.txt"
    assert kept.read_text() == (tree / GENERATED[0]).read_text()
    edit(tree, "Passes.h", "GE_C_API bool gePassReportHasChanged(GePassReport *report);", "")
    (tree / GENERATED[0]).unlink()  # whatever became of the committed table since
    done = run(tree)
    assert done.returncode == 1
    assert "function gePassReportHasChanged is gone, since the last release" in done.stderr
    assert "was at the place" in done.stderr
    # Another ABI owes it nothing.
    edit(tree, "Support.h", "#define GE_C_ABI_VERSION 1", "#define GE_C_ABI_VERSION 2")
    assert run(tree).returncode == 0
    for version in ("0.9", "0.10"):
        new_version(tree, f"{version}.0")
        assert run(tree, "--release").returncode == 0
    edit(tree, "Passes.h", "GE_C_API void gePassReportDestroy(GePassReport *report);", "")
    assert "gePassReportDestroy is gone, since the last release" in run(tree).stderr
