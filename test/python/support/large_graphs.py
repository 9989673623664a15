"""Graphs that are large or deep, and a guard for tests that build them."""

import faulthandler
from collections.abc import Iterator

import pytest

import ge.ir as ir

F32 = ir.TensorType((2,), ir.f32)


@pytest.fixture(autouse=True)
def comes_back() -> Iterator[None]:
    faulthandler.dump_traceback_later(600, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
