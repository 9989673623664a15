"""Nodes with kernels in C run in one native call: grouping into steps, caching of plans, errors, threads.

test_run_native_functions.py tests plans of functions, test_run_native_values.py lifetimes of values. Not covered:
speed, which ``bench/kernels.py`` measures.
"""

import gc
import signal
import threading
from typing import Any

import numpy as np
import pytest
from native_graphs import (
    X,
    endless,
    kinds,
    lib,  # noqa: F401 - a fixture
    planned,  # noqa: F401 - a fixture
    shared,  # noqa: F401 - a fixture
)
from needs import CC
from run_graphs import add, constant, graph_of, tensor

import ge.ir as ir
import ge.ops as ops
from ge.run import _plan

pytestmark = CC


# --- Grouping into steps


def test_a_stretch_of_nodes_is_one_step_and_goes_around_others(lib: Any) -> None:
    lib.define("python(Tensor x) -> Tensor")
    lib.impl("python", "cpu", lambda x: x + 1, as_="numpy")
    graph = graph_of(tensor(3))
    first = add(graph, "nat.scale", add(graph, "nat.add", graph.inputs[0], graph.inputs[0]))
    beside = add(graph, "nat.python", graph.inputs[0])
    last = add(graph, "nat.add", first, add(graph, "nat.scale", beside, k=3.0))
    graph.outputs = [last, first]
    assert kinds(graph) == [("native", 2), ("node", 1), ("native", 2)]
    for _ in range(2):
        made = graph.run([X])
        np.testing.assert_array_equal(made[0], X * 4 + (X + 1) * 3)
        np.testing.assert_array_equal(made[1], X * 4)


def test_constants_lists_and_absent_operands(lib: Any) -> None:
    graph = graph_of(tensor(3))
    a, c = graph.inputs[0], constant(graph, np.full(3, 5, np.float32))
    graph.outputs = [add(graph, "nat.total", [a, c], None), add(graph, "nat.total", [a, a], c)]
    assert kinds(graph) == [("native", 2)]
    made = graph.run([X])
    np.testing.assert_array_equal(made[0], X + 5)
    np.testing.assert_array_equal(made[1], X + X + 100)


def test_arrays_in_other_steps_and_shapes_that_change(lib: Any) -> None:
    graph = graph_of(ir.TensorType(None, ir.DType("f32")))
    graph.outputs = [add(graph, "nat.scale", add(graph, "nat.next", graph.inputs[0]))]
    for array in (X, X[::-1], np.ones((2, 3), "f4").T, np.zeros((0, 2), "f4"), np.float32(3), X):
        np.testing.assert_array_equal(graph.run([array])[0], (np.asarray(array) + 1) * 2)


def test_what_kernels_in_c_do_not_take_runs_otherwise(lib: Any) -> None:
    lib.define("other(Tensor x) -> Tensor")
    lib.impl("other", "cpu", lambda x: x, as_="numpy")
    graph = graph_of(ir.UnknownType())
    graph.outputs = [add(graph, "nat.scale", graph.inputs[0])]
    raw = np.zeros(13, np.uint8)
    odd = raw[1:].view(np.float32)  # not aligned
    odd[:] = X
    np.testing.assert_array_equal(graph.run([odd])[0], X * 2)
    with pytest.raises(ops.KernelError, match="scale"):
        graph.run([np.array(["a"], object)])


def test_if_and_loops_and_functions_run_natively(lib: Any) -> None:
    graph = graph_of(tensor(3), tensor(dtype="i64"))
    a, n = graph.inputs
    node = graph.add_node("onnx.If", [add(graph, "nat.positive", a)], result_types=[tensor(3)])
    for slot, k in (("then_branch", 2.0), ("else_branch", 3.0)):
        body = node.add_subgraph(slot)
        body.outputs = [add(body, "nat.scale", a, k=k)]
    loop = graph.add_node(
        "onnx.Loop", [n, None, node.result], result_types=[tensor(3), tensor(None, 3)]
    )
    body = loop.add_subgraph("body")
    body.add_input("i", tensor(dtype="i64"))
    goes_on, value = body.add_input("c", tensor(dtype="bool")), body.add_input("v", tensor(3))
    summed = add(body, "nat.add", value, a)
    body.outputs = [goes_on, summed, add(body, "nat.scale", summed, k=10.0)]
    graph.outputs = list(loop.results)
    assert kinds(graph) == [("native", 3)]
    last, scan = graph.run([X, 2])
    np.testing.assert_array_equal(last, X * 4)
    np.testing.assert_array_equal(scan, np.stack([X * 30, X * 40]))
    last, scan = graph.run([-X, 0])
    np.testing.assert_array_equal(last, -X * 3)
    assert scan.shape[0] == 0


def test_functions_that_call_each_other_end_with_the_cycle(lib: Any) -> None:
    graph = endless("nat.scale")
    assert kinds(graph) == [("native", 1)]
    with pytest.raises(ir.GEError, match=r"10000 deep, which is the limit: .*my.ping -> my.pong"):
        graph.run([X])


def test_a_plan_is_kept_until_the_graph_is_edited(lib: Any, planned: list[str]) -> None:
    graph = graph_of(tensor(3))
    scale = add(graph, "nat.scale", graph.inputs[0])
    graph.outputs = [scale]
    for _ in range(3):
        np.testing.assert_array_equal(graph.run([X])[0], X * 2)
    assert planned == ["main"]
    scale.node.attributes["k"] = 5.0
    np.testing.assert_array_equal(graph.run([X])[0], X * 5)
    graph.outputs = [add(graph, "nat.add", scale, scale)]
    np.testing.assert_array_equal(graph.run([X])[0], X * 10)
    assert planned == ["main"] * 3
    with graph.transaction() as change:
        scale.node.attributes["k"] = 1.0
        change.rollback()
    np.testing.assert_array_equal(graph.run([X])[0], X * 10)


def nest(depth: int, *, innermost: str) -> ir.Graph:
    graph = graph_of(tensor(dtype="bool"), tensor(3))
    condition, value = graph.inputs
    around: Any = graph
    for _ in range(depth):
        node = around.add_node("ge.If", [condition, value], result_types=[tensor(3)])
        around.outputs = [node.result]
        other = node.add_subgraph("else_branch")
        other.outputs = [other.add_input("v", tensor(3))]
        around = node.add_subgraph("then_branch")
        value = add(around, "nat.scale", around.add_input("v", tensor(3)), k=1.0)
    around.outputs = [add(around, innermost, value)]
    return graph


def test_bodies_around_a_kernel_in_python_cost_once(
    lib: Any, planned: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lib.define("python(Tensor x) -> Tensor")
    lib.impl("python", "cpu", lambda x: x + 1, as_="numpy")
    programs: list[int] = []
    looked_up: list[Any] = []
    prepare, kernel_of = _plan._native._make_program, _plan.kernel_of

    def spy(graph: ir.Graph, backend: str, nodes: list[Any], *rest: Any) -> Any:
        programs.append(len(nodes))
        return prepare(graph, backend, nodes, *rest)

    def look(node: ir.Node, backend: Any) -> Any:
        looked_up.append(node)
        return kernel_of(node, backend)

    monkeypatch.setattr(_plan._native, "_make_program", spy)
    monkeypatch.setattr(_plan, "kernel_of", look)
    costs = []
    for depth in (10, 20):
        graph = nest(depth, innermost="nat.python")
        np.testing.assert_array_equal(graph.run([True, X])[0], X + 1)
        costs.append((len(programs), len(looked_up)))
        for seen in (programs, looked_up, planned):
            seen.clear()
        np.testing.assert_array_equal(graph.run([True, X])[0], X + 1)
        assert not programs and not looked_up and not planned
        graph.inputs[1].uses[0].node.name = "edited"
        np.testing.assert_array_equal(graph.run([True, X])[0], X + 1)
        assert len(planned) == depth + 1
        for seen in (programs, looked_up, planned):
            seen.clear()
    assert all(more <= 2.5 * less for less, more in zip(*costs, strict=True)), costs


def test_a_plan_goes_with_its_graph(lib: Any) -> None:
    graph = graph_of(tensor(3))
    graph.outputs = [add(graph, "nat.scale", graph.inputs[0])]
    context = graph.context
    gc.collect()
    handles, plans = context.live_handle_count(), len(_plan._kept)
    graph.run([X])
    gc.collect()
    assert (context.live_handle_count(), len(_plan._kept)) == (handles, plans + 1)
    del graph
    gc.collect()
    assert context.live_handle_count() < handles
    assert len(_plan._kept) == plans


def test_another_kernel_is_seen(lib: Any, shared: str) -> None:
    graph = graph_of(tensor(3))
    graph.outputs = [add(graph, "nat.scale", graph.inputs[0])]
    np.testing.assert_array_equal(graph.run([X])[0], X * 2)
    with ops.Library("nat", kind="IMPL") as other:
        other.impl("scale", "cpu", lambda x, *, k: x * 0, as_="numpy", override=True)
        assert not graph.run([X])[0].any()
    np.testing.assert_array_equal(graph.run([X])[0], X * 2)


def test_a_library_that_was_closed_is_not_run(shared: str) -> None:
    graph = graph_of(tensor(3))
    with ops.Library("gone") as library:
        library.define("next(Tensor x) -> Tensor")
        library.impl("next", "cpu", symbol=(shared, "next"))
        graph.outputs = [add(graph, "gone.next", graph.inputs[0])]
        np.testing.assert_array_equal(graph.run([X])[0], X + 1)
    with pytest.raises(ops.KernelError, match="has no kernel"):
        graph.run([X])


def test_kernels_in_python_may_edit_the_graph_that_runs(lib: Any, planned: list[str]) -> None:
    graph = graph_of(tensor(3))
    edits: list[Any] = []

    def edit(x: Any) -> Any:
        for one in edits:
            one()
        return x + 1

    lib.define("edit(Tensor x) -> Tensor")
    lib.impl("edit", "cpu", edit, as_="numpy")
    scale = add(graph, "nat.scale", graph.inputs[0])
    middle = add(graph, "nat.edit", scale)
    last = add(graph, "nat.scale", middle, k=3.0)
    graph.outputs = [last]
    np.testing.assert_array_equal(graph.run([X])[0], (X * 2 + 1) * 3)
    # The current run continues with the program as it was at its start.
    edits.append(lambda: last.node.attributes.update(k=7.0))
    np.testing.assert_array_equal(graph.run([X])[0], (X * 2 + 1) * 3)
    edits.clear()
    np.testing.assert_array_equal(graph.run([X])[0], (X * 2 + 1) * 7)
    assert planned == ["main", "main"]

    def erase() -> None:
        graph.outputs = [graph.inputs[0]]
        for node in reversed(list(graph.nodes)):
            node.erase()

    edits.append(erase)
    try:
        graph.run([X])
    except (ir.GEError, KeyError):
        pass  # the result is not specified, but the run must end
    assert not len(graph.nodes)
    np.testing.assert_array_equal(graph.run([X])[0], X)


def test_a_graph_that_is_erased_while_it_runs(lib: Any) -> None:
    module = ir.Module("m")
    graph = module.add_graph("main")
    graph.add_input("a", tensor(3))

    def erase(x: Any) -> Any:
        if "main" in module.graphs:
            del module.graphs["main"]
        return x + 1

    lib.define("erase(Tensor x) -> Tensor")
    lib.impl("erase", "cpu", erase, as_="numpy")
    graph.outputs = [
        add(graph, "nat.scale", add(graph, "nat.erase", add(graph, "nat.scale", graph.inputs[0])))
    ]
    try:
        np.testing.assert_array_equal(graph.run([X])[0], (X * 2 + 1) * 2)
    except ir.GEError:
        pass


def test_threads_share_a_graph(lib: Any) -> None:
    graph = graph_of(ir.TensorType(None, ir.DType("f32")))
    value = graph.inputs[0]
    for _ in range(50):
        value = add(graph, "nat.scale", add(graph, "nat.add", value, graph.inputs[0]), k=0.5)
    graph.outputs = [value]
    expected = graph.run([X])[0]
    faults: list[Any] = []

    def work(shape: tuple[int, ...]) -> None:
        array = np.resize(X, shape)
        for _ in range(50):
            made = graph.run([array])[0]
            if not np.allclose(made, np.resize(expected, shape)):
                faults.append(made)

    threads = [threading.Thread(target=work, args=((3 * n,),)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


# --- Errors


def test_a_kernel_that_fails_names_the_node(lib: Any) -> None:
    graph = graph_of(tensor(3))
    graph.outputs = [add(graph, "nat.scale", add(graph, "nat.next", graph.inputs[0]), k=-1.0)]
    with pytest.raises(
        ops.KernelError,
        match=r"node 'scale' \(nat.scale\).*kernel cpu \(.*\) failed: k is negative",
    ):
        graph.run([X])
    assert ops.function("nat::live")() == 0


def test_results_that_do_not_fit_name_the_node(lib: Any) -> None:
    graph = graph_of(tensor(3))
    node = graph.add_node("nat.scale", [graph.inputs[0]], result_types=[tensor(2)], name="two")
    graph.outputs = [node.result]
    with pytest.raises(
        ops.KernelError, match=r"node 'two' \(nat.scale\).*gave f32\[3\] for result 0, its type"
    ):
        graph.run([X])
    graph.outputs = [add(graph, "nat.same", graph.inputs[0])]
    with pytest.raises(ops.KernelError, match=r"node 'same'.*gave the memory of operand"):
        graph.run([X])


def test_an_inferrer_that_raises_names_the_node(lib: Any, shared: str) -> None:
    lib.define("odd(Tensor x) -> Tensor")

    def infer(call: Any) -> Any:
        raise ValueError("no such luck")

    lib.infer("odd")(infer)
    lib.impl("odd", "cpu", symbol=(shared, "scale"), out=True)
    graph = graph_of(tensor(3))
    node = graph.add_node("nat.odd", [graph.inputs[0]], result_types=[tensor(3)], name="odd")
    graph.outputs = [node.result]
    with pytest.raises(ops.KernelError, match=r"node 'odd' \(nat.odd\).*no such luck"):
        graph.run([X])


def test_ctrl_c_ends_a_native_loop(lib: Any) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        interrupt_a_loop()
    finally:
        signal.signal(signal.SIGINT, before)


def interrupt_a_loop() -> None:
    graph = graph_of(tensor(3))
    loop = graph.add_node("ge.While", [graph.inputs[0]], result_types=[tensor(3)])
    condition, body = loop.add_subgraph("cond"), loop.add_subgraph("body")
    condition.outputs = [add(condition, "nat.interrupt", condition.add_input("x", tensor(3)))]
    body.outputs = [add(body, "nat.scale", body.add_input("x", tensor(3)), k=1.0)]
    graph.outputs = [loop.result]
    assert kinds(graph) == [("native", 1)]
    with pytest.raises(KeyboardInterrupt):
        graph.run([X])


def test_a_library_that_is_closed_while_a_graph_runs_leaves_the_kernel_before(
    lib: Any, shared: str
) -> None:
    other = ops.Library("nat", kind="IMPL")
    other.impl("scale", "cpu", symbol=(shared, "scale"), out=True, override=True)
    lib.define("closes(Tensor x) -> Tensor")

    def closes(x: Any) -> Any:
        other.close()
        return x + 1

    lib.impl("closes", "cpu", closes, as_="numpy")
    graph = ir.Graph("g")
    x = graph.add_input("x", tensor(3))
    graph.outputs = [add(graph, "nat.scale", add(graph, "nat.closes", x))]
    np.testing.assert_array_equal(graph.run([X])[0], (X + 1) * 2)
