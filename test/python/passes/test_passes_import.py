"""`ge.passes` imports its submodules on first access; every public name works, whichever is accessed first."""

import pickle
import subprocess
import sys
from importlib import import_module

import pytest

from ge import passes

# Modules that only rare uses need.
RARE = [
    "argparse", "dataclasses", "inspect", "json", "numpy", "pathlib", "urllib", "ge.es", "ge.graph",
    "ge.passes._rewrite", "ge.passes._diagnose",
]  # fmt: skip

EACH_FIRST = """
import sys
from importlib import import_module
import ge.passes
for name in ge.passes.__all__:
    for module in [m for m in sys.modules if m.partition(".")[0] == "ge" and ".passes" in m]:
        if "_mlir_like" not in module:
            del sys.modules[module]
    assert hasattr(import_module("ge.passes"), name), name
"""

FUNCTIONS = """
from importlib import import_module
from types import FunctionType
for module in {modules}:
    import_module(module)
    import ge.passes
    assert isinstance(ge.passes.pattern, FunctionType), module
    assert isinstance(ge.passes.rewrite, FunctionType), module
from ge.passes.pattern import NodeIo, Pattern, PatternInputs, create_pattern, pattern
assert pattern is ge.passes.pattern
import ge.passes.pattern as decorator
assert decorator is ge.passes.pattern
"""

FACES = [
    "base",
    "bootstrap",
    "fuse_inspector",
    "p",
    "pattern",
    "registry",
    "replacement",
    "runtime",
]


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_public_names_are_those_of_the_modules() -> None:
    """The package's table of exports agrees with ``__all__`` of each module, which type checkers read."""
    for module, names in passes._EXPORTS.items():
        assert sorted(import_module(f"ge.passes.{module}").__all__) == sorted(names), module
    source = open(passes.__file__, encoding="utf-8").read()
    for_checkers = {line.split()[1] for line in source.splitlines() if " import *" in line}
    assert for_checkers == {f".{module}" for module in passes._EXPORTS}
    assert sorted(passes.__all__) == sorted({*passes._HOMES, *passes._MODULES})
    assert set(dir(passes)) >= set(passes.__all__)
    names: dict[str, object] = {}
    exec("from ge.passes import *", names)
    assert names.keys() >= set(passes.__all__)


def test_public_names_show_their_public_home() -> None:
    for name in passes.__all__:
        value = getattr(passes, name)
        if hasattr(value, "__qualname__"):
            assert (value.__module__, value.__qualname__) == ("ge.passes", name)
            assert pickle.loads(pickle.dumps(value)) is value
    for name in passes.p.__all__:
        assert getattr(passes.p, name).__module__ == "ge.passes.p"
    # Also before the package has loaded them.
    code = (
        "from ge.passes._diagnose._rewrite_check import WrongRewriteError as E; print(E.__module__)"
    )
    assert run(code).strip() == "ge.passes"


@pytest.mark.parametrize("face", FACES)
def test_faces_give_the_objects_of_the_package(face: str) -> None:
    module = import_module(f"ge.passes.{face}")
    if face == "pattern":
        module = sys.modules["ge.passes.pattern"]
    for name in module.__all__:
        value = getattr(module, name)
        # CANN's functions, which return dictionaries and modules, exist in `bootstrap` only.
        if name in passes.__all__ and face != "bootstrap":
            assert value is getattr(passes, name)


@pytest.mark.slow
def test_each_name_may_be_the_first() -> None:
    run(EACH_FIRST)


@pytest.mark.parametrize("first", ["pattern", "_pattern", "_rewrite", "_rewrite._rules", "base"])
def test_pattern_and_rewrite_stay_functions(first: str) -> None:
    """Submodules of the same name do not shadow them, in any order of imports."""
    rest = ["ge.passes.base", "ge.passes._rewrite", "ge.passes._pattern._pattern", "ge.passes"]
    modules = [f"ge.passes.{first}", *rest, "ge.passes.pattern", f"ge.passes.{first}"]
    run(FUNCTIONS.format(modules=modules))


def test_a_name_that_is_none() -> None:
    with pytest.raises(AttributeError, match="module 'ge.passes' has no attribute 'nothing'"):
        passes.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_rare_modules_are_not_imported() -> None:
    """Neither the package nor a pipeline of native passes with logging imports them."""
    code = (
        "import logging, sys, typing; before = set(sys.modules)\n"
        "import ge.ir, ge.passes\n"
        "ge.passes.PassManager.parse('dce').run(ge.ir.Graph('g'))\n"
        f"print({{*{RARE}}} & {{*sys.modules}} - before)"
    )
    assert run(code) == "set()\n"
