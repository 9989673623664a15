"""ge-atc: it runs the stages of a compilation on a model and writes the result; its options are those of CANN's atc."""

import json
import os
from pathlib import Path

import pytest
from native_hosts import BUILD, GRAPH, HAS_LIBRARY, PASS, run

import ge.onnx as gonnx
from ge import ir

GE_ATC = BUILD / "bin/ge-atc"
LEVEL = """
from ge.es import onnx as op
from ge.passes import FusionBasePass, PassStage, register_fusion_pass

for stage in PassStage:
    class Note(FusionBasePass):
        def run(self, graph, context):
            dims = list(graph.inputs[0].type.shape)
            context.remark(f"{context.pass_name} sees {dims}, {context.get_option_value('answer')}")
    register_fusion_pass(name=f"Note{stage.value}", stage=stage)(Note)
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    gonnx.save(ir.Module.parse(GRAPH.replace("tensor<4xf32>", "tensor<?x4xf32>")), path)
    return path


def test_atc_s_words(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(GE_ATC, f"--model={model}", "--framework=5", f"--output={out}", "--input_shape=x:2,4")
    module = gonnx.load(f"{out}.onnx")
    assert str(module.graphs[0].inputs[0].type) == "tensor<2x4xf32>"
    assert str(module.graphs[0].outputs[0].type) == "tensor<2x4xf32>"


def test_short_form_and_text(model: Path, tmp_path: Path) -> None:
    run(GE_ATC, model, "-o", tmp_path / "out.mlir")
    text = (tmp_path / "out.mlir").read_text()
    assert "func.func @main" in text
    run(GE_ATC, tmp_path / "out.mlir", "-o", tmp_path / "again.onnx", "--builtin", "off")
    assert len(list(gonnx.load(tmp_path / "again.onnx").graphs[0].nodes)) >= 1


@HAS_LIBRARY
def test_stages_in_their_order(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "notes.py"
    file.write_text(LEVEL)
    words = [f"--model={model}", f"--output={tmp_path / 'o.onnx'}", "--log=info"]
    words += ["--py-pass-path", file, "--option", "answer=42", "--input-shape", "x:3,4"]
    done = run(GE_ATC, *words)
    seen = [line.split()[1] for line in done.stderr.splitlines() if " sees " in line]
    assert seen == [
        "NoteBeforeInferShape:",
        "NoteAfterInferShape:",
        "NoteAfterBuiltinFusionPass:",
        "NoteAfterOriginGraphOptimize:",
    ]
    assert done.stderr.count("sees [3, 4], 42") == 4
    # The built-in passes run between the second and the third stage.
    lines = [line.split(":")[1].strip() for line in done.stderr.splitlines() if "changed" in line]
    assert "optimize" in lines
    switches = tmp_path / "switches.json"
    switches.write_text(json.dumps({"Switch": {"GraphFusion": {"ALL": "off"}}}))
    assert " sees " not in run(GE_ATC, *words, f"--fusion_switch_file={switches}").stderr


def test_options_of_every_line_of_atc(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "o.onnx"
    words = ["--mode=0", "--soc_version=Ascend910", "--input_format=NCHW", "--framework=5"]
    done = run(GE_ATC, f"--model={model}", f"--output={out}", *words)
    assert out.exists()
    assert done.stderr.splitlines() == [
        "ge-atc: warning: --soc_version is ignored: ge-atc writes a graph and no code for a device",
        "ge-atc: warning: --input_format is ignored: layouts are those of the model",
    ]


@HAS_LIBRARY
def test_switch_files_that_are_wrong(model: Path, tmp_path: Path) -> None:
    file, switches, out = (tmp_path / name for name in ("p.py", "switches.json", "o.onnx"))
    file.write_text(PASS.format(name="FusePairs"))
    words = [model, "-o", out, f"--py_pass_path={file}", f"--fusion_switch_file={switches}"]
    done = run(GE_ATC, *words, status=1)
    assert "switches.json" in done.stderr and "No such file" in done.stderr and not out.exists()
    switches.write_text('{"Switch": {"GraphFusion": {"FusePair": "off", "OfCann": "off"}}}')
    (line,) = run(GE_ATC, *words).stderr.splitlines()
    assert line.startswith(
        "ge-atc: warning: the fusion switch file names 'FusePair', which is not a"
    )
    assert line.endswith("did you mean 'FusePairs'?")
    out.unlink()
    switches.write_text("no JSON")
    (line,) = run(GE_ATC, *words, status=1).stderr.splitlines()
    assert "switches.json': line 1, column 1" in line and not out.exists()


@HAS_LIBRARY
def test_a_pass_that_cannot_be_loaded_is_a_failure(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "o.onnx"
    done = run(GE_ATC, model, "-o", out, "--py_pass_path=/nowhere/pass.py", status=1)
    assert "cannot load /nowhere/pass.py" in done.stderr and not out.exists()
    done = run(GE_ATC, model, "-o", out, "--py_pass_path=/nowhere/pass.py", "--log=null", status=1)
    assert not done.stderr and not out.exists()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--core_type=AiCore"], "no code for a device"),
        (["--mode=1"], "--mode=0"),
        (["--out_nodes=x:0"], "graph.outputs in Python"),
        (["--precision_mode=x"], "keeps the types of the model"),
        (["--insert_op_conf=x"], "AIPP"),
        (["--dynamic_batch_size=1,2"], "--input_shape"),
        (["--customize_dtypes=a.cfg"], "--customize_dtypes is not taken: ge-atc keeps the types"),
        (["--host-env-os=linux"], "--host_env_os is not taken"),
        (["--cluster_config=c.json"], "does not divide a model between devices"),
        (["--framework=3"], "GE reads ONNX"),
        (["--framework=1"], "AIR files are not read yet"),
        (["--no_such_option=1"], "unknown option"),
        (["--input_shape=x"], "expected --input_shape"),
        (["--input_shape=x:1,a"], "expected sizes"),
        (["--log=loud"], "expected debug"),
        (["--output"], "takes a value"),
        ([], "--output=<file>"),
    ],
)
def test_refused_options_say_why(model: Path, words: list[str], text: str) -> None:
    done = run(GE_ATC, f"--model={model}", *words, status=2)
    assert text in done.stderr and not done.stdout


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ("y:1,4", "has no input 'y'; it has x"),
        ("x:1,2,3", "has 2 dimensions, not 3"),
        ("x:1,5", "size 1 of the input 'x' is 4 in the model, not 5"),
    ],
)
def test_shapes_that_do_not_fit(model: Path, tmp_path: Path, shape: str, text: str) -> None:
    out = tmp_path / "o.onnx"
    done = run(GE_ATC, model, "-o", out, f"--input_shape={shape}", status=1)
    assert text in done.stderr and not out.exists()


def test_what_is_no_model(tmp_path: Path) -> None:
    bad = tmp_path / "bad.onnx"
    bad.write_bytes(os.urandom(100))
    done = run(GE_ATC, bad, "-o", tmp_path / "o.onnx", status=1)
    assert done.stderr.startswith("ge-atc: error: ")
    assert "o.onnx" not in os.listdir(tmp_path)


def test_help() -> None:
    text = run(GE_ATC, "--help").stdout
    for word in ("--model", "--framework", "--output", "--input_shape", "--fusion_switch_file"):
        assert word in text
    assert run(GE_ATC, "--version").stdout.startswith("ge-atc ")
