"""Functions of tvm-ffi libraries as kernels: reference-counted tensors and errors, without importing the package.

If apache-tvm-ffi is not installed, a stand-in provides the part of its runtime that C functions use.
"""

import ctypes
import gc
import importlib.util
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kernel_calls import call
from needs import CC
from places import SUPPORT

import ge.ops as ops

ROOT = Path(__file__).resolve().parents[3]
pytestmark = [CC, pytest.mark.skipif(sys.platform != "linux", reason="reads ELF files of Linux")]
INSTALLED = importlib.util.find_spec("tvm_ffi") is not None


def compiled(source: str, made: Path, *options: str) -> Path:
    command = ["cc", "-std=gnu11", "-Wall", "-Werror", "-shared", "-fPIC", *options]
    path = SUPPORT / source
    subprocess.run([*command, f"-I{ROOT / 'include'}", "-o", str(made), str(path)], check=True)
    return made


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("tvm_ffi")
    if not INSTALLED:
        runtime = compiled("tvm_ffi_runtime.c", directory / "libtvm_ffi.so")
        ctypes.CDLL(str(runtime), mode=ctypes.RTLD_GLOBAL)
    return compiled("tvm_ffi_functions.c", directory / "functions.so")


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("kv") as library:
        yield library


X = np.arange(4, dtype="f4")


def test_a_function_of_tvm_ffi_is_a_kernel(lib: Any, shared: Path) -> None:
    lib.define("scale(Tensor x, float factor) -> Tensor")
    lib.infer("scale")(lambda call: [call.operand_types[0]])
    lib.impl("scale", "cpu", symbol=(shared, "scale"), out=True)
    assert (ops.call.kv.scale(X, 3) == X * 3).all()
    text = r"kv::scale: kernel cpu \(.*\) failed: ValueError: x must be a vector"
    with pytest.raises(ops.KernelError, match=text):
        ops.call.kv.scale(X.reshape(2, 2), 3)
    assert (ops.call.kv.scale(X, 2) == X * 2).all()


def test_errors_of_the_runtime_are_reported_once_and_in_c(lib: Any, shared: Path) -> None:
    for name in ("fail", "silent"):
        lib.define(f"{name}() -> int")
        lib.impl(name, "any", symbol=(shared, name))
    assert call("kv::fail")[1].endswith(" failed: ValueError: no number")
    assert call("kv::silent")[1].endswith(" failed without a message")
    with pytest.raises(ops.KernelError, match="failed without a message"):
        ops.call.kv.silent()
    with pytest.raises(ops.KernelError, match="failed: ValueError: no number"):
        ops.call.kv.fail()
    runtime = ctypes.CDLL(None)
    runtime.TVMFFIErrorSetRaisedFromCStr(b"TypeError", b"of another call")
    with pytest.raises(ops.KernelError, match="failed without a message"):
        ops.call.kv.silent()


def test_what_the_callee_keeps_stays(lib: Any, shared: Path) -> None:
    lib.define("keep(Tensor x) -> int")
    lib.define("drop() -> float")
    lib.impl("keep", "cpu", symbol=(shared, "keep"))
    lib.impl("drop", "any", symbol=(shared, "drop"))

    class Array(np.ndarray):
        pass

    array = Array((1000,), "f4")  # owns its memory
    array.fill(7)
    alive = weakref.ref(array)
    assert ops.call.kv.keep(array) == 1
    del array
    gc.collect()
    assert alive() is not None
    assert ops.call.kv.drop() == 7
    gc.collect()
    assert alive() is None


def test_strings_are_objects(lib: Any, shared: Path) -> None:
    lib.define("length(str text) -> int")
    lib.impl("length", "any", symbol=(shared, "length"))
    assert ops.call.kv.length("four") == 4


def test_functions_that_allocate_find_an_allocator(lib: Any, shared: Path) -> None:
    lib.define("allocate(int device) -> int")
    lib.impl("allocate", "any", symbol=(shared, "allocate"))
    assert ops.call.kv.allocate(1) == 15
    with pytest.raises(ops.KernelError, match="no framework allocates on this device"):
        ops.call.kv.allocate(12)


def test_a_function_works_in_the_stream_of_the_framework(lib: Any, shared: Path) -> None:
    from exchange import Remote

    lib.define("stream(Tensor x) -> int")
    lib.impl("stream", "npu", symbol=(shared, "stream"))
    lib.impl("stream", "cpu", symbol=(shared, "stream"))
    for _ in range(2):
        assert ops.call.kv.stream(Remote(X)) == 1003
        assert ops.call.kv.stream(X) == 0


def test_a_library_of_functions(shared: Path, tmp_path: Path) -> None:
    with ops.load_library(shared, "kvl") as library:
        assert ops.functions("kvl") == [
            f"kvl::{name}"
            for name in "allocate call drop fail keep length scale silent stream".split()
        ]
        assert ops.load_library(shared, "kvl") is library
        out = np.empty(4, "f4")
        assert ops.call.kvl.scale(X, 3.0, out) is None
        assert (out == X * 3).all()
        with pytest.raises(ops.KernelError, match="TypeError: expected tensors"):
            ops.call.kvl.scale(1)
    assert not ops.list_ops("kvl")
    assert ops.load_library(shared, "kvl") is not library
    ops.load_library(shared, "kvl").close()
    text = tmp_path / "text.so"
    text.write_text("no library")
    with pytest.raises(ValueError, match="no 64-bit little-endian ELF file"):
        ops.load_library(text)
    cut = tmp_path / "cut.so"
    cut.write_bytes(shared.read_bytes()[:100])
    with pytest.raises(ValueError, match="damaged ELF file"):
        ops.load_library(cut)
    plain = compiled("tvm_ffi_runtime.c", tmp_path / "plain.so")
    with pytest.raises(ValueError, match="exports no function of tvm-ffi"):
        ops.load_library(plain)
    with pytest.raises(OSError, match="none.so"):
        ops.load_library(tmp_path / "none.so")


def test_the_package_is_named_where_it_lacks(tmp_path: Path) -> None:
    """The error in a process without the runtime and the package names the package."""
    if INSTALLED:
        pytest.skip("apache-tvm-ffi is installed")
    made = compiled("tvm_ffi_functions.c", tmp_path / "functions.so")
    program = f"""
import ge.ops as ops
with ops.Library("kv") as lib:
    try:
        lib.impl("scale", "cpu", symbol=({str(made)!r}, "scale"))
    except OSError as error:
        print(error)
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "pip install apache-tvm-ffi" in run.stdout
