"""Calls kernels through the C API, as a C program does, with ctypes."""

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

import ge._mlir_like

INT, FLOAT, TENSOR, TENSOR_OBJECT, ARRAY_OBJECT = 1, 3, 7, 70, 71


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]


class Value(ctypes.Union):
    _fields_ = [("i", ctypes.c_int64), ("f", ctypes.c_double), ("p", ctypes.c_void_p)]


class Any16(ctypes.Structure):
    _anonymous_ = ("value",)
    _fields_ = [("tag", ctypes.c_int32), ("small", ctypes.c_uint32), ("value", Value)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Object(ctypes.Structure):
    _fields_ = [
        ("refs", ctypes.c_uint64),
        ("tag", ctypes.c_int32),
        ("padding", ctypes.c_uint32),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)),
    ]


class TensorObject(ctypes.Structure):
    _fields_ = [("header", Object), ("tensor", DLTensor)]


def library() -> Any:
    [file] = Path(ge._mlir_like.__path__[0], "_ge").glob("libGE*.so*")
    lib = ctypes.CDLL(str(file))
    lib.geErrorMessage.restype = Text
    lib.geRegistryGlobal.restype = ctypes.c_void_p
    return lib


def call(op: str, *args: Any16) -> "tuple[Any16, str]":
    """Call the kernel for the CPU as a C program does; ctypes releases the GIL during the call."""
    lib = library()
    kernel, result = ctypes.c_void_p(), Any16()
    name = op.encode()
    registry = ctypes.c_void_p(lib.geRegistryGlobal())
    cpu = Text(b"cpu", 3)
    assert lib.geKernelRequire(registry, Text(name, len(name)), cpu, ctypes.byref(kernel)) == 0
    given = (Any16 * max(len(args), 1))(*args)
    status = lib.geKernelCall(kernel, given, ctypes.c_size_t(len(args)), ctypes.byref(result))
    text = lib.geErrorMessage() if status else Text(b"", 0)
    lib.geKernelRelease(kernel)
    return result, (text.data or b"")[: text.length].decode()


def tensor_argument(array: Any, keep: list[Any]) -> Any16:
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    strides = (ctypes.c_int64 * array.ndim)(*(s // array.itemsize for s in array.strides))
    t = DLTensor(array.ctypes.data, 1, 0, array.ndim, 2, 32, 1, shape, strides, 0)
    keep += [array, shape, strides, t]
    return Any16(tag=TENSOR, p=ctypes.addressof(t))


def tensor_result(value: Any16) -> Any:
    assert value.tag == TENSOR_OBJECT
    held = TensorObject.from_address(value.p)
    t = held.tensor
    count = int(np.prod([t.shape[i] for i in range(t.ndim)]))
    data = np.ctypeslib.as_array((ctypes.c_float * count).from_address(t.data)).copy()
    return data.reshape([t.shape[i] for i in range(t.ndim)])


def release(value: Any16) -> None:
    held = Object.from_address(value.p)
    assert held.refs == (1 << 32) + 1
    held.deleter(value.p, 3)
