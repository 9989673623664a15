"""Functions come back as they were, with all that is in the bodies in them, and so do bodies in functions and functions in bodies."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ge.ir as ir
import ge.onnx as ge_onnx
import ge.ops as ops

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

F = TensorProto.FLOAT
OPSETS = [helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)]


def info(name: str, shape: Any = None, dtype: int = F) -> Any:
    return helper.make_tensor_value_info(name, dtype, shape)


def weight(name: str, *values: float) -> Any:
    return numpy_helper.from_array(np.float32(values), name)


def sparse(name: str) -> Any:
    values = numpy_helper.from_array(np.float32([5]), name)
    return helper.make_sparse_tensor(values, numpy_helper.from_array(np.int64([1]), ""), [2])


def body(name: str, inner: Any = None, kept: Any = ()) -> Any:
    """A graph that adds a weight of its own, and runs a further branch."""
    nodes = [helper.make_node("Add", ["v", f"w_{name}"], [f"a_{name}"])]
    if inner is None:
        nodes.append(helper.make_node("Neg", [f"a_{name}"], [name]))
    else:
        nodes.append(
            helper.make_node("If", ["c"], [f"i_{name}"], then_branch=inner, else_branch=inner)
        )
        nodes.append(helper.make_node("Mul", [f"i_{name}", f"a_{name}"], [name]))
    graph = helper.make_graph(nodes, name, [], [info(name)], [weight(f"w_{name}", 1, 2)])
    graph.sparse_initializer.extend(kept)
    return graph


def nested(kept: Any = ()) -> Any:
    """A function whose branches have branches, called by one whose branch calls it."""
    deep = helper.make_function(
        "acme", "deep", ["v", "c"], ["r"],
        [helper.make_node("If", ["c"], ["r"], then_branch=body("p", body("q", kept=kept)), else_branch=body("o"))],
        OPSETS,
    )  # fmt: skip
    call = helper.make_graph(
        [helper.make_node("deep", ["v", "c"], ["d"], domain="acme"), helper.make_node("Mul", ["d", "f"], ["e"])],
        "call", [], [info("e")], [weight("f", 3, 4)],
    )  # fmt: skip
    outer = helper.make_function(
        "acme", "outer", ["v", "c"], ["s"],
        [helper.make_node("If", ["c"], ["s"], then_branch=call, else_branch=body("n"))],
        OPSETS,
    )  # fmt: skip
    graph = helper.make_graph(
        [helper.make_node("outer", ["x", "k"], ["y"], domain="acme")], "g",
        [info("x", [2]), info("k", [], TensorProto.BOOL)], [info("y", [2])],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=OPSETS, ir_version=8, functions=[outer, deep])


def compute(data: Any, feeds: dict[str, Any]) -> Any:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(data, options).run(None, feeds)[0]


def test_weights_in_bodies_of_functions_come_back() -> None:
    proto = nested([sparse("z")])
    module = ge_onnx.from_onnx(proto)
    expected = proto.SerializeToString(deterministic=True)
    for each in (module, module.clone(), ir.Module.parse(module.to_text())):
        assert ge_onnx.to_onnx(each).SerializeToString(deterministic=True) == expected


@pytest.mark.parametrize("taken", [True, False])
@pytest.mark.parametrize("pipeline", ["optimize", "inline,optimize"])
def test_optimised_functions_compute_the_same(taken: bool, pipeline: str) -> None:
    proto = nested()
    feeds = {"x": np.float32([10, 20]), "k": np.array(taken)}
    want = compute(proto.SerializeToString(), feeds)
    module = ge_onnx.from_onnx(proto)
    assert np.array_equal(ops.run(module, feeds)[0], want)
    ge_onnx.optimize(module, passes=pipeline)
    assert np.array_equal(compute(ge_onnx.to_bytes(module), feeds), want)


def test_external_weights_of_bodies_in_functions(tmp_path: Path) -> None:
    """They stay in their file, go to a new one, or into the model, as those of graphs do."""
    proto = nested()
    module = ge_onnx.from_onnx(proto)
    first, second, third = (tmp_path / f"{n}.onnx" for n in "abc")
    ge_onnx.save(module, first, external_data=True, external_data_threshold=0, verify=True)
    branch = onnx.load(first, load_external_data=False).functions[0].node[0].attribute[0].g
    assert branch.initializer[0].data_location == TensorProto.EXTERNAL
    ge_onnx.save(ge_onnx.load(first), second, verify=True)
    ge_onnx.save(ge_onnx.load(first), third, external_data=False, verify=True)
    feeds = {"x": np.float32([10, 20]), "k": np.array(True)}
    want = compute(proto.SerializeToString(), feeds)
    for path in (first, second, third):
        assert np.array_equal(compute(str(path), feeds), want)


def test_a_model_that_cannot_be_read_again_replaces_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(b"old")
    module = ir.Module("m")
    graph = module.add_graph("main")
    x = graph.add_input("x", ir.TensorType([2], ir.f32))
    # An operator of our own that is no initializer has no place in a file.
    node = graph.add_node("ge.NetOutput2", [x], result_types=[x.type])
    node2 = graph.add_node("onnx.Relu", [node.result], result_types=[x.type])
    graph.outputs = [node2.result]
    graph.attributes["onnx.extra"] = b"\x0a\xff"  # a field that is longer than its message
    with pytest.raises(ir.ModelError, match="read again"):
        ge_onnx.save(module, path, verify=True)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["m.onnx"]


def test_overloads_run() -> None:
    """One plain function and two overloads of it, one of which is called in a branch."""

    def function(overload: str, operator: str) -> Any:
        node = helper.make_node(operator, ["v"], ["r"])
        return helper.make_function("acme", "f", ["v"], ["r"], [node], OPSETS, overload=overload)

    def call(given: str, result: str, overload: str) -> Any:
        return helper.make_node("f", [given], [result], domain="acme", overload=overload)

    branch = helper.make_graph([call("b", "z", "e")], "branch", [], [info("z")])
    nodes = [
        call("x", "a", ""),
        call("a", "b", "n"),
        helper.make_node("If", ["k"], ["y"], then_branch=branch, else_branch=branch),
    ]
    graph = helper.make_graph(
        nodes, "g", [info("x", [2])], [info("y")], [numpy_helper.from_array(np.array(True), "k")]
    )
    functions = [function("n", "Neg"), function("", "Abs"), function("e", "Exp")]
    proto = helper.make_model(graph, opset_imports=OPSETS, ir_version=10, functions=functions)
    x = np.float32([1, -2])
    module = ge_onnx.from_onnx(proto)
    seen: list[str] = []
    assert np.allclose(ops.run(module, {"x": x})[0], np.exp(-np.abs(x)))
    assert np.allclose(
        ops.run(module, {"x": x}, trace=lambda name, _: seen.append(name))[0], np.exp(-np.abs(x))
    )
    assert seen.count("r") == 3 and seen[-1] == "y"  # node by node, in functions too
