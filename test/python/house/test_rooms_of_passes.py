"""The layers ("rooms") of `ge.passes`: no room imports a higher one, and there is no import cycle.

Read from the sources: top-level and deferred imports, and imports for type checkers. A room that needs a higher one at
run time uses `_mlir_like._providers`. The public modules ("faces") import the rooms; no room imports a face or the
package.
"""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PASSES = ROOT / "python/ge/passes"
# Lowest first.
ROOMS = ["_pattern", "_pipeline", "_rewrite", "_diagnose"]
FACES = {
    "_bridge",
    "base",
    "bootstrap",
    "fuse_inspector",
    "p",
    "pattern",
    "registry",
    "replacement",
    "runtime",
}


def module_of(path: Path, root: Path) -> str:
    """Return a module's name relative to the package: ``_rewrite._rules``, or ``_rewrite`` for its ``__init__.py``."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def arrows(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the importing and the imported module of each import between the files of a folder."""
    paths = sorted(root.rglob("*.py"))
    known = {module_of(path, root) for path in paths}
    for path in paths:
        source = module_of(path, root)
        package = list(path.relative_to(root).parts[:-1])
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.ImportFrom) or not 0 < node.level <= len(package) + 1:
                continue  # an import of another package
            base = package[: len(package) - node.level + 1]
            base += node.module.split(".") if node.module else []
            for alias in node.names:
                target = ".".join([*base, alias.name])
                yield source, target if target in known else ".".join(base)


def faults(root: Path) -> list[str]:
    """Return the imports by rooms of a higher room, a face or the package."""
    found = []
    for source, target in arrows(root):
        room, other = source.partition(".")[0], target.partition(".")[0]
        if room not in ROOMS or room == other:
            continue
        if other not in ROOMS or ROOMS.index(other) > ROOMS.index(room):
            found.append(f"{source} -> {target or 'ge.passes'}")
    return found


def test_no_room_imports_a_higher_one() -> None:
    assert len(list(arrows(PASSES))) > 100
    assert not faults(PASSES)


def test_modules_form_no_circle() -> None:
    graph: dict[str, set[str]] = {}
    for source, target in arrows(PASSES):
        if source.startswith("_") and source != target:
            graph.setdefault(source, set()).add(target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        pytest.fail(f"a circle of imports: {circle.args[1]}")


def test_every_file_is_in_a_room_or_a_face() -> None:
    """Faces only re-export names: they define nothing but ``__getattr__``."""
    files = {path.stem for path in PASSES.glob("*.py")}
    assert files == {*FACES, "__init__", "_native"}
    folders = {path.parent.name for path in PASSES.glob("*/__init__.py")}
    assert folders == set(ROOMS)
    for face in FACES:
        body = ast.parse((PASSES / f"{face}.py").read_text()).body
        defined = [n.name for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
        assert defined in ([], ["__getattr__"]), face


@pytest.mark.parametrize(
    "text",
    [
        "from .._rewrite._rules import Rule",
        "def f():\n    from .._rewrite import _rules",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .._diagnose._expect import Contract",
        "class C:\n    def f(self):\n        if True:\n            from .. import bootstrap",
        "from .. import PassManager",
    ],
    ids=["top", "deferred", "type-checking", "face", "package"],
)
def test_an_arrow_up_is_found(tmp_path: Path, text: str) -> None:
    for room in ROOMS:
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").touch()
    for file in ("__init__.py", "bootstrap.py", "_rewrite/_rules.py", "_diagnose/_expect.py"):
        (tmp_path / file).touch()
    (tmp_path / "_diagnose/_expect.py").write_text("from .._pipeline import _manager\n")
    (tmp_path / "_pipeline/_manager.py").write_text("from .._pattern import _trace\n")
    assert not faults(tmp_path)
    (tmp_path / "_pipeline/_manager.py").write_text(text)
    assert len(faults(tmp_path)) == 1


def test_each_file_of_built_in_passes_uses_the_matcher_or_says_why_not() -> None:
    silent = []
    for path in sorted((ROOT / "lib/Passes/Builtin").glob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        head = text[: text.index("#include")]
        if "matcher" not in head and "Match/Matcher.h" not in text:
            silent.append(path.name)
    assert not silent
