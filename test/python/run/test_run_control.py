"""``graph.run`` runs loops, branches, scans, functions and sequences.

Every run is compared with the same run node by node (`two_ways`).
"""

from contextlib import closing
from typing import Any

import numpy as np
import pytest
from run_graphs import X, add, constant, graph_of, tensor
from two_ways import run_two_ways

import ge.ir as ir
import ge.ops as ops


@pytest.fixture(autouse=True)
def two_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    run_two_ways(monkeypatch)


def loop(body_op: str, **attributes: Any) -> ir.Graph:
    """Return a Loop with a carried value and a scan output, whose body captures an outer value."""
    graph = graph_of(tensor(dtype="i64"), tensor(1, 3))
    count, start = graph.inputs
    node = graph.add_node(
        "onnx.Loop", [count, None, start], result_types=[tensor(1, 3), tensor(None, 1, 3)]
    )
    body = node.add_subgraph("body")
    body.name = "body"
    turn = body.add_input("turn", tensor(dtype="i64"))
    go = body.add_input("go", tensor(dtype="bool"))
    value = body.add_input("value", tensor(1, 3))
    assert turn is not None
    made = add(body, body_op, value, **attributes)
    summed = add(body, "onnx.Add", made, start)
    body.outputs = [add(body, "onnx.Identity", go), summed, add(body, "onnx.Identity", summed)]
    graph.outputs = list(node.results)
    return graph


@pytest.mark.parametrize(("op", "attributes"), [("onnx.Neg", {}), ("ge.Neg", {})])
@pytest.mark.parametrize("turns", [0, 1, 3])
def test_loops(op: str, attributes: Any, turns: int) -> None:
    """onnxruntime and the interpreter give the same numbers."""
    last, scan = loop(op, **attributes).run([turns, X])
    value, expected = X, []
    for _ in range(turns):
        value = X - value
        expected.append(value)
    np.testing.assert_array_equal(last, value)
    assert scan.shape[0] == turns
    if turns:
        np.testing.assert_array_equal(scan, np.stack(expected))


def test_loops_end_by_their_condition() -> None:
    graph = graph_of(tensor(dtype="i64"))
    node = graph.add_node(
        "onnx.Loop", [None, None, graph.inputs[0]], result_types=[tensor(dtype="i64")]
    )
    body = node.add_subgraph("body")
    body.name = "body"
    body.add_input("turn", tensor(dtype="i64"))
    body.add_input("go", tensor(dtype="bool"))
    value = body.add_input("value", tensor(dtype="i64"))
    more = add(body, "ge.Adds", value, value=3.0)
    body.outputs = [add(body, "onnx.Less", more, constant(body, np.int64(10))), more]
    graph.outputs = [node.result]
    assert graph.run([np.array(1)])[0].item() == 10


@pytest.mark.parametrize("op", ["onnx.Neg", "ge.Neg"])
def test_scans(op: str) -> None:
    graph = graph_of(tensor(2), tensor(2, 3))
    node = graph.add_node(
        "onnx.Scan",
        list(graph.inputs),
        {
            "num_scan_inputs": 1,
            "scan_input_axes": [1],
            "scan_input_directions": [1],
            "scan_output_axes": [1],
        },
        result_types=[tensor(2), tensor(2, 3)],
    )
    body = node.add_subgraph("body")
    body.name = "body"
    state, part = body.add_input("state", tensor(2)), body.add_input("part", tensor(2))
    total = add(body, "onnx.Add", state, add(body, op, part))
    body.outputs = [total, add(body, "onnx.Identity", total)]
    graph.outputs = list(node.results)
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    last, sums = graph.run([np.zeros(2, np.float32), data])
    expected = -np.cumsum(data[:, ::-1], 1)
    np.testing.assert_array_equal(sums, expected)
    np.testing.assert_array_equal(last, expected[:, -1])


def test_control_flow_of_cann() -> None:
    graph = graph_of(tensor(), tensor(dtype="i32"))
    a, which = graph.inputs
    case = graph.add_node("ge.Case", [which, a], result_types=[tensor()])
    for slot, value in (("branches0", 1.0), ("branches1", 10.0)):
        body = case.add_subgraph(slot)
        body.outputs = [add(body, "ge.Adds", body.add_input("x", tensor()), value=value)]
    loop = graph.add_node("ge.While", [case.result], result_types=[tensor()])
    condition = loop.add_subgraph("cond")
    condition.outputs = [
        add(
            condition,
            "ge.Less",
            condition.add_input("x", tensor()),
            constant(condition, np.float32(100)),
        )
    ]
    body = loop.add_subgraph("body")
    body.outputs = [add(body, "ge.Muls", body.add_input("x", tensor()), value=3.0)]
    count = graph.add_node(
        "ge.For",
        [constant(graph, np.int32(v)) for v in (0, 6, 2)] + [loop.result],
        result_types=[tensor()],
    )
    body = count.add_subgraph("body")
    turn, x = body.add_input("i", tensor(dtype="i32")), body.add_input("x", tensor())
    body.outputs = [add(body, "ge.Add", x, add(body, "ge.Cast", turn, dst_type=0))]
    call = graph.add_node("ge.PartitionedCall", [count.result], result_types=[tensor()])
    body = call.add_subgraph("f")
    body.outputs = [add(body, "ge.Neg", body.add_input("x", tensor()))]
    choice = graph.add_node("ge.If", [call.result, call.result], result_types=[tensor()])
    for slot, value in (("then_branch", 1.0), ("else_branch", 2.0)):
        body = choice.add_subgraph(slot)
        body.outputs = [add(body, "ge.Muls", body.add_input("x", tensor()), value=value)]
    graph.outputs = [choice.result]
    # 1 + 1 = 2, times 3 until 100: 162; plus 0, 2, 4: 168.
    assert graph.run([1.0, 0])[0].item() == -168
    # 1 + 10 = 11, times 3 until 100: 297; plus 0, 2, 4: 303. An index out of range selects the last branch.
    assert graph.run([1.0, 1])[0].item() == graph.run([1.0, 7])[0].item() == -303


def test_functions_run_with_their_attributes() -> None:
    module = ir.Module("m")
    module.attributes["onnx.opset_imports"] = {"onnx": 21, "local": 1}
    function = module.add_graph("local.leak")
    function.attributes["onnx.function"] = {"name": "leak", "domain": "local"}
    function.attributes["onnx.attributes"] = ["slope"]
    x = function.add_input("x", ir.UnknownType())
    inner = function.add_node(
        "onnx.LeakyRelu",
        [x],
        {"alpha": {"ref_attr_name": "slope", "type": "FLOAT"}},
        result_types=[ir.UnknownType()],
    )
    function.outputs = [inner.result]
    graph = module.add_graph("main")
    a = graph.add_input("a", tensor(1, 3))
    graph.outputs = [
        graph.add_node("local.leak", [a], {"slope": 0.5}, result_types=[ir.UnknownType()]).result
    ]
    assert graph.run([X])[0].tolist() == [[1, -1, 3]]
    seen: dict[str, Any] = {}
    assert graph.run([X], trace=seen.__setitem__)[0].tolist() == [[1, -1, 3]]
    inner.replace_with(
        function.add_node("ge.Muls", [x], {"value": 3.0}, result_types=[ir.UnknownType()]).result
    )
    assert graph.run([X])[0].tolist() == [[3, -6, 9]]


def test_what_calls_itself_ends_with_the_cycle() -> None:
    module = ir.Module("m")
    module.attributes["onnx.opset_imports"] = {"onnx": 21, "local": 1}
    names = ["local.ping", "local.pong"]
    for name, other in zip(names, reversed(names), strict=True):
        function = module.add_graph(name)
        function.attributes["onnx.function"] = {"name": name[6:], "domain": "local"}
        x = function.add_input("x", ir.UnknownType())
        function.outputs = [function.add_node(other, [x], result_types=[ir.UnknownType()]).result]
    graph = module.add_graph("main")
    a = graph.add_input("a", tensor(1, 3))
    graph.outputs = [graph.add_node("local.ping", [a], result_types=[ir.UnknownType()]).result]
    with pytest.raises(
        ir.GEError, match=r"10000 deep, which is the limit: .*local.ping -> local.pong"
    ):
        graph.run([X])


def test_sequences_optionals_and_strings() -> None:
    graph = graph_of(
        ir.SequenceType(tensor("N")), ir.OptionalType(tensor(2)), tensor(2, dtype="string")
    )
    sequence, optional, words = graph.inputs
    first = add(graph, "onnx.SequenceAt", sequence, constant(graph, np.int64(1)))
    there = add(graph, "onnx.OptionalHasElement", optional)
    graph.outputs = [add(graph, "onnx.SequenceInsert", sequence, first), there, words]
    given = [np.ones(1, np.float32), np.zeros(2, np.float32)]
    made = graph.run([given, None, np.array(["a", "é"], object)])
    assert [v.tolist() for v in made[0]] == [[1], [0, 0], [0, 0]]
    assert not made[1].item()
    assert made[2].tolist() == ["a", "é"]


def test_sequences_go_from_region_to_region() -> None:
    graph = graph_of(tensor(1, 3))
    made = add(graph, "onnx.SequenceConstruct", graph.inputs[0], graph.inputs[0])
    at = add(graph, "ge.Cast", constant(graph, np.float32(1)), dst_type=9)
    graph.outputs = [add(graph, "onnx.SequenceAt", made, at)]
    assert graph.run([X])[0].tolist() == X.tolist()


@pytest.mark.parametrize("op", ["onnx.Neg", "ge.Neg"])
@pytest.mark.parametrize("directions", [[0], [1]])
def test_a_scan_over_one_axis_gives_its_body_scalars(op: str, directions: list[int]) -> None:
    graph = graph_of(tensor(3))
    node = graph.add_node(
        "onnx.Scan",
        list(graph.inputs),
        {"num_scan_inputs": 1, "scan_input_directions": directions},
        result_types=[tensor(3)],
    )
    body = node.add_subgraph("body")
    body.name = "body"
    body.outputs = [add(body, op, body.add_input("part", tensor()))]
    graph.outputs = [node.result]
    data = np.float32([1, 2, 3])
    expected = -data[::-1] if directions[0] else -data
    np.testing.assert_array_equal(graph.run([data])[0], expected)


def test_a_scan_of_a_body_whose_kernel_takes_arrays() -> None:
    with closing(ops.Library("acme")) as lib:
        lib.define("half(Tensor x) -> Tensor")
        lib.infer("half")(lambda call: [call.operand_types[0]])

        @lib.impl("half", "cpu", as_="numpy")
        def _half(x: Any) -> Any:
            assert type(x) is np.ndarray and x.shape == ()
            return x / np.float32(2)

        graph = graph_of(tensor(3))
        node = graph.add_node(
            "onnx.Scan", list(graph.inputs), {"num_scan_inputs": 1}, result_types=[tensor(3)]
        )
        body = node.add_subgraph("body")
        body.name = "body"
        body.outputs = [add(body, "acme.half", body.add_input("part", tensor()))]
        graph.outputs = [node.result]
        np.testing.assert_array_equal(graph.run([np.float32([1, 2, 3])])[0], [0.5, 1, 1.5])


@pytest.mark.parametrize("traced", [False, True])
def test_scan_outputs_of_no_turns_have_the_sizes_that_inference_knows(traced: bool) -> None:
    """Of a value that the body takes from around it, and of one that it computes; the graph stays as it is."""
    graph = graph_of(tensor(dtype="i64"), tensor(2, 3))
    count, x = graph.inputs
    unknown = ir.UnknownType()
    node = graph.add_node("onnx.Loop", [count, None], result_types=[unknown, unknown])
    body = node.add_subgraph("body")
    body.name = "body"
    body.add_input("turn", tensor(dtype="i64"))
    go = body.add_input("go", tensor(dtype="bool"))
    turned = add(body, "onnx.Transpose", add(body, "ge.Neg", x), perm=[1, 0])
    body.outputs = [add(body, "onnx.Identity", go), turned, add(body, "onnx.ReduceSum", turned, keepdims=0)]  # fmt: skip
    graph.outputs = list(node.results)
    before = graph.to_text()
    options: Any = {"trace": lambda *_: None} if traced else {}
    made = graph.run([np.int64(0), np.ones((2, 3), np.float32)], **options)
    assert [m.shape for m in made] == [(0, 3, 2), (0,)]
    assert [m.dtype for m in made] == [np.float32, np.float32]
    assert graph.to_text() == before


def test_a_scan_of_nothing_has_its_axis() -> None:
    graph = graph_of(tensor(None, 2))
    node = graph.add_node(
        "onnx.Scan",
        list(graph.inputs),
        {"num_scan_inputs": 1, "scan_output_axes": [-1]},
        result_types=[tensor(2, None)],
    )
    body = node.add_subgraph("body")
    body.name = "body"
    body.outputs = [add(body, "ge.Neg", body.add_input("part", tensor(2)))]
    graph.outputs = [node.result]
    assert graph.run([np.zeros((0, 2), np.float32)])[0].shape == (2, 0)
    assert graph.run([np.zeros((5, 2), np.float32)])[0].shape == (2, 5)


@pytest.mark.parametrize("ranked", [False, True])
def test_a_sequence_map_captures_outer_values(ranked: bool) -> None:
    graph = ir.Module("m").add_graph("main")
    graph.attributes["opset"] = 18
    item = tensor(3) if ranked else ir.TensorType(None, ir.f32)
    sequence = graph.add_input("s", ir.SequenceType(item))
    outer = graph.add_input("x", tensor(3))
    node = graph.add_node("onnx.SequenceMap", [sequence], result_types=[ir.SequenceType(item)])
    body = node.add_subgraph("body")
    body.name = "body"
    body.outputs = [add(body, "onnx.Add", body.add_input("item", item), outer)]
    body.outputs[0].type = item
    graph.outputs = [node.result]
    (made,) = graph.run([[np.ones(3, "f4"), np.zeros(3, "f4")], np.array([1, 2, 3], "f4")])
    assert [m.tolist() for m in made] == [[2, 3, 4], [1, 2, 3]]


def test_a_sequence_map_runs_kernels() -> None:
    graph = ir.Module("m").add_graph("main")
    graph.attributes["opset"] = 18
    sequences = [graph.add_input(name, ir.SequenceType(tensor(2))) for name in "st"]
    scale = graph.add_input("x", tensor(2))
    result = ir.SequenceType(tensor(2))
    node = graph.add_node("onnx.SequenceMap", [*sequences, scale], result_types=[result, result])
    body = node.add_subgraph("body")
    body.name = "body"
    one, other, factor = (body.add_input(name, tensor(2)) for name in "abc")
    product = add(body, "onnx.Mul", add(body, "ge.Neg", one), factor)
    body.outputs = [product, add(body, "onnx.Add", product, other)]
    graph.outputs = list(node.results)
    items = [np.array([1, 2], "f4"), np.array([3, 4], "f4")]
    products, sums = graph.run([items, items[::-1], np.array([10, 100], "f4")])
    assert [p.tolist() for p in products] == [[-10, -200], [-30, -400]]
    assert [s.tolist() for s in sums] == [[-7, -196], [-29, -398]]
    assert graph.run([[], [], np.ones(2, "f4")]) == [[], []]
    with pytest.raises(ops.KernelError, match=r"its sequences have the lengths \[1, 2\]"):
        graph.run([items, items[:1], np.ones(2, "f4")])
