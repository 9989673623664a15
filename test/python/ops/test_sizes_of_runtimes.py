"""Inferred sizes are those that onnxruntime gives, or are not known: never others.

Sizes computed in floating point, windows with automatic padding, Resize, Range, and STFT of a real signal.
"""

import random
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

import ge.onnx as ge_onnx  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented

ONNX_OF = {
    np.float32: TensorProto.FLOAT,
    np.float64: TensorProto.DOUBLE,
    np.float16: TensorProto.FLOAT16,
}


def model(nodes: list[Any], shape: list[int], weights: dict[str, Any], opset: int = 19) -> Any:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def computed(proto: Any, shape: list[int]) -> tuple[int, ...] | None:
    """Return the shape of the result in onnxruntime; None if it rejects the model."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        running = onnxruntime.InferenceSession(
            proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return running.run(None, {"x": np.ones(shape, np.float32)})[0].shape  # type: ignore[no-any-return]
    except Exception:
        return None


def inferred(proto: Any) -> tuple[Any, ...]:
    graph = ge_onnx.load(proto.SerializeToString()).graphs["g"]
    graph.infer_types()
    return graph.outputs[0].type.shape  # type: ignore[no-any-return]


def agree(proto: Any, shape: list[int], wanted: tuple[Any, ...]) -> None:
    actual = computed(proto, shape)
    if actual is not None:
        assert len(wanted) == len(actual)
        assert all(w is None or w == a for w, a in zip(wanted, actual, strict=True)), (
            wanted,
            actual,
        )


def sized(size: int, dtype: Any, steps: list[tuple[Any, ...]], to: int = TensorProto.INT64) -> Any:
    """A vector whose length is the size of x after `steps` in `dtype`: each an operator, and perhaps a number."""
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Gather", ["shape", "zero"], ["size"]),
        helper.make_node("Cast", ["size"], ["r0"], to=ONNX_OF[dtype]),
    ]
    weights: dict[str, Any] = {"zero": np.array([0])}
    for i, (op, *number) in enumerate(steps):
        operands = [f"r{i}"]
        if number:
            operands.append(f"k{i}")
            weights[f"k{i}"] = np.array(number, dtype)
        nodes.append(helper.make_node(op, operands, [f"r{i + 1}"]))
    nodes.append(helper.make_node("Cast", [f"r{len(steps)}"], ["small"], to=to))
    nodes.append(helper.make_node("Cast", ["small"], ["whole"], to=TensorProto.INT64))
    nodes.append(helper.make_node("ConstantOfShape", ["whole"], ["y"]))
    return model(nodes, [size, 1], weights)


@pytest.mark.parametrize(
    ("size", "dtype", "steps", "wanted"),
    [
        (30, np.float32, [("Mul", 0.1), ("Floor",)], 3),  # 30 * f32(0.1) is 3.0000000447
        (50, np.float32, [("Mul", 0.58), ("Floor",)], 29),  # 28.999999165 as double
        (50, np.float64, [("Mul", 0.58), ("Floor",)], 28),
        (21, np.float32, [("Div", 0.7), ("Ceil",)], 30),
        (49, np.float32, [("Sqrt",), ("Mul", 3.0)], 21),
        (5, np.float32, [("Pow", 2.0)], 25),
        (7, np.float32, [("Pow", 0.5)], None),  # libraries round powers differently
        (2049, np.float16, [("Abs",)], None),  # onnxruntime computes Abs as f32, and gives 2049
        (2048, np.float16, [("Abs",)], 2048),
        (5, np.float32, [("Sub", 2.5), ("Round",)], 2),
    ],
)
def test_sizes_are_computed_in_the_type_of_the_model(
    size: int, dtype: Any, steps: list[Any], wanted: int | None
) -> None:
    proto = sized(size, dtype, steps)
    assert inferred(proto) == (wanted,)
    agree(proto, [size, 1], (wanted,))


@pytest.mark.parametrize(
    ("size", "to", "wanted"),
    [(300, TensorProto.UINT8, 44), (130, TensorProto.INT8, None), (200, TensorProto.INT16, 200)],
)
def test_casts_of_sizes_wrap(size: int, to: int, wanted: int | None) -> None:
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Cast", ["shape"], ["small"], to=to),
        helper.make_node("Cast", ["small"], ["whole"], to=TensorProto.INT64),
        helper.make_node("ConstantOfShape", ["whole"], ["y"]),
    ]
    proto = model(nodes, [size], {})
    assert inferred(proto) == (wanted,)
    if wanted is not None:
        agree(proto, [size], (wanted,))


def test_random_size_arithmetic_agrees_with_the_runtime() -> None:
    draw = random.Random(3)
    for _ in range(60):
        size = draw.randint(1, 500)
        number = draw.choice((0.1, 0.7, 1.1, 0.3, 1 / 3, 2.5, 7.0, 0.29, 1 / 49))
        steps = [
            (draw.choice(("Mul", "Div", "Add", "Sub")), number),
            (draw.choice(("Floor", "Ceil", "Round")),),
        ]
        if draw.random() < 0.3:
            steps.insert(1, ("Abs",))
        proto = sized(size, draw.choice((np.float32, np.float64)), steps)
        agree(proto, [size, 1], inferred(proto))


def test_windows_with_automatic_padding_agree_with_the_runtime() -> None:
    draw = random.Random(5)
    known = 0
    for _ in range(120):
        kernel, stride, dilation, size = (
            draw.randint(1, 4),
            draw.randint(1, 3),
            draw.randint(1, 3),
            draw.randint(1, 9),
        )
        attributes: dict[str, Any] = {
            "strides": [stride],
            "dilations": [dilation],
            "auto_pad": draw.choice(("SAME_UPPER", "SAME_LOWER", "VALID")),
        }
        op = draw.choice(("MaxPool", "AveragePool", "ConvTranspose", "Conv"))
        weights: dict[str, Any] = {}
        operands = ["x"]
        if "Pool" in op:
            attributes |= {"kernel_shape": [kernel], "ceil_mode": draw.randint(0, 1)}
        else:
            weights["w"] = np.ones((1, 1, kernel), np.float32)
            operands.append("w")
        proto = model([helper.make_node(op, operands, ["y"], **attributes)], [1, 1, size], weights)
        wanted = inferred(proto)
        if wanted is not None:
            known += wanted[2] is not None
            agree(proto, [1, 1, size], wanted)
    assert known > 60


def test_sizes_of_resize_agree_with_the_runtime() -> None:
    draw = random.Random(7)
    known = 0
    for _ in range(80):
        size, other = draw.randint(1, 300), draw.randint(1, 9)
        attributes: dict[str, Any] = {"mode": "nearest"}
        if draw.random() < 0.5:
            scale = draw.choice((0.7, 0.29, 1 / size, 3.3, 2.0, 0.5, 1.1))
            weights = {"k": np.array([1, scale], np.float32)}
            operands = ["x", "", "k"]
        else:
            weights = {"k": np.array([draw.randint(1, 20), draw.randint(1, 300)])}
            operands = ["x", "", "", "k"]
            attributes["keep_aspect_ratio_policy"] = draw.choice(
                ("not_larger", "not_smaller", "stretch")
            )
        proto = model(
            [helper.make_node("Resize", operands, ["y"], **attributes)], [other, size], weights
        )
        wanted = inferred(proto)
        known += wanted[1] is not None
        agree(proto, [other, size], wanted)
    assert known > 40


@pytest.mark.parametrize(
    "ends", [(0.0, 1.0, 0.1), (0.0, 2.1, 0.3), (1.0, 8.0, 0.7), (5.0, 0.0, -0.5)]
)
def test_the_length_of_a_real_range_agrees_with_the_runtime(ends: tuple[float, ...]) -> None:
    weights = {name: np.float32(number) for name, number in zip("abc", ends, strict=True)}
    proto = model([helper.make_node("Range", list("abc"), ["y"])], [1], weights)
    agree(proto, [1], inferred(proto))


@pytest.mark.parametrize("shape", [[2, 40], [2, 40, 1]])
def test_a_real_signal_may_lack_its_last_axis(shape: list[int]) -> None:
    weights = {"step": np.array(6), "w": np.ones(16, np.float32)}
    proto = model([helper.make_node("STFT", ["x", "step", "w"], ["y"])], shape, weights)
    agree(proto, shape, inferred(proto))
    assert inferred(proto)[0] == 2
    assert inferred(proto)[3] == 2
