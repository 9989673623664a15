"""Sizes are at least 0: rewrites of shapes also hold for an empty batch, and shapes keep their element type.

Reshape has no -1 beside a size of 0, and reads a 0 as "copy the operand's size", unless it says otherwise.
"""

from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
from onnx.parser import parse_model  # noqa: E402

import ge.onnx as ge_onnx  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented

# Bodies, and the shapes with which they run.
BODIES = {
    # An explicit size beside a free one.
    "rows": """(float[N,S,6] x) => (float[a,b] y) <int64 i = {0}, int64 k = {1}, int64[1] z = {0}, int64 n = {6}>
        { s = Shape(x) a = Gather(s, i) b = Gather(s, k) c = Mul(b, n) d = Unsqueeze(a, z) e = Unsqueeze(c, z)
          t = Concat<axis = 0>(d, e) y = Reshape(x, t) }""",
    # A Flatten and what only adds or removes a 1.
    "flat": """(float[N,S,5] x) => (float[a,b] y) <int64[1] one = {1}>
        { u = Unsqueeze(x, one) y = Flatten<axis = 1>(u) }""",
    "squeezed": """(float[N,1,S,5] x) => (float[a,b,c] y) <int64[1] one = {1}, int64[1] two = {2}>
        { q = Squeeze(x, one) f = Flatten<axis = 1>(q) y = Unsqueeze(f, two) }""",
    # A cache that grows, reshaped to its own sizes.
    "cache": """(float[N,H,P,4] p, float[N,H,S,4] x) => (float[a,b,c,4] y)
        <int64[1] i = {0}, int64[1] j = {1}, int64[1] k = {2}, int64[1] d = {4}>
        { t = Concat<axis = 2>(p, x) s = Shape(t) n = Gather(s, i) h = Gather(s, j) l = Gather(s, k)
          to = Concat<axis = 0>(n, h, l, d) y = Reshape(t, to) }""",
    # A -1 where the model itself has one: it fails there, too.
    "rest": """(float[N,S,4] x) => (float[a,b,c] y) <int64[1] i = {0}, int64[1] rest = {-1}, int64[1] two = {2}>
        { s = Shape(x) n = Gather(s, i) t = Concat<axis = 0>(n, rest) r = Reshape(x, t) y = Unsqueeze(r, two) }""",
    # A size of 0 that copies another one.
    "copies": """(float[N,1,N] x) => (float[a,b] y) <int64[1] i = {0}, int64[1] rest = {-1}>
        { s = Shape(x) n = Gather(s, i) t = Concat<axis = 0>(rest, n) y = Reshape(x, t) }""",
    "twice": """(float[N,4,1,N] x) => (float[a,b,c] y) <int64[1] i = {0}, int64[1] four = {4}>
        { s = Shape(x) n = Gather(s, i) t = Concat<axis = 0>(n, four, n) y = Reshape(x, t) }""",
}
SIZES: tuple[dict[str, int], ...] = (
    {"N": 2, "S": 3, "H": 2, "P": 1},
    {"N": 0, "S": 3, "H": 2, "P": 1},
    {"N": 2, "S": 0, "H": 2, "P": 0},
    {"N": 1, "S": 1, "H": 1, "P": 0},
)
BACK = """(float[A,B,4] x) => (float[a,b,c] y) <int64[2] rows = {-1, 4}>
    { s = Shape(x) f = Reshape(x, rows) y = Reshape(f, s) }"""


def model(body: str) -> Any:
    proto = parse_model(f'<ir_version: 8, opset_import: ["" : 17]> g {body}')
    for (
        output
    ) in proto.graph.output:  # names of sizes that are declared there would hide those of inputs
        output.type.tensor_type.ClearField("shape")
    return proto


def run(data: bytes, feed: dict[str, Any]) -> list[Any]:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    return list(session.run(None, feed))


def optimized(proto: Any, **options: Any) -> Any:
    module = ge_onnx.load(proto.SerializeToString())
    ge_onnx.optimize(module, **options)
    return onnx.load_from_string(ge_onnx.to_bytes(module))


def feed_of(proto: Any, sizes: dict[str, int]) -> dict[str, Any]:
    found = {}
    for value in proto.graph.input:
        dims = [
            sizes[d.dim_param] if d.dim_param else d.dim_value
            for d in value.type.tensor_type.shape.dim
        ]
        found[value.name] = np.arange(np.prod(dims), dtype=np.float32).reshape(dims)
    return found


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "default"])
@pytest.mark.parametrize("name", BODIES)
def test_what_runs_for_an_empty_batch_still_does(name: str, exact: bool) -> None:
    proto = model(BODIES[name])
    data = optimized(proto, exact=exact).SerializeToString()
    for sizes in SIZES:
        feed = feed_of(proto, sizes)
        try:
            (before,) = run(proto.SerializeToString(), feed)
        except Exception:
            continue
        (after,) = run(data, feed)
        assert before.shape == after.shape, sizes
        assert np.array_equal(before, after)


def test_a_minus_one_of_the_model_becomes_a_constant_shape() -> None:
    assert [node.op_type for node in optimized(model(BODIES["rest"])).graph.node] == ["Reshape"]


def test_flattening_and_back_is_not_exact_for_two_empty_sizes() -> None:
    proto = model(BACK)
    feed = {"x": np.ones((0, 0, 4), np.float32)}
    (before,) = run(proto.SerializeToString(), feed)
    assert before.shape == (0, 4, 4)  # the second 0 copies the 4
    (after,) = run(optimized(proto, exact=True).SerializeToString(), feed)
    assert after.shape == before.shape
    assert "Reshape" not in {node.op_type for node in optimized(proto).graph.node}


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64"])
def test_sizes_that_are_put_together_keep_their_element_type(dtype: str) -> None:
    to = {"int32": 6, "uint32": 12, "int64": 7}[dtype]
    proto = model(
        f"""(float[A,B,C] x) => ({dtype}[3] y, {dtype}[2] z) <int64 i = {{0}}, int64 j = {{1}}, int64 k = {{2}}, int64[1] o = {{0}}>
        {{ s = Shape(x) a = Gather(s, i) b = Gather(s, j) c = Gather(s, k)
           a1 = Cast<to = {to}>(a) b1 = Cast<to = {to}>(b) c1 = Cast<to = {to}>(c)
           a2 = Unsqueeze(a1, o) b2 = Unsqueeze(b1, o) c2 = Unsqueeze(c1, o)
           y = Concat<axis = 0>(a2, b2, c2) z = Concat<axis = 0>(a2, b2) }}"""
    )
    feed = {"x": np.ones((2, 3, 5), np.float32)}
    after = optimized(proto)
    for old, new in zip(
        run(proto.SerializeToString(), feed), run(after.SerializeToString(), feed), strict=True
    ):
        assert old.dtype == new.dtype
        assert old.tolist() == new.tolist()
    assert sum(node.op_type == "Concat" for node in after.graph.node) == 1
