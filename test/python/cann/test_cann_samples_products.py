"""CANN's samples of fusion passes for matrix products, convolutions and several devices, built as the samples do.

The other samples are in test_cann_samples.py. The passes themselves are tested in test_fusion_samples_products.py.
"""

from __future__ import annotations

from typing import Any

import pytest
from cann_samples import check

from ge import ir
from ge.es import GraphBuilder
from ge.es.math import (
    Add,
    Concat,
    ConcatV2,
    ConcatV2D,
    MatMul,
    Mul,
    Pack,
    ReduceSumD,
    Reshape,
    Shape,
    Slice,
    Split,
    SplitV,
    Squeeze,
    Tile,
    Transpose,
)
from ge.es.nn import (
    AddRmsNorm,
    BatchMatMul,
    BatchMatMulV2,
    Conv2D,
    DynamicQuant,
    GroupedMatmulFinalizeRouting,
    HcomAllGather,
    HcomAllReduce,
    HcomReduceScatter,
    MatMulV2,
    MoeGatingTopKSoftmax,
    PromptFlashAttention,
)
from ge.graph import DataType, Format, TensorDesc

# --- G4: parallel matrix products become one batched product


def test_g4_replacement() -> None:
    builder = GraphBuilder("mmoe")
    inputs = [builder.create_input(i, shape=[4, 8] if i % 2 == 0 else [8, 16]) for i in range(6)]
    xs = Pack(inputs[0::2], axis=0, N=3)
    ws = Pack(inputs[1::2], axis=0, N=3)
    product = BatchMatMulV2(xs, ws, adj_x1=False, adj_x2=False)
    parts = Split(builder.create_const_int32([0]), product, 3, num_split=3)
    graph = builder.build_and_reset([Squeeze(part, axis=[0]) for part in parts])
    check(
        graph,
        """
        input_0 = Data
        input_1 = Data
        input_2 = Data
        input_3 = Data
        input_4 = Data
        input_5 = Data
        Pack_0 = Pack(input_0, input_2, input_4)
        Pack_1 = Pack(input_1, input_3, input_5)
        BatchMatMulV2_2 = BatchMatMulV2(Pack_0, Pack_1)
        Const_3 = Const()
        Split_4 = Split(Const_3, BatchMatMulV2_2)
        Squeeze_5 = Squeeze(Split_4)
        Squeeze_6 = Squeeze(Split_4:1)
        Squeeze_7 = Squeeze(Split_4:2)
        return Squeeze_5, Squeeze_6, Squeeze_7
        """,
    )
    # The sample computes these types by hand.
    assert xs.value.type == ir.TensorType((3, 4, 8), ir.f32)
    assert product.value.type == ir.TensorType((3, 4, 16), ir.f32)
    assert graph.outputs[2].type == ir.TensorType((4, 16), ir.f32)


# --- G5: matrix products of one input with constant weights become one


def test_g5_replacement() -> None:
    builder = GraphBuilder("mmoe")
    x = builder.create_input(0, shape=[1, 4, 8])
    weights = [builder.create_const_float([0.5] * 16, shape=[8, 2]) for _ in range(3)]
    weight = ConcatV2D(weights, concat_dim=1, N=3)
    product = BatchMatMulV2(x, weight, adj_x1=False, adj_x2=False, offset_x=0)
    sizes, dim = builder.create_const_int32([2, 2, 2]), builder.create_const_int32([2])
    graph = builder.build_and_reset(SplitV(product, sizes, dim, 3, num_split=3))
    check(
        graph,
        """
        input_0 = Data
        Const_0 = Const()
        Const_1 = Const()
        Const_2 = Const()
        ConcatV2D_3 = ConcatV2D(Const_0, Const_1, Const_2)
        BatchMatMulV2_4 = BatchMatMulV2(input_0, ConcatV2D_3)
        Const_5 = Const()
        Const_6 = Const()
        SplitV_7 = SplitV(BatchMatMulV2_4, Const_5, Const_6)
        return SplitV_7, SplitV_7:1, SplitV_7:2
        """,
    )
    assert weight.value.type == ir.TensorType((8, 6), ir.f32)


# --- P6: a grouped convolution becomes several


@pytest.mark.parametrize("concat", [Concat, ConcatV2])
def test_p6_replacement(concat: Any) -> None:
    groups = 2
    builder = GraphBuilder("DecomposeGroupedConv_replacement")
    x, w = builder.create_inputs(2)
    xs = Split(1, x, groups, num_split=groups)
    ws = Split(0, w, groups, num_split=groups)
    convs = []
    for part, weight in zip(xs, ws, strict=True):
        conv = Conv2D(
            part,
            weight,
            strides=[1, 1, 1, 1],
            pads=[0, 0, 0, 0],
            dilations=[1, 1, 1, 1],
            groups=1,
            data_format="NCHW",
        )
        node = conv._get_node_snapshot()
        desc = TensorDesc(format=Format.FORMAT_NCHW, data_type=DataType.DT_FLOAT)
        desc.set_origin_format(Format.FORMAT_NCHW)
        node.update_input_desc(0, desc)
        node.update_input_desc(1, desc)
        node.update_output_desc(0, desc)
        convs.append(conv)
    last = concat(1, convs, N=groups) if concat is Concat else concat(convs, 1, N=groups)
    operands = "Const_6, Conv2D_4, Conv2D_5" if concat is Concat else "Conv2D_4, Conv2D_5, Const_6"
    name = concat.__name__
    check(
        builder.build_and_reset([last]),
        f"""
        input_0 = Data
        input_1 = Data
        Const_0 = Const()
        Split_1 = Split(Const_0, input_0)
        Const_2 = Const()
        Split_3 = Split(Const_2, input_1)
        Conv2D_4 = Conv2D(Split_1, Split_3)
        Conv2D_5 = Conv2D(Split_1:1, Split_3:1)
        Const_6 = Const()
        {name}_7 = {name}({operands})
        return {name}_7
        """,
    )


# --- P7: the batch dimension is folded into the rows


@pytest.mark.parametrize("product", [BatchMatMulV2, BatchMatMul])
def test_p7_pattern(product: Any) -> None:
    builder = GraphBuilder("pattern")
    a, b = builder.create_inputs(2)
    assert len(builder.build_and_reset([product(a, b)]).nodes) == 1


def test_p7_static_replacement() -> None:
    builder = GraphBuilder("replacement")
    a = builder.create_input(0, shape=[2, 3, 4])
    b = builder.create_input(1, shape=[4, 5])
    flat = Reshape(a, builder.create_const_int64([6, 4]))
    made = Reshape(MatMulV2(flat, b), builder.create_const_int64([2, 3, 5]))
    check(
        builder.build_and_reset([made]),
        """
        input_0 = Data
        input_1 = Data
        Const_0 = Const()
        Reshape_1 = Reshape(input_0, Const_0)
        MatMulV2_2 = MatMulV2(Reshape_1, input_1)
        Const_3 = Const()
        Reshape_4 = Reshape(MatMulV2_2, Const_3)
        return Reshape_4
        """,
    )
    assert made.value.type == ir.TensorType((2, 3, 5), ir.f32)


def test_p7_dynamic_replacement() -> None:
    builder = GraphBuilder("replacement")
    a = builder.create_input(0, shape=[-1, 3, 4])
    b = builder.create_input(1, shape=[4, 5])
    shape = Shape(a, dtype=DataType.DT_INT64)
    one = builder.create_vector_int64([1])
    batch = Slice(shape, builder.create_vector_int64([0]), one)
    rows = Mul(batch, builder.create_vector_int64([3]))
    flat_shape = Concat(0, [rows, builder.create_vector_int64([4])], N=2)
    last_shape = Concat(0, [batch, builder.create_vector_int64([3, 5])], N=2)
    made = Reshape(MatMulV2(Reshape(a, flat_shape), b), last_shape)
    graph = builder.build_and_reset([made])
    assert shape.value.type == ir.TensorType((3,), ir.i64)
    assert [n.type for n in graph.nodes if n.type != "Const"] == [
        *("Shape", "Slice", "Mul", "Concat", "Concat", "Reshape", "MatMulV2", "Reshape")
    ]
    graph.verify()


# --- P8: the Tile before a matrix product is removed


def test_p8_patterns() -> None:
    for side in (0, 1):
        builder = GraphBuilder("tile")
        x, y = builder.create_inputs(2)
        tiled = Tile(x, builder.create_const_int64([2, 1, 1]))
        made = BatchMatMulV2(tiled, y) if side == 0 else BatchMatMulV2(y, tiled)
        assert made.value.node.operands[side].node.type == "Tile"
        builder.build_and_reset([made]).verify()


def test_p8_pattern_with_reshape_and_transpose() -> None:
    builder = GraphBuilder("tile_reshape_transpose")
    x, y = builder.create_inputs(2)
    tiled = Tile(x, builder.create_vector_int64([2, 1]))
    shaped = Reshape(tiled, builder.create_vector_int64([2, 4, 8]))
    turned = Transpose(shaped, builder.create_vector_int64([0, 2, 1]))
    check(
        builder.build_and_reset([BatchMatMulV2(turned, y)]),
        """
        input_0 = Data
        input_1 = Data
        Const_0 = Const()
        Tile_1 = Tile(input_0, Const_0)
        Const_2 = Const()
        Reshape_3 = Reshape(Tile_1, Const_2)
        Const_4 = Const()
        Transpose_5 = Transpose(Reshape_3, Const_4)
        BatchMatMulV2_6 = BatchMatMulV2(Transpose_5, input_1)
        return BatchMatMulV2_6
        """,
    )


def test_p8_replacement_sets_shapes_by_hand() -> None:
    builder = GraphBuilder("replacement")
    x, y = builder.create_inputs(2)
    shaped = Reshape(x, builder.create_vector_int64([1, 4, 8]))
    shaped.set_shape([1, 4, 8]).set_data_type(DataType.DT_FLOAT16)
    made = BatchMatMulV2(Transpose(shaped, builder.create_vector_int64([0, 2, 1])), y)
    graph = builder.build_and_reset([made])
    turned = graph.find_node_by_name("Transpose_3").get_output_desc(0)
    assert (list(turned.shape), turned.data_type) == ([1, 8, 4], DataType.DT_FLOAT16)


# --- P9: a matrix product with one column becomes a reduction


@pytest.mark.parametrize("transposed", [False, True])
def test_p9_patterns(transposed: bool) -> None:
    builder = GraphBuilder("pattern")
    a, b = builder.create_inputs(2)
    if transposed:
        made = BatchMatMulV2(a, Transpose(b, builder.create_vector_int64([0, 2, 1])))
    else:
        made = BatchMatMulV2(a, b, adj_x2=True)
    assert made.value.node.get_attr("adj_x2") is not transposed
    builder.build_and_reset([made]).verify()


def test_p9_replacement() -> None:
    builder = GraphBuilder("replacement")
    a = builder.create_input(0, shape=[2, 8, 4])
    b = builder.create_input(1, shape=[2, 1, 4])
    made = ReduceSumD(Mul(a, b), axes=[-1], keep_dims=True)
    check(
        builder.build_and_reset([made]),
        """
        input_0 = Data
        input_1 = Data
        Mul_0 = Mul(input_0, input_1)
        ReduceSumD_1 = ReduceSumD(Mul_0)
        return ReduceSumD_1
        """,
    )
    assert made.value.type == ir.TensorType((2, 8, 1), ir.f32)


# --- Graphs for several devices


def test_attention_whose_tensors_are_shared_by_processors() -> None:
    builder = GraphBuilder("tensor_parallel")
    half = {"data_type": DataType.DT_FLOAT16}
    query, key, value, rest = (builder.create_input(i, shape=[2, 16, 32], **half) for i in range(4))
    mask = builder.create_input(4, shape=[2, 16, 16], **half)
    weight = builder.create_input(5, shape=[2, 32, 32], **half)
    gamma = builder.create_input(6, shape=[32], **half)
    seen = PromptFlashAttention(query, key, value, None, mask, num_heads=8, num_key_value_heads=8)
    whole = HcomAllReduce(BatchMatMul(seen, weight), reduction="sum", group="all")
    made = AddRmsNorm(rest, whole, gamma)
    graph = builder.build_and_reset([made.y])
    graph.verify()
    assert made.y.value.type == ir.TensorType((2, 16, 32), ir.f16)
    assert graph.infer_types().unknown == 0


def test_experts_that_processors_share() -> None:
    builder = GraphBuilder("expert_parallel")
    tokens = builder.create_input(0, shape=[4, 64])
    gate = builder.create_input(1, shape=[64, 8])
    finished = builder.create_input(2, shape=[4], data_type=DataType.DT_BOOL)
    experts = builder.create_input(3, shape=[8, 64, 64], data_type=DataType.DT_INT8)
    rows = builder.create_input(4, shape=[8], data_type=DataType.DT_INT64)
    quantised = DynamicQuant(tokens, dst_type=DataType.DT_INT8)
    gathered = HcomAllGather(quantised.y, rank_size=2, group="all", fusion=0)
    best = MoeGatingTopKSoftmax(MatMul(tokens, gate), finished, k=2)
    summed = GroupedMatmulFinalizeRouting(
        gathered, experts, pertoken_scale=quantised.scale, group_list=rows, output_bs=8
    )
    mine = HcomReduceScatter(summed, reduction="sum", group="all", rank_size=2)
    graph = builder.build_and_reset([Add(mine, tokens), best.expert_idx])
    graph.verify()
    assert gathered.value.type == ir.TensorType((8, 64), ir.i8)
    assert best.expert_idx.value.type == ir.TensorType((4, 2), ir.i32)
    assert graph.outputs[0].type == ir.TensorType((4, 64), ir.f32)
    assert graph.infer_types().unknown == 0
