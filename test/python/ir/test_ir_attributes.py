"""Attributes are Python values: they read back equal, and the error for another kind lists the supported ones."""

import math
from collections.abc import Iterator, MutableMapping

import numpy as np
import pytest

import ge.ir as ir


@pytest.fixture
def attributes() -> Iterator[ir.AttributeMap]:
    yield ir.Graph("g").add_node("onnx.Abs", result_types=()).attributes


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        0,
        -1,
        2**63 - 1,
        -(2**63),
        0.5,
        1e-5,
        0.1,
        3.4028235e38,
        1.1754944e-38,
        math.inf,
        "text",
        "",
        "ÄÖ漢\x00字",
        b"\x00\xff",
        b"",
        ir.f32,
        ir.hifloat8,
        (1, 2, 3),
        (True, False),
        (0.1, 1e-5, 2.0),
        ("a", "b"),
        ((1, 2), (3,)),
        (("a",), ("b", "c")),
        {"k": 1, "l": ("x", "y"), "m": {"n": 0.5}},
        {},
        tuple(range(100)),
    ],
    ids=repr,
)
def test_values_come_back_equal_and_of_the_same_type(attributes, value) -> None:
    attributes["k"] = value
    got = attributes["k"]
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize("number", [1e-5, 0.1, 0.3, 1 / 3, 123456.789, 1e-45, 3.0e38])
def test_floats_read_back_as_the_shortest_decimal(attributes, number) -> None:
    attributes["k"] = number
    assert repr(attributes["k"]) == repr(float(str(np.float32(number))))


def test_nan_stays_nan(attributes) -> None:
    attributes["k"] = math.nan
    assert math.isnan(attributes["k"])


def test_lists_come_back_as_tuples(attributes) -> None:
    attributes["k"] = [1, 2]
    assert attributes["k"] == (1, 2)
    attributes["l"] = [[1, 2], [3]]
    assert attributes["l"] == ((1, 2), (3,))


def test_ints_among_floats_are_floats(attributes) -> None:
    attributes["k"] = [1, 0.5]
    assert attributes["k"] == (1.0, 0.5)
    assert all(type(x) is float for x in attributes["k"])


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**30, [1, 2**63], [2**70] * 20])
def test_ints_of_more_than_64_bits_overflow(attributes, value) -> None:
    with pytest.raises(OverflowError):
        attributes["k"] = value


@pytest.mark.parametrize(
    "make",
    [
        lambda: ir.I8Attr(-128),
        lambda: ir.I32Attr(7),
        lambda: ir.U8Attr(255),
        lambda: ir.U64Attr(2**64 - 1),
        lambda: ir.F64Attr(0.1),
    ],
)
def test_forced_widths_come_back_as_forced(attributes, make) -> None:
    value = make()
    attributes["k"] = value
    got = attributes["k"]
    assert got == value
    assert type(got) is type(value)
    assert got.dtype is value.dtype
    attributes["k"] = got
    assert type(attributes["k"]) is type(value)


@pytest.mark.parametrize("value", [ir.I8Attr(128), ir.U8Attr(-1), ir.U64Attr(2**64)])
def test_forced_widths_are_checked(attributes, value) -> None:
    with pytest.raises(OverflowError):
        attributes["k"] = value


def test_an_empty_list_says_how_to_say_what_of(attributes) -> None:
    with pytest.raises(TypeError, match=r"ArrayAttr\(\[\], ir\.i64\)"):
        attributes["k"] = []


@pytest.mark.parametrize("dtype", [ir.i64, ir.f32, ir.i1, ir.f64, ir.i32, ir.string, None])
def test_array_attr_can_be_empty(attributes, dtype) -> None:
    attributes["k"] = ir.ArrayAttr([], dtype)
    got = attributes["k"]
    assert got == ()
    attributes["k"] = got
    assert attributes["k"] == ()


def test_array_attr_forces_the_width(attributes) -> None:
    attributes["k"] = ir.ArrayAttr([1, 2], ir.i32)
    assert attributes["k"] == (1, 2)
    assert attributes["k"].dtype is ir.i32
    attributes["d"] = ir.ArrayAttr([0.1], ir.f64)
    assert attributes["d"] == (0.1,)
    assert attributes["d"].dtype is ir.f64


@pytest.mark.parametrize("value", [[1, "a"], [True, 1], ["a", b"a"], [[1], "a"], [1, None]])
def test_lists_are_of_one_kind(attributes, value) -> None:
    with pytest.raises(TypeError):
        attributes["k"] = value


@pytest.mark.parametrize("value", [None, object(), 1j, {1: 2}, set(), lambda: 0, int])
def test_other_kinds_list_what_works(attributes, value) -> None:
    with pytest.raises(TypeError):
        attributes["k"] = value
    with pytest.raises(TypeError, match="str, bytes, DType, Type, Tensor"):
        attributes["k"] = object()


def test_types_and_tensors_come_back(attributes) -> None:
    type_ = ir.TensorType((2, "N"), ir.f16)
    attributes["t"] = type_
    assert attributes["t"] is type_
    tensor = ir.Tensor([1.0, 2.0])
    attributes["v"] = tensor
    assert attributes["v"] is tensor


def test_numpy_arrays_become_tensors(attributes) -> None:
    attributes["v"] = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert attributes["v"].dtype is ir.i32
    assert attributes["v"].tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        (np.int32(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.float64(0.1), 0.1),
        (np.str_("s"), "s"),
    ],
)
def test_numpy_scalars_become_numbers(attributes, scalar, value) -> None:
    attributes["k"] = scalar
    assert attributes["k"] == value
    assert type(attributes["k"]) is type(value)


def test_graphs_are_held_by_name(attributes) -> None:
    attributes["k"] = ir.Graph("callee")
    assert attributes["k"] == "callee"
    assert isinstance(attributes["k"], ir.GraphRef)
    attributes["l"] = ir.GraphRef("other")
    assert isinstance(attributes["l"], ir.GraphRef)
    attributes["s"] = "callee"
    assert type(attributes["s"]) is str


def test_the_mapping_behaves_like_a_dict(attributes) -> None:
    model: dict = {}
    for m in (attributes, model):
        m["a"] = 1
        m["b"] = "x"
        m.update({"c": 2}, d=0.5)
        m.update([("e", True)])
        m.setdefault("a", 7)
        m.setdefault("f", 8)
        assert m.pop("b") == "x"
        assert m.pop("zz", 3) == 3
        assert m.get("zz") is None
        assert m.get("zz", 1) == 1
        assert m.popitem() == ("f", 8)
        del m["c"]
        assert "c" not in m and "a" in m and 3 not in m
        with pytest.raises(KeyError):
            m["zz"]
        with pytest.raises(KeyError):
            m.pop("zz")
        with pytest.raises(KeyError):
            del m["zz"]
    assert attributes == model and model == attributes
    assert not attributes != model
    assert list(attributes) == list(model)
    assert list(attributes.items()) == list(model.items())
    assert list(attributes.values()) == list(model.values())
    assert attributes.copy() == model and type(attributes.copy()) is dict
    assert dict(attributes) == model
    assert repr(attributes) == repr(model)
    assert isinstance(attributes, MutableMapping)
    attributes.clear()
    assert len(attributes) == 0
    with pytest.raises(TypeError):
        hash(attributes)


def test_a_mapping_of_two_owners_compares_by_content() -> None:
    g = ir.Graph("g")
    a = g.add_node("onnx.Abs", attributes={"k": 1}, result_types=())
    b = g.add_node("onnx.Abs", attributes={"k": 1}, result_types=())
    assert a.attributes == b.attributes
    assert a.attributes == a.attributes


def test_editing_while_iterating_is_fine(attributes) -> None:
    attributes.update({str(i): i for i in range(10)})
    for key in attributes:
        del attributes[key]
    assert len(attributes) == 0


def test_names_are_text(attributes) -> None:
    with pytest.raises(TypeError, match="attribute name must be str"):
        attributes[1] = 2
    with pytest.raises(ValueError):
        attributes[""] = 2


def test_graphs_and_modules_have_attributes() -> None:
    for owner in (ir.Graph("g"), ir.Module("m")):
        owner.attributes["opset"] = {"onnx": 17}
        assert owner.attributes["opset"] == {"onnx": 17}
        assert len(owner.attributes) == 1


def test_a_failed_conversion_changes_nothing() -> None:
    g = ir.Graph("g")
    with pytest.raises(TypeError):
        g.add_node("onnx.Abs", attributes={"a": 1, "b": object()})
    assert len(g.nodes) == 0


def test_conversion_that_edits_the_list_is_safe(attributes) -> None:
    """Converting an element may run Python code, which may edit the list."""
    values: list = []

    class Evil:
        def __array__(self, dtype=None, copy=None):
            values.clear()
            return np.zeros(2)

    values.extend([Evil(), Evil()])
    attributes["k"] = values
    assert values == [] and len(attributes["k"]) == 2


def test_attributes_that_contain_themselves_are_refused(attributes) -> None:
    value: list = []
    value.append(value)
    with pytest.raises((RecursionError, ValueError)):
        attributes["k"] = value
