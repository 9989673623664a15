"""docs/cann.md, the table of the members of CANN's interface, agrees with the package."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import gen_cann_docs
from ge._support.unavailable import REASONS


@pytest.mark.slow
def test_page_is_current() -> None:
    table = gen_cann_docs.TABLE.read_text(encoding="utf-8")
    assert gen_cann_docs.PAGE.read_text(encoding="utf-8") == gen_cann_docs.page(table)


@pytest.mark.parametrize(
    "row",
    [
        "get_all_nodes | absent | why",
        "no_such_member | same |",
        "name | different |",
    ],
)
def test_wrong_rows_are_errors(row: str) -> None:
    with pytest.raises(gen_cann_docs.ContradictionError):
        gen_cann_docs.page(f"== ge.graph\n= Graph | ge.graph.Graph\n{row}\n")


@pytest.mark.parametrize(
    "row", ["create_inputs(num)", "create_inputs(num, start_index=1)", "create_inputs(num, start)"]
)
def test_wrong_parameters_are_errors(row: str) -> None:
    right = "create_inputs(num, start_index=0) | same |"
    table = "== ge.es\n= GraphBuilder | ge.es.GraphBuilder\n"
    assert "`create_inputs(num, start_index=0)` | same" in gen_cann_docs.page(f"{table}{right}\n")
    with pytest.raises(gen_cann_docs.ContradictionError, match="which is"):
        gen_cann_docs.page(f"{table}{row} | same |\n")


def test_every_public_member_has_documentation() -> None:
    import ge.error
    import ge.es.graph_builder
    import ge.graph

    missing = []
    for module in (ge.graph, ge.error, ge.es.graph_builder):
        for name in module.__all__:
            owner = getattr(module, name)
            if not owner.__doc__:
                missing.append(name)
            own = vars(owner) if isinstance(owner, type) else {}
            missing += [
                f"{name}.{key}"
                for key, value in own.items()
                if not key.startswith("_") and callable(value) and not value.__doc__
            ]
    assert not missing


@pytest.mark.parametrize("name", sorted(REASONS))
@pytest.mark.parametrize("below", ["", ".any"])
def test_a_module_of_cann_that_is_not_available_says_what_to_use(name: str, below: str) -> None:
    words = f"^ge.{name} is part of CANN and not available in GE: it .+[,;] .+"
    for _ in range(2):  # a failed import leaves no partial module
        with pytest.raises(ModuleNotFoundError, match=words) as raised:
            importlib.import_module(f"ge.{name}{below}")
        assert raised.value.name == f"ge.{name}"


def test_other_modules_that_are_not_there_are_python_s_error() -> None:
    with pytest.raises(ModuleNotFoundError, match="No module named 'ge.nothing'"):
        importlib.import_module("ge.nothing")


def test_a_module_of_cann_as_a_program() -> None:
    command = [sys.executable, "-m", "ge.pyatc", "--model=m.onnx"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ge.pyatc is part of CANN and not available in GE" in done.stderr.splitlines()[-1]
