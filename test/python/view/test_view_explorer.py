"""GE writes complete graphs in Model Explorer's JSON format; the package itself is replaced by a fake."""

import json
import sys
import types
from pathlib import Path

import pytest
from cli_run import affine, ge, write_model

import ge.ir as ir
from ge.view import explorer_json

onnx = pytest.importorskip("onnx")
from onnx import helper  # noqa: E402

T = ir.TensorType((4,), ir.f32)


def test_nodes_layers_edges_and_bodies() -> None:
    graph = ir.Graph("main")
    c, x = graph.add_input("c", ir.TensorType((), ir.i1)), graph.add_input("x", T)
    weight = graph.add_node("ge.Const", [], {"value": [1.0] * 4}, name="w", result_types=[T])
    add = graph.add_node("onnx.Add", [x, weight], name="/block.0/add", result_types=[T])
    add.add_origin("before", op="onnx.Sub", pass_name="fuse")
    branch = graph.add_node(
        "onnx.If", [c], {"k": 3}, name="/block.1/if", result_types=[T],
        subgraphs={"then_branch": None, "else_branch": None},
    )  # fmt: skip
    for body in branch.subgraphs:
        body.outputs = [body.add_node("onnx.Neg", [add], result_types=[T])]
    graph.outputs = [branch]
    made = json.loads(explorer_json(graph, "title"))
    assert made["label"] == "title"
    main, then, other = made["graphs"]
    nodes = {node["label"]: node for node in main["nodes"]}
    assert set(nodes) == {"Data", "Add", "If", "NetOutput"}
    assert nodes["Add"]["namespace"] == "block.0"
    attributes = {a["key"]: a["value"] for a in nodes["Add"]["attrs"]}
    assert attributes["operand 1"].endswith("f32[4]")
    assert attributes["origin 0"] == "before onnx.Sub by fuse"
    assert nodes["If"]["subgraphIds"] == [then["id"], other["id"]]
    assert nodes["NetOutput"]["incomingEdges"] == [
        {"sourceNodeId": nodes["If"]["id"], "sourceNodeOutputId": "0", "targetNodeInputId": "0"}
    ]
    for one in made["graphs"]:
        ids = [node["id"] for node in one["nodes"]]
        assert len(ids) == len(set(ids))
        assert all(e["sourceNodeId"] in ids for n in one["nodes"] for e in n["incomingEdges"])


def test_a_file(tmp_path: Path) -> None:
    model = affine(tmp_path / "m.onnx")
    target = tmp_path / "m.json"
    assert ge("view", model, "-o", target).status == 0
    assert json.loads(target.read_text())["label"] == "m.onnx"
    for words, says in (
        ([model, model, "-o", target], "two models are shown on a page"),
        ([model, "-o", target, "--around", "x"], "Model Explorer shows all"),
        ([model, "-o", target, "--largest", "9"], "Model Explorer shows all"),
        ([model, "-o", target, "--explorer"], "--output is not for --explorer"),
    ):
        done = ge("view", *words)
        assert (done.status, says in done.err) == (2, True)


def test_it_is_started_with_files_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[dict] = []
    fake = types.ModuleType("model_explorer")

    def visualize(model_paths: list[str]) -> None:
        shown.extend(json.loads(Path(path).read_text()) for path in model_paths)
        raise KeyboardInterrupt  # how a user stops the server

    fake.visualize = visualize  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "model_explorer", fake)
    (tmp_path / "after").mkdir()
    first = affine(tmp_path / "m.onnx")
    ends = {"x": ("FLOAT", [4])}
    second = write_model(
        tmp_path / "after" / "m.onnx", [helper.make_node("Neg", ["x"], ["y"])], ends,
        {"y": ("FLOAT", [4])},
    )  # fmt: skip
    assert ge("view", first, second, "--explorer").status == 0
    assert [one["label"] for one in shown] == ["m.onnx", "m.onnx"]
    assert "Neg" in {node["label"] for node in shown[1]["graphs"][0]["nodes"]}


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "model_explorer", None)
    done = ge("view", affine(tmp_path / "m.onnx"), "--explorer")
    assert (done.status, "pip install ai-edge-model-explorer" in done.err) == (1, True)
