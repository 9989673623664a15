"""Arrays are sent to the evaluators' child process and back unchanged.

Replies of a broken child are tested in test_evaluators_child.py.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from evaluator_child import F, child, restored  # noqa: F401 - a fixture

from ge import ops
from ge.run import _wire

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 1, 15_000, 17_000, 1 << 20, 40 << 20])
def test_arrays_of_all_sizes(size: int) -> None:
    array = np.arange(size, dtype=np.float32)
    found = ops.evaluate_operator("onnx.Neg", [array])
    assert found is not None
    made = found[0].numpy()
    again = ops.evaluate_operator("onnx.Neg", [array + 1])  # reuses the shared memory
    assert again is not None
    np.testing.assert_array_equal(made, -array)
    np.testing.assert_array_equal(again[0].numpy(), -(array + 1))


@pytest.mark.slow
def test_shared_memory_is_given_back() -> None:
    array = np.ones(80 << 20, np.float32)  # 320 MiB
    assert ops.evaluate_operator("onnx.Neg", [array]) is not None
    found = child()
    held = [os.fstat(area.fd).st_blocks * 512 for area in (found._area, found._theirs)]
    assert max(held) <= 256 << 20


def test_strings_and_their_bytes() -> None:
    array = np.array([["a", "\N{SNOWMAN}"], ["", "\udcff"]], object)
    found = _roundtrip(array)
    assert found.tolist() == array.tolist()


def test_equal_values_keep_their_types() -> None:
    """Headers are cached by content; the cache must not confuse True with 1, or 0.0 with -0.0."""
    for value in (True, 1, 1.0, 0.0, -0.0, False, 0, [True], [1], {"k": 1}, {"k": True}, {1: None}, {True: None}):  # fmt: skip
        assert repr(_roundtrip(value)) == repr(value)
    for message in ({"known": True}, {"known": 1}, {"known": 1.0}):
        area = _wire.Area()
        sent = _sent(_wire.encode(message, [], area), _wire.Incoming())
        told, _ = _wire.decode(*sent, area, copies=True)
        assert repr(told["known"]) == repr(message["known"])
        told["known"] = "changed by who got it"
        area.close()


def test_large_headers_are_not_cached() -> None:
    area = _wire.Area()
    for count in range(1000, 1300):
        _wire.encode({"do": "evaluate"}, [[b""] * count], area)
        _wire.encode({"do": f"{count}"}, [None], area)
    area.close()
    assert len(_wire._headers) <= _wire._CACHED_HEADERS
    assert max(map(len, _wire._headers.values())) <= _wire._CACHED_HEADER_BYTES


def _roundtrip(value: Any) -> Any:
    area = _wire.Area()
    other = _wire.Area(os.dup(area.fd))
    message = _sent(_wire.encode({}, [value], area), _wire.Incoming())
    _, (found,) = _wire.decode(*message, other, copies=True)
    area.close()
    other.close()
    return found


def _sent(parts: list[Any], incoming: _wire.Incoming) -> tuple[memoryview, memoryview]:
    """Send a message through a pipe that may be smaller than the message, and return the received header and body."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    os.set_blocking(reader, False)
    while parts:
        try:
            parts = _wire.write_some(writer, parts)
        except BlockingIOError:
            assert incoming.read(reader)
    os.close(writer)
    while (message := incoming.message()) is None:
        assert incoming.read(reader)
    os.close(reader)
    return message


@pytest.mark.parametrize("size", [8, 60_000, 64 << 10, 300_000, 5 << 20])
def test_messages_arrive_whole_through_small_pipes(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Send arrays without shared memory; the buffer of a large message is freed."""
    monkeypatch.setattr(_wire, "INLINE_BYTES", 1 << 30)
    area, incoming = _wire.Area(), _wire.Incoming()
    arrays = [np.arange(size, dtype=np.uint8), np.ones((3, 5)), np.arange(7, dtype=np.int8)]
    for _ in range(3):
        header, body = _sent(_wire.encode({"do": "it"}, arrays, area), incoming)
        told, found = _wire.decode(header, body, area, copies=False)
        assert told["do"] == "it" and not incoming.has_more
        for made, array in zip(found, arrays, strict=True):
            np.testing.assert_array_equal(made, array)
            assert made.ctypes.data % 64 == 0
        incoming.done()
    assert len(incoming._memory) == _wire._READ_BYTES
    area.close()


def test_messages_that_arrive_at_once_are_read_one_by_one() -> None:
    area, incoming = _wire.Area(), _wire.Incoming()
    values = [np.arange(n, dtype=np.float32) for n in (3, 5_000, 0, 900)]
    joined = b"".join(b"".join(_wire.encode({}, [v], area)) for v in values)
    _sent([joined], incoming)
    for value in values:
        message = incoming.message()
        assert message is not None
        _, (found,) = _wire.decode(*message, area, copies=True)
        np.testing.assert_array_equal(found, value)
        assert incoming.has_more == (value is not values[-1])
        incoming.done()
    assert incoming.message() is None and incoming.size == 0
    area.close()


def test_a_message_of_many_parts_arrives() -> None:
    """The system writes at most 1,024 parts in one call."""
    found = _roundtrip([np.full(3, i) for i in range(2000)])
    assert [int(array[0]) for array in found] == list(range(2000))


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
    with pytest.raises(TypeError, match="not a value of ONNX"):
        _roundtrip(object())


class Clock:
    """A simulated clock that advances when a process yields; `poll` returns a message from time `message` on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, message: float, by_yield: float) -> None:
        self.now, self.message, self.by_yield = 0.0, message, by_yield
        self.looks = self.yields = 0
        monkeypatch.setattr(_wire.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(_wire, "_let_others_run", self.let_others_run)
        monkeypatch.setattr(_wire._Looking, "pause", _wire._LEAST_PAUSE)
        monkeypatch.setattr(_wire._Looking, "until", 0.0)

    def let_others_run(self) -> None:
        self.yields += 1
        self.now += self.by_yield

    def poll(self, timeout: float) -> list[tuple[int, int]]:
        assert timeout == 0
        self.looks += 1
        return [(0, 0)] if self.now >= self.message else []


def test_a_side_looks_for_a_message_before_it_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, message=100e-6, by_yield=1e-6)
    _wire.wait_soon(clock)  # type: ignore[arg-type]
    assert clock.poll(0)
    late = Clock(monkeypatch, message=1.0, by_yield=1e-6)
    _wire.wait_soon(late)  # type: ignore[arg-type]
    assert 0 < late.yields <= 1 + _wire._SOON_SECONDS / 1e-6


def test_it_sleeps_at_once_where_others_want_the_processor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A yield that takes a whole time slice shows contention; polling then pauses, for longer each time."""
    clock = Clock(monkeypatch, message=1e9, by_yield=3e-3)
    pauses = []
    for _ in range(20):
        _wire.wait_soon(clock)  # type: ignore[arg-type]
        yields = clock.yields
        _wire.wait_soon(clock)  # type: ignore[arg-type]
        assert clock.yields == yields
        pauses.append(_wire._Looking.until - clock.now)
        clock.now = _wire._Looking.until
    assert clock.yields == 20
    assert pauses == pytest.approx(sorted(pauses))
    assert pauses[-1] == pytest.approx(_wire._MOST_PAUSE)
    # A message that arrives while polling shortens the pauses again.
    for _ in range(10):
        clock.message = clock.now
        _wire.wait_soon(clock)  # type: ignore[arg-type]
    assert _wire._Looking.pause == _wire._LEAST_PAUSE
