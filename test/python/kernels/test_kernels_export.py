"""Export of operators and their kernels to torch.library and tvm-ffi; a stand-in has torch's documented interface.

If apache-tvm-ffi is installed, the tests use it, else a stand-in.
"""

import ctypes
import importlib.util
import shutil
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch_standin
from places import SUPPORT

import ge.ir as ir
import ge.ops as ops

ROOT = Path(__file__).resolve().parents[3]
X = np.arange(6, dtype="f4").reshape(2, 3)


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("kx") as library:
        library.define("scale(Tensor x, *, float k=2.0) -> Tensor")
        library.infer("scale")(lambda call: [call.operand_types[0]])
        library.impl("scale", "cpu", lambda x, *, k: x * np.float32(k), as_="numpy")
        yield library


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    modules = torch_standin.make()
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return modules["torch"]


def test_operators_run_in_torch_with_its_tensors(lib: Any, torch: Any) -> None:
    lib.define("pair(Tensor x, int n) -> (Tensor, Tensor)")
    lib.impl("pair", "any", lambda x, n: (x + n, x - n), as_="numpy")
    lib.define("inc_(Tensor(a!) x) -> Tensor(a!)")

    @lib.impl("inc_", "cpu", as_="numpy")
    def inc(x: Any) -> None:
        x += 1

    lib.function("kx::add(int a, int b) -> int", lambda a, b: a + b)
    with ops.export_torch("kx") as export:
        assert set(export.operators) == {"kx::scale", "kx::pair", "kx::inc_", "kx::add"}
        known = torch.ops.libraries["kx"]
        assert known.schemas["scale"] == "scale(Tensor x, *, float k=2.) -> Tensor"
        assert ("scale", "CPU") in known.kernels
        assert ("pair", "CompositeExplicitAutograd") in known.kernels
        x = torch.Tensor(X.copy())
        result = torch.ops.kx.scale(x, k=3.0)
        assert type(result) is torch.Tensor
        assert (result.array == X * 3).all()
        low, high = torch.ops.kx.pair(x, 1)
        assert (low.array - high.array == 2).all()
        assert torch.ops.kx.inc_(x) is x
        assert (x.array == X + 1).all()
        assert torch.ops.kx.add(1, 2) == 3
        with pytest.raises(ops.BindError):
            torch.ops.kx.scale(x, k="3")
    assert export.closed
    with pytest.raises(AttributeError):
        torch.ops.kx.scale(x)
    ops.export_torch("kx").close()  # exporting again after close is allowed


def test_inference_is_the_fake_implementation(lib: Any, torch: Any) -> None:
    lib.define("blind(Tensor x) -> Tensor")
    lib.impl("blind", "cpu", lambda x: x.copy(), as_="numpy")
    lib.define("cast(Tensor x, ScalarType dtype) -> Tensor")
    lib.infer("cast")(
        lambda call: [
            ir.TensorType(
                call.operand_types[0].shape, call.attributes["dtype"], context=call.context
            )
        ]
    )
    with ops.export_torch("kx"):
        meta = torch.Tensor(X, "meta")
        made = torch.ops.kx.scale(meta)
        assert (made.shape, made.device, made.dtype) == ((2, 3), "meta", torch.float32)
        assert torch.ops.kx.cast(meta, torch.int64).dtype is torch.int64
        with pytest.raises(
            NotImplementedError, match="inference does not say the type of result 0"
        ):
            torch.ops.kx.blind(meta)


@pytest.mark.parametrize("slot", ["Graph g", "TensorLiteral t", "kx.Plan p", "Bytes b"])
def test_types_that_torch_lacks_are_refused_by_name(lib: Any, torch: Any, slot: str) -> None:
    word, name = slot.split()
    lib.define(f"odd(Tensor x, {slot}) -> Tensor")
    with pytest.raises(
        ops.OpSchemaError, match=f"kx::odd: torch has no type for {word} of '{name}'"
    ):
        ops.export_torch("kx")
    assert not torch.ops.libraries


def test_without_the_packages_the_error_names_them(
    lib: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "tvm_ffi", None)
    with pytest.raises(ImportError, match="pip install torch"):
        ops.export_torch("kx")
    with pytest.raises(ImportError, match="pip install apache-tvm-ffi"):
        ops.to_tvm_ffi("kx::scale")
    with pytest.raises(KeyError, match="has no operators"):
        monkeypatch.undo()
        for name, module in torch_standin.make().items():
            monkeypatch.setitem(sys.modules, name, module)
        ops.export_torch("nothing_here")


# --- tvm-ffi


@pytest.fixture
def tvm_ffi(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Any:
    if importlib.util.find_spec("tvm_ffi") is not None:
        yield importlib.import_module("tvm_ffi")
        return
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    directory = tmp_path_factory.mktemp("tvm_ffi")
    for source, made in (("runtime", "libtvm_ffi.so"), ("functions", "functions.so")):
        command = ["cc", "-std=gnu11", "-shared", "-fPIC", f"-I{ROOT / 'include'}"]
        file = SUPPORT / f"tvm_ffi_{source}.c"
        subprocess.run([*command, "-o", str(directory / made), str(file)], check=True)
    ctypes.CDLL(str(directory / "libtvm_ffi.so"), mode=ctypes.RTLD_GLOBAL)
    module: Any = types.ModuleType("tvm_ffi")

    class Function:
        """Calls a C function with its context object, as the runtime of tvm-ffi does."""

        def __init__(self, address: int, own: Any) -> None:
            self.address, self.own = address, own

        @staticmethod
        def __from_extern_c__(address: int, *, keep_alive_object: Any) -> Any:
            return Function(address, keep_alive_object)

        def __call__(self, *args: Any) -> Any:
            return ops.call.stand_in.call(self.address, id(self.own), *args)

    module.Function, module.Tensor = Function, np.ndarray
    module.from_dlpack = np.from_dlpack
    monkeypatch.setitem(sys.modules, "tvm_ffi", module)
    with ops.load_library(directory / "functions.so", "stand_in"):
        yield module


def test_an_operator_is_a_function_of_tvm_ffi(lib: Any, tvm_ffi: Any) -> None:
    lib.define("pad(Tensor x, int[] by, str mode='zero') -> (Tensor, Tensor)")
    lib.impl("pad", "cpu", lambda x, by, mode: (x + len(by), x - len(mode)), as_="numpy")
    x = tvm_ffi.from_dlpack(X.copy())
    scale = ops.to_tvm_ffi("kx::scale")
    result = scale(x, 3.0)
    assert isinstance(result, tvm_ffi.Tensor)
    assert (np.from_dlpack(result) == X * 3).all()
    assert (np.from_dlpack(scale(x)) == X * 2).all()
    lib.define("name(str text) -> str")
    lib.impl("name", "any", lambda text: text * 5)
    assert ops.to_tvm_ffi("kx::name")("né") == "né" * 5  # inline and as an object
    lib.define("increase(Tensor(a!) x, float by) -> Tensor(a!)")

    def increase(x: Any, by: float) -> None:
        x += by

    lib.impl("increase", "cpu", increase, as_="numpy")
    ops.to_tvm_ffi("kx::increase")(x, 1.0)
    assert (np.from_dlpack(x) == X + 1).all()  # written in the caller's memory
    x = tvm_ffi.from_dlpack(X.copy())
    first, second = ops.to_tvm_ffi("kx::pad")(x, [1, 2, 3], "ab")
    assert (np.from_dlpack(first) == X + 3).all()
    assert (np.from_dlpack(second) == X - 2).all()
    lib.function("kx::add(int a, int b) -> int", lambda a, b: a + b)
    assert ops.to_tvm_ffi("kx::add")(1, 2) == 3


def test_failures_come_out_of_functions_of_tvm_ffi(lib: Any, tvm_ffi: Any) -> None:
    lib.function("kx::boo(int n) -> int", lambda n: 1 // n)
    boo = ops.to_tvm_ffi("kx::boo")
    with pytest.raises(Exception, match="raised ZeroDivisionError"):
        boo(0)
    with pytest.raises(Exception, match="expects int"):
        boo("x")
    with pytest.raises(Exception, match="too many positional arguments"):
        boo(1, 2)
    lib.close()
    with pytest.raises(Exception, match="closed"):
        boo(1)
