"""Quantised content is kept, and models do not grow because constants become wider: both by every built-in pass.

Passes are taken from the registry, so that a new one is tested, too.
"""

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from cli_run import ge

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from random_quantised import make_quantised  # noqa: E402

import ge.onnx as ge_onnx  # noqa: E402
from ge.passes import PassManager, list_passes  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented

PASSES = [p["name"] for p in list_passes() if p["kind"] == "native" and not p["origin"]]
# Passes that use types need them first.
PIPELINES = [name if name == "optimize" else f"infer-types,{name}" for name in PASSES]
RANDOM = np.random.default_rng(7)
W8 = RANDOM.integers(-9, 10, (48, 48)).astype(np.int8)
W32 = RANDOM.standard_normal((48, 48)).astype(np.float32)
VECTOR = (RANDOM.random(48) + 0.5).astype(np.float32)
IMAGE = RANDOM.integers(-9, 10, (48, 4, 3, 3)).astype(np.int8)
SCALE, ZERO = np.float32(0.05), np.int8(0)
WIDE = {TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT32, TensorProto.INT64}
LIST = [1] * 40


def model(
    parts: str,
    weights: dict[str, Any],
    shape: list[Any] | None = None,
    opset: int = 21,
    dtype: int = TensorProto.FLOAT,
) -> "onnx.ModelProto":
    """Return a model of ``y = Op(a, b) attribute=1``, ...; from ``x`` to ``y``."""
    nodes = []
    for part in parts.split(";"):
        results, call = part.strip().split(" = ", 1)
        op, rest = call.split("(", 1)
        operands, attributes = rest.split(")", 1)
        pairs = dict(pair.split("=") for pair in attributes.split())
        nodes.append(
            helper.make_node(
                op,
                [o.strip() for o in operands.split(",")],
                [r.strip() for r in results.split(",")],
                **{key: numbers(value) for key, value in pairs.items()},
            )
        )
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", dtype, ["N", 48] if shape is None else shape)],
        [helper.make_tensor_value_info("y", dtype, None)],
        [
            w if isinstance(w, TensorProto) else numpy_helper.from_array(np.asarray(w), name)
            for name, w in weights.items()
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def numbers(text: str) -> Any:
    if text.isalpha():
        return text
    values = [int(n) for n in text.split(":")]
    return values if ":" in text else values[0]


def run(data: "onnx.ModelProto", pipeline: str | None = None, **options: Any) -> "onnx.ModelProto":
    module = ge_onnx.load(data.SerializeToString())
    ge_onnx.optimize(module, pipeline, **options)
    return ge_onnx.to_onnx(module)


def ops(data: "onnx.ModelProto") -> list[str]:
    return [node.op_type for node in data.graph.node]


def bytes_by_type(data: "onnx.ModelProto") -> dict[int, int]:
    """Return the bytes of constants, of weights and of nodes, by their element types."""
    tensors = [*data.graph.initializer]
    tensors += [a.t for n in data.graph.node for a in n.attribute if a.HasField("t")]
    found: dict[int, int] = {}
    for tensor in tensors:
        size = len(tensor.raw_data) or numpy_helper.to_array(tensor).nbytes
        found[tensor.data_type] = found.get(tensor.data_type, 0) + size
    return found


def wide(data: "onnx.ModelProto") -> int:
    return sum(size for dtype, size in bytes_by_type(data).items() if dtype in WIDE)


def total(data: "onnx.ModelProto") -> int:
    return sum(bytes_by_type(data).values())


DQ = "d = DequantizeLinear(w, s, z)"
NARROW = {"w": W8, "s": SCALE, "z": ZERO}
# What each built-in pass looks for, on quantised weights.
QUANTISED = {
    "product": model(f"{DQ}; y = MatMul(x, d)", NARROW),
    "scale before": model(f"{DQ}; a = Mul(x, k); y = MatMul(a, d)", {**NARROW, "k": np.float32(3)}),
    "scale after": model(f"{DQ}; a = MatMul(x, d); y = Mul(a, k)", {**NARROW, "k": np.float32(3)}),
    "sum": model(f"{DQ}; a = MatMul(x, d); y = Add(a, b)", {**NARROW, "b": VECTOR}),
    "Gemm and norm": model(
        f"{DQ}; a = Gemm(x, d); y = BatchNormalization(a, v, v, v, v)", {**NARROW, "v": VECTOR}
    ),
    "Conv and norm": model(
        "d = DequantizeLinear(w, s, z); a = Conv(x, d); y = BatchNormalization(a, v, v, v, v)",
        {**NARROW, "w": IMAGE, "v": VECTOR},
        ["N", 4, 8, 8],
    ),
    "Conv with a quantised bias": model(
        "d = DequantizeLinear(w, s, z); e = DequantizeLinear(b, t); a = Conv(x, d, e); y = Mul(a, v)",
        {**NARROW, "w": IMAGE, "b": np.arange(48, dtype=np.int32), "t": SCALE, "v": VECTOR.reshape(48, 1, 1)},
        ["N", 4, 8, 8],
    ),
    "three products": model(
        "d = DequantizeLinear(w, s, z); e = DequantizeLinear(v, s, z); f = DequantizeLinear(u, s, z);"
        "a = MatMul(x, d); b = MatMul(x, e); c = MatMul(x, f); y = Concat(a, b, c) axis=1",
        {**NARROW, "v": W8 + np.int8(1), "u": W8 - np.int8(1)},
    ),
    "moved": model(
        f"{DQ}; t = Transpose(d) perm=1:0; a = Reshape(t, n); y = MatMul(x, a)",
        {**NARROW, "n": np.array([48, 48])},
    ),
    "two factors": model(f"{DQ}; a = Mul(d, k); b = Mul(a, k); y = Add(x, b)", {**NARROW, "w": W8[:1], "k": np.float32(2)}),
    "neutral": model(f"{DQ}; a = Mul(d, k); y = MatMul(x, a)", {**NARROW, "k": np.float32(1)}),
    "int4 in blocks": model(
        "d = DequantizeLinear(w, s) axis=0 block_size=16; y = MatMul(x, d)",
        {"w": helper.make_tensor("w", TensorProto.INT4, (48, 48), (W8 % 8).ravel()), "s": np.full((3, 48), 0.1, np.float32)},
    ),
    "f8": model(f"{DQ}; y = MatMul(x, d)", {**NARROW, "w": W8.astype(ml_dtypes.float8_e5m2), "z": ml_dtypes.float8_e5m2(0)}),
    "u16": model(f"{DQ}; y = MatMul(x, d)", {**NARROW, "w": W8.astype(np.uint16), "z": np.uint16(9)}),
    "Cast": model("d = Cast(w) to=1; a = Mul(d, s); y = MatMul(x, a)", NARROW),
    "Cast of f8": model("d = Cast(w) to=1; y = MatMul(x, d)", {"w": W8.astype(ml_dtypes.float8_e4m3fn)}),
    "two Casts": model("c = Cast(w) to=6; d = Cast(c) to=1; y = MatMul(x, d)", {"w": W8}),
    "like another": model("d = CastLike(w, x); y = MatMul(x, d)", {"w": W8}),
    "integers": model("a = MatMulInteger(w, w, z, z); d = Cast(a) to=1; y = MatMul(x, d)", NARROW),
    "few elements": model(f"{DQ}; y = Mul(x, d)", {**NARROW, "w": np.int8(5)}),
    "table": model("a = Gather(w, n); d = DequantizeLinear(a, s, z); y = Add(x, d)", {**NARROW, "n": np.array([3])}),
    "as wide": model("a = Where(m, w, v); d = DequantizeLinear(a, s, z); y = MatMul(x, d)",
                     {**NARROW, "v": W8 + np.int8(1), "m": W8 > 0}),
}  # fmt: skip
HALF = W32.astype(np.float16)
WIDENED = {
    "f16": model("d = Cast(w) to=1; y = MatMul(x, d)", {"w": HALF}),
    "bf16": model("d = Cast(w) to=1; y = MatMul(x, d)", {"w": W32.astype(ml_dtypes.bfloat16)}),
    "f16 transposed": model("t = Transpose(w) perm=1:0; d = Cast(t) to=1; y = MatMul(x, d)", {"w": HALF}),
    "f16 and a factor": model("d = Cast(w) to=1; a = Mul(d, k); y = MatMul(x, a)", {"w": HALF, "k": np.float32(2)}),
    "f16 twice": model("d = Cast(w) to=1; a = MatMul(x, d); e = Cast(w) to=1; y = MatMul(a, e)", {"w": HALF}),
    "mask": model("d = Cast(m) to=1; y = MatMul(x, d)", {"m": W8 > 0}),
    "many small ones": model(
        "; ".join(f"d{i} = Cast(w{i}) to=1; v{i} = Mul({'x' if i == 0 else f'v{i - 1}'}, d{i})" for i in range(30))
        + "; y = Identity(v29)",
        {f"w{i}": HALF[i] for i in range(30)},
    ),
    "two in a byte": model(
        "a = BitwiseAnd(w, m); b = BitShift(w, k) direction=RIGHT; c = Concat(a, b) axis=0; d = Cast(c) to=1; y = MatMul(x, d)",
        {"w": W8[:24].astype(np.uint8), "m": np.uint8(15), "k": np.uint8(4)},
    ),
    "eight in a word": model(
        "u = Unsqueeze(w, o); b = BitShift(u, k) direction=RIGHT; a = BitwiseAnd(b, m); r = Reshape(a, n); d = Cast(r) to=1; y = MatMul(x, d)",
        {"w": W8[:6].astype(np.uint32), "o": np.array([0]), "k": np.arange(0, 32, 4, dtype=np.uint32).reshape(8, 1, 1),
         "m": np.uint32(15), "n": np.array([48, 48])},
    ),
    "i32": model("c = Cast(w) to=7; d = Gather(c, n); e = Cast(d) to=1; y = Add(x, e)",
                 {"w": W8.astype(np.int32), "n": np.arange(48)}),
    "f16 needed besides": model("d = Cast(w) to=1; a = MatMul(x, d); h = Cast(x) to=10; b = MatMul(h, w); "
                                "c = Cast(b) to=1; y = Add(a, c)", {"w": HALF}),
}  # fmt: skip


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_no_pass_makes_quantised_content_wide(pipeline: str) -> None:
    models = {**QUANTISED, **{f"seed {seed}": make_quantised(seed).model for seed in range(12)}}
    grown = {}
    for name, data in models.items():
        before, after = bytes_by_type(data), bytes_by_type(run(data, pipeline))
        allowed = sum(n for t, n in before.items() if t in WIDE) + sum(before.values()) // 20 + 160
        if sum(n for t, n in after.items() if t in WIDE) > allowed:
            grown[name] = (before, after)
    assert not grown


@pytest.mark.parametrize("name", list(QUANTISED))
@pytest.mark.parametrize("exact", [False, True], ids=["default", "exact"])
def test_nodes_that_dequantise_stay(name: str, exact: bool) -> None:
    data = QUANTISED[name]
    widening = {"DequantizeLinear", "MatMulInteger", "Cast", "CastLike"}
    before = [op for op in ops(data) if op in widening]
    after = [op for op in ops(run(data, exact=exact)) if op in widening]
    # Two Casts are one, if the first loses nothing.
    assert after == (["Cast"] if name == "two Casts" else before)


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_no_pass_makes_a_model_larger_by_wider_constants(pipeline: str) -> None:
    grown = {
        name: (total(data), size)
        for name, data in WIDENED.items()
        if (size := total(run(data, pipeline))) > total(data) * 1.05 + 64
    }
    assert not grown


def test_few_wider_constants_are_made() -> None:
    weights = {"w": W32, "h": HALF[0, :20], "k": np.float16(2)}
    data = model(
        "a = MatMul(x, w); d = Cast(h) to=1; s = ReduceSum(d); e = Cast(k) to=1; f = Mul(s, e); y = Mul(a, f)",
        weights,
    )
    assert "Cast" not in ops(run(data))


def test_all_wider_constants_are_made_or_none() -> None:
    first = HALF.ravel()[:150]
    parts = "a = MatMul(x, w); d = Cast(h) to=1; s = ReduceSum(d); b = Add(a, s)"
    weights = {"w": W32, "h": first}
    assert ops(run(model(f"{parts}; y = Neg(b)", weights))).count("Cast") == 0
    more = f"{parts}; e = Cast(g) to=1; t = ReduceSum(e); y = Add(b, t)"
    both = run(model(more, {**weights, "g": HALF.ravel()[200:350]}))
    assert ops(both).count("Cast") == 2  # of 300 bytes each, and a twentieth is 490


def test_the_first_that_is_too_wide_is_remarked() -> None:
    module = ge_onnx.load(WIDENED["many small ones"].SerializeToString())
    result = PassManager.parse("infer-types,fixpoint(constant-fold,dce)").run(module)
    texts = [str(remark) for each in result.passes for remark in each.remarks]
    assert sum("option 'growth'" in text for text in texts) == 1, texts


def test_growth_is_an_option() -> None:
    for growth, casts in ((5, 1), (99, 1), (100, 0)):
        data = run(WIDENED["f16"], f"infer-types,constant-fold{{growth={growth}}},dce")
        assert ops(data).count("Cast") == casts, growth


@pytest.mark.parametrize("name", list(QUANTISED))
def test_quantised_content_is_folded_on_request(name: str) -> None:
    after = run(QUANTISED[name], fold_quantized=True)
    assert (
        not {"DequantizeLinear", "MatMulInteger", "Cast"} & set(ops(after))
        or name == "like another"
    )
    session(after)


def session(data: "onnx.ModelProto") -> Any:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(data.SerializeToString(), options)


@pytest.mark.slow
def test_the_switch_is_an_option_of_the_command_and_of_the_pass(tmp_path: Path) -> None:
    path, out = tmp_path / "m.onnx", tmp_path / "o.onnx"
    onnx.save(QUANTISED["product"], path)

    def left(*options: str) -> list[str]:
        assert ge("optimize", path, "-o", out, "--force", *options).status == 0
        return ops(onnx.load(out))

    assert left() == ["DequantizeLinear", "MatMul"]
    assert left("--fold-quantized") == ["MatMul"]
    assert left("--passes", "infer-types,constant-fold{fold-quantized=true}") == ["MatMul"]
    assert left(
        "--fold-quantized", "--passes", "infer-types,constant-fold{fold-quantized=false}"
    ) == [
        "DequantizeLinear",
        "MatMul",
    ]
    (result,) = ge_onnx.optimize_many(
        [path], output_dir=tmp_path / "many", jobs=1, fold_quantized=True
    )
    assert result.nodes == (2, 1)


# --- What is folded --------------------------------------------------------------------------------


def test_floats_that_are_quantised_become_quantised_constants() -> None:
    data = model(
        "q = QuantizeLinear(w, s, z); d = DequantizeLinear(q, s, z); y = MatMul(x, d)",
        {**NARROW, "w": W32},
    )
    after = run(data)
    assert ops(after) == ["DequantizeLinear", "MatMul"]
    assert bytes_by_type(after)[TensorProto.INT8] > W8.size
    feed = {"x": W32[:4]}
    np.testing.assert_array_equal(
        session(data).run(None, feed)[0], session(after).run(None, feed)[0]
    )


def test_what_only_quantised_values_need_is_computed() -> None:
    parts = f"{DQ}; t = Transpose(d) perm=1:0; r = Relu(t); q = QuantizeLinear(r, k, z); e = DequantizeLinear(q, k, z)"
    data = model(f"{parts}; y = MatMul(x, e)", {**NARROW, "k": np.float32(0.02)})
    after = run(data, exact=True)
    assert ops(after) == ["DequantizeLinear", "MatMul"]
    feed = {"x": W32[:4]}
    np.testing.assert_array_equal(
        session(data).run(None, feed)[0], session(after).run(None, feed)[0]
    )
    besides = model(
        f"{parts}; a = MatMul(x, e); y = MatMul(a, r)", {**NARROW, "k": np.float32(0.02)}
    )
    assert ops(run(besides)).count("DequantizeLinear") == 2


@pytest.mark.parametrize(
    "parts",
    [
        "c = Cast(n) to=7; s = Slice(c, a, b); y = Reshape(x, s)",
        "c = Cast(n) to=7; s = Slice(c, a, b); t = Add(s, z); y = Expand(x, t)",
        "d = DequantizeLinear(n, f); s = Slice(d, a, b); c = Cast(s) to=7; y = Reshape(x, c)",
    ],
)
def test_sizes_are_computed_from_quantised_constants(parts: str) -> None:
    sizes = np.array([*LIST, 2, 24], np.uint8)
    weights = {
        "n": sizes, "a": np.array([40]), "b": np.array([42]), "z": np.array([0, 0]), "f": np.float32(1)
    }  # fmt: skip
    data = model(parts, weights, [1, 48] if "Reshape" in parts else [1, 1])
    after = run(data)
    assert not {"Cast", "DequantizeLinear", "Slice"} & set(ops(after))


@pytest.mark.parametrize("element", [TensorProto.INT8, TensorProto.UINT8, TensorProto.BOOL])
def test_casts_of_few_elements_are_evaluated(element: int) -> None:
    weights = {"k": helper.make_tensor("k", element, [16], [1] * 16)}
    data = model("c = Cast(k) to=1; s = ReduceSum(c); y = Mul(x, s)", weights)
    assert ops(run(data)) == ["Mul"]


def test_what_is_narrow_or_small_is_folded() -> None:
    data = model(
        "t = Transpose(w) perm=1:0; n = Shape(w); k = ArgMax(w) axis=0; m = Equal(w, v);"
        "d = DequantizeLinear(t, s, z); a = MatMul(x, d); b = Where(m, a, c); e = Gather(b, k) axis=1; "
        "y = Expand(e, n)",
        {**NARROW, "v": W8.T.copy(), "c": np.float32(3)},
        [48, 48],
    )
    left = set(ops(run(data)))
    assert not {"Transpose", "Shape", "ArgMax", "Equal"} & left


# --- Annotations -----------------------------------------------------------------------------------


def annotated(parts: str, weights: dict[str, Any], tensor: str = "t") -> "onnx.ModelProto":
    data = model(parts, {**weights, "t_scale": np.float32(0.5), "t_zero": np.int8(3)})
    annotation = data.graph.quantization_annotation.add(tensor_name=tensor)
    for key, name in (("SCALE_TENSOR", "t_scale"), ("ZERO_POINT_TENSOR", "t_zero")):
        annotation.quant_parameter_tensor_names.add(key=key, value=name)
    return data


def names(data: "onnx.ModelProto") -> tuple[set[str], set[str]]:
    """Return the tensors that annotations name, and those that there are."""
    graph = data.graph
    named = {a.tensor_name for a in graph.quantization_annotation}
    named |= {
        e.value for a in graph.quantization_annotation for e in a.quant_parameter_tensor_names
    }
    there = {w.name for w in graph.initializer} | {i.name for i in graph.input}
    return named, there | {name for node in graph.node for name in node.output}


@pytest.mark.parametrize(
    "pipeline", [*PIPELINES, "infer-types,fixpoint(eliminate-identity,cse,dce)"]
)
@pytest.mark.parametrize(
    "parts",
    [
        "t = Relu(x); y = Neg(t)",
        "t = Identity(x); y = Neg(t)",  # keeps the name
        "a = Relu(x); t = Relu(a); y = Neg(t)",
        "a = Exp(x); t = Exp(x); y = Sub(a, t)",
    ],
)
def test_tensors_that_annotations_name_stay(pipeline: str, parts: str) -> None:
    named, there = names(run(annotated(parts, {}), pipeline))
    assert named == {"t", "t_scale", "t_zero"}
    assert named <= there


@pytest.mark.parametrize("equal", [np.float32(0.5), np.float32(0.25)])
def test_parameters_of_annotations_are_not_merged_away(equal: Any) -> None:
    data = annotated("t = Relu(x); u = Add(t, k); v = Sub(u, t_scale); y = Neg(v)", {"k": equal})
    named, there = names(run(data))
    assert named == {"t", "t_scale", "t_zero"}
    assert named <= there


def test_an_annotation_goes_with_its_tensor() -> None:
    data = annotated("t = MatMul(x, w); y = Add(t, b)", {"w": W32, "b": VECTOR})
    after = run(data)
    assert ops(after) == ["Gemm"]
    assert not after.graph.quantization_annotation
    assert not {"t_scale", "t_zero"} & {w.name for w in after.graph.initializer}
