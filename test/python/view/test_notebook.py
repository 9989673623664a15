"""Notebooks display a small graph as a picture, and a large one as a summary."""

import xml.etree.ElementTree as ET

import ge.ir as ir

T = ir.TensorType((4,), ir.f32)


def chain(count: int) -> ir.Graph:
    graph = ir.Graph("<chain>")
    value = graph.add_input("x", T)
    for _ in range(count):
        value = graph.add_node("onnx.Abs", [value], result_types=[T]).result
    graph.outputs = [value]
    return graph


def test_a_small_graph_is_a_picture() -> None:
    graph = chain(3)
    picture = graph._repr_svg_()
    assert len([g for g in ET.fromstring(picture).iter() if g.tag.endswith("}rect")]) == 5
    assert picture in graph._repr_html_()


def test_a_large_graph_is_a_summary() -> None:
    graph = chain(2000)
    assert graph._repr_svg_() is None
    page = graph._repr_html_()
    assert len(page) < 2000
    assert "2000 nodes" in page
    assert "<td>onnx.Abs</td>" in page
    assert "&lt;chain&gt;" in page
    assert "<svg" not in page


def test_many_operators_and_inputs_are_cut() -> None:
    graph = chain(100)
    for i in range(40):
        graph.add_input(f"i{i}", T)
        graph.add_node(f"my.Op{i}", [], result_types=[T])
    page = graph._repr_html_()
    assert "29 other operators" in page
    assert "29 more" in page


def test_an_empty_graph_and_a_body() -> None:
    graph = ir.Graph()
    ET.fromstring(graph._repr_svg_())
    loop = graph.add_node("onnx.Loop", [], result_types=[T], subgraphs={"body": None})
    assert "<svg" in loop.subgraphs[0]._repr_html_()
