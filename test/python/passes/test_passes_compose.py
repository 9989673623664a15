"""Operators that `compose` creates compute the same as their parts, and are created only if the opset has them.

Models run under the reference evaluator, because onnxruntime does not support all of these operators yet.
"""

from typing import Any

import numpy as np
import pytest

import ge.onnx as ge_onnx
from ge.passes import PassManager

onnx = pytest.importorskip("onnx")
from onnx.parser import parse_model  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

MEAN_SQUARE = "s = Mul(x, x)  m = ReduceMean <keepdims = 1> (s, last)  a = Add(m, eps)  d = Sqrt(a)"
CENTRED = (
    "mu = ReduceMean <keepdims = 1> (x, last)  c = Sub(x, mu)  s = Pow(c, two)"
    "  m = ReduceMean <keepdims = 1> (s, last)  a = Add(m, eps)  d = Sqrt(a)"
)
CLIPPED = "p = Add(x, three)  q = Clip(p, zero, six)"
# Name, operator set, the composed operator, the parts.
WHOLE = [
    ("hard sigmoid", 11, "HardSigmoid", f"{CLIPPED}  y = Div(q, six)"),
    ("hard sigmoid by product", 11, "HardSigmoid", f"{CLIPPED}  y = Mul(sixth, q)"),
    ("hard swish", 14, "HardSwish", f"{CLIPPED}  r = Div(q, six)  y = Mul(x, r)"),
    ("hard swish, divided last", 14, "HardSwish", f"{CLIPPED}  r = Mul(x, q)  y = Div(r, six)"),
    ("hard swish, by product", 14, "HardSwish", f"{CLIPPED}  r = Mul(q, x)  y = Mul(r, sixth)"),
    ("hard swish of hard sigmoid", 14, "HardSwish",
     "h = HardSigmoid <alpha = 0.16666667, beta = 0.5> (x)  y = Mul(h, x)"),
    ("mish", 18, "Mish", "p = Softplus(x)  t = Tanh(p)  y = Mul(x, t)"),
    ("gelu", 20, "Gelu",
     "t = Div(x, root)  e = Erf(t)  o = Add(e, one)  h = Mul(x, o)  y = Mul(h, half)"),
    ("layer norm without bias", 17, "LayerNormalization", f"{CENTRED}  n = Div(c, d)  y = Mul(n, w)"),
    ("layer norm", 17, "LayerNormalization", f"{CENTRED}  n = Div(c, d)  k = Mul(w, n)  y = Add(b, k)"),
    ("root mean square norm", 23, "RMSNormalization", f"{MEAN_SQUARE}  n = Div(x, d)  y = Mul(n, w)"),
    ("by reciprocal", 23, "RMSNormalization",
     f"{MEAN_SQUARE}  i = Reciprocal(d)  n = Mul(x, i)  y = Mul(w, n)"),
]  # fmt: skip
LATER = [case for case in WHOLE if case[1] > 14]
# Sequences that resemble such an operator but are not equivalent to it.
OTHER = [
    ("another limit", "p = Add(x, three)  q = Clip(p, zero, three)  r = Div(q, six)  y = Mul(x, r)"),
    ("another factor", f"{CLIPPED}  r = Div(q, six)  y = Mul(w, r)"),
    ("sigmoid of another", "s = Sigmoid(w)  y = Mul(x, s)"),
    # Runtimes fuse Sigmoid and Mul, and onnxruntime has no kernel for Swish.
    ("swish", "s = Sigmoid(x)  y = Mul(x, s)"),
    ("scaled swish", "t = Mul(x, three)  s = Sigmoid(t)  y = Mul(s, x)"),
    ("tanh alone", "t = Tanh(x)  y = Mul(x, t)"),
    ("mean of another", "s = Mul(w, w)  m = ReduceMean <keepdims = 1> (s, last)  a = Add(m, eps)"
     "  d = Sqrt(a)  n = Div(x, d)  y = Mul(n, w)"),
    ("the first axis", "s = Mul(x, x)  m = ReduceMean <keepdims = 1> (s, zeroth)  a = Add(m, eps)"
     "  d = Sqrt(a)  n = Div(x, d)  y = Mul(n, w)"),
    ("a weight for each row", f"{MEAN_SQUARE}  n = Div(x, d)  y = Mul(n, row)"),
]  # fmt: skip


def model(parts: str, opset: int, dtype: str = "float") -> bytes:
    numbers = {"zero": 0, "half": 0.5, "one": 1, "two": 2, "three": 3, "six": 6,
               "sixth": 1 / 6, "root": 2**0.5, "eps": 1e-5}  # fmt: skip
    if opset < 18:  # axes of ReduceMean are an attribute before opset 18
        for axis, name in ((-1, "last"), (0, "zeroth")):
            parts = parts.replace(
                f"<keepdims = 1> (x, {name})", f"<keepdims = 1, axes = [{axis}]> (x)"
            )
            parts = parts.replace(
                f"<keepdims = 1> (s, {name})", f"<keepdims = 1, axes = [{axis}]> (s)"
            )
    real = "float" if dtype == "float16" else dtype  # the parser does not support 16-bit floats
    weights = [f"{real} {n} = {{{v}}}" for n, v in numbers.items()]
    weights += [f"{real}[3] w = {{1, 2, 3}}", f"{real}[3] b = {{0.5, -1, 2}}"]
    weights += [
        f"{real}[4,1] row = {{1, 2, 3, 4}}",
        "int64[1] last = {-1}",
        "int64[1] zeroth = {0}",
    ]
    text = f"""<ir_version: 10, opset_import: ["" : {opset}]>
        g ({dtype}[4,3] x) => ({dtype}[4,3] y) <{", ".join(weights)}> {{ {parts} }}"""
    return parse_model(text).SerializeToString()


def composed(data: bytes) -> "onnx.ModelProto":
    module = ge_onnx.load(data)
    PassManager.parse("infer-types,fixpoint(compose,dce)").run(module)
    return ge_onnx.to_onnx(module)


def run(proto: "onnx.ModelProto", dtype: Any = np.float32) -> np.ndarray:
    x = np.array([[-4, -1, 0.25], [0, 0.5, 2], [3, 7, -0.125], [-3, 1e-3, 11]], dtype)
    return ReferenceEvaluator(proto).run(None, {"x": x})[0]


@pytest.mark.parametrize(
    ("opset", "op", "parts"), [c[1:] for c in WHOLE], ids=[c[0] for c in WHOLE]
)
def test_parts_become_one(opset: int, op: str, parts: str) -> None:
    data = model(parts, opset)
    after = composed(data)
    onnx.checker.check_model(after, full_check=True)
    assert [n.op_type for n in after.graph.node] == [op]
    before = onnx.load_from_string(data)
    np.testing.assert_allclose(run(after), run(before), rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("opset", "op", "parts"), [c[1:] for c in LATER], ids=[c[0] for c in LATER]
)
def test_an_operator_that_the_model_has_not_is_not_made(opset: int, op: str, parts: str) -> None:
    assert op not in [n.op_type for n in composed(model(parts, opset - 1)).graph.node]


@pytest.mark.parametrize("parts", [c[1] for c in OTHER], ids=[c[0] for c in OTHER])
def test_what_only_looks_like_it_stays(parts: str) -> None:
    data = model(parts, 24)
    made = {n.op_type for n in composed(data).graph.node}
    assert not made & {"HardSwish", "Swish", "Mish", "RMSNormalization", "LayerNormalization"}


def test_a_norm_of_doubles_stays() -> None:
    data = model(f"{MEAN_SQUARE}  n = Div(x, d)  y = Mul(n, w)", 23, "double")
    assert "RMSNormalization" not in [n.op_type for n in composed(data).graph.node]


def test_a_norm_in_float_between_casts() -> None:
    parts = (
        "f = Cast <to = 1> (x)  s = Mul(f, f)  m = ReduceMean <keepdims = 1> (s, last)"
        "  a = Add(m, eps)  d = Sqrt(a)  n = Div(f, d)"
        "  h = Cast <to = 10> (n)  v = Cast <to = 10> (w)  y = Mul(h, v)"
    )
    data = model(parts, 23, "float16")
    module = ge_onnx.load(data)
    PassManager.parse("optimize").run(module)
    after = ge_onnx.to_onnx(module)
    assert [n.op_type for n in after.graph.node] == ["RMSNormalization"]
    before = onnx.load_from_string(data)
    np.testing.assert_allclose(run(after, np.float16), run(before, np.float16), rtol=1e-3)


def runs(data: bytes) -> Any:
    """Return the results under onnxruntime without its optimisations; None if it cannot run the model."""
    onnxruntime = pytest.importorskip("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    element = onnx.load_from_string(data).graph.input[0].type.tensor_type.elem_type
    x = np.array([[-4, -1, 0.25], [0, 0.5, 2], [3, 7, -0.125], [-3, 1e-3, 11]])
    x = x.astype(onnx.helper.tensor_dtype_to_np_dtype(element))
    try:
        return onnxruntime.InferenceSession(data, options).run(None, {"x": x})[0]
    except Exception:
        return None


def of_type(parts: str, opset: int, dtype: str) -> bytes:
    """Return the model with all floats of another type, also one that the parser does not read."""
    element = getattr(
        onnx.TensorProto, {"bfloat16": "BFLOAT16", "float16": "FLOAT16"}.get(dtype, dtype.upper())
    )
    made = onnx.load_from_string(model(parts, opset))
    for value in (*made.graph.input, *made.graph.output):
        value.type.tensor_type.elem_type = element
    for weight in made.graph.initializer:
        if weight.data_type == onnx.TensorProto.FLOAT:
            array = onnx.numpy_helper.to_array(weight)
            array = array.astype(onnx.helper.tensor_dtype_to_np_dtype(element))
            weight.CopyFrom(onnx.numpy_helper.from_array(array, weight.name))
    return made.SerializeToString()


TYPES = ["double", "float16", "bfloat16", "int8", "uint8", "int32", "int64", "uint32"]


@pytest.mark.nosan
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    ("since", "parts"), [(c[1], c[3]) for c in WHOLE], ids=[c[0] for c in WHOLE]
)
def test_element_types_of_the_runtime_and_the_opset(since: int, parts: str, dtype: str) -> None:
    for opset in {since, 17, 21, 22, 24} - set(range(since)):
        data = of_type(parts, opset, dtype)
        after = composed(data)
        old = {n.op_type for n in onnx.load_from_string(data).graph.node}
        made = {n.op_type for n in after.graph.node} - old
        for op in made:
            constraints = onnx.defs.get_schema(op, opset).type_constraints
            allowed = {text for c in constraints for text in c.allowed_type_strs}
            assert f"tensor({dtype})" in allowed, f"{op} of opset {opset}"
        before = runs(data)
        if before is None:
            continue
        found = runs(after.SerializeToString())
        assert found is not None, f"opset {opset}: {made} does not run"
        tolerance = 1e-2 if dtype == "float16" else 1e-5
        np.testing.assert_allclose(found, before, rtol=tolerance, atol=tolerance)
