"""``ge optimize``: the written model computes the same; nothing is written if it would not, or if anything fails."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from cli_models import wasteful
from cli_run import Ran, ge, write_model

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import helper, numpy_helper  # noqa: E402

import ge.ir as ir  # noqa: E402
import ge.onnx as ge_onnx  # noqa: E402
from ge.optimize import _optimize  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's own libraries are not built for it


def test_a_model_is_optimised_and_checked(tmp_path: Path) -> None:
    path, target = wasteful(tmp_path / "m.onnx"), tmp_path / "o.onnx"
    done = ge("optimize", path, "-o", target, "--check", "2")
    assert (done.status, done.err) == (0, "")
    graph = onnx.load(target).graph
    assert [n.op_type for n in graph.node] == ["Mul"]
    assert graph.output[0].name == "y"
    assert "equal: 5 runs by onnxruntime" in done.out
    assert f"{target}: 5 -> 1 nodes" in done.out
    assert ge("check", path, target).status == 0
    # A second run gives the same bytes.
    assert ge("optimize", target, "-o", tmp_path / "again.onnx").status == 0
    assert (tmp_path / "again.onnx").read_bytes() == target.read_bytes()


def test_the_report_in_json(tmp_path: Path) -> None:
    path, target = wasteful(tmp_path / "m.onnx"), tmp_path / "o.onnx"
    facts = ge("optimize", path, target, "--json", "--check", "1").json
    assert (facts["before"]["nodes"], facts["after"]["nodes"]) == (5, 1)
    assert facts["after"]["operators"] == {"onnx.Mul": 1}
    assert facts["after"]["bytes"] == target.stat().st_size
    assert facts["written"] and facts["changed"] and facts["check"]["equal"]
    assert {"name", "changed", "seconds", "where"} == set(facts["passes"][0])


def test_passes_can_be_chosen(tmp_path: Path) -> None:
    path, target = wasteful(tmp_path / "m.onnx"), tmp_path / "o.onnx"
    assert ge("optimize", path, "-o", target, "--passes", "dce").status == 0
    assert [n.name for n in onnx.load(target).graph.node] == ["id1", "fold", "mul", "id2"]
    assert ge("optimize", path, "-o", target, "--passes", "dce", "-O").status == 0
    assert len(onnx.load(target).graph.node) == 1
    assert ge("optimize", path, "-o", target, "--skip", "constant-fold").status == 0
    assert "Add" in [n.op_type for n in onnx.load(target).graph.node]
    assert ge("optimize", path, "-o", target, "--passes", "dce,sort", "--skip", "dce").status == 0
    assert len(onnx.load(target).graph.node) == 5
    done = ge("optimize", path, "-o", target, "--passes", "dec")
    assert done.status == 2
    assert "there is no pass 'dec'; did you mean 'dce'?" in done.err


def test_the_limit_of_folding(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Add", ["row", "column"], ["table"], "fold"),
        helper.make_node("Mul", ["x", "table"], ["y"], "mul"),
    ]
    weights = {
        "row": np.arange(100, dtype=np.float32).reshape(1, 100),
        "column": np.arange(100, dtype=np.float32).reshape(100, 1),
    }
    path = write_model(
        tmp_path / "m.onnx", nodes, {"x": ("FLOAT", [1])}, {"y": ("FLOAT", [100, 100])}, weights
    )
    target = tmp_path / "o.onnx"
    for limit, count in (("1KiB", 2), ("40000", 1), ("1MB", 1), ("0", 2)):
        assert ge("optimize", path, "-o", target, "--fold-limit", limit).status == 0
        assert len(onnx.load(target).graph.node) == count, limit
    assert ge("optimize", path, "-o", target, "--fold-limit", "-1").status == 2


def test_a_trace_is_written(tmp_path: Path) -> None:
    path = wasteful(tmp_path / "m.onnx")
    trace = tmp_path / "trace.json"
    assert ge("optimize", path, "-o", tmp_path / "o.onnx", "--trace", trace).status == 0
    assert json.loads(trace.read_text())["traceEvents"]


def test_text_in_and_out(tmp_path: Path) -> None:
    path = wasteful(tmp_path / "m.onnx")
    ge("convert", path, "-o", tmp_path / "m.mlir")
    done = ge("optimize", tmp_path / "m.mlir", "-o", tmp_path / "o.mlir", "--check", "1")
    assert (done.status, done.err) == (0, "")
    assert (tmp_path / "o.mlir").read_text().count("onnx.Mul") == 1


def test_the_text_alone_is_on_standard_output(tmp_path: Path) -> None:
    path = wasteful(tmp_path / "m.onnx")
    words = ("--check", "1", "--graph-diff", "--passes", "eliminate-identity", "--lock")
    done = ge("optimize", path, "-o", "-", *words, "--lock-file", tmp_path / "l")
    assert done.status == 0
    ir.Module.parse(done.out)
    for said in ("all nodes", "equal: ", " became ", "eliminate-identity "):
        assert said in done.err
    done = ge("optimize", path, "-o", "-", "--json")
    assert (done.status, done.out) == (2, "")
    assert "give -o OUT" in done.err
    assert ge("convert", path, "-o", "-", "--json").status == 2


def test_standard_input_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ge("convert", wasteful(tmp_path / "m.onnx"), "-o", tmp_path / "m.mlir")
    text = (tmp_path / "m.mlir").read_bytes()

    def given(data: bytes, *words: object) -> Ran:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        return ge(*words)

    done = given(text, "optimize", "-", "-o", tmp_path / "o.onnx", "--check", "1")
    assert (done.status, done.err) == (0, "")
    assert "equal: " in done.out
    for data, words, says in (
        (text, ("diff", "-", "-"), "<stdin>: nothing is there"),
        (b"module {}", ("info", "-"), "<stdin>: the module has no graph"),
        (text, ("view", "-"), "give -o OUT"),
    ):
        done = given(data, *words)
        assert done.status in (1, 2)
        assert says in done.err


def test_a_result_that_differs_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, target = wasteful(tmp_path / "m.onnx"), tmp_path / "o.onnx"
    target.write_bytes(b"old")
    real = ge_onnx.optimize

    def wrong(module: ir.Module, *arguments: object, **options: object) -> object:
        report = real(module, *arguments, **options)
        for node in module.graphs.values()[0].nodes:
            if node.op == "ge.Const":
                node.attributes["value"] = np.full((), 5, np.float32)
        return report

    monkeypatch.setattr("ge.optimize._request.optimize", wrong)
    done = ge("optimize", path, "-o", target, "--check", "1")
    assert done.status == 1
    assert "the result computes something else" in done.err
    assert target.read_bytes() == b"old"


def test_wrong_use(tmp_path: Path) -> None:
    path = wasteful(tmp_path / "m.onnx")
    for words, says in (
        ([], "no model was given"),
        ([path], f"where to? ge optimize {path} -o OUT"),
        ([path, "b", "-o", "c"], "one model too many"),
        ([path, "b", "c"], "--jobs N --output-dir DIR"),
        ([path, "b", "c", "d"], "--jobs N --output-dir DIR"),
        ([path, "o.onnx", "--check", "0"], "at least 1 is needed"),
        ([path, "--jobs", "0"], "at least 1 process"),
        ([path, "--jobs", "2", "-o", "x"], "--output is for one model"),
        ([path, "--jobs", "2", "--external-data-threshold", "1KB"], "-threshold is for one model"),
        (["--jobs", "2"], "no models were given"),
        ([path, path, "--jobs", "2"], "is given twice"),
        ([path, "o.onnx", "--nosuch"], "--nosuch"),
    ):
        done = ge("optimize", *words)
        assert (done.status, says in done.err) == (2, True), (words, done)


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    path = wasteful(tmp_path / "m.onnx")
    done = ge("optimize", path, "-o", tmp_path / "none" / "o.onnx")
    assert done.status == 1
    assert "none/o.onnx" in done.err
    assert ge("optimize", tmp_path / "nothere.onnx", "-o", tmp_path / "o.onnx").status == 1


def test_in_place(tmp_path: Path) -> None:
    path = wasteful(tmp_path / "m.onnx")
    before = path.stat().st_size
    assert ge("optimize", path, path).status == 2
    done = ge("optimize", path, "-o", path, "--check", "1", "--json")
    assert done.status == 0
    assert path.stat().st_size != before
    assert (done.json["before"]["bytes"], done.json["after"]["bytes"]) == (
        before,
        path.stat().st_size,
    )
    assert len(onnx.load(path).graph.node) == 1


def test_weights_that_old_models_list_as_inputs_are_folded(tmp_path: Path) -> None:
    path = wasteful(tmp_path / "m.onnx")
    model = onnx.load(path)
    model.ir_version = 3
    model.graph.input.append(helper.make_tensor_value_info("two", 1, []))
    onnx.save(model, path)
    target = tmp_path / "o.onnx"
    assert ge("optimize", path, "-o", target, "--check", "1").status == 0
    result = onnx.load(target)
    assert [i.name for i in result.graph.input] == ["x"]
    assert result.ir_version == 4
    assert len(result.graph.node) == 1
    assert ge("optimize", path, "-o", target, "--mutable-initializer").status == 0
    result = onnx.load(target)
    assert [i.name for i in result.graph.input] == ["x", "two"]
    assert len(result.graph.node) == 2


def test_external_data(tmp_path: Path) -> None:
    weights = {"w": np.arange(4096, dtype=np.float32)}
    node = helper.make_node("Add", ["x", "w"], ["y"])
    path = write_model(
        tmp_path / "m.onnx", [node], {"x": ("FLOAT", [1])}, {"y": ("FLOAT", [4096])}, weights
    )
    target = tmp_path / "o.onnx"
    assert ge("optimize", path, "-o", target, "--external-data", "w.bin").status == 0
    assert (tmp_path / "w.bin").stat().st_size == 16384
    assert ge("optimize", path, "-o", target, "--external-data-threshold", "10KB").status == 0
    assert (tmp_path / "o.onnx.data").stat().st_size == 16384
    (w,) = onnx.load(target).graph.initializer
    assert (numpy_helper.to_array(w) == weights["w"]).all()


@pytest.mark.parametrize(
    ("text", "skip", "result"),
    [
        ("a,b,c", ["b"], "a,c"),
        ("a,fixpoint(b,c{x=1}),d", ["c"], "a,fixpoint(b),d"),
        ("a,fixpoint(b),d", ["b"], "a,d"),
        ("fixpoint(a,fixpoint(b))", ["b"], "fixpoint(a)"),
        ("onnx.If(a)", ["a"], ""),
        ("a,fixpoint{max=3}(b)", ["b"], "a"),
        ("a-b,a,b-a", ["a"], "a-b,b-a"),
        ("a", ["a"], ""),
    ],
)
def test_passes_are_taken_out_of_a_pipeline(text: str, skip: list[str], result: str) -> None:
    assert _optimize.pipeline_text(text, skip=skip) == result


def test_the_limit_goes_into_the_pipeline() -> None:
    text = _optimize.pipeline_text("a,constant-fold,constant-folder", fold_limit=9)
    assert text == "a,constant-fold{limit=9},constant-folder"
    with pytest.raises(ValueError, match="contradicts limit=9"):
        _optimize.pipeline_text("a,constant-fold{limit=7}", fold_limit=9)
    with pytest.raises(ValueError, match="no pass 'z' in the pipeline a"):
        _optimize.pipeline_text("a", skip=["z"])
