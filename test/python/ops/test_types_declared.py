"""Types that a file declares for inner values are checked against inference before passes rely on them."""

import pickle

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto as T
from onnx import helper, numpy_helper

import ge.onnx
from ge import ir
from ge.passes import PassManager, list_passes


def stale_model(*nodes: onnx.NodeProto, declared: list[int]) -> bytes:
    """Return a model with ``s = Add(k, k)`` of shape [1], a value_info that declares another shape, and users of it."""
    s = helper.make_node("Add", ["k", "k"], ["s"], name="s")
    graph = helper.make_graph(
        [s, *nodes],
        "g",
        [helper.make_tensor_value_info("x", T.INT64, ["n"])],
        [helper.make_tensor_value_info("y", T.INT64, None)],
        [numpy_helper.from_array(np.array([1], np.int64), "k")],
        value_info=[helper.make_tensor_value_info("s", T.INT64, declared)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


def run(model: bytes) -> np.ndarray:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {i.name: np.array([5, 6], np.int64) for i in session.get_inputs()}
    return np.asarray(session.run(None, feeds)[0])


CASES = {
    "concat": [
        helper.make_node("Concat", ["s", "s"], ["c"], axis=0),
        helper.make_node("Add", ["c", "x"], ["y"]),
    ],
    "shape": [
        helper.make_node("Shape", ["s"], ["d"]),
        helper.make_node("Add", ["d", "x"], ["y"]),
    ],
    "chain": [
        helper.make_node("Neg", ["s"], ["t"]),
        helper.make_node("Size", ["t"], ["d"]),
        helper.make_node("Add", ["d", "x"], ["y"]),
    ],
}


@pytest.mark.parametrize("declared", [[2, 3], [2], [1, 1]], ids=str)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    "pipeline", ["optimize", "infer-types,constant-fold", "infer-types,optimize{exactness=exact}"]
)
def test_results_are_those_of_the_operators(name: str, declared: list[int], pipeline: str) -> None:
    data = stale_model(*CASES[name], declared=declared)
    module = ge.onnx.load(data)
    result = PassManager.parse(pipeline).run(module)
    np.testing.assert_array_equal(run(ge.onnx.to_bytes(module)), run(data))
    remarks = [str(remark) for one in result.passes for remark in one.remarks]
    assert any(
        "is declared as" in remark and "but inferred as i64[1]" in remark for remark in remarks
    ), remarks


def test_folding_alone_leaves_the_node_and_says_so() -> None:
    module = ge.onnx.load(stale_model(*CASES["concat"], declared=[2, 3]))
    result = PassManager.parse("constant-fold").run(module)
    graph = module.graphs[0]
    assert [node.op for node in graph.nodes if node.name == "s"] == ["onnx.Add"]
    (remark,) = [str(r) for one in result.passes for r in one.remarks]
    assert (
        "result 0 of node 's' (onnx.Add) is declared as i64[2, 3], but inferred as i64[1]" in remark
    )
    assert "the node stays" in remark


def test_outputs_and_element_types_stay_as_declared() -> None:
    g = ir.Graph("g")
    x = g.add_input("x", ir.TensorType((2, 3), ir.f32))
    inner = g.add_node(
        "onnx.Relu", [x], name="r", result_types=ir.TensorType((2, 3), ir.f64)
    ).result
    out = g.add_node("onnx.Abs", [x], name="a", result_types=ir.TensorType((7,), ir.f32)).result
    g.outputs = [inner, out]
    PassManager.parse("infer-types").run(g)
    assert (inner.type, out.type) == (ir.TensorType((2, 3), ir.f64), ir.TensorType((7,), ir.f32))


# --- Passes that run alone


def moving_model(operator: onnx.NodeProto, shape: list[int]) -> bytes:
    """Return a model with ``t = Neg(x)``, declared as [2, 3], and a node that would be a no-op if that were true."""
    neg = helper.make_node("Neg", ["x"], ["t"], name="neg")
    last = helper.make_node("Abs", ["r"], ["y"], name="abs")
    graph = helper.make_graph(
        [neg, operator, last],
        "g",
        [helper.make_tensor_value_info("x", T.FLOAT, shape)],
        [helper.make_tensor_value_info("y", T.FLOAT, [2, 3])],
        [numpy_helper.from_array(np.array([2, 3], np.int64), "to")],
        value_info=[helper.make_tensor_value_info("t", T.FLOAT, [2, 3])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


BUILT_IN = [one["name"] for one in list_passes() if not one["origin"]]
MOVING = {
    "reshape": moving_model(helper.make_node("Reshape", ["t", "to"], ["r"], name="r"), [3, 2]),
    "expand": moving_model(helper.make_node("Expand", ["t", "to"], ["r"], name="r"), [3]),
}


@pytest.mark.parametrize("name", MOVING)
def test_no_pass_believes_a_declared_shape_that_inference_contradicts(name: str) -> None:
    data = MOVING[name]
    shape = [3, 2] if name == "reshape" else [3]
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL

    def results(model: bytes) -> np.ndarray:
        session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
        return np.asarray(session.run(None, {"x": x})[0])

    remarks = []
    for one in BUILT_IN:
        module = ge.onnx.load(data)
        result = PassManager.parse(one).run(module)
        np.testing.assert_array_equal(results(ge.onnx.to_bytes(module)), results(data), err_msg=one)
        remarks += [str(r) for each in result.passes for r in each.remarks]
    assert any("result 0 of node 'neg'" in r and "the node stays" in r for r in remarks), remarks


def test_a_pass_that_runs_alone_believes_what_inference_confirms() -> None:
    module = ge.onnx.load(MOVING["expand"])
    graph = module.graphs[0]
    graph.inputs[0].type = ir.TensorType((2, 3), ir.f32)
    PassManager.parse("simplify-shapes").run(module)
    assert [node.type for node in graph.nodes if node.type != "Const"] == ["Neg", "Abs"]


# --- Where a type comes from


def test_types_say_whether_they_were_declared_or_inferred() -> None:
    g = ir.Graph("g")
    f23 = ir.TensorType((2, 3), ir.f32)
    x = g.add_input("x", f23)
    declared = g.add_node("onnx.Abs", [x], name="a", result_types=[f23]).result
    open_ = g.add_node("onnx.Neg", [declared], name="n").result
    foreign = g.add_node("acme.Op", [open_], name="o", result_types=[f23]).result
    g.outputs = [foreign]
    assert not (declared.is_type_inferred or foreign.is_type_inferred)
    g.infer_types()
    assert declared.is_type_inferred and open_.is_type_inferred
    assert not foreign.is_type_inferred and not x.is_type_inferred  # no inference for them
    for copy in (g.clone(), pickle.loads(pickle.dumps(g))):
        assert copy.find("a").result.is_type_inferred and copy.find("n").result.is_type_inferred
        assert not copy.find("o").result.is_type_inferred
    with g.transaction() as edits:
        open_.type = f23
        assert not open_.is_type_inferred
        edits.rollback()
    assert open_.is_type_inferred
    # A type that was inferred from an operand type that then changed counts as declared.
    x.type = ir.TensorType((2, 4), ir.f32)
    assert not declared.is_type_inferred and open_.is_type_inferred
    g.infer_types()
    assert not declared.is_type_inferred and declared.type == f23


def test_pickled_modules_keep_where_types_come_from() -> None:
    module = ge.onnx.load(stale_model(*CASES["concat"], declared=[1]))
    module.graphs[0].infer_types()
    copy = pickle.loads(pickle.dumps(module))
    before, after = (
        [(r.name, r.is_type_inferred) for n in m.graphs[0].walk() for r in n.results]
        for m in (module, copy)
    )
    assert before == after and any(flag for _, flag in after)


# --- Contradictions that a pass leaves


def test_a_pass_that_leaves_a_contradiction_fails_under_any_manager() -> None:
    g = ir.Graph("g")
    f4, i4 = ir.TensorType((4,), ir.f32), ir.TensorType((4,), ir.i64)
    x = g.add_input("x", f4)
    g.outputs = [g.add_node("onnx.Exp", [x], name="e", result_types=[f4]).result]
    before = g.to_text()

    def other_type(graph: ir.Graph, context: object) -> None:
        exp = graph.find("e")
        cast = graph.add_node(
            "onnx.Cast", [x], {"to": 7}, result_types=[i4], ip=ir.InsertionPoint.before(exp)
        )
        exp.operands[0] = cast.result

    manager = PassManager().add(other_type)
    with pytest.raises(ir.PassError, match="leaves types that contradict each other") as error:
        manager.run(g)
    assert "'e' (onnx.Exp)" in str(error.value) and g.to_text() == before
    manager.enable_verifier(types=False)
    assert manager.run(g).changed


def test_a_pass_is_not_blamed_for_a_contradiction_that_was_there() -> None:
    g = ir.Graph("g")
    x = g.add_input("x", ir.TensorType((2, 3), ir.f32))
    wrong = g.add_node("onnx.Abs", [x], name="a", result_types=[ir.TensorType((7,), ir.f32)])
    g.outputs = [wrong.result]

    def touch(graph: ir.Graph, context: object) -> None:
        before = ir.InsertionPoint.before(graph.find("a"))
        twice = graph.add_node("onnx.Neg", [x], name="n", result_types=[x.type], ip=before)
        graph.find("a").operands[0] = twice.result
        graph.find("a").attributes["mark"] = 1

    assert PassManager().add(touch).run(g).changed
