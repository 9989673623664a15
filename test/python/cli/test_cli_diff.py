"""`ge diff` is readable for models with long names, long attributes and many nodes; `--full` abbreviates nothing."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_run import ge, write_model

from ge import ir

helper = pytest.importorskip("onnx").helper

T = ir.TensorType((2,), ir.f32)
EXPORTED = Path(__file__).resolve().parents[2] / "models"
MODULE = "/model/encoder/layer.0/attention/self/"


def written(path: Path, attribute: Any = None, chain: int = 0, last: str = "onnx.Relu") -> Path:
    """Write a graph: a chain of Identity nodes, then one node with an attribute."""
    module = ir.Module("m")
    graph = module.add_graph("g")
    value = graph.add_input("x", T)
    for i in range(chain):
        name = f"{MODULE}Identity_{i}"
        value = graph.add_node("onnx.Identity", [value], name=name, result_types=[T]).result
    attributes = {} if attribute is None else {"a": attribute}
    node = graph.add_node(last, [value], attributes, name=f"{MODULE}Last", result_types=[T])
    graph.outputs = [node.result]
    path.write_text(module.to_text())
    return path


def test_a_long_group_is_shown_in_lines_of_100_columns_that_keep_names_whole(
    tmp_path: Path,
) -> None:
    a, b = written(tmp_path / "a.mlir", chain=12), written(tmp_path / "b.mlir")
    lines = ge("diff", a, b).out.splitlines()
    assert lines[0] == "these 13 became this 1:"
    assert f"    -> Relu {MODULE}Last" in lines
    assert lines[lines.index(f"    -> Relu {MODULE}Last") - 1].endswith(", ... 5 more")
    assert max(map(len, lines)) <= 100
    full = ge("diff", a, b, "--full").out
    assert all(f"Identity {MODULE}Identity_{i}" in full for i in range(12))


def test_removed_nodes_in_a_row_share_their_lines(tmp_path: Path) -> None:
    paths = []
    for count in (0, 9):
        module = ir.Module("m")
        graph = module.add_graph("g")
        x = graph.add_input("x", T)
        results = [graph.add_node("onnx.Relu", [x], name="kept", result_types=[T]).result]
        for i in range(count):
            name = f"gone_{i}"
            results.append(graph.add_node("onnx.Exp", [x], name=name, result_types=[T]).result)
        graph.outputs = results
        paths.append(tmp_path / f"{count}.mlir")
        paths[-1].write_text(module.to_text())
    out = ge("diff", *reversed(paths)).out
    assert out.count("removed:") == 1 and "added:" not in out
    assert "    Exp gone_0, Exp gone_1, " in out and "Exp gone_8\n" in out
    assert "added:\n    Exp gone_0, " in ge("diff", *paths).out


def test_long_attributes_are_cut_to_where_they_differ(tmp_path: Path) -> None:
    values = list(range(200))
    a = written(tmp_path / "a.mlir", values)
    b = written(tmp_path / "b.mlir", [*values[:150], -1, *values[151:]])
    done = ge("diff", a, b)
    assert done.status == 1
    (line,) = [line for line in done.out.splitlines() if "-> ..." in line]
    assert "148, 149, 150, 151" in done.out and "148, 149, -1, 151" in line
    assert max(map(len, done.out.splitlines())) <= 100
    assert "(0, 1, 2, " not in done.out and "(0, 1, 2, " in ge("diff", a, b, "--full").out
    (group,) = ge("diff", a, b, "--json").json["groups"]
    assert "148, 149, -1, 151" in group["details"][0] and "198, 199" in group["details"][0]


def test_tensors_of_one_type_and_other_contents_differ(tmp_path: Path) -> None:
    one = np.arange(64, dtype="f4")
    a = written(tmp_path / "a.mlir", ir.Tensor(one), last="acme.Use")
    b = written(tmp_path / "b.mlir", ir.Tensor(one[::-1].copy()), last="acme.Use")
    done = ge("diff", a, b)
    assert done.status == 1 and "a: another Tensor(tensor<64xf32>)" in done.out
    assert ge("diff", a, a).status == 0


@pytest.mark.parametrize("name", ["t5_script", "mobilenet_script"])
def test_an_exported_model_and_its_optimised_form(tmp_path: Path, name: str) -> None:
    pytest.importorskip("onnx")
    model, smaller = EXPORTED / f"{name}.onnx", tmp_path / "smaller.onnx"
    assert ge("optimize", model, "-O", "-o", smaller).status == 0
    done = ge("diff", model, smaller)
    assert done.status == 1
    assert all(len(line) <= 100 for line in done.out.splitlines()), name


def test_outputs_that_are_exchanged_are_a_difference(tmp_path: Path) -> None:
    def model(path: Path, first: str, second: str) -> Path:
        nodes = [
            helper.make_node("Abs", ["x"], [first], name="abs"),
            helper.make_node("Neg", ["x"], [second], name="neg"),
        ]
        types = dict.fromkeys(("p", "q"), ("FLOAT", [3]))
        return write_model(path, nodes, {"x": ("FLOAT", [3])}, types)

    a = model(tmp_path / "a.onnx", "p", "q")
    done = ge("diff", a, model(tmp_path / "b.onnx", "q", "p"))
    assert done.status == 1
    assert "output p: p of onnx.Abs -> p of onnx.Neg" in done.out
    assert ge("diff", a, model(tmp_path / "c.onnx", "p", "q")).status == 0


def test_outputs_of_a_body_that_are_exchanged_are_a_difference(tmp_path: Path) -> None:
    def model(path: Path, outputs: tuple[str, str]) -> Path:
        def body(name: str, ends: tuple[str, str]) -> Any:
            value = helper.make_tensor_value_info
            nodes = [
                helper.make_node("Abs", ["x"], ["u"], name="abs"),
                helper.make_node("Neg", ["x"], ["v"], name="neg"),
            ]
            return helper.make_graph(nodes, name, [], [value(e, 1, [3]) for e in ends])

        branches = {"then_branch": body("t", outputs), "else_branch": body("e", ("u", "v"))}
        node = helper.make_node("If", ["c"], ["p", "q"], name="if", **branches)
        inputs = {"x": ("FLOAT", [3]), "c": ("BOOL", [])}
        return write_model(path, [node], inputs, dict.fromkeys(("p", "q"), ("FLOAT", [3])))

    a = model(tmp_path / "a.onnx", ("u", "v"))
    done = ge("diff", a, model(tmp_path / "b.onnx", ("v", "u")))
    assert (done.status, "then_branch: output 0" in done.out) == (1, True), done.out
    assert ge("diff", a, a).status == 0
