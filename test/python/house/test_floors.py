"""The layers ("floors") of `python/ge`: a package imports only lower packages, and no private module of another one.

Imports ("arrows") are read from the sources: top-level and deferred imports, imports for type checkers, stubs, and
modules that the bindings or `import_module` import by name. Not detected: a module name that is computed.
The names in `_mlir_like/_providers.py` are exempt: only there may a lower layer name a higher one. The layers inside
`passes` have their own test.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from ge._mlir_like import _providers
from ge._mlir_like._providers import provider
from ge._support import unavailable

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "python/ge"

# The packages and modules of `ge`, lowest first. Each imports only those before it, so there is no import cycle.
FLOORS = """
    _mlir_like _support ir config _tools error graph _foreign ops es onnx run passes optimize view utils cli __main__
""".split()
# Modules of CANN that only raise an error with the reason why GE lacks them; no other module imports them.
FLOORS[2:2] = sorted(unavailable.REASONS)

# The package to which the native code in a folder of lib/Bindings/Python belongs.
NATIVE = {"IR": "ir", "Cann": "graph", "Ops": "ops", "Passes": "passes", "Match": "passes"}
NATIVE |= {
    "Imported": "ir",
    "IRStubs.pat": "ir",
    "OpsStubs.pat": "ops",
    "PassesStubs.pat": "passes",
}

# An import of a module of `ge` in the bindings.
IMPORTED = re.compile(r'GE_PYTHON_(PREFIX|PACKAGE)\s*"\.([\w.]+)"')

# Private modules that every package may import, and pairs of a package and the higher one that implements some of its
# public names, which the package's `__init__.py` imports for type checkers.
SHARED = {"_mlir_like._cext_loader", "_mlir_like._providers"}
PUBLIC_HOMES = {("onnx", "run"), ("onnx", "optimize")}


class Arrow(NamedTuple):
    """An import: the importing and the imported module, with names relative to `ge`."""

    source: str
    target: str
    is_typing: bool = False

    def __str__(self) -> str:
        return f"{self.source} -> {self.target}"


def floor(module: str) -> str:
    """Return the package of a module: `cli` of `cli._view`."""
    return module.partition(".")[0]


def module_of(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(tree: ast.AST, is_typing: bool = False) -> Iterator[tuple[ast.ImportFrom, bool]]:
    """Yield each `from` import, and whether it is for type checkers only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ImportFrom):
            yield node, is_typing
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for statement in node.body:
                yield from imports(ast.Module([statement], []), True)
            yield from imports(ast.Module(node.orelse, []), is_typing)
        elif not isinstance(node, (ast.expr, ast.arguments)):
            yield from imports(node, is_typing)


def python_arrows(root: Path) -> Iterator[Arrow]:
    """Yield the imports between the modules in a folder, which is treated as `ge`."""
    paths = sorted([*root.rglob("*.py"), *root.rglob("*.pyi")])
    known = {module_of(path, root) for path in paths}
    known |= {name.rpartition(".")[0] for name in known}
    for path in paths:
        source = module_of(path, root)
        package = source.split(".") if path.stem == "__init__" else source.split(".")[:-1]
        for node, is_typing in imports(ast.parse(path.read_text())):
            if not node.level:
                continue
            base = package[: len(package) - (node.level - 1)]
            base += node.module.split(".") if node.module else []
            for alias in node.names:
                target = ".".join([*base, alias.name])
                # A public name that is no module is imported from `base`.
                if base and target not in known and not alias.name.startswith("_"):
                    target = ".".join(base)
                yield Arrow(source, target, is_typing)
        for name in named_modules(ast.parse(path.read_text()), package):
            yield Arrow(source, name)


def named_modules(tree: ast.AST, package: list[str]) -> Iterator[str]:
    """Yield the modules of `ge` that are imported by a name in a string literal or an f-string.

    ``import_module("..passes", __package__)`` is relative to the package, ``f"{root}.passes"`` to `ge`, and
    ``f"{__name__}.part"`` to the module itself, which is no import of another package.
    """
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not call.args:
            continue
        if ast.unparse(call.func).rpartition(".")[2] not in ("import_module", "__import__"):
            continue
        name = call.args[0]
        if isinstance(name, ast.Constant) and str(name.value).startswith("."):
            text = str(name.value).lstrip(".")
            up = len(str(name.value)) - len(text) - 1
            yield ".".join([*package[: len(package) - up], *text.split(".")])
        elif isinstance(name, ast.JoinedStr):
            parts = [
                ast.unparse(p) if isinstance(p, ast.FormattedValue) else p.value
                for p in name.values
            ]
            text = str(parts[1]) if len(parts) > 1 else ""
            is_own = "__name__" in str(parts[0]) or "__package__" in str(parts[0])
            if not is_own and text.lstrip(".").partition(".")[0] in FLOORS:
                yield text.strip(".")


def native_arrows(root: Path) -> Iterator[Arrow]:
    """Yield the modules that the bindings import as strings, and those that they write into stubs."""
    stub = re.compile(r"^\s*\\from (\.+)([\w.]+) import", re.M)
    for path in sorted(p for s in ("*.cpp", "*.h", "*.pat") for p in root.rglob(s)):
        place = path.relative_to(root).parts[0]
        if place not in NATIVE:
            continue
        text = path.read_text()
        names = ["_mlir_like." * (k == "PREFIX") + name for k, name in IMPORTED.findall(text)]
        own = NATIVE[place] + "."
        names += [own * (dots == ".") + name for dots, name in stub.findall(text)]
        for name in names:
            yield Arrow(f"{NATIVE[place]}.<{path.name}>", name)


def faults(arrow: Arrow) -> str:
    """Return how an import violates the rules; empty if it does not."""
    source, target = floor(arrow.source), floor(arrow.target)
    if source == target or arrow.target.startswith("_mlir_like._ge"):
        return ""
    if FLOORS.index(target) > FLOORS.index(source):
        is_face = arrow.is_typing and arrow.source == source and arrow.target == target
        return "" if is_face and (source, target) in PUBLIC_HOMES else "up"
    is_private = any(part.startswith("_") for part in arrow.target.split(".")[1:])
    return "private" if is_private and arrow.target not in SHARED else ""


@cache
def all_arrows() -> list[Arrow]:
    return [*python_arrows(PACKAGE), *native_arrows(ROOT / "lib/Bindings/Python")]


@pytest.mark.slow
def test_every_module_has_a_floor() -> None:
    """A new package is added to FLOORS."""
    assert not {floor(a.source) for a in all_arrows()} - set(FLOORS)
    names = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert not names - set(FLOORS) - {"__pycache__", "py"}


def test_every_folder_of_the_bindings_has_a_package() -> None:
    """A new folder is added to NATIVE; `Init` imports no module of `ge`."""
    root = ROOT / "lib/Bindings/Python"
    assert {path.name for path in root.iterdir() if path.is_dir()} == {
        name for name in NATIVE if "." not in name
    } | {"Init"}
    for path in [*root.glob("*.cpp"), *(root / "Init").iterdir()]:
        assert not IMPORTED.search(path.read_text()), path


def test_floors_import_only_lower_ones() -> None:
    """No package imports a higher one, so there is no cycle, nor a private module of another package."""
    assert not [f"{arrow}: {fault}" for arrow in all_arrows() if (fault := faults(arrow))]


def test_mlir_like_imports_nothing_of_ge() -> None:
    assert not {floor(a.target) for a in all_arrows() if floor(a.source) == "_mlir_like"} - {
        "_mlir_like"
    }


def test_every_provider_exists() -> None:
    """Every purpose that a lower layer looks up has an entry, and the module and function of each entry exist."""
    purposes = _providers._PROVIDERS
    assert all(provider(purpose) is not None for purpose in purposes)
    call = re.compile(r'\b(?:provider|findProvider|functionOf)\((?:userData, )?"([^"]+)"\)')
    files = [*PACKAGE.rglob("*.py"), *(ROOT / "lib/Bindings/Python").rglob("*.cpp")]
    asked = {name for path in files for name in call.findall(path.read_text())}
    assert asked and asked <= set(purposes)


@pytest.mark.parametrize(
    ("file", "text", "fault"),
    [
        ("ir.py", "from .passes import PassManager", "ir -> passes: up"),
        ("ir.py", "def f():\n    from . import view", "ir -> view: up"),
        (
            "ops/_a.py",
            "if TYPE_CHECKING:\n    from ..run import check\nelse:\n    x = 1",
            "ops._a -> run: up",
        ),
        ("cli/_a.py", "from ..passes._registry import x", "cli._a -> passes._registry: private"),
        ("cli/_a.py", "from ..passes import _registry", "cli._a -> passes._registry: private"),
        ("onnx/__init__.py", "from ..run import check", "onnx -> run: up"),
        ("onnx/_a.py", "if TYPE_CHECKING:\n    from ..run import check", "onnx._a -> run: up"),
        ("onnx/__init__.py", "if TYPE_CHECKING:\n    from ..run import check", ""),
        ("cli/_a.py", "from ..passes import PassManager", ""),
        ("cli/_a.py", "from .._mlir_like._cext_loader import load", ""),
        (
            "ir/_a.py",
            "def f():\n    import_module('..passes.pattern', __package__)",
            "ir._a -> passes.pattern: up",
        ),
        ("ir/_a.py", "importlib.import_module(f'{_package}.view')", "ir._a -> view: up"),
        (
            "cli/_a.py",
            "import_module('..passes._registry', __package__)",
            "cli._a -> passes._registry: private",
        ),
        ("ir/_a.py", "import_module(f'{__name__}.view')", ""),
        ("cli/_a.py", "import_module('._view', __package__)", ""),
        (
            "cli/_a.py",
            "from .._mlir_like._tools import ge_opt",
            "cli._a -> _mlir_like._tools: private",
        ),
    ],
)
def test_an_arrow_that_is_turned_is_found(tmp_path: Path, file: str, text: str, fault: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    found = [f"{arrow}: {faults(arrow)}" for arrow in python_arrows(tmp_path) if faults(arrow)]
    assert found == ([fault] if fault else [])


def test_strings_of_the_bindings_are_arrows(tmp_path: Path) -> None:
    (tmp_path / "IR").mkdir()
    (tmp_path / "IR/A.cpp").write_text('importModule(GE_PYTHON_PACKAGE ".ops").attr("f")();\n')
    (tmp_path / "IRStubs.pat").write_text("x:\n    \\from ..passes import Match\n")
    assert [(str(a), faults(a)) for a in native_arrows(tmp_path)] == [
        ("ir.<A.cpp> -> ops", "up"),
        ("ir.<IRStubs.pat> -> passes", "up"),
    ]
