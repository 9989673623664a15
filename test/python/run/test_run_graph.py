"""``graph.run`` evaluates a graph: it checks inputs and runs kernels and runtimes; errors name the node.

Every run is compared with the same run node by node (`two_ways`), except in tests that count calls or live values.
Control flow and functions are tested in test_run_control.py.

Not covered: speed, and the results of single operators (`test_run_cann_kernels.py`, `test_run_backend.py`).
"""

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from run_graphs import X, add, constant, graph_of, tensor
from two_ways import run_two_ways

import ge.ir as ir
import ge.ops as ops
from ge.ops import _call
from ge.run import _regions

F32 = ir.DType("f32")
X_TYPE = tensor(1, 3)


# Tests that count events of a single run, so that it must not be repeated.
COUNTING = (
    "test_regions_are_maximal_and_convex",
    "test_sessions_are_kept_and_an_edit_makes_another",
    "test_a_value_is_released_after_its_last_use",
    "test_a_call_is_bound_once",
    "test_operands_of_a_kept_call_are_not_held",
)


@pytest.fixture(autouse=True)
def two_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.originalname not in COUNTING:
        run_two_ways(monkeypatch)


@pytest.fixture
def acme() -> Any:
    lib = ops.Library("acme")
    lib.define("twice(Tensor x) -> Tensor", traits=["pure"])
    lib.infer("twice")(lambda call: [call.operand_types[0]])
    lib.impl("twice", "cpu", lambda x: x * 2, as_="numpy")
    yield lib
    lib.close()


def mixed() -> ir.Graph:
    graph = graph_of(tensor("N", 3))
    relu = add(graph, "onnx.Relu", graph.inputs[0])
    muls = add(graph, "ge.Muls", relu, value=2.0)
    graph.outputs = [add(graph, "onnx.Add", muls, relu)]
    graph.output_names = ["y"]
    return graph


def test_inputs_by_name_and_in_order_and_results_in_the_order_of_outputs() -> None:
    graph = mixed()
    expected = [[3, 0, 9]]
    assert graph.run({"a": X})[0].tolist() == expected
    assert graph.run([X])[0].tolist() == expected
    assert graph.run((X,), names=True)["y"].tolist() == expected
    assert ops.run(graph.module, [X])[0].tolist() == expected
    assert graph.run([[[1, -2, 3]]])[0].tolist() == expected
    assert X.tolist() == [[1, -2, 3]]


def test_results_are_of_the_kind_of_the_first_array() -> None:
    graph = mixed()
    assert type(graph.run([X])[0]) is np.ndarray
    assert type(graph.run([ir.Tensor(X)])[0]) is ir.Tensor
    scalar = graph_of(tensor())
    scalar.outputs = [add(scalar, "ge.Exp", scalar.inputs[0])]
    made = scalar.run([0.0])[0]
    assert type(made) is np.ndarray and made.shape == () and made.dtype == np.float32


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({}, 'input \'a\' (tensor<?x3xf32, {dims = ["N", ""]}>) is missing'),
        ({"a": X, "z": X}, "graph 'main' has no input 'z'; it has 'a', 'b'"),
        ([X, X, X], "3 inputs, but graph 'main' has 2: 'a', 'b'"),
        (
            [X.astype(np.float64), X],
            'input \'a\' is tensor<?x3xf32, {dims = ["N", ""]}>, but the array is of f64',
        ),
        ([X[0], X], "but the array has shape [3]"),
        (
            [X, X[:, :2]],
            'input \'b\' is tensor<?x3xf32, {dims = ["N", ""]}>, but the array has shape [1, 2]',
        ),
        ([X, object()], "input 'b': object is not a tensor"),
        ([X, None], "an array is needed"),
    ],
)
def test_an_input_that_does_not_fit_is_named(inputs: Any, words: str) -> None:
    graph = graph_of(tensor("N", 3), tensor("N", 3))
    graph.outputs = [add(graph, "ge.Add", *graph.inputs)]
    with pytest.raises(ValueError) as error:  # noqa: PT011 - what it says is compared below
        graph.run(inputs)
    assert words in str(error.value)


def test_one_size_with_two_values_is_an_error_that_names_both_inputs() -> None:
    graph = graph_of(tensor("N", 3), tensor("N", 3))
    graph.outputs = [add(graph, "ge.Add", *graph.inputs)]
    with pytest.raises(ir.ModelError, match="input 'b' .* the array has N=2, and 'a' has N=1"):
        graph.run([X, np.concatenate([X, X])])


def test_an_unknown_backend_is_named_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="backend 'gpu' must be one of cpu, cuda"):
        mixed().run([X], backend="gpu")


def test_a_registered_kernel_runs_also_in_bodies(acme: Any) -> None:
    graph = graph_of(tensor(1, 3), tensor(dtype="bool"))
    a, condition = graph.inputs
    node = graph.add_node("onnx.If", [condition], result_types=[tensor(1, 3)])
    for slot, op in (("then_branch", "acme.twice"), ("else_branch", "onnx.Neg")):
        body = node.add_subgraph(slot)
        body.name = slot
        body.outputs = [add(body, op, a)]
    graph.outputs = [node.result]
    assert graph.run([X, True])[0].tolist() == [[2, -4, 6]]
    assert graph.run([X, False])[0].tolist() == [[-1, 2, -3]]


def test_a_kernel_that_lies_or_raises_is_named(acme: Any) -> None:
    graph = graph_of(tensor(1, 3))
    graph.outputs = [add(graph, "acme.twice", graph.inputs[0])]
    acme.impl("twice", "cpu", lambda x: x[0], as_="numpy", override=True)
    with pytest.raises(
        ops.KernelError, match=r"gave f32\[3\] for result 0, inference says f32\[1, 3\]"
    ):
        graph.run([X])
    acme.impl("twice", "cpu", lambda x: 1 / 0, as_="numpy", override=True)
    with pytest.raises(ops.KernelError, match="raised ZeroDivisionError") as error:
        graph.run([X])
    assert error.value.__cause__ is not None


def test_a_kernel_writes_a_copy_of_its_own() -> None:
    with ops.Library("acme") as lib:
        lib.define("bump(Tensor(a!) x) -> Tensor(a!)")

        @lib.impl("bump", "cpu")
        def bump(x: Any) -> None:
            x += 1

        graph = graph_of(tensor(1, 3))
        held = constant(graph, X)
        graph.outputs = [
            add(graph, "acme.bump", graph.inputs[0]),
            add(graph, "acme.bump", held),
            held,
        ]
        given = X.copy()
        made = graph.run([given])
        assert made[0].tolist() == made[1].tolist() == [[2, -1, 4]]
        assert given.tolist() == X.tolist() == made[2].tolist()


@pytest.mark.parametrize("type_", ["Tensor(a!)[]", "Tensor[](a!)"])
def test_a_kernel_writes_copies_of_the_arrays_in_a_list(type_: str) -> None:
    with ops.Library("acme") as lib:
        lib.define(f"drain({type_} x, Tensor last) -> Tensor")

        @lib.impl("drain", "cpu")
        def drain(x: Any, last: Any) -> Any:
            total = sum(x) + last.numpy()
            for array in x:
                array[...] = 0
            return total

        graph = graph_of(tensor(1, 3), tensor(1, 3), tensor(1, 3))
        graph.outputs = [add(graph, "acme.drain", *graph.inputs)]
        given = [X.copy() for _ in range(3)]
        assert graph.run(given)[0].tolist() == (3 * X).tolist()
        assert all(array.tolist() == X.tolist() for array in given)


def test_a_kernel_is_preferred_to_the_runtime() -> None:
    with ops.Library("onnx", kind="IMPL") as lib:
        lib.impl("Relu", "cpu", lambda x, *_, **__: x.numpy() * 0 + 7)
        graph = graph_of(tensor(1, 3))
        graph.outputs = [add(graph, "onnx.Relu", graph.inputs[0])]
        assert graph.run([X])[0].tolist() == [[7, 7, 7]]


def test_a_node_without_a_kernel_says_how_to_register_one() -> None:
    graph = graph_of(tensor(1, 3))
    graph.outputs = [add(graph, "nobody.knows", graph.inputs[0])]
    with pytest.raises(ops.KernelError) as error:
        graph.run([X])
    assert "node 'knows' (nobody.knows) in graph 'main' has no kernel" in str(error.value)
    assert "ge.ops.Library('nobody', kind='IMPL').impl('knows', 'cpu')" in str(error.value)


def test_a_reference_kernel_that_fails_names_node_and_place() -> None:
    graph = graph_of(tensor(1, 3))
    graph.outputs = [
        add(graph, "ge.CheckNumerics", add(graph, "ge.Log", graph.inputs[0]), message="log")
    ]
    with pytest.raises(
        ops.KernelError,
        match=r"node 'checknumerics' .* \(variable.py:\d+\) raised ValueError: CheckNumerics: log: there is NaN",
    ):
        graph.run([X])


def test_a_reference_kernel_that_contradicts_the_declared_type_is_an_error() -> None:
    graph = graph_of(tensor(1, 3))
    node = graph.add_node("ge.Neg", [graph.inputs[0]], result_types=[tensor(3, 1)], name="neg")
    graph.outputs = [node.result]
    with pytest.raises(ops.KernelError, match=r"gave f32\[1, 3\] for result 0"):
        graph.run([X])


def test_what_onnxruntime_refuses_runs_by_the_reference() -> None:
    """onnxruntime has no bf16 Mul for the CPU; it still runs the other nodes of the region."""
    graph = graph_of(tensor(1, 3))
    low = add(graph, "onnx.Cast", add(graph, "onnx.Relu", graph.inputs[0]), to=16)
    square = add(graph, "onnx.Mul", low, low)
    graph.outputs = [add(graph, "onnx.Cast", square, to=1)]
    assert graph.run([X])[0].tolist() == [[1, 0, 9]]


def test_a_region_that_fails_names_the_node() -> None:
    graph = graph_of(tensor("N"), tensor("M"))
    relu = add(graph, "onnx.Relu", graph.inputs[0])
    graph.outputs = [add(graph, "onnx.Neg", add(graph, "onnx.Add", relu, graph.inputs[1]))]
    with pytest.raises(ops.KernelError, match=r"node 'add' \(onnx.Add\) in graph 'main'"):
        graph.run([np.ones(2, np.float32), np.ones(3, np.float32)])


def test_regions_are_maximal_and_convex(monkeypatch: pytest.MonkeyPatch) -> None:
    """Relu, Neg | Muls | Add, Abs: the path through Muls leaves the first region, so Add belongs to another region."""
    graph = graph_of(tensor(1, 3))
    relu = add(graph, "onnx.Relu", graph.inputs[0])
    neg = add(graph, "onnx.Neg", relu)
    muls = add(graph, "ge.Muls", relu, value=2.0)
    graph.outputs = [add(graph, "onnx.Abs", add(graph, "onnx.Add", neg, muls))]
    regions = []
    run = _regions.Regions.run

    def spy(self: Any, step: Any, *rest: Any) -> Any:
        regions.append([n.type for n in step.nodes])
        return run(self, step, *rest)

    monkeypatch.setattr(_regions.Regions, "run", spy)
    assert graph.run([X])[0].tolist() == [[1, 0, 3]]
    assert regions == [["Relu", "Neg"], ["Add", "Abs"]]


def test_sessions_are_kept_and_an_edit_makes_another() -> None:
    graph = graph_of(tensor(1, 3))
    clip = add(graph, "onnx.LeakyRelu", graph.inputs[0], alpha=0.123)
    graph.outputs = [clip]
    graph.run([X])
    before = len(_regions._sessions)
    graph.run([X])
    assert len(_regions._sessions) == before
    clip.node.attributes["alpha"] = 0.5
    assert graph.run([X])[0].tolist() == [[1, -1, 3]]


def test_trace_gives_every_value_in_bodies_too() -> None:
    graph = mixed()
    seen: list[str] = []
    graph.run([X], trace=lambda name, value: seen.append((name, value.tolist())))
    assert [value for _, value in seen] == [X.tolist(), [[1, 0, 3]], [[2, 0, 6]], [[3, 0, 9]]]
    assert seen[0][0] == "a"


def test_a_trace_that_raises_comes_out_as_it_is() -> None:
    class Own(Exception):
        pass

    def fail(name: str, value: Any) -> None:
        raise Own

    with pytest.raises(Own):
        mixed().run([X], trace=fail)


def test_a_value_is_released_after_its_last_use() -> None:
    alive: list[Any] = []
    counts: list[int] = []

    def keep(x: Any) -> Any:
        gc.collect()
        counts.append(sum(r() is not None for r in alive))
        made = x + 1
        alive.append(weakref.ref(made))
        return made

    with ops.Library("acme") as lib:
        lib.define("next(Tensor x) -> Tensor")
        lib.infer("next")(lambda call: [call.operand_types[0]])
        lib.impl("next", "cpu", keep, as_="numpy")
        graph = graph_of(tensor(1, 3))
        value = graph.inputs[0]
        for _ in range(10):
            value = add(graph, "acme.next", value)
        graph.outputs = [value]
        assert graph.run([X])[0].tolist() == [[11, 8, 13]]
    assert max(counts) <= 2


def test_inputs_with_a_default_may_be_left_out() -> None:
    graph = graph_of(tensor(1, 3), tensor(1, 3))
    graph.inputs[1].node.attributes["value"] = ir.Tensor(X)
    graph.outputs = [add(graph, "ge.Add", *graph.inputs)]
    assert graph.run([X])[0].tolist() == [[2, -4, 6]]


def test_isolated_or_not_it_is_the_same() -> None:
    assert mixed().run([X], isolate=False)[0].tolist() == mixed().run([X])[0].tolist()


def test_without_evaluators_onnx_runs_by_functions_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GE_EVALUATORS", "none")
    graph = graph_of(tensor(1, 3))
    graph.outputs = [add(graph, "ge.Neg", add(graph, "onnx.Relu", graph.inputs[0]))]
    with pytest.raises(ops.KernelError, match=r"node 'relu' .* GE_EVALUATORS=none"):
        graph.run([X])
    before = ops.use_evaluator(
        lambda call: [call.operands[0].numpy() + 1] if call.op == "onnx.Relu" else None
    )
    try:
        assert graph.run([X])[0].tolist() == [[-2, 1, -4]]
    finally:
        ops.use_evaluator(before)


def test_the_graph_stays_as_it_is() -> None:
    graph = mixed()
    text, count = str(graph), graph.change_count
    graph.run([X], trace=lambda name, value: None)
    assert (str(graph), graph.change_count) == (text, count)


def test_layouts_of_types_reach_the_kernel() -> None:
    graph = graph_of(
        ir.TensorType([1, 3, 3, 1], F32, format="NHWC"),
        ir.TensorType([2, 2, 1, 1], F32, format="HWCN"),
    )
    conv = graph.add_node(
        "ge.Conv2D",
        list(graph.inputs),
        {"strides": [1] * 4, "pads": [0] * 4},
        result_types=[ir.UnknownType()],
    )
    graph.outputs = [conv.result]
    image = np.arange(9, dtype=np.float32).reshape(1, 3, 3, 1)
    made = graph.run([image, np.ones((2, 2, 1, 1), np.float32)])[0]
    assert made.reshape(2, 2).tolist() == [[8, 12], [20, 24]]


def test_a_call_is_bound_once(acme: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ops.invoke` binds once per call; running a graph again does not bind; after an edit the call is bound again."""
    acme.define("plus(Tensor x, *, float k=1.0) -> Tensor")
    acme.infer("plus")(lambda call: [call.operand_types[0]])
    acme.impl("plus", "cpu", lambda x, *, k: x + np.float32(k), as_="numpy")
    bound: list[Any] = []
    bind = _call._native._bind_call

    def spy(*args: Any) -> Any:
        bound.append(args)
        return bind(*args)

    monkeypatch.setattr(_call._native, "_bind_call", spy)
    assert ops.invoke("acme::plus", [X], {"k": 2.0})[0].tolist() == (X + 2).tolist()
    assert len(bound) == 1
    graph = graph_of(tensor(1, 3))
    plus = add(graph, "acme.plus", graph.inputs[0], k=3.0)
    graph.outputs = [plus]
    for _ in range(3):
        assert graph.run([X])[0].tolist() == (X + 3).tolist()
    before = len(bound)
    assert graph.run([X])[0].tolist() == (X + 3).tolist()
    assert len(bound) == before
    plus.node.attributes["k"] = 4.0
    assert graph.run([X])[0].tolist() == (X + 4).tolist()


def test_a_kernel_that_edits_a_later_node_is_seen_by_it(acme: Any) -> None:
    graph = graph_of(tensor(1, 3))
    edits: list[Any] = []

    def edit(x: Any) -> Any:
        for one in edits:
            one()
        return x + 0

    acme.define("edit(Tensor x) -> Tensor")
    acme.impl("edit", "cpu", edit, as_="numpy")
    acme.define("plus(Tensor x, *, float k=1.0) -> Tensor")
    acme.impl("plus", "cpu", lambda x, *, k: x + np.float32(k), as_="numpy")
    plus = add(graph, "acme.plus", add(graph, "acme.edit", graph.inputs[0]), k=3.0)
    graph.outputs = [plus]
    for _ in range(2):
        assert graph.run([X])[0].tolist() == (X + 3).tolist()
    edits.append(lambda: plus.node.attributes.update(k=5.0))
    assert graph.run([X])[0].tolist() == (X + 5).tolist()


def test_operands_of_a_kept_call_are_not_held(acme: Any) -> None:
    graph = graph_of(tensor(1, 3))
    graph.outputs = [add(graph, "acme.twice", add(graph, "ge.Neg", graph.inputs[0]))]
    given = X.copy()
    for _ in range(3):
        graph.run([given])
    gone = weakref.ref(given)
    del given
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("kernel", ["raises", "other_shape", "nothing"])
def test_an_error_of_a_kernel_names_its_node(acme: Any, kernel: str) -> None:
    """Also in a body, in a function, and where the node has no name of its own."""

    def raises(x: Any) -> Any:
        raise RuntimeError("no")

    kernels = {"raises": raises, "other_shape": lambda x: np.ones(5, np.float32), "nothing": lambda x: None}  # fmt: skip
    acme.impl("twice", "cpu", kernels[kernel], as_="numpy", override=True)

    def named(graph: Any, value: Any) -> Any:
        return graph.add_node("acme.twice", [value], result_types=[X_TYPE], name="culprit").result

    plain = graph_of(X_TYPE)
    plain.outputs = [add(plain, "onnx.Neg", named(plain, add(plain, "onnx.Relu", plain.inputs[0])))]

    inner = graph_of(X_TYPE, tensor(dtype="bool"))
    node = inner.add_node("onnx.If", [inner.inputs[1]], result_types=[X_TYPE])
    for slot in ("then_branch", "else_branch"):
        body = node.add_subgraph(slot)
        body.name = slot
        body.outputs = [named(body, inner.inputs[0])]
    inner.outputs = [node.result]

    called = graph_of(X_TYPE)
    function = called.module.add_graph("own.f")
    function.attributes["onnx.function"] = {"domain": "own", "name": "f"}
    function.outputs = [named(function, function.add_input("x", X_TYPE))]
    called.outputs = [add(called, "own.f", called.inputs[0])]

    for graph, inputs in ((plain, [X]), (inner, [X, True]), (called, [X])):
        with pytest.raises(ops.KernelError, match="culprit") as error:
            graph.run(inputs)
        assert str(error.value).count("culprit") == 1


@pytest.mark.parametrize(
    ("library", "name"),
    [("ge", "Sigmoid"), ("ge", "Abs"), ("nn", "Softplus"), ("math", "Add"), ("onnx", "Tanh")],
)
def test_a_kernel_that_overrides_ours_runs_in_graphs(library: str, name: str) -> None:
    """It is in force until its library is closed, in the graph and in bodies."""
    domain = "onnx" if library == "onnx" else "ge"
    graph = graph_of(X_TYPE, tensor(dtype="bool"))
    a, condition = graph.inputs
    operands = [a, a] if name == "Add" else [a]
    node = graph.add_node("onnx.If", [condition], result_types=[X_TYPE])
    for slot in ("then_branch", "else_branch"):
        body = node.add_subgraph(slot)
        body.name = slot
        body.outputs = [add(body, f"{domain}.{name}", *operands)]
    graph.outputs = [add(graph, f"{domain}.{name}", *operands), node.result]
    ours = graph.run([X, True])
    lib = ops.Library(library, kind="IMPL")
    lib.impl(name, "cpu", lambda *xs: np.full_like(xs[0], 42), override=True, as_="numpy")
    assert [m.tolist() for m in graph.run([X, True])] == [[[42.0] * 3]] * 2
    lib.close()
    for mine, made in zip(ours, graph.run([X, True]), strict=True):
        np.testing.assert_array_equal(mine, made)
