"""The groups of files that a vendor selects: a file's imports at load time stay in its group or in groups it needs."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "python/ge"
LIST = ROOT / "lib/Bindings/Python/CMakeLists.txt"


def module_of(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def groups() -> dict[str, dict[str, list[str]]]:
    """Return the NEEDS, FILES and DIRECTORIES of each group, in the order in which CMake assigns files to groups."""
    found: dict[str, dict[str, list[str]]] = {}
    for call in re.finditer(r"^ge_python_group\((\w+)([^)]*)\)", LIST.read_text(), re.M):
        parts: dict[str, list[str]] = {"NEEDS": [], "FILES": [], "DIRECTORIES": []}
        key = ""
        for word in call[2].split():
            key = word if word in parts else key
            if word != key:
                parts[key].append(word)
        found[call[1]] = parts
    return found


GROUPS = groups()


def group_of(module: str) -> str:
    top = module.partition(".")[0]
    for name, parts in GROUPS.items():
        if top in parts["DIRECTORIES"] or f"{top}.py" in parts["FILES"]:
            return name
    return "Cann"  # the group of all other files


def with_needed(group: str) -> set[str]:
    return {group}.union(*(with_needed(other) for other in GROUPS[group]["NEEDS"]))


def at_import(body: list[ast.stmt]) -> Iterator[ast.ImportFrom]:
    """Yield the imports that run when a module is loaded; imports in functions may name a group that is left out."""
    for node in body:
        if isinstance(node, ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from at_import(node.orelse)
        elif isinstance(node, (ast.If, ast.Try, ast.With, ast.ClassDef)):
            yield from at_import(node.body)


def imported(path: Path, root: Path) -> Iterator[str]:
    module = module_of(path, root)
    package = module.split(".") if path.stem == "__init__" else module.split(".")[:-1]
    for node in at_import(ast.parse(path.read_text()).body):
        if node.level:
            base = package[: len(package) - (node.level - 1)]
            base += node.module.split(".") if node.module else []
            yield from {base[0]} if base else {alias.name for alias in node.names}


def test_imports_stay_in_the_group_and_what_it_needs() -> None:
    assert set(GROUPS) == {"Core", "Ops", "Passes", "Onnx", "View", "Cli", "Cann"}
    outside = [
        f"{module_of(path, PACKAGE)} ({own}) imports {target} ({group_of(target)})"
        for path in sorted(PACKAGE.rglob("*.py"))
        for own in [group_of(module_of(path, PACKAGE))]
        for target in imported(path, PACKAGE)
        if target and group_of(target) not in with_needed(own)
    ]
    assert not outside


def test_a_fault_is_seen(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "_x.py").write_text(
        "from ..onnx import a\nfrom .. import cli\ndef f():\n    from ..view import b\n"
    )
    found = set(imported(tmp_path / "run" / "_x.py", tmp_path))
    assert found == {"onnx", "cli"} and not {"Onnx", "Cli"} & with_needed(group_of("run._x"))
