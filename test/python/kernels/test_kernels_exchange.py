"""For frameworks with DLPack's C exchange functions, tensors are read, created and allocated through them."""

import gc
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import exchange
import numpy as np
import pytest
from exchange import Array, Remote, counts
from needs import CC
from places import SUPPORT

import ge.ir as ir
import ge.ops as ops

ROOT = Path(__file__).resolve().parents[3]
pytestmark = CC


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("kernels") / "kernels.so"
    command = ["cc", "-std=c11", "-O1", "-shared", "-fPIC", f"-I{ROOT / 'include'}"]
    subprocess.run([*command, "-o", str(made), str(SUPPORT / "kernels.c")], check=True)
    return made


@pytest.fixture
def lib(shared: Path) -> Iterator[Any]:
    with ops.Library("kex") as library:
        library.define("scale(Tensor x, *, float factor=1.0) -> Tensor", traits=["pure"])
        library.infer("scale")(lambda call: [call.operand_types[0]])
        library.impl("scale", "cpu", symbol=(shared, "scale"), out=True)
        yield library
    gc.collect()
    assert not exchange.kept


def x() -> Array:
    return Array(np.arange(6, dtype="f4").reshape(2, 3))


def test_results_are_of_the_class_of_the_first_operand(lib: Any) -> None:
    given = x()
    for _ in range(3):  # the first call is in Python, later ones are native
        result = ops.call.kex.scale(given, factor=2.0)
        assert type(result) is Array
        assert (result.array == given.array * 2).all()
        result.array[0, 0] = 5  # the result does not share memory with the operand
    assert given.array[0, 0] == 0
    del result


def test_operands_are_read_by_the_table(lib: Any) -> None:
    given = x()
    for _ in range(2):  # the calls after them are native
        ops.call.kex.scale(given)
    before = dict(counts)
    given.__class__.__dlpack__, plain = None, given.__class__.__dlpack__  # type: ignore[assignment]
    try:
        assert type(ops.call.kex.scale(given)) is Array
    finally:
        Array.__dlpack__ = plain  # type: ignore[method-assign]
    assert counts["borrowed"] > before["borrowed"]
    assert counts["made"] == before["made"] + 1


def test_what_is_written_must_be_writable(lib: Any) -> None:
    given, out = x(), Array(np.empty((2, 3), "f4"))
    for _ in range(3):
        assert ops.call.kex.scale(given, factor=3.0, out=out) is out
        assert (out.array == given.array * 3).all()
    out.array.flags.writeable = False
    for _ in range(2):
        with pytest.raises((ValueError, BufferError), match=r"read-?only"):
            ops.call.kex.scale(given, factor=4.0, out=out)
    assert (out.array == given.array * 3).all()


def test_strided_tensors_and_kernels_in_python(lib: Any) -> None:
    given = Array(np.arange(6, dtype="f4").reshape(3, 2).T)
    for _ in range(2):
        assert (ops.call.kex.scale(given, factor=2.0).array == given.array * 2).all()
    lib.define("twice(Tensor x) -> Tensor")
    lib.infer("twice")(lambda call: [call.operand_types[0]])
    lib.impl("twice", "cpu", lambda x: x * 2, as_="numpy")
    for _ in range(2):
        result = ops.call.kex.twice(given)
        assert type(result) is Array
        assert (result.array == given.array * 2).all()
    del result


def test_the_framework_allocates_on_its_device(lib: Any) -> None:
    @lib.impl("scale", "npu", out=True)
    def scale(x: Any, out: Any, *, factor: float) -> None:
        out.array[...] = x.array * factor

    before = counts["allocated"]
    result = ops.call.kex.scale(Remote(np.arange(3, dtype="f4")), factor=2.0)
    assert type(result) is Remote
    assert result.array.tolist() == [0, 2, 4]
    assert counts["allocated"] == before + 1
    lib.define("sign(Tensor x) -> Tensor")
    lib.infer("sign")(lambda call: [ir.TensorType((3,), "i8", context=call.context)])
    lib.impl("sign", "npu", lambda x, out: None, out=True)
    with pytest.raises(RuntimeError, match="MemoryError: no bytes left"):
        ops.call.kex.sign(Remote(np.arange(3, dtype="f4")))
    del result
