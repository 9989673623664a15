"""Options and passes produce a model that a runtime loads; otherwise an error is raised and no file is written.

Options that name something missing, are repeated with different values or contradict each other are usage errors; the
last value never wins silently.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from cli_run import ge, write_model

onnx = pytest.importorskip("onnx")
from onnx import helper  # noqa: E402

from ge import es, ir  # noqa: E402
from ge import onnx as ge_onnx  # noqa: E402
from ge.es import onnx as op  # noqa: E402
from ge.passes import DecomposePass, FusionBasePass, PassManager, rewrite, rewrite_rule  # noqa: E402

F4 = ir.TensorType((4,), ir.f32)


def baked(path: Path) -> Path:
    """Write a model whose Reshape target contains the batch size of the input."""
    nodes = [
        helper.make_node("Reshape", ["a", "to"], ["r"], "flatten"),
        helper.make_node("Abs", ["r"], ["y"], "abs"),
    ]
    types = {"a": ("FLOAT", [1, 16])}
    return write_model(
        path, nodes, types, {"y": ("FLOAT", [2, 8])}, {"to": np.array([2, 8], np.int64)}
    )


def two(path: Path) -> Path:
    """Write a model with two inputs and two outputs."""
    nodes = [helper.make_node("Abs", ["a"], ["p"]), helper.make_node("Exp", ["b"], ["q"])]
    types = {"a": ("FLOAT", ["N", 4]), "b": ("FLOAT", ["N", 4])}
    return write_model(path, nodes, types, {k: ("FLOAT", ["N", 4]) for k in "pq"})


def dims(path: Path) -> list[list[int | str]]:
    graph = onnx.load(path).graph
    return [[d.dim_value or d.dim_param for d in v.type.tensor_type.shape.dim] for v in graph.input]


# --- Shapes of inputs


def test_a_shape_that_the_graph_cannot_have_is_an_error_and_nothing_is_written(
    tmp_path: Path,
) -> None:
    path, target = baked(tmp_path / "m.onnx"), tmp_path / "o.onnx"
    done = ge("optimize", path, "-o", target, "--overwrite-input-shape", "a:4,16")
    assert done.status == 1
    assert "a: " in done.err and "flatten" in done.err and "was not written" in done.err
    assert not target.exists()
    # A shape with the same number of elements is accepted.
    done = ge("optimize", path, "-o", target, "--overwrite-input-shape", "a:2,8")
    assert (done.status, done.err) == (0, "")
    onnx.checker.check_model(onnx.load(target), full_check=True)
    # --force writes the contradictory model.
    done = ge("optimize", path, "-o", target, "--overwrite-input-shape", "a:4,16", "--force")
    assert done.status == 0 and target.exists()


def test_each_of_repeated_shapes_counts(tmp_path: Path) -> None:
    path, target = two(tmp_path / "m.onnx"), tmp_path / "o.onnx"
    shape = "--overwrite-input-shape"
    assert ge("optimize", path, "-o", target, shape, "a:2,4", shape, "b:3,4").status == 0
    assert dims(target) == [[2, 4], [3, 4]]
    assert ge("optimize", path, "-o", target, shape, "a:2,4", "b:3,4").status == 0
    assert dims(target) == [[2, 4], [3, 4]]
    assert ge("optimize", path, "-o", target, shape, "a:M,4", "--input-shape", "b:-1,4").status == 0
    assert dims(target) == [["M", 4], ["", 4]]


def test_an_input_without_sizes_is_no_dimension(tmp_path: Path) -> None:
    path, target = baked(tmp_path / "m.onnx"), tmp_path / "o.onnx"
    done = ge("optimize", path, "-o", target, "--overwrite-input-shape", "a")
    assert (done.status, "the input has no shape" in done.err) == (2, True)
    assert not target.exists()


def test_what_unregistered_operators_give_keeps_its_element_type(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Mine", ["x"], ["m"], domain="acme"),
        helper.make_node("Abs", ["m"], ["y"]),
    ]
    path = write_model(
        tmp_path / "m.onnx", nodes, {"x": ("FLOAT", [1, 3])}, {"y": ("FLOAT16", [1, 3])}
    )
    model = onnx.load(path)
    model.opset_import.append(helper.make_opsetid("acme", 1))
    model.graph.value_info.append(helper.make_tensor_value_info("m", 10, [1, 3]))
    onnx.save(model, path)
    target = tmp_path / "o.onnx"
    assert ge("optimize", path, "-o", target, "--overwrite-input-shape", "x:5,3").status == 0
    (output,) = onnx.load(target).graph.output
    assert output.type.tensor_type.elem_type == onnx.TensorProto.FLOAT16


def test_an_input_with_a_default_has_the_shape_of_that(tmp_path: Path) -> None:
    path, target = two(tmp_path / "m.onnx"), tmp_path / "o.onnx"
    model = onnx.load(path)
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.zeros((2, 4), np.float32), "b"))
    onnx.save(model, path)
    done = ge("optimize", path, "-o", target, "--overwrite-input-shape", "b:3,4")
    assert (done.status, "has a default" in done.err, target.exists()) == (2, True, False)


# --- Outputs


def test_a_model_keeps_an_output(tmp_path: Path) -> None:
    path, target = two(tmp_path / "m.onnx"), tmp_path / "o.onnx"
    for words in (["p", "q"], ["p", "--unused-output", "q"]):
        done = ge("optimize", path, "-o", target, "--unused-output", *words)
        assert (done.status, "no output would be left" in done.err) == (2, True)
        assert not target.exists()
    assert ge("optimize", path, "-o", target, "--unused-output", "p", "p").status == 0
    assert [o.name for o in onnx.load(target).graph.output] == ["q"]


class DropOutputs(FusionBasePass):
    def run(self, graph, context):
        graph.outputs = []


class OtherType(FusionBasePass):
    """Makes the operand of an Exp an i64, where it must be a float."""

    def run(self, graph, context):
        (node,) = graph.find_all("onnx.Exp")
        before = ir.InsertionPoint.before(node)
        i64 = ir.TensorType((4,), ir.i64)
        cast = graph.add_node(
            "onnx.Cast", [node.operands[0]], {"to": 7}, name="cast", result_types=[i64], ip=before
        )
        node.operands[0] = cast.result


def exponential() -> ir.Module:
    with es.builder("main") as b:
        b.output(op.Exp(b.input("x", F4)))
    module = ir.Module("m")
    module.attributes["onnx.opset_imports"] = {"onnx": 17}
    module.add_graph(b.graph)
    return module


def test_passes_that_leave_no_outputs_are_refused() -> None:
    with registered(DropOutputs), pytest.raises(ge_onnx.ContradictionError, match="no outputs"):
        ge_onnx.optimize(exponential(), "DropOutputs")


def test_passes_that_leave_a_contradiction_are_refused_and_say_where(tmp_path: Path) -> None:
    with registered(OtherType):
        with pytest.raises(ge_onnx.ContradictionError, match="(?s)Exp.*i64|i64.*Exp|int64"):
            ge_onnx.optimize(exponential(), "OtherType")
        ge_onnx.optimize(exponential(), "OtherType", force=True)
        path, target = tmp_path / "m.onnx", tmp_path / "o.onnx"
        ge_onnx.save(exponential(), path)
        done = ge("optimize", path, "-o", target, "--passes", "OtherType")
        assert done.status == 1 and "was not written" in done.err and "--force" in done.err
        assert not target.exists()
        assert ge("optimize", path, "-o", target, "--passes", "OtherType", "--force").status == 0
        assert target.exists()


class registered:  # noqa: N801  # a context manager, used like a function
    """Registers a pass class within the `with` block."""

    def __init__(self, cls: type) -> None:
        self._cls = cls

    def __enter__(self) -> None:
        from ge.passes import PassStage, register_fusion_pass

        register_fusion_pass(name=self._cls.__name__, stage=PassStage.AFTER_INFER_SHAPE)(self._cls)

    def __exit__(self, *error: object) -> None:
        from ge.passes import clear_registered_passes

        clear_registered_passes()


def test_what_was_wrong_before_is_not_the_fault_of_passes(tmp_path: Path) -> None:
    nodes = [helper.make_node("Abs", ["x"], ["m"]), helper.make_node("Exp", ["m"], ["y"])]
    path = write_model(tmp_path / "m.onnx", nodes, {"x": ("FLOAT", [4])}, {"y": ("FLOAT", [4])})
    model = onnx.load(path)
    model.graph.value_info.append(helper.make_tensor_value_info("m", 1, [2, 3]))
    onnx.save(model, path)
    assert ge("optimize", path, "-o", tmp_path / "o.onnx").status == 0


# --- Rules


def chain() -> ir.Graph:
    with es.builder("main") as b:
        b.output(op.Exp(op.Abs(b.input("x", F4))))
    b.graph.nodes[0].name = "absolute"
    return b.graph


@pytest.mark.parametrize("per_match", [False, True])
def test_a_rule_that_gives_another_element_type_is_refused(per_match: bool) -> None:
    g = chain()
    before = g.to_text()
    rule = rewrite_rule(
        lambda x: op.Abs(x), lambda x: op.Cast(x, to=ir.i64), name="wrong", per_match=per_match
    )
    with pytest.raises(ir.PassError) as error:
        rewrite(g, rule)
    text = str(error.value)
    assert "rule 'wrong'" in text and "i64[4]" in text and "f32[4]" in text
    assert "'absolute' (onnx.Abs)" in text and "onnx.Cast" in text and "a Cast" in text
    assert g.to_text() == before


def test_a_rule_that_gives_another_shape_says_so_in_the_type() -> None:
    """Users that broadcast accept the new shape; otherwise the rewrite is refused."""
    rule = rewrite_rule(lambda x: op.Abs(x), lambda x: op.Transpose(x), name="turned")
    with es.builder("main") as b:
        x = b.input("x", ir.TensorType((2, 3), ir.f32))
        b.output(op.Add(op.Abs(x), x), name="y")
    module = ir.Module("m")
    module.attributes["onnx.opset_imports"] = {"onnx": 17}
    module.add_graph(b.graph)
    (graph,) = module.clone().graphs.values()
    with pytest.raises(ir.PassError, match="Add.*does not broadcast"):
        rewrite(graph, rule)
    graph.outputs = [graph.add_node("onnx.Transpose", [graph.nodes[0].result])]
    graph.erase_dead_nodes()
    assert rewrite(graph, rule).rewrites == 1
    assert graph.nodes[0].result.type == ir.TensorType((3, 2), ir.f32)

    class Turned(FusionBasePass):
        def run(self, graph, context):
            rewrite(graph, rule)

    with registered(Turned), pytest.raises(ge_onnx.ContradictionError, match="Add"):
        ge_onnx.optimize(module, "Turned")


def test_a_rule_may_correct_what_a_file_declares() -> None:
    with es.builder("main") as b:
        b.output(op.Exp(op.Abs(b.input("x", F4))))
    b.graph.nodes[0].result.type = ir.TensorType((2, 3), ir.f32)
    rule = rewrite_rule(lambda x: op.Abs(x), lambda x: op.Relu(x))
    assert rewrite(b.graph, rule).rewrites == 1
    assert b.graph.nodes[0].result.type == F4


def test_a_decomposition_into_another_element_type_is_refused() -> None:
    class Wrong(DecomposePass):
        op_types = ("Abs",)

        def replacement(self, node):
            with es.builder("r") as b:
                b.output(op.Cast(b.input("x", node.operands[0].type), to=ir.i64))
            return b.graph

    g = chain()
    with pytest.raises(ir.PassError, match="whose users take that type"):
        PassManager().add(Wrong).run(g)
    assert [n.type for n in g.nodes] == ["Abs", "Exp"]


# --- Options


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--overwrite-input-shape", "a:2,4", "--overwrite-input-shape", "a:3,4"], "'a' twice"),
        (["--overwrite-input-shape", "a:1.5,4"], "a dimension is"),
        (["--overwrite-input-shape", "a:99999999999999999999,4"], "input 'a'"),
        (["--fold-limit", "1KB", "--fold-limit", "2KB"], "--fold-limit 2KB contradicts"),
        (["--fold-limit", "1KB", "--no-large-tensor", "2KB"], "contradicts --fold-limit 1KB"),
        (["--fold-limit", "1KB", "--skip", "constant-fold"], "no pass 'constant-fold'"),
        (["--fold-limit", "1KB", "--passes", "dce"], "no pass 'constant-fold'"),
        (["--fold-limit", "9", "--passes", "constant-fold{limit=7}"], "contradicts limit=9"),
        (["--check", "1", "--check", "2"], "--check 2 contradicts --check 1"),
        (["--rtol", "0.1", "--check-rtol", "0.2"], "--check-rtol 0.2 contradicts --rtol 0.1"),
        (["-o", "other.onnx"], "contradicts -o"),
        (["--cuda", "--provider", "CPUExecutionProvider"], "--cuda contradicts --provider"),
        (["--expect", "dce=1", "--expect", "dce=2"], "'dce' twice"),
        (["--expect", "NoSuch=0"], "no pass 'NoSuch'"),
        (["--dim", "N=2"], "--overwrite-input-shape"),
        (["--shape", "a=2,4"], "--overwrite-input-shape"),
        (["--input-data", "a=x.npy"], "give both"),
        (["--test-input-shape", "z:2,4"], "no such input"),
        (["--input-data-path", "z:x.bin"], "no such input"),
        (["--check", "1", "--dim", "N=2", "--dim", "N=3"], "'N' twice"),
        (["--check", "1", "--shape", "a=2,4", "--shape", "a=3,4"], "'a' twice"),
        (["--check", "1", "--shape", "a=2,4", "--test-input-shape", "a:3,4"], "different shapes"),
        (["--check", "1", "--dim", "N=2", "--shape", "a=3,4"], "contradicts"),
        (["--check", "1", "--input-data", "a=x.npy", "--input-data", "a=y.npy"], "'a' twice"),
        (["--again"], "many models"),
        (["--no-lock", "--lock-file", "x.lock"], "contradicts"),
        (["--trace", "IN"], "is the file of the model"),
        (["--trace", "OUT"], "is the file of -o"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options_that_contradict_are_wrong_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path, target = two(tmp_path / "m.onnx"), tmp_path / "o.onnx"
    for name in "xy":
        np.save(tmp_path / f"{name}.npy", np.zeros((2, 4), np.float32))
    before = path.read_bytes()
    places = {"IN": str(path), "OUT": str(target)}
    done = ge("optimize", path, "-o", target, *(places.get(w, w) for w in words))
    assert (done.status, says in done.err) == (2, True), done
    assert not target.exists() and path.read_bytes() == before


def test_options_that_say_the_same_twice_are_fine(tmp_path: Path) -> None:
    path, target = two(tmp_path / "m.onnx"), tmp_path / "o.onnx"
    words = ["--fold-limit", "1KB", "--fold-limit", "1KB", "--save-as-external-data"]
    words += ["--external-data", "w.bin", "--skip-optimization", "nop", "--skip-optimization"]
    assert ge("optimize", path, "-o", target, *words).status == 0


def test_the_number_of_checks_is_said_once(tmp_path: Path) -> None:
    path = two(tmp_path / "m.onnx")
    done = ge("optimize", path, tmp_path / "o.onnx", "3", "--check", "2")
    assert (done.status, "--check 2 contradicts 3" in done.err) == (2, True)


def test_text_has_no_external_data(tmp_path: Path) -> None:
    path = two(tmp_path / "m.onnx")
    done = ge("optimize", path, "-o", tmp_path / "o.mlir", "--external-data")
    assert (done.status, "a text holds its weights" in done.err) == (2, True)


def test_a_tolerance_of_zero_is_for_one_model(tmp_path: Path) -> None:
    path = two(tmp_path / "m.onnx")
    for words in (["--rtol", "0"], ["--seed", "3"]):
        done = ge("optimize", path, "--output-dir", tmp_path / "out", *words)
        assert (done.status, "is for one model" in done.err) == (2, True)


def test_a_lock_file_that_is_named_is_there(tmp_path: Path) -> None:
    path = two(tmp_path / "m.onnx")
    done = ge("optimize", path, "-o", tmp_path / "o.onnx", "--lock-file", tmp_path / "no.lock")
    assert (done.status, "is not there" in done.err) == (1, True)


def test_keywords_of_optimize_name_what_is_there() -> None:
    for options, kind, says in (
        ({"skip": "dce"}, TypeError, "sequence of names"),
        ({"explain": "dce"}, TypeError, "sequence of names"),
        ({"skip": ["nosuch"]}, ValueError, "no pass 'nosuch'"),
        ({"explain": ["nosuch"]}, ValueError, "no pass 'nosuch'"),
        ({"expect": {"nosuch": 0}}, ValueError, "no pass 'nosuch'"),
        ({"fold_limit": -1}, ValueError, "0 or more"),
        ({"passes": "dce", "fold_limit": 1}, ValueError, "no pass 'constant-fold'"),
    ):
        with pytest.raises(kind, match=says):
            ge_onnx.optimize(exponential(), **options)


def test_a_limit_leaves_other_options_of_folding_alone() -> None:
    from ge.optimize import pipeline_text

    text = pipeline_text("constant-fold{bytes=5},dce", fold_limit=9)
    assert text == "constant-fold{bytes=5 limit=9},dce"


# --- ge convert


def test_a_text_that_contradicts_itself_is_not_converted(tmp_path: Path) -> None:
    path, text, target = two(tmp_path / "m.onnx"), tmp_path / "m.mlir", tmp_path / "o.onnx"
    assert ge("convert", path, "-o", text).status == 0
    module = ir.Module.parse(text.read_text())
    (graph,) = module.graphs.values()
    graph.nodes[0].result.type = ir.TensorType((7, 7), ir.f32)
    text.write_text(module.to_text())
    done = ge("convert", text, "-o", target)
    assert (done.status, "contradicts itself" in done.err, target.exists()) == (1, True, False)
    assert ge("convert", text, "-o", target, "--force").status == 0
    graph.outputs = []
    text.write_text(module.to_text())
    done = ge("convert", text, "-o", tmp_path / "none.onnx")
    assert (done.status, "has no outputs" in done.err) == (1, True)
    assert not (tmp_path / "none.onnx").exists()


def test_options_of_convert_are_said_once(tmp_path: Path) -> None:
    path = two(tmp_path / "m.onnx")
    for words, says in (
        (["-o", tmp_path / "a.mlir", "-o", tmp_path / "b.mlir"], "contradicts -o"),
        (["-o", tmp_path / "a.mlir", "--elide", "-1"], "0 elements or more"),
        (["-o", tmp_path / "a.mlir", "--elide", "1", "--elide", "2"], "--elide 2 contradicts"),
    ):
        done = ge("convert", path, *words)
        assert (done.status, says in done.err) == (2, True)
    assert [p.name for p in tmp_path.iterdir()] == ["m.onnx"]


def test_an_error_of_many_models_names_the_model(tmp_path: Path) -> None:
    path = two(tmp_path / "m.onnx")
    done = ge("optimize", path, "--output-dir", tmp_path / "out", "--jobs", "1", "--json")
    assert (done.status, json.loads(done.out)["models"][0]["status"]) == (0, "done")
