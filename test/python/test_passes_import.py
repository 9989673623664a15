"""`ge.passes` imports its parts when they are first asked for: every public name is there, whichever comes first."""

import pickle
import subprocess
import sys

import pytest

from ge import passes
from ge.passes import _public

# What only rare uses need.
RARE = [
    "argparse", "dataclasses", "inspect", "json", "numpy", "pathlib", "urllib", "ge.es", "ge.graph", "ge.passes._fusion",
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


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_public_name_has_a_home() -> None:
    native = passes._native.__all__  # those there are from the start
    assert sorted(passes.__all__) == sorted({*_public.HOMES, *_public.MODULES, *native})
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
    # Also before somebody asks for them.
    code = "from ge.passes._rewrite_check import WrongRewriteError as E; print(E.__module__)"
    assert run(code).strip() == "ge.passes"


def test_each_name_may_be_the_first() -> None:
    run(EACH_FIRST)


def test_a_name_that_is_none() -> None:
    with pytest.raises(AttributeError, match="module 'ge.passes' has no attribute 'nothing'"):
        passes.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_rare_modules_are_not_imported() -> None:
    """Neither by the package, nor by a pipeline of native passes, which logs what it does."""
    code = (
        "import logging, sys, typing; before = set(sys.modules)\n"
        "import ge.ir, ge.passes\n"
        "ge.passes.PassManager.parse('dce').run(ge.ir.Graph('g'))\n"
        f"print({{*{RARE}}} & {{*sys.modules}} - before)"
    )
    assert run(code) == "set()\n"
