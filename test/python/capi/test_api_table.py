"""The function table of the C API: complete, current, and compatible with plugins that are already compiled."""

import ctypes
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from needs import CC

from ge._mlir_like._cext_loader import load

# These tests read headers and addresses and run a script; the C tests run the functions under the sanitizers.
pytestmark = pytest.mark.nosan

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
    """Return a directory with copies of the files that the generator reads and writes."""
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
        "struct GeStringRef was 16 bytes (const char * data 0, size_t length 8), is 24 bytes",
    ),
    "middle of a struct": (
        "Passes.h",
        "  GeStringRef name;     /**< as in pipelines */",
        "  GeStringRef alias, name;",
        "struct GePassInfo was",
    ),
    "type of a field": (
        "Values.h",
        "    int64_t i;",
        "    uint64_t i;",
        "struct GeAny was 16 bytes (int32_t tag 0, uint32_t small 4, int64_t i 8",
    ),
    "parameter of a callback in a struct": (
        "Passes.h",
        "  void (*destroy)(void *instance);",
        "  void (*destroy)(void *instance, int how);",
        "void (*)(void *instance, int how) destroy 40",
    ),
    "parameter of a callback": (
        "Support.h",
        "typedef void (*GeStringCallback)(GeStringRef piece, void *userData);",
        "typedef void (*GeStringCallback)(GeStringRef piece);",
        "type GeStringCallback was void (*)(GeStringRef piece, void *userData), is void (*)(GeStr",
    ),
    "number behind a name": (
        "IR.h",
        "typedef uint8_t GeDType;",
        "typedef uint16_t GeDType;",
        "type GeDType was uint8_t, is uint16_t",
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


@pytest.mark.slow
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
    assert "field 24 added: double" in lines[lines.index("struct GePrintOptions 32") :][:6]
    stub = (tree / GENERATED[3]).read_text().splitlines()[-1]
    assert (
        stub == "GE_STUB(GeContext *, geNew, (GeStringRef (*a)(int), const char *const *b), (a, b))"
    )
    assert run(tree, "--check").returncode == 0


@pytest.mark.slow
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


@pytest.mark.slow
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
    edit(tree, "Text.h", "Since 0.1 unless", "Before 0.1 but")
    assert "Text.h: says not that" in run(tree).stderr


@pytest.mark.slow
@CC
def test_a_table_is_held_to_the_last_release(tree: Path) -> None:
    assert run(tree, "--release").returncode == 0
    kept = tree / "include/ge-c/released/0.1.txt"
    assert kept.read_text() == (tree / GENERATED[0]).read_text()
    edit(tree, "Passes.h", "GE_C_API bool gePassReportHasChanged(GePassReport *report);", "")
    (tree / GENERATED[0]).unlink()  # the comparison does not need the committed table
    done = run(tree)
    assert done.returncode == 1
    assert "function gePassReportHasChanged is gone, since the last release" in done.stderr
    assert "was at the place" in done.stderr
    # The table of another ABI is not compared.
    edit(tree, "Support.h", "#define GE_C_ABI_VERSION 1", "#define GE_C_ABI_VERSION 2")
    done = run(tree)
    assert done.returncode == 0
    assert done.stdout == "release 0.1 has ABI 1, this is ABI 2: not compared\n"
    for version in ("0.9", "0.10"):
        new_version(tree, f"{version}.0")
        assert run(tree, "--release").returncode == 0
    edit(tree, "Passes.h", "GE_C_API void gePassReportDestroy(GePassReport *report);", "")
    assert "gePassReportDestroy is gone, since the last release" in run(tree).stderr


@pytest.mark.slow
@CC
def test_without_a_release_the_script_says_so(tree: Path) -> None:
    for words in ([], ["--check"]):
        done = run(tree, *words)
        assert done.returncode == 0, done.stderr
        assert done.stdout == (
            "no table of a release in include/ge-c/released: nothing is compared with one\n"
        )
    assert run(tree, "--release").returncode == 0
    assert run(tree, "--check").stdout == "compared with release 0.1\n"


def doctored(tree: Path, old: str, new: str) -> str:
    """Return the script's errors if the table of the last release had `new` in place of `old`."""
    assert run(tree, "--release").returncode == 0
    kept = tree / "include/ge-c/released/0.1.txt"
    text = kept.read_text()
    assert text.count(old) == 1
    kept.write_text(text.replace(old, new))
    new_version(tree, "0.2.0")
    before = {path: (tree / path).read_text() for path in GENERATED}
    done = run(tree, "--check")
    assert done.returncode == 1
    assert before == {path: (tree / path).read_text() for path in GENERATED}
    return done.stderr


@CC
def test_a_function_of_the_release_is_gone(tree: Path) -> None:
    last = len(names())
    line = f"{last - 1} {names()[-1]}: "
    text = (tree / GENERATED[0]).read_text()
    whole = next(each for each in text.splitlines() if each.startswith(line))
    said = doctored(tree, whole, f"{whole}\n{last} geOld: void (void)")
    assert "function geOld is gone, since the last release" in said


@pytest.mark.slow
@CC
def test_a_layout_of_the_release_was_another(tree: Path) -> None:
    said = doctored(
        tree, "struct GeDim 16\nfield 0 size: int64_t", "struct GeDim 16\nfield 0 size: int32_t"
    )
    assert "struct GeDim was 16 bytes (int32_t size 0, GeIdentifier symbol 8), is 16" in said
    assert said.count("since the last release") == 1


@pytest.mark.slow
@CC
def test_a_function_is_older_than_it_says(tree: Path) -> None:
    """A function that the release lacks cannot claim its version; the version of a released function is fixed."""
    last = f"{len(names()) - 1} {names()[-1]}: "
    text = (tree / GENERATED[0]).read_text()
    whole = next(each for each in text.splitlines() if each.startswith(last))
    said = doctored(tree, f"{whole}\n", "")
    assert f"function {names()[-1]} is not in release 0.1, and said to be since 0.1" in said
    kept = tree / "include/ge-c/released/0.1.txt"
    kept.write_text(text.replace("since 0.1\n", "since 0.0\n"))
    said = run(tree).stderr
    assert "function geAbiVersion came with 0.0, not with 0.1, since the last release" in said


@pytest.mark.slow
@CC
def test_no_field_in_the_padding_of_a_released_struct(tree: Path) -> None:
    """Compiled callers do not initialize padding, so the library would read an indeterminate value."""
    assert run(tree, "--release").returncode == 0
    new_version(tree, "0.2.0")
    edit(tree, "Text.h", "} GeParseOptions;", "  bool added;\n} GeParseOptions;")
    done = run(tree)
    assert done.returncode == 1
    assert "field added of GeParseOptions is in what was padding" in done.stderr
    edit(tree, "Text.h", "  bool added;", "  bool reserved[7];\n  bool added;")
    done = run(tree)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@CC
def test_the_table_of_a_release_is_not_replaced(tree: Path) -> None:
    assert run(tree, "--release").returncode == 0
    assert run(tree, "--release").returncode == 0  # the same table
    place = "typedef struct GePrintOptions {"
    edit(tree, "Text.h", place, f"/** Nothing. */\nGE_C_API void geNew(int a);\n{place}")
    assert "is not in release 0.1" in run(tree, "--release").stderr
    edit(tree, "Text.h", "GE_C_API void geNew(int a);", "")
    edit(tree, "Text.h", "} GePrintOptions;", "  double added;\n} GePrintOptions;")
    assert "0.1.txt is the table of a release: raise the version" in run(tree, "--release").stderr
