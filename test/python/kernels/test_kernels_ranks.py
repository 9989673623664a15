"""What computes an operator, in each way of a call: a kernel, a decomposition of a library, a reference kernel; in this order.

Not covered: the results of CANN's reference kernels (`test_run_cann_kernels.py`).
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from c_calls import graph_run, op_call
from foreign_arrays import Standard

import ge.es as es
import ge.ir as ir
import ge.ops as ops
import ge.passes as passes

X = np.array([-1, 2], np.float32)


def one_node(op: str) -> ir.Graph:
    graph = ir.Module("m").add_graph("main")
    graph.attributes["opset"] = 17
    f32 = ir.TensorType([2], ir.f32)
    node = graph.add_node(op, [graph.add_input("x", f32)], result_types=[f32])
    graph.outputs = [node.result]
    return graph


def by_call(op: str) -> Any:
    domain, _, name = op.partition(".")
    call = getattr(getattr(ops.call, domain), name)
    for _ in range(4):
        made = call(X)
    return made


def by_run(op: str) -> Any:
    graph = one_node(op)
    graph.run([X])
    return graph.run([X])[0]


def by_trace(op: str) -> Any:
    seen: dict[str, Any] = {}
    graph = one_node(op)
    graph.run([X], trace=seen.__setitem__)
    return seen[graph.outputs[0].name]


def by_op_call(op: str) -> Any:
    [node] = [n for n in one_node(op).nodes if not n.is_input and not n.is_output]
    return op_call(node, X, opset=17 if node.domain == "onnx" else 0)[0]


def by_graph_run(op: str) -> Any:
    return graph_run(one_node(op), X)[0]


def by_folding(op: str) -> Any:
    graph = one_node(op)
    [value], [result] = graph.inputs, graph.outputs
    value.replace_all_uses_with(graph.add_node("ge.Const", [], {"value": ir.Tensor(X)}).result)
    graph.outputs = [graph.add_node("acme.Keep", [result], result_types=[result.type]).result]
    passes.PassManager.parse("constant-fold").run(graph)
    made = ops.constant_tensor(graph.outputs[0].node.operands[0])
    assert made is not None, "it is not folded"
    return made.numpy()


WAYS: dict[str, Callable[[str], Any]] = {
    "call": by_call,
    "graph.run": by_run,
    "trace": by_trace,
    "geOpCall": by_op_call,
    "geGraphRun": by_graph_run,
    "folding": by_folding,
}


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Any]]:
    yield WAYS[request.param]


# What engines and GE itself compute, and what only the reference kernel computes.
@pytest.mark.parametrize("op", ["onnx.Relu", "nn.Relu", "nn.Softplus", "math.Lgamma", "math.Abs"])
def test_each_rank_comes_before_the_next(way: Callable[[str], Any], op: str) -> None:
    domain, _, name = op.partition(".")
    expected = way(op).tolist()
    with ops.Library(domain, kind="IMPL") as lib:
        lib.decompose(name, lambda x: es.math.Muls(x, value=3.0))
        assert way(op).tolist() == [-3, 6]
        with ops.Library("onnx" if domain == "onnx" else "ge", kind="IMPL") as more:
            more.impl(name, "any", lambda x: x * 0 + 5, as_="numpy")
            assert way(op).tolist() == [5, 5]
            more.impl(name, "cpu", lambda x: x * 0 + 7, as_="numpy")
            assert way(op).tolist() == [7, 7]
        assert way(op).tolist() == [-3, 6]
    assert way(op).tolist() == expected


def test_evaluators_of_users_come_before_reference_kernels(way: Callable[[str], Any]) -> None:
    if way in (by_op_call, by_graph_run, by_folding):
        op = "math.Erfinv"  # GE computes it natively nowhere
    else:
        op = "nn.Relu"
    if way is not by_folding:
        way(op)

    def nine(call: ops.OpCall) -> Any:
        return [np.full(2, 9, np.float32)] if call.op == op else None

    with ops.add_evaluator(nine):
        assert way(op).tolist() == [9, 9]


def test_a_reference_kernel_of_a_library(way: Callable[[str], Any]) -> None:
    with ops.Library("rank") as lib:
        lib.define("f(Tensor x) -> Tensor", traits=["pure"])
        lib.infer("f")(lambda call: [call.operand_types[0]])
        lib.impl("f", "reference", lambda x: x + 1, as_="numpy")
        assert way("rank.f").tolist() == [0, 3]
        with ops.Library("rank", kind="IMPL") as other:
            other.decompose("f", lambda x: es.math.Muls(x, value=3.0))
            assert way("rank.f").tolist() == [-3, 6]
            other.impl("f", "any", lambda x: x * 0 + 5, as_="numpy")
            assert way("rank.f").tolist() == [5, 5]
        assert way("rank.f").tolist() == [0, 3]


def test_a_reference_kernel_that_replaces_the_shipped_one() -> None:
    with ops.Library("ge", kind="IMPL") as lib:
        text = (
            r"nn::Relu for reference is implemented at .*, and was already at .*activation.py:\d+"
        )
        for name in ("Relu", "nn::Relu"):
            with ops.Library("nn", kind="IMPL") as nn, pytest.raises(ops.OpSchemaError, match=text):
                nn.impl(name, "reference", lambda x: x)
        lib.impl("Relu", "reference", lambda x: x * 0 + 4, override=True, as_="numpy")
        assert by_call("nn.Relu").tolist() == by_run("ge.Relu").tolist() == [4, 4]
    assert by_call("nn.Relu").tolist() == by_run("ge.Relu").tolist() == [0, 2]


def test_reference_is_a_rank_and_no_backend() -> None:
    assert "reference" not in ops.backends()
    graph = one_node("ge.Relu")
    for word in ("reference", "decomposition"):
        with pytest.raises(ValueError, match=f"'{word}' is a rank of kernels, no backend"):
            graph.run([X], backend=word)
        with pytest.raises(ValueError, match=f"'{word}' is a rank of kernels, no backend"):
            ops.invoke("nn::Relu", [X], backend=word)
    with ops.Library("ge", kind="IMPL") as lib:
        with pytest.raises(ValueError, match="register it with Library.decompose"):
            lib.impl("Relu", "decomposition", lambda x: x)
        with pytest.raises(ValueError, match="there is no backend 'gpu'.*the rank reference"):
            lib.impl("Relu", "gpu", lambda x: x)
    found = ops.kernel("nn::Relu", "reference")
    assert found is not None
    assert found.backend == "reference"
    assert found.file.endswith("activation.py")
    assert ops.kernel("nn::Relu") is None
    assert ops.kernels("nn::Relu") == ops.get("nn::Relu").proto().kernels == ()


def test_on_other_backends_there_is_no_reference() -> None:
    with pytest.raises(ops.KernelError, match=r"\(ge.Relu\) .* has no kernel for npu"):
        one_node("ge.Relu").run([X], backend="npu")
    with pytest.raises(ops.KernelError, match=r"\(nn.Relu\) .* has no kernel for npu"):
        ops.invoke("nn::Relu", [X], backend="npu")
    there = Standard(X, (12, 0))
    with ops.Library("nn", kind="IMPL") as lib:
        for _ in range(2):
            with pytest.raises(NotImplementedError, match="nn::Relu has no kernel for npu"):
                ops.call.nn.Relu(there)
            if not ops.decomposed_operators():
                lib.decompose("Relu", lambda x: es.math.Neg(x))


def test_operators_that_write_their_operand() -> None:
    variable = np.array([1, 2], np.float32)
    for _ in range(4):
        assert ops.call.math.AssignAdd(variable, X) is variable
    assert variable.tolist() == [-3, 10]
    rows = np.zeros((2, 2), np.float32)
    ops.call.nn.ScatterUpdate(rows, np.array([1]), np.array([[5, 6]], np.float32))
    assert rows.tolist() == [[0, 0], [5, 6]]
    with pytest.raises(ops.KernelError, match="in a graph the variable takes the new shape"):
        ops.call.math.Assign(variable, np.ones(3, np.float32), validate_shape=False)
    graph = ir.Module("m").add_graph("main")
    types = [ir.TensorType([2], ir.f32), ir.TensorType([3], ir.f32)]
    inputs = [graph.add_input(f"x{i}", t) for i, t in enumerate(types)]
    graph.outputs = [
        graph.add_node(
            "ge.Assign", inputs, {"validate_shape": False}, result_types=[types[1]]
        ).result
    ]
    before = variable.copy()
    assert graph.run([variable, np.ones(3, np.float32)])[0].tolist() == [1, 1, 1]
    assert variable.tolist() == before.tolist()


def test_numbers_of_element_types_in_graphs() -> None:
    graph = ir.Module("m").add_graph("main")
    shape = graph.add_input("shape", ir.TensorType([1], ir.i64))
    node = graph.add_node("ge.RandomUniform", [shape], {"dtype": 1, "seed": 3})
    graph.outputs = [node.result]
    assert graph.run([np.array([4])])[0].dtype == np.float16


def test_calls_run_natively_from_the_second_on() -> None:
    count = 0

    def counted(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"

    by_call("nn.Relu")
    call = ops.call.nn.Relu
    sys.setprofile(counted)
    try:
        call(X)
    finally:
        sys.setprofile(None)
    assert count <= 10


def test_kernels_are_imported_when_the_first_is_looked_up() -> None:
    program = """
import sys
import numpy as np
import ge.es, ge.ir, ge.ops as ops, ge.passes
lib = ops.Library("acme")
lib.define("f(Tensor x) -> Tensor")
lib.impl("f", "cpu", lambda x: x, as_="numpy")
ops.call.onnx, ops.call.nn
assert ops.kernel("nn::Relu") is None and ops.kernel("acme::f", "reference") is None
assert "ge.ops._cann_kernels" not in sys.modules
spaces = ops.namespaces()
assert ops.call.nn.Relu(np.ones(2, "f4")).tolist() == [1, 1]
assert "ge.ops._cann_kernels" in sys.modules
assert ops.namespaces() == spaces
"""
    subprocess.run([sys.executable, "-c", program], check=True)
