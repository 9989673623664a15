"""What `check` decides, and by whom: equal, different, not loaded, not evaluated; operators of one's own on either side."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_run import Ran, write_model
from onnx import TensorProto, helper, numpy_helper

import ge.ir as ir
import ge.onnx
import ge.ops as ops
import ge.passes as P
from ge.es import onnx as op
from ge.run import NotRunError, _model, first_difference

pytest.importorskip("onnxruntime")

OWN = """
import numpy as np
import ge.ops as ops
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, p, pattern, register_fusion_pass
lib = ops.Library("outcome")
lib.define("HalfAbs(Tensor x) -> Tensor", traits=["pure"])
lib.infer("HalfAbs")(lambda call: [call.operand_types[0]])
lib.impl("HalfAbs", "cpu", as_="numpy")(lambda x: np.abs(x) * np.float32({factor}))

@register_fusion_pass(name="ToHalfAbs", stage=PassStage.BEFORE_INFER_SHAPE)
class ToHalfAbs(PatternFusionPass):
    @pattern
    def found(self, x):
        return op.Mul(op.Abs(x), 0.5)

    def replacement(self, x):
        return p.op("outcome.HalfAbs")(x)
"""


def command(*arguments: object) -> Ran:
    """Run ``ge`` in a process of its own, because the pass files define operators."""
    words = [sys.executable, "-m", "ge", *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def own() -> Iterator[ops.Library]:
    with ops.Library("outcome") as lib:
        lib.define("HalfAbs(Tensor x) -> Tensor", traits=["pure"])
        lib.infer("HalfAbs")(lambda call: [call.operand_types[0]])
        lib.impl("HalfAbs", "cpu", as_="numpy")(lambda x: np.abs(x) * np.float32(0.5))
        lib.define("Unknown(Tensor x) -> Tensor", traits=["pure"])
        lib.infer("Unknown")(lambda call: [call.operand_types[0]])
        yield lib


def halved(path: Path) -> Path:
    half = numpy_helper.from_array(np.float32(0.5), "half")
    nodes = [
        helper.make_node("Abs", ["x"], ["a"], name="abs"),
        helper.make_node("Mul", ["a", "half"], ["m"], name="mul"),
        helper.make_node("Sqrt", ["m"], ["y"], name="sqrt"),
    ]
    return write_model(
        path, nodes, {"x": ("FLOAT", [2, 5])}, {"y": ("FLOAT", [2, 5])}, {"half": numpy_helper.to_array(half)}
    )  # fmt: skip


def with_own(path: Path, name: str = "HalfAbs") -> ir.Module:
    module = ge.onnx.load(halved(path))
    rule = P.rewrite_rule(
        lambda x: op.Mul(op.Abs(x), 0.5), lambda x: P.p.op(f"outcome.{name}")(x), name="own"
    )
    assert P.PassManager().add(rule).run(module).changed
    return module


def test_a_fusion_into_an_operator_of_ones_own_is_equal_in_both_directions(
    own: ops.Library, tmp_path: Path
) -> None:
    plain, fused = ge.onnx.load(halved(tmp_path / "a.onnx")), with_own(tmp_path / "b.onnx")
    for pair in ((plain, fused), (fused, plain), (fused, fused)):
        report = ge.onnx.check(*pair)
        assert report and report.outcome == "equal", report
        assert report.by == "the interpreter" and report.runs == 6
    assert first_difference(plain, fused, {"x": np.ones((2, 5), np.float32)})[0] is None


def test_a_users_evaluator_does_not_hide_kernels(own: ops.Library, tmp_path: Path) -> None:
    plain, fused = ge.onnx.load(halved(tmp_path / "a.onnx")), with_own(tmp_path / "b.onnx")
    with ops.add_evaluator(lambda call: None):
        for pair in ((plain, fused), (fused, plain)):
            assert ge.onnx.check(*pair).outcome == "equal"


@pytest.mark.parametrize("place", ["function", "body"])
def test_an_operator_of_ones_own_inside_of_a_function_or_body(
    own: ops.Library, tmp_path: Path, place: str
) -> None:
    value = helper.make_tensor_value_info

    def model(op: str, domain: str) -> bytes:
        inputs = [value("x", VALUES, [3]), value("c", TensorProto.BOOL, [])]
        sets = [helper.make_opsetid(d, v) for d, v in (("", 17), ("outcome", 1), ("local", 1))]
        functions = []
        if place == "function":
            inner = helper.make_node(op, ["x"], ["y"], domain=domain)
            functions = [helper.make_function("local", "F", ["x"], ["y"], [inner], sets[:2])]
            node = helper.make_node("F", ["x"], ["y"], domain="local")
        else:
            bodies = [
                helper.make_graph(
                    [helper.make_node(op, ["x"], ["t"], domain=domain)],
                    b,
                    [],
                    [value("t", VALUES, [3])],
                )
                for b in "ab"
            ]
            node = helper.make_node(
                "If", ["c"], ["y"], then_branch=bodies[0], else_branch=bodies[1]
            )
        graph = helper.make_graph([node], "g", inputs, [value("y", VALUES, [3])])
        made = helper.make_model(graph, opset_imports=sets, ir_version=8, functions=functions)
        return made.SerializeToString()

    own.impl("HalfAbs", "cpu", as_="numpy", override=True)(np.abs)
    plain, mine = model("Abs", ""), model("HalfAbs", "outcome")
    for pair in ((plain, mine), (mine, plain)):
        assert ge.onnx.check(*pair).outcome == "equal"
    assert ge.onnx.check(model("Neg", ""), mine).outcome == "different"


def test_a_wrong_kernel_is_a_difference_in_both_directions(
    own: ops.Library, tmp_path: Path
) -> None:
    plain, fused = ge.onnx.load(halved(tmp_path / "a.onnx")), with_own(tmp_path / "b.onnx")
    own.impl("HalfAbs", "cpu", as_="numpy", override=True)(lambda x: x * np.float32(0.5))
    for pair in ((plain, fused), (fused, plain)):
        assert ge.onnx.check(*pair).outcome == "different"


def test_an_operator_without_a_kernel_is_not_evaluated_in_both_directions(
    own: ops.Library, tmp_path: Path
) -> None:
    plain, other = (
        ge.onnx.load(halved(tmp_path / "a.onnx")),
        with_own(tmp_path / "b.onnx", "Unknown"),
    )
    report = ge.onnx.check(plain, other)
    assert not report and report.outcome == "not-evaluated"
    assert "has no kernel" in report.outputs[0].message
    assert "onnxruntime has no outcome.Unknown" in " ".join(report.notes)
    with pytest.raises(NotRunError, match=r"onnxruntime has no outcome\.Unknown") as caught:
        ge.onnx.check(other, plain)
    assert caught.value.outcome == "not-evaluated"


def test_rewrites_into_operators_of_ones_own_are_checked(own: ops.Library, tmp_path: Path) -> None:
    def run(name: str) -> Any:
        rule = P.rewrite_rule(
            lambda x: op.Mul(op.Abs(x), 0.5), lambda x: P.p.op(f"outcome.{name}")(x), name="own"
        )
        module = ge.onnx.load(halved(tmp_path / "a.onnx"))
        return P.PassManager(check="rewrite", check_dir=tmp_path).add(rule).run(module)

    assert run("HalfAbs").rewrite_check.rewrites == 1
    assert len(run("Unknown").rewrite_check.unevaluated) == 1
    own.impl("HalfAbs", "cpu", as_="numpy", override=True)(lambda x: x * np.float32(2))
    with pytest.raises(P.WrongRewriteError, match="computes something else"):
        run("HalfAbs")


@pytest.mark.slow
@pytest.mark.parametrize(("factor", "status"), [("0.5", 0), ("0.25", 1)])
def test_commands_with_a_fusion_into_an_operator_of_ones_own(
    factor: str, status: int, tmp_path: Path
) -> None:
    model = halved(tmp_path / "m.onnx")
    file = tmp_path / "own.py"
    file.write_text(OWN.format(factor=factor))
    given = ("--passes", file)
    out = tmp_path / "o.onnx"
    done = command("optimize", model, "-o", out, *given, "--check", "1", "--json")
    assert done.status == status, done.err
    assert done.json["check"]["outcome"] == ("different" if status else "equal")
    assert out.exists() is not bool(status)
    done = command(
        "optimize", model, "-o", out, *given, "--check-rewrites", "--reproducer-dir", tmp_path
    )
    assert done.status == status, done.err
    done = command("bisect", model, *given, "--reproducer-dir", tmp_path, "--runs", "1")
    assert done.status == status, done.err


@pytest.mark.slow
def test_a_command_says_that_nothing_evaluates_a_result(tmp_path: Path) -> None:
    model = halved(tmp_path / "m.onnx")
    file = tmp_path / "own.py"
    text = OWN.format(factor="0.5")
    file.write_text("".join(line for line in text.splitlines(True) if "lib.impl" not in line))
    out = tmp_path / "o.onnx"
    done = command("optimize", model, "-o", out, "--passes", file, "--check", "1", "--json")
    assert (done.status, done.json["check"]["outcome"]) == (3, "not-evaluated")
    assert not out.exists() and "computes" not in done.err
    done = command("bisect", model, "--passes", file, "--reproducer-dir", tmp_path, "--json")
    assert (done.status, done.json["outcome"]) == (3, "not-evaluated")


@pytest.mark.slow
def test_bisection_says_that_the_model_itself_is_not_evaluated(tmp_path: Path) -> None:
    nodes = [helper.make_node("Nothing", ["x"], ["y"], domain="outcome")]
    path = write_model(tmp_path / "a.onnx", nodes, {"x": ("FLOAT", [4])}, {"y": ("FLOAT", [4])})
    assert command("bisect", path, "--passes", "cse").status == 3


# --- Large models, and files

VALUES = TensorProto.FLOAT


def weighted(weight: Any) -> ir.Module:
    value = helper.make_tensor_value_info
    then = helper.make_graph(
        [helper.make_node("Add", ["w", "x"], ["t"])], "t", [], [value("t", VALUES, [8, 8])]
    )
    other = helper.make_graph(
        [helper.make_node("Sub", ["w", "x"], ["e"])], "e", [], [value("e", VALUES, [8, 8])]
    )
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"]),
        helper.make_node("If", ["c"], ["i"], then_branch=then, else_branch=other),
        helper.make_node("Add", ["m", "i"], ["y"]),
    ]
    inputs = [value("x", VALUES, [8, 8]), value("c", TensorProto.BOOL, [])]
    held = [numpy_helper.from_array(weight, "w")]
    graph = helper.make_graph(nodes, "g", inputs, [value("y", VALUES, [8, 8])], held)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return ge.onnx.load(made.SerializeToString())


def test_weights_that_a_model_cannot_hold_are_handed_over_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_model, "_MOST_INSIDE", 64)
    monkeypatch.setattr(_model, "_LARGE", 64)
    weight = np.random.default_rng(1).standard_normal((8, 8)).astype(np.float32)
    changed = weight.copy()
    changed[2, 3] += 1
    model = weighted(weight)
    data, apart = _model.bytes_and_weights(model)
    assert [a.shape for a in apart.values()] == [(8, 8)] and weight.tobytes() not in data
    report = ge.onnx.check(model, model.clone())
    assert (report.outcome, report.by) == ("equal", "onnxruntime")
    report = ge.onnx.check(model, weighted(changed))
    assert (report.outcome, report.by) == ("different", "onnxruntime")


def test_models_with_data_in_files_are_compared_and_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import onnx

    (place := tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", None)
    weight = np.arange(64, dtype=np.float32).reshape(8, 8)
    data = ge.onnx.to_bytes(weighted(weight))
    onnx.save(
        onnx.load_from_string(data),
        tmp_path / "a.onnx",
        save_as_external_data=True,
        location="a.bin",
        size_threshold=8,
    )
    assert ge.onnx.check(tmp_path / "a.onnx", ge.onnx.load(tmp_path / "a.onnx")).outcome == "equal"
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.onnx")
    Path(name).write_bytes(data)
    assert ge.onnx.check(name, tmp_path / "a.onnx").outcome == "equal"
    assert list(place.iterdir()) == []
    held = np.fromfile(tmp_path / "a.bin", np.float32)
    held[5] += 80
    held.tofile(tmp_path / "a.bin")
    assert ge.onnx.check(name, tmp_path / "a.onnx").outcome == "different"


# --- Values


def test_large_outputs_are_compared_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    from ge.run import _outputs

    a = np.arange(1, 25, dtype=np.float32).reshape(4, 6)
    b = a.copy()
    b[1, 4], b[3, 2], b[0, 0] = 12, 900, np.float32(1.00001)
    whole = _outputs.compare_values("y", a, b, "", None, None)
    assert (whole.verdict, whole.where) == ("differs", (3, 2)) and "2 of 24" in whole.message
    monkeypatch.setattr(_outputs, "_CHUNK", 5)
    assert _outputs.compare_values("y", a, b, "", None, None) == whole
    assert _outputs.compare_values("y", a, a.copy(), "", None, None).verdict == "equal"


def test_the_name_of_a_functions_graph_does_not_matter() -> None:
    function = helper.make_function(
        "my", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])],
        [helper.make_opsetid("", 17)],
    )  # fmt: skip
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [3]) for n in "xy")
    graph = helper.make_graph([helper.make_node("Twice", ["x"], ["y"], domain="my")], "g", [x], [y])
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("my", 1)]
    made = helper.make_model(graph, opset_imports=sets, ir_version=8, functions=[function])
    first, second = (ge.onnx.load(made.SerializeToString()) for _ in range(2))
    (body,) = (g for g in second.graphs.values() if "onnx.function" in g.attributes)
    body.name = "renamed"
    report = ge.onnx.check(first, second)
    assert report.outcome == "equal" and report.by == "onnxruntime" and not report.notes
