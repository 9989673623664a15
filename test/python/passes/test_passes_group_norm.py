"""A GroupNormalization that an exporter decomposed becomes one node again, with the same results."""

import numpy as np
import pytest

import ge.onnx as ge_onnx
from ge.passes import PassManager

onnx = pytest.importorskip("onnx")
from onnx import numpy_helper  # noqa: E402
from onnx.parser import parse_model  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

NORM = "r = Reshape(x, split)  n = InstanceNormalization <epsilon = 0.001> (r, one, zero)"
SCALED = "m = Mul(q, w)  y = Add(m, b)"
STATIC, FREE = "2,8,3,5", "N,8,H,W"
# Name, the type of x, the parts.
WHOLE = [
    ("PyTorch's", STATIC, f"{NORM}  q = Reshape(n, back)  {SCALED}"),
    ("free sizes", FREE, f"{NORM}  s = Shape(x)  q = Reshape(n, s)  {SCALED}"),
    ("sizes without names", "?,8,?,?", f"{NORM}  s = Shape(x)  q = Reshape(n, s)  {SCALED}"),
    ("without scale and bias", STATIC, f"{NORM}  y = Reshape(n, back)"),
    ("scale alone", STATIC, f"{NORM}  q = Reshape(n, back)  y = Mul(w, q)"),
    ("difference and quotient", STATIC, f"{NORM}  q = Reshape(n, back)  m = Div(q, w)  y = Sub(m, b)"),
    ("a scale of each group", STATIC,
     "r = Reshape(x, split)  n = InstanceNormalization(r, scales, biases)"
     f"  q = Reshape(n, back)  {SCALED}"),
    ("groups of more dimensions", STATIC,
     "r = Reshape(x, wide)  n = InstanceNormalization(r, one, zero)"
     f"  q = Reshape(n, back)  {SCALED}"),
]  # fmt: skip
OTHER = [
    ("no type", "", f"{NORM}  s = Shape(x)  q = Reshape(n, s)  {SCALED}"),
    ("a group over two samples", STATIC,
     "r = Reshape(x, across)  n = InstanceNormalization(r, one, zero)"
     f"  q = Reshape(n, back)  {SCALED}"),
    ("another shape behind", STATIC, f"{NORM}  q = Reshape(n, turned)  y = Relu(q)"),
    ("parameters that are computed", STATIC,
     "r = Reshape(x, split)  f = ReduceMean <keepdims = 0> (x)  e = Expand(f, four)"
     "  n = InstanceNormalization(r, e, zero)  y = Reshape(n, back)"),
]  # fmt: skip


def model(parts: str, shape: str, opset: int = 21, dtype: str = "float") -> bytes:
    type_ = f"{dtype}[{shape}]" if shape else dtype
    text = f"""<ir_version: 10, opset_import: ["" : {opset}]>
        g ({type_} x) => ({dtype}{"[A,B,C,D]" if shape else ""} y) <
        int64[3] split = {{0, 4, -1}}, int64[4] wide = {{0, 4, 2, -1}}, int64[3] across = {{1, 4, -1}},
        int64[4] back = {{2, 8, 3, 5}}, int64[4] turned = {{2, 8, 5, 3}},
        int64[1] four = {{4}}> {{ {parts} }}"""
    proto = parse_model(text)
    numbers = np.random.default_rng(0).uniform(0.5, 2, (4, 8))
    real = np.float32 if dtype == "float" else np.float64
    for name, array in {
        "one": np.ones(4), "zero": np.zeros(4), "scales": numbers[0, :4], "biases": numbers[1, :4],
        "w": numbers[2].reshape(8, 1, 1), "b": numbers[3].reshape(1, 8, 1, 1),
    }.items():  # fmt: skip
        proto.graph.initializer.append(numpy_helper.from_array(array.astype(real), name))
    data: bytes = proto.SerializeToString()
    return data


def optimized(data: bytes, pipeline: str = "optimize") -> "onnx.ModelProto":
    module = ge_onnx.load(data)
    PassManager.parse(pipeline).run(module)
    return ge_onnx.to_onnx(module)


@pytest.mark.parametrize(("shape", "parts"), [c[1:] for c in WHOLE], ids=[c[0] for c in WHOLE])
def test_parts_become_one(shape: str, parts: str) -> None:
    data = model(parts, shape)
    after = optimized(data)
    onnx.checker.check_model(after, full_check=True)
    assert [n.op_type for n in after.graph.node] == ["GroupNormalization"]
    feeds = {"x": np.random.default_rng(1).normal(3, 2, (2, 8, 3, 5)).astype(np.float32)}
    for run in (ReferenceEvaluator, _onnxruntime):
        before, now = (run(m).run(None, feeds)[0] for m in (onnx.load_from_string(data), after))
        np.testing.assert_allclose(now, before, rtol=1e-4, atol=2e-5)


def _onnxruntime(proto: "onnx.ModelProto") -> "object":
    runtime = pytest.importorskip("onnxruntime")
    return runtime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])


@pytest.mark.parametrize(("shape", "parts"), [c[1:] for c in OTHER], ids=[c[0] for c in OTHER])
def test_what_only_looks_like_it_stays(shape: str, parts: str) -> None:
    after = optimized(model(parts, shape), "infer-types,fixpoint(compose,dce)")
    assert "InstanceNormalization" in [n.op_type for n in after.graph.node]


def test_the_operator_of_opset_18_is_another() -> None:
    parts = WHOLE[0][2]
    assert "GroupNormalization" not in [
        n.op_type for n in optimized(model(parts, STATIC, opset=20)).graph.node
    ]


def test_a_norm_of_doubles_stays() -> None:
    after = optimized(model(WHOLE[0][2], STATIC, dtype="double"))
    assert "GroupNormalization" not in [n.op_type for n in after.graph.node]


def test_what_others_use_in_between_stays() -> None:
    data = model(f"{NORM}  q = Reshape(n, back)  m = Mul(q, w)  y = Add(m, q)", STATIC)
    after = [n.op_type for n in optimized(data).graph.node]
    assert sorted(after) == ["Add", "GroupNormalization", "Mul"]
