"""Types, element types, locations: immutable values of a context."""

import copy
import pickle

import numpy as np
import pytest

import ge.ir as ir

DTYPES = [d for d in vars(ir).values() if isinstance(d, ir.DType)]


def test_equal_types_are_one_object() -> None:
    a = ir.TensorType((2, "N", None), ir.f32, format="NCHW")
    b = ir.TensorType([2, "N", None], "float32", format="NCHW")
    assert a is b and a == b and hash(a) == hash(b)
    assert a is not ir.TensorType((2, "N", None), ir.f32)


def test_parts_of_a_tensor_type() -> None:
    t = ir.TensorType(
        ("N", 3, None), ir.bf16, format="NHWC", origin_shape=(1, "M"), origin_format="NCHW"
    )
    assert t.shape == ("N", 3, None)
    assert t.dtype is ir.bf16
    assert t.rank == 3
    assert t.num_elements is None
    assert t.format == "NHWC"
    assert t.origin_shape == (1, "M")
    assert t.origin_format == "NCHW"


def test_static_unranked_and_scalar_types() -> None:
    assert ir.TensorType((2, 3), ir.i8).num_elements == 6
    assert ir.TensorType((), ir.i8).shape == ()
    assert ir.TensorType((), ir.i8).num_elements == 1
    unranked = ir.TensorType(None, ir.i8)
    assert unranked.shape is None and unranked.rank is None
    assert ir.TensorType((2,), ir.f32).format is None
    assert ir.TensorType((2,), ir.f32).origin_shape is None


@pytest.mark.parametrize("shape", [(-1,), (1.5,), (True,), ([],), 3, "NCHW", (b"x",), (2**64,)])
def test_wrong_shapes_are_refused(shape) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        ir.TensorType(shape, ir.f32)


def test_other_types() -> None:
    f = ir.TensorType((2,), ir.f32)
    assert ir.SequenceType(f).element is f
    assert ir.OptionalType(ir.SequenceType(f)).element is ir.SequenceType(f)
    m = ir.MapType(ir.string, f)
    assert m.key is ir.string and m.value is f
    assert ir.OpaqueType("a<b>").payload == "a<b>"
    assert ir.NoneType() is ir.NoneType()
    assert ir.UnknownType() is ir.UnknownType()
    for t in (f, ir.SequenceType(f), m, ir.NoneType(), ir.UnknownType()):
        assert isinstance(t, ir.Type)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ir.TensorType(("N", 3), ir.f32, format="NCHW"),
        lambda: ir.SequenceType(ir.TensorType(None, ir.i64)),
        lambda: ir.MapType(ir.i64, ir.TensorType((), ir.f32)),
        lambda: ir.OptionalType(ir.TensorType((1,), ir.i1)),
        lambda: ir.OpaqueType('x"y'),
        lambda: ir.NoneType(),
        lambda: ir.UnknownType(),
        lambda: ir.f32,
        lambda: ir.i1,
        lambda: ir.Location.unknown(),
        lambda: ir.Location.file("a.py", 3, 4),
        lambda: ir.Location.name("n", ir.Location.file("a.py", 3)),
        lambda: ir.Location.fused([ir.Location.name("a"), ir.Location.name("b")]),
    ],
)
def test_values_survive_pickle_and_copy(make) -> None:
    value = make()
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.copy(value) is value
    assert copy.deepcopy(value) is value


def test_text_and_parse() -> None:
    t = ir.TensorType((2, None), ir.f32)
    assert str(t) == "tensor<2x?xf32>"
    assert repr(t) == "TensorType(tensor<2x?xf32>)"
    assert ir.Type.parse(str(t)) is t
    with pytest.raises(ir.ParseError):
        ir.Type.parse("tensor<")


def test_types_of_contexts_do_not_mix() -> None:
    here = ir.TensorType((2,), ir.f32)
    with ir.Context() as other:
        there = ir.TensorType((2,), ir.f32)
    assert here is not there and here != there
    assert there.context is other
    assert ir.TensorType((2,), ir.f32, context=other) is there


def test_dtypes_are_one_object_each() -> None:
    assert len(DTYPES) > 40
    for d in DTYPES:
        assert ir.DType(d.name) is d
        assert ir.DType(d) is d
        assert repr(d) == f"DType('{d.name}')"


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d.name not in ("string",)], ids=str)
def test_dtypes_convert_to_numpy_and_back(dtype) -> None:
    try:
        array_type = dtype.numpy
    except TypeError:
        return  # neither NumPy nor ml_dtypes has this type
    assert isinstance(array_type, np.dtype)
    assert ir.DType(array_type) is dtype
    assert ir.DType(array_type.type) is dtype


def test_dtypes_by_numpys_and_ges_names() -> None:
    assert ir.DType(np.float32) is ir.f32
    assert ir.DType(np.dtype("int64")) is ir.i64
    assert ir.DType(np.bool_) is ir.i1
    assert ir.DType("DT_FLOAT16") is ir.f16
    assert ir.f32.onnx == 1 and ir.f32.ge == 0 and ir.f32.bits == 32
    assert ir.hifloat8.onnx is None


@pytest.mark.parametrize("wrong", ["f33", 3, None, object(), float])
def test_unknown_dtypes_are_refused(wrong) -> None:
    with pytest.raises((TypeError, ValueError)):
        ir.DType(wrong)


def test_locations() -> None:
    file = ir.Location.file("a.py", 3, 4)
    assert (file.kind, file.text, file.line, file.col) == ("file", "a.py", 3, 4)
    name = ir.Location.name("x", file)
    assert (name.kind, name.text, name.parts) == ("name", "x", (file,))
    fused = ir.Location.fused([file, ir.Location.name("y"), file])
    assert fused.kind == "fused" and len(fused.parts) == 2
    assert ir.Location.unknown().kind == "unknown"
    assert file == ir.Location.file("a.py", 3, 4) and hash(file) == hash(
        ir.Location.file("a.py", 3, 4)
    )
    assert file != name


def test_nodes_have_locations() -> None:
    g = ir.Graph("g")
    here = ir.Location.file("a.py", 1)
    assert g.add_node("onnx.Abs", loc=here).location == here
    assert g.add_node("onnx.Abs").location.kind == "unknown"
    node = g.add_node("onnx.Abs")
    node.location = here
    assert node.location == here
    with pytest.raises(TypeError):
        node.location = "a.py"


def test_types_of_other_kinds_have_no_shape() -> None:
    for other in (ir.UnknownType(), ir.NoneType(), ir.SequenceType(ir.TensorType((2,), ir.f32))):
        assert (other.shape, other.rank, other.dtype) == (None, None, None)
