"""A native host, and what it works on."""

from pathlib import Path

import pytest
from native_hosts import GRAPH, PASS, build


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that is driven by steps."""
    return build(tmp_path_factory.mktemp("native_host"))


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """A file with a graph that `pairs` makes smaller."""
    path = tmp_path / "graph.mlir"
    path.write_text(GRAPH)
    return path


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A pass file: two negations are none."""
    path = tmp_path / "pairs.py"
    path.write_text(PASS.format(name="Pairs"))
    return path
