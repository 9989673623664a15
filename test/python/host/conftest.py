"""A native host program and its input files."""

from pathlib import Path

import pytest
from native_hosts import GRAPH, PASS, build


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the program, which executes the steps that its arguments name."""
    return build(tmp_path_factory.mktemp("native_host"))


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """Return a file with a graph that `pairs` simplifies."""
    path = tmp_path / "graph.mlir"
    path.write_text(GRAPH)
    return path


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Return a pass file whose pass removes pairs of negations."""
    path = tmp_path / "pairs.py"
    path.write_text(PASS.format(name="Pairs"))
    return path
