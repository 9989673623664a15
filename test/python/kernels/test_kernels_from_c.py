"""Kernels in Python run for callers in C, on any thread: geKernelCall, and so geOpCall and geGraphRun."""

import ctypes
import gc
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ge._mlir_like
import ge.ir as ir
import ge.ops as ops

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
    """Call the kernel for the CPU as a program in C does; ctypes gives the GIL away meanwhile."""
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


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("kfc") as opened:
        yield opened


X = np.arange(6, dtype="f4").reshape(2, 3)


def test_a_global_function_in_python_is_called_from_c(lib: Any) -> None:
    lib.function("kfc::add(int a, float b) -> float", lambda a, b: a + b)
    result, text = call("kfc::add", Any16(tag=INT, i=2), Any16(tag=FLOAT, f=0.5))
    assert not text
    assert (result.tag, result.f) == (FLOAT, 2.5)


@pytest.mark.parametrize("as_", [None, "numpy"])
def test_tensors_are_the_kernels_own_and_results_the_callers(lib: Any, as_: "str | None") -> None:
    lib.define("scale(Tensor x, *, float k=1.0) -> Tensor")
    kept: list[Any] = []

    def scale(x: Any, *, k: float) -> Any:
        kept.append(x)
        assert type(x) is (np.ndarray if as_ else ir.Tensor)
        made = np.asarray(x) * np.float32(k)
        owners.append(weakref.ref(made))
        return made

    owners: list[Any] = []
    lib.impl("scale", "cpu", scale, as_=as_)
    keep: list[Any] = []
    array = X.copy()
    result, text = call("kfc::scale", tensor_argument(array, keep), Any16(tag=FLOAT, f=2.0))
    assert not text
    array[:] = 7  # the kernel has kept a copy
    assert (np.asarray(kept[0]) == X).all()
    assert (tensor_result(result) == X * 2).all()
    gc.collect()
    assert owners[0]() is not None
    release(result)
    gc.collect()
    assert owners[0]() is None


def test_what_a_kernel_raises_is_the_text_of_the_failure(lib: Any) -> None:
    def boo(n: int) -> int:
        raise ValueError("boo") if n else SystemExit(3)

    lib.function("kfc::boo(int n) -> int", boo)
    for n, said in ((1, "ValueError: boo"), (0, "SystemExit: 3")):
        _, text = call("kfc::boo", Any16(tag=INT, i=n))
        assert text.startswith("kfc::boo: kernel any (")
        assert text.endswith(f") failed: {said}")


def test_threads_without_an_interpreter_may_call(lib: Any) -> None:
    lib.function("kfc::next(int n) -> int", lambda n: n + 1)
    found: list[int] = []

    def several() -> None:
        for n in range(50):
            found.append(call("kfc::next", Any16(tag=INT, i=n))[0].i)

    threads = [threading.Thread(target=several) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(list(range(1, 51)) * 4)
