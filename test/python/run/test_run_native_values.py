"""Values between native nodes are released after their last use, and not written while others reference them."""

import gc
import sys
import weakref
from typing import Any

import numpy as np
import pytest
from native_graphs import (
    X,
    kinds,
    lib,  # noqa: F401 - a fixture
    shared,  # noqa: F401 - a fixture
)
from needs import CC
from run_graphs import add, constant, graph_of, tensor

import ge.ops as ops

pytestmark = CC


# --- Values


def test_values_are_released_after_their_last_use(lib: Any) -> None:
    graph = graph_of(tensor(3))
    value = graph.inputs[0]
    for _ in range(20):
        value = add(graph, "nat.next", value)
    graph.outputs = [value]
    assert kinds(graph) == [("native", 20)]
    made = graph.run([X])
    np.testing.assert_array_equal(made[0], X + 20)
    assert ops.function("nat::live")() == 1
    assert ops.function("nat::most")() <= 2
    del made
    assert ops.function("nat::live")() == 0


def test_an_array_of_python_is_released_after_its_last_use_in_native_nodes(lib: Any) -> None:
    calls = ops.function("nat::calls")
    seen: list[int] = []

    def make(x: Any) -> Any:
        made = x + 0
        weakref.finalize(made, lambda: seen.append(calls()))
        return made

    lib.define("make(Tensor x) -> Tensor")
    lib.impl("make", "cpu", make, as_="numpy")
    graph = graph_of(tensor(3))
    value = add(graph, "nat.make", graph.inputs[0])
    for _ in range(20):
        value = add(graph, "nat.next", value)
    graph.outputs = [value]
    assert kinds(graph) == [("node", 1), ("native", 20)]
    for _ in range(2):
        before = calls()
        np.testing.assert_array_equal(graph.run([X])[0], X + 20)
        assert seen.pop() - before <= 2


def test_an_input_that_is_an_output_or_given_twice_stays_the_array(lib: Any) -> None:
    graph = graph_of(tensor(3), tensor(3))
    a, b = graph.inputs
    graph.outputs = [a, add(graph, "nat.add", a, b), b, add(graph, "nat.add", b, a), a]
    array = X.copy()
    count = sys.getrefcount(array)
    for _ in range(2):
        made = graph.run([array, array])
        assert made[0] is made[2] is made[4] is array
        np.testing.assert_array_equal(made[1], X * 2)
        np.testing.assert_array_equal(made[3], X * 2)
        del made
    assert sys.getrefcount(array) == count
    np.testing.assert_array_equal(array, X)


def test_arrays_that_others_hold_are_not_written_at_their_last_use(lib: Any) -> None:
    held = X.copy()
    lib.define("lend(Tensor x) -> Tensor")
    lib.impl("lend", "cpu", lambda x: held, as_="numpy")
    graph = graph_of(tensor(3))
    graph.outputs = [add(graph, "nat.write", add(graph, "nat.lend", graph.inputs[0]))]
    assert kinds(graph) == [("node", 1), ("native", 1)]
    for _ in range(2):
        assert graph.run([X])[0][0] == 9
        np.testing.assert_array_equal(held, X)


def test_what_a_failed_native_step_was_given_is_released(lib: Any) -> None:
    arrays: list[Any] = []

    def make(x: Any) -> Any:
        made = x + 0
        arrays.append(weakref.ref(made))
        return made

    lib.define("make(Tensor x) -> Tensor")
    lib.impl("make", "cpu", make, as_="numpy")
    graph = graph_of(tensor(3))
    made = add(graph, "nat.make", graph.inputs[0])
    graph.outputs = [add(graph, "nat.scale", add(graph, "nat.next", made), k=-1.0), made]
    array = X.copy()
    count = sys.getrefcount(array)
    with pytest.raises(ops.KernelError, match="k is negative"):
        graph.run([array])
    gc.collect()
    assert [one() for one in arrays] == [None]
    assert sys.getrefcount(array) == count
    assert ops.function("nat::live")() == 0


def test_what_is_written_is_a_copy_for_everyone_else(lib: Any) -> None:
    graph = graph_of(tensor(3))
    held = constant(graph, X)
    made = add(graph, "nat.scale", graph.inputs[0])
    graph.outputs = [
        add(graph, "nat.write", graph.inputs[0]),
        add(graph, "nat.write", held),
        add(graph, "nat.write", made),
        made,
        held,
        add(graph, "nat.write", add(graph, "nat.scale", graph.inputs[0])),
    ]
    for _ in range(2):
        given = X.copy()
        found = graph.run([given])
        assert [f.tolist() for f in found] == [
            [9, -2, 3],
            [9, -2, 3],
            [9, -4, 6],
            [2, -4, 6],
            [1, -2, 3],
            [9, -4, 6],
        ]
        assert given.tolist() == X.tolist()
        for one in found[:4]:
            one[:] = 0  # the results are referenced by the caller only


def test_a_constant_that_a_body_gives_is_not_the_callers(lib: Any) -> None:
    graph = graph_of(tensor(3))
    node = graph.add_node(
        "onnx.If", [add(graph, "nat.positive", graph.inputs[0])], result_types=[tensor(3)]
    )
    for slot, value in (("then_branch", 1.0), ("else_branch", 2.0)):
        body = node.add_subgraph(slot)
        body.outputs = [constant(body, np.array([value, value, 0], np.float32))]
    graph.outputs = [node.result]
    for _ in range(2):
        made = graph.run([X])[0]
        assert made.tolist() == [1, 1, 0]
        made[:] = 7


def test_trace_sees_every_value(lib: Any) -> None:
    graph = graph_of(tensor(3))
    graph.outputs = [add(graph, "nat.scale", add(graph, "nat.next", graph.inputs[0]))]
    seen: list[Any] = []
    graph.run([X], trace=lambda name, value: seen.append(value.tolist()))
    assert seen == [X.tolist(), (X + 1).tolist(), ((X + 1) * 2).tolist()]
