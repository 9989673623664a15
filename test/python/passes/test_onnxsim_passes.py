"""For each default pass of onnxsim: a model that it simplifies; GE leaves at most as many nodes as onnxsim."""

import numpy as np
import pytest

import ge.onnx as ge_onnx

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import numpy_helper  # noqa: E402
from onnx.parser import parse_model  # noqa: E402

from ge.cli import _onnxsim  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented

IMAGE = "float[2,3,4,4]"
BRANCHES = "then_branch = t () => (float[2,3,4,4] p) { p = Exp(x) }, else_branch = e () => (float[2,3,4,4] q) { q = Abs(x) }"
# onnxsim's pass, types of x and y, the nodes, how many onnxsim 0.8.1 leaves (Constant is not counted).
MODELS = [
    ("eliminate_common_subexpression", IMAGE, IMAGE, "a = Exp(x)  b = Exp(x)  y = Add(a, b)", 2),
    ("eliminate_consecutive_idempotent_ops", IMAGE, IMAGE, "a = Relu(x)  y = Relu(a)", 1),
    ("eliminate_consecutive_idempotent_ops", IMAGE, IMAGE, "a = Ceil(x)  y = Ceil(a)", 1),
    ("eliminate_consecutive_idempotent_ops", IMAGE, "float[6,4,4]",
     "a = Reshape(x, rows)  b = Reshape(a, planes)  y = Relu(b)", 2),
    ("eliminate_deadend", IMAGE, IMAGE, "a = Exp(x)  y = Relu(x)", 1),
    ("eliminate_identity", IMAGE, IMAGE, "a = Identity(x)  y = Relu(a)", 1),
    ("eliminate_if_with_const_cond", IMAGE, IMAGE, f"y = If (true) <{BRANCHES}>", 1),
    ("eliminate_nop_cast", IMAGE, IMAGE, "a = Cast <to = 1> (x)  y = Relu(a)", 1),
    ("eliminate_nop_concat", IMAGE, IMAGE, "a = Concat <axis = 0> (x)  y = Relu(a)", 1),
    ("eliminate_nop_dropout", IMAGE, IMAGE, "a = Dropout(x)  y = Relu(a)", 1),
    ("eliminate_nop_expand", IMAGE, IMAGE, "a = Expand(x, ones)  y = Relu(a)", 1),
    ("eliminate_nop_flatten", "float[2,5]", "float[2,5]", "a = Flatten(x)  y = Relu(a)", 1),
    ("eliminate_nop_monotone_argmax", IMAGE, "int64[2,1,4,4]",
     "a = Softmax <axis = 1> (x)  y = ArgMax <axis = 1> (a)", 1),
    ("eliminate_nop_monotone_argmax", IMAGE, "int64[2,1,4,4]",
     "a = LogSoftmax <axis = -3> (x)  y = ArgMax <axis = 1> (a)", 1),
    ("eliminate_nop_pad", IMAGE, IMAGE, "a = Pad(x, no_pads)  y = Relu(a)", 1),
    ("eliminate_nop_reshape", IMAGE, IMAGE, "a = Reshape(x, same)  y = Relu(a)", 1),
    ("eliminate_nop_split", IMAGE, IMAGE, "a = Split <axis = 0> (x)  y = Relu(a)", 1),
    ("eliminate_nop_transpose", IMAGE, IMAGE, "a = Transpose <perm = [0,1,2,3]> (x)  y = Relu(a)", 1),
    ("eliminate_nop_with_unit", IMAGE, IMAGE,
     "a = Add(x, zero)  b = Mul(a, one)  c = Div(b, one)  d = Sub(c, zero)  e = Pow(d, one)  y = Relu(e)", 1),
    ("eliminate_nop_with_unit", "bool[2]", "bool[2]", "a = And(x, true)  y = Not(a)", 1),
    ("eliminate_shape_gather", IMAGE, IMAGE,
     "s = Shape(x)  g = Gather(s, second)  f = Cast <to = 1> (g)  y = Add(x, f)", 1),
    ("eliminate_shape_op", IMAGE, IMAGE, "s = Shape(x)  f = Cast <to = 1> (s)  y = Add(x, f)", 1),
    ("eliminate_slice_after_shape", "float[N,3,4,4]", "float[N,3,4,4]",
     "s = Shape(x)  g = Slice(s, second, third)  f = Cast <to = 1> (g)  y = Add(x, f)", 1),
    ("fuse_add_bias_into_conv", IMAGE, IMAGE,
     "a = Conv <pads = [1,1,1,1]> (x, w)  y = Add(a, bias)", 1),
    ("fuse_bn_into_conv", IMAGE, IMAGE,
     "a = Conv <pads = [1,1,1,1]> (x, w)  y = BatchNormalization(a, v, v, v, v)", 1),
    ("fuse_concat_into_reshape", "float[N,3,4]", "float[N,M]",
     "s = Shape(x)  g = Gather(s, zeroth)  u = Unsqueeze(g, first)  c = Concat <axis = 0> (u, last)"
     "  y = Reshape(x, c)", 5),
    ("fuse_consecutive_concats", IMAGE, "float[2,9,4,4]",
     "a = Concat <axis = 1> (x, x)  y = Concat <axis = 1> (a, x)", 1),
    ("fuse_consecutive_reduce_unsqueeze", IMAGE, "float[2,1,4,4]",
     "a = ReduceSum <keepdims = 0> (x, second)  y = Unsqueeze(a, second)", 1),
    ("fuse_consecutive_reduce_unsqueeze", IMAGE, "float[2,3,1,1]",
     "a = ReduceMean <keepdims = 0, axes = [-1, 2]> (x)  y = Unsqueeze(a, both)", 1),
    ("fuse_consecutive_slices", IMAGE, "float[2,3,4,2]",
     "a = Slice(x, second, end, end_axis)  y = Slice(a, second, end, end_axis)", 2),
    ("fuse_consecutive_squeeze_unsqueeze", "float[2,1,4]", "float[2,1,4]",
     "a = Squeeze(x, second)  b = Unsqueeze(a, second)  y = Relu(b)", 1),
    ("fuse_consecutive_squeezes", "float[1,1,4]", "float[4]",
     "a = Squeeze(x, first)  y = Squeeze(a, first)", 1),
    ("fuse_consecutive_transposes", IMAGE, IMAGE,
     "a = Transpose <perm = [0,2,1,3]> (x)  y = Transpose <perm = [0,2,1,3]> (a)", 1),
    ("fuse_consecutive_unsqueezes", "float[4]", "float[1,1,4]",
     "a = Unsqueeze(x, first)  y = Unsqueeze(a, first)", 1),
    ("fuse_matmul_add_bias_into_gemm", "float[2,4]", "float[2,4]", "a = MatMul(x, m)  y = Add(a, row)", 1),
    ("fuse_pad_into_conv", IMAGE, IMAGE, "a = Pad(x, pads)  y = Conv(a, w)", 1),
    ("fuse_pad_into_pool", IMAGE, IMAGE,
     "a = Pad(x, pads)  y = AveragePool <kernel_shape = [3,3], count_include_pad = 1> (a)", 1),
    ("fuse_qkv", "float[2,5,4]", "float[2,5,4]",
     "q = MatMul(x, m)  k = MatMul(x, m2)  u = MatMul(x, m3)  a = Add(q, k)  y = Mul(a, u)", 5),
    ("fuse_transpose_into_gemm", "float[4,2]", "float[2,4]",
     "a = Transpose <perm = [1,0]> (x)  y = Gemm(a, m)", 1),
    ("rewrite_where", IMAGE, IMAGE,
     "l = Less(x, zero)  n = Not(l)  e = Exp(x)  y = Where(n, x, e)", 3),
    # Rewrites of onnxsim's rewriters, which have no names.
    ("", IMAGE, IMAGE, "a = Mul(x, two)  y = Mul(two, a)", 1),
    ("", IMAGE, "float[2,1,1,4]",
     "a = ReduceSum(x, second)  b = ReduceSum(a, third)  y = Relu(b)", 2),
]  # fmt: skip
# Passes without a model: they remove nothing alone, do not concern nodes, or are described in `docs/onnxsim.md`.
WITHOUT = {
    "eliminate_duplicate_initializer", "eliminate_unused_initializer", "extract_constant_to_initializer",
    "adjust_add", "nop", "replace_einsum_with_matmul", "fuse_consecutive_log_softmax",
}  # fmt: skip


def model(x: str, y: str, nodes: str) -> bytes:
    numbers = {
        "rows": [2, 3, 16], "planes": [6, 4, 4], "same": [2, 3, 4, 4], "ones": [1] * 4, "no_pads": [0] * 8,
        "pads": [0, 0, 1, 1] * 2, "zeroth": 0, "first": [0], "second": [1], "third": [2], "last": [-1],
        "both": [2, -1], "end": [2**63 - 1], "end_axis": [3],
    }  # fmt: skip
    random = np.random.default_rng(0)
    weights = {
        "zero": 0.0, "one": 1.0, "two": 2.0, "w": random.normal(size=(3, 3, 3, 3)),
        "bias": random.normal(size=(3, 1, 1)), "v": random.uniform(0.5, 1, 3), "row": random.normal(size=4),
        **{name: random.normal(size=(4, 4)) for name in ("m", "m2", "m3")},
    }  # fmt: skip
    proto = parse_model(
        f'<ir_version: 8, opset_import: ["" : 17]> g ({x} x) => ({y} y) {{ {nodes} }}'
    )
    arrays = {name: np.array(value, np.int64) for name, value in numbers.items()}
    arrays |= {name: np.array(value, np.float32) for name, value in weights.items()}
    arrays["true"] = np.array(True)
    used = {name for node in proto.graph.node for name in node.input}
    for name in used & set(arrays):
        proto.graph.initializer.append(numpy_helper.from_array(arrays[name], name))
    onnx.checker.check_model(proto)
    data: bytes = proto.SerializeToString()
    return data


@pytest.mark.parametrize(("x", "y", "nodes", "left"), [m[1:] for m in MODELS])
def test_no_more_nodes_are_left_than_by_onnxsim(x: str, y: str, nodes: str, left: int) -> None:
    data = model(x, y, nodes)
    module = ge_onnx.load(data)
    # Removing the Softmax before an ArgMax may change the index, so it needs fast_math.
    report = ge_onnx.optimize(module, fast_math="ArgMax" in nodes)
    assert report.after.nodes <= left, report.after.operators
    onnx.checker.check_model(ge_onnx.to_onnx(module), full_check=True)
    verdict = ge_onnx.check(data, module, runs=1)
    assert verdict, verdict


def test_every_pass_of_onnxsim_is_here() -> None:
    named = {m[0] for m in MODELS if m[0]}
    assert named | WITHOUT == set(_onnxsim.PASSES) | _onnxsim.WITHOUT_COUNTERPART
    assert not named & WITHOUT


@pytest.mark.parametrize(
    ("nodes", "y"),
    [
        # onnxsim's rewrites of these change the result if numbers overflow or are NaN.
        ("a = Exp(x)  y = ArgMax <axis = 1> (a)", "int64[2,1,4,4]"),
        ("a = Sqrt(x)  y = ArgMax <axis = 1> (a)", "int64[2,1,4,4]"),
        ("a = Softmax <axis = 1> (x)  y = Log(a)", IMAGE),
        ("a = Softmax <axis = 2> (x)  y = ArgMax <axis = 1> (a)", "int64[2,1,4,4]"),
        ("a = Softmax <axis = 1> (x)  y = ArgMin <axis = 1> (a)", "int64[2,1,4,4]"),
        ("a = Add(x, two)  y = Add(a, one)", IMAGE),
        ("a = ReduceSum <keepdims = 0> (x, second)  y = Unsqueeze(a, third)", "float[2,4,1,4]"),
        ("a = ReduceSum(x, second)  y = ReduceMax <axes = [2]> (a)", "float[2,1,1,4]"),
    ],
)
def test_what_would_compute_something_else_stays(nodes: str, y: str) -> None:
    data = model(IMAGE, y, nodes)
    module = ge_onnx.load(data)
    assert ge_onnx.optimize(module).after.nodes == 2
    assert ge_onnx.check(data, module, runs=1)


@pytest.mark.parametrize(("dtype", "number"), [(np.float32, 1e30), (np.float16, 0.5)])
def test_products_that_are_infinite_or_narrow_stay(dtype: type, number: float) -> None:
    nodes = "h = CastLike(x, k)  a = Mul(h, k)  b = Mul(a, k)  y = Cast <to = 1> (b)"
    proto = parse_model(
        f'<ir_version: 8, opset_import: ["" : 17]> g ({IMAGE} x) => ({IMAGE} y) {{ {nodes} }}'
    )
    proto.graph.initializer.append(numpy_helper.from_array(np.array(number, dtype), "k"))
    module = ge_onnx.load(proto.SerializeToString())
    assert ge_onnx.optimize(module).after.operators["onnx.Mul"] == 2
