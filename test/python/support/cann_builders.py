"""A fixture with CANN's GraphBuilder for several test files."""

from __future__ import annotations

import pytest

from ge.es import GraphBuilder


@pytest.fixture
def builder() -> GraphBuilder:
    return GraphBuilder("main")
