"""ir.Tensor takes arrays of frameworks that have DLPack alone, in every layout; what an exporter raises is what its caller sees."""

import sys
import types
from typing import Any

import foreign_arrays
import ml_dtypes
import numpy as np
import pytest
from foreign_arrays import EXTENDED, Bare, Old

import ge.ir as ir

X = np.arange(24, dtype=np.float32).reshape(4, 6)
LAYOUTS = {
    "compact": X,
    "transposed": X.T,
    "sliced": X[1::2, ::3],
    "reversed": X[::-1, ::-1],
    "broadcast": np.broadcast_to(X[:, :1], (4, 6)),
    "rank 0": np.array(3.0, np.float32),
    "empty": X[:0],
    "rank 5": X.reshape(2, 2, 3, 2, 1).transpose(4, 2, 0, 3, 1),
}


@pytest.mark.parametrize("kind", [Bare, Old])
@pytest.mark.parametrize("name", LAYOUTS)
def test_a_foreign_array_of_any_layout_is_taken(name: str, kind: Any) -> None:
    expected = LAYOUTS[name]
    for tensor in (
        ir.Tensor(kind(expected)),
        ir.Tensor(kind(expected), copy=True),
        ir.Tensor(kind(expected), dtype=ir.f32),
    ):
        assert tuple(tensor.shape) == expected.shape
        assert np.array_equal(tensor.numpy(), expected)
    wide = ir.Tensor(kind(expected), dtype=ir.f64)
    assert np.array_equal(wide.numpy(), expected.astype("f8"))


@pytest.mark.parametrize(
    "dtype", ["i1", "u2", "i4", "u8", "f2", "f8", "?", "c8", "c16", *sorted(EXTENDED)]
)
def test_a_foreign_array_of_any_element_type_is_taken(dtype: str) -> None:
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    array = np.array([[1, 2], [4, 1]]).astype(kind)
    for memory in (array, array.T):
        made = ir.Tensor(Bare(memory)).numpy()
        assert made.dtype == kind
        assert np.array_equal(made, memory)


def test_compact_memory_is_borrowed() -> None:
    memory = X.copy()
    tensor = ir.Tensor(Bare(memory))
    memory[0, 0] = 7
    assert tensor.numpy()[0, 0] == 7


@pytest.mark.parametrize(
    "kind", [BufferError, ValueError, TypeError, RuntimeError, ZeroDivisionError]
)
def test_what_an_exporter_raises_is_the_error(kind: type) -> None:
    error = kind("call finish() first")
    with pytest.raises(kind, match="call finish") as caught:
        ir.Tensor(Bare(X, error=error))
    assert caught.value is error


def test_a_capsule_that_was_taken_is_refused() -> None:
    class Once(Bare):
        def __init__(self, memory: Any) -> None:
            super().__init__(memory)
            self.capsule = super().__dlpack__()

        def __dlpack__(self, **_: Any) -> Any:
            return self.capsule

    array = Once(X)
    assert np.array_equal(ir.Tensor(array).numpy(), X)
    with pytest.raises(BufferError, match="Once gave no new capsule"):
        ir.Tensor(array)


def test_memory_on_a_device_is_refused_with_the_way_out() -> None:
    with pytest.raises(BufferError, match=r"Bare is on DLPack device type 2.*copy it to the CPU"):
        ir.Tensor(Bare(X, (2, 0)))
    assert np.array_equal(ir.Tensor(Bare(X, (3, 0))).numpy(), X)  # pinned memory is the host's


@pytest.mark.parametrize(
    ("bit", "way"),
    [("requires_grad", "detach"), ("is_neg", "resolve_neg"), ("is_conj", "resolve_conj")],
)
def test_tensors_of_torch_whose_memory_is_not_their_value_are_refused(
    monkeypatch: pytest.MonkeyPatch, bit: str, way: str
) -> None:
    class Tensor(Bare):
        """PyTorch before 2.9 exports tensors with the negative bit."""

        requires_grad = bit == "requires_grad"

        def is_neg(self) -> bool:
            return bit == "is_neg"

        def is_conj(self) -> bool:
            return bit == "is_conj"

    class Parameter(Tensor):
        pass

    torch = types.ModuleType("torch")
    torch.Tensor = Tensor  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)
    for kind in (Tensor, Parameter):
        with pytest.raises(BufferError, match=way):
            ir.Tensor(kind(X))


def test_subclasses_of_ndarray_are_arrays() -> None:
    class Own(np.ndarray):
        @property
        def flags(self) -> Any:
            raise RuntimeError("an attribute of its own")

    bf16 = np.array([1, 2], ml_dtypes.bfloat16)
    for array in (X.view(Own), bf16.view(Own), np.matrix(X), X.view(np.recarray)):
        tensor = ir.Tensor(array)
        assert np.array_equal(tensor.numpy(), np.asarray(array))
    words = np.matrix([["a", "b"]], object)
    assert ir.Tensor(words).numpy().tolist() == [["a", "b"]]


def test_buffers_that_are_not_compact_are_taken() -> None:
    view = memoryview(bytes(range(8)))
    assert ir.Tensor(view[::2]).numpy().tolist() == [0, 2, 4, 6]
    assert ir.Tensor(view[::-1]).numpy().tolist() == list(range(8))[::-1]


@pytest.mark.parametrize(
    "array",
    [
        np.array([object()]),
        np.array([None]),
        np.array([1, "a"], object),
        np.array([(1, 2)], [("a", "i4"), ("b", "i4")]),
        np.array([1], "datetime64[s]"),
    ],
)
def test_arrays_of_objects_records_and_times_are_no_tensors(array: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        ir.Tensor(array)


def changed(**fields: Any) -> Any:
    """Return an array whose capsule has other fields."""

    class Changed(Bare):
        def __dlpack__(self, **options: Any) -> Any:
            capsule = super().__dlpack__(**options)
            tensor = foreign_arrays._kept[-1][0].tensor
            for name, value in fields.items():
                setattr(tensor, name, value)
            return capsule

    return Changed(X)


def test_fields_that_are_left_out_have_their_meaning() -> None:
    assert np.array_equal(ir.Tensor(changed(strides=None)).numpy(), X)
    assert np.array_equal(ir.Tensor(changed(byte_offset=24 * 4 - 96)).numpy(), X)
    third = ir.Tensor(changed(byte_offset=8, ndim=0)).numpy()
    assert third.shape == ()
    assert third == X.ravel()[2]


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"ndim": -1}, BufferError),
        ({"ndim": 65}, BufferError),
        ({"shape": None}, BufferError),
        ({"data": None}, BufferError),
        ({"lanes": 2}, TypeError),
        ({"bits": 24}, TypeError),
        ({"code": 3}, TypeError),
        ({"bits": 4, "code": 0}, TypeError),
    ],
)
def test_a_capsule_that_no_tensor_has_is_refused(fields: dict[str, Any], kind: type) -> None:
    with pytest.raises(kind):
        ir.Tensor(changed(**fields))


def test_a_version_that_is_not_known_is_refused() -> None:
    class Newer(Bare):
        def __dlpack__(self, **options: Any) -> Any:
            capsule = super().__dlpack__(**options)
            foreign_arrays._kept[-1][0].major = 2
            return capsule

    with pytest.raises(BufferError, match="DLPack 2"):
        ir.Tensor(Newer(X))
