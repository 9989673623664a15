"""Calls of graph-building functions: they accept what their signature allows, and build the right nodes."""

import inspect
import traceback
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops_synthesis import _attribute

import ge.es
import ge.ir as ir
import ge.ops as ops
from ge.es import onnx as op

F32 = ir.TensorType((2, 3), ir.f32)


@pytest.fixture
def graph() -> ir.Graph:
    return ir.Graph("g")


@pytest.fixture
def x(graph: ir.Graph) -> ir.Value:
    return graph.add_input("x", F32)


def test_one_result_is_a_value_with_a_type(x: ir.Value) -> None:
    y = op.Add(x, x, _name="sum")
    assert isinstance(y, ir.Value)
    assert y.type == F32
    assert (y.node.op, y.node.name, list(y.node.operands)) == ("onnx.Add", "sum", [x, x])


def test_defaults_are_not_written(x: ir.Value) -> None:
    assert dict(op.Softmax(x).node.attributes) == {}
    assert dict(op.Softmax(x, axis=-1).node.attributes) == {"axis": -1}


def test_a_sparse_constant(graph: ir.Graph) -> None:
    sparse = {"values": np.float32([1, 2]), "indices": np.array([1, 5]), "dims": [2, 3]}
    with ir.InsertionPoint(graph):
        y = op.Constant(sparse_value=sparse)
        assert y.type == F32
        for wrong in (1, [1], np.ones(2)):
            with pytest.raises(ops.BindError, match="'sparse_value' expects SparseLiteral"):
                op.Constant(sparse_value=wrong)
        with pytest.raises(ir.VerifyError, match="'sparse_value' must have 'values' and 'indices'"):
            op.Constant(sparse_value={**sparse, "indices": [1, 5]})
    assert "SparseLiteral" not in op.Constant.__doc__
    graph.verify()


def test_several_results_are_a_named_tuple(x: ir.Value) -> None:
    top = op.TopK(x, [1])
    assert type(top).__name__ == "TopKOutput"
    assert top.Values.type == ir.TensorType((2, 1), ir.f32)
    assert top.Indices.type == ir.TensorType((2, 1), ir.i64)
    values, indices = top
    assert values.node is indices.node


def test_optional_results_come_on_request(graph: ir.Graph) -> None:
    image = graph.add_input("image", ir.TensorType((1, 3, 8, 8), ir.f32))
    assert isinstance(op.MaxPool(image, kernel_shape=[2, 2]), ir.Value)
    both = op.MaxPool(image, kernel_shape=[2, 2], _outputs=2)
    assert both._fields == ("Y", "Indices")
    with pytest.raises(ValueError, match="1 to 2"):
        op.MaxPool(image, kernel_shape=[2, 2], _outputs=3)


def test_variadic_results_are_a_list(x: ir.Value) -> None:
    assert len(op.Split(x, num_outputs=2)) == 2
    assert [v.type.shape for v in op.Split(x, [1, 2], axis=1)] == [(2, 1), (2, 2)]
    assert len(op.Split(x, axis=1, _outputs=3, num_outputs=3)) == 3
    with pytest.raises(ops.BindError, match="_outputs"):
        op.Split(x, axis=1)


def test_variadic_operands_are_a_sequence(graph: ir.Graph, x: ir.Value) -> None:
    assert op.Concat([x, x], axis=0).type.shape == (4, 3)
    assert op.Concat((x,), axis=0).type.shape == (2, 3)
    assert len(op.Concat(graph.inputs, axis=0).node.operands) == 1


def test_absent_operands(x: ir.Value) -> None:
    clip = op.Clip(x, None, 6)
    assert [v is None for v in clip.node.operands] == [False, True, False]
    assert len(op.Clip(x, None, None).node.operands) == 1


@pytest.mark.parametrize(
    ("literal", "dtype", "shape"),
    [
        (2, "f32", ()),
        (0.5, "f32", ()),
        ([1, 2, 3], "f32", (3,)),
        (np.ones(3), "f32", (3,)),
        (np.float64(2), "f32", ()),
    ],
)
def test_numbers_take_the_type_of_the_other_operand(
    x: ir.Value, literal: Any, dtype: str, shape: tuple[int, ...]
) -> None:
    for y in (op.Add(x, literal), op.Add(literal, x)):
        constant = next(v for v in y.node.operands if v is not x).node
        assert constant.op == "ge.Const"
        assert constant.result.type == ir.TensorType(shape, ir.DType(dtype))
        np.testing.assert_allclose(np.asarray(constant.attributes["value"].numpy()), literal)


def test_numbers_without_another_operand(graph: ir.Graph, x: ir.Value) -> None:
    assert op.Reshape(x, [3, 2]).type.shape == (3, 2)
    assert op.Reshape(x, [3, 2]).node.operands[1].type.dtype == ir.i64
    condition = graph.add_input("c", ir.TensorType((), ir.DType("bool")))
    assert op.Where(condition, 1.0, 0.0).type.dtype == ir.f32
    assert op.Pow(x, 2).node.operands[1].type.dtype == ir.f32
    image = graph.add_input("image", ir.TensorType((1, 1, 2, 2), ir.f32))
    assert op.Resize(image, None, [1, 1, 2, 2]).node.operands[2].type.dtype == ir.f32


def test_a_float_is_not_cut_to_an_int(graph: ir.Graph) -> None:
    i = graph.add_input("i", ir.TensorType((2,), ir.i64))
    with pytest.raises(
        ops.BindError, match="expects Tensor of i64 as the other operands are, got float 1.5"
    ) as e:
        op.Add(i, 1.5)
    assert e.value.argument == "B"
    assert len(graph.nodes) == 0


def test_element_types_for_numbers_of_onnx(x: ir.Value) -> None:
    cast = op.Cast(x, to=ir.f16)
    assert cast.type.dtype == ir.f16
    assert cast.node.attributes["to"] == 10


def test_a_failed_call_leaves_nothing(graph: ir.Graph, x: ir.Value) -> None:
    with pytest.raises(ir.VerifyError, match="does not broadcast"):
        op.Add(x, [1, 2])
    assert len(graph.nodes) == 0


def test_errors_come_at_the_line_of_the_call(x: ir.Value) -> None:
    with pytest.raises(ops.BindError) as caught:
        op.Conv(x, x, pad=[1])
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert frame.line == "op.Conv(x, x, pad=[1])"
    error = caught.value
    assert (error.op, error.argument) == ("onnx::Conv", "pad")
    assert error.reason == "unexpected keyword 'pad' (did you mean 'pads'?)"
    assert error.schema == str(op.Conv.op)
    assert str(error).startswith(f"onnx::Conv(): {error.reason}")


@pytest.mark.parametrize(
    ("args", "kwargs", "reason"),
    [
        (1, {"Axis": 1}, "unexpected keyword 'Axis'"),
        (1, {"input": 0}, "argument 'input' specified twice"),
        (2, {}, "keyword-only argument 'axis' passed as positional"),
        (3, {}, "keyword-only argument 'axis' passed as positional"),
        (9, {}, "keyword-only argument 'axis' passed as positional"),
        (0, {}, "missing required argument 'input'"),
        (1, {"axis": "a"}, "argument 'axis' expects int, got str 'a'"),
    ],
)
def test_the_words_of_faults(x: ir.Value, args: int, kwargs: dict[str, Any], reason: str) -> None:
    with pytest.raises(ops.BindError) as caught:
        op.Softmax(*[x] * args, **kwargs)
    assert caught.value.reason is not None
    assert caught.value.reason.startswith(reason)


def test_too_many_operands(x: ir.Value) -> None:
    with pytest.raises(
        ops.BindError, match="too many positional arguments: expected at most 1, got 2"
    ):
        op.Relu(x, x)


def test_without_a_graph() -> None:
    with pytest.raises(ValueError, match=r"Constant\(\) needs a graph"):
        op.Constant(value_int=1)


def test_functions_go_to_the_graph_of_their_operands(graph: ir.Graph, x: ir.Value) -> None:
    other = ir.Graph("other")
    with ir.InsertionPoint(other):
        assert op.Relu(x).node.graph is graph
        assert op.Constant(value_int=1).node.graph is other
    first = op.Relu(x)
    with ir.InsertionPoint.before(first.node):
        assert op.Abs(x).node.next is first.node


def test_location_and_name(x: ir.Value) -> None:
    y = op.Relu(x, _name="r", _loc=ir.Location.file("f.py", 3))
    assert y.node.name == "r"
    assert "f.py" in str(y.node.location)
    assert op.Relu(x, _name="r").node.name == "r_1"


def test_opsets_side_by_side(x: ir.Value) -> None:
    old = ge.es.onnx.at(11)
    assert old.Softmax.op.since == 11
    assert "axes" in inspect.signature(old.Squeeze).parameters
    assert (
        inspect.signature(op.Squeeze).parameters["axes"].kind
        is inspect.Parameter.POSITIONAL_OR_KEYWORD
    )
    assert inspect.signature(old.Squeeze).parameters["axes"].kind is inspect.Parameter.KEYWORD_ONLY
    with ge.es.opset(11):
        assert ge.es.onnx.Softmax.op.since == 11
        assert ge.es.onnx.opset == 11
    assert ge.es.onnx.Softmax.op.since == 13
    with pytest.raises(ValueError, match="version"):
        ge.es.onnx.at(0)


def test_python_names() -> None:
    assert ge.es.onnx.Conv is ge.es.onnx.Conv
    assert repr(op.Conv) == "<function ge.es.onnx.Conv>"
    assert (op.Conv.__name__, op.Conv.__qualname__, op.Conv.__module__) == (
        "Conv",
        "Conv",
        "ge.es.onnx",
    )
    assert inspect.isroutine(op.Conv)
    assert "Conv" in dir(op)
    signature = inspect.signature(op.Conv)
    assert list(signature.parameters)[:4] == ["X", "W", "B", "auto_pad"]
    assert signature.parameters["group"].default == 1
    assert signature.return_annotation is ir.Value


def test_names_that_python_reserves() -> None:
    with ops.Library("acme") as library:
        library.define("f(Tensor in, *, int from=1, Graph? with=None) -> Tensor")
        function = ge.es.acme.f
        assert list(inspect.signature(function).parameters)[:3] == [
            "in_in",
            "attr_from",
            "subgraph_with",
        ]
        graph = ir.Graph("g")
        x = graph.add_input("x", F32)
        assert dict(function(x, attr_from=2).node.attributes) == {"from": 2}


# --- A call is legal exactly if the signature binds it

FUNCTIONS = [
    name
    for name in ge.es.onnx.__all__
    if not any("SparseLiteral" in str(p.type) for p in getattr(op, name).op.params)
]


def argument(function: Any, name: str, x: ir.Value) -> Any:
    """Return an argument that fits a parameter of the signature; an arbitrary one for an unknown name."""
    form, *_ = ops._native._form(function)
    param = next((p for p in form.params if p.name == name), None)
    if param is None:
        return {"_name": "n", "_loc": None, "_outputs": 1, "_ip": None, "_result_types": None}.get(
            name, 1
        )
    if not any(
        operand.name in (name, name.removeprefix("in_")) for operand in function.op.operands
    ):
        return _attribute(param, x.node.graph)
    return [x] if param.is_variadic else x


@pytest.mark.slow
@settings(max_examples=600, deadline=None)
@given(st.sampled_from(FUNCTIONS), st.integers(0, 5), st.data())
def test_legal_calls_are_those_of_the_signature(
    name: str, positional: int, data: st.DataObject
) -> None:
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.UnknownType())
    function = getattr(op, name)
    signature = inspect.signature(function)
    words = list(signature.parameters)
    required = [n for n, p in signature.parameters.items() if p.default is p.empty]
    # Half of the calls have all required arguments, so that many are legal.
    wanted = set(required[positional:]) if data.draw(st.booleans()) else set()
    wanted |= data.draw(st.sets(st.sampled_from([*words, "k", words[0].upper()]), max_size=3))
    args = [argument(function, words[i], x) if i < len(words) else x for i in range(positional)]
    keywords = {w: argument(function, w, x) for w in sorted(wanted)}
    try:
        signature.bind(*args, **keywords)
        legal = True
    except TypeError:
        legal = False
    before = len(graph.nodes)
    try:
        with ir.InsertionPoint(graph):
            function(*args, **keywords)
        assert legal, (name, args, keywords)
    except ops.BindError as error:
        # `_outputs`, the number of results, is no parameter of the schema.
        assert not legal or error.argument == "_outputs", (name, args, keywords, error)
        assert len(graph.nodes) == before
    except ir.VerifyError:
        assert legal
        assert len(graph.nodes) == before


def test_the_sample_has_all_operators() -> None:
    assert len(FUNCTIONS) > 190
    assert len(FUNCTIONS) == len(ge.es.onnx.__all__) - 1  # all but Constant
