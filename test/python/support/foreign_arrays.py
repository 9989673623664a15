"""Arrays of a framework that has DLPack and nothing else, in host memory, on any device that they name.

Every layout and element type that NumPy and ml_dtypes have is exported, with the capsules of DLPack 1.x or of before.
"""

import ctypes
from typing import Any

import numpy as np
from kernel_calls import DLTensor

CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
EXTENDED = {
    "bfloat16": 4,
    "float8_e4m3fn": 10,
    "float8_e4m3fnuz": 11,
    "float8_e5m2": 12,
    "float8_e5m2fnuz": 13,
    "float8_e8m0fnu": 14,
}
READ_ONLY = 1

_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class _Older(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Managed(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    ]


_kept: list[Any] = []


class Bare:
    """An array with `__dlpack__` and `__dlpack_device__` alone."""

    #: Whether it exports DLPack 1.x, and refuses `max_version` otherwise.
    versioned = True

    def __init__(
        self, memory: Any, device: tuple[int, int] = (1, 0), error: "Exception | None" = None
    ) -> None:
        self.memory, self.device, self.error = memory, device, error

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **options: Any) -> Any:
        if self.error is not None:
            raise self.error
        if not self.versioned and "max_version" in options:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        a = self.memory
        shape = (ctypes.c_int64 * max(a.ndim, 1))(*a.shape)
        steps = (ctypes.c_int64 * max(a.ndim, 1))(*(s // a.itemsize for s in a.strides))
        kind = _Managed if self.versioned else _Older
        managed = kind()
        t = managed.tensor
        t.data = a.__array_interface__["data"][0]
        t.device_type, t.device_id = self.device
        t.ndim, t.lanes, t.byte_offset = a.ndim, 1, 0
        t.code = EXTENDED[a.dtype.name] if a.dtype.name in EXTENDED else CODES[a.dtype.kind]
        t.bits = a.itemsize * 8
        t.shape = ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
        t.strides = ctypes.cast(steps, ctypes.POINTER(ctypes.c_int64))
        if self.versioned:
            managed.major, managed.minor = 1, 1
            managed.flags = 0 if a.flags.writeable else READ_ONLY
        _kept.append((managed, shape, steps, a))
        name = b"dltensor_versioned" if self.versioned else b"dltensor"
        return _new(ctypes.addressof(managed), name, None)


class Old(Bare):
    """The same with the capsules of before DLPack 1.0."""

    versioned = False


class Array(Bare):
    """The same with what most frameworks have beside DLPack."""

    @property
    def dtype(self) -> Any:
        return self.memory.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.memory.shape  # type: ignore[no-any-return]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.memory[key] = value.memory


class Contiguous(Array):
    """The same with PyTorch's way to a compact copy."""

    def contiguous(self) -> "Contiguous":
        return Contiguous(np.array(self.memory, order="C"), self.device)


class _Namespace:
    @staticmethod
    def asarray(array: Any, *, copy: bool) -> Any:
        assert copy
        return Standard(np.array(array.memory, order="C"), array.device)


class Standard(Array):
    """The same with the way of the array API standard."""

    def __array_namespace__(self) -> Any:
        return _Namespace
