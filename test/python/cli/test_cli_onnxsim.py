"""Every flag of onnxsim 0.8 is accepted or refused, as docs/onnxsim.md documents."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cli_run import affine, ge, write_model

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import helper  # noqa: E402

from ge.cli import _onnxsim  # noqa: E402
from ge.onnx import (
    load,  # noqa: E402
    make_inputs,  # noqa: E402
)

pytestmark = pytest.mark.nosan  # onnxruntime's own libraries are not built for it

ROOT = Path(__file__).resolve().parents[3]

# The flags in the usage of onnxsim 0.8.1.
ONNXSIM = """
--bf16-quantize --calibration-dataset --calibration-method --calibration-samples --certify
--check-atol --check-rtol --coreml-compute-units --coreml-format --coreml-io-dtype
--coreml-minimum-deployment-target --cuda --custom-lib --dynamic-input-shape --dynamic-quantize
--dynamic-quantize-matmul-integer-to-float --emit-coreml --emit-mlir --emit-tflite
--enable-fuse-bn --enable-onnxruntime-optimization --enable-optimization
--external-data-threshold --fp16-quantize --fp8-format --fp8-quantize --graph-diff
--include-subgraph --initializers-as-non-constants --inline-functions --input-data-path
--input-fill --input-shape --list-default-optimizers --list-other-optimizers --merge-ort-profile
--mlir-target --mutable-initializer --no-certify --no-large-tensor --node-reduction-plot
--onnx-mlir --ort-profile --overwrite-input-shape --profile --providers --qoperator-quantize
--qoperator-quantize-activation --qoperator-quantize-concat --qoperator-quantize-elementwise
--qoperator-quantize-gemm --qoperator-quantize-pool --qoperator-quantize-softmax
--qoperator-quantize-where --save-as-external-data --skip-constant-folding --skip-fuse-bn
--skip-optimization --skip-optimizer --skip-schema-import --skip-shape-inference
--static-quantize --static-quantize-int16 --target-opset --ternary-quantize --test-input-shape
--tflite-backend --tflite-calibration-samples --tflite-edgetpu --tflite-edgetpu-check
--tflite-edgetpu-compiler --tflite-flex --tflite-int8 --tflite-io-dtype --tflite-layout
--tflite-optimize --unused-output --weight-only-quantize --weight-only-quantize-int16
--weight-only-quantize-int4 --weight-only-quantize-int8-block -h -v
""".split()


def test_the_table_has_every_flag_of_onnxsim_and_no_other() -> None:
    table = [name for flag in _onnxsim.FLAGS for name in flag.names if name.startswith("-")]
    assert len(table) == len(set(table))
    # argparse's usage leaves out the long forms of these.
    assert set(table) - {"--help", "--version"} == set(ONNXSIM)
    assert {flag.state for flag in _onnxsim.FLAGS} == {"same", "renamed", "implied", "refused"}


def test_the_page_is_current() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "gen_onnxsim_docs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("flag", sorted(_onnxsim.REFUSED))
def test_refused_flags_say_why(tmp_path: Path, flag: str) -> None:
    path = affine(tmp_path / "m.onnx")
    for words in ([flag], [flag + "=x"], [flag, "x"]):
        done = ge("optimize", path, tmp_path / "o.onnx", *words)
        assert (done.status, done.out) == (2, "")
        assert f"onnxsim's {flag} is refused: {_onnxsim.REFUSED[flag]}" in done.err
    assert not (tmp_path / "o.onnx").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["3"],
        ["--check-rtol", "1e-3", "--check-atol", "1e-3", "1"],
        ["--overwrite-input-shape", "x:5,3"],
        ["--overwrite-input-shape", "5,3"],
        ["--input-shape", "5,3"],
        ["1", "--test-input-shape", "x:5,3"],
        ["1", "--test-input-shape", "5,3"],
        ["1", "--input-data-path", "x:x.bin"],
        ["1", "--input-fill", "ones"],
        ["1", "--input-fill", "arange"],
        ["--cuda"],
        ["--skip-optimization"],
        ["--skip-optimization", "eliminate_identity", "nop"],
        ["--skip-optimizer", "fuse_bn_into_conv"],
        ["--skip-fuse-bn"],
        ["--skip-constant-folding"],
        ["--skip-shape-inference"],
        ["--no-large-tensor"],
        ["--no-large-tensor", "1M"],
        ["--mutable-initializer"],
        ["--save-as-external-data"],
        ["--external-data-threshold", "2GB"],
        ["1", "--providers", "CPUExecutionProvider"],
        ["--profile", "trace.json"],
        ["--graph-diff"],
        ["--inline-functions"],
        ["--enable-fuse-bn", "--dynamic-input-shape", "--include-subgraph", "--skip-schema-import"],
        ["--no-certify", "--custom-lib", "lib.so"],
    ],
    ids=" ".join,
)
def test_what_works_in_onnxsim_works_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    affine(tmp_path / "m.onnx")
    (tmp_path / "x.bin").write_bytes(bytes(4 * 3 * 5))
    done = ge("optimize", "m.onnx", "o.onnx", *words)
    assert (done.status, done.err) == (0, "")
    onnx.checker.check_model(onnx.load(tmp_path / "o.onnx"))
    if "--profile" in words:
        assert "traceEvents" in (tmp_path / "trace.json").read_text()
    if words[0] in ("--overwrite-input-shape", "--input-shape"):
        dims = onnx.load(tmp_path / "o.onnx").graph.input[0].type.tensor_type.shape.dim
        assert [d.dim_value for d in dims] == [5, 3]
        dims = onnx.load(tmp_path / "o.onnx").graph.output[0].type.tensor_type.shape.dim
        assert [d.dim_value for d in dims] == [5, 3]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--overwrite-input-shape", "z:5,3"], "no input 'z'; its inputs are x"),
        (["--overwrite-input-shape", "x:5,,3"], "is no shape"),
        (["--unused-output", "z"], "no output 'z'; its outputs are y"),
        (["--no-large-tensor", "huge"], "a size is a number"),
        (["--skip-optimization", "no_such_pass"], "no pass 'no_such_pass' in the pipeline"),
        (["1", "--input-data-path", "x.bin"], "takes NAME:FILE"),
        (["1", "--test-input-shape", "x:5,4"], "cannot have the shape"),
    ],
)
def test_wrong_values_say_what_is_right(tmp_path: Path, words: list[str], says: str) -> None:
    path = affine(tmp_path / "m.onnx")
    done = ge("optimize", path, tmp_path / "o.onnx", *words)
    assert done.status == 2
    assert says in done.err
    assert not (tmp_path / "o.onnx").exists()


def test_unused_outputs_go_with_what_only_they_needed(tmp_path: Path) -> None:
    nodes = [helper.make_node("Abs", ["x"], ["p"]), helper.make_node("Exp", ["x"], ["q"])]
    types = dict.fromkeys("pq", ("FLOAT", [4]))
    path = write_model(tmp_path / "m.onnx", nodes, {"x": ("FLOAT", [4])}, types)
    done = ge("optimize", path, tmp_path / "o.onnx", "1", "--unused-output", "q")
    assert done.status == 0, done.err
    graph = onnx.load(tmp_path / "o.onnx").graph
    assert [n.op_type for n in graph.node] == ["Abs"]
    assert [o.name for o in graph.output] == ["p"]


def test_functions_are_inlined(tmp_path: Path) -> None:
    body = helper.make_node("Relu", ["a"], ["b"])
    imports = [helper.make_opsetid(*of) for of in (("", 17), ("my", 1))]
    function = helper.make_function("my", "F", ["a"], ["b"], [body], imports[:1])
    call = helper.make_node("F", ["x"], ["y"], domain="my")
    ends = (helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [2]) for n in ("x", "y"))
    graph = helper.make_graph([call], "g", *([end] for end in ends))
    path, target = tmp_path / "m.onnx", tmp_path / "o.onnx"
    onnx.save(helper.make_model(graph, opset_imports=imports, functions=[function]), path)
    for flags, op, functions in (([], "F", 1), (["--inline-functions"], "Relu", 0)):
        target.unlink(missing_ok=True)
        assert ge("optimize", path, target, *flags).status == 0
        made = onnx.load(target)
        assert ([n.op_type for n in made.graph.node], len(made.functions)) == ([op], functions)


def test_the_inputs_of_arange_count(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Gather", ["table", "i"], ["p"]),
        helper.make_node("Add", ["p", "x"], ["y"]),
    ]
    inputs = {"i": ("INT64", [2, 4]), "x": ("FLOAT", [2, 4])}
    table = np.arange(5, dtype=np.float32)
    path = write_model(
        tmp_path / "m.onnx", nodes, inputs, {"y": ("FLOAT", [2, 4])}, {"table": table}
    )
    made = make_inputs(load(path), kind="arange")
    assert made["i"].tolist() == [[0, 1, 2, 3], [4, 0, 1, 2]]
    assert made["x"].tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    done = ge("optimize", path, tmp_path / "o.onnx", "1", "--input-fill", "arange")
    assert (done.status, "1 runs" in done.out) == (0, True)


def test_cuda_is_the_provider_of_the_check(tmp_path: Path) -> None:
    import onnxruntime

    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("needs an onnxruntime without CUDA")
    path = affine(tmp_path / "m.onnx")
    done = ge("optimize", path, tmp_path / "o.onnx", "1", "--cuda")
    assert (done.status, "onnxruntime has no CUDAExecutionProvider" in done.err) == (1, True)
    assert not (tmp_path / "o.onnx").exists()


def test_the_other_passes_are_those_that_do_not_run() -> None:
    others = ge("optimize", "--list-other-optimizers").out.split()
    assert {"inline", "sort"} <= set(others)
    assert not set(others) & {"cse", "dce", "constant-fold", "optimize"}


def test_the_list_of_passes() -> None:
    done = ge("optimize", "--list-default-optimizers")
    assert done.status == 0
    assert "constant-fold" in done.out
    assert ge("optimize", "-v").out.startswith("ge ")
