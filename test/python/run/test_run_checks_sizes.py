"""`check` runs with several sizes of free dimensions, and finds sizes that fit a model's weights."""

from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

import ge.onnx as ge_onnx  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented


def model(nodes: list[Any], shapes: dict[str, Any], weights: dict[str, Any] | None = None) -> bytes:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in shapes.items()],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(a), n) for n, a in (weights or {}).items()],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return proto.SerializeToString()  # type: ignore[no-any-return]


def node(op: str, operands: str, **attributes: Any) -> Any:
    return helper.make_node(op, operands.split(","), ["y"], **attributes)


def reshape(*sizes: int) -> bytes:
    return model([node("Reshape", "x,s")], {"x": ["N", "M", 4]}, {"s": np.array(sizes)})


def test_free_dimensions_get_several_sizes() -> None:
    found = ge_onnx.check(reshape(-1, 4), reshape(-1, 4))
    assert found
    tried = [found.sizes, *found.other_sizes]
    assert found.sizes == {"N": 2, "M": 8}
    assert {"N": 1, "M": 1} in tried
    assert any(sizes["N"] % 2 and sizes["N"] > 1 for sizes in tried)
    assert {"N": 0, "M": 8} in tried
    assert {"N": 2, "M": 0} in tried


@pytest.mark.parametrize(
    "sizes", [(2, -1, 4), (0, -1, 4), (16, 4)], ids=["one size", "not 0", "both"]
)
def test_a_model_that_runs_with_fewer_sizes_is_not_equal(sizes: tuple[int, ...]) -> None:
    same = model(
        [helper.make_node("Shape", ["x"], ["s"]), helper.make_node("Reshape", ["x", "s"], ["y"])]
        if len(sizes) == 3
        else [helper.make_node("Reshape", ["x", "rows"], ["y"])],
        {"x": ["N", "M", 4]},
        {} if len(sizes) == 3 else {"rows": np.array([-1, 4])},
    )
    found = ge_onnx.check(same, reshape(*sizes))
    assert not found
    assert "=" in found.outputs[0].inputs


def test_sizes_that_the_first_model_rejects_are_not_compared() -> None:
    found = ge_onnx.check(reshape(0, -1, 4), reshape(0, -1, 4))
    assert found
    assert all(sizes["N"] != 0 for sizes in found.other_sizes)


def test_given_sizes_stay() -> None:
    found = ge_onnx.check(reshape(-1, 4), reshape(-1, 4), dims={"N": 6})
    assert found.sizes["N"] == 6
    assert found.other_sizes
    assert all(sizes["N"] == 6 for sizes in found.other_sizes)


def test_a_dimension_without_a_name_is_given_by_its_place() -> None:
    relu = model([node("Relu", "x")], {"x": [None, "?"]})
    found = ge_onnx.check(relu, relu, dims={"x[1]": 9})
    assert found.sizes == {"x[0]": 2, "x[1]": 9}


F = np.float32
DECIDED = {
    "MatMul": (node("MatMul", "x,w"), ["rows", "k"], {"w": np.ones((37, 2), F)}, 37),
    "Gemm": (node("Gemm", "x,w", transB=1), ["rows", "k"], {"w": np.ones((3, 41), F)}, 41),
    "channels": (node("Conv", "x,w"), ["n", "k", 9], {"w": np.ones((2, 11, 3), F)}, 11),
    "GRU": (
        node("GRU", "x,w,r", hidden_size=5),
        ["t", 1, "k"],
        {"w": np.ones((1, 15, 13), F), "r": np.ones((1, 15, 5), F)},
        13,
    ),
    "heads": (node("Reshape", "x,s"), [1, "k"], {"s": np.array([1, 3, 17])}, 51),
    "window": (node("Conv", "x,w"), [1, 1, "k"], {"w": np.ones((1, 1, 500), F)}, 500),
}


@pytest.mark.parametrize("name", DECIDED)
def test_sizes_that_weights_decide_are_found(name: str) -> None:
    made, shape, weights, size = DECIDED[name]
    data = model([made], {"x": shape}, weights)
    found = ge_onnx.check(data, data)
    assert found
    assert found.sizes["k"] == size


def test_two_sizes_are_found_one_after_the_other() -> None:
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"]),
        helper.make_node("MatMul", ["z", "v"], ["n"]),
        helper.make_node("Concat", ["m", "n"], ["y"], axis=0),
    ]
    data = model(
        nodes,
        {"x": ["a", "b"], "z": ["c", "d"]},
        {"w": np.ones((19, 3), F), "v": np.ones((23, 3), F)},
    )
    found = ge_onnx.check(data, data)
    assert found.sizes["b"] == 19
    assert found.sizes["d"] == 23


def test_the_error_names_the_sizes_that_were_tried() -> None:
    data = model([node("Reshape", "x,s")], {"x": ["N", "N"]}, {"s": np.array([7, 11, 13])})
    with pytest.raises(RuntimeError, match=r"tried: N=2; N=1; .*--dim N=SIZE"):
        ge_onnx.check(data, data)


def test_sizes_at_which_the_runtime_returns_unwritten_memory_are_left_out() -> None:
    """For H=W=1 the odd rows and columns are empty; onnxruntime joins them with the others."""
    text = """<ir_version: 10, opset_import: ["": 21]> g (float[1, 2, H, W] x) => (float[] y)
    <int64[1] e = {0}, int64[1] o = {1}, int64[1] end = {999}, int64[1] h = {2}, int64[1] w = {3}, int64[1] s = {2}>
    { a = Slice(x, e, end, h, s) b = Slice(x, o, end, h, s) c = Slice(a, e, end, w, s) d = Slice(b, e, end, w, s)
      f = Slice(a, o, end, w, s) i = Slice(b, o, end, w, s) y = Concat<axis = 1>(c, d, f, i) }"""
    module = ge_onnx.load(onnx.parser.parse_model(text).SerializeToString())
    before = ge_onnx.to_bytes(module)
    ge_onnx.optimize(module)
    for seed in range(5):
        found = ge_onnx.check(before, ge_onnx.to_bytes(module), seed=seed)
        assert found, found


@pytest.mark.parametrize(
    ("body", "fits"),
    [
        (
            "(float[N, C, H] x) => (float[] y) <int64[2] s = {-1, 12}> { y = Reshape(x, s) }",
            lambda n: n["N"] * n["C"] * n["H"] % 12 == 0,
        ),
        (
            "(float[N, C] x, float[N, D] z) => (float[] y) <float[5, 1] w = {1, 2, 3, 4, 5}>"
            " { j = Concat<axis = 1>(x, z) y = MatMul(j, w) }",
            lambda n: n["C"] + n["D"] == 5,
        ),
    ],
    ids=["product", "sum"],
)
def test_sizes_that_fit_only_together_are_found(body: str, fits: Any) -> None:
    text = f'<ir_version: 10, opset_import: ["": 21]> g {body}'
    data = onnx.parser.parse_model(text).SerializeToString()
    found = ge_onnx.check(data, data)
    assert found
    assert fits(found.sizes), found.sizes


def test_a_symbol_is_guessed_once() -> None:
    text = '<ir_version: 10, opset_import: ["": 21]> g (float[3, N] x, float[N, K, N] z) => (float[] y) { y = Neg(x) }'
    module = ge_onnx.load(onnx.parser.parse_model(text).SerializeToString())
    made = ge_onnx.make_inputs(module)
    assert len({made["x"].shape[1], made["z"].shape[0], made["z"].shape[2]}) == 1
