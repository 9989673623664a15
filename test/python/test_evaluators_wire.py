"""Arrays on their way to the child process that evaluates, and back: each arrives as it was sent.

Answers that a broken child gives are in test_evaluators_child.py.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from test_evaluators_child import F, child, restored  # noqa: F401 - a fixture

from ge import ops
from ge.run import _wire

pytestmark = pytest.mark.nosan  # onnxruntime's own libraries are not built for it


@pytest.mark.parametrize("size", [0, 1, 15_000, 17_000, 1 << 20, 40 << 20])
def test_arrays_of_all_sizes(size: int) -> None:
    array = np.arange(size, dtype=np.float32)
    found = ops.evaluate_operator("onnx.Neg", [array])
    assert found is not None
    made = found[0].numpy()
    again = ops.evaluate_operator("onnx.Neg", [array + 1])  # reuses the memory
    assert again is not None
    np.testing.assert_array_equal(made, -array)
    np.testing.assert_array_equal(again[0].numpy(), -(array + 1))


def test_shared_memory_is_given_back() -> None:
    array = np.ones(64 << 20, np.float32)
    assert ops.evaluate_operator("onnx.Neg", [array]) is not None
    found = child()
    held = [os.fstat(area.fd).st_blocks * 512 for area in (found._area, found._theirs)]
    assert max(held) <= 64 << 20


def test_strings_and_their_bytes() -> None:
    array = np.array([["a", "\N{SNOWMAN}"], ["", "\udcff"]], object)
    found = _roundtrip(array)
    assert found.tolist() == array.tolist()


def _roundtrip(value: Any) -> Any:
    area = _wire.Area()
    out = _wire.encode({}, [value], area)
    header, body = _wire.parse(out)
    start, end = _wire.PREFIX.size, _wire.PREFIX.size + header
    assert len(out) == end + body
    other = _wire.Area(os.dup(area.fd))
    _, (found,) = _wire.decode(out[start:end], out[end:], other, copies=True)
    area.close()
    other.close()
    return found


@pytest.mark.parametrize(
    "name", "bool int8 uint64 float16 float64 complex64 bfloat16 float8_e4m3fn int4".split()
)
@pytest.mark.parametrize("size", [6, 60_000])
def test_element_types_arrive_as_they_are(name: str, size: int) -> None:
    import ml_dtypes

    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    array = (np.arange(size) % 2).astype(dtype).reshape(2, -1)
    for given in (array, array.T, array[0, 0]):
        found = _roundtrip(given)
        assert (found.dtype, found.shape) == (dtype, given.shape)
        assert found.tobytes() == np.ascontiguousarray(given).tobytes()


def test_lists_mappings_and_nothing_arrive_as_they_are() -> None:
    value = [None, {"a": 1, 2: [F, 2.5]}, "text", b"bytes", True]
    found = _roundtrip(value)
    np.testing.assert_array_equal(found[1][2][0], F)
    found[1][2][0] = value[1][2][0] = None  # type: ignore[index]
    assert found == value
    with pytest.raises(TypeError, match="no value of ONNX"):
        _roundtrip(object())
