"""CANN's GraphBuilder as several files of tests begin with it."""

from __future__ import annotations

import pytest

from ge.es import GraphBuilder


@pytest.fixture
def builder() -> GraphBuilder:
    return GraphBuilder("main")
