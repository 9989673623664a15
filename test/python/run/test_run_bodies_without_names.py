"""Bodies without slot names run: the operator determines ONNX's attribute names, and GE assigns bodies in order."""

from typing import Any

import numpy as np
import pytest
from run_graphs import add, graph_of, tensor
from two_ways import run_two_ways

import ge.ir as ir


@pytest.fixture(autouse=True)
def two_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    run_two_ways(monkeypatch)


def branches(slots: tuple[str, str], inner: bool = False) -> ir.Graph:
    """Return a graph with an If of Relu and Neg; with `inner`, inside of another If."""
    graph = graph_of(tensor(dtype="bool"), tensor(2))
    condition, x = graph.inputs

    def branch_in(where: ir.Graph) -> Any:
        node = where.add_node("onnx.If", [condition], result_types=[tensor(2)])
        for slot, op in zip(slots, ("onnx.Relu", "onnx.Neg"), strict=True):
            body = node.add_subgraph(slot)
            body.outputs = [add(body, op, x)]
        return node.results[0]

    if not inner:
        graph.outputs = [branch_in(graph)]
        return graph
    outer = graph.add_node("onnx.If", [condition], result_types=[tensor(2)])
    taken, other = outer.add_subgraph(""), outer.add_subgraph("")
    taken.outputs = [branch_in(taken)]
    other.outputs = [branch_in(other)]
    graph.outputs = [outer.results[0]]
    return graph


X = np.array([-1, 2], "f4")


@pytest.mark.parametrize("slots", [("", ""), ("then_branch", ""), ("", "else_branch")])
@pytest.mark.parametrize("inner", [False, True])
def test_branches_are_taken_in_their_order(slots: tuple[str, str], inner: bool) -> None:
    graph = branches(slots, inner)
    (taken,) = graph.run([np.array(True), X])
    (other,) = graph.run([np.array(False), X])
    assert taken.tolist() == [0, 2]
    assert other.tolist() == [1, -2]


def test_the_body_of_a_loop_needs_no_name() -> None:
    graph = graph_of(tensor(dtype="i64"), tensor(2))
    count, start = graph.inputs
    node = graph.add_node("onnx.Loop", [count, None, start], result_types=[tensor(2)])
    body = node.add_subgraph("")
    body.add_input("turn", tensor(dtype="i64"))
    go = body.add_input("go", tensor(dtype="bool"))
    value = body.add_input("value", tensor(2))
    body.outputs = [add(body, "onnx.Identity", go), add(body, "onnx.Add", value, start)]
    graph.outputs = [node.results[0]]
    (made,) = graph.run([np.array(3, "i8"), X])
    assert made.tolist() == [-4, 8]
