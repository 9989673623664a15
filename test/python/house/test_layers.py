"""The layering of the native code: which folders ("rooms") may include which, and what no file may contain.

The tests read the sources as text. They detect violations of the layering; they do not show that it is the right one.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
ROOMS = ["Support", "IR", "Text", "Ops", "Run", "Passes", "Formats", "CAPI", "Host"]
# Subfolders of a room, lowest first; "" is the room itself. Folders of one row do not include each other.
FOLDERS = {
    "Support": [[""], ["Wire"]],
    "Ops": [
        ["Schema"],
        ["Registry", "Binding"],
        ["Infer"],
        ["Eval"],
        ["Infer/Onnx"],
        ["Infer/Cann", "Import", "Kernels"],
    ],
    "Run": [["Value"], ["Call"], ["Region"], ["Program"]],
    "Passes": [["Manager", "Match"], ["Rewrite"], ["Builtin"]],
    "Formats": [["Onnx"]],
}
# Clients of the core: each includes only the C API and its own folder.
CLIENTS = ["Bindings", "Bridge", "tools"]
# The header in lib/ that a client may include, too: the function table between the host and the bridge.
BETWEEN = {("Bridge", "lib/Host/PythonBridge.h")}
# The header of an interface that a room may include, too: layouts and functions that are `static inline`.
LAYOUTS = {("Run", "include/ge-c/Values.h")}
# Folders of headers that belong to no room, each with the folders that it may include.
INTERFACES = {
    "include/ge-c": {"include/ge-c"},
    "include/ge-python": {"include/ge-c", "include/ge-python"},
    "include/ge/library": {"include/ge-c", "include/ge/library"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.M)


def tracked(*suffixes: str) -> list[Path]:
    """Return the files of the repository with these suffixes."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / name for name in names.splitlines()]
    return [path for path in paths if path.suffix in suffixes and path.exists()]


def under(path: Path, *directories: str) -> bool:
    return path.relative_to(ROOT).as_posix().startswith(tuple(d + "/" for d in directories))


def includes(path: Path) -> list[str]:
    return INCLUDE.findall(path.read_text())


def native(*directories: str) -> list[Path]:
    return [path for path in tracked(".c", ".cpp", ".h") if under(path, *directories)]


def test_programs_in_c_include_only_the_c_api() -> None:
    """Tests that are written as client programs include only the headers that clients have."""
    clients = native("test/CAPI", "test/fuzz", "test/random")
    assert not [f"{p}: {i}" for p in clients for i in includes(p) if i.startswith("ge/")]


def test_core_knows_no_python() -> None:
    """Under lib/ and include/, only the bindings, the bridge and include/ge-python include Python or nanobind."""
    python = ("lib/Bindings", "lib/Bridge", "include/ge-python")
    core = [p for p in native("lib", "include") if not under(p, *python)]
    assert core
    wrong = [f"{p}: {i}" for p in core for i in includes(p) if "Python.h" in i or "nanobind" in i]
    assert not wrong


def place(name: str) -> str:
    """Return the room of a file below the root, or the folder of an interface; "" for all others."""
    for folder in INTERFACES:
        if name.startswith(f"{folder}/"):
            return folder
    found = re.match(r"(?:lib|include/ge)/(\w+)/|(tools)/", name)
    return (found[1] or found[2]) if found else ""


def includes_of(path: Path, root: Path) -> list[str]:
    """Return the files below the root that a file includes, relative to itself, to include/ or to lib/."""
    found = []
    for name in includes(path):
        for folder in (path.parent, root / "include", root / "lib"):
            target = Path(os.path.normpath(folder / name))
            if target.is_file() and target.is_relative_to(root):
                found.append(target.relative_to(root).as_posix())
                break
    return found


def fault(source: str, target: str) -> bool:
    """Return whether `source` must not include `target`; both are paths relative to the root."""
    here, there = place(source), place(target)
    if here == there or not there:
        return False
    if here in INTERFACES:
        return there not in INTERFACES[here]
    if here in CLIENTS:
        return there not in ("include/ge-c", "include/ge-python") and (here, target) not in BETWEEN
    if there in INTERFACES:
        if (here, target) in LAYOUTS:
            return False
        return here not in ("CAPI", "Host") or there != "include/ge-c"
    if here == "Host" or there not in ROOMS:
        return True
    return ROOMS.index(there) > ROOMS.index(here)


def faults(root: Path, paths: list[Path]) -> list[str]:
    """Return the includes that name a higher room or bypass the C API."""
    return [
        f"{source} -> {target}"
        for path in paths
        if (source := path.relative_to(root).as_posix()) and place(source)
        for target in includes_of(path, root)
        if fault(source, target)
    ]


def test_every_folder_is_a_room() -> None:
    """A new folder of lib/, include/ge/ or include/ must be added here, because otherwise no rule covers it."""
    rooms = {path.name for path in (ROOT / "lib").iterdir() if path.is_dir()}
    assert rooms == {*ROOMS, *CLIENTS} - {"tools"}
    headers = {path.name for path in (ROOT / "include/ge").iterdir() if path.is_dir()}
    assert headers <= {*ROOMS, "library"}


@pytest.mark.slow
def test_no_include_leads_up() -> None:
    paths = native("lib", "include", "tools")
    assert sum(len(includes_of(path, ROOT)) for path in paths) > 1000
    assert not faults(ROOT, paths)


@pytest.mark.parametrize(
    ("file", "include"),
    [
        ("lib/Support/Arena.cpp", '"ge/IR/Node.h"'),
        ("include/ge/Support/Arena.h", '"ge/IR/Node.h"'),
        ("lib/IR/Node.cpp", '"../Text/Scanner.h"'),
        ("lib/IR/Node.cpp", '"Text/Scanner.h"'),
        ("lib/IR/Node.cpp", "<ge/Ops/Registry/Registry.h>"),
        ("lib/Formats/Onnx/Writer.cpp", '"../../CAPI/Guard.h"'),
        ("lib/Passes/Match/Matcher.cpp", '"ge-c/IR.h"'),
        ("lib/Run/Call/Call.cpp", '"ge-c/IR.h"'),
        ("lib/Ops/Kernels/Kernels.cpp", '"ge-c/Values.h"'),
        ("lib/Host/Host.cpp", '"ge/IR/Node.h"'),
        ("lib/Host/Host.cpp", '"../CAPI/Guard.h"'),
        ("lib/Bindings/Python/IR/Graph.cpp", '"ge/IR/Node.h"'),
        ("lib/Bindings/Python/IR/Graph.cpp", '"../../../../include/ge/IR/Node.h"'),
        ("lib/Bridge/Bridge.cpp", '"../Host/Host.h"'),
        ("lib/Bridge/Bridge.cpp", '"../Bindings/Python/IR/Common.h"'),
        ("tools/ge-opt/main.cpp", '"../../lib/Host/PythonBridge.h"'),
        ("include/ge-c/IR.h", '"ge/IR/Node.h"'),
        ("include/ge-python/interop.h", '"../../lib/CAPI/Guard.h"'),
        ("include/ge/library/Library.h", '"ge/IR/Node.h"'),
        ("lib/CAPI/Nodes.cpp", '"ge-python/interop.h"'),
    ],
)
def test_an_include_that_is_turned_is_found(tmp_path: Path, file: str, include: str) -> None:
    for name in (
        *("include/ge/IR/Node.h", "include/ge/Ops/Registry/Registry.h", "include/ge-c/IR.h"),
        "include/ge-c/Values.h",
        *("lib/Text/Scanner.h", "lib/CAPI/Guard.h", "lib/Host/PythonBridge.h", "lib/Host/Host.h"),
        *("lib/Bindings/Python/IR/Common.h", "include/ge-python/interop.h"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#include {include}\n")
    assert len(faults(tmp_path, [path])) == 1


def test_includes_down_are_no_faults(tmp_path: Path) -> None:
    """Includes that are allowed are not reported."""
    for name in (
        *("lib/Host/PythonBridge.h", "include/ge/IR/Node.h"),
        *("include/ge-c/IR.h", "include/ge-c/Values.h"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for file, include in [
        ("lib/Text/Parser.cpp", "ge/IR/Node.h"),
        ("lib/CAPI/Nodes.cpp", "ge-c/IR.h"),
        ("lib/Run/Call/Call.cpp", "ge-c/Values.h"),
        ("lib/Bridge/Bridge.cpp", "../Host/PythonBridge.h"),
        ("tools/ge-opt/main.cpp", "ge-c/IR.h"),
    ]:
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#include "{include}"\n')
        assert includes_of(path, tmp_path) and not faults(tmp_path, [path])


def test_the_c_api_is_a_facade() -> None:
    """Each file of lib/CAPI defines functions of the C API; what they call is in the rooms below."""
    defines = re.compile(r"^[A-Za-z][\w *]*\bge[A-Z]\w*\(", re.M)
    files = native("lib/CAPI")
    assert len(files) > 30
    assert not [p for p in files if p.suffix == ".cpp" and not defines.search(p.read_text())]


def test_values_of_kernels_have_layouts_only() -> None:
    """ge-c/Values.h is included below the C API: it includes nothing of it and declares no function of the library."""
    text = COMMENT.sub("", (ROOT / "include/ge-c/Values.h").read_text())
    assert not [name for name in INCLUDE.findall(text) if name.startswith("ge")]
    assert "GE_C_API" not in text
    functions = re.findall(r"^\w[^\n;{}]*\b(?:ge[A-Z]\w*)\([^;{}]*\)\s*[;{]", text, re.M)
    assert functions
    assert all(declared.lstrip().startswith("static inline ") for declared in functions)


def included(path: Path) -> list[str]:
    """Return the repository's own headers that a file includes, as paths below lib/."""
    found = []
    for name in includes(path):
        beside = (path.parent / name).resolve()
        if beside.is_file():
            found.append(below_lib(beside))
        elif (ROOT / "include" / name).is_file() and name.startswith("ge/"):
            found.append(name.removeprefix("ge/"))
    return found


def below_lib(path: Path) -> str:
    """Return the path below lib/ or include/ge/."""
    return re.sub("^(lib|include/ge)/", "", path.relative_to(ROOT).as_posix())


@pytest.mark.parametrize("room", FOLDERS)
def test_folder_includes_no_higher_folder(room: str) -> None:
    """The folders of a room are ordered too, and a new folder is added to FOLDERS."""
    level = {
        f"{room}/{folder}".rstrip("/"): i for i, row in enumerate(FOLDERS[room]) for folder in row
    }
    files = native(f"lib/{room}", f"include/ge/{room}")
    assert files
    wrong = []
    for path in files:
        folder = os.path.dirname(below_lib(path))
        if folder not in level:
            wrong.append(f"{path}: in no folder of FOLDERS")
            continue
        for other in included(path):
            target = os.path.dirname(other)
            if target != folder and f"{target}/".startswith(f"{room}/"):
                if level.get(target, len(level)) >= level[folder]:
                    wrong.append(f"{path}: {other}")
    assert not wrong


# The definition of a class that is no member of another class.
CLASS = re.compile(
    r"^(?:template\s*<[^;{]*>\s*)?(?:class|struct|union)\s+(?:\w+\s+)??(\w+)(?:\s+final)?"
    r"(?:\s*:[^:;{][^;{]*)?\s*\{",
    re.M,
)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def test_names_of_classes_and_headers_are_once() -> None:
    """Names of classes and headers are unique in the core. (`include/ge/library` is a separate library for kernels.)"""
    paths = [p for p in native("lib", "include/ge") if not under(p, "include/ge/library")]
    places: dict[str, set[str]] = {}
    for path in paths:
        if path.suffix == ".h":
            places.setdefault(path.name, set()).add(below_lib(path))
        for name in CLASS.findall(COMMENT.sub("", path.read_text())):
            places.setdefault(name, set()).add(below_lib(path))
    assert len(places) > 500
    assert not {name: sorted(found) for name, found in places.items() if len(found) > 1}


@pytest.mark.slow
def test_no_absolute_paths() -> None:
    """No file contains an absolute path of a developer's machine."""
    # Concatenated, so that this file does not match.
    place = re.compile(r"(?<![\w.$}/-])/(?:" + "home|root|work|Users" + r")/\w")
    suffixes = (".c", ".cpp", ".h", ".py", ".pyi", ".txt", ".cmake", ".toml", ".in", ".md", ".mlir")
    wrong = [
        f"{path}:{number}: {line.strip()}"
        for path in tracked(*suffixes)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if place.search(line)
    ]
    assert not wrong


def test_files_stay_below_800_lines_and_tests_below_500() -> None:
    """A file covers one concept; a test file covers one guarantee, or a few of one subject."""
    sizes = {p: len(p.read_text().splitlines()) for p in tracked(".c", ".cpp", ".h", ".py")}
    assert not {p.name: n for p, n in sizes.items() if n >= (500 if under(p, "test") else 800)}


def test_binding_entry_files_stay_below_60_lines() -> None:
    """A module's entry file only calls populate functions."""
    entries = list((ROOT / "lib/Bindings/Python").glob("*Module.cpp"))
    assert entries
    assert not {p.name: n for p in entries if (n := len(p.read_text().splitlines())) >= 60}


def test_registrations_stay_below_80_lines() -> None:
    """A function that adds classes and functions to a module or class is short enough to read at once."""
    start = re.compile(r"(?:static )?void (?:populate|define|bind)\w*\(")
    long = {}
    for path in (ROOT / "lib/Bindings/Python").rglob("*.cpp"):
        lines = path.read_text().splitlines()
        begins = [i for i, line in enumerate(lines) if start.match(line) and line[-1] not in ";}"]
        sizes = {lines[i]: lines.index("}", i) + 1 - i for i in begins}
        long.update({name: size for name, size in sizes.items() if size >= 80})
    assert not long


def test_namespace_package() -> None:
    """`ge` has no __init__.py, so that other distributions can add to it."""
    assert not (ROOT / "python/ge/__init__.py").exists()


def test_public_modules_import_relatively() -> None:
    """Absolute imports would fail in a vendor's copy of the files under another package name."""
    absolute = re.compile(r"^\s*(?:from|import) ge\b", re.M)
    files = [p for p in tracked(".py") if under(p, "python/ge")]
    assert not [p for p in files if absolute.search(p.read_text())]


def test_binaries_are_not_committed() -> None:
    command = ["git", "ls-files", "*.so", "*.a", "*.o", "*.whl", "*.pyc", "*.bin"]
    out = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert not out
    assert not [
        path for path in tracked(".onnx", ".data", ".npz") if not under(path, "test/models")
    ]
