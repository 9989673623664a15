"""The passes of examples/onnx_fusion fuse every sequence that exporters write, and results stay the same.

Models before and after run under onnxruntime without its optimizations, on random inputs, with two values for each
symbolic size. Whole models are the exported ones, where present, and the light networks of the `onnx` package.
Expected counts are those of docs/onnx-fusion.md.
"""

import importlib.util
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from cli_run import ge

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

import ge.onnx as ge_onnx  # noqa: E402
from ge import ir, passes  # noqa: E402
from ge.passes._pipeline import _stages  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
FUSION = ROOT / "examples" / "onnx_fusion"
PAGE = ROOT / "docs" / "onnx-fusion.md"
LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
EXPORTED = ROOT / "test" / "models"

pytestmark = [
    pytest.mark.nosan,  # onnxruntime's libraries are not instrumented
    pytest.mark.usefixtures("clean_passes"),
]


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_models = load(FUSION / "make_models.py")
KNOWN = {example: make_models.variants(example) for example in make_models.EXAMPLES}
CASES = [(example, name) for example, known in KNOWN.items() for name in known.VARIANTS]


def pass_file(example: str) -> Path:
    return FUSION / example / f"{example}_pass.py"


def pass_names(*examples: str) -> list[str]:
    """Load pass files and return the names of their passes, per file in execution order."""
    names = []
    for example in examples:
        before = {d.pass_name for d in passes.get_registered_passes()}
        passes.load_pass_plugins(str(pass_file(example)))
        new = [d for d in passes.get_registered_passes() if d.pass_name not in before]
        names += [d.pass_name for d in _stages.ordered(new)]
    assert names
    return names


def needed(example: str) -> list[str]:
    """Return an example, preceded by the one that must run before it."""
    return ["layer_norm", example] if example == "skip_layer_norm" else [example]


def operators_of_all_kinds(module: ir.Module) -> Counter[str]:
    return Counter(node.op for node in module.graphs.values()[0].nodes)


def operators(module: ir.Module) -> Counter[str]:
    counts = operators_of_all_kinds(module)
    return Counter({op: n for op, n in counts.items() if op not in ("ge.Const", "onnx.Constant")})


def fused(counts: Counter[str]) -> dict[str, int]:
    """Return the counts of onnxruntime's operators that ONNX lacks, and of LayerNormalization."""
    return {
        op: n for op, n in counts.items() if op.startswith("com.") or "LayerNormalization" in op
    }


def session(data: bytes) -> Any:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def feeds(session: Any, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    sizes = {"batch": 1 + seed, "sequence": 3 + 4 * seed}
    made = {}
    for value in session.get_inputs():
        shape = [n if isinstance(n, int) else sizes.get(n, 2) for n in value.shape]
        if value.type == "tensor(bool)":
            made[value.name] = rng.random(shape) < 0.5
            if len(shape) > 1:
                made[value.name][0, ..., 0, :] = False  # a row that masks all keys
        elif value.type == "tensor(int64)":
            made[value.name] = rng.integers(0, 2 if "mask" in value.name else 50, shape)
        else:
            made[value.name] = rng.standard_normal(shape).astype(np.float32)
    return made


def assert_same(before: bytes, after: bytes, tolerance: float = 1e-5) -> None:
    first, second = session(before), session(after)
    for seed in (0, 1):
        given = feeds(first, seed)
        for a, b in zip(first.run(None, given), second.run(None, given), strict=True):
            assert a.shape == b.shape
            assert a.dtype == b.dtype
            assert np.isfinite(a).all()
            allowed = 2e-3 if a.dtype == np.float16 else tolerance
            np.testing.assert_allclose(a, b, rtol=allowed, atol=allowed)


@pytest.mark.parametrize(("example", "name"), CASES)
def test_every_variant_is_fused_and_equal(example: str, name: str) -> None:
    known = KNOWN[example]
    build, opset, expected, left = known.VARIANTS[name]
    module = make_models.make_model(known.INPUTS, build, opset)
    before = ge_onnx.to_bytes(module)
    names = pass_names(*needed(example))
    passes.PassManager.parse(",".join(["infer-types", *names, "dce"])).run(module)
    counts = operators(module)
    if expected:
        assert fused(counts) == expected
        graph = module.graphs.values()[0]
        assert not [n for n in graph.nodes if isinstance(n.results[0].type, ir.UnknownType)]
    assert sum(counts.values()) == left
    assert_same(before, ge_onnx.to_bytes(module))
    # A second run changes nothing.
    text = str(module)
    passes.PassManager.parse(",".join(names)).run(module)
    assert str(module) == text


FORMS = {("float32", 0): "value_float", ("int64", 0): "value_int", ("int64", 1): "value_ints"}


def with_nodes_for_numbers(data: bytes) -> bytes:
    """Return a model whose scalars and integer lists are Constant nodes with value_* attributes."""
    model = onnx.load_from_string(data)
    made, kept = [], []
    for tensor in model.graph.initializer:
        array = onnx.numpy_helper.to_array(tensor)
        form = FORMS.get((array.dtype.name, array.ndim))
        if form is None:
            kept.append(tensor)
        else:
            made.append(
                onnx.helper.make_node("Constant", [], [tensor.name], **{form: array.tolist()})
            )
    for field, values in (("initializer", kept), ("node", [*made, *model.graph.node])):
        values = list(values)
        del getattr(model.graph, field)[:]
        getattr(model.graph, field).extend(values)
    onnx.checker.check_model(model)
    return model.SerializeToString()


@pytest.mark.parametrize("example", make_models.EXAMPLES)
def test_constants_may_be_nodes_of_any_form(example: str) -> None:
    known = KNOWN[example]
    names = pass_names(*needed(example))
    forms = 0
    for name, (build, opset, expected, _) in known.VARIANTS.items():
        before = with_nodes_for_numbers(
            ge_onnx.to_bytes(make_models.make_model(known.INPUTS, build, opset))
        )
        module = ge_onnx.load(before)
        forms += operators_of_all_kinds(module)["onnx.Constant"]
        passes.PassManager.parse(",".join(["infer-types", *names, "dce"])).run(module)
        if expected:
            assert fused(operators(module)) == expected, name
        assert_same(before, ge_onnx.to_bytes(module))
    assert forms


def left_alone(example: str, build: Any, inputs: dict[str, Any]) -> None:
    """Check that the passes of an example neither change a layer nor fail on it."""
    module = make_models.make_model(inputs, build, 17)
    names = pass_names(*needed(example))
    passes.PassManager.parse("infer-types").run(module)
    before = str(module)
    passes.PassManager.parse(",".join(name for name in names if name != "DropHeads")).run(module)
    assert str(module) == before


@pytest.mark.parametrize(
    "epsilon", [None, np.float32(-1e-5), np.full((1, 1, 1, 1), 1e-5, np.float32), np.ones(16, "f")]
)
def test_an_epsilon_that_is_no_number_is_refused(epsilon: Any) -> None:
    """Epsilons: a computed one, one that onnxruntime rejects, and ones that broadcast the result to another shape."""

    def by_root(op: Any, x: Any, computed: Any) -> Any:
        centred = op.Sub(x, op.ReduceMean(x, axes=[-1]))
        variance = op.ReduceMean(op.Mul(centred, centred), axes=[-1])
        return op.Div(centred, op.Sqrt(op.Add(variance, computed if epsilon is None else epsilon)))

    left_alone("layer_norm", by_root, {"x": ((2, 5, 16), ir.f32), "computed": ((), ir.f32)})


@pytest.mark.parametrize("form", ["root", "quotient", "power", "exponent"])
def test_a_scale_that_is_no_number_is_refused(form: str) -> None:
    def attention(op: Any, q: Any, k: Any, v: Any) -> Any:
        scale = {
            "root": lambda: op.Sqrt(np.float32(-4)),
            "quotient": lambda: op.Div(np.float32(4), np.float32(0)),
            "power": lambda: op.Pow(np.float32(-4), np.float32(0.5)),
            "exponent": lambda: op.Pow(np.float32(4), np.float32(1e30)),
        }[form]()
        scores = op.Mul(op.MatMul(q, op.Transpose(k, perm=[0, 1, 3, 2])), scale)
        return op.MatMul(op.Softmax(scores, axis=-1), v)

    module = make_models.make_model(dict.fromkeys("qkv", ((2, 4, 5, 8), ir.f32)), attention, 17)
    names = ",".join(pass_names("attention"))
    result = passes.PassManager.parse(f"infer-types,{names}").run(module)
    # The scale is not part of a match.
    assert operators(module)["onnx.Mul"] == 1
    assert result.matches["FuseAttention"] == 0


def test_a_transpose_that_says_no_permutation_joins_no_heads() -> None:
    def turned(op: Any, x: Any) -> Any:
        return op.Reshape(op.Transpose(x), np.int64([16, -1]))

    left_alone("attention", turned, {"x": ((2, 5, 16), ir.f32)})


@pytest.mark.parametrize("example", make_models.EXAMPLES)
def test_after_the_built_in_passes(example: str) -> None:
    """Sequences that `optimize` did not compose are still fused, except GELU, whose factors it folds into weights."""
    known = KNOWN[example]
    names = pass_names(*needed(example))
    for name, (build, opset, expected, _) in known.VARIANTS.items():
        module = make_models.make_model(known.INPUTS, build, opset)
        before = ge_onnx.to_bytes(module)
        passes.PassManager.parse(",".join(["optimize", *names, "optimize"])).run(module)
        if example not in ("gelu", "layer_norm"):
            assert fused(operators(module)).items() >= expected.items(), name
        assert_same(before, ge_onnx.to_bytes(module))


@pytest.mark.parametrize("example", make_models.EXAMPLES)
def test_a_file_runs_by_itself_and_in_the_command(example: str, tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, FUSION / "make_models.py", tmp_path, example],
        check=True,
        capture_output=True,
    )
    known = KNOWN[example]
    name = next(n for n, (_, opset, _, _) in known.VARIANTS.items() if opset > 14)
    model, result = tmp_path / f"{example}-{name}.onnx", tmp_path / "result.onnx"
    assert len(list(tmp_path.glob("*.onnx"))) == len(known.VARIANTS)
    done = subprocess.run(
        [sys.executable, pass_file(example), model, "-o", result], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "1 matched" in done.stderr
    expected = known.VARIANTS[name][2]
    assert fused(operators(ge_onnx.load(result))) == expected
    command = ge("optimize", model, "-o", tmp_path / "command.onnx", "--passes", pass_file(example))
    assert (command.status, command.err) == (0, "")
    assert fused(operators(ge_onnx.load(tmp_path / "command.onnx"))) == expected
    assert ge("check", model, tmp_path / "command.onnx").status == 0


# --- Whole models

MODELS = ["bert_dynamo", "bert_script", "gpt2_dynamo", "vit_script", "resnet_dynamo"]
NETWORKS = sorted(path.stem for path in LIGHT.glob("*.onnx"))


def rows(page: str, title: str) -> dict[str, list[str]]:
    """Return the rows of a table of the page, keyed by their first cell."""
    section = page.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0].strip("`"): row[1:] for row in cells}


def written(counts: dict[str, int]) -> str:
    return ", ".join(f"{n} {op.rpartition('.')[2]}" for op, n in sorted(counts.items())) or "none"


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS + NETWORKS)
def test_whole_models(name: str) -> None:
    path = (LIGHT if name in NETWORKS else EXPORTED) / f"{name}.onnx"
    before = path.read_bytes()
    module = ge_onnx.load(before)
    early = pass_names("gelu", "layer_norm")
    late = pass_names("attention", "skip_layer_norm", "conv_activation")
    total = sum(operators(module).values())
    pipeline = ["infer-types", *early, "optimize", *late, "optimize"]
    passes.PassManager.parse(",".join(pipeline)).run(module)
    counts = operators(module)
    after = ge_onnx.to_bytes(module)
    assert_same(before, after, 1e-4)
    row = [str(total), str(sum(counts.values())), written(fused(counts))]
    assert rows(PAGE.read_text(), "Whole models")[name] == row


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bert_script", "light_squeezenet"])
def test_the_command_of_the_page(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = PAGE.read_text()
    (block,) = re.findall(r"^```bash\n(.*?)^```$", page, re.M | re.S)
    enter, command = block.replace("\\\n", " ").splitlines()
    assert enter == "cd examples/onnx_fusion"
    monkeypatch.chdir(FUSION)
    source = (LIGHT if name in NETWORKS else EXPORTED) / f"{name}.onnx"
    files = {"model.onnx": str(source), "out.onnx": str(tmp_path / "out.onnx")}
    program, *words = (files.get(word, word) for word in shlex.split(command))
    done = ge(*words)
    assert (program, done.status) == ("ge", 0)
    # Passes without a match in a model report the reason.
    assert not done.err or done.err.startswith(("ge: Fuse", "ge: no pass of "))
    # The number of nodes is not compared: the writer may emit a constant of equal elements as a ConstantOfShape.
    found = written(fused(operators(ge_onnx.load(tmp_path / "out.onnx"))))
    assert rows(page, "Whole models")[name][-1] == found


def test_the_page_lists_every_variant() -> None:
    page = PAGE.read_text()
    for example, known in KNOWN.items():
        table = rows(page, example)
        assert set(table) == set(known.VARIANTS)
        for name, (build, opset, expected, left) in known.VARIANTS.items():
            module = make_models.make_model(known.INPUTS, build, opset)
            before = sum(operators(module).values())
            about = build.__doc__.partition("\n")[0].rstrip(".").replace("``", "`")
            assert table[name] == [about, str(opset), str(before), str(left), written(expected)]
