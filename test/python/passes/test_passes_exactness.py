"""Exactness of built-in passes: each rewrite states how it may change results, and switches disable classes.

The classes are those of docs/builtin-passes.md. test_passes_bits.py tests with random models that rewrites keep the
promise of their class.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_run import ge

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx.parser import parse_model  # noqa: E402

import ge.onnx as ge_onnx  # noqa: E402
from ge import optimize  # noqa: E402
from ge.ir import ParseError  # noqa: E402
from ge.passes import PassManager, list_passes  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented

CLASSES = ("exact", "reassociating", "approximate")
BUILT_IN = [p for p in list_passes() if p["kind"] == "native" and not p["origin"]]


def numbers(seed: int) -> str:
    """Return 128 random numbers as text."""
    return ", ".join(f"{n:.6f}" for n in np.random.default_rng(seed).standard_normal(128))


# Keyed by the pass that rewrites it: the body of a model with opset 17.
REASSOCIATING = {
    "compose": """(float[2,3] x) => (float[2,3] y) <float three = {3.0}, float zero = {0.0}, float six = {6.0}>
        { s = Add(x, three) c = Clip(s, zero, six) y = Div(c, six) }""",
    "fold-batch-norm": """(float[1,1,4] x) => (float[1,2,4] y)
        <float[2,1,1] w = {1.5, -2.5}, float[1,2,1] s = {3.0, 7.0}>
        { c = Conv(x, w) y = Mul(c, s) }""",
    "fold-scale": """(float[2,2] x) => (float[2,2] y) <float[2,2] w = {1.0, 2.0, 3.0, 4.0}, float s = {0.1}>
        { m = MatMul(x, w) y = Mul(m, s) }""",
    "fuse-matmul-add": """(float[2,2] x) => (float[2,2] y) <float[2,2] w = {1.0, 2.0, 3.0, 4.0}, float[2] b = {0.1, 0.2}>
        { m = MatMul(x, w) y = Add(m, b) }""",
    "unflatten-gemm": """(float[2,3,2] x) => (float[2,3,2] y)
        <float[2,2] w = {1.0, 2.0, 3.0, 4.0}, int64[2] f = {6, 2}, int64[3] t = {2, 3, 2}>
        { r = Reshape(x, f) g = Gemm(r, w) y = Reshape(g, t) }""",
    "merge-matmuls": f"""(float[1,2,32] x) => (float[1,2,4] y)
        <float[32,4] q = {{{numbers(1)}}}, float[32,4] k = {{{numbers(2)}}}, float[32,4] v = {{{numbers(3)}}}>
        {{ a = MatMul(x, q) b = MatMul(x, k) c = MatMul(x, v) d = Mul(a, b) y = Sub(c, d) }}""",
    "merge-chains": """(float[2,2] x) => (float[2,2] y) <float a = {0.1}, float b = {0.3}>
        { m = Mul(x, a) y = Mul(m, b) }""",
}
ARGMAX = "(float[2,3] x) => (int64[2,1] y) { s = Softmax(x) y = ArgMax <axis = 1> (s) }"


def model(body: str) -> Any:
    return parse_model(f'<ir_version: 8, opset_import: ["" : 17]> g {body}')


def operators(data: Any, pipeline: str = "optimize") -> list[str]:
    """Return the operators of the model after a pipeline."""
    module = ge_onnx.load(data.SerializeToString())
    PassManager.parse(pipeline).run(module)
    after = onnx.load_from_string(ge_onnx.to_bytes(module))
    return [node.op_type for node in after.graph.node]


def test_each_built_in_pass_states_its_class() -> None:
    for each in BUILT_IN:
        assert each["exactness"] in CLASSES, each["name"]
        stricter = CLASSES.index(each["exactness"])
        for what, exactness in each["rewrites"].items():
            assert what and CLASSES.index(exactness) > stricter, (each["name"], what)
        is_exact = each["exactness"] == "exact" and not each["rewrites"]
        assert is_exact == ("exactness" not in each["options"]), each["name"]


def test_the_page_shows_the_classes() -> None:
    page = (Path(__file__).parents[3] / "docs" / "builtin-passes.md").read_text(encoding="utf-8")
    rows = {
        cells[1].strip(): cells[2].strip()
        for line in page.splitlines()
        if line.startswith("| `") and (cells := line.split("|"))
    }
    expected = {
        f"`{each['name']}`": "; ".join(
            [each["exactness"], *(f"{cls}: {what}" for what, cls in each["rewrites"].items())]
        )
        for each in BUILT_IN
    }
    assert rows == expected


@pytest.mark.parametrize("name", REASSOCIATING)
def test_a_pass_that_rounds_otherwise_does_so_only_where_it_may(name: str) -> None:
    before = model(REASSOCIATING[name])
    kept = [node.op_type for node in before.graph.node]
    assert operators(before, f"infer-types,{name}") != kept
    assert operators(before, f"infer-types,{name}{{exactness=exact}}") == kept
    assert operators(before, "optimize{exactness=exact}") == kept
    assert len(operators(before)) <= len(kept)


def test_products_of_one_operand_become_one() -> None:
    before = model(REASSOCIATING["merge-matmuls"])
    data = before.SerializeToString()
    module = ge_onnx.load(data)
    report = ge_onnx.optimize(module)
    assert report.after.operators == {
        "onnx.MatMul": 1,
        "onnx.Mul": 1,
        "onnx.Split": 1,
        "onnx.Sub": 1,
    }
    assert report.after.weights <= report.before.weights + 24
    assert ge_onnx.check(data, module)
    once = ge_onnx.to_bytes(module)
    assert not ge_onnx.optimize(module).changed
    assert ge_onnx.to_bytes(module) == once
    # Merging two products would not save a node, and onnxruntime fuses three products with biases to attention.
    for text in (
        before_text("c = MatMul(x, v)", "c = Relu(a)"),
        before_text("d = Mul(a, b)", "e = Add(a, one) f = Add(b, one) d = Mul(e, f)"),
    ):
        assert "Split" not in operators(model(text))


def test_many_products_of_one_operand_take_few_rewrites() -> None:
    """600 products become at most three in at most four rewrites: merged products do not block merging the others."""
    count = 600
    rng = np.random.default_rng(7)
    weights = [rng.integers(-3, 4, (32, 1)).astype(np.float32) for _ in range(count)]
    nodes = [onnx.helper.make_node("MatMul", ["x", f"w{i}"], [f"m{i}"]) for i in range(count)]
    nodes.append(onnx.helper.make_node("Concat", [f"m{i}" for i in range(count)], ["y"], axis=1))
    graph = onnx.helper.make_graph(
        nodes,
        "g",
        [onnx.helper.make_tensor_value_info("x", 1, [2, 32])],
        [onnx.helper.make_tensor_value_info("y", 1, [2, count])],
        [onnx.numpy_helper.from_array(w, f"w{i}") for i, w in enumerate(weights)],
    )
    imports = [onnx.helper.make_opsetid("", 17)]
    data = onnx.helper.make_model(graph, ir_version=8, opset_imports=imports).SerializeToString()
    module = ge_onnx.load(data)
    result = PassManager.parse("infer-types,merge-matmuls").run(module)
    assert result.passes[-1].statistics["rewritten"] <= 4
    assert [n.op for n in module.graphs[0].nodes].count("onnx.MatMul") <= 3
    assert ge_onnx.check(data, module)


def before_text(old: str, new: str) -> str:
    text = REASSOCIATING["merge-matmuls"]
    assert old in text
    return text.replace(old, new).replace(">\n", ", float one = {1.5}>\n")


def test_constants_are_weights_and_no_nodes() -> None:
    """Runtimes execute nodes, so constants become weights, in bodies too; in functions they stay nodes."""
    before = model(
        """(float[2] x, bool c) => (float[2] y)
        { a = Constant <value = float[2] {1.5, -2.5}> () s = Mul(x, a)
          y = If (c) <
            then_branch = t () => (float[2] p) { k = Constant <value_floats = [0.5, 0.25]> () p = Mul(s, k) },
            else_branch = e () => (float[2] n) { n = Neg(s) }> }"""
    )
    module = ge_onnx.load(before.SerializeToString())
    ge_onnx.optimize(module)
    after = onnx.load_from_string(ge_onnx.to_bytes(module))
    bodies = [a.g for node in after.graph.node for a in node.attribute if a.HasField("g")]
    assert not [n for g in (after.graph, *bodies) for n in g.node if n.op_type == "Constant"]
    assert [t.name for t in after.graph.initializer] == ["a"]
    assert ge_onnx.check(before.SerializeToString(), module)


def test_what_is_only_near_is_left_to_fast_math() -> None:
    before = model(ARGMAX)
    assert operators(before) == ["Softmax", "ArgMax"]
    assert operators(before, "optimize{exactness=approximate}") == ["ArgMax"]
    # Softmax rounds two different numbers to the same value, so the index of the maximum changes.
    x = np.float32([[0.0, 1e-9, -50.0], [5.0, 4.0, 0.0]])
    session = __import__("onnxruntime").InferenceSession(before.SerializeToString())
    assert session.run(None, {"x": x})[0].tolist() == [[0], [0]]
    assert np.argmax(x, 1).tolist() == [1, 0]


def test_an_option_of_an_alias_goes_to_its_passes() -> None:
    text = "dce,optimize{exactness=exact}"
    assert str(PassManager.parse(text)) == text
    expanded = optimize.pipeline_text(text, expand=True)
    assert "fold-scale{exactness=exact}" in expanded and "optimize" not in expanded
    assert "cse," in expanded  # `cse` has no such option
    assert str(PassManager.parse(expanded)) == expanded
    with pytest.raises(
        ParseError, match="'exactness' is exact, reassociating or approximate, not 'no'"
    ):
        PassManager.parse("optimize{exactness=no}")
    with pytest.raises(ParseError, match="'cse' has no option 'exactness'; it has none"):
        PassManager.parse("cse{exactness=exact}")


def test_a_switch_leaves_alone_what_the_pipeline_says() -> None:
    text = optimize.pipeline_text(
        "cse,fixpoint(fold-scale,compose{exactness=reassociating}),onnx.If(fold-scale)",
        exactness="exact",
    )
    assert text == (
        "cse,fixpoint(fold-scale{exactness=exact},compose{exactness=reassociating}),"
        "onnx.If(fold-scale{exactness=exact})"
    )
    assert optimize.pipeline_text(exactness="exact") == "optimize{exactness=exact}"
    skipped = optimize.pipeline_text("optimize{exactness=exact}", skip=["cse"])
    assert "fold-scale{exactness=exact}" in skipped and "cse" not in skipped


def test_the_switches_of_python_and_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(model(REASSOCIATING["fuse-matmul-add"]), path)

    def left(*switches: str) -> list[str]:
        target = tmp_path / "o.onnx"
        done = ge("optimize", path, "-o", target, *switches)
        assert (done.status, done.err) == (0, "")
        return [node.op_type for node in onnx.load(target).graph.node]

    assert left() == ["Gemm"]
    assert left("--exact") == ["MatMul", "Add"]
    assert left("--exact", "--passes", "infer-types,fuse-matmul-add") == ["MatMul", "Add"]
    assert left("--exact", "--skip", "cse") == ["MatMul", "Add"]
    module = ge_onnx.load(path)
    assert ge_onnx.optimize(module, exact=True).pipeline == "optimize{exactness=exact}"
    assert [node.op for node in module.graphs["g"].walk() if node.op.startswith("onnx.")] == [
        "onnx.MatMul",
        "onnx.Add",
    ]
    (result,) = ge_onnx.optimize_many([path], output_dir=tmp_path / "many", jobs=1, exact=True)
    assert result.nodes == (2, 2)
    onnx.save(model(ARGMAX), path)
    assert left() == ["Softmax", "ArgMax"]
    assert left("--fast-math") == ["ArgMax"]
    both = ge("optimize", path, "-o", tmp_path / "o.onnx", "--exact", "--fast-math")
    assert both.status == 2 and "--exact and --fast-math contradict each other" in both.err
    with pytest.raises(ValueError, match="exact and fast_math contradict each other"):
        ge_onnx.optimize(module, exact=True, fast_math=True)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        # Folded weights would be infinite, or subnormal.
        ("fold-batch-norm", "1.5, -2.5", "1.5, 2e38"),
        ("fold-batch-norm", "1.5, -2.5", "1.5, 1e-39"),
        ("fold-scale", "{0.1}", "{3e38}"),
        ("fold-scale", "{0.1}", "{1e-38}"),
        ("merge-chains", "{0.1}", "{1e-38}"),
        ("merge-chains", "{0.1}", "{1e-45}"),
    ],
)
def test_weights_stay_finite_and_normal(name: str, old: str, new: str) -> None:
    before = model(REASSOCIATING[name].replace(old, new))
    assert operators(before, f"infer-types,{name}") == [n.op_type for n in before.graph.node]


def test_weights_that_are_zero_stay_so() -> None:
    before = model(REASSOCIATING["fold-scale"].replace("1.0, 2.0", "0.0, 2.0"))
    assert operators(before, "infer-types,fold-scale") == ["MatMul"]


# Keyed by what a wrong rewrite would change: the body of a model, and inputs for which it would.
EXACT = {
    "the sign of a zero": (
        "(float[3] x) => (float[3] y) <float zero = {0.0}> { s = Add(x, zero) y = Reciprocal(s) }",
        {"x": np.float32([-0.0, 0.0, 1.0])},
    ),
    "zero from the other side": (
        "(float[3] x) => (float[3] y) <float[1] zero = {-0.0}> { s = Sub(x, zero) y = Reciprocal(s) }",
        {"x": np.float32([-0.0, 0.0, 1.0])},
    ),
    "the end of a backward slice": (
        """(float[4] x) => (float[4] y, int64[1] n)
        <int64[1] s = {-1}, int64[1] e = {9223372036854775807}, int64[1] a = {0}, int64[1] t = {-1}>
        { y = Slice(x, s, e, a, t) n = Shape(y) }""",
        {"x": np.float32([1, 2, 3, 4])},
    ),
    "a window of one element": (
        "(float[1,1,4] x) => (float[1,1,4] y) { y = MaxPool <kernel_shape = [1]> (x) }",
        {"x": np.float32([[[np.nan, -np.inf, -0.0, 1]]])},
    ),
    "an average of one element": (
        "(float[1,1,2] x) => (float[1,1,2] y) { a = AveragePool <kernel_shape = [1]> (x) y = Reciprocal(a) }",
        {"x": np.float32([[[-0.0, 1]]])},
    ),
    "an average of zeros and of padding": (
        """(float[1,1,2,2] x) => (float[1,1,3,3] y) <int64[8] p = {0, 0, 1, 1, 0, 0, 1, 1}>
        { s = Pad(x, p) a = AveragePool <kernel_shape = [2, 2]> (s) y = Reciprocal(a) }""",
        {"x": np.float32([[[[-0.0, -0.0], [0.0, 1.0]]]])},
    ),
    "a sum of integers that overflows": (
        """(int64[2,2,2] x) => (int64[1,1,1] y) <int64[2] a = {0, 2}, int64[1] b = {1}>
        { s = ReduceSum(x, a) y = ReduceSum(s, b) }""",
        {"x": np.array([[[-2, -2], [-(2**63), -(2**63)]], [[1, 2**63 - 1], [1, -(2**63)]]])},
    ),
    "a choice between zeros": (
        "(bool[2] c, float[2] x, float[2] z) => (float[2] y) { n = Not(c) w = Where(n, x, z) y = Reciprocal(w) }",
        {"c": np.array([True, False]), "x": np.float32([-0.0, -0.0]), "z": np.float32([-0.0, 0.0])},
    ),
    "padding with two zeros": (
        """(float[1] x) => (float[3] y) <int64[2] p = {0, 1}, float a = {0.0}, float b = {-0.0}>
        { s = Pad(x, p, a) t = Pad(s, p, b) y = Reciprocal(t) }""",
        {"x": np.float32([1])},
    ),
    "weights that are computed": (
        """(float[1,3] x) => (float[1,2] y) <float[2,3] w = {0.1, 0.2, 0.3, 0.7, 0.11, 0.13}>
        { t = Transpose <perm = [1, 0]> (w) i = Identity(t) y = MatMul(x, i) }""",
        {"x": np.float32([[0.123, 4.567, 8.9]])},
    ),
    "a number between two of half precision": (
        "(float16[1] x) => (float16[1] y) <double[1] c = {1.00048828125003}> { h = Cast <to = 10> (c) y = Concat <axis = 0> (h) }",
        {"x": np.float16([1])},
    ),
}


@pytest.mark.parametrize("name", EXACT)
def test_results_are_the_same_bit_for_bit(name: str) -> None:
    import onnxruntime

    body, feed = EXACT[name]
    before = model(body)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    module = ge_onnx.load(before.SerializeToString())
    ge_onnx.optimize(module, exact=True)
    results = [
        onnxruntime.InferenceSession(data, options).run(None, feed)
        for data in (before.SerializeToString(), ge_onnx.to_bytes(module))
    ]
    for a, b in zip(*results, strict=True):
        assert (a.shape, a.dtype, a.tobytes()) == (b.shape, b.dtype, b.tobytes())


def test_weights_that_are_computed_stay_so() -> None:
    """onnxruntime packs constant weights, which changes the order of its sums."""
    before = model(EXACT["weights that are computed"][0])
    assert operators(before, "optimize{exactness=exact}") == ["Identity", "MatMul"]
    assert operators(before) == ["MatMul"]


def test_a_slice_of_known_elements_whose_type_has_no_rank() -> None:
    """Negative axes must not be taken for positions before the elements."""
    before = model(
        """(int64[1] x) => (int64[M,N] y) <int64 one = {1}, int64[1,2] c = {7, 8}, int64 least = {9},
        int64[2] s = {0, 0}, int64[2] e = {1, 1}, int64[2] a = {-2, -1}>
        { q = SequenceConstruct(x, c) v = SequenceAt(q, one) m = Min(v, least) y = Slice(m, s, e, a) }"""
    )
    for pipeline in ("simplify-sequences,simplify-shapes", "optimize"):
        module = ge_onnx.load(before.SerializeToString())
        PassManager.parse(pipeline).run(module)
        assert ge_onnx.check(before.SerializeToString(), module)


def test_a_neutral_number_of_the_right_sign_goes() -> None:
    for op, number in (("Add", "-0.0"), ("Sub", "0.0")):
        body = f"(float[3] x) => (float[3] y) <float zero = {{{number}}}> {{ s = {op}(x, zero) y = Neg(s) }}"
        assert operators(model(body), "optimize{exactness=exact}") == ["Neg"]
    for op, number in (("Add", "0.0"), ("Sub", "-0.0")):
        body = f"(float[3] x) => (float[3] y) <float zero = {{{number}}}> {{ s = {op}(x, zero) y = Neg(s) }}"
        assert operators(model(body), "optimize{exactness=exact}") == [op, "Neg"]
        assert operators(model(body)) == ["Neg"]
    body = "(int64[3] x) => (int64[3] y) <int64 zero = {0}> { s = Add(x, zero) y = Neg(s) }"
    assert operators(model(body), "optimize{exactness=exact}") == ["Neg"]


def test_a_number_that_does_not_fit_is_left_to_the_runtime() -> None:
    """The result of a cast that overflows differs between models."""
    before = model(
        """(uint8[2] x) => (uint8[2] y) <double[2] c = {3.0, 300.0}, double[2] d = {3.0, 30.0}>
        { u = Cast <to = 2> (c) v = Cast <to = 2> (d) s = Add(x, u) y = Add(s, v) }"""
    )
    assert operators(before).count("Cast") == 1
