"""A framework with tensors in NumPy memory that implements DLPack's `__dlpack_c_exchange_api__` with ctypes."""

import ctypes
from typing import Any

import numpy as np
from kernel_calls import DLTensor

PY = ctypes.pythonapi
PY.PyCapsule_New.restype = ctypes.py_object
PY.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
READ_ONLY = 1


class Managed(ctypes.Structure):
    pass


DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))
Managed._fields_ = [
    ("major", ctypes.c_uint32),
    ("minor", ctypes.c_uint32),
    ("context", ctypes.c_void_p),
    ("deleter", DELETER),
    ("flags", ctypes.c_uint64),
    ("tensor", DLTensor),
]
OUT = ctypes.POINTER(ctypes.POINTER(Managed))
SET_ERROR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
ALLOCATE = ctypes.PYFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(DLTensor), OUT, ctypes.c_void_p, SET_ERROR
)
FROM_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, OUT)
TO_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.POINTER(Managed), ctypes.POINTER(ctypes.c_void_p))  # fmt: skip
BORROW = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(DLTensor))
STREAM = ctypes.PYFUNCTYPE(
    ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p)
)


class Table(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("older", ctypes.c_void_p),
        ("allocate", ALLOCATE),
        ("from_object", FROM_OBJECT),
        ("to_object", TO_OBJECT),
        ("borrow", BORROW),
        ("stream", STREAM),
    ]


CODES = {"i": 0, "u": 1, "f": 2}
kept: "dict[int, Any]" = {}
counts = {"borrowed": 0, "exported": 0, "made": 0, "allocated": 0}


class Array:
    """A tensor of the framework."""

    device = (1, 0)

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def shape(self) -> "tuple[int, ...]":
        return self.array.shape  # type: ignore[no-any-return]

    @property
    def dtype(self) -> Any:
        return self.array.dtype

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> "tuple[int, int]":
        return self.device


class Remote(Array):
    """A tensor on a device."""

    device = (12, 3)

    def __dlpack__(self, **kwargs: Any) -> Any:
        raise BufferError("the memory is on the device")


def object_at(address: int) -> Any:
    return ctypes.cast(address, ctypes.py_object).value


def fill(tensor: Any, own: Array) -> None:
    array = own.array
    sizes = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
    steps = (ctypes.c_int64 * max(array.ndim, 1))(*(s // array.itemsize for s in array.strides))
    own.sizes = sizes, steps  # type: ignore[attr-defined]
    tensor.data = array.ctypes.data
    tensor.device_type, tensor.device_id = own.device
    tensor.ndim, tensor.lanes, tensor.byte_offset = array.ndim, 1, 0
    tensor.code, tensor.bits = CODES[array.dtype.kind], array.itemsize * 8
    tensor.shape = ctypes.cast(sizes, ctypes.POINTER(ctypes.c_int64))
    tensor.strides = ctypes.cast(steps, ctypes.POINTER(ctypes.c_int64))


@DELETER
def delete(managed: Any) -> None:
    kept.pop(ctypes.addressof(managed.contents))


def manage(own: Array, out: Any) -> int:
    managed = Managed(1, 3, None, delete, 0 if own.array.flags.writeable else READ_ONLY)
    fill(managed.tensor, own)
    kept[ctypes.addressof(managed)] = managed, own
    out[0] = ctypes.pointer(managed)
    return 0


@BORROW
def borrow(address: int, out: Any) -> int:
    counts["borrowed"] += 1
    fill(out.contents, object_at(address))
    return 0


@FROM_OBJECT
def from_object(address: int, out: Any) -> int:
    counts["exported"] += 1
    return manage(object_at(address), out)


@ALLOCATE
def allocate(like: Any, out: Any, context: Any, set_error: Any) -> int:
    t = like.contents
    if t.bits == 8:
        set_error(context, b"MemoryError", b"no bytes left")
        return -1
    counts["allocated"] += 1
    shape = [t.shape[i] for i in range(t.ndim)]
    kind = Remote if t.device_type == Remote.device[0] else Array
    return manage(kind(np.zeros(shape, f"{'iuf'[t.code]}{t.bits // 8}")), out)


@TO_OBJECT
def to_object(managed: Any, out: Any) -> int:
    counts["made"] += 1
    m = managed.contents
    t = m.tensor
    shape = [t.shape[i] for i in range(t.ndim)]
    own = kept.get(ctypes.addressof(m), (None, None))[1]
    if own is None:  # memory of another object
        count = int(np.prod(shape)) * t.bits // 8
        memory = (ctypes.c_char * count).from_address(t.data)
        array = np.frombuffer(memory, f"{'iuf'[t.code]}{t.bits // 8}")
        steps = [t.strides[i] * t.bits // 8 for i in range(t.ndim)]
        array = np.lib.stride_tricks.as_strided(array, shape, steps)
        own = Array(array)
        own.held = Held(managed)  # type: ignore[attr-defined]
    else:
        m.deleter(managed)
    PY.Py_IncRef(ctypes.py_object(own))
    out[0] = id(own)
    return 0


class Held:
    """Releases a managed tensor when it is destroyed."""

    def __init__(self, managed: Any) -> None:
        self.managed = managed

    def __del__(self) -> None:
        self.managed.contents.deleter(self.managed)


@STREAM
def stream(device: int, number: int, out: Any) -> int:
    out[0] = 1000 + number
    return 0


TABLE = Table(1, 3, None, allocate, from_object, to_object, borrow, stream)
NEWER = Table(9, 0, ctypes.addressof(TABLE), allocate, from_object, to_object, BORROW(), stream)


def capsule(table: Table) -> Any:
    return PY.PyCapsule_New(ctypes.addressof(table), b"dlpack_exchange_api", None)


Array.__dlpack_c_exchange_api__ = capsule(TABLE)  # type: ignore[attr-defined]
Remote.__dlpack_c_exchange_api__ = capsule(NEWER)  # type: ignore[attr-defined]
