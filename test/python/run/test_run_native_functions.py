"""Plans of functions that run natively are cached, and rebuilt when a function, kernel or inferrer changes."""

import gc
from typing import Any

import numpy as np
import pytest
from native_graphs import (
    X,
    endless,
    lib,  # noqa: F401 - a fixture
    planned,  # noqa: F401 - a fixture
    shared,  # noqa: F401 - a fixture
)
from needs import CC
from run_graphs import add, tensor

import ge.ir as ir
import ge.ops as ops
from ge.run import _plan

pytestmark = CC


# --- Plans


def with_function(op: str, **attributes: Any) -> tuple[ir.Graph, ir.Graph]:
    """Return a graph that calls ``my.f``, a function with one node, and the function."""
    module = ir.Module("m")
    function = add_function(module, op, **attributes)
    graph = module.add_graph("main")
    graph.outputs = [add(graph, "my.f", graph.add_input("a", tensor(3)))]
    return graph, function


def add_function(module: ir.Module, op: str, **attributes: Any) -> ir.Graph:
    function = module.add_graph("my.f")
    function.attributes["onnx.function"] = {"name": "f", "domain": "my"}
    function.outputs = [add(function, op, function.add_input("x", ir.UnknownType()), **attributes)]
    return function


def test_a_plan_is_kept_until_a_function_is_edited(lib: Any, planned: list[str]) -> None:
    graph, function = with_function("nat.scale")
    for _ in range(3):
        np.testing.assert_array_equal(graph.run([X])[0], X * 2)
    assert planned == ["main"]
    node = function.outputs[0].node
    node.attributes["k"] = 3.0
    np.testing.assert_array_equal(graph.run([X])[0], X * 3)
    function.outputs = [add(function, "nat.next", node.result)]
    np.testing.assert_array_equal(graph.run([X])[0], X * 3 + 1)
    assert planned == ["main"] * 3


def test_a_function_that_is_replaced_renamed_or_erased_is_not_run(
    lib: Any, planned: list[str]
) -> None:
    graph, function = with_function("nat.scale")
    module = graph.module
    np.testing.assert_array_equal(graph.run([X])[0], X * 2)
    del module.graphs["my.f"], function
    gc.collect()
    add_function(module, "nat.next")
    np.testing.assert_array_equal(graph.run([X])[0], X + 1)
    # What nodes call is the function's identity, not the name of its graph.
    module.graphs["my.f"].name = "other"
    np.testing.assert_array_equal(graph.run([X])[0], X + 1)
    module.graphs["other"].name = "my.f"
    module.graphs["my.f"].attributes["onnx.function"] = {"domain": "my", "name": "g"}
    with pytest.raises(ops.KernelError, match=r"node 'f' \(my.f\).*has no kernel"):
        graph.run([X])
    module.graphs["my.f"].attributes["onnx.function"] = {"domain": "my", "name": "f"}
    np.testing.assert_array_equal(graph.run([X])[0], X + 1)
    del module.graphs["my.f"].attributes["onnx.function"]
    with pytest.raises(ops.KernelError, match="has no kernel"):
        graph.run([X])
    del module.graphs["my.f"]
    with pytest.raises(ops.KernelError, match="has no kernel"):
        graph.run([X])
    add_function(module, "nat.scale", k=5.0)
    np.testing.assert_array_equal(graph.run([X])[0], X * 5)
    assert planned == ["main"] * 7  # the two runs without the function share a plan


def test_plans_of_functions_that_run_node_by_node_are_kept(lib: Any, planned: list[str]) -> None:
    lib.define("python(Tensor x, *, float k=1.0) -> Tensor")
    lib.impl("python", "cpu", lambda x, *, k: x * k, as_="numpy")
    graph, function = with_function("nat.python", k=2.0)
    graph.outputs = [add(graph, "my.f", graph.outputs[0])]
    for _ in range(3):
        np.testing.assert_array_equal(graph.run([X])[0], X * 4)
    assert planned == ["main", "my.f"]
    function.outputs[0].node.attributes["k"] = 3.0
    np.testing.assert_array_equal(graph.run([X])[0], X * 9)
    function.outputs = [add(function, "nat.next", function.outputs[0])]
    np.testing.assert_array_equal(graph.run([X])[0], (X * 3 + 1) * 3 + 1)
    assert planned == ["main", "my.f"] * 3
    np.testing.assert_array_equal(function.run([X])[0], X * 3 + 1)  # run directly
    np.testing.assert_array_equal(graph.run([X])[0], (X * 3 + 1) * 3 + 1)
    assert planned[6:] == ["my.f"]


def test_a_function_that_is_edited_while_the_graph_runs_is_planned_again(lib: Any) -> None:
    edits: list[Any] = []

    def edit(x: Any) -> Any:
        while edits:
            edits.pop()()
        return x + 1

    lib.define("edit(Tensor x) -> Tensor")
    lib.impl("edit", "cpu", edit, as_="numpy")
    lib.define("python(Tensor x) -> Tensor")
    lib.impl("python", "cpu", lambda x: x * 2, as_="numpy")
    graph, function = with_function("nat.python")
    call = graph.outputs[0].node
    call.operands[0] = add(graph, "nat.edit", graph.inputs[0])
    np.testing.assert_array_equal(graph.run([X])[0], (X + 1) * 2)

    def insert() -> None:
        node = function.outputs[0].node
        function.outputs = [add(function, "nat.next", node.result)]

    edits.append(insert)
    for _ in range(2):
        np.testing.assert_array_equal(graph.run([X])[0], (X + 1) * 2 + 1)


@pytest.mark.parametrize("op", ["nat.scale", "nat.raising"])
def test_a_kernel_that_fails_in_a_function_leaves_the_plan(
    lib: Any, planned: list[str], op: str
) -> None:
    lib.define("raising(Tensor x, *, float k=2.0) -> Tensor")

    def raising(x: Any, *, k: float) -> Any:
        if k < 0:
            raise ValueError("k is negative")
        return x * k

    lib.impl("raising", "cpu", raising, as_="numpy")
    graph, function = with_function(op, k=-1.0)
    graph.outputs = [add(graph, "nat.add", graph.outputs[0], graph.inputs[0])]
    for _ in range(3):
        with pytest.raises(ops.KernelError, match="k is negative") as raised:
            graph.run([X])
        assert function.outputs[0].node.name in str(raised.value)
    made = list(planned)
    function.outputs[0].node.attributes["k"] = 2.0
    np.testing.assert_array_equal(graph.run([X])[0], X * 3)
    np.testing.assert_array_equal(graph.run([X])[0], X * 3)
    assert planned == made * 2


def test_another_kernel_or_inferrer_is_seen_in_functions(lib: Any, planned: list[str]) -> None:
    graph, _ = with_function("nat.scale")
    np.testing.assert_array_equal(graph.run([X])[0], X * 2)
    with ops.Library("nat", kind="IMPL") as other:
        other.impl("scale", "cpu", lambda x, *, k: x * 0, as_="numpy", override=True)
        assert not graph.run([X])[0].any()
    np.testing.assert_array_equal(graph.run([X])[0], X * 2)
    lib.infer("next")(lambda call: [tensor(3)])
    np.testing.assert_array_equal(graph.run([X])[0], X * 2)
    assert planned == ["main", "main", "my.f", "main", "main"]


def test_a_plan_with_functions_goes_with_its_graph(lib: Any) -> None:
    graph, function = with_function("nat.scale")
    context = graph.context
    del function
    gc.collect()
    plans, handles = len(_plan._kept), context.live_handle_count()
    graph.run([X])
    assert len(_plan._kept) == plans + 1
    del graph
    gc.collect()
    assert len(_plan._kept) == plans
    assert context.live_handle_count() < handles
    cycle = endless("nat.scale")
    with pytest.raises(ir.GEError):
        cycle.run([X])
    assert len(_plan._kept) == plans + 1
    del cycle
    gc.collect()
    assert len(_plan._kept) == plans


def test_plans_of_a_function_that_is_run_itself_are_kept(lib: Any, planned: list[str]) -> None:
    lib.define("python(Tensor x, *, float k=1.0) -> Tensor")
    lib.impl("python", "cpu", lambda x, *, k: x * k, as_="numpy")
    module = ir.Module("m")
    inner = add_function(module, "nat.python", k=2.0)
    outer = module.add_graph("my.g")
    outer.attributes["onnx.function"] = {"name": "g", "domain": "my"}
    x = outer.add_input("x", tensor(3))
    condition = outer.add_node("ge.Const", [], {"value": np.array(True)}).result
    node = outer.add_node("onnx.If", [condition], result_types=[tensor(3)])
    for slot in ("then_branch", "else_branch"):
        body = node.add_subgraph(slot)
        body.name = slot
        body.outputs = [add(body, "my.f", add(body, "nat.python", x, k=3.0))]
    outer.outputs = [node.result]
    for _ in range(3):
        np.testing.assert_array_equal(outer.run([X])[0], X * 6)
    assert planned == ["my.g", "then_branch", "my.f"]
    own = inner.outputs[0].node
    own.attributes["k"] = 5.0
    np.testing.assert_array_equal(outer.run([X])[0], X * 15)
    assert planned[3:] == ["my.g", "then_branch", "my.f"]
    plans = len(_plan._kept)
    del node, body, x, condition, own, inner, outer, module
    gc.collect()
    assert len(_plan._kept) == plans - 1
