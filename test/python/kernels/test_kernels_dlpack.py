"""Tensors of any framework: exchanged through DLPack in both directions, without copies, on any device."""

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ge.ir as ir
import ge.ops as ops

X = np.arange(6, dtype="f4").reshape(2, 3)


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("kd") as library:
        yield library


class Foreign:
    """An array of another framework: exports NumPy's memory through DLPack and has an array namespace."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array)
        self.exports = 0

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def dtype(self) -> Any:
        return self.array.dtype

    def __dlpack__(self, **kwargs: Any) -> Any:
        self.exports += 1
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __array_namespace__(self, **_: Any) -> Any:
        return ForeignNamespace


class ForeignNamespace:
    @staticmethod
    def from_dlpack(array: Any) -> Foreign:
        return Foreign(np.from_dlpack(array))


def test_foreign_arrays_are_borrowed_and_come_back(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")
    seen: list[Any] = []

    @lib.impl("f", "cpu", as_="numpy")
    def f(x: Any) -> Any:
        seen.append(x)
        return x + 1

    given = Foreign(X.copy())
    result = ops.call.kd.f(given)
    assert type(result) is Foreign
    assert (result.array == X + 1).all()
    assert np.shares_memory(seen[0], given.array)
    assert given.exports >= 1


def test_a_kernel_of_tensors_takes_foreign_arrays(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")

    @lib.impl("f", "cpu")
    def f(x: ir.Tensor) -> Any:
        return x.numpy() * 2

    given = Foreign(X)
    assert (ops.call.kd.f(given).array == X * 2).all()
    assert (ops.call.kd.f(given).array == X * 2).all()  # DLPack is called again


def test_tensors_go_out_by_dlpack_without_a_copy(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")
    lib.impl("f", "cpu", lambda x: np.from_dlpack(x) + 1)
    tensor = ir.Tensor(X)
    assert (ops.call.kd.f(tensor).numpy() == X + 1).all()
    assert np.shares_memory(np.from_dlpack(tensor), X)


def test_a_result_is_taken_by_dlpack(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")
    made = Foreign(X + 5)
    lib.impl("f", "cpu", lambda x: made)
    result = ops.call.kd.f(X)
    assert isinstance(result, np.ndarray)
    assert np.shares_memory(result, made.array)


@pytest.mark.parametrize(
    "array",
    [
        X.T,
        X[:, ::-1],
        X[::-1, 1:],
        X[:, :0],
        np.broadcast_to(np.float32(3), (2, 3)),
        np.asfortranarray(X),
        X.astype(">f4"),
        np.array(2.5, "f8"),
        np.array([True, False]),
        np.array([1 + 2j]),
    ],
    ids=[
        "T",
        "reversed",
        "offset",
        "empty",
        "broadcast",
        "fortran",
        "swapped",
        "0d",
        "bool",
        "c128",
    ],
)
@pytest.mark.parametrize("as_", [None, "numpy"])
def test_layouts_and_types(lib: Any, array: Any, as_: "str | None") -> None:
    lib.define("same(Tensor x) -> Tensor")
    lib.impl("same", "cpu", lambda x: np.array(x.numpy() if as_ is None else x), as_=as_)
    result = ops.call.kd.same(array)
    assert result.shape == array.shape
    assert (result == array).all()


def test_packed_and_small_floats(lib: Any) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    lib.define("same(Tensor x) -> Tensor")
    lib.infer("same")(lambda call: [call.operand_types[0]])
    lib.impl("same", "cpu", lambda x: x.numpy().copy())
    for kind in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.int4):
        array = np.array([1, 2, -3], dtype=kind)
        result = ops.call.kd.same(array)
        assert result.dtype == array.dtype
        assert result.tolist() == array.tolist()


def test_read_only_arrays_are_read_and_not_written(lib: Any) -> None:
    frozen = X.copy()
    frozen.flags.writeable = False
    lib.define("f(Tensor x) -> Tensor")
    lib.impl("f", "cpu", lambda x: x + 1, as_="numpy")
    assert (ops.call.kd.f(frozen) == X + 1).all()
    assert (ops.call.kd.f(Foreign(frozen)).array == X + 1).all()
    lib.define("w(Tensor(a!) x) -> ()")

    def write(x: Any) -> None:
        x += 1

    lib.impl("w", "cpu", write)
    with pytest.raises(ValueError, match="is read-only"):
        ops.call.kd.w(frozen)
    assert (frozen == X).all()


class Remote(Foreign):
    """An array on another device, whose memory is not accessible from the CPU."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return (12, 3)

    def __dlpack__(self, **_: Any) -> Any:
        raise BufferError("the memory is on the device")

    @property
    def device(self) -> str:
        return "ext:3"

    def __array_namespace__(self, **_: Any) -> Any:
        return RemoteNamespace


class RemoteNamespace:
    made: "list[Remote]" = []
    bool = np.dtype("?")

    @classmethod
    def empty(cls, shape: tuple[int, ...], *, dtype: Any, device: str) -> Remote:
        assert device == "ext:3"
        cls.made.append(Remote(np.zeros(shape, dtype)))
        return cls.made[-1]


def test_a_fake_device_makes_its_results(lib: Any) -> None:
    lib.define("twice(Tensor x) -> Tensor")
    lib.infer("twice")(lambda call: [call.operand_types[0]])

    @lib.impl("twice", "npu", out=True)
    def twice(x: Any, out: Any) -> None:
        out.array[...] = x.array * 2

    given = Remote(X)
    result = ops.call.kd.twice(given)
    assert result is RemoteNamespace.made[-1]
    assert (result.array == X * 2).all()
    out = Remote(np.zeros((2, 3), "f4"))
    assert ops.call.kd.twice(given, out=out) is out
    with pytest.raises(ValueError, match="out is on cpu, the operands are on npu:3"):
        ops.call.kd.twice(given, out=X.copy())
    with pytest.raises(ValueError, match="out is on npu:3, the operands are on cpu"):
        lib.impl("twice", "cpu", lambda x, out: None, out=True, as_="numpy")
        ops.call.kd.twice(X, out=out)


def test_results_on_a_device_have_the_inferred_element_type(lib: Any) -> None:
    @lib.impl("positive", "npu", out=True)
    def positive(x: Any, out: Any) -> None:
        out.array[...] = x.array > 0

    lib.define("positive(Tensor x) -> Tensor")
    dtypes = ["bool", "i8"]
    lib.infer("positive")(lambda call: [ir.TensorType((2, 3), dtypes[0], context=call.context)])
    result = ops.call.kd.positive(Remote(X))
    assert result.dtype == np.dtype("?")
    assert (result.array == (X > 0)).all()
    dtypes.pop(0)
    with pytest.raises(TypeError, match="has no element type i8 for the result; pass out="):
        ops.call.kd.positive(Remote(X.T))


def test_a_capsule_that_was_used_is_no_array(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")
    lib.impl("f", "cpu", lambda x: x + 1, as_="numpy")
    capsule = X.__dlpack__()
    with pytest.raises(ops.BindError, match="expects Tensor, got PyCapsule"):
        ops.call.kd.f(capsule)


def test_ctypes_buffers_are_arrays(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")
    lib.impl("f", "cpu", lambda x: x.numpy() + 1)
    assert ops.call.kd.f((ctypes.c_float * 3)(1, 2, 3)).tolist() == [2, 3, 4]


def test_buffers_with_a_byte_order_make_tensors() -> None:
    array = (ctypes.c_int32 * 2 * 2)((1, 2), (3, 4))
    tensor = ir.Tensor(array)
    assert tensor.shape == (2, 2)
    array[1][1] = 9
    assert tensor.tolist() == [[1, 2], [3, 9]]  # the tensor borrows the memory
