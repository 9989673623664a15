"""Graph-building functions called with TensorHolders: the same functions, with CANN's names, constants and attributes.

A call with a TensorHolder returns TensorHolders; a failed call adds no node. As in CANN, operand types that do not fit
are no error in this style: the result types are unknown then.
"""

from __future__ import annotations

from typing import Any

import pytest
from cann_lines import lines

import ge.es
from ge import ir, ops
from ge.es import GraphBuilder, TensorHolder
from ge.es import all as es
from ge.graph import DataType, Graph


@pytest.fixture
def builder() -> GraphBuilder:
    return GraphBuilder("main")


# --- Modules


def test_all_has_the_functions_of_math_and_nn() -> None:
    from ge.es import math, nn

    assert es.Add is math.Add
    assert es.Relu is nn.Relu
    names = set(es.__all__)
    assert set(math.__all__) | set(nn.__all__) <= names
    assert "MatMul" in dir(es)


def test_all_can_be_imported_with_a_star() -> None:
    scope: dict[str, Any] = {}
    exec("from ge.es.all import *", scope)
    assert scope["Relu"] is es.Relu


def test_missing_operators_are_import_errors() -> None:
    """CANN's samples try to import an operator from one module after the other."""
    with pytest.raises(ImportError):
        from ge.es.math import NoSuchOperator  # noqa: F401
    with pytest.raises(ImportError):
        from ge.es.all import Addd  # noqa: F401
    with pytest.raises(AttributeError, match="has no operator 'Addd'; did you mean 'Add'"):
        es.Addd  # noqa: B018


# --- Calls


def test_results_are_tensors(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    y = es.Relu(x)
    assert isinstance(y, TensorHolder)
    assert y.get_owner_builder() is builder
    assert y.name == "Relu_0"


def test_values_give_values(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    assert isinstance(es.Relu(x.value), ir.Value)
    assert isinstance(es.Add(x, x.value), TensorHolder)


def test_several_results_are_a_named_tuple(builder: GraphBuilder) -> None:
    made = es.TopKV2(builder.create_input(0), 2)
    assert type(made).__name__ == "TopKV2Output"
    assert isinstance(made.values, TensorHolder)
    assert (made.indices.name, made.indices.value.index) == ("TopKV2_1", 1)


def test_dynamic_results_are_a_list(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    made = es.Split(1, x, 3, num_split=3)
    assert isinstance(made, list)
    assert [y.value.index for y in made] == [0, 1, 2]
    graph = builder.build_and_reset(made)
    assert lines(graph)[1:] == [
        "Const_0 = Const()",
        "Split_1 = Split(Const_0, input_0)",
        "return Split_1, Split_1:1, Split_1:2",
    ]


def test_dynamic_operands_mix_tensors_and_literals(builder: GraphBuilder) -> None:
    x, y = builder.create_inputs(2)
    z = es.ConcatV2([x, [[1.0, 2.0]], y], concat_dim=-1, N=3)
    assert lines(builder.build_and_reset([z]))[2:] == [
        "Const_0 = Const()",
        "Const_1 = Const()",
        "ConcatV2_2 = ConcatV2(input_0, Const_0, input_1, Const_1)",
        "return ConcatV2_2",
    ]


def test_absent_operands(builder: GraphBuilder) -> None:
    x, y = builder.create_inputs(2)
    z = es.BatchNorm(x, y, y, None, y)
    operands = z.y.value.node.operands
    assert [v and v.node.name for v in operands] == [
        *("input_0", "input_1", "input_1", None, "input_1")
    ]


def test_nodes_have_all_attributes(builder: GraphBuilder) -> None:
    """Attributes that the call omits are set to their defaults, because passes read them."""
    x, y = builder.create_inputs(2)
    node = es.MatMul(x, y, transpose_x2=True).value.node
    assert (node.get_attr("transpose_x1"), node.get_attr("transpose_x2")) == (False, True)
    node = es.Conv2D(x, y, strides=[1, 1, 1, 1], pads=[0, 0, 0, 0]).value.node
    assert (node.get_attr("groups"), node.get_attr("data_format")) == (1, "NHWC")


def test_element_types_are_canns(builder: GraphBuilder) -> None:
    x = builder.create_input(0, shape=[2])
    assert es.Cast(x, dst_type=DataType.DT_FLOAT16).value.type == ir.TensorType((2,), ir.f16)
    node = es.Bitcast(x, type=DataType.DT_INT32).value.node
    assert node.attributes["type"] == ir.i32


def test_types_never_refuse_a_node(builder: GraphBuilder) -> None:
    x = builder.create_input(0, shape=[2, 3])
    y = builder.create_input(1, shape=[5])
    with pytest.raises(ir.VerifyError):
        es.MatMul(x.value, y.value)
    made = es.MatMul(x, y)
    assert isinstance(made.value.type, ir.UnknownType)
    inferred = builder.build_and_reset([made]).infer_types()
    assert "MatMul" in str(inferred.diagnostics[0])


def test_types_are_inferred(builder: GraphBuilder) -> None:
    x = builder.create_input(0, shape=[2, 3])
    y = builder.create_input(1, shape=[3, 5])
    assert es.MatMul(x, y).value.type == ir.TensorType((2, 5), ir.f32)


def test_a_name_can_be_given(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    assert es.Relu(x, _name="act").name == "act"
    assert es.Relu(x).name == "Relu_0"


# --- The builder as an argument


def test_operators_without_operands_take_the_builder(builder: GraphBuilder) -> None:
    tensor = ir.Tensor([1.0])
    made = [
        es.Const(builder, value=tensor),
        es.Const(owner_graph_builder=builder, value=tensor),
        es.Constant(owner_builder=builder, value=tensor),
    ]
    assert [y.name for y in made] == ["Const_0", "Const_1", "Constant_2"]
    assert es.NoOp(builder) is None
    assert builder.build_and_reset().nodes[-1].name == "NoOp_3"


def test_all_operands_absent_takes_the_builder(builder: GraphBuilder) -> None:
    made = es.Variable(None, builder, index=1)
    assert made.value.node.type == "Variable"
    assert es.Variable(owner_builder=builder).name == "Variable_1"


def test_other_operators_do_not_take_the_builder(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    with pytest.raises(TypeError):
        es.Relu(builder)
    with pytest.raises(TypeError, match="unexpected keyword 'owner_builder'"):
        es.Relu(x, owner_builder=builder)
    assert len(builder.build_and_reset([x]).nodes) == 0


def test_without_a_tensor_there_is_no_builder() -> None:
    with pytest.raises(ValueError, match="needs a graph"):
        es.Add(1, 2)


# --- Failures


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: es.Conv2D(x, 1.0), TypeError, "missing required argument 'strides'"),
        (lambda x: es.Relu(x, 2), TypeError, "too many positional arguments"),
        (lambda x: es.Add(x, "1"), TypeError, "Value must be TensorHolder or int"),
        (lambda x: es.Add(1, x, axis=1), TypeError, "unexpected keyword 'axis'"),
        (lambda x: es.ReduceSumD(x, axes=x), TypeError, "argument 'axes'.*got TensorHolder"),
        (lambda x: es.Split(1, x, "3", num_split=3), TypeError, "argument 'y_num'"),
        (
            lambda x: es.Add(x, GraphBuilder().create_input(0)),
            ValueError,
            "Cannot perform Add: tensors from different GraphBuilders",
        ),
    ],
)
def test_a_failed_call_leaves_nothing(
    builder: GraphBuilder, call: Any, error: type[Exception], words: str
) -> None:
    x = builder.create_input(0)
    with pytest.raises(error, match=words):
        call(x)
    assert es.Relu(x).name == "Relu_0"
    assert len(builder.build_and_reset([x]).nodes) == 1


# --- Subgraphs


def branch(name: str) -> Graph:
    inner = GraphBuilder(name)
    x = inner.create_input(0)
    return inner.build_and_reset([x * 2.0])


def test_graphs_become_subgraphs(builder: GraphBuilder) -> None:
    cond = builder.create_input(0, data_type=DataType.DT_BOOL, shape=[])
    x = builder.create_input(1)
    then = branch("then")
    made = es.If(cond, [x], 1, then, branch("else"))
    assert len(made) == 1
    node = made[0].value.node
    assert [g.name for g in node.subgraphs] == ["then", "else"]
    assert then.parent_node is node
    graph = builder.build_and_reset(made)
    assert graph.get_subgraph("then") is then
    graph.verify()


def test_a_graph_is_taken_once(builder: GraphBuilder) -> None:
    cond = builder.create_input(0)
    then = branch("then")
    es.If(cond, [cond], 1, then, branch("else"))
    with pytest.raises((RuntimeError, ValueError)):
        es.If(cond, [cond], 1, then, branch("else"))
    assert [n.type for n in builder.build_and_reset([cond]).nodes] == ["If"]


def test_subgraphs_may_be_functions(builder: GraphBuilder) -> None:
    cond, x = builder.create_inputs(2)
    made = es.If(cond, [x], 1, lambda v: es.Relu(v), lambda v: v)
    inner = made[0].value.node.subgraphs[0]
    assert [n.type for n in inner.nodes] == ["Relu"]


# --- Operators of other libraries


def test_operators_of_a_library(builder: GraphBuilder) -> None:
    library = ops.Library("acme_calls")
    try:
        library.define("scale(Tensor x, *, float factor=2.0) -> Tensor y")
        x = builder.create_input(0)
        made = ge.es.namespace("acme_calls").scale(x)
        assert (made.name, made.value.node.get_attr("factor")) == ("scale_0", 2.0)
        assert "scale" in es.__all__
    finally:
        library.close()
    assert "scale" not in es.__all__


def test_overloads_are_chosen_by_their_values(builder: GraphBuilder) -> None:
    library = ops.Library("acme_overloads")
    try:
        library.define("f.one(Tensor x) -> Tensor y")
        library.define("f.two(Tensor x, Tensor z) -> Tensor y")
        f = ge.es.namespace("acme_overloads").f
        x = builder.create_input(0)
        assert [len(f(x).value.node.operands), len(f(x, x).value.node.operands)] == [1, 2]
        assert isinstance(f(x, x), TensorHolder)
    finally:
        library.close()


def test_every_operator_of_ge_takes_tensors() -> None:
    """A call with any operands adds a node with the operator's generated name, its type and its default attributes."""
    values = {
        "int": 2,
        "float": 1.0,
        "bool": True,
        "str": "a",
        "int[]": [1, 1],
        "float[]": [1.0],
        "str[]": ["a"],
        "ScalarType": DataType.DT_FLOAT,
        "int[][]": [[1]],
    }
    count = 0
    for name in es.__all__:
        function = getattr(es, name)
        if function.op.ns not in ("math", "nn"):
            continue
        builder = GraphBuilder(name)
        x = builder.create_input(0)
        params = {p.name: p for p in function.op.params}
        given: dict[str, Any] = {}
        for p in function.__signature__.parameters.values():
            if p.default is not p.empty:
                continue
            param = params.get(p.name.removeprefix("in_"))  # a Python keyword
            if param is None:
                given[p.name] = 2  # the number of dynamic results
            elif param.is_operand:
                given[p.name] = [x, x] if param.is_variadic else x
            elif "Graph" in str(param.type):
                many = param.type.is_list
                given[p.name] = [Graph("s"), Graph("t")] if many else Graph("s")
            else:
                given[p.name] = values[str(param.type)]
        if not any(p.required for p in function.op.operands):
            given["owner_builder"] = builder
        function(**given)
        node = builder.build_and_reset().nodes[-1]
        assert (node.name, node.type) == (f"{name}_0", name)
        for p in function.op.attributes:
            wanted = p.default is not None and "Graph" not in str(p.type)
            assert not wanted or p.name in node.attributes, f"{name}: {p.name}"
        count += 1
    assert count >= 400
