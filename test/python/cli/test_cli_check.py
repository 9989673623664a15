"""``ge check`` and `ge.onnx.check`: they compare two models and give a verdict for each output."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_run import affine, ge, write_model

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

import ge.onnx as ge_onnx  # noqa: E402
from ge import ir, ops  # noqa: E402
from ge.run import _check, _inputs, _outputs  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's own libraries are not built for it


def test_a_model_agrees_with_itself(tmp_path: Path) -> None:
    path = affine(tmp_path / "a.onnx")
    done = ge("check", path, path)
    assert done.status == 0
    assert "equal: 6 runs by onnxruntime, with N=2" in done.out


def test_another_factor_is_a_difference_that_both_runners_see(tmp_path: Path) -> None:
    a, b = affine(tmp_path / "a.onnx"), affine(tmp_path / "b.onnx", 2.01)
    done = ge("check", a, b, "--json")
    assert done.status == 1
    (output,) = done.json["outputs"]
    assert (output["name"], output["verdict"], output["dtype"]) == ("y", "differs", "float32")
    # The report shows the largest difference, which an extreme input of 100 causes.
    assert output["inputs"] == "extremes"
    assert output["max_abs"] == pytest.approx(1, rel=0.01)
    assert done.json["notes"] == ["output 'y': in the reference evaluator the models differ too"]


def test_tolerances_can_be_given(tmp_path: Path) -> None:
    a, b = affine(tmp_path / "a.onnx"), affine(tmp_path / "b.onnx", 2.01)
    assert ge("check", a, b, "--rtol", "0.1", "--atol", "0.1").status == 0
    assert ge("check", a, b, "--rtol", "0").status == 1
    assert ge("check", a, b, "--rtol", "-1").status == 2
    assert ge("check", a, b, "--rtol", "nan").status == 2


def test_sizes_of_free_dimensions(tmp_path: Path) -> None:
    path = affine(tmp_path / "a.onnx")
    assert ge("check", path, path, "--dim", "N=7", "--json").json["sizes"] == {"N": 7}
    assert ge("check", path, path, "--shape", "x=5,3", "--json").json["sizes"] == {"N": 5}
    assert ge("check", path, path, "--dim", "N=0").status == 0
    for flags, says in (
        (["--dim", "M=7"], "no input has a free dimension 'M'; free ones: N"),
        (["--dim", "N"], "--dim takes NAME=SIZE"),
        (["--dim", "N=x"], "a size is a number"),
        (["--shape", "x=5,4"], "cannot have the shape (5, 4)"),
        (["--shape", "z=5,4"], "no input 'z'; the model has x"),
        (["--shape", "x=a"], "a shape is numbers and commas"),
    ):
        done = ge("check", path, path, *flags)
        assert done.status == 2, flags
        assert says in done.err


def test_sizes_are_tried_until_the_model_runs(tmp_path: Path) -> None:
    # Runs with a width of 1 or 224 only, which the first guess does not know.
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    weights = {"w": np.ones((1, 224), np.float32)}
    types = {"x": ("FLOAT", [1, "Q"])}
    path = write_model(tmp_path / "a.onnx", nodes, types, {"y": ("FLOAT", [1, 224])}, weights)
    assert ge("check", path, path, "--json").json["sizes"]["Q"] in (1, 224)


@pytest.mark.slow
def test_no_sizes_are_tried_that_fill_the_memory(tmp_path: Path) -> None:
    path = write_model(
        tmp_path / "a.onnx",
        [helper.make_node("Reshape", ["x", "shape"], ["y"])],
        {"x": ("FLOAT", ["a", "b", "c", "d"])},
        {"y": ("FLOAT", [7, 11])},
        {"shape": np.int64([7, 11])},
    )
    done = ge("check", path, path)
    assert done.status == 3
    assert "onnxruntime cannot run it" in done.err
    module = ge_onnx.load(path)

    def tried(most: int, **dims: int) -> list[int | None]:
        return [sizes.every for sizes in _check._candidates(module, dims, {}, most)]

    assert tried(1 << 26) == [None, 1, 2, 4, 8, 16, 32, 64]
    assert tried(1 << 26, a=1, b=1)[-1] == 224
    assert tried(1 << 18) == [None, 1, 2, 4, 8, 16]  # the limit of the evaluators in Python


def test_indices_stay_inside_what_they_index(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Cast", ["ids"], ["wide"], to=onnx.TensorProto.INT64),
        helper.make_node("Gather", ["table", "wide"], ["y"]),
    ]
    weights = {"table": np.arange(6, dtype=np.float32).reshape(3, 2)}
    path = write_model(
        tmp_path / "a.onnx", nodes, {"ids": ("INT32", [50])}, {"y": ("FLOAT", [50, 2])}, weights
    )
    module = ge_onnx.load(path)
    for kind in ("random", "zeros", "extremes"):
        ids = ge_onnx.make_inputs(module, kind=kind)["ids"]
        assert ids.dtype == np.int32
        assert 0 <= ids.min() <= ids.max() < 3
    assert len(set(ge_onnx.make_inputs(module)["ids"].tolist())) == 3
    assert ge("check", path, path).status == 0


@pytest.mark.parametrize(
    ("op", "indices", "attributes", "limit"),
    [
        ("GatherND", [5, 2], {}, 3),
        ("GatherND", [3, 5, 1], {"batch_dims": 1}, 9),
        ("GatherND", [3, "N"], {}, 2),
        ("ScatterND", [5, 3], {}, 2),
        ("GatherElements", [3, 9, 2], {"axis": -1}, 2),
        ("ScatterElements", [3, 9, 2], {"axis": 1}, 9),
    ],
)
def test_indices_of_places_stay_inside(
    tmp_path: Path, op: str, indices: list[Any], attributes: dict[str, int], limit: int
) -> None:
    names = ["data", "i", "updates"][: 3 if op.startswith("Scatter") else 2]
    inputs = {"data": ("FLOAT", [3, 9, 2]), "i": ("INT64", indices), "updates": ("FLOAT", None)}
    path = write_model(
        tmp_path / "m.onnx",
        [helper.make_node(op, names, ["y"], **attributes)],
        {name: inputs[name] for name in names},
        {"y": ("FLOAT", None)},
    )
    module = ge_onnx.load(path)
    found = {int(_inputs.make_inputs(module, seed=s)["i"].max()) for s in range(40)}
    assert max(found) == limit - 1


def test_a_trip_count_that_is_an_input_is_small() -> None:
    """A loop with the largest int64 as its trip count would never end."""
    module = ir.Module.parse("""func.func @main(%n: tensor<i64>, %x: tensor<f32>) -> tensor<f32> {
      %c = "onnx.Constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
      %i = "onnx.Identity"(%n) : (tensor<i64>) -> tensor<i64>
      %y = "onnx.Loop"(%i, %c, %x) ({
      ^bb0(%trip: tensor<i64>, %in: tensor<i1>, %v: tensor<f32>):
        %w = "onnx.Add"(%v, %v) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "ge.yield"(%in, %w) : (tensor<i1>, tensor<f32>) -> ()
      }) : (tensor<i64>, tensor<i1>, tensor<f32>) -> tensor<f32>
      return %y : tensor<f32>
    }""")
    for kind in ("random", "positive", *_inputs.EDGES, "arange"):
        for seed in range(20):
            assert 0 <= _inputs.make_inputs(module, kind=kind, seed=seed)["n"] < 8


@pytest.mark.parametrize("way", ["function", "arithmetic"])
def test_a_trip_count_is_found_through_functions_and_arithmetic(way: str) -> None:
    loop = (
        "c = Constant<value = bool {1}>() "
        "y = Loop(%s, c, x)<body = turn (int64 i, bool go, float[2] v) => (bool on, float[2] w) "
        "{ on = Identity(go) w = Add(v, v) }>"
    )
    body = "y = own.f(n, x)" if way == "function" else "d = Add(n, n) t = Abs(d) " + loop % "t"
    text = (
        '<ir_version: 10, opset_import: ["": 18, "own": 1]>\n'
        f"g (int64 n, float[2] x) => (float[2] y) {{ {body} }}\n"
        f'<domain: "own", opset_import: ["": 18]>\nf (n, x) => (y) {{ {loop % "n"} }}'
    )
    module = ge_onnx.load(onnx.parser.parse_model(text).SerializeToString())
    for seed in range(20):
        assert 0 <= _inputs.make_inputs(module, kind="extremes", seed=seed)["n"] < 8


@pytest.mark.parametrize(
    ("inputs", "call", "limit"),
    [
        ("float[4, 3] x, int64[4] i", "NegativeLogLikelihoodLoss(x, i)", 3),
        ("float[4, 3] x, int64[4] i", "SoftmaxCrossEntropyLoss(x, i)", 3),
        ("float[4, 3] x, int64 i", "CumSum(x, i)", 2),
        ("float[4, 3] x, int64[1] i", "ReduceMax(x, i)", 2),
        ("float[4, 3] x, int64[1] i", "Unsqueeze(x, i)", 2),
        ("seq(float[2]) x, int64 i", "SequenceAt(x, i)", 2),
    ],
)
def test_labels_axes_and_positions_are_inside(inputs: str, call: str, limit: int) -> None:
    text = f'<ir_version: 10, opset_import: ["": 18]> g ({inputs}) => (float[] y) {{ y = {call} }}'
    data = onnx.parser.parse_model(text).SerializeToString()
    module = ge_onnx.load(data)
    found = {int(np.max(_inputs.make_inputs(module, seed=s)["i"])) for s in range(40)}
    assert max(found) == limit - 1
    assert ge_onnx.check(data, data)


def test_random_choices_among_few_results_are_not_differences() -> None:
    text = '<ir_version: 10, opset_import: ["": 18]> g (float[1, 3] x) => (int32[] y) { y = Multinomial(x) }'
    data = onnx.parser.parse_model(text).SerializeToString()
    assert {ge_onnx.check(data, data, runs=1).outcome for _ in range(10)} == {"not-evaluated"}


def test_inputs_are_the_same_for_a_seed_and_others_for_another(tmp_path: Path) -> None:
    module = ge_onnx.load(affine(tmp_path / "a.onnx"))
    one, same, other = (ge_onnx.make_inputs(module, seed=s)["x"] for s in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()
    with pytest.raises(ValueError, match="kind is 'odd'"):
        ge_onnx.make_inputs(module, kind="odd")


def test_input_data(tmp_path: Path) -> None:
    a, b = affine(tmp_path / "a.onnx"), affine(tmp_path / "b.onnx", 3.0)
    zeros = np.zeros((4, 3), np.float32)
    data = tmp_path / "data"
    data.mkdir()
    np.save(data / "x.npy", zeros)
    np.savez(tmp_path / "all.npz", x=zeros)
    (tmp_path / "x.bin").write_bytes(zeros.tobytes())
    (tmp_path / "x.pb").write_bytes(numpy_helper.from_array(zeros).SerializeToString())
    pb = tmp_path / "set"
    pb.mkdir()
    (pb / "input_0.pb").write_bytes((tmp_path / "x.pb").read_bytes())
    for word in (
        data,
        tmp_path / "all.npz",
        f"x={tmp_path / 'x.bin'}",
        f"x={tmp_path / 'x.pb'}",
        pb,
    ):
        done = ge("check", a, b, "--input-data", word, "--json")
        # The models agree for x = 0 only, so only this data was run.
        assert done.status == 0, (word, done.err)
        assert (done.json["runs"], done.json["sizes"]) == (1, {"N": 4})


@pytest.mark.parametrize("suffix", [".npy", ".pb", ".bin"])
def test_input_data_is_regular_files(suffix: str, tmp_path: Path) -> None:
    path = affine(tmp_path / "a.onnx")
    pipe = tmp_path / f"x{suffix}"
    os.mkfifo(pipe)
    done = ge("check", path, path, "--input-data", f"x={pipe}")
    assert (done.status, "not a regular file" in done.err) == (1, True), done


@pytest.mark.parametrize("outside", ["../far/x", "{root}/far/x", "a\0b"])
def test_names_of_inputs_do_not_lead_out_of_the_directory_of_data(
    outside: str, tmp_path: Path
) -> None:
    name = outside.replace("{root}", str(tmp_path))
    value = helper.make_tensor_value_info(name, TensorProto.FLOAT, [2])
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
    graph = helper.make_graph([helper.make_node("Neg", [name], ["y"])], "g", [value], [result])
    imports = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    for directory in ("far", "data"):
        (tmp_path / directory).mkdir()
    np.save(tmp_path / "far" / "x.npy", np.ones(2, np.float32))
    done = ge("check", *[tmp_path / "m.onnx"] * 2, "--input-data", tmp_path / "data")
    assert (done.status, "no file is named after an input" in done.err) == (1, True), done


def test_input_data_that_does_not_fit(tmp_path: Path) -> None:
    path = affine(tmp_path / "a.onnx")
    bad = tmp_path / "bad.npy"
    bad.write_bytes(b"nothing")
    (tmp_path / "x.bin").write_bytes(b"12345")
    (tmp_path / "empty").mkdir()
    np.savez(tmp_path / "z.npz", z=1)
    for word, status, says in (
        (bad, 2, "takes NAME=FILE"),
        (f"z={bad}", 2, "the model's inputs are x"),
        (f"x={bad}", 1, "bad.npy"),
        (f"x={tmp_path / 'none.npy'}", 1, "No such file"),
        (f"x={tmp_path / 'x.bin'}", 1, "5 bytes are no"),
        (tmp_path / "empty", 1, "no file is named after an input (x)"),
        (tmp_path / "z.npz", 2, "'z' is no input"),
    ):
        done = ge("check", path, path, "--input-data", word)
        assert (done.status, says in done.err) == (status, True), done.err
        assert "Traceback" not in done.err


def two_outputs(path: Path, names: tuple[str, str], op: str = "Neg") -> Path:
    nodes = [helper.make_node("Abs", ["x"], [names[0]]), helper.make_node(op, ["x"], [names[1]])]
    return write_model(path, nodes, {"x": ("FLOAT", [4])}, dict.fromkeys(names, ("FLOAT", [4])))


def test_each_output_has_its_verdict(tmp_path: Path) -> None:
    a = two_outputs(tmp_path / "a.onnx", ("p", "q"))
    b = two_outputs(tmp_path / "b.onnx", ("p", "q"), "Sqrt")
    outputs = ge("check", a, b, "--json").json["outputs"]
    assert [(o["name"], o["verdict"]) for o in outputs] == [("p", "equal"), ("q", "differs")]


def test_a_missing_output_is_a_difference(tmp_path: Path) -> None:
    a = two_outputs(tmp_path / "a.onnx", ("p", "q"))
    b = two_outputs(tmp_path / "b.onnx", ("p", "r"))
    done = ge("check", a, b)
    assert done.status == 1
    assert "the second model has no such output; it has p, r" in done.out


def test_random_outputs_are_not_called_different_nor_equal(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("RandomNormalLike", ["x"], ["p"]),
        helper.make_node("Abs", ["x"], ["q"]),
    ]
    types = dict.fromkeys(("p", "q"), ("FLOAT", [4]))
    both = write_model(tmp_path / "a.onnx", nodes, {"x": ("FLOAT", [4])}, types)
    done = ge("check", both, both, "--json")
    assert [o["verdict"] for o in done.json["outputs"]] == ["random", "equal"]
    assert done.status == 0
    # A check that can compare no output decides nothing.
    only = write_model(tmp_path / "b.onnx", nodes[:1], {"x": ("FLOAT", [4])}, {"p": types["p"]})
    done = ge("check", only, only)
    assert done.status == 3 and "nothing compared: " in done.out and "NOT" not in done.out
    done = ge("optimize", only, "-o", tmp_path / "o.onnx", "--check", "1")
    assert done.status == 3 and "nothing of the result could be compared" in done.err


def test_inputs_of_other_names_are_reported(tmp_path: Path) -> None:
    types = {"y": ("FLOAT", [4])}
    a, b = (
        write_model(
            tmp_path / f"{x}.onnx",
            [helper.make_node("Abs", [x], ["y"])],
            {x: ("FLOAT", [4])},
            types,
        )
        for x in ("p", "q")
    )
    done = ge("check", a, b)
    assert done.status == 1
    assert (
        "the second model has the inputs q, the first p; inputs and outputs are compared by name"
        in done.out
    )


def test_a_model_without_outputs_is_not_a_pass_s_fault(tmp_path: Path) -> None:
    path = write_model(
        tmp_path / "a.onnx", [helper.make_node("Abs", ["x"], ["y"])], {"x": ("FLOAT", [4])}, {}
    )
    done = ge("optimize", path, "-o", tmp_path / "o.onnx")
    assert done.status == 1 and "of the model has no outputs" in done.err and "pass" not in done.err


def test_what_onnxruntime_cannot_run_the_reference_evaluator_decides(tmp_path: Path) -> None:
    nodes = [helper.make_node("Add", ["x", "x"], ["y"])]
    types = {"x": ("BFLOAT16", [4])}
    path = write_model(tmp_path / "a.onnx", nodes, types, {"y": ("BFLOAT16", [4])})
    done = ge("check", path, path, "--json")
    assert done.json["by"] == "the reference evaluator", done.json
    assert done.status == 0


def test_an_operator_that_nothing_has_leaves_it_undecided(tmp_path: Path) -> None:
    nodes = [helper.make_node("Nosuch", ["x"], ["y"])]
    path = write_model(tmp_path / "a.onnx", nodes, {"x": ("FLOAT", [4])}, {"y": ("FLOAT", [4])})
    other = affine(tmp_path / "b.onnx", shape=(4,))
    done = ge("check", path, other, "--json")
    assert (done.status, done.json["outcome"]) == (3, "not-evaluated")
    assert "not evaluated: the first model: onnxruntime has no ai.onnx.Nosuch" in done.err
    assert "the reference evaluator has no ai.onnx.Nosuch" in done.err


def test_a_model_that_could_not_be_loaded_is_neither_equal_nor_different(tmp_path: Path) -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    good, bad = (
        write_model(tmp_path / f"{t}.onnx", nodes, {"x": ("FLOAT", [4])}, {"y": (t, [4])})
        for t in ("FLOAT", "INT32")
    )
    done = ge("check", good, bad)
    assert done.status == 3
    assert "the second model could not be loaded: onnxruntime" in done.out
    assert "NOT equal" not in done.out and "computes" not in done.out
    assert ge("check", good, bad, "--json").json["outcome"] == "not-loaded"
    assert ge("check", good, good, "--json").json["outcome"] == "equal"


def test_a_second_model_that_cannot_run_is_a_difference(tmp_path: Path) -> None:
    a = affine(tmp_path / "a.onnx", shape=(2, 3))
    b = affine(tmp_path / "b.onnx", shape=(2, 4))
    done = ge("check", a, b)
    assert done.status == 1
    assert "the second model: onnxruntime cannot run it" in done.out


def test_a_provider_that_is_not_there(tmp_path: Path) -> None:
    path = affine(tmp_path / "a.onnx")
    done = ge("check", path, path, "--provider", "NosuchProvider")
    assert (done.status, done.out) == (1, "")
    assert "onnxruntime has no NosuchProvider" in done.err


def test_modules_and_texts_can_be_checked(tmp_path: Path) -> None:
    path = affine(tmp_path / "a.onnx")
    assert ge_onnx.check(path, ge_onnx.load(path))
    assert ge_onnx.check(path.read_bytes(), path)
    ge("convert", path)
    assert ge("check", path, tmp_path / "a.mlir").status == 0


def test_a_module_that_is_checked_keeps_its_order() -> None:
    module = ir.Module()
    graph = module.add_graph("g")
    x = graph.add_input("x", ir.TensorType((3,), ir.f32))
    first = graph.add_node("onnx.Relu", [x], result_types=[x.type])
    second = graph.add_node("onnx.Exp", [first.result], result_types=[x.type])
    graph.outputs = [second.result]
    second.move_before(first)
    before = ops.use_evaluator(lambda call: None)
    try:
        report = ge_onnx.check(module, module, runs=1)
    finally:
        ops.use_evaluator(before)
    assert report and report.by == "the evaluator, operator by operator"
    assert [node.type for node in graph.nodes] == ["Exp", "Relu"]


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        (np.float32([1, np.nan]), np.float32([1, np.nan]), "equal"),
        (np.float32([np.inf]), np.float32([np.inf]), "equal"),
        (np.float32([0.0]), np.float32([-0.0]), "equal"),
        (np.float32([np.inf]), np.float32([-np.inf]), "differs"),
        (np.float32([1, np.nan]), np.float32([1, 2]), "differs"),
        (np.float32([1e30]), np.float32([np.inf]), "differs"),
        (np.float32([1.0]), np.float32([1.00001]), "close"),
        (np.float32([1.0]), np.float64([1.0]), "differs"),
        (np.zeros((2, 0)), np.zeros((0, 2)), "differs"),
        (np.zeros((2, 0)), np.zeros((2, 0)), "equal"),
        (np.int64([1, 2]), np.int64([1, 3]), "differs"),
        (np.array(["a"], object), np.array(["a"], object), "equal"),
        (np.array(["a"], object), np.array(["b"], object), "differs"),
        (np.float64(1.0), np.float64(1.0 + 1e-6), "differs"),
        (np.complex64([1j]), np.complex64([1.00001j]), "close"),
        ([np.float32([1])], [np.float32([1])], "equal"),
        ([np.float32([1])], [np.float32([2])], "differs"),
        ([np.float32([1])], [], "differs"),
        ([{1: 0.5}], [{1: 0.5}], "equal"),
        ([{1: 0.5}], [{2: 0.5}], "differs"),
        (None, None, "equal"),
        (None, np.float32([1]), "differs"),
    ],
)
def test_how_values_are_compared(a: Any, b: Any, verdict: str) -> None:
    report = _outputs.compare_values("y", a, b, "random 0", None, None)
    assert report.verdict == verdict
    assert bool(report.message) == (verdict == "differs")
