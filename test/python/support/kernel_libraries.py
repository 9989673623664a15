"""A library for kernels in Python, and a kernel that records its calls."""

from collections.abc import Iterator
from typing import Any

import pytest

import ge.ops as ops


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("kt") as library:
        yield library


def infer_same(call: Any) -> Any:
    return [call.operand_types[0]]
