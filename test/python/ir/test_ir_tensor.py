"""Tensors share memory with NumPy, DLPack, bytes and files, and never change."""

import copy
import gc
import pickle
import sys
import weakref

import ml_dtypes
import numpy as np
import pytest

import ge.ir as ir

NUMERIC = [
    np.float32, np.float16, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32,
    np.uint64, np.bool_, np.complex64, np.complex128, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn,
    ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e8m0fnu, ml_dtypes.int4, ml_dtypes.uint4,
    ml_dtypes.int2, ml_dtypes.float4_e2m1fn, ml_dtypes.float6_e3m2fn,
]  # fmt: skip


@pytest.mark.parametrize("dtype", NUMERIC, ids=lambda t: t.__name__)
def test_numpy_in_and_out_is_the_same_memory(dtype) -> None:
    array = np.arange(6).astype(dtype).reshape(2, 3)
    tensor = ir.Tensor(array)
    assert tensor.shape == (2, 3) and tensor.dtype.numpy == array.dtype
    out = tensor.numpy()
    assert out.dtype == array.dtype and out.shape == (2, 3)
    assert np.array_equal(out.view(np.uint8), array.view(np.uint8))
    assert np.shares_memory(out, array)


def test_what_comes_out_is_read_only_and_keeps_the_memory() -> None:
    tensor = ir.Tensor(np.arange(4.0))
    out = tensor.numpy()
    with pytest.raises(ValueError):
        out[0] = 1
    with pytest.raises(ValueError):
        out.flags.writeable = True
    del tensor
    gc.collect()
    assert out.tolist() == [0, 1, 2, 3]


def test_the_source_lives_as_long_as_the_tensor() -> None:
    class Array(np.ndarray):
        pass

    array = np.arange(1000.0).view(Array)
    alive = weakref.ref(array)
    g = ir.Graph("g")
    node = g.add_node("ge.Const", attributes={"value": array})
    del array
    gc.collect()
    assert alive() is not None
    node.erase()
    del node, g
    gc.collect()
    assert alive() is None


def test_strided_and_foreign_endian_arrays_are_copied() -> None:
    base = np.arange(12.0)
    assert ir.Tensor(base[::2]).tolist() == base[::2].tolist()
    assert ir.Tensor(base.reshape(3, 4).T).tolist() == base.reshape(3, 4).T.tolist()
    assert ir.Tensor(base.astype(">f4")).tolist() == base.tolist()


def test_copy_shares_nothing() -> None:
    array = np.arange(4.0)
    tensor = ir.Tensor(array, copy=True)
    array[0] = 7
    assert tensor.tolist() == [0, 1, 2, 3]


def test_dtype_converts() -> None:
    assert ir.Tensor(np.arange(3), "f16").dtype is ir.f16
    assert ir.Tensor([1, 2], ir.bf16).numpy().dtype == ml_dtypes.bfloat16


def test_plain_lists_follow_ge() -> None:
    assert ir.Tensor([1, 2]).dtype is ir.i64
    assert ir.Tensor([1.0, 2.0]).dtype is ir.f32
    assert ir.Tensor([True]).dtype is ir.i1
    assert ir.Tensor(3).shape == ()
    assert ir.Tensor([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]


def test_type_must_be_what_the_data_is() -> None:
    wanted = ir.TensorType((2,), ir.f32, format="ND")
    assert ir.Tensor([1.0, 2.0], type=wanted).type is wanted
    with pytest.raises(ValueError):
        ir.Tensor([1.0, 2.0, 3.0], type=wanted)
    with pytest.raises(ValueError):
        ir.Tensor(np.zeros(2, np.int32), type=wanted)


def test_dlpack_in_and_out() -> None:
    class Exporter:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **kwargs):
            return self.array.__dlpack__(**kwargs)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = ir.Tensor(Exporter(array))
    assert tensor.dtype is ir.f32 and np.shares_memory(tensor.numpy(), array)
    back = np.from_dlpack(tensor)
    assert np.shares_memory(back, array) and back.tolist() == array.tolist()


def test_dlpack_says_that_tensors_are_immutable() -> None:
    """A capsule without DLPack 1.0's read-only flag is not exported, because consumers may write to it."""
    tensor = ir.Tensor(np.arange(3, dtype="f4"))
    for asked in ({}, {"max_version": None}, {"max_version": (0, 8)}, {"copy": False}):
        with pytest.raises(BufferError, match=r"max_version=\(1, 0\), or copy=True"):
            tensor.__dlpack__(**asked)
    with pytest.raises(TypeError):
        tensor.__dlpack__(max_version=1)

    class Old:
        """A consumer without versions."""

        def __init__(self, data, **asked):
            self.data, self.asked = data, asked

        def __dlpack__(self, **_):
            return self.data.__dlpack__(**self.asked)

        def __dlpack_device__(self):
            return self.data.__dlpack_device__()

    assert not np.from_dlpack(tensor).flags.writeable
    assert not np.from_dlpack(Old(tensor, max_version=(1, 0))).flags.writeable
    for data in (tensor, ir.Tensor.splat(0.0, ir.TensorType([3], ir.f32))):
        before = data.tolist()
        for asked in ({"copy": True}, {"copy": True, "max_version": (1, 1)}):
            copy = np.from_dlpack(Old(data, **asked))
            assert copy.tolist() == before
            if "max_version" in asked:  # otherwise NumPy does not know that the copy is writable
                copy += 1
                assert data.tolist() == before
    assert ir.Tensor(Old(tensor, copy=True)) == tensor


def test_buffers() -> None:
    data = bytearray(b"\x01\x02\x03")
    tensor = ir.Tensor(memoryview(data))
    assert tensor.dtype is ir.u8 and tensor.tolist() == [1, 2, 3]
    import array

    assert ir.Tensor(array.array("d", [1.0, 2.0])).dtype is ir.f64


@pytest.mark.parametrize("wrong", [object(), None, {}, [[1], [2, 3]], "", ["a", 1], 1 << 80])
def test_what_is_no_data_is_refused(wrong) -> None:
    if wrong == "":
        assert ir.Tensor("").dtype is ir.string
        return
    with pytest.raises((TypeError, ValueError, OverflowError)):
        ir.Tensor(wrong)


def test_bytes() -> None:
    data = np.arange(3, dtype=np.int32).tobytes()
    before = sys.getrefcount(data)
    tensor = ir.Tensor.from_bytes(data, ir.i32, (3,))
    assert tensor.tolist() == [0, 1, 2] and tensor.tobytes() == data
    assert sys.getrefcount(data) == before + 1
    del tensor
    gc.collect()
    assert sys.getrefcount(data) == before
    with pytest.raises(ValueError):
        ir.Tensor.from_bytes(data, ir.i32, (4,))
    packed = ir.Tensor.from_bytes(b"\x21\x03", ir.u4, (3,), packed=True)
    assert packed.tolist() == [1, 2, 3] and packed.is_packed and packed.tobytes() == b"\x01\x02\x03"


def test_files_are_mapped(tmp_path) -> None:
    path = tmp_path / "weights.bin"
    path.write_bytes(b"head" + np.arange(4, dtype=np.float32).tobytes())
    tensor = ir.Tensor.from_file(path, ir.f32, (2, 2), 4)
    assert tensor.tolist() == [[0, 1], [2, 3]]
    assert tensor.file == (str(path), 4)
    with pytest.raises(OSError, match="missing"):
        ir.Tensor.from_file(tmp_path / "missing", ir.f32, (1,))
    with pytest.raises((ValueError, OSError)):
        ir.Tensor.from_file(path, ir.f32, (100,))


def test_splats_take_the_room_of_one() -> None:
    tensor = ir.Tensor.splat(0.5, ir.TensorType((1 << 20, 1 << 20), ir.f32))
    assert tensor.is_splat and tensor.size == 1 << 40
    assert tensor.numpy().shape == (1 << 20, 1 << 20) and tensor.numpy()[7, 9] == 0.5
    for dtype, value in (
        (ir.i64, -3),
        (ir.i32, 7),
        (ir.i1, True),
        (ir.bf16, 1.5),
        (ir.f64, 0.1),
        (ir.u8, 255),
    ):
        assert ir.Tensor.splat(value, ir.TensorType((2,), dtype)).tolist() == [value, value]
    assert ir.Tensor.splat("s", ir.TensorType((2,), ir.string)).tolist() == ["s", "s"]
    with pytest.raises(OverflowError):
        ir.Tensor.splat(1 << 40, ir.TensorType((2,), ir.i32))
    with pytest.raises((TypeError, ValueError)):
        ir.Tensor.splat(1, ir.TensorType(("N",), ir.i32))


def test_strings() -> None:
    tensor = ir.Tensor(["a", "ö"])
    assert tensor.dtype is ir.string and tensor.tolist() == ["a", "ö"]
    assert tensor.numpy().dtype == object
    with pytest.raises(TypeError):
        tensor.tobytes()


def test_equality_is_type_and_bits() -> None:
    a, b = ir.Tensor([1.0, 2.0]), ir.Tensor(np.array([1, 2], np.float32))
    assert a == b and hash(a) == hash(b) and a is not b
    assert a != ir.Tensor([1.0, 3.0]) and a != ir.Tensor([1, 2]) and a != "a"


def test_copy_is_itself_and_pickle_is_equal(tmp_path) -> None:
    path = tmp_path / "w"
    path.write_bytes(b"\0" * 8)
    for tensor in (
        ir.Tensor([1.0, 2.0]),
        ir.Tensor.splat(3, ir.TensorType((4,), ir.i32)),
        ir.Tensor(["a", "b"]),
        ir.Tensor.splat("s", ir.TensorType((3,), ir.string)),
        ir.Tensor.from_bytes(b"\x21", ir.u4, (2,), packed=True),
        ir.Tensor.from_file(path, ir.f32, (2,)),
        ir.Tensor(np.zeros((0, 3), np.float32)),
    ):
        assert copy.copy(tensor) is tensor and copy.deepcopy(tensor) is tensor
        again = pickle.loads(pickle.dumps(tensor))
        assert again == tensor and again.type is tensor.type and again.is_splat == tensor.is_splat


def test_array_protocol() -> None:
    tensor = ir.Tensor([1.0, 2.0])
    assert np.asarray(tensor).tolist() == [1, 2]
    assert np.asarray(tensor, dtype=np.float64).dtype == np.float64
    assert (np.asarray(tensor) + 1).tolist() == [2, 3]
    assert ir.Tensor([5.0]).item() == 5.0
    with pytest.raises(ValueError):
        tensor.item()


def test_repr_shows_small_tensors_only() -> None:
    assert "1.0" in repr(ir.Tensor([1.0]))
    assert len(repr(ir.Tensor(np.zeros(100_000)))) < 100


def test_element_types_without_numpy() -> None:
    tensor = ir.Tensor.from_bytes(b"\x01\x02", ir.hifloat8, (2,))
    assert tensor.tobytes() == b"\x01\x02"
    with pytest.raises(TypeError, match="hifloat8"):
        tensor.numpy()


@pytest.mark.parametrize("dtype", [None, np.float64])
def test_array_raises_what_the_truth_of_copy_raises(dtype: object) -> None:
    class Unsure:
        def __bool__(self) -> bool:
            raise LookupError("unsure")

    tensor = ir.Tensor(np.zeros(2, np.float32))
    with pytest.raises(LookupError, match="unsure"):
        tensor.__array__(dtype, copy=Unsure())  # type: ignore[arg-type]


@pytest.mark.parametrize("data", [[object()], ["no"], [None, True], "no", [{}]])
def test_a_tensor_of_bools_takes_no_other_objects(data: object) -> None:
    """NumPy would convert any object to its truth value."""
    with pytest.raises(TypeError, match="elements of bool are bools or numbers"):
        ir.Tensor(data, dtype="bool")
    assert ir.Tensor([True, 0, 1.0], dtype="bool").tobytes() == b"\x01\x00\x01"
    assert ir.Tensor([], dtype="bool").shape == (0,)


def test_an_array_of_text_is_no_tensor_of_numbers() -> None:
    """The requested element type must not be ignored in favour of a tensor of strings."""
    for array in (np.array(["1"]), np.array([1], dtype=object)):
        with pytest.raises(
            TypeError, match=r"holds no elements of type f32; convert it with astype"
        ):
            ir.Tensor(array, dtype="float32")
    assert ir.Tensor(np.array(["1"]), dtype="string").dtype is ir.string
