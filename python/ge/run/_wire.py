"""Messages between the parent and the child process: a pipe, and shared memory for what is large.

A message is a prefix of two numbers, the lengths of a JSON header and of a body, then both. Arrays, models and
lists of strings are *blobs*: bytes in the body or, when the blobs of a message are larger together than
`INLINE_BYTES`, in an `Area` of shared memory. Each direction has its own area, written by one side only and reused by
the next message. Nothing is unpickled: either side may have been corrupted by a model.

Blobs of the body go from their arrays to the pipe (`write_some`) and from there into memory that the next message reuses
(`Incoming`): for small messages, memory that is touched for the first time costs more than what is done with it. Headers
are padded, so that blobs are aligned there, too.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import select
import struct
import time
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "INLINE_BYTES",
    "PREFIX",
    "Area",
    "Incoming",
    "MalformedError",
    "array",
    "decode",
    "encode",
    "enlarge",
    "parse",
    "wait_soon",
    "write_some",
]

# Above this, bytes go through shared memory.
INLINE_BYTES = 64 << 10
PREFIX = struct.Struct("<QQ")
# No header or body is larger: bodies hold at most INLINE_BYTES and padding, headers say where blobs are.
_MOST = 64 << 20
_ALIGNMENT = 64
# An area gives back what is above this after a message. Pages that the next message takes anew cost more than their copies:
# with 64 MiB, a call with 128 MiB took three times as long.
_KEPT_BYTES = 256 << 20
_SMALLEST = 1 << 20
_SMALL_BYTES = 1 << 12
# Of a pipe: the largest message without shared memory, so that it is written and read at once.
_PIPE_BYTES = 2 * INLINE_BYTES
_READ_BYTES = 4 * INLINE_BYTES
# More parts are joined: the system takes 1024.
_MOST_PARTS = 64
_PADDING = bytes(_ALIGNMENT)
_DEPTH = 32
# How long a side looks for the next message before it sleeps. Waking a process that sleeps on another core costs more
# than a small message, 150 us in a virtual machine; requests of a folding pass come one after the other.
_SOON_SECONDS = 300e-6
# A yield that takes longer gave the processor to another process. Where no processor is idle, the scheduler prefers a
# process that wakes up to one that polls and yields: 1200 us a request instead of 350.
_TAKEN_SECONDS = 100e-6
# For how long a side sleeps at once after that; twice as long each time, half as long after each look that paid.
_LEAST_PAUSE, _MOST_PAUSE = 0.01, 1.0

_NUMPY = frozenset(
    [
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    ]
)

_to_json = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_dtypes: dict[str, Any] = {}
_names: dict[Any, str] = {}  # NumPy spells a name out each time
_PLAIN = (type(None), bool, int, float, str)
# Headers up to this size are cached, in both directions: a folding pass sends the same one for the same operator and types.
_CACHED_HEADER_BYTES = 2 << 10
_CACHED_HEADERS = 256
_headers: dict[Any, bytes] = {}


class MalformedError(Exception):
    """A message that the other side cannot have meant."""


class Area:
    """Shared memory of a message, written by one side.

    Parameters
    ----------
    fd : int, optional
        Of the other side's area. Default: a new one, which has no name in the file system.
    """

    def __init__(self, fd: int | None = None) -> None:
        self.fd = _anonymous_file() if fd is None else fd
        self._map: mmap.mmap | None = None
        self._size = 0

    def writable(self, size: int) -> mmap.mmap:
        """Return the memory, at least `size` bytes of it."""
        if size > self._size:
            rounded = max(_SMALLEST, 1 << (size - 1).bit_length())
            os.ftruncate(self.fd, rounded)
            self._remap(rounded)
        assert self._map is not None
        return self._map

    def readable(self, size: int) -> memoryview:
        """Return the first `size` bytes, which the other side has written.

        Raises
        ------
        MalformedError
            If it is smaller.
        """
        if size > self._size:
            actual = os.fstat(self.fd).st_size
            if size > actual:
                raise MalformedError(f"{size} bytes of shared memory, of {actual}")
            self._remap(actual)
        return memoryview(self._map)[:size] if self._map is not None else memoryview(b"")

    def trim(self) -> None:
        """Give pages back to the system; the contents may be gone. The size stays, or the other side could fault."""
        if self._map is not None and self._size > _KEPT_BYTES and hasattr(mmap, "MADV_REMOVE"):
            self._map.madvise(mmap.MADV_REMOVE, _KEPT_BYTES, self._size - _KEPT_BYTES)

    def close(self) -> None:
        """Close the descriptor. The memory goes with the last view of it."""
        if self.fd >= 0:
            os.close(self.fd)
        self.fd, self._map, self._size = -1, None, 0

    def _remap(self, size: int) -> None:
        # The one before may still have views; it goes with them.
        self._map = mmap.mmap(self.fd, size)
        self._size = size


def _anonymous_file() -> int:
    if not hasattr(os, "memfd_create"):
        import tempfile

        with tempfile.TemporaryFile() as file:
            return os.dup(file.fileno())
    import fcntl

    fd = os.memfd_create("ge-evaluators", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    # A child that a model has taken over cannot shrink it, which would make a read by the parent a SIGBUS.
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
    return fd


class _Blobs:
    """The blobs of a message that is being encoded.

    Attributes
    ----------
    has_numbers : bool
        Whether a value or key is a number. Then equal trees may have different JSON: 1 equals True, and 0.0 equals -0.0.
    """

    def __init__(self) -> None:
        self.parts: list[tuple[int, Any]] = []
        self.size = 0
        self.has_numbers = False

    def add(self, data: Any, size: int) -> int:
        at = self.size
        self.parts.append((at, data))
        self.size = -(-(at + size) // _ALIGNMENT) * _ALIGNMENT
        return at

    def tree(self, value: Any, depth: int = 0) -> Any:
        """Return a value as JSON: arrays, bytes, lists, mappings, None and plain numbers and strings."""
        kind = type(value)
        if kind is bytes:
            return "b", self.add(value, len(value)), len(value)
        if kind in _PLAIN:  # not isinstance: NumPy's f64 is a float
            self.has_numbers |= kind is not str and value is not None
            return "p", value
        if depth > _DEPTH:
            raise TypeError("lists are nested too deeply")
        if isinstance(value, (list, tuple)):
            return "l", tuple([self.tree(v, depth + 1) for v in value])
        if isinstance(value, dict):
            pairs = [(_key(k), self.tree(v, depth + 1)) for k, v in value.items()]
            self.has_numbers |= any(type(k) is not str for k, _ in pairs)
            return "d", tuple(pairs)
        if isinstance(value, (bytearray, memoryview)):
            return "b", self.add(value, len(value)), len(value)
        return self._array(value)

    def _array(self, value: Any) -> Any:
        import numpy as np

        if not isinstance(value, (np.ndarray, np.generic)):
            raise TypeError(f"{type(value).__name__} is not a value of ONNX")
        dtype = value.dtype
        if dtype.kind in "OUST":
            texts = json.dumps([_text(v) for v in value.ravel().tolist()]).encode()
            return "s", self.add(texts, len(texts)), len(texts), value.shape
        name = _names.get(dtype) or _name(dtype)
        size = value.nbytes
        if size <= _SMALL_BYTES and dtype.isnative:  # as bytes: half the calls into NumPy
            return "a", self.add(value.tobytes(), size), name, value.shape
        made = np.ascontiguousarray(value, dtype if dtype.isnative else dtype.newbyteorder("="))
        return "a", self.add(made.reshape(-1).view(np.uint8), size), name, value.shape


def _name(dtype: Any) -> str:
    # Of ml_dtypes most have the kind V, and float8_e5m2 that of NumPy's floats.
    name: str = dtype.name
    if name not in _NUMPY and dtype.kind != "V" and not name.startswith("float8"):
        raise TypeError(f"arrays of {name} are no values of ONNX")
    return _names.setdefault(dtype, name)


def _header(
    message: Mapping[str, Any], values: tuple[Any, ...], shared: int, cached: bool
) -> bytes:
    key = (*message.items(), values, shared) if cached else None
    text = _headers.get(key) if cached else None
    if text is None:
        text = _to_json({**message, "values": values, "shared": shared}).encode()
        if cached and len(text) <= _CACHED_HEADER_BYTES:
            if len(_headers) >= _CACHED_HEADERS:
                _headers.clear()
            _headers[key] = text
    return text


def encode(message: Mapping[str, Any], values: Sequence[Any], area: Area) -> list[Any]:
    """Return a message as parts for `write_some`; what is large is in the area.

    Parameters
    ----------
    message : mapping
        Of names to what JSON can say.
    values : sequence
        Arrays, bytes, None, numbers, strings, and lists and mappings of them. Not changed until the parts are written.

    Raises
    ------
    TypeError
        For other values.
    """
    blobs = _Blobs()
    trees = tuple([blobs.tree(v) for v in values])
    shared = blobs.size if blobs.size > INLINE_BYTES else 0
    cached = not blobs.has_numbers and all(type(v) in (str, bool) for v in message.values())
    text = _header(message, trees, shared, cached)
    if shared:
        _place(blobs, area.writable(blobs.size))
        return [PREFIX.pack(len(text), 0) + text]
    spaces = -(PREFIX.size + len(text)) % _ALIGNMENT
    parts = [PREFIX.pack(len(text) + spaces, blobs.size) + text + b" " * spaces]
    for _, data in blobs.parts:
        parts.append(data)
        if len(data) % _ALIGNMENT:
            parts.append(_PADDING[: -len(data) % _ALIGNMENT])
    return parts if len(parts) <= _MOST_PARTS else [b"".join(parts)]


def _place(blobs: _Blobs, memory: Any) -> None:
    for at, data in blobs.parts:
        if isinstance(data, (bytes, bytearray, memoryview)):
            memory[at : at + len(data)] = data
        elif len(data):
            import numpy as np

            np.frombuffer(memory, np.uint8, len(data), at)[...] = data


def write_some(fd: int, parts: list[Any]) -> list[Any]:
    """Write what fits; return the parts that are left.

    Raises
    ------
    OSError
    """
    written = os.writev(fd, parts)
    for i, part in enumerate(parts):
        if written < len(part):
            return [memoryview(part)[written:], *parts[i + 1 :]]
        written -= len(part)
    return []


def enlarge(pipe: int) -> None:
    """Let a message without shared memory fit into a pipe, where the system allows."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _memory(size: int) -> memoryview:
    # Of this process alone, also after a fork.
    return memoryview(mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))


class Incoming:
    """What was read of messages, in memory that is used again."""

    def __init__(self) -> None:
        self.size = 0
        self._end = 0  # of the first message; 0: its prefix has not come
        self._start = 0  # of its body
        self._memory = _memory(_READ_BYTES)

    def read(self, fd: int) -> bool:
        """Read what is there. False: nothing will come.

        Raises
        ------
        OSError
        """
        if self.size == len(self._memory):
            self._resize(2 * self.size)
        count = os.readv(fd, [self._memory[self.size :]])
        self.size += count
        return count > 0

    def message(self) -> tuple[memoryview, memoryview] | None:
        """Return header and body of the first message, good until `done`; None: it has not come whole.

        Raises
        ------
        MalformedError
            If no message is so long.
        """
        if not self._end:
            if self.size < PREFIX.size:
                return None
            header, body = parse(self._memory)
            self._start = PREFIX.size + header
            self._end = self._start + body
            if self._end > len(self._memory):
                self._resize(self._end)
        if self.size < self._end:
            return None
        return self._memory[PREFIX.size : self._start], self._memory[self._start : self._end]

    @property
    def has_more(self) -> bool:
        """Whether something came after the first message."""
        return self.size > self._end

    def done(self) -> None:
        """Let go of the first message."""
        if self.size == self._end and len(self._memory) == _READ_BYTES:
            self.size = self._end = 0
            return
        rest, self.size = bytes(self._memory[self._end : self.size]), self.size - self._end
        self._end = 0
        if len(self._memory) > _READ_BYTES >= len(rest):
            self._memory = _memory(_READ_BYTES)
        self._memory[: len(rest)] = rest

    def _resize(self, size: int) -> None:
        memory = _memory(size)
        memory[: self.size] = self._memory[: self.size]
        self._memory = memory


# Not every system has it; there the wait is a busy one.
_let_others_run = getattr(os, "sched_yield", lambda: None)


class _Looking:
    """Whether this process looks for messages before it sleeps."""

    pause = _LEAST_PAUSE
    until = 0.0  # it does not before


def wait_soon(poll: select.poll) -> list[tuple[int, int]]:
    """Wait for a moment until something is readable, unless other processes want the processor.

    Returns
    -------
    list
        What `poll` found; empty: nothing yet.
    """
    now = time.monotonic()
    if now < _Looking.until:
        return []
    end = now + _SOON_SECONDS
    while not (ready := poll.poll(0)):
        before = time.monotonic()
        if before >= end:
            return []
        _let_others_run()
        now = time.monotonic()
        if now - before > _TAKEN_SECONDS:
            _Looking.until = now + _Looking.pause
            _Looking.pause = min(2 * _Looking.pause, _MOST_PAUSE)
            return []
    _Looking.pause = max(_Looking.pause / 2, _LEAST_PAUSE)
    return ready


def parse(prefix: bytes | bytearray | memoryview) -> tuple[int, int]:
    """Return the lengths of header and body.

    Raises
    ------
    MalformedError
        If no message is so long.
    """
    header, body = PREFIX.unpack_from(prefix)
    if header > _MOST or body > _MOST:
        raise MalformedError(f"a message of {header} and {body} bytes")
    return header, body


def decode(header: Any, body: Any, area: Area, copies: bool) -> tuple[dict[str, Any], list[Any]]:
    """Return the message and its values.

    Parameters
    ----------
    header, body : bytes-like
    area : Area
        Of the other side.
    copies : bool
        Whether arrays are copied; else they are views, of the body or the area, until the next message.

    Raises
    ------
    MalformedError
    """
    try:
        text = bytes(header)
        message, values = (_cached_parse if len(text) <= _CACHED_HEADER_BYTES else _parse_header)(
            text
        )
        shared = message["shared"]
        memory = area.readable(shared) if shared else memoryview(body)
        return dict(message), [_value(v, memory, copies, 0) for v in values]
    except MalformedError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError) as error:
        raise MalformedError(f"{type(error).__name__}: {error}") from None
    except RecursionError:
        raise MalformedError("a header that is nested too deeply") from None


def _parse_header(header: bytes) -> tuple[dict[str, Any], list[Any]]:
    message = json.loads(header)
    values, shared = message.pop("values"), message["shared"]
    if not isinstance(shared, int) or shared < 0:
        raise MalformedError(f"{shared!r} bytes")
    return message, values


_cached_parse = lru_cache(maxsize=_CACHED_HEADERS)(_parse_header)


def _value(tree: Any, memory: memoryview, copies: bool, depth: int) -> Any:
    kind = tree[0]
    if depth > _DEPTH:
        raise MalformedError("lists that are nested too deeply")
    if kind == "p":
        return tree[1]
    if kind == "l":
        return [_value(v, memory, copies, depth + 1) for v in tree[1]]
    if kind == "d":
        return {k: _value(v, memory, copies, depth + 1) for k, v in tree[1]}
    if kind == "b":
        return bytes(_range(memory, tree[1], tree[2]))
    if kind == "s":
        import numpy as np

        found = np.empty(len(texts := json.loads(bytes(_range(memory, tree[1], tree[2])))), object)
        if not all(isinstance(text, str) for text in texts):
            raise MalformedError("an array of strings with something else")
        found[...] = texts
        return found.reshape(_shape(tree[3]))
    if kind != "a":
        raise MalformedError(f"a value of kind {kind!r}")
    return array(memory, tree[1], tree[2], _shape(tree[3]), copies)


def array(memory: memoryview, at: int, name: str, shape: Sequence[int], copies: bool) -> Any:
    """Return the array at a place in memory.

    Raises
    ------
    MalformedError
        If it is not inside, or its element type is none of ONNX's.
    """
    import numpy as np

    dtype = _dtypes.get(name) or _dtype(name)
    count = prod(shape)
    if count == 0:
        return np.empty(shape, dtype)
    found: Any = np.frombuffer(_range(memory, at, count * dtype.itemsize), dtype)
    if len(shape) != 1:
        found = found.reshape(shape)
    return found.copy() if copies else found


def _dtype(name: Any) -> Any:
    import numpy as np

    if name in _NUMPY:
        kind: Any = name
    else:
        import ml_dtypes

        kind = getattr(ml_dtypes, str(name), None)
        if not isinstance(kind, type) or not issubclass(kind, np.generic):
            raise MalformedError(f"an array of {name!r}")
    return _dtypes.setdefault(name, np.dtype(kind))


def _shape(dims: Any) -> tuple[int, ...]:
    if not all(type(d) is int and d >= 0 for d in dims):
        raise MalformedError(f"an array of shape {dims!r}")
    return tuple(dims)


def _range(memory: memoryview, at: Any, size: Any) -> memoryview:
    if type(at) is not int or type(size) is not int or not 0 <= at <= at + size <= len(memory):
        raise MalformedError(f"{size!r} bytes at {at!r} of {len(memory)}")
    return memory[at : at + size]


def _text(value: Any) -> str:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


def _key(key: Any) -> Any:
    return key if isinstance(key, (str, int)) else key.item()
