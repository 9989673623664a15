"""Nodes with kernels in C run in one native call: plans that are kept and dropped, lives of values, errors, threads.

Not promised here: the speed, which ``bench/kernels.py`` measures.
"""

import gc
import signal
import sys
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from native_nodes import compiled
from needs import CC

import ge.ir as ir
import ge.ops as ops
from ge.run import _plan

pytestmark = CC


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> str:
    return compiled(tmp_path_factory)


OUT = {
    "add(Tensor a, Tensor b) -> Tensor": "add",
    "scale(Tensor x, *, float k=2.0) -> Tensor": "scale",
}


@pytest.fixture
def lib(shared: str) -> Iterator[Any]:
    with ops.Library("nat") as library:
        for schema, symbol in OUT.items():
            library.define(schema)
            library.infer(symbol)(lambda call: [call.operand_types[0]])
            library.impl(symbol, "cpu", symbol=(shared, symbol), out=True)
        for name in ("positive", "interrupt"):
            library.define(f"{name}(Tensor x) -> Tensor")
            library.infer(name)(lambda call: [tensor(dtype="bool")])
            library.impl(name, "cpu", symbol=(shared, name), out=True)
        library.define("total(Tensor[] xs, Tensor? y=None) -> Tensor")
        library.infer("total")(lambda call: [call.operand_types[0]])
        library.impl("total", "cpu", symbol=(shared, "total"), out=True)
        for schema in ("next(Tensor x) -> Tensor", "same(Tensor x) -> Tensor"):
            library.define(schema)
            library.impl(schema.partition("(")[0], "cpu", symbol=(shared, schema.partition("(")[0]))
        library.define("write(Tensor(a!) x) -> Tensor(a!)")
        library.impl("write", "cpu", symbol=(shared, "writeNine"))
        library.define("live() -> int")
        library.impl("live", "any", symbol=(shared, "lives"))
        library.define("calls() -> int")
        library.impl("calls", "any", symbol=(shared, "numCalls"))
        library.define("most() -> int")
        library.impl("most", "any", symbol=(shared, "mostLives"))
        yield library


def tensor(*shape: Any, dtype: str = "f32") -> ir.TensorType:
    return ir.TensorType(shape, ir.DType(dtype))


X = np.array([1, -2, 3], np.float32)


def graph_of(*inputs: ir.Type) -> ir.Graph:
    graph = ir.Module("m").add_graph("main")
    for i, type_ in enumerate(inputs):
        graph.add_input("abcdef"[i], type_)
    return graph


def add(graph: ir.Graph, op: str, *operands: Any, **attributes: Any) -> Any:
    return graph.add_node(
        op, operands, attributes, result_types=[ir.UnknownType()], name=op.rpartition(".")[2]
    ).result


def constant(graph: ir.Graph, value: Any) -> ir.Value:
    held = ir.Tensor(np.asarray(value))
    return graph.add_node("ge.Const", attributes={"value": held}, result_types=[held.type]).result


def kinds(graph: ir.Graph) -> list[tuple[str, int]]:
    plan = _plan.make_plan(graph, _plan.Surroundings(graph.root, False, None))
    return [(step.kind, len(step.nodes)) for step in plan.steps]


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the graphs that were planned."""
    names: list[str] = []
    make = _plan.make_plan

    def spy(graph: ir.Graph, around: Any) -> Any:
        names.append(graph.name)
        return make(graph, around)

    monkeypatch.setattr(_plan, "make_plan", spy)
    return names


# --- What is one step


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
    graph.outputs = [add(graph, "nat.total", a, c, None), add(graph, "nat.total", a, a, c)]
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


def endless(op: str) -> ir.Graph:
    module = ir.Module("m")
    for name, other in (("my.ping", "my.pong"), ("my.pong", "my.ping")):
        function = module.add_graph(name)
        function.attributes["onnx.function"] = {"name": name[3:], "domain": "my"}
        x = function.add_input("x", ir.UnknownType())
        scaled = add(function, op, x)
        function.outputs = [add(function, other, scaled)]
    graph = module.add_graph("main")
    graph.outputs = [add(graph, "my.ping", graph.add_input("a", tensor(3)))]
    return graph


def test_functions_that_call_each_other_end_with_the_cycle(lib: Any) -> None:
    graph = endless("nat.scale")
    assert kinds(graph) == [("native", 1)]
    with pytest.raises(ir.GEError, match=r"10000 deep, which is the limit: .*my.ping -> my.pong"):
        graph.run([X])


# --- Plans


def with_function(op: str, **attributes: Any) -> tuple[ir.Graph, ir.Graph]:
    """A graph that calls ``my.f``, a function with one node; and the function."""
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
    module.graphs["my.f"].name = "my.g"
    with pytest.raises(ops.KernelError, match=r"node 'f' \(my.f\).*has no kernel"):
        graph.run([X])
    module.graphs["my.g"].name = "my.f"
    np.testing.assert_array_equal(graph.run([X])[0], X + 1)
    del module.graphs["my.f"].attributes["onnx.function"]
    with pytest.raises(ops.KernelError, match="has no kernel"):
        graph.run([X])
    del module.graphs["my.f"]
    with pytest.raises(ops.KernelError, match="has no kernel"):
        graph.run([X])
    add_function(module, "nat.scale", k=5.0)
    np.testing.assert_array_equal(graph.run([X])[0], X * 5)
    assert planned == ["main"] * 6  # without a function twice


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
    np.testing.assert_array_equal(function.run([X])[0], X * 3 + 1)  # for itself
    np.testing.assert_array_equal(graph.run([X])[0], (X * 3 + 1) * 3 + 1)
    assert planned[6:] == ["my.f"]


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
    # The program behind the kernel is what it was when the run began.
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
        pass  # what it gives is not promised, only that it ends
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


# --- Values


def test_values_are_released_behind_their_last_use(lib: Any) -> None:
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


def test_an_array_of_python_goes_behind_its_last_use_in_native_nodes(lib: Any) -> None:
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
            one[:] = 0  # only the caller has the results


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
