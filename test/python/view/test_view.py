"""Pictures have no overlapping boxes and contain every node, with any names; large graphs are folded.

Not promised: a layout with the fewest crossings.
"""

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from cli_run import affine, ge, write_model
from hypothesis import given, settings
from hypothesis import strategies as st

import ge.ir as ir
from ge.view import html, svg
from ge.view._compare import compare
from ge.view._layout import layout
from ge.view._scene import fold, module_path

SVG = "{http://www.w3.org/2000/svg}"
T = ir.TensorType((4,), ir.f32)


def chain(count: int, name: str = "op{i}") -> ir.Graph:
    """Return a graph of `count` Adds, each of the two previous values."""
    graph = ir.Graph("chain")
    a = b = graph.add_input("x", T)
    for i in range(count):
        node = graph.add_node("onnx.Add", [a, b], name=name.format(i=i), result_types=[T])
        a, b = node.result, a
    graph.outputs = [a]
    graph.output_names = ["out"]
    return graph


def boxes(text: str) -> dict[str, ET.Element]:
    return {g.get("data-key", ""): g for g in ET.fromstring(text).iter(f"{SVG}g")}


@pytest.mark.slow
@pytest.mark.nosan  # the sanitizer's allocator keeps freed memory
def test_what_was_drawn_is_let_go() -> None:
    """Drawing does not keep contexts alive; a leaked context would hold half a megabyte or more."""
    code = """
import resource
import ge.ir as ir
from ge.view import explorer_json, html, svg

def draw(count):
    for i in range(count):
        context = ir.Context()
        graph = ir.Graph("g", context=context)
        type_ = ir.TensorType((i + 1,), ir.f32, context=context)
        node = graph.add_node("onnx.Relu", [graph.add_input("x", type_)], result_types=[type_])
        node.attributes["text"] = str(i) * 2**19
        graph.outputs = [node.result]
        svg(graph), html(graph), explorer_json(graph)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

print(-draw(10) + draw(110))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 50


@st.composite
def drawings(draw: st.DrawFn) -> tuple[list[tuple[float, float]], list[tuple[int, int]]]:
    count = draw(st.integers(0, 25))
    sizes = [(draw(st.integers(10, 200)), draw(st.integers(10, 90))) for _ in range(count)]
    index = st.integers(0, max(count - 1, 0))
    edges = draw(st.lists(st.tuples(index, index), max_size=60)) if count else []
    return [(float(w), float(h)) for w, h in sizes], [(a, b) for a, b in edges if a != b]


@pytest.mark.slow
@given(drawings())
@settings(max_examples=200, deadline=None)
def test_boxes_do_not_overlap_and_edges_end_at_them(drawn) -> None:
    sizes, edges = drawn
    result = layout(sizes, edges)
    placed = [(x, y, x + w, y + h) for (x, y), (w, h) in zip(result.boxes, sizes, strict=True)]
    for i, a in enumerate(placed):
        assert 0 <= a[0] and a[2] <= result.width and 0 <= a[1] and a[3] <= result.height
        for b in placed[:i]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    for (source, target), line in zip(edges, result.edges, strict=True):
        assert placed[source][0] <= line[0][0] <= placed[source][2]
        assert line[0][1] == placed[source][3]
        assert placed[target][0] <= line[-1][0] <= placed[target][2]
        assert line[-1][1] == placed[target][1]
    # The layout is deterministic.
    assert layout(sizes, edges) == result


def test_an_edge_goes_down() -> None:
    result = layout([(10, 10)] * 3, [(0, 1), (1, 2), (0, 2)])
    assert [y for _, y in result.boxes] == sorted({y for _, y in result.boxes})


def test_a_small_graph_is_one_picture_with_every_node() -> None:
    graph = chain(20)
    drawn = boxes(svg(graph))
    assert {f"op{i}" for i in range(20)} <= set(drawn)
    assert {"input x", "output out"} <= set(drawn)


@pytest.mark.parametrize(
    "name",
    [
        "<b>&\"'",
        "\x00\x01",
        "a\nb",
        "\u202e\ufffe",
        "é" * 500,
        "</script><script>x()</script>",
        "{{content}}",
    ],
)
def test_any_name_is_well_formed(name: str) -> None:
    graph = chain(2, name + "{i}")
    ET.fromstring(svg(graph))
    page = html(graph)
    assert page.count("</script>") == 2
    assert "x()</script>" not in page


def test_constants_stand_in_the_box_of_their_user(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    import ge.onnx

    module = ge.onnx.load(affine(tmp_path / "m.onnx"))
    drawn = boxes(svg(module.graphs.values()[0]))
    assert set(drawn) == {"input x", "scale", "shift", "output y"}
    assert any("factor: f32[]" in (t.text or "") for t in drawn["scale"].iter(f"{SVG}text"))


@pytest.mark.parametrize(
    "name", ["/block.{i}/op{i}", "op{i}", "/only/one/module/op{i}", "/a/b{i}/c"]
)
@pytest.mark.parametrize("count", [0, 1, 130, 1000])
def test_a_large_graph_is_folded_and_every_node_is_in_one_picture(name: str, count: int) -> None:
    graph = chain(count, name)
    scenes = fold(graph)
    found = [b.key for s in scenes for b in s.boxes if b.kind == "node"]
    assert sorted(found) == sorted(n.name for n in graph.nodes)
    keys = [s.key for s in scenes]
    assert len(set(keys)) == len(keys)
    for scene in scenes:
        drawn = [b for b in scene.boxes if b.kind in ("node", "part")]
        assert len(drawn) <= 122
        for box in drawn:
            assert all(key in keys for key in box.opens)
        assert scene.parent in keys
    assert all(f"part {key}" or key for key in keys)


def test_each_part_can_be_reached_from_the_first_picture() -> None:
    scenes = {s.key: s for s in fold(chain(2000, "/m.{i}/x/op{i}"))}
    seen, work = set(), [""]
    while work:
        key = work.pop()
        seen.add(key)
        work += [k for b in scenes[key].boxes for k in b.opens]
    assert seen == set(scenes)


def test_module_paths() -> None:
    graph = ir.Graph("g")
    properties = {"namespace": ": __main__.W/m: a.B/m.layer.0: c.D/add_1: aten.add"}
    node = graph.add_node("onnx.Add", attributes={"onnx.metadata_props": properties}, name="n")
    assert module_path(node) == ("m", "m.layer.0")
    assert module_path(graph.add_node("onnx.Add", name="/encoder/layer.0/Add")) == (
        "encoder",
        "layer.0",
    )
    assert module_path(graph.add_node("onnx.Add", name="Add_7")) == ()
    assert module_path(graph.add_node("onnx.Add")) == ()


def test_bodies_are_pictures_that_their_node_opens() -> None:
    graph = ir.Graph("g")
    x, c = graph.add_input("x", T), graph.add_input("c", ir.TensorType((), ir.i1))
    node = graph.add_node(
        "onnx.If",
        [c],
        name="if",
        result_types=[T],
        subgraphs={"then_branch": None, "else_branch": None},
    )
    for body in node.subgraphs:
        body.outputs = [body.add_node("onnx.Abs", [x], name="abs " + body.slot, result_types=[T])]
    graph.outputs = [node]
    scenes = {s.key: s for s in fold(graph)}
    assert set(scenes) == {"", "if:then_branch", "if:else_branch"}
    (box,) = (b for b in scenes[""].boxes if b.key == "if")
    assert box.opens == ["if:then_branch", "if:else_branch"]
    assert [b.key for b in scenes["if:then_branch"].boxes if b.kind == "node"] == [
        "abs then_branch"
    ]


def test_a_cycle_is_drawn() -> None:
    graph = chain(5)
    graph.find("op1").operands[0] = graph.find("op3").result
    assert len(boxes(svg(graph))) == 7


def test_deeply_nested_bodies_are_drawn() -> None:
    graph = root = ir.Graph("g")
    for i in range(200):
        node = graph.add_node(
            "onnx.Loop", name=f"loop{i}", result_types=[T], subgraphs={"body": None}
        )
        graph = node.subgraphs[0]
    assert len(fold(root)) == 201


def test_the_neighbourhood_of_a_node() -> None:
    graph = chain(50)
    drawn = boxes(svg(graph, around="op25", depth=1))
    assert {k for k in drawn if k.startswith("op")} == {"op23", "op24", "op25", "op26", "op27"}
    assert "center" in drawn["op25"].get("class", "")
    assert {k for k in boxes(svg(graph, around="op25", depth=0)) if k.startswith("op")} == {"op25"}
    with pytest.raises(KeyError):
        svg(graph, around="nobody")


def test_ge_view(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    path = affine(tmp_path / "m.onnx")
    assert ge("view", path).status == 0
    assert "scale" in (tmp_path / "m.html").read_text()
    assert (
        ge("view", path, "-o", tmp_path / "m.svg", "--around", "scale", "--depth", "1").status == 0
    )
    ET.fromstring((tmp_path / "m.svg").read_text())
    assert ge("view", path, path, "-o", tmp_path / "both.html", "--json").json["bytes"] > 1000
    for flags, status, says in (
        (["-o", "m.png"], 2, "a picture ends in .svg"),
        ([path, "-o", "m.svg"], 2, "two models are shown on a page"),
        (["--depth", "1"], 2, "--around NAME"),
        (["--around", "nobody"], 1, "no node or value is called 'nobody'"),
        (["--largest", "1"], 2, "--largest 4 or more"),
        (["-o", tmp_path / "no" / "m.svg"], 1, "No such file"),
    ):
        done = ge("view", path, *flags)
        assert (done.status, says in done.err) == (status, True), done


def conv_bn(path: Path, folded: bool) -> Path:
    import numpy as np
    from onnx import helper

    weights = {"w": np.ones((4, 3, 3, 3), np.float32), "s": np.ones(4, np.float32)}
    nodes = [
        helper.make_node("Identity", ["x"], ["x1"], "id"),
        helper.make_node("Conv", ["x1", "w"], ["c"], "conv"),
        helper.make_node("BatchNormalization", ["c", "s", "s", "s", "s"], ["n"], "bn"),
    ]
    if folded:
        nodes = [helper.make_node("Conv", ["x", "w", "s"], ["n"], "conv")]
    nodes.append(helper.make_node("Relu", ["n"], ["y"], "relu"))
    types = {"x": ("FLOAT", [1, 3, 8, 8])}
    return write_model(path, nodes, types, {"y": ("FLOAT", [1, 4, 6, 6])}, weights)


def test_ge_diff_says_what_became_of_what(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    a, b = conv_bn(tmp_path / "a.onnx", False), conv_bn(tmp_path / "b.onnx", True)
    done = ge("diff", a, b)
    assert done.status == 1
    assert (
        "these 3 became this 1: Identity id, Conv conv, BatchNormalization bn -> Conv conv"
        in done.out
    )
    assert ge("diff", a, a).status == 0
    assert ge("diff", a, a).out.startswith("no difference")
    facts = ge("diff", a, b, "--json").json
    assert facts["counts"] == {"same": 1, "became": 1}
    assert [n["name"] for n in facts["groups"][0]["before"]] == ["id", "conv", "bn"]


def test_ge_diff_shows_changes_of_one_node_and_of_the_model(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    a, b = affine(tmp_path / "a.onnx"), affine(tmp_path / "b.onnx", 3.0, shape=(2, 3))
    out = ge("diff", a, b).out
    assert "inputs: x: " in out
    assert "changed: Mul scale (operand 1: another constant)" in out


def test_origins_decide_before_names() -> None:
    before, after = chain(3), chain(0)
    x = after.inputs[0]
    fused = after.add_node("my.Fused", [x], name="new", result_types=[T])
    for i in range(3):
        fused.add_origin(f"op{i}", op="onnx.Add", pass_name="Fuse", rule="r")
    after.outputs = [fused]
    (group,) = compare(before, after).groups
    assert (len(group.before), len(group.after), group.kind) == (3, 1, "became")
    assert group.details == ["by Fuse (r)"]


def test_nodes_without_names_are_compared_by_structure() -> None:
    def graph(op: str) -> ir.Graph:
        made = ir.Graph("g")
        x = made.add_input("x", T)
        a = made.add_node("onnx.Abs", [x], result_types=[T])
        made.outputs = [made.add_node(op, [a], result_types=[T])]
        return made

    kinds = [g.kind for g in compare(graph("onnx.Neg"), graph("onnx.Neg")).groups]
    assert kinds == ["same", "same"]
    assert [g.kind for g in compare(graph("onnx.Neg"), graph("onnx.Exp")).groups][0] == "same"


def test_what_is_only_on_one_side_is_marked() -> None:
    before, after = chain(2, "a{i}"), ir.Graph("after")
    value = after.add_input("x", T)
    for i in range(2):
        value = after.add_node("onnx.Exp", [value], name=f"b{i}", result_types=[T]).result
    marks = compare(before, after).marks()
    assert set(marks[0].values()) <= {"removed", "changed"}
    assert marks[0].keys() == {"a0", "a1"}
    assert marks[1].keys() == {"b0", "b1"}
