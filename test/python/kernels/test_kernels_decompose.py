"""Decompositions of operators: calls, graphs and passes use them if an operator has no kernel."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ge.es as es
import ge.ir as ir
import ge.ops as ops
import ge.passes as passes

pytest.importorskip("onnxruntime")

X = np.array([[-1.0, 0.5, 2.0]], "f4")


@pytest.fixture
def lib() -> Iterator[ops.Library]:
    with ops.Library("dec") as library:
        yield library


def clipped(library: ops.Library) -> None:
    library.define(
        "clipped(Tensor x, *, float low=0.0) -> Tensor",
        traits=["pure"],
        infer=lambda call: [call.operand_types[0]],
    )

    @library.decompose("clipped")
    def clipped(x: Any, *, low: float) -> Any:
        return es.onnx.Max([x, np.float32(low)])


def graph_of(op: str, shape: Any = ("N", 3), **attributes: Any) -> ir.Graph:
    graph = ir.Module("m").add_graph("main")
    graph.attributes["opset"] = 18
    x = graph.add_input("x", ir.TensorType(shape, ir.DType("f32")))
    made = graph.add_node(op, [x], attributes, name="made").result
    graph.infer_types()
    graph.outputs = [made]
    return graph


def test_a_call_runs_the_decomposition(lib: ops.Library) -> None:
    clipped(lib)
    assert ops.call.dec.clipped(X).tolist() == [[0, 0.5, 2]]
    assert ops.call.dec.clipped(X, low=1.0).tolist() == [[1, 1, 2]]
    out = np.empty_like(X)
    assert ops.call.dec.clipped(X, low=1.0, out=out) is out
    assert out.tolist() == [[1, 1, 2]]
    assert type(ops.call.dec.clipped(ir.Tensor(X))) is ir.Tensor


def test_a_graph_runs_the_decomposition_and_shows_its_values(lib: ops.Library) -> None:
    clipped(lib)
    seen: dict[str, Any] = {}
    graph = graph_of("dec.clipped", low=1.0)
    assert graph.run([X], trace=seen.__setitem__)[0].tolist() == [[1, 1, 2]]
    assert len(seen) > 2


def test_a_kernel_comes_before_the_decomposition(lib: ops.Library) -> None:
    clipped(lib)
    with ops.Library("dec", kind="IMPL") as kernels:
        kernels.impl("clipped", "cpu", lambda x, *, low: x.numpy() + 10)
        assert ops.call.dec.clipped(X).tolist() == [[9, 10.5, 12]]
        assert graph_of("dec.clipped").run([X])[0].tolist() == [[9, 10.5, 12]]
        graph = graph_of("dec.clipped")
        passes.PassManager().add(passes.DecomposeOperators).run(graph)
        assert [n.op for n in graph.nodes if not n.is_input] == ["dec.clipped"]
    assert ops.call.dec.clipped(X).tolist() == [[0, 0.5, 2]]


def test_a_decomposition_of_a_decomposition_inside_a_body(lib: ops.Library) -> None:
    clipped(lib)
    lib.define("twice(Tensor x) -> (Tensor, Tensor)")
    lib.decompose("twice", lambda x: (es.dec.clipped(x), es.dec.clipped(x, low=1.0)))
    graph = ir.Module("m").add_graph("main")
    graph.attributes["opset"] = 18
    f32 = ir.TensorType([1, 3], ir.DType("f32"))
    condition = graph.add_input("c", ir.TensorType([], ir.DType("bool")))
    x = graph.add_input("x", f32)
    made = graph.add_node("onnx.If", [condition], result_types=[f32])
    for slot, number in (("then_branch", 0), ("else_branch", 1)):
        body = made.add_subgraph(slot)
        body.name = slot
        both = body.add_node("dec.twice", [x], result_types=[f32, f32])
        body.outputs = [both.results[number]]
    graph.outputs = [made.result]
    wanted = {True: [[0, 0.5, 2]], False: [[1, 1, 2]]}
    for taken, values in wanted.items():
        assert graph.run({"c": np.array(taken), "x": X})[0].tolist() == values
    result = passes.PassManager().add(passes.DecomposeOperators).run(graph)
    assert result.changed
    assert not [n.op for n in graph.walk() if n.op.startswith("dec.")]
    for taken, values in wanted.items():
        assert graph.run({"c": np.array(taken), "x": X})[0].tolist() == values


def test_the_pass_keeps_names_and_counts(lib: ops.Library) -> None:
    clipped(lib)
    graph = graph_of("dec.clipped", low=0.25)
    manager = passes.PassManager().add(passes.DecomposeOperators)
    result = manager.run(graph)
    assert result.passes[0].statistics["decomposed"] == 1
    assert graph.outputs[0].type == ir.TensorType(["N", 3], ir.DType("f32"))
    assert graph.run([X])[0].tolist() == [[0.25, 0.5, 2]]
    assert not manager.run(graph).changed


def test_a_pass_may_leave_kernels_out_of_account(lib: ops.Library) -> None:
    clipped(lib)
    lib.impl("clipped", "cpu", lambda x, *, low: x.numpy())

    class All(passes.DecomposeOperators):
        backend = None

    graph = graph_of("dec.clipped")
    assert passes.PassManager().add(All).run(graph).changed
    assert [n.op for n in graph.nodes if n.op.startswith("dec.")] == []


def test_constants_are_folded_by_the_decomposition(lib: ops.Library) -> None:
    clipped(lib)
    f32 = ir.TensorType([1, 3], ir.DType("f32"))
    graph = ir.Graph("main")
    given = graph.add_input("x", f32)
    constant = graph.add_node("ge.Const", (), {"value": ir.Tensor(X)}, result_types=[f32])
    made = graph.add_node("dec.clipped", [constant], result_types=[f32])
    graph.outputs = [graph.add_node("onnx.Add", [given, made], result_types=[f32]).result]
    passes.PassManager.parse("constant-fold,dce").run(graph)
    assert not [n.op for n in graph.nodes if n.op == "dec.clipped"]
    assert graph.run([X])[0].tolist() == [[-1, 1, 4]]


def test_operands_that_are_absent_equal_or_lists(lib: ops.Library) -> None:
    lib.define("mix(Tensor[] xs, Tensor? y=None, *, int k=2) -> Tensor")

    @lib.decompose("mix")
    def mix(xs: Any, y: Any, *, k: int) -> Any:
        total = es.onnx.Sum(xs)
        return total * k if y is None else total - y

    assert ops.call.dec.mix([X, X, X]).tolist() == (X * 6).tolist()
    assert ops.call.dec.mix([X, X], X).tolist() == X.tolist()
    graph = ir.Module("m").add_graph("main")
    x = graph.add_input("x", ir.TensorType([1, 3], ir.DType("f32")))
    graph.outputs = [graph.add_node("dec.mix", [[x, x], x]).result]
    expected = graph.run([X])[0].tolist()
    passes.PassManager().add(passes.DecomposeOperators).run(graph)
    assert graph.run([X])[0].tolist() == expected


def test_an_operator_of_cann(lib: ops.Library) -> None:
    x = ir.TensorType([2], ir.DType("f32"))
    graph = ir.Module("m").add_graph("main")
    op = next(
        n.partition("::")[2]
        for n in ops.list_ops("math")
        if str(ops.get(n)).endswith("(Tensor x) -> Tensor y") and _has_no_reference(n)
    )
    graph.outputs = [graph.add_node(f"ge.{op}", [graph.add_input("x", x)], result_types=[x]).result]
    with pytest.raises(ops.KernelError, match="has no kernel"):
        graph.run([np.ones(2, "f4")])
    with ops.Library("ge", kind="IMPL") as library:
        library.decompose(op, lambda x: es.math.Muls(x, value=3.0))
        assert graph.run([np.ones(2, "f4")])[0].tolist() == [3, 3]


def _has_no_reference(name: str) -> bool:
    return ops.kernel(name, "reference") is None


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x, *, low: 1 / 0, "raised ZeroDivisionError: division by zero"),
        (lambda x, *, low: (x, x), "gave 2 results, the schema has 1"),
        (lambda x, *, low: 3.0, "gave float for result 0, which must be a value of the graph"),
        (lambda x, *, low: es.onnx.Transpose(es.onnx.Concat([x, x], axis=0)), "inference says"),
        (lambda x, *, low: es.onnx.Cast(x, to=ir.DType("f64")), "inference says"),
    ],
)
def test_a_decomposition_that_fails(lib: ops.Library, function: Any, words: str) -> None:
    lib.define(
        "clipped(Tensor x, *, float low=0.0) -> Tensor", infer=lambda c: [c.operand_types[0]]
    )
    lib.decompose("clipped", function)
    place = re.escape(f"dec::clipped: decompose ({__file__}:")
    with pytest.raises(ops.KernelError, match=f"{place}.*{words}"):
        ops.call.dec.clipped(X)
    with pytest.raises(ops.KernelError, match=words):
        graph_of("dec.clipped").run([X])
    graph = graph_of("dec.clipped", (1, 3))
    with pytest.raises(ir.PassError, match=words):
        passes.PassManager().add(passes.DecomposeOperators).run(graph)
    assert [n.op for n in graph.nodes if not n.is_input] == ["dec.clipped"]


def test_one_that_leads_to_itself_ends(lib: ops.Library, monkeypatch: pytest.MonkeyPatch) -> None:
    lib.define("loop(Tensor x) -> Tensor")
    lib.decompose("loop", lambda x: es.dec.loop(x))
    graph = graph_of("dec.loop")
    with pytest.raises(ir.PassError, match=r"100 deep, which is the limit; still there: dec\.loop"):
        passes.PassManager().add(passes.DecomposeOperators).run(graph)
    monkeypatch.setattr("ge.run._interpreter._DEEPEST", 50)  # the default, 10,000, is slow to reach
    with pytest.raises(ir.GEError, match=r"50 deep, which is the limit: .*dec::loop -> dec::loop"):
        graph.run([X])


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ("f(Tensor(a!) x) -> Tensor(a!)", "dec::f writes operand 'x'; it cannot be decomposed"),
        ("f(Tensor x) -> int", "dec::f has results that are no tensors; it cannot be decomposed"),
        ("f(Tensor x, Graph body) -> Tensor", "dec::f has the subgraph 'body'"),
        ("f(Tensor x, Tensor y) -> Tensor", r"decompose .*:\d+ takes \(x\), the schema has"),
    ],
)
def test_what_cannot_be_decomposed_is_refused(lib: ops.Library, schema: str, words: str) -> None:
    lib.define(schema)
    with pytest.raises(ops.OpSchemaError, match=words):
        lib.decompose("f", lambda x: x)


def test_a_second_one_and_no_function_are_refused(lib: ops.Library) -> None:
    clipped(lib)
    with pytest.raises(ops.OpSchemaError, match="has a function for decompose already"):
        clipped_again = lib.decompose("clipped")
        clipped_again(lambda x, *, low: x)
    with pytest.raises(TypeError, match="decompose must be a callable, not int"):
        lib.decompose("clipped", 3)
    lib.close()
    with pytest.raises(ops.OpSchemaError, match="closed"):
        lib.decompose("clipped", lambda x, *, low: x)


def test_define_and_op_take_it(lib: ops.Library) -> None:
    lib.define("one(Tensor x) -> Tensor", decompose=lambda x: es.onnx.Neg(x))
    assert ops.call.dec.one(X).tolist() == (-X).tolist()

    @ops.op("dec::two", decompose=lambda x: es.onnx.Neg(x))
    def two(x: ir.Value) -> ir.Value:
        raise NotImplementedError

    assert ops.call.dec.two(X).tolist() == (-X).tolist()
    two.library.close()  # type: ignore[attr-defined]


def test_a_closed_library_takes_it_out(lib: ops.Library) -> None:
    lib.define("late(Tensor x) -> Tensor")
    with ops.Library("dec", kind="IMPL") as other:
        other.decompose("late", lambda x: es.onnx.Neg(x))
        assert ops.call.dec.late(X).tolist() == (-X).tolist()
        assert ops.decomposed_operators() == ["dec.late"]
    with pytest.raises(NotImplementedError, match="dec::late has no kernel"):
        ops.call.dec.late(X)
    assert ops.decomposed_operators() == []
