"""docs/ge-compat.md says of every member of GE's interface what is true of the package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "gen_ge_compat", ROOT / "scripts" / "gen_ge_compat.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_page_is_current(generator: ModuleType) -> None:
    table = generator.TABLE.read_text(encoding="utf-8")
    assert generator.PAGE.read_text(encoding="utf-8") == generator.page(table)


@pytest.mark.parametrize(
    "row",
    [
        "get_all_nodes | absent | why",
        "no_such_member | same |",
        "name | different |",
    ],
)
def test_wrong_rows_are_errors(generator: ModuleType, row: str) -> None:
    with pytest.raises(generator.ContradictionError):
        generator.page(f"== ge.graph\n= Graph | ge.graph.Graph\n{row}\n")


@pytest.mark.parametrize(
    "row", ["create_inputs(num)", "create_inputs(num, start_index=1)", "create_inputs(num, start)"]
)
def test_wrong_parameters_are_errors(generator: ModuleType, row: str) -> None:
    right = "create_inputs(num, start_index=0) | same |"
    table = "== ge.es\n= GraphBuilder | ge.es.GraphBuilder\n"
    assert "`create_inputs(num, start_index=0)` | same" in generator.page(f"{table}{right}\n")
    with pytest.raises(generator.ContradictionError, match="which is"):
        generator.page(f"{table}{row} | same |\n")


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
