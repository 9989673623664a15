"""CANN's samples of fusion passes for elementwise operators and layouts: source graphs, patterns and replacements.

They are built as the samples build them, with ``ge.es.math``, ``ge.es.nn`` and GraphBuilder. The samples for matrix
products are in test_cann_samples_products.py. The passes themselves are tested in test_fusion_samples.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cann_samples import check

from ge import ir, ops
from ge.es import GraphBuilder, TensorHolder
from ge.es.graph_builder import attr_scope
from ge.es.math import (
    GEMM,
    Add,
    ConcatV2,
    Identity,
    MatMul,
    TensorMove,
    Transpose,
)
from ge.es.nn import (
    BatchMatMulV2,
    Conv2D,
    Relu,
)
from ge.graph import Format, Graph, TensorDesc

# --- G1, P1: MatMul and Add become GEMM


@pytest.mark.parametrize("product", [MatMul, BatchMatMulV2])
def test_p1_pattern(product: Any) -> None:
    builder = GraphBuilder("FuseMatMulAndAddPass_pattern")
    a, b, c = builder.create_inputs(3)
    graph = builder.build_and_reset([Add(product(a, b), c)])
    name = product.__name__
    check(
        graph,
        f"""
        input_0 = Data
        input_1 = Data
        input_2 = Data
        {name}_0 = {name}(input_0, input_1)
        Add_1 = Add({name}_0, input_2)
        return Add_1
        """,
    )


def test_g1_p1_replacement() -> None:
    builder = GraphBuilder("replacement")
    a, b, c = builder.create_inputs(3)
    alpha, beta = builder.create_scalar_float(1.0), builder.create_scalar_float(1.0)
    graph = builder.build_and_reset([GEMM(a, b, c, alpha, beta)])
    check(
        graph,
        """
        input_0 = Data
        input_1 = Data
        input_2 = Data
        Const_0 = Const()
        Const_1 = Const()
        GEMM_2 = GEMM(input_0, input_1, input_2, Const_0, Const_1)
        return GEMM_2
        """,
    )
    assert graph.find_node_by_name("Const_0").get_attr("value").get_data() == 1.0


def test_p1_literals_are_operands() -> None:
    """As above, but with literals, which become constants."""
    builder = GraphBuilder("replacement")
    a, b, c = builder.create_inputs(3)
    node = GEMM(a, b, c, 1.0, 1.0).value.node
    assert [str(v.type) for v in node.operands[3:]] == ["tensor<f32>", "tensor<f32>"]


# --- P2: captured attributes are copied


def test_p2_replacement() -> None:
    source = GraphBuilder("source")
    x, y = source.create_inputs(2)
    matmul = MatMul(x, y, transpose_x1=True)._get_node_snapshot()
    builder = GraphBuilder("replacement")
    a, b, c = builder.create_inputs(3)
    gemm = GEMM(
        a,
        b,
        c,
        builder.create_const_float(1.0),
        builder.create_const_float(1.0),
        transpose_a=matmul.get_attr("transpose_x1"),
        transpose_b=matmul.get_attr("transpose_x2"),
    )
    node = builder.build_and_reset([gemm]).find_node_by_name("GEMM_2")
    assert (node.get_attr("transpose_a"), node.get_attr("transpose_b")) == (True, False)


# --- P3: a constant with a value


def test_p3_pattern() -> None:
    builder = GraphBuilder("pattern")
    x, y = builder.create_inputs(2)
    const = builder.create_const_float([0.1, 0.1, 0.1, 0.1], shape=[2, 2])
    graph = builder.build_and_reset(
        [MatMul(x, y, None, transpose_x1=False, transpose_x2=False) + const]
    )
    check(
        graph,
        """
        input_0 = Data
        input_1 = Data
        Const_0 = Const()
        MatMul_1 = MatMul(input_0, input_1)
        Add_2 = Add(MatMul_1, Const_0)
        return Add_2
        """,
    )
    value = graph.find_node_by_name("Const_0").get_attr("value")
    assert value.get_tensor_desc() == TensorDesc([2, 2])
    assert np.asarray(value).tolist() == np.full((2, 2), 0.1, np.float32).tolist()


def test_p3_pattern_with_a_nested_list() -> None:
    builder = GraphBuilder("pattern")
    x, y = builder.create_inputs(2)
    made = BatchMatMulV2(x, y) + [[0.1, 0.1], [0.1, 0.1]]
    assert made.value.node.operands[1].type == ir.TensorType((2, 2), ir.f32)


# --- P4: adding zero


@pytest.mark.parametrize(("zero", "dtype"), [(0, "i64"), (0.0, "f32")])
def test_p4_pattern(zero: float, dtype: str) -> None:
    builder = GraphBuilder("pattern")
    inputs = builder.create_inputs(1)
    graph = builder.build_and_reset([inputs[0] + zero])
    check(
        graph,
        """
        input_0 = Data
        Const_0 = Const()
        Add_1 = Add(input_0, Const_0)
        return Add_1
        """,
    )
    assert str(graph.nodes[0].result.type) == f"tensor<{dtype}>"


def test_p4_replacement_is_its_input() -> None:
    builder = GraphBuilder("replacement")
    x = builder.create_input(0)
    check(builder.build_and_reset([x]), "input_0 = Data\nreturn input_0")


# --- P5: adding zero with a custom operator


@pytest.fixture
def add_custom() -> Iterator[Any]:
    library = ops.Library("custom_samples")
    library.define("AddCustom(Tensor x, Tensor y) -> Tensor z")
    from ge.es.custom_samples import AddCustom  # type: ignore[import-not-found]

    yield AddCustom
    library.close()


@pytest.mark.parametrize("moved", [False, True])
def test_p5_patterns(add_custom: Any, moved: bool) -> None:
    builder = GraphBuilder("pattern")
    x, y = builder.create_inputs(2)
    zero = Identity(x.get_owner_builder().create_const_float(0.0))
    if moved:
        zero = TensorMove(zero)
    graph = builder.build_and_reset([add_custom(add_custom(x, zero), y)])
    move = "TensorMove_2 = TensorMove(Identity_1)\n" if moved else ""
    last = 3 if moved else 2
    check(
        graph,
        f"""input_0 = Data
        input_1 = Data
        Const_0 = Const()
        Identity_1 = Identity(Const_0)
        {move}AddCustom_{last} = AddCustom(input_0, {"TensorMove_2" if moved else "Identity_1"})
        AddCustom_{last + 1} = AddCustom(AddCustom_{last}, input_1)
        return AddCustom_{last + 1}""",
    )


# --- G2: Relu goes before ConcatV2


def g2_source(count: int) -> Graph:
    builder = GraphBuilder("source")
    xs = builder.create_inputs(count)
    dim = builder.create_const_int32(1)
    return builder.build_and_reset([Relu(ConcatV2(xs, dim, N=count))])


def test_g2_source() -> None:
    check(
        g2_source(2),
        """
        input_0 = Data
        input_1 = Data
        Const_0 = Const()
        ConcatV2_1 = ConcatV2(input_0, input_1, Const_0)
        Relu_2 = Relu(ConcatV2_1)
        return Relu_2
        """,
    )


def test_g2_replacement() -> None:
    """The inputs are those of the replaced node: the data, then the dimension."""
    node = g2_source(3).find_node_by_name("ConcatV2_1")
    count = node.get_inputs_size() - 1
    assert node.get_attr("N") == count
    builder = GraphBuilder("replacement")
    inputs = builder.create_inputs(count + 1)
    relus: list[TensorHolder] = [Relu(x) for x in inputs[:-1]]
    check(
        builder.build_and_reset([ConcatV2(relus, inputs[-1], N=count)]),
        """
        input_0 = Data
        input_1 = Data
        input_2 = Data
        input_3 = Data
        Relu_0 = Relu(input_0)
        Relu_1 = Relu(input_1)
        Relu_2 = Relu(input_2)
        ConcatV2_3 = ConcatV2(Relu_0, Relu_1, Relu_2, input_3)
        return ConcatV2_3
        """,
    )


# --- G3, G6: convolutions between transposes


def conv_between_transposes() -> Graph:
    builder = GraphBuilder("source")
    x = builder.create_input(0, name="x", format=Format.FORMAT_NHWC, shape=[1, 8, 8, 3])
    w = builder.create_input(1, name="w", format=Format.FORMAT_NCHW, shape=[4, 3, 1, 1])
    inner = Transpose(x, builder.create_const_int32([0, 3, 1, 2]))
    conv = Conv2D(
        inner,
        w,
        strides=[1, 1, 1, 1],
        pads=[0, 0, 0, 0],
        dilations=[1, 1, 1, 1],
        data_format="NCHW",
    )
    return builder.build_and_reset([Transpose(conv, builder.create_const_int64([0, 2, 3, 1]))])


def test_g3_g6_source() -> None:
    graph = conv_between_transposes()
    check(
        graph,
        """
        x = Data
        w = Data
        Const_0 = Const()
        Transpose_1 = Transpose(x, Const_0)
        Conv2D_2 = Conv2D(Transpose_1, w)
        Const_3 = Const()
        Transpose_4 = Transpose(Conv2D_2, Const_3)
        return Transpose_4
        """,
    )
    conv = graph.find_node_by_name("Conv2D_2")
    assert conv.get_attr("data_format") == "NCHW"
    perm, _ = graph.find_node_by_name("Transpose_4").get_in_data_nodes_and_port_indexes(1)
    assert (perm.type, perm.get_attr("value").get_data()) == ("Const", [0, 2, 3, 1])


# --- Private attributes, as in CANN's sample


def test_private_attributes() -> None:
    builder = GraphBuilder("private")
    x = builder.create_input(0, name="input", shape=[2, 3])
    with attr_scope({"_stream_label": "label_0"}):
        first = Relu(x)
    with attr_scope({"node_rank": 1, "memory_optimization": True, "_stream_label": "label_1"}):
        second = Relu(x)
    graph = builder.build_and_reset([Add(first, second)])
    labels = [n.get_attr("_stream_label") for n in graph.nodes if n.has_attr("_stream_label")]
    assert labels == ["label_0", "label_1"]
