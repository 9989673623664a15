"""Result types of CANN's own operators follow from operands and attributes.

One row for each family: operands (a type, or numbers for a constant), attributes, and the result types. Expected
types are derived by hand from the operators' documents. That no operator lacks an inference function is tested in C++
(test/Unit/infer_test.cpp).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ge.ir as ir
import ge.ops as ops


def kind(text: str) -> ir.Type:
    """Parse a type such as ``"f32 2 N ?"``; ``"f32 *"`` has no rank."""
    dtype, *dims = text.split()
    if dims == ["*"]:
        return ir.TensorType(None, ir.DType(dtype))
    shape = [int(d) if d.isdigit() else None if d == "?" else d for d in dims]
    return ir.TensorType(shape, ir.DType(dtype))


def show(type: ir.Type) -> str:
    if not isinstance(type, ir.TensorType):
        return str(type)
    if type.shape is None:
        return f"{type.dtype.name} *"
    return " ".join([type.dtype.name, *("?" if d is None else str(d) for d in type.shape)])


def infer(
    op: str, operands: list[Any], attributes: dict[str, Any], results: int
) -> tuple[ir.Graph, ir.Node, ir.InferredTypes]:
    graph = ir.Graph("g")
    values: list[Any] = []
    for operand in operands:
        if operand is None:
            values.append(None)
        elif isinstance(operand, str):
            values.append(graph.add_input(f"x{len(values)}", kind(operand)))
        else:
            tensor = ir.Tensor(np.asarray(operand, dtype=np.int32))
            constant = graph.add_node("ge.Const", (), {"value": tensor}, result_types=[tensor.type])
            values.append(constant.result)
    node = graph.add_node(op, values, attributes, result_types=[ir.UnknownType()] * results)
    graph.outputs = list(node.results)
    return graph, node, graph.infer_types()


def ints(*values: int) -> ir.ArrayAttr:
    return ir.ArrayAttr(list(values), ir.i64)


IMAGE = "f32 2 8 8 3"
CHANNELS_FIRST = "f32 2 3 8 8"
ROWS: list[tuple[str, list[Any], dict[str, Any], str]] = [
    # Elementwise
    ("math.AxpyV2", ["f32 N 4", "f32 4", "f32"], {}, "f32 N 4"),
    ("math.Addcdiv", ["f32 1 4", "f32 2 1", "f32 2 4", "f32"], {}, "f32 2 4"),
    ("math.Lerp", ["f16 2 4", "f16 4", "f16 1"], {}, "f16 2 4"),
    ("math.Cross", ["f32 5 3", "f32 5 3"], {}, "f32 5 3"),
    ("math.Einsum", ["f32 2 3", "f32 3 N"], {"equation": "ij,jk->ik", "N": 2}, "f32 2 N"),
    # Diagonals
    ("math.Diag", ["f32 2 3"], {}, "f32 2 3 2 3"),
    ("math.DiagPart", ["f32 2 N 2 3"], {}, "f32 2 3"),
    ("math.MatrixDiag", ["f32 B 4"], {}, "f32 B 4 4"),
    ("math.MatrixDiagPart", ["f32 B 4 6"], {}, "f32 B 4"),
    ("math.MatrixSetDiag", ["f32 B 4 6", "f32 B 4"], {}, "f32 B 4 6"),
    # Shapes from attributes
    ("math.Eye", [], {"num_rows": 3, "batch_shape": ints(5), "dtype": 1}, "f16 5 3 3"),
    ("math.Eye", [], {"num_rows": 3, "num_columns": 4}, "f32 3 4"),
    ("math.FillD", ["f32"], {"dims": ints(2, 3)}, "f32 2 3"),
    ("math.FileConstant", [], {"shape": ints(2, 3), "dtype": ir.i8}, "i8 2 3"),
    ("math.LinSpace", ["f32", "f32", [9]], {}, "f32 9"),
    ("math.LinSpace", ["f32", "f32", "i32"], {}, "f32 ?"),
    ("math.RandomUniformInt", [[2, 3], "i64", "i64"], {}, "i64 2 3"),
    ("math.DropOutGenMask", [[10, 20], "f32"], {}, "u8 32"),
    ("math.Variable", [], {"value": ir.Tensor(np.zeros((2, 3), np.float32))}, "f32 2 3"),
    # Reductions, sorting, sets
    ("math.ReduceStd", [IMAGE], {"dim": ints(1), "keepdim": True}, "f32 2 1 8 3; f32 2 1 8 3"),
    ("math.ReduceStd", [IMAGE], {}, "f32; f32"),
    ("math.LpNorm", ["f32 N 4"], {"axes": ints(-1)}, "f32 N"),
    ("math.SegmentSum", ["f32 4 7", [0, 0, 1, 2]], {}, "f32 3 7"),
    ("math.SegmentMax", ["f32 4 7", "i32 4"], {}, "f32 ? 7"),
    ("math.UnsortedSegmentSum", ["f32 4 5 7", "i32 4 5", [3]], {}, "f32 3 7"),
    ("math.Sort", ["f32 N 4"], {"y2_dtype": 9}, "f32 N 4; i64 N 4"),
    ("math.Sort", ["f32 N 4"], {}, "f32 N 4; i32 N 4"),
    ("math.InTopK", ["f32 N 10", "i32 N", "i32"], {}, "bool N"),
    ("math.Unique", ["f32 9"], {"out_idx": ir.i64}, "f32 ?; i64 9"),
    ("math.UniqueWithCounts", ["f32 9"], {"out_idx": ir.i32}, "f32 ?; i32 9; i32 ?"),
    ("math.NonZero", [IMAGE], {}, "i64 ? 4"),
    ("math.NonZero", [IMAGE], {"transpose": True, "dtype": ir.i32}, "i32 4 ?"),
    ("math.MaskedSelect", ["f32 2 3", "bool 2 3"], {}, "f32 ?"),
    # Shapes as tensors; the default element type is a number of CANN
    ("math.Shape", [IMAGE], {}, "i32 4"),
    ("math.ShapeN", [IMAGE, "f32 2"], {"dtype": 9}, "i64 4; i64 1"),
    ("math.BroadcastArgs", [[2, 1, 4], [3, 1]], {}, "i32 3"),
    ("math.BroadcastGradientArgs", [[2, 1, 4], [3, 1]], {}, "i32 1; i32 2"),
    ("math.BroadcastGradientArgs", ["i32 3", "i32 2"], {}, "i32 ?; i32 ?"),
    ("math.ConcatOffset", [[1], [2, 3], [2, 5]], {"N": 2}, "i32 2; i32 2"),
    # Layout
    ("math.FlattenV2", ["f32 2 3 4 5"], {"axis": 1, "end_axis": 2}, "f32 2 12 5"),
    ("math.TransData", [CHANNELS_FIRST], {"src_format": "NCHW", "dst_format": "NHWC"}, IMAGE),
    (
        "math.TransData",
        ["f16 2 20 8 8"],
        {"src_format": "NCHW", "dst_format": "NC1HWC0"},
        "f16 2 2 8 8 16",
    ),
    (
        "math.TransData",
        ["f16 B 30 20"],
        {"src_format": "ND", "dst_format": "FRACTAL_NZ"},
        "f16 B 2 2 16 16",
    ),
    (
        "math.ConfusionTransposeD",
        ["f32 2 12"],
        {"perm": ints(2, 0, 1), "shape": ints(2, 3, 4), "transpose_first": False},
        "f32 4 2 3",
    ),
    (
        "math.ConfusionTransposeD",
        ["f32 2 3 4"],
        {"perm": ints(2, 0, 1), "shape": ints(4, -1), "transpose_first": True},
        "f32 4 6",
    ),
    ("math.TileD", ["f32 2 N"], {"multiples": ints(3, 1)}, "f32 6 N"),
    ("math.BroadcastToD", ["f32 3 1"], {"shape": ints(2, 3, 4)}, "f32 2 3 4"),
    ("math.ExpandD", ["f32 3 1"], {"shape": ints(1, 4)}, "f32 3 4"),
    ("math.OneHotD", ["i32 5", "f32", "f32"], {"depth": 10}, "f32 5 10"),
    ("math.PadD", ["f32 2 3"], {"paddings": [[1, 1], [0, 2]]}, "f32 4 5"),
    (
        "math.PhonyConcat",
        ["f32 2 3"] * 4,
        {"concat_dim": ints(0, 1), "N": ints(2, 2)},
        "f32 4 6",
    ),
    ("math.Bitcast", ["f32 2 3"], {"type": ir.u8}, "u8 2 3 4"),
    ("math.Bitcast", ["u8 2 4"], {"type": ir.f32}, "f32 2"),
    ("math.Bitcast", ["f32 2 3"], {"type": ir.u8, "keep_dim": True}, "u8 2 12"),
    ("math.Bitcast", ["u8 2 8"], {"type": ir.f32, "keep_dim": True}, "f32 2 2"),
    # Blocks
    ("math.DepthToSpace", ["f32 N 2 3 12"], {"block_size": 2}, "f32 N 4 6 3"),
    (
        "math.SpaceToDepth",
        ["f32 N 3 4 6"],
        {"block_size": 2, "data_format": "NCHW"},
        "f32 N 12 2 3",
    ),
    ("math.BatchToSpaceND", ["f32 8 2 2 3", [2, 2], [[0, 1], [0, 0]]], {}, "f32 2 3 4 3"),
    ("math.SpaceToBatchND", ["f32 2 3 4 3", [2, 2], [[0, 1], [0, 0]]], {}, "f32 8 2 2 3"),
    ("math.BatchToSpace", ["f32 8 2 2 3", [[0, 0], [0, 0]]], {"block_size": 2}, "f32 2 4 4 3"),
    ("math.SpaceToBatch", ["f32 N 4 4 3", [[0, 0], [0, 0]]], {"block_size": 2}, "f32 ? 2 2 3"),
    # Slices
    ("math.StridedSlice", ["f32 8 N 3", [1, 0], [-1, 0], [2, 1]], {"end_mask": 2}, "f32 3 N 3"),
    ("math.StridedSlice", ["f32 8 9 3", [0, 0], [0, 1], [1, 1]], {"ellipsis_mask": 1}, "f32 8 9 1"),
    (
        "math.StridedSlice",
        ["f32 8 9", [0, 2], [0, 3], [1, 1]],
        {"new_axis_mask": 1, "shrink_axis_mask": 2},
        "f32 1 9",
    ),
    ("math.StridedSlice", ["f32 8 9", "i32 2", "i32 2", [1, 1]], {"shrink_axis_mask": 1}, "f32 ?"),
    ("math.StridedSlice", ["f32 8", [7], [0], [-3]], {"end_mask": 1}, "f32 3"),
    (
        "math.StridedSliceD",
        ["f32 8 9"],
        {"begin": ints(1, 1), "end": ints(5, 9), "strides": ints(1, 4)},
        "f32 4 2",
    ),
    ("math.StridedSliceV2", ["f32 8 9", [1], [4], [1]], {}, "f32 8 3"),
    ("math.StridedSliceV2", ["f32 8 9", [1], [4]], {}, "f32 3 9"),
    ("math.StridedSliceV2", ["f32 8 9", [0], [8], [1], [3]], {}, "f32 8 3"),
    ("math.StridedSliceGrad", [[8, 9], [1], [4], [1], "f16 3 9"], {}, "f16 8 9"),
    ("nn.Index", ["f32 5 6 7", [0, 1, 1], [0, 0, 0], "i64 4 1", "i64 3"], {}, "f32 5 4 3"),
    ("nn.Index", ["f32 5 6 7", [1, 0, 1], [0, 0, 0], "i64 4", "i64 4"], {}, "f32 4 6"),
    # Control
    ("math.Switch", ["f32 N 4", "bool"], {}, "f32 N 4; f32 N 4"),
    ("math.Merge", ["f32 2 4", "f32 3 4"], {}, "f32 ? 4; i32"),
    # Products and convolutions; 8-bit integers are summed in i32
    ("nn.FullyConnection", ["f32 2 3 4", "f32 5 12"], {"num_output": 5}, "f32 2 5"),
    ("math.MatMul", ["i8 2 3", "i8 3 4"], {}, "i32 2 4"),
    (
        "nn.DepthwiseConv2D",
        [IMAGE, "f32 3 3 3 2"],
        {"strides": ints(1, 2, 2, 1), "pads": ints(1, 1, 1, 1)},
        "f32 2 4 4 6",
    ),
    ("nn.Deconvolution", [CHANNELS_FIRST, "f32 3 5 2 2"], {"strides": ints(2, 2)}, "f32 2 5 16 16"),
    (
        "nn.Conv2DTranspose",
        [[2, 16, 16, 5], IMAGE, "f32 3 5 2 2"],
        {"strides": ints(1, 2, 2, 1), "pads": ints(0, 0, 0, 0)},
        "f32 2 16 16 5",
    ),
    (
        "nn.Conv2DBackpropInput",
        [[2, 9, 9, 3], "f32 4 3 3 3", "f32 2 7 7 4"],
        {"strides": ints(1, 1, 1, 1), "pads": ints(0, 0, 0, 0)},
        "f32 2 9 9 3",
    ),
    (
        "nn.Conv2DBackpropFilter",
        ["f16 2 9 9 3", [4, 3, 3, 3], "f16 2 7 7 4"],
        {"strides": ints(1, 1, 1, 1), "pads": ints(0, 0, 0, 0)},
        "f32 4 3 3 3",
    ),
    # Pools
    (
        "nn.Pooling",
        ["f32 1 3 7 7"],
        {"window": ints(2, 2), "stride": ints(2, 2)},
        "f32 1 3 4 4",
    ),
    (
        "nn.AvgPool1D",
        ["f32 1 3 1 8"],
        {"ksize": 2, "strides": 2, "pads": ints(0, 0)},
        "f32 1 3 1 4",
    ),
    (
        "nn.MaxPoolV2",
        [IMAGE, [1, 2, 2, 1], [1, 2, 2, 1]],
        {"padding": "VALID"},
        "f32 2 4 4 3",
    ),
    ("nn.MaxPoolV2", [IMAGE, "i32 4", [1, 2, 2, 1]], {"padding": "VALID"}, "f32 2 ? ? 3"),
    (
        "nn.MaxPoolWithArgmax",
        [IMAGE],
        {"ksize": ints(1, 2, 2, 1), "strides": ints(1, 2, 2, 1), "padding": "SAME"},
        "f32 2 4 4 3; u16 2 4 4 3",
    ),
    (
        "nn.MaxPoolWithArgmaxV2",
        [CHANNELS_FIRST],
        {"ksize": ints(1, 1, 2, 2), "strides": ints(1, 1, 2, 2), "pads": ints(0, 0, 0, 0)},
        "f32 2 3 4 4; i32 2 3 4 4",
    ),
    (
        "nn.AvgPoolGrad",
        [[2, 8, 8, 3], "f32 2 4 4 3"],
        {"ksize": ints(1, 2, 2, 1), "strides": ints(1, 2, 2, 1), "padding": "SAME"},
        IMAGE,
    ),
    (
        "nn.Dilation2D",
        [IMAGE, "f32 3 3 3"],
        {"strides": ints(1, 1, 1, 1), "rates": ints(1, 2, 2, 1), "padding_mode": "VALID"},
        "f32 2 4 4 3",
    ),
    # Normalisations
    (
        "nn.BatchNormGrad",
        [IMAGE, IMAGE, "f32 3", "f32 3", "f32 3"],
        {},
        f"{IMAGE}; f32 3; f32 3; f32 3; f32 3",
    ),
    ("nn.LayerNormV4", ["f32 N 5 7", "i32 2"], {}, "f32 N 5 7; f32 N 1 1; f32 N 1 1"),
    (
        "nn.AddLayerNorm",
        ["f16 N 5 7", "f16 N 5 7", "f16 7", "f16 7"],
        {},
        "f16 N 5 7; f32 N 5 1; f32 N 5 1; f16 N 5 7",
    ),
    ("nn.AddRmsNorm", ["f16 N 7", "f16 N 7", "f16 7"], {}, "f16 N 7; f32 N 1; f16 N 7"),
    (
        "nn.LayerNormGrad",
        ["f32 N 7", "f32 N 7", "f32 N 1", "f32 N 1", "f32 7"],
        {},
        "f32 N 7; f32 7; f32 7",
    ),
    ("nn.GroupNorm", [IMAGE, "f32 3", "f32 3"], {"num_groups": 3}, f"{IMAGE}; f32 *; f32 *"),
    (
        "nn.InstanceNorm",
        [CHANNELS_FIRST, "f32 3", "f32 3"],
        {"data_format": "NCHW"},
        f"{CHANNELS_FIRST}; f32 2 3 1 1; f32 2 3 1 1",
    ),
    # Activations and losses
    ("nn.ReluV2", ["f32 N 4"], {}, "f32 N 4; u8 *"),
    ("nn.SwiGlu", ["f32 N 8"], {}, "f32 N 4"),
    ("nn.PReluGrad", ["f32 N 8", "f32 N 8", "f32 8"], {}, "f32 N 8; f32 8"),
    ("nn.SoftmaxCrossEntropyWithLogits", ["f32 N 8", "f32 N 8"], {}, "f32 N; f32 N 8"),
    ("nn.SparseSoftmaxCrossEntropyWithLogits", ["f32 N 8", "i32 N"], {}, "f32 N; f32 N 8"),
    ("nn.MseLoss", ["f32 N 8", "f32 N 8"], {}, "f32"),
    ("nn.MseLoss", ["f32 N 8", "f32 N 8"], {"reduction": "none"}, "f32 N 8"),
    ("nn.NLLLoss", ["f32 N 8", "i32 N"], {"reduction": "none"}, "f32 N; f32"),
    # Collectives
    ("nn.HcomAllReduce", ["f16 N 8"], {"reduction": "sum", "group": "g"}, "f16 N 8"),
    ("nn.HcomAllGather", ["f16 4 8"], {"rank_size": 2, "group": "g"}, "f16 8 8"),
    ("nn.HcomAllGather", ["f16 N 8"], {"rank_size": 2, "group": "g"}, "f16 ? 8"),
    (
        "nn.HcomReduceScatter",
        ["f16 4 8"],
        {"reduction": "sum", "group": "g", "rank_size": 2},
        "f16 2 8",
    ),
    ("nn.HcomBroadcast", ["f16 4", "i8 2"], {"root_rank": 0, "group": "g"}, "f16 4; i8 2"),
    (
        "nn.HcomReceive",
        [],
        {"group": "g", "sr_tag": 1, "src_rank": 0, "shape": ints(2, -1), "dtype": ir.i8},
        "i8 2 ?",
    ),
    # Attention, experts, quantisation, Resize
    (
        "nn.PromptFlashAttention",
        ["f16 2 8 16", "f16 2 9 16", "f16 2 9 16"],
        {"num_heads": 4},
        "f16 2 8 16",
    ),
    (
        "nn.PromptFlashAttention",
        ["bf16 2 4 8 4", "bf16 2 4 9 4", "bf16 2 4 9 4"],
        {"num_heads": 4, "input_layout": "BNSD_BSND"},
        "bf16 *",
    ),
    ("nn.MoeGatingTopKSoftmax", ["f32 N 8"], {"k": 2}, "f32 N 2; i32 N 2; i32 N 2"),
    ("nn.GroupedMatmulFinalizeRouting", ["i8 6 4", "i8 3 4 5"], {"output_bs": 2}, "f32 2 5"),
    ("nn.GroupedMatmulFinalizeRouting", ["i8 6 4", "i8 3 5 4"], {"transpose_w": True}, "f32 ? 5"),
    ("nn.AscendQuant", ["f16 N 8"], {"scale": 1.0, "offset": 0.0}, "i8 N 8"),
    ("nn.AscendDequant", ["i32 N 8", "u64 8"], {"dtype": 1}, "f16 N 8"),
    ("nn.AscendRequantS16", ["i16 N 8", "u64 8"], {}, "i8 N 8; i16 N 8"),
    ("nn.Quantize", ["f32 N 8", "f32 8"], {"dtype": "torch.quint8"}, "u8 N 8"),
    ("nn.DynamicQuant", ["f16 N 8"], {}, "i8 N 8; f32 N"),
    ("nn.QuantBatchMatmulV3", ["i8 2 3", "i8 3 4", "f32 4"], {"dtype": 1}, "f16 2 4"),
    ("nn.TransQuantParamV2", ["f32 4"], {}, "u64 4"),
    ("nn.Resize", [CHANNELS_FIRST, None, None, [2, 3, 4, 16]], {}, "f32 2 3 4 16"),
]


@pytest.mark.parametrize(
    ("op", "operands", "attributes", "expected"),
    ROWS,
    ids=[f"{row[0]}-{i}" for i, row in enumerate(ROWS)],
)
def test_results(op: str, operands: list[Any], attributes: dict[str, Any], expected: str) -> None:
    _, node, inferred = infer(op, operands, attributes, expected.count(";") + 1)
    assert "; ".join(show(result.type) for result in node.results) == expected
    assert not inferred.diagnostics


WRONG = [
    ("math.DiagPart", ["f32 2 3 4"], {}, "even number of dimensions"),
    ("math.DiagPart", ["f32 2 3"], {}, "first half of its dimensions differs"),
    ("math.DepthToSpace", ["f32 1 2 2 6"], {"block_size": 2}, "not a multiple of 4"),
    ("math.DepthToSpace", ["f32 1 2 2 4"], {"block_size": 0}, "at least 1"),
    ("math.BatchToSpace", ["f32 4 1 1 3", [[2, 1], [0, 0]]], {"block_size": 2}, "more than the 2"),
    ("math.StridedSlice", ["f32 8", [0], [8], [0]], {}, "stride 0 is 0"),
    ("math.StridedSlice", ["f32 8", [0, 0], [8, 8], [1, 1]], {}, "entries for 2"),
    ("math.StridedSlice", ["f32 8", [9], [10], [1]], {"shrink_axis_mask": 1}, "9 is none of them"),
    ("math.PhonyConcat", ["f32 2"] * 3, {"concat_dim": ints(0), "N": ints(2)}, "is for 2"),
    ("math.PadD", ["f32 2"], {"paddings": [[1, 1], [2, 2]]}, "2 are needed"),
    ("math.Bitcast", ["u8 2 3"], {"type": ir.f32}, "last dimension of 4"),
    ("nn.HcomAllGather", ["f16 4"], {"rank_size": 0, "group": "g"}, "at least 1"),
    (
        "nn.HcomReduceScatter",
        ["f16 5"],
        {"reduction": "sum", "group": "g", "rank_size": 2},
        "not a multiple of 2",
    ),
    ("nn.MoeGatingTopKSoftmax", ["f32 4 1"], {"k": 2}, "has 1 experts, but 'k' is 2"),
    ("math.Bitcast", ["u8 2 3"], {"type": ir.f32, "keep_dim": True}, "24 bits in the last"),
    ("math.BroadcastArgs", [[2], [3]], {}, "does not broadcast"),
    ("nn.SwiGlu", ["f32 3"], {}, "has no half"),
    ("nn.GroupNorm", ["f32 2 3", "f32 3", "f32 3"], {"num_groups": 0}, "at least 1"),
    ("nn.MseLoss", ["f32 2", "f32 2"], {"reduction": "average"}, "none, mean or sum"),
    ("nn.Quantize", ["f32 2", "f32 1"], {"dtype": "torch.int3"}, "torch.qint8"),
    ("nn.FullyConnection", ["f32 2 3", "f32 5 3"], {"num_output": 5, "axis": 3}, "1 or 2"),
    ("nn.AvgPool1D", ["f32 1 3 8"], {"ksize": 2, "strides": 0, "pads": ints(0, 0)}, "at least 1"),
]


@pytest.mark.parametrize(("op", "operands", "attributes", "message"), WRONG)
def test_errors_say_what_is_wrong(
    op: str, operands: list[Any], attributes: dict[str, Any], message: str
) -> None:
    results = 3 if op == "nn.GroupNorm" else 1
    _, node, inferred = infer(op, operands, attributes, results)
    (diagnostic,) = inferred.diagnostics
    assert message in diagnostic.message
    assert isinstance(node.results[0].type, ir.UnknownType)


def test_a_for_loop_widens_what_goes_round() -> None:
    module = ir.Module.parse(
        """
        func.func @main(%n: tensor<i32>, %x: tensor<2x3xf32>) -> !ge.unknown {
          %y = "math.For"(%n, %n, %n, %x) ({
          ^bb0(%i: !ge.unknown, %v: !ge.unknown):
            %longer = "math.ConcatV2D"(%v, %x) {concat_dim = 0 : i64, N = 2 : i64} : (!ge.unknown, tensor<2x3xf32>) -> !ge.unknown
            "ge.yield"(%longer) : (!ge.unknown) -> ()
          }) {ge.subgraphs = [{slot = "body"}]} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<2x3xf32>) -> !ge.unknown
          return %y : !ge.unknown
        }
        """
    )
    graph = module.graphs[0]
    inferred = graph.infer_types()
    assert not inferred.diagnostics
    body = graph.nodes[0].subgraphs[0]
    assert show(graph.outputs[0].type) == "f32 ? 3"
    assert [show(value.type) for value in body.inputs] == ["i32", "f32 ? 3"]


def test_shapes_computed_by_ge_operators_reach_reshape() -> None:
    """Shape, StridedSlice with shrink_axis_mask, Pack: how TensorFlow's models compute shapes."""
    graph = ir.Graph("g")
    x = graph.add_input("x", kind("f32 N 6 4"))
    unknown = [ir.UnknownType()]

    def constant(*numbers: int) -> ir.Value:
        tensor = ir.Tensor(np.asarray(numbers, np.int32))
        return graph.add_node("ge.Const", (), {"value": tensor}, result_types=[tensor.type]).result

    shape = graph.add_node("math.Shape", [x], result_types=unknown).result
    batch = graph.add_node(
        "math.StridedSlice",
        [shape, constant(0), constant(1), constant(1)],
        {"shrink_axis_mask": 1},
        result_types=unknown,
    ).result
    scalar = graph.add_node(
        "ge.Const",
        (),
        {"value": ir.Tensor(np.asarray(24, np.int32))},
        result_types=[ir.TensorType([], ir.i32)],
    ).result
    wanted = graph.add_node("math.Pack", [batch, scalar], {"N": 2}, result_types=unknown).result
    y = graph.add_node("math.Reshape", [x, wanted], result_types=unknown).result
    graph.outputs = [y]
    assert not graph.infer_types().diagnostics
    assert show(y.type) == "f32 N 24"


NAMESPACES = ("onnx", "onnx.ml", "onnx.preview", "onnx.preview.training", "math", "nn")
RECORDS = [ops.get(name) for ns in NAMESPACES for name in ops.list_ops(ns)]


def test_every_operator_has_inference() -> None:
    """Covers all shipped operators that have results; no foreign inferrer is called for them."""
    graph = ir.Graph("g")
    for record in RECORDS:
        if record.results:
            count = max(1, len(record.results))
            graph.add_node(f"{record.ns}.{record.name}", result_types=[ir.UnknownType()] * count)
    assert len(graph.nodes) > 550
    assert graph.infer_types().unknown_operators == {}
