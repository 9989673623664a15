"""TensorHolder, CANN's view of a value: Python operators create CANN's operators, on either side of a literal.

Literals become constants of int64 or float32. Scopes add attributes and control inputs to all nodes that are created in
them, constants included.
"""

from __future__ import annotations

import threading

import numpy as np
import pytest
from cann_lines import lines

from ge import ir
from ge.es.graph_builder import (
    GraphBuilder,
    TensorHolder,
    attr_scope,
    control_dependency_scope,
)
from ge.es.tensor_like import convert_to_tensor_holder, resolve_builder
from ge.graph import DataType, Format


@pytest.fixture
def builder() -> GraphBuilder:
    return GraphBuilder("main")


# --- The view


def test_a_holder_is_a_view_of_a_value(builder: GraphBuilder) -> None:
    x = builder.create_input(0, name="x")
    assert isinstance(x.value, ir.Value)
    assert x.name == x.value.node.name == "x"
    assert x._get_node_snapshot() is x.value.node
    assert x.get_owner_builder() is builder


def test_only_builders_make_it(builder: GraphBuilder) -> None:
    with pytest.raises(RuntimeError, match="TensorHolder objects should not be created directly"):
        TensorHolder(builder.create_input(0).value)
    with pytest.raises(ValueError, match="Tensor handle cannot be None"):
        TensorHolder._create_from(None, builder)
    with pytest.raises(ValueError, match="Owner builder cannot be None"):
        TensorHolder._create_from(builder.create_input(1).value, None)  # type: ignore[arg-type]


def test_setters_chain(builder: GraphBuilder) -> None:
    x = builder.create_const_float(1.0)
    made = x.set_data_type(DataType.DT_FLOAT16).set_format(Format.FORMAT_NCHW).set_shape([1, 2, -1])
    assert made is x
    desc = x.value.node.get_output_desc(0)
    assert (desc.data_type, desc.format) == (DataType.DT_FLOAT16, Format.FORMAT_NCHW)
    assert list(desc.shape) == [1, 2, -1]


def test_setters_work_on_what_is_not_known(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    unknown = x + 1  # f32 and i64
    assert isinstance(unknown.value.type, ir.UnknownType)
    unknown.set_data_type(DataType.DT_INT64).set_shape([2])
    assert unknown.value.type == ir.TensorType((2,), ir.i64)


@pytest.mark.parametrize(
    ("method", "value", "words"),
    [
        ("set_data_type", "float", "Data type must be a DataType enum"),
        ("set_data_type", 0, "Data type must be a DataType enum"),
        ("set_format", "NCHW", "Format must be a Format enum"),
        ("set_shape", "12", "Shape must be a list of integers"),
        ("set_shape", (1, 2), "Shape must be a list of integers"),
        ("set_shape", [1, "2"], "All shape dimensions must be integers"),
    ],
)
def test_wrong_arguments_of_setters(
    builder: GraphBuilder, method: str, value: object, words: str
) -> None:
    with pytest.raises(TypeError, match=words):
        getattr(builder.create_input(0), method)(value)


# --- Operators


def test_operators_are_canns(builder: GraphBuilder) -> None:
    x, y = builder.create_inputs(2)
    made = [x + y, x - y, x * y, x / y, x.add(y), x.sub(y), x.mul(y), x.div(y)]
    assert all(isinstance(item, TensorHolder) for item in made)
    assert [item.value.node.type for item in made] == ["Add", "Sub", "Mul", "Div"] * 2
    assert all(item.get_owner_builder() is builder for item in made)


def test_literals_on_either_side_are_nodes_before(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    y = 3.0 - x - 2
    assert lines(builder.build_and_reset([y]))[1:] == [
        "Const_0 = Const()",
        "Sub_1 = Sub(Const_0, input_0)",
        "Const_2 = Const()",
        "Sub_3 = Sub(Sub_1, Const_2)",
        "return Sub_3",
    ]


@pytest.mark.parametrize(
    ("literal", "shape", "dtype"),
    [
        (0, (), "i64"),
        (True, (), "i64"),
        (0.0, (), "f32"),
        ([1, 2], (2,), "i64"),
        ([[1, 2.0], [3, 4]], (2, 2), "f32"),
        ([], (0,), "i64"),
    ],
)
@pytest.mark.parametrize("of", [DataType.DT_FLOAT16, DataType.DT_INT32])
def test_literals_are_int64_or_float32(
    builder: GraphBuilder, literal: object, shape: tuple[int, ...], dtype: str, of: DataType
) -> None:
    x = builder.create_input(0, data_type=of)
    added = (x + literal).value.node.operands[1]  # type: ignore[operator]
    assert added.type == ir.TensorType(shape, ir.DType(dtype))
    assert np.array_equal(np.asarray(added.node.attributes["value"]), np.array(literal))


def test_arrays_keep_their_type(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    for array in (np.ones((2,), np.float16), np.float64(1.0), ir.Tensor(1, dtype=ir.i8)):
        added = (x + array).value.node.operands[1]  # type: ignore[operator]
        assert added.type == ir.Tensor(array).type
    left = np.ones((2,), np.float16) + x  # type: ignore[operator]
    assert isinstance(left, TensorHolder)


def test_ragged_lists_are_refused(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    words = "Irregular nested list: all sub-lists must have the same shape"
    for ragged in ([[3.0, 2], [1]], [1, [2]], [[1], 2]):
        with pytest.raises(ValueError, match=words):
            ragged / x  # type: ignore[operator]
    assert len(builder.build_and_reset([x]).nodes) == 0


@pytest.mark.parametrize("wrong", ["1", ["1"], [[]], {}, object(), 1j])
def test_what_is_no_tensor_is_refused(builder: GraphBuilder, wrong: object) -> None:
    x = builder.create_input(0)
    with pytest.raises(TypeError, match=r"Value must be (TensorHolder or )?int\|float"):
        x + wrong  # type: ignore[operator]


def test_tensors_of_two_builders_do_not_meet(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    y = GraphBuilder("other").create_input(0)
    words = "Cannot perform add: tensors from different GraphBuilders"
    with pytest.raises(ValueError, match=words):
        x + y
    with pytest.raises(ValueError, match=words):
        y.add(x)


def test_operators_need_no_scope(builder: GraphBuilder) -> None:
    """The node is added to the graph of the tensor, even inside the ``with`` of another builder."""
    import ge.es

    x = builder.create_input(0)
    with ge.es.builder("other") as other:
        other.input("x", ir.TensorType((), ir.f32))
        y = x * 2.0
    assert y.value.node.root is x.value.node.root
    assert len(other.graph.nodes) == 0


# --- tensor_like


def test_convert_gives_a_tensor_back_as_it_is(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    assert convert_to_tensor_holder(x, builder) is x
    assert convert_to_tensor_holder(None, builder) is None
    made = convert_to_tensor_holder([[0, 1], [2, 3]], builder)
    assert made is not None
    assert made.value.type == ir.TensorType((2, 2), ir.i64)
    viewed = convert_to_tensor_holder(x.value, builder)
    assert viewed is not None
    assert viewed.value is x.value


def test_resolve_builder(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    assert resolve_builder(1, [2, 3], x) is builder
    assert resolve_builder(None, builder) is builder
    words = "Please ensure at least one input tensor or an explicit owner_builder is provided"
    with pytest.raises(ValueError, match=words):
        resolve_builder(1, [2, 3.0])


# --- attr_scope


def test_attributes_of_a_scope(builder: GraphBuilder) -> None:
    values = {
        "s": "hello",
        "i": 42,
        "b": True,
        "f": 0.5,
        "ints": [1, 2],
        "floats": [0.5, 1.5],
        "bools": [True, False],
        "strings": ["a", "b"],
        "dtype": DataType.DT_FLOAT,
    }
    with attr_scope(values):
        x = builder.create_input(0)
        y = x + 1.0
        z = builder.create_vector_int64([1])
    outside = builder.create_const_float(1.0)
    for tensor in (x, y, z):
        node = tensor.value.node
        assert {name: node.get_attr(name) for name in values} == values
    assert y.value.node.operands[1].node.get_attr("s") == "hello"  # the literal
    assert not outside.value.node.has_attr("s")


def test_inner_scopes_add_and_override(builder: GraphBuilder) -> None:
    with attr_scope({"a": 1, "b": 2}):
        with attr_scope({"b": 3, "c": 4}):
            inner = builder.create_const_float(1.0).value.node
        outer = builder.create_const_float(1.0).value.node
    assert [inner.get_attr(n) for n in "abc"] == [1, 3, 4]
    assert [outer.get_attr(n) for n in "ab"] == [1, 2]
    assert not outer.has_attr("c")
    with pytest.raises(RuntimeError, match="Failed to get attribute 'c' from Node"):
        outer.get_attr("c")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"k": "v"}, r"Unsupported attribute type: <class 'dict'> for value: {'k': 'v'}"),
        ([1, "a"], r"Unsupported attribute type: <class 'list'> for value: \[1, 'a'\]"),
        (None, r"Unsupported attribute type: <class 'NoneType'> for value: None"),
    ],
)
def test_what_is_no_attribute_makes_no_node(
    builder: GraphBuilder, value: object, words: str
) -> None:
    x = builder.create_input(0)
    for make in (
        lambda: builder.create_const_float(1.0),
        lambda: x + 1.0,
        lambda: builder.create_input(1),
    ):
        with pytest.raises(ValueError, match=words), attr_scope({"a": value}):
            make()
    assert (x + 1.0).name == "Add_1"  # failed calls used up no number
    graph = builder.build_and_reset([x])
    assert (len(graph.inputs), len(graph.nodes)) == (1, 2)


def test_a_scope_ends_with_an_exception(builder: GraphBuilder) -> None:
    with pytest.raises(KeyError), attr_scope({"a": 1}):
        raise KeyError
    assert not builder.create_const_float(1.0).value.node.has_attr("a")


def test_scopes_are_of_a_thread(builder: GraphBuilder) -> None:
    seen = []

    def other() -> None:
        seen.append(GraphBuilder("t").create_const_float(1.0).value.node.has_attr("a"))

    with attr_scope({"a": 1}):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == [False]


# --- control_dependency_scope


def names(tensor: TensorHolder) -> list[str]:
    return [node.name for node in tensor.value.node.get_in_control_nodes()]


def test_nodes_of_a_scope_depend_on_its_tensors(builder: GraphBuilder) -> None:
    a, b = builder.create_const_float(0.0), builder.create_const_float(1.0)
    with control_dependency_scope([a, b]):
        c = builder.create_const_float(2.0) + 1.0
    assert names(b) == []
    assert names(c) == ["Const_0", "Const_1"]
    assert c.value.node.type == "Add"


def test_inner_scopes_depend_on_more(builder: GraphBuilder) -> None:
    a, b = builder.create_const_float(1.0), builder.create_const_float(2.0)
    with control_dependency_scope([a]):
        c = builder.create_const_float(3.0)
        with control_dependency_scope([b, a]):
            d = builder.create_const_float(4.0)
    assert (names(c), names(d)) == (["Const_0"], ["Const_0", "Const_1"])


def test_inputs_of_a_scope_depend_on_nothing(builder: GraphBuilder) -> None:
    """CANN's sample of control edges creates an input in the scope."""
    a, b = builder.create_inputs(2)
    with control_dependency_scope([a, b]):
        c = builder.create_input(2)
        d = a + c
    assert (names(c), names(d)) == ([], ["input_0", "input_1"])


def test_wrong_arguments_of_control_dependency_scope(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    for wrong in (x, ["x"], [x.value]):
        with (
            pytest.raises(TypeError, match="must be a list of TensorHolder"),
            control_dependency_scope(wrong),  # type: ignore[arg-type]
        ):
            pass
    foreign = GraphBuilder("other").create_input(0)
    with (
        pytest.raises(ValueError, match="different GraphBuilders"),
        control_dependency_scope([foreign]),
    ):
        x + 1.0
    assert len(builder.build_and_reset([x]).nodes) == 0


def test_add_control_dependency_of_a_tensor(builder: GraphBuilder) -> None:
    a, b = builder.create_inputs(2)
    c = a * b
    assert c.add_control_dependency([b]) is c
    assert names(c) == ["input_1"]
