"""Text, pickle and copy of graphs and modules."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import ge.ir as ir


def f32() -> ir.Type:
    return ir.TensorType(("N", 2), ir.f32, format="NCHW")


def build() -> ir.Graph:
    g = ir.Graph("main")
    x = g.add_input("x", f32())
    w = g.add_node("ge.Const", attributes={"value": np.arange(100, dtype=np.float32)}, name="w")
    a = g.add_node(
        "onnx.Relu",
        [x, None, w],
        {
            "i": 1,
            "f": 1e-5,
            "l": [1, 2],
            "e": ir.ArrayAttr([], ir.f32),
            "w": ir.F64Attr(0.1),
            "b": b"\xff",
        },
        name="a/1",
        result_types=f32(),
        loc=ir.Location.file("f.py", 3),
    )
    n = g.add_node(
        "onnx.If",
        [a],
        name="if",
        result_types=f32(),
        subgraphs={"then_branch": None},
        control_inputs=[w],
    )
    body = n.subgraphs[0]
    body.outputs = [body.add_node("onnx.Abs", [a], result_types=f32())]
    g.outputs = [n]
    g.output_names = ["out"]
    g.attributes["opset"] = 17
    return g


def same(a: ir.Graph, b: ir.Graph) -> None:
    assert a is not b and a.is_structurally_equal(b)
    assert [n.name for n in a.walk()] == [n.name for n in b.walk()]
    assert a.name == b.name and a.output_names == b.output_names
    assert [dict(n.attributes) for n in a.walk()] == [dict(n.attributes) for n in b.walk()]
    assert [v.name for v in a.inputs] == [v.name for v in b.inputs]


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, ir.Graph.clone, lambda g: pickle.loads(pickle.dumps(g))]
)
def test_graphs_survive(again) -> None:
    g = build()
    same(g, again(g))


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, ir.Module.clone, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_modules_survive(again) -> None:
    m = ir.Module("m")
    m.attributes["producer"] = "p"
    m.add_graph(build())
    m.add_graph("other")
    n = again(m)
    assert n is not m and n.is_structurally_equal(m) and n.name == "m"
    assert dict(n.attributes) == {"producer": "p"} and list(n.graphs) == ["main", "other"]
    same(m.graphs["main"], n.graphs["main"])


def test_clones_share_tensors() -> None:
    g = build()
    assert g.clone().find("w").attributes["value"] is g.find("w").attributes["value"]


def test_locations_survive_pickle() -> None:
    assert pickle.loads(pickle.dumps(build())).find("a/1").location.line == 3


def test_pickles_are_read_by_another_process(tmp_path) -> None:
    path = tmp_path / "g.pickle"
    path.write_bytes(pickle.dumps(build()))
    script = f"import pickle; g = pickle.load(open({str(path)!r}, 'rb')); assert g.find('a/1').op == 'onnx.Relu'"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_nodes_and_values_cannot_be_pickled() -> None:
    node = build().nodes[0]
    for thing in (node, node.result):
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(thing)


def test_a_copied_node_is_detached() -> None:
    g = build()
    node = g.find("a/1")
    again = copy.copy(node)
    assert (
        again.graph is None
        and again.operands == node.operands
        and again.attributes == node.attributes
    )
    assert again.is_structurally_equal(node)


def test_text_reads_back_and_prints_the_same() -> None:
    g = build()
    for names in ("ssa", "attr"):
        text = g.to_text(names=names, locations=True)
        again = ir.Graph.parse(text)
        same(g, again)
        assert again.to_text(names=names, locations=True) == text


def test_elided_text_is_for_people() -> None:
    g = build()
    assert "__elided__" in g.to_text(elide_elements_larger_than=10)
    assert "__elided__" not in g.to_text()
    with pytest.raises(ir.ParseError):
        ir.Graph.parse(g.to_text(elide_elements_larger_than=10))
    for wrong in ({"names": "x"}, {"elide_elements_larger_than": -2}):
        with pytest.raises(ValueError):
            g.to_text(**wrong)


def test_parse_errors_name_the_place() -> None:
    with pytest.raises(ir.ParseError) as caught:
        ir.Module.parse("module {\n  oops\n}", "model.mlir")
    assert "model.mlir:2:" in str(caught.value)
    diagnostic = caught.value.diagnostics[0]
    assert (diagnostic.file, diagnostic.line, diagnostic.severity) == ("model.mlir", 2, "error")
    assert diagnostic.column > 0 and diagnostic.message and "oops" in diagnostic.source_line
    assert "model.mlir:2:" in str(diagnostic)
    with pytest.raises(TypeError):
        ir.Graph.parse(b"module {}")


def test_repr_escapes_control_characters_of_names() -> None:
    graph = ir.Graph("g\x1b[2J")
    x = graph.add_input("x\nfake", ir.TensorType((2,), ir.f32))
    node = graph.add_node("onnx.Relu", [x], result_types=[x.type], name="é\x9b\r\x7f")
    node.result.name = "y\x00"
    assert repr(graph).startswith("<graph 'g\\1B[2J':")
    assert "x\\0Afake" in repr(x)
    assert repr(node) == "<node 'é\\C2\\9B\\0D\\7F' (onnx.Relu)>"
    assert "y\\00" in repr(node.result)
    point = ir.InsertionPoint.before(node)
    for each in (graph, x, node, node.result, node.operands, graph.nodes, point):
        assert repr(each).isprintable()
    text = repr(node)
    node.erase()
    assert text[1:-1] in repr(node)


def test_repr_is_short_and_str_is_text() -> None:
    g = build()
    assert repr(g) == "<graph 'main': 1 inputs, 1 outputs, 3 nodes>"
    assert repr(g.find("a/1")) == "<node 'a/1' (onnx.Relu)>"
    assert str(g).startswith("func.func @main") or str(g).startswith("module")
    assert '"onnx.Relu"' in str(g.find("a/1"))
    m = ir.Module("m")
    assert repr(m) == "<module 'm': 0 graphs>" and str(m).startswith("module @m")
