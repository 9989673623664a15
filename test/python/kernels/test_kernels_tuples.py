"""Operands that are tuples, and lists that may be absent: a kernel gets the same values in every way of a call.

In a node a tuple has one operand for each of its elements; numbers, bools and texts are constants. An absent `Tensor[]?` is
one absent operand, an empty one has no operands. What no node can hold is refused where the node is built, with one text.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from c_calls import graph_run, op_call

import ge.es
import ge.ir as ir
import ge.onnx
import ge.ops as ops
import ge.passes as passes

X = np.array([1, 2], np.float32)
Given = Any


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("tuples") as opened:
        yield opened


def described(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return ("array", value.tolist())
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, [described(v) for v in value])
    return (type(value).__name__, value)


def recording(lib: Any, schema: str, seen: list[Any]) -> None:
    """Define `tuples::f`, whose kernel notes its parameter `t`."""
    lib.define(f"f({schema}) -> Tensor", traits=["pure"])
    lib.infer("f")(lambda call: [ir.TensorType([1], ir.f32)])
    space: dict[str, Any] = {}
    names = ", ".join(p.name for p in ops.get("tuples::f").params)
    exec(f"def kernel({names}):\n    return noted(t)", {"noted": lambda t: note(t)}, space)

    def note(t: Any) -> Any:
        seen.append(described(t))
        return np.ones(1, "f4")

    lib.impl("f", "cpu", space["kernel"], as_="numpy")


def graph_of(*given: Given) -> ir.Graph:
    """A graph of the operator, whose arrays are inputs."""

    def placed(value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return type(value)(map(placed, value))
        return b.input(None, value.shape, ir.f32) if isinstance(value, np.ndarray) else value

    with ge.es.builder("g") as b:
        b.output(ge.es.tuples.f(*[placed(one) for one in given]))
    return b.graph


def call(*given: Given) -> None:
    for _ in range(3):
        ops.call.tuples.f(*given)


def run(*given: Given) -> None:
    graph = graph_of(*given)
    for _ in range(2):
        graph.run([X] * len(graph.inputs))


def run_in_c(*given: Given) -> None:
    graph = graph_of(*given)
    for _ in range(2):
        graph_run(graph, *[X] * len(graph.inputs))


def call_in_c(*given: Given) -> None:
    [node] = [n for n in graph_of(*given).nodes if n.domain == "tuples"]
    op_call(node, *map(value_of, node.operands))


def value_of(operand: "ir.Value | None") -> Any:
    constant = operand is not None and ops.constant_tensor(operand)
    return None if operand is None else X if constant is None else constant


def fold(*given: Given) -> None:
    graph = graph_of(*given)
    for value in list(graph.inputs):
        value.replace_all_uses_with(graph.add_node("ge.Const", [], {"value": ir.Tensor(X)}).result)
    [value] = graph.outputs
    graph.outputs = [graph.add_node("tuples.keep", [value], result_types=[value.type]).result]
    passes.PassManager.parse("constant-fold").run(graph)
    assert "tuples.f" not in str(graph)


def by_text(*given: Given) -> None:
    graph = ir.Graph.parse(str(graph_of(*given)))
    graph.run([X] * len(graph.inputs))


def by_file(*given: Given) -> None:
    module = ir.Module("m")
    module.add_graph(graph_of(*given))
    [graph] = ge.onnx.load(ge.onnx.to_bytes(module)).graphs.values()
    graph.run([X] * len(graph.inputs))


def check(*given: Given) -> None:
    ops.opcheck("tuples::f", list(given))


WAYS: "dict[str, Callable[..., None]]" = {
    "call": call,
    "graph.run": run,
    "geGraphRun": run_in_c,
    "geOpCall": call_in_c,
    "folding": fold,
    "opcheck": check,
    "text": by_text,
    "file": by_file,
}
CASES: list[tuple[str, tuple[Any, ...], Any]] = [
    ("(Tensor, int, str) t", ((X, 2, "ab"),), (X, 2, "ab")),
    ("Tensor a, (Tensor, int, str) t, Tensor? o=None", (X, (X, 2, "ab")), (X, 2, "ab")),
    ("Tensor a, (Tensor, int, str) t, Tensor? o=None", (X, (X, 2, "ab"), X), (X, 2, "ab")),
    ("(int, Tensor) t, Tensor b", ((np.int64(2), X), X), (2, X)),
    ("(Tensor, Tensor) t", ([X, X],), (X, X)),
    ("(Tensor, (float, Tensor)) t", ((X, (2, X)),), (X, (2.0, X))),
    ("(Tensor, float) t", ((X, 0.1),), (X, 0.1)),
    ("(Tensor, float) t", ((X, np.float32(0.5)),), (X, 0.5)),
    ("(Tensor, float) t", ((X, True),), (X, 1.0)),
    ("(Tensor, int) t", ((X, 2**62),), (X, 2**62)),
    ("(Tensor, int) t", ((X, -1),), (X, -1)),
    ("(Tensor, bool, bool) t", ((X, True, False),), (X, True, False)),
    ("(Tensor, str) t", ((X, "a\0b \u20ac"),), (X, "a\0b \u20ac")),
    ("(Tensor, str) t", ((X, ""),), (X, "")),
    ("(Tensor, Scalar, Scalar) t", ((X, 2, 0.1),), (X, 2, 0.1)),
    ("Tensor a, (Tensor?, bool) t", (X, (None, True)), (None, True)),
    ("Tensor a, (Tensor, int?) t", (X, (X, None)), (X, None)),
    ("Tensor a, (Tensor, int)? t=None", (X, (X, 1)), (X, 1)),
    ("Tensor a, (Tensor, int)? t=None", (X,), None),
    ("Tensor a, (Tensor, int)? t=None, Tensor? o=None", (X, None, X), None),
    ("Tensor a, (Tensor, (Tensor, int)?) t", (X, (X, None)), (X, None)),
    ("Tensor a, (Tensor, (Tensor, int)?) t", (X, (X, (X, 1))), (X, (X, 1))),
    ("(Tensor, int) t, Tensor[] more", ((X, 1), [X, X]), (X, 1)),
    ("Tensor[] t, (Tensor, int) u", ([X, X], (X, 1)), [X, X]),
    ("(Tensor, int)[] t", ([(X, 1), (X, 2)],), [(X, 1), (X, 2)]),
    ("(Tensor, (str, Tensor))[] t", ([(X, ("a", X))],), [(X, ("a", X))]),
    ("(Tensor, Tensor)[] t, Tensor b", ([(X, X), (X, X)], X), [(X, X), (X, X)]),
    ("Tensor a, (Tensor, int)[] t", (X, []), []),
    ("Tensor a, (Tensor, int)[]? t", (X, None), None),
    ("Tensor a, Tensor[]? t", (X, []), []),
    ("Tensor a, Tensor[]? t", (X, None), None),
    ("Tensor a, Tensor[]? t", (X, [X, X]), [X, X]),
    ("Tensor a, Tensor[]? t=None", (X,), None),
    ("Tensor a, Tensor[]? t=None", (X, []), []),
    ("Tensor a, Tensor[]? t=[]", (X,), []),
    ("Tensor a, Tensor[]? t=[]", (X, None), None),
    ("Tensor a, Tensor[] t=[]", (X,), []),
    ("Tensor a, Tensor[]? t, Tensor b", (X, None, X), None),
    ("Tensor a, Tensor[]? t, Tensor b", (X, [], X), []),
    ("Tensor a, Tensor[]? t=None, Tensor? b=None", (X, None, X), None),
    ("Tensor a, Tensor[]? t=None, Tensor? b=None", (X, [], X), []),
    ("Tensor a, Tensor[]? t=None, Tensor[]? b=None", (X, None, []), None),
    ("Tensor a, Tensor[]? b=None, Tensor[]? t=None", (X, None, []), []),
    ("Tensor a, Tensor?[]? t", (X, [None, X]), [None, X]),
    ("Tensor a, Tensor?[] t", (X, [None]), [None]),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("schema", "given", "expected"), CASES)
def test_arrives_as_declared(
    lib: Any, way: str, schema: str, given: tuple[Any, ...], expected: Any
) -> None:
    if way == "geOpCall" and ops.parse_schema(f"x::f({schema}) -> Tensor").has_operand_choice:
        pytest.skip("geOpCall takes no lengths of lists")
    seen: list[Any] = []
    recording(lib, schema, seen)
    WAYS[way](*given)
    if way == "opcheck":  # which also calls it with other values
        assert described(expected) in seen
    else:
        assert seen
        assert all(one == described(expected) for one in seen)


@pytest.mark.parametrize(
    ("declared", "given"),
    [
        ("(Tensor[], int) t", ([X], 3)),
        ("(Tensor, int[]) t", (X, [1, 2])),
        ("(Tensor, ScalarType) t", (X, ir.f32)),
        ("(Tensor, int)[][] t", [[(X, 1)]]),
        ("(Tensor, (Tensor, int[]))[] t", [(X, (X, [1]))]),
        ("Tensor[][] t", [[X], [X, X]]),
        ("Dict(str, Tensor) t", {"k": X}),
        ("Dict(str, Tensor)? t", {"k": X}),
    ],
)
def test_what_no_node_can_hold_is_refused_where_it_is_built(
    lib: Any, declared: str, given: Any
) -> None:
    seen: list[Any] = []
    recording(lib, declared, seen)
    call(given)  # outside of graphs it is legal
    assert len(seen) == 3
    text = (
        r"operand 't' is of type .*, which no node can hold: .*call the operator outside of graphs"
    )
    with ge.es.builder("g") as b:
        x = b.input("x", [2], ir.f32)

        def placed(value: Any) -> Any:
            if isinstance(value, (tuple, list)):
                return type(value)(map(placed, value))
            if isinstance(value, dict):
                return {k: placed(v) for k, v in value.items()}
            return x if value is X else value

        with pytest.raises(ops.BindError, match=text):
            ge.es.tuples.f(placed(given))
    assert not b.graph.nodes
    # Nodes that were made without the builder.
    node = b.graph.add_node("tuples.f", [x], result_types=[ir.TensorType([1], ir.f32)])
    b.graph.outputs = [node.result]
    with pytest.raises(ops.KernelError, match=text):
        b.graph.run([X])
    with pytest.raises(RuntimeError, match=text):
        graph_run(b.graph, X)
    with pytest.raises(RuntimeError, match=text):
        op_call(node, X)
    with pytest.raises(ir.VerifyError, match=text):
        b.graph.verify()


def test_an_absent_tuple_or_dictionary_is_a_node(lib: Any) -> None:
    seen: list[Any] = []
    recording(lib, "Tensor a, Dict(str, Tensor)? t=None", seen)
    run(X)
    run_in_c(X, None)
    assert set(seen) == {("NoneType", None)}


@pytest.mark.parametrize(
    ("declared", "constant", "got"),
    [
        ("int", np.float32(2.5), "float"),
        ("int", np.uint64(2**64 - 1), ""),
        ("int", np.array([1, 2]), ""),
        ("str", np.int64(1), "int"),
        ("bool", np.float32(1), "float"),
    ],
)
def test_a_constant_of_another_type_is_refused_alike(
    lib: Any, declared: str, constant: Any, got: str
) -> None:
    recording(lib, f"(Tensor, {declared}) t", [])
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType([2], ir.f32))
    other = graph.add_node("ge.Const", [], {"value": ir.Tensor(constant)}).result
    node = graph.add_node("tuples.f", [x, other], result_types=[ir.TensorType([1], ir.f32)])
    graph.outputs = [node.result]
    text = rf"argument 't' expects \(Tensor, {declared}\), got .* of 2 whose element 1 is .*{got}"
    with pytest.raises(ops.KernelError, match=text):
        graph.run([X])
    with pytest.raises(RuntimeError, match=text):
        graph_run(graph, X)


def test_a_list_of_one_absent_tensor_is_no_node_where_the_list_may_be_absent(lib: Any) -> None:
    recording(lib, "Tensor a, Tensor?[]? t", [])
    call(X, [None])
    with ge.es.builder("g") as b:
        x = b.input("x", [2], ir.f32)
        with pytest.raises(ops.BindError, match="cannot tell from an absent list; pass None or"):
            ge.es.tuples.f(x, [None])
    assert not b.graph.nodes
