"""The house keeps its walls: who may include whom, and what no file may contain.

These read the sources as text; what they promise is that a violation cannot be committed unnoticed, not that
the layering is right.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
ROOMS = ["Support", "IR", "Text", "Ops", "Passes", "Formats", "CAPI", "Host"]
# Folders inside a room, lowest first; "" is the room's own. Folders of one row do not include each other.
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
    "Passes": [["Manager", "Match"], ["Rewrite"], ["Builtin"]],
    "Formats": [["Onnx"]],
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


def test_clients_include_only_the_c_api() -> None:
    """Host, bindings, bridge, tools, and C programs see ge-c/ and nothing of ge/."""
    clients = native(
        "lib/Host", "lib/Bindings", "lib/Bridge", "tools", "test/CAPI", "test/fuzz", "test/random"
    )
    wrong = [f"{p}: {i}" for p in clients for i in includes(p) if i.startswith("ge/")]
    assert not wrong


def test_public_headers_include_only_public_headers() -> None:
    wrong = [
        f"{p}: {i}"
        for p in native("include/ge-c", "include/ge-python")
        for i in includes(p)
        if i.startswith("ge/")
    ]
    assert not wrong


def test_core_knows_no_python() -> None:
    """Nothing under lib/ and include/ but Bindings and Bridge may know Python."""
    python = ("lib/Bindings", "lib/Bridge", "include/ge-python")
    core = [p for p in native("lib", "include") if not under(p, *python)]
    assert core
    wrong = [f"{p}: {i}" for p in core for i in includes(p) if "Python.h" in i or "nanobind" in i]
    assert not wrong


@pytest.mark.parametrize("room", ROOMS)
def test_room_includes_no_higher_room(room: str) -> None:
    higher = ROOMS[ROOMS.index(room) + 1 :]
    wrong = [
        f"{path}: {include}"
        for path in native(f"lib/{room}", f"include/ge/{room}")
        for include in includes(path)
        if include.startswith(tuple(f"ge/{other}/" for other in higher))
        or (room not in ("CAPI", "Host") and include.startswith("ge-c/"))
    ]
    assert not wrong


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


def test_no_absolute_paths() -> None:
    """No file names a place of the machine that it was written on."""
    # Spelled in pieces, so that this file does not find itself.
    place = re.compile(r"(?<![\w.$}/-])/(?:" + "home|root|work|Users" + r")/\w")
    suffixes = (".c", ".cpp", ".h", ".py", ".pyi", ".txt", ".cmake", ".toml", ".in", ".md", ".mlir")
    wrong = [
        f"{path}:{number}: {line.strip()}"
        for path in tracked(*suffixes)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if place.search(line)
    ]
    assert not wrong


def test_files_stay_below_800_lines() -> None:
    """A file is one concept."""
    sizes = {p: len(p.read_text().splitlines()) for p in tracked(".c", ".cpp", ".h", ".py")}
    assert not {p.name: n for p, n in sizes.items() if n >= 800}


def test_binding_entry_files_stay_below_60_lines() -> None:
    """A module's entry file only calls populate functions."""
    entries = list((ROOT / "lib/Bindings/Python").glob("*Module.cpp"))
    assert entries
    assert not {p.name: n for p in entries if (n := len(p.read_text().splitlines())) >= 60}


def test_namespace_package() -> None:
    """`ge` has no __init__.py, so that other distributions can add to it."""
    assert not (ROOT / "python/ge/__init__.py").exists()


def test_public_modules_import_relatively() -> None:
    """A vendor takes the same files under another name."""
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
