"""Cases for the kernels that create, select or sort elements."""

from collections.abc import Iterator

import numpy as np
from cann_case import Array, Case, each, floats, i32, i64, ints, onnx, value

__all__ = ["indices"]


def _sorts() -> Iterator[Case]:
    x = np.array([[3, 1, 2, 3], [0, 0, 5, -1]], np.float32)
    yield Case("Sort", [x], {}, lambda: [np.sort(x), i32([1, 2, 0, 3], [3, 0, 1, 2])])
    yield Case(
        "Sort",
        [x],
        {"descending": True, "y2_dtype": 9},
        lambda: [-np.sort(-x), i64([0, 3, 2, 1], [2, 0, 1, 3])],
    )
    k = i64(2)
    for largest in (True, False):
        for axis in (-1, 0):

            def top(largest: bool = largest, axis: int = axis) -> list[Array]:
                values, places = onnx("TopK", [x, k], count=2, largest=int(largest), axis=axis)()
                return [values, places.astype(np.int32)]

            flags = {"largest": largest, "dim": axis}
            yield Case("TopK", [x, i32(2).reshape(())], flags, top)
            yield Case("TopKV2", [x, i32(2).reshape(())], flags, top)
    small = np.array([0, 3, 3, 255], np.uint8)
    yield Case(
        "TopK",
        [small, i32(3).reshape(())],
        {},
        value(np.array([255, 3, 3], np.uint8), i32(3, 1, 2)),
    )
    scores = np.array([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]], np.float32)
    yield Case("InTopK", [scores, i32(2, 2), i32(2).reshape(())], {}, value([True, False]))
    v = np.array([5, 3, 5, 1, 3], np.float32)

    def unique() -> list[Array]:
        values, _, places, counts = onnx("Unique", [v], count=4, sorted=0)()
        return [values, places.astype(np.int32), counts.astype(np.int32)]

    yield Case("Unique", [v], {}, lambda: unique()[:2])
    import ge.ir as ir

    yield Case("UniqueWithCounts", [v], {"out_idx": ir.DType("i32")}, unique)
    found = onnx("NonZero", [x])
    yield Case("NonZero", [x], {"transpose": True}, found)
    yield Case("NonZero", [x], {}, lambda: [found()[0].T])
    yield Case("Where", [x], {}, lambda: [found()[0].T])
    yield Case("InvertPermutation", [i32(2, 0, 3, 1)], {}, value(i32(1, 3, 0, 2)))


def _made() -> Iterator[Case]:
    condition = np.array([[True, False, True]])
    a, b = floats(2, 3), floats(2, 3)
    chosen = onnx("Where", [condition, a, b])
    yield Case("SelectV2", [condition, a, b], {}, chosen)
    yield Case("Select", [np.repeat(condition, 2, 0), a, b], {}, chosen)
    yield Case("Select", [np.array([True, False]), a, b], {}, lambda: [np.stack([a[0], b[1]])])
    seven = np.float32(7).reshape(())
    yield Case("MaskedFill", [a, condition, seven], {}, onnx("Where", [condition, seven, a]))
    yield Case(
        "MaskedSelect", [a, condition], {}, lambda: [np.array([a[0, 0], a[0, 2], a[1, 0], a[1, 2]])]
    )
    yield Case(
        "Fill",
        [i64(2, 3), seven],
        {},
        onnx("ConstantOfShape", [i64(2, 3)], value=np.array([7], np.float32)),
    )
    yield Case("FillD", [seven], {"dims": [0, 2]}, value(np.zeros((0, 2), np.float32)))
    for low, high, step in ((1, 10, 3), (5, 0, -2), (3, 3, 1)):
        scalars = [np.int32(v).reshape(()) for v in (low, high, step)]
        yield Case("Range", scalars, {}, onnx("Range", scalars))
    reals = [np.float32(v).reshape(()) for v in (0, 1, 0.25)]
    yield Case(
        "Range",
        reals,
        {"is_closed": True},
        value(np.array([0, 0.25, 0.5, 0.75, 1], np.float32)),
        inferred=False,
    )
    yield Case(
        "LinSpace",
        [reals[0], reals[1], i32(5).reshape(())],
        {},
        value(np.array([0, 0.25, 0.5, 0.75, 1], np.float32)),
    )
    index = i64([0, 2], [1, 3])
    on, off = np.float32(5).reshape(()), np.float32(-1).reshape(())
    for axis in (-1, 0, 1):
        hot = onnx("OneHot", [index, i64(4), np.array([-1, 5], np.float32)], axis=axis)
        yield Case("OneHot", [index, i32(4).reshape(()), on, off], {"axis": axis}, hot)
        yield Case("OneHotD", [index, on, off], {"depth": 4, "axis": axis}, hot)
    yield Case(
        "OneHotD", [i32(-1, 4), on, off], {"depth": 4}, value(np.full((2, 4), -1, np.float32))
    )
    for op in ("Identity", "TensorMove", "Snapshot", "StopGradient", "PreventGradient"):
        yield Case(op, [a], {}, value(a))
    yield Case("CheckNumerics", [a], {"message": "no"}, value(a))
    yield Case("IdentityN", [a, condition], {}, value(a, condition))
    yield Case("Assign", [a, b], {}, value(b))
    yield Case("AssignAdd", [a, b], {}, each(lambda p, q: p + q, a, b))
    yield Case("AssignSub", [a, b], {}, each(lambda p, q: p - q, a, b))


def _indices() -> Iterator[Case]:
    x = floats(4, 3, 5)
    index = i64([0, 3], [2, 2])
    yield Case("Gather", [x, index], {}, onnx("Gather", [x, index], axis=0))
    for axis in (0, 1, -1):
        at = index % x.shape[axis]
        expected = onnx("Gather", [x, at], axis=axis)
        yield Case("GatherV2", [x, at, i32(axis).reshape(())], {}, expected)
        yield Case("GatherV2D", [x, at], {"axis": axis}, expected)
    back = i64(-1, 0)
    yield Case(
        "GatherV2",
        [x, back, i32(0).reshape(())],
        {"negative_index_support": True},
        onnx("Gather", [x, back], axis=0),
    )
    rows = i64([0, 1], [2, 0], [1, 1], [2, 2])
    batched = lambda: [np.stack([x[i][rows[i]] for i in range(4)])]  # noqa: E731
    yield Case("Gather", [x, rows], {"batch_dims": 1}, batched)
    yield Case("GatherV2", [x, rows, i32(1).reshape(())], {"batch_dims": 1}, batched)
    points = i64([0, 1], [3, 2])
    yield Case("GatherNd", [x, points], {}, onnx("GatherND", [x, points]))
    full = i64([[0, 1, 4]], [[3, 2, 0]])
    yield Case("GatherNd", [x, full], {}, onnx("GatherND", [x, full]))
    places = ints(4, 2, 5, low=-3, high=3, dtype=np.int64)
    yield Case(
        "GatherElements", [x, places], {"dim": 1}, onnx("GatherElements", [x, places], axis=1)
    )
    yield Case(
        "Index",
        [x, i64(1, 0, 1), i64(1), i64([0], [3]), i64(1, 4)],
        {},
        lambda: [x[i64([0], [3]), :, i64(1, 4)]],
    )
    updates = floats(2, 5)
    repeated = i64([0, 1], [0, 1])
    zeros = np.zeros((4, 3, 5), np.float32)
    yield Case(
        "ScatterNd",
        [repeated.astype(np.int32), updates, i32(4, 3, 5)],
        {},
        onnx("ScatterND", [zeros, repeated, updates], reduction="add"),
    )
    yield Case(
        "TensorScatterUpdate", [x, points, updates], {}, onnx("ScatterND", [x, points, updates])
    )
    yield Case(
        "TensorScatterAdd",
        [x, repeated, updates],
        {},
        onnx("ScatterND", [x, repeated, updates], reduction="add"),
    )
    yield Case(
        "TensorScatterSub",
        [x, repeated, updates],
        {},
        onnx("ScatterND", [x, repeated, -updates], reduction="add"),
    )
    yield Case("ScatterNdUpdate", [x, points, updates], {}, onnx("ScatterND", [x, points, updates]))
    yield Case(
        "ScatterNdAdd",
        [x, repeated, updates],
        {},
        onnx("ScatterND", [x, repeated, updates], reduction="add"),
    )
    yield Case(
        "ScatterNdSub",
        [x, repeated, updates],
        {},
        onnx("ScatterND", [x, repeated, -updates], reduction="add"),
    )
    values = floats(*places.shape)
    clean = np.broadcast_to(np.arange(2).reshape(1, 2, 1), places.shape).astype(np.int64)
    yield Case(
        "ScatterElements",
        [x, clean, values],
        {"axis": 1},
        onnx("ScatterElements", [x, clean, values], axis=1),
    )
    for reduction in ("add", "mul"):
        yield Case(
            "ScatterElements",
            [x, places, values],
            {"axis": 1, "reduction": reduction},
            onnx("ScatterElements", [x, places, values], axis=1, reduction=reduction),
        )
    var, slices, at = floats(4, 3), floats(3, 3, low=0.5), i64(0, 2, 0)
    point = at.reshape(3, 1)
    yield Case(
        "ScatterUpdate",
        [var, i64(3, 1), slices[:2]],
        {},
        onnx("ScatterND", [var, i64([3], [1]), slices[:2]]),
    )
    for op, reduction in (
        ("ScatterAdd", "add"),
        ("ScatterMul", "mul"),
        ("ScatterMax", "max"),
        ("ScatterMin", "min"),
    ):
        yield Case(
            op,
            [var, at, slices],
            {},
            onnx("ScatterND", [var, point, slices], reduction=reduction, opset=18),
        )
    yield Case(
        "ScatterSub",
        [var, at, slices],
        {},
        onnx("ScatterND", [var, point, -slices], reduction="add"),
    )
    yield Case(
        "ScatterDiv",
        [var, at, slices],
        {},
        onnx("ScatterND", [var, point, 1 / slices], reduction="mul"),
    )


def indices() -> Iterator[Case]:
    for family in (_sorts, _made, _indices):
        yield from family()
