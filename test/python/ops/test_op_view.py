"""Typed views: a node's operands, results and attributes by the names of its operator's record.

Not covered: records themselves (test_ops_registry.py).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from ge import ir, ops

F = ir.TensorType((2, 3, 4, 4), ir.f32)


@pytest.fixture
def graph() -> ir.Graph:
    graph = ir.Graph("g")
    for name in "abcd":
        graph.add_input(name, F)
    return graph


@pytest.fixture(autouse=True)
def views() -> Iterator[None]:
    known = sys.modules[ops.OpView.of.__module__]._views  # type: ignore[attr-defined]
    before = dict(known)
    yield
    known.clear()
    known.update(before)


def test_names_of_the_record(graph: ir.Graph) -> None:
    a, b, c, _ = graph.inputs
    node = graph.add_node("onnx.Conv", [a, b, c], {"group": 3}, result_types=[F])
    view = node.view
    assert type(view) is ops.OpView and view.node is node
    assert (view.X, view.W, view.B, view.Y) == (a, b, c, node.result)
    assert (node.operands["X"], node.operands["W"], node.operands["B"]) == (a, b, c)
    assert (view.group, view.auto_pad) == (3, "NOTSET")
    assert {"X", "W", "B", "Y", "group", "strides", "node"} <= set(dir(view))
    assert view == node.view and hash(view) == hash(node.view) and view != object()
    assert "onnx.Conv" in repr(view)


def test_absent_operands_are_none(graph: ir.Graph) -> None:
    a, b, _, _ = graph.inputs
    short = graph.add_node("onnx.Conv", [a, b], result_types=[F])
    clip = graph.add_node("onnx.Clip", [a, None, b], result_types=[F])
    assert short.view.B is None and short.operands["B"] is None
    assert (clip.view.min, clip.view.max) == (None, b)


def test_variadic_operands_are_tuples(graph: ir.Graph) -> None:
    a, b, c, d = graph.inputs
    concat = graph.add_node("onnx.Concat", [a, b, c], {"axis": 0}, result_types=[F])
    assert concat.operands["inputs"] == concat.view.inputs == (a, b, c)
    concat.view.inputs = [d, a]
    assert list(concat.operands) == [d, a]
    with ops.Library("viewed") as library:
        library.define("Mix(Tensor first, Tensor[] many, Tensor last) -> (Tensor y, Tensor z)")
        node = graph.add_node("viewed.Mix", [a, b, c, d], result_types=[F, F])
        assert (node.view.first, node.view.many, node.view.last) == (a, (b, c), d)
        node.view.many = ()
        assert (list(node.operands), node.view.many, node.view.last) == ([a, d], (), d)
        assert (node.view.y, node.view.z) == tuple(node.results)


def test_assignment(graph: ir.Graph) -> None:
    a, b, c, d = graph.inputs
    node = graph.add_node("onnx.Conv", [a, b], {"group": 3}, result_types=[F])
    view = node.view
    view.W = c
    view.B = d
    view.group = 1
    assert (list(node.operands), node.attributes["group"]) == ([a, c, d], 1)
    del view.group
    assert "group" not in node.attributes and view.group == 1
    clip = graph.add_node("onnx.Clip", [a], result_types=[F])
    clip.view.max = b
    assert list(clip.operands) == [a, None, b]
    with pytest.raises(AttributeError, match="result 'Y' of onnx.Conv cannot be assigned"):
        view.Y = a
    with pytest.raises(AttributeError, match="onnx.Conv has no attribute 'W'"):
        del view.W


def test_unknown_names_are_errors_that_list_the_known(graph: ir.Graph) -> None:
    node = graph.add_node("onnx.Relu", [graph.inputs[0]], result_types=[F])
    for use in (lambda: node.view.W, lambda: setattr(node.view, "W", None)):
        with pytest.raises(AttributeError, match="onnx.Relu has no 'W'; it has X, Y"):
            use()
    with pytest.raises(KeyError, match="onnx.Relu has no 'W'; it has X, Y"):
        node.operands["W"]
    with pytest.raises(KeyError, match="onnx.Relu has no 'Y'"):
        node.operands["Y"]
    other = graph.add_node("nobody.X", [], {"here": 1}, result_types=[])
    assert other.view.here == 1
    with pytest.raises(KeyError, match="nobody.X is not registered"):
        other.operands["x"]
    with pytest.raises(AttributeError, match="nobody.X is not registered"):
        other.view.x  # noqa: B018
    with pytest.raises(ir.StaleHandleError):
        view = node.view
        node.erase()
        view.X  # noqa: B018


def test_a_registered_class(graph: ir.Graph) -> None:
    def make() -> Any:
        @ops.register_view
        class Relu(ops.OpView):
            """A Relu."""

            OPERATION_NAME = "onnx.Relu"

            @property
            def keeps_type(self) -> bool:
                return bool(self.X.type == self.Y.type)

        return Relu

    relu = make()
    a = graph.inputs[0]
    node = graph.add_node("onnx.Relu", [a], result_types=[F])
    other = graph.add_node("onnx.Exp", [a], result_types=[F])
    assert type(node.view) is relu and node.view.keeps_type
    assert type(other.view) is ops.OpView
    with pytest.raises(TypeError, match="Relu is a view of onnx.Relu, not of onnx.Exp"):
        relu(other)
    assert type(make()) is type(relu) and type(node.view) is not relu, "its file ran again"
    with pytest.raises(ValueError, match="onnx.Relu has the view .*Relu already"):

        @ops.register_view
        class Another(ops.OpView):
            OPERATION_NAME = "onnx.Relu"

    for wrong in (int, type("NoName", (ops.OpView,), {})):
        with pytest.raises(TypeError):
            ops.register_view(wrong)
    with pytest.raises(TypeError, match="a Node is expected, not Value"):
        relu(a)
