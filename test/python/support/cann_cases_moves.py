"""Cases for the kernels that move elements, and for matrix products."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from cann_case import BF16, Array, Case, floats, i32, i64, ints, onnx, value
from cann_cases_indices import indices

__all__ = ["moves"]


def _matrix() -> Iterator[Case]:
    a, b, bias = floats(3, 4), floats(4, 5), floats(5)
    names = {"MatMul": "transpose_x{}", "MatMulV2": "transpose_x{}", "MatMulV3": "transpose_x{}"}
    names |= {"BatchMatMul": "adj_x{}", "BatchMatMulV2": "adj_x{}", "BatchMatMulV3": "adj_x{}"}
    for op, flag in names.items():
        for left, right in itertools.product((False, True), repeat=2):
            operands = [a.T if left else a, b.T if right else b]
            flags = {flag.format(1): left, flag.format(2): right}
            yield Case(op, operands, flags, onnx("MatMul", [a, b]))
            if op != "BatchMatMul":
                with_bias = onnx("Gemm", [a, b, bias])
                yield Case(op, [*operands, bias], flags, with_bias)
        batch, other = floats(2, 1, 3, 4), floats(3, 4, 2)
        if "Batch" in op:
            yield Case(op, [batch, other], {}, onnx("MatMul", [batch, other]))
    p, q = (
        ints(3, 4, low=-128, high=127, dtype=np.int8),
        ints(4, 2, low=-128, high=127, dtype=np.int8),
    )
    yield Case("MatMulV2", [p, q], {}, onnx("MatMulInteger", [p, q]))
    none = floats(0, 4)
    yield Case("MatMul", [none, b], {}, value(np.zeros((0, 5), np.float32)))
    c, two, half = floats(3, 5), np.array([2], np.float32), np.array([0.5], np.float32)
    for left, right in itertools.product((False, True), repeat=2):
        operands = [a.T if left else a, b.T if right else b, c, two, half]
        yield Case(
            "GEMM",
            operands,
            {"transpose_a": left, "transpose_b": right},
            onnx("Gemm", [a, b, c], alpha=2.0, beta=0.5),
        )
    image, w = floats(2, 3, 2), floats(5, 6)
    yield Case(
        "FullyConnection",
        [image, w, bias],
        {"num_output": 5},
        onnx("Gemm", [image.reshape(2, 6), w, bias], transB=1),
    )
    yield Case(
        "FullyConnection",
        [image, w.T],
        {"num_output": 5, "transpose": True},
        onnx("Gemm", [image.reshape(2, 6), w], transB=1),
    )
    yield Case(
        "Einsum",
        [a, b],
        {"equation": "ij,jk->ki", "N": 2},
        onnx("Einsum", [a, b], equation="ij,jk->ki"),
    )
    x = floats(2, 3, 4)
    for k in (-1, 0, 2):
        yield Case("Tril", [x], {"diagonal": k}, onnx("Trilu", [x, i64(k).reshape(())], upper=0))
        yield Case("Triu", [x], {"diagonal": k}, onnx("Trilu", [x, i64(k).reshape(())], upper=1))

    def band() -> list[Array]:
        made = x.copy()
        for i, j in itertools.product(range(3), range(4)):
            if i - j > 1 or j - i > 0:
                made[:, i, j] = 0
        return [made]

    yield Case("MatrixBandPart", [x, i32(1).reshape(()), i32(0).reshape(())], {}, band)
    yield Case("MatrixBandPart", [x, i32(-1).reshape(()), i32(-1).reshape(())], {}, value(x))
    v = floats(3)
    diagonal = lambda: [
        np.array([[v[i] if i == j else 0 for j in range(3)] for i in range(3)], np.float32)
    ]  # noqa: E731
    yield Case("Diag", [v], {}, diagonal)
    yield Case("MatrixDiag", [v], {}, diagonal)
    yield Case("DiagPart", [floats(1, 1) * 0 + 3], {}, value(np.array([3], np.float32)))
    square = floats(3, 3)
    yield Case("DiagPart", [square], {}, lambda: [np.array([square[i, i] for i in range(3)])])
    yield Case("MatrixDiagPart", [x], {}, lambda: [np.stack([x[:, i, i] for i in range(3)], -1)])

    def replaced() -> list[Array]:
        made = x.copy()
        for n, i in itertools.product(range(2), range(3)):
            made[n, i, i] = x[n, 0, i] + 5
        return [made]

    yield Case("MatrixSetDiag", [x, x[:, 0, :3] + 5], {}, replaced)
    yield Case("Eye", [], {"num_rows": 2}, value(np.array([[1, 0], [0, 1]], np.float32)))
    yield Case(
        "Eye",
        [],
        {"num_rows": 2, "num_columns": 3, "batch_shape": [2], "dtype": 9},
        value(np.array([[[1, 0, 0], [0, 1, 0]]] * 2)),
    )


def _shape() -> Iterator[Case]:
    x = floats(2, 3, 4)
    for other in (x, floats(), floats(0, 3)):
        yield Case("Shape", [other], {"dtype": 9}, onnx("Shape", [other]))
        yield Case("Size", [other], {"dtype": 9}, onnx("Size", [other]))
        yield Case("Rank", [other], {}, value(np.int32(other.ndim)))
    yield Case("ShapeN", [x, x[0]], {}, value(i32(2, 3, 4), i32(3, 4)))
    for shape in ([4, 6], [-1], [0, -1], [2, 0, 2, 2], [1, 24]):
        yield Case("Reshape", [x, i64(*shape)], {}, onnx("Reshape", [x, i64(*shape)]))
    yield Case("Reshape", [x, i64(12)], {"axis": 1}, lambda: [x.reshape(2, 12)])
    yield Case(
        "Reshape",
        [x, i64(6)],
        {"axis": 0, "num_axes": 2},
        lambda: [x.reshape(6, 4)],
        inferred=False,
    )
    one = floats(1, 3, 1)
    for op in ("Squeeze", "SqueezeV2"):
        yield Case(op, [one], {}, onnx("Squeeze", [one]))
        yield Case(op, [one], {"axis": [-1]}, onnx("Squeeze", [one, i64(-1)]))
    yield Case("SqueezeV3", [one, i64(0)], {}, onnx("Squeeze", [one, i64(0)]))
    yield Case("SqueezeV3", [one], {}, onnx("Squeeze", [one]))
    expected = onnx("Unsqueeze", [x, i64(0, -1)])
    yield Case("Unsqueeze", [x], {"axes": [0, -1]}, expected)
    yield Case("UnsqueezeV2", [x], {"axis": [0, -1]}, expected)
    yield Case("UnsqueezeV3", [x, i64(0, -1)], {}, expected)
    yield Case("ExpandDims", [x, i32(-2).reshape(())], {}, onnx("Unsqueeze", [x, i64(-2)]))
    for axis in (0, 1, 2, 3, -1):
        yield Case("Flatten", [x], {"axis": axis}, onnx("Flatten", [x], axis=axis))
    yield Case(
        "FlattenV2",
        [floats(2, 3, 4, 5) * 0],
        {"axis": 1, "end_axis": 2},
        value(np.zeros((2, 12, 5), np.float32)),
    )
    yield Case(
        "FlattenV2", [np.float32(3).reshape(())], {"axis": 0}, value(np.array([3], np.float32))
    )
    perm = [2, 0, 1]
    expected = onnx("Transpose", [x], perm=perm)
    yield Case("Transpose", [x, i32(*perm)], {}, expected)
    yield Case("TransposeD", [x], {"perm": perm}, expected)
    yield Case("Permute", [x], {"order": perm}, expected)
    yield Case(
        "ConfusionTransposeD",
        [x],
        {"perm": perm, "shape": [4, 6], "transpose_first": True},
        lambda: [np.moveaxis(x, 2, 0).reshape(4, 6)],
    )
    yield Case(
        "ConfusionTransposeD",
        [x],
        {"perm": [1, 0], "shape": [4, 6], "transpose_first": False},
        lambda: [x.reshape(4, 6).T],
    )
    expected = onnx("Tile", [x, i64(1, 2, 3)])
    yield Case("Tile", [x, i64(1, 2, 3)], {}, expected)
    yield Case("TileD", [x], {"multiples": [1, 2, 3]}, expected)
    y = floats(3, 1)
    for op in ("BroadcastTo", "Expand"):
        expected = onnx("Expand", [y, i64(2, 1, 4)] if op == "Expand" else [y, i64(2, 3, 4)])
        target = [2, 1, 4] if op == "Expand" else [2, 3, 4]
        yield Case(op, [y, i64(*target)], {}, expected)
        yield Case(f"{op}D", [y], {"shape": target}, expected)
    yield Case("BroadcastArgs", [i32(2, 1, 4), i32(3, 1)], {}, value(i32(2, 3, 4)))
    yield Case("BroadcastGradientArgs", [i32(2, 1, 4), i32(3, 1)], {}, value(i32(1), i32(0, 2)))
    yield Case("ReverseV2", [x, i32(0, -1)], {}, lambda: [x[::-1, :, ::-1]])
    yield Case("ReverseV2D", [x], {"axis": [1]}, lambda: [x[:, ::-1]])
    lengths = i64(1, 3)
    yield Case(
        "ReverseSequence",
        [x, lengths],
        {"seq_dim": 1},
        onnx("ReverseSequence", [x, lengths], batch_axis=0, time_axis=1),
    )
    t = x.transpose(1, 0, 2).copy()
    yield Case(
        "ReverseSequence",
        [t, lengths],
        {"seq_dim": 0, "batch_dim": 1},
        onnx("ReverseSequence", [t, lengths], batch_axis=1, time_axis=0),
    )

    def rolled() -> list[Array]:
        made = np.empty_like(x)
        for i, j, k in np.ndindex(2, 3, 4):
            made[(i + 1) % 2, j, (k - 1) % 4] = x[i, j, k]
        return [made]

    yield Case("Roll", [x], {"shifts": [1, -1], "dims": [0, -1]}, rolled)
    yield Case(
        "Roll",
        [x[0]],
        {"shifts": [2]},
        lambda: [np.concatenate([x[0].reshape(-1)[-2:], x[0].reshape(-1)[:-2]]).reshape(3, 4)],
    )
    data = np.array([1.9, -1.9, 0, 3e4], np.float32)
    for number, name in ((3, 6), (9, 7), (11, 11), (1, 10), (12, 9)):
        yield Case("Cast", [data], {"dst_type": number}, onnx("Cast", [data], to=name))
    yield Case("Cast", [data], {"dst_type": 27}, value(data.astype(BF16)))
    yield Case(
        "Cast", [data.astype(BF16)], {"dst_type": 0}, value(data.astype(BF16).astype(np.float32))
    )
    raw = np.array([0x3F800000, 0x40000000], np.int32)
    import ge.ir as ir

    f32, u8, i64_type = ir.DType("f32"), ir.DType("u8"), ir.DType("i64")
    yield Case("Bitcast", [raw], {"type": f32}, value(np.array([1, 2], np.float32)))
    yield Case(
        "Bitcast", [raw], {"type": u8}, value(np.array([[0, 0, 128, 63], [0, 0, 0, 64]], np.uint8))
    )
    yield Case(
        "Bitcast", [raw], {"type": i64_type}, value(np.int64((0x40000000 << 32) | 0x3F800000))
    )


def _blocks() -> Iterator[Case]:
    x = floats(2, 8, 3, 4)
    for mode in ("DCR", "CRD"):
        flags = {"block_size": 2, "mode": mode}
        made = onnx("DepthToSpace", [x], blocksize=2, mode=mode)
        yield Case("DepthToSpace", [x], {**flags, "data_format": "NCHW"}, made)
        yield Case(
            "DepthToSpace",
            [np.moveaxis(x, 1, -1)],
            flags,
            lambda made=made: [np.moveaxis(made()[0], 1, -1)],
        )
    y = floats(2, 3, 4, 6)
    made = onnx("SpaceToDepth", [y], blocksize=2)
    yield Case("SpaceToDepth", [y], {"block_size": 2, "data_format": "NCHW"}, made)
    yield Case(
        "SpaceToDepth",
        [np.moveaxis(y, 1, -1)],
        {"block_size": 2},
        lambda: [np.moveaxis(made()[0], 1, -1)],
    )

    def to_batch(image: Array, blocks: list[int], pads: list[list[int]]) -> list[Array]:
        image = np.pad(image, [(0, 0), *pads, (0, 0)])
        rows = [
            image[:, i :: blocks[0], j :: blocks[1]]
            for i in range(blocks[0])
            for j in range(blocks[1])
        ]
        return [np.concatenate(rows)]

    image = floats(2, 4, 5, 3)
    pads = np.array([[1, 1], [0, 1]], np.int32)
    batch = to_batch(image, [2, 3], [[1, 1], [0, 1]])[0]
    yield Case("SpaceToBatchND", [image, i32(2, 3), pads], {}, value(batch))
    yield Case("BatchToSpaceND", [batch, i32(2, 3), pads], {}, value(image))
    even = np.array([[0, 0], [0, 1]], np.int32)
    square = to_batch(image, [2, 2], even.tolist())[0]
    yield Case("SpaceToBatch", [image, even], {"block_size": 2}, value(square))
    yield Case("BatchToSpace", [square, even], {"block_size": 2}, value(image))
    yield Case(
        "TransData",
        [y],
        {"src_format": "NCHW", "dst_format": "NHWC"},
        lambda: [np.moveaxis(y, 1, -1)],
    )
    half = floats(2, 20, 3, 2, dtype=np.float16)

    def five() -> list[Array]:
        made = np.zeros((2, 2, 3, 2, 16), np.float16)
        for n, c, h, w in np.ndindex(*half.shape):
            made[n, c // 16, h, w, c % 16] = half[n, c, h, w]
        return [made]

    yield Case("TransData", [half], {"src_format": "NCHW", "dst_format": "NC1HWC0"}, five)

    def fractal_z() -> list[Array]:
        made = np.zeros((2 * 3 * 2, 1, 16, 16), np.float16)
        for n, c, h, w in np.ndindex(*half.shape):
            made[(c // 16 * 3 + h) * 2 + w, n // 16, n % 16, c % 16] = half[n, c, h, w]
        return [made]

    yield Case("TransData", [half], {"src_format": "NCHW", "dst_format": "FRACTAL_Z"}, fractal_z)
    rows = floats(17, 33, dtype=np.float16)

    def fractal_nz() -> list[Array]:
        made = np.zeros((3, 2, 16, 16), np.float16)
        for m, n in np.ndindex(17, 33):
            made[n // 16, m // 16, m % 16, n % 16] = rows[m, n]
        return [made]

    yield Case("TransData", [rows], {"src_format": "ND", "dst_format": "FRACTAL_NZ"}, fractal_nz)


def _joins() -> Iterator[Case]:
    a, b = floats(2, 3), floats(2, 2)
    for axis in (1, -1):
        at, expected = i32(axis).reshape(()), onnx("Concat", [a, b], axis=axis)
        yield Case("Concat", [at, a, b], {"N": 2}, expected)
        yield Case("ConcatV2", [a, b, at], {"N": 2}, expected)
        yield Case("ConcatD", [a, b], {"concat_dim": axis, "N": 2}, expected)
        yield Case("ConcatV2D", [a, b], {"concat_dim": axis, "N": 2}, expected)
    yield Case(
        "ConcatOffset",
        [i32(1).reshape(()), i32(2, 3), i32(2, 2)],
        {"N": 2},
        value(i32(0, 0), i32(0, 3)),
    )
    grid = [floats(1, 2) for _ in range(4)]
    yield Case(
        "PhonyConcat",
        grid,
        {"concat_dim": [0, 1], "N": [2, 2]},
        lambda: [np.block([[grid[0], grid[1]], [grid[2], grid[3]]])],
    )
    x = floats(4, 6)
    zero = i32(1).reshape(())
    parts = onnx("Split", [x], count=3, axis=1, num_outputs=3, opset=18)
    yield Case("Split", [zero, x], {"num_split": 3}, parts)
    yield Case("SplitD", [x], {"split_dim": -1, "num_split": 3}, parts)
    uneven = onnx("Split", [x, i64(1, 3, 2)], count=3, axis=1)
    yield Case("SplitV", [x, i64(1, -1, 2), zero], {"num_split": 3}, uneven)
    yield Case("SplitVD", [x], {"size_splits": [1, 3, 2], "split_dim": 1, "num_split": 3}, uneven)
    yield Case(
        "Pack",
        [a, a + 1],
        {"N": 2, "axis": -1},
        lambda: [np.array([[[v, v + 1] for v in r] for r in a], np.float32)],
    )
    yield Case("Unpack", [a], {"num": 3, "axis": 1}, lambda: [a[:, i] for i in range(3)])


def _slices() -> Iterator[Case]:
    x = floats(4, 5, 6)
    cut = onnx("Slice", [x, i64(1, 0, 2), i64(3, 5, 6)])
    yield Case("Slice", [x, i32(1, 0, 2), i32(2, 5, -1)], {}, cut)
    yield Case("SliceD", [x], {"offsets": [1, 0, 2], "size": [2, 5, -1]}, cut)
    begin, end, strides = [3, 1, -1], [0, 4, -7], [-2, 1, -2]
    stepped = onnx("Slice", [x, i64(*begin), i64(*end), i64(0, 1, 2), i64(*strides)])
    yield Case("StridedSlice", [x, i32(*begin), i32(*end), i32(*strides)], {}, stepped)
    yield Case("StridedSliceD", [x], {"begin": begin, "end": end, "strides": strides}, stepped)
    yield Case(
        "StridedSliceV2", [x, i32(*begin), i32(*end), i32(0, 1, 2), i32(*strides)], {}, stepped
    )
    two = onnx("Slice", [x, i64(1, -3), i64(4, 9), i64(2, 0), i64(2, 1)])
    yield Case("StridedSliceV2", [x, i32(1, -3), i32(4, 9), i32(2, 0), i32(2, 1)], {}, two)
    rows = i32(1, 1, 1)
    masks: list[tuple[dict[str, int], Any]] = [
        ({"begin_mask": 5, "end_mask": 2}, lambda: [x[:2, 1:, :2]]),
        ({"shrink_axis_mask": 2}, lambda: [x[1:2, 1, 1:2]]),
        ({"new_axis_mask": 1}, lambda: [x[None, 1:2, 1:2]]),
        ({"ellipsis_mask": 1}, lambda: [x[..., 1:2, 1:2]]),
        ({"ellipsis_mask": 2, "shrink_axis_mask": 5}, lambda: [x[1, ..., 1]]),
        ({"new_axis_mask": 2, "shrink_axis_mask": 1, "end_mask": 4}, lambda: [x[1, None, 1:]]),
    ]
    for attributes, expected in masks:
        yield Case("StridedSlice", [x, rows, rows + 1, rows], attributes, expected)
        fitting = {"begin": [1] * 3, "end": [2] * 3, "strides": [1] * 3}
        if attributes.get("begin_mask"):
            continue
        yield Case("StridedSliceD", [x], {**fitting, **attributes}, expected)
    dy = floats(2, 3)

    def gradient() -> list[Array]:
        made = np.zeros((4, 5), np.float32)
        made[1:3, 0:5:2] = dy
        return [made]

    yield Case("StridedSliceGrad", [i32(4, 5), i32(1, 0), i32(3, 5), i32(1, 2), dy], {}, gradient)
    y = floats(2, 3)
    pads = np.array([[1, 0], [2, 1]], np.int32)
    flat = i64(1, 2, 0, 1)
    zeros = onnx("Pad", [y, flat])
    yield Case("Pad", [y, pads], {}, zeros)
    yield Case("PadD", [y], {"paddings": pads.tolist()}, zeros)
    seven = np.float32(7).reshape(())
    yield Case("PadV2", [y, pads, seven], {}, onnx("Pad", [y, flat, seven]))
    yield Case("PadV3", [y, pads, seven], {}, onnx("Pad", [y, flat, seven]))
    yield Case("PadV3", [y, flat], {"paddings_contiguous": False}, zeros, inferred=False)
    for mode in ("reflect", "edge"):
        yield Case(
            "PadV3",
            [y, np.array([[1, 0], [2, 1]], np.int32)],
            {"mode": mode},
            onnx("Pad", [y, flat], mode=mode),
        )
    mirror = np.array([[1, 0], [2, 1]], np.int32)
    yield Case(
        "MirrorPad", [y, mirror], {"mode": "REFLECT"}, onnx("Pad", [y, flat], mode="reflect")
    )
    yield Case(
        "MirrorPad",
        [y, mirror],
        {"mode": "SYMMETRIC"},
        lambda: [y[[0, 0, 1]][:, [1, 0, 0, 1, 2, 2]]],
    )


def moves() -> Iterator[Case]:
    for family in (_matrix, _shape, _blocks, _joins, _slices, indices):
        yield from family()
