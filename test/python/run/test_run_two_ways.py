"""Graphs with kernels in C give the same results natively and node by node: constants, captured and forwarded values.

Not covered: which nodes form one native step (`test_run_native.py`).
"""

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from native_nodes import compiled
from needs import CC
from two_ways import run_two_ways

import ge.ir as ir
import ge.ops as ops

pytestmark = CC


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> str:
    return compiled(tmp_path_factory)


@pytest.fixture(autouse=True)
def lib(shared: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    run_two_ways(monkeypatch)
    with ops.Library("nat") as library:
        for schema in (
            "add(Tensor a, Tensor b) -> Tensor",
            "scale(Tensor x, *, float k=2.0) -> Tensor",
        ):
            library.define(schema)
            name = schema.partition("(")[0]
            library.infer(name)(lambda call: [call.operand_types[0]])
            library.impl(name, "cpu", symbol=(shared, name), out=True)
        yield library


def tensor(*shape: Any, dtype: str = "f32") -> ir.TensorType:
    return ir.TensorType(shape, ir.DType(dtype))


X = np.array([1, -2, 3], np.float32)
SEVEN = ir.Tensor(np.full(3, 7, np.float32))


def graph_of(*inputs: ir.Type) -> ir.Graph:
    graph = ir.Module("m").add_graph("main")
    for i, type_ in enumerate(inputs):
        graph.add_input("abcdef"[i], type_)
    return graph


def add(graph: ir.Graph, op: str, *operands: Any, type_: Any = None, **attributes: Any) -> Any:
    return graph.add_node(
        op,
        operands,
        attributes,
        result_types=[type_ or ir.UnknownType()],
        name=op.rpartition(".")[2],
    ).result


def branches(graph: ir.Graph, condition: ir.Value, *types: ir.Type) -> Any:
    node = graph.add_node("onnx.If", [condition], result_types=list(types))
    graph.outputs = list(node.results)
    return [node.add_subgraph(slot) for slot in ("then_branch", "else_branch")]


def test_a_body_takes_the_input_that_was_given_and_not_its_default() -> None:
    graph = graph_of(tensor(dtype="bool"), tensor(3))
    condition, w = graph.inputs
    w.node.attributes["value"] = SEVEN
    for body in branches(graph, condition, tensor(3)):
        body.outputs = [add(body, "nat.scale", w)]
    assert graph.run({"a": True, "b": X})[0].tolist() == [2, -4, 6]
    assert graph.run({"a": True})[0].tolist() == [14, 14, 14]


def test_a_nested_body_takes_what_the_body_around_was_given() -> None:
    graph = graph_of(tensor(dtype="bool"), tensor(3))
    condition, w = graph.inputs
    w.node.attributes["value"] = SEVEN
    for body in branches(graph, condition, tensor(3)):
        node = body.add_node("onnx.If", [condition], result_types=[tensor(3)])
        for slot in ("then_branch", "else_branch"):
            inner = node.add_subgraph(slot)
            inner.outputs = [add(inner, "nat.add", w, w)]
        body.outputs = [node.result]
    assert graph.run({"a": False, "b": X})[0].tolist() == [2, -4, 6]


@pytest.mark.parametrize(
    ("op", "attributes", "shape"),
    [
        ("onnx.Constant", {"value_float": 7.0}, ()),
        ("onnx.Constant", {"value_floats": [7.0, 7.0, 7.0]}, (3,)),
        ("onnx.Constant", {"value": SEVEN}, (3,)),
        ("ge.Const", {"value": SEVEN}, (3,)),
        ("ge.Constant", {"value": SEVEN}, (3,)),
        ("ge.Variable", {"value": SEVEN}, (3,)),
    ],
)
@pytest.mark.parametrize("in_body", [False, True])
def test_constants_of_every_form(op: str, attributes: Any, shape: Any, in_body: bool) -> None:
    graph = graph_of(tensor(dtype="bool"), tensor(*shape))
    condition, x = graph.inputs
    for body in branches(graph, condition, tensor(*shape)) if in_body else [graph]:
        held = add(body, op, type_=tensor(*shape), **attributes)
        body.outputs = [add(body, "nat.add", add(body, "nat.scale", x, k=0.0), held)]
    assert graph.run([True, np.ones(shape, np.float32)])[0].tolist() == np.full(shape, 7).tolist()


def test_integers_of_a_constant() -> None:
    graph = graph_of(tensor(dtype="bool"), tensor(3))
    condition, x = graph.inputs
    for body in branches(graph, condition, tensor(dtype="i64"), tensor(2, dtype="i64"), tensor(3)):
        body.outputs = [
            add(body, "onnx.Constant", type_=tensor(dtype="i64"), value_int=3),
            add(body, "onnx.Constant", type_=tensor(2, dtype="i64"), value_ints=[4, 5]),
            add(body, "nat.scale", x),
        ]
    made = graph.run([True, X])
    assert [v.tolist() for v in made] == [3, [4, 5], [2, -4, 6]]


@pytest.mark.parametrize("name", ["Const", "Constant"])
def test_an_operator_of_another_domain_is_no_constant_by_its_name(
    lib: Any, shared: str, name: str
) -> None:
    lib.define(f"{name}(Tensor x, *, Tensor value) -> Tensor")
    lib.infer(name)(lambda call: [call.operand_types[0]])
    lib.impl(name, "cpu", symbol=(shared, "next"))  # x + 1
    graph = graph_of(tensor(3))
    made = add(graph, f"nat.{name}", graph.inputs[0], type_=tensor(3), value=SEVEN)
    graph.outputs = [add(graph, "nat.scale", made), made]
    assert [v.tolist() for v in graph.run([X])] == [[4, -2, 8], [2, -1, 4]]


@pytest.mark.parametrize(
    "held",
    [
        np.array(["a", "é"], object),
        np.array([1, -2], ml_dtypes.int4),
        np.array([1, 2], ml_dtypes.uint4),
        np.array([1, 2], ml_dtypes.bfloat16),
    ],
    ids=["string", "i4", "u4", "bf16"],
)
def test_constants_that_kernels_do_not_take_pass_through_a_body(held: Any) -> None:
    value = ir.Tensor(held)
    graph = graph_of(tensor(dtype="bool"), tensor(3))
    condition, x = graph.inputs
    scaled = add(graph, "nat.scale", x)
    for body in branches(graph, condition, value.type, tensor(3)):
        passed = add(body, "onnx.Constant", type_=value.type, value=value)
        body.outputs = [passed, add(body, "nat.scale", scaled)]
    made = graph.run([True, X])
    assert made[0].tolist() == held.tolist()
    assert made[1].tolist() == [4, -8, 12]


@pytest.mark.parametrize("raised", [SystemExit, GeneratorExit])
def test_an_inferrer_that_exits_fails_like_any_other(lib: Any, shared: str, raised: Any) -> None:
    def leave(call: Any) -> Any:
        raise raised("bye")

    lib.define("leaves(Tensor x) -> Tensor")
    lib.infer("leaves")(leave)
    lib.impl("leaves", "cpu", symbol=(shared, "scale"), out=True)
    graph = graph_of(tensor(3))
    graph.outputs = [add(graph, "nat.leaves", graph.inputs[0])]
    words = f"the inferrer of nat.leaves raised {raised.__name__}: bye"
    with pytest.raises(ops.KernelError, match=words):
        graph.run([X])
    with pytest.raises(ir.GEError, match=words) as error:
        graph.infer_types()
    assert type(error.value.__cause__) is raised
    with pytest.raises(ir.GEError, match=words):
        ops.call.nat.leaves(X)


def test_a_loop_without_a_scan_output_says_so() -> None:
    graph = graph_of(tensor(dtype="i64"), tensor(3))
    count, x = graph.inputs
    scaled = add(graph, "nat.scale", x)
    node = graph.add_node(
        "onnx.Loop", [count, None, scaled], result_types=[tensor(3), ir.UnknownType()], name="loop"
    )
    body = node.add_subgraph("body")
    body.add_input("i", tensor(dtype="i64"))
    goes_on, value = body.add_input("c", tensor(dtype="bool")), body.add_input("v", tensor(3))
    body.outputs = [goes_on, add(body, "nat.scale", value), None]
    graph.outputs = list(node.results)
    for turns in (0, 2):
        with pytest.raises(
            ops.KernelError,
            match=r"node 'loop' \(onnx.Loop\).*: its body gives nothing for scan output 0",
        ):
            graph.run([turns, X])
