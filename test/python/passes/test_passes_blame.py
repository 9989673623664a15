"""Duplicate names that ONNX allows are accepted, and a pass is not blamed for errors that existed before it.

Values of sibling bodies, and nodes anywhere, may have equal names: merged decoders have thousands of them. Written
models pass onnx.checker, load in onnxruntime and compute the same.
"""

import pickle
from typing import Any

import numpy as np
import pytest

import ge.ir as ir
import ge.onnx as ge_onnx
from ge.passes import PassManager

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402


def info(name: str, shape: Any = (2,), dtype: int = TensorProto.FLOAT) -> Any:
    return helper.make_tensor_value_info(name, dtype, shape)


def node(op: str, operands: str, results: str, name: str = "", **attributes: Any) -> Any:
    return helper.make_node(op, operands.split(), results.split(), name=name, **attributes)


def model_of(graph: Any) -> Any:
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def if_model() -> Any:
    """Return an If whose branches use the same names for values, nodes, weights and outputs."""

    def body(scale: float) -> Any:
        weights = [numpy_helper.from_array(np.float32([scale, 2]), "w")]
        nodes = [
            node("Mul", "x w", "h", "mul"),
            node("Relu", "h", "r", "relu"),
            node("Neg", "r", "out", "neg"),
        ]
        infos = [info("h"), info("r")]
        return helper.make_graph(nodes, "body", [], [info("out")], weights, value_info=infos)

    choose = node("If", "c", "y", "choose", then_branch=body(1), else_branch=body(-1))
    return model_of(
        helper.make_graph([choose], "g", [info("x"), info("c", (), TensorProto.BOOL)], [info("y")])
    )


def merged_decoder(layers: int = 3) -> Any:
    """Return a decoder merged as optimum does it: with and without past, with equal names per layer in both bodies."""

    def decoder(with_past: bool) -> Any:
        nodes, weights, outputs, h = [], [], [], "embedded"
        nodes.append(node("Mul", "x embed.weight", h, "/embed/Mul"))
        for i in range(layers):
            weight = np.full((2, 2), (i + 1) * (0.5 if with_past else 0.25), np.float32)
            weights.append(numpy_helper.from_array(weight, f"layer.{i}.weight"))
            nodes.append(
                node("MatMul", f"{h} layer.{i}.weight", f"/layer.{i}/q", f"/layer.{i}/MatMul")
            )
            key = f"/layer.{i}/q"
            if with_past:
                nodes.append(node("Add", f"{key} past.{i}", f"/layer.{i}/sum", f"/layer.{i}/Add"))
                key = f"/layer.{i}/sum"
            nodes.append(node("Identity", key, f"present.{i}", f"/layer.{i}/Identity"))
            nodes.append(node("Relu", key, f"/layer.{i}/Relu_output_0", f"/layer.{i}/Relu"))
            h = f"/layer.{i}/Relu_output_0"
            outputs.append(info(f"present.{i}", ("N", 2)))
        nodes.append(node("Softmax", h, "logits", "/Softmax", axis=-1))
        infos = [info(f"/layer.{i}/Relu_output_0", ("N", 2)) for i in range(layers)]
        return helper.make_graph(
            nodes, "decoder", [], [info("logits", ("N", 2)), *outputs], weights, value_info=infos
        )

    results = ["logits", *[f"present.{i}" for i in range(layers)]]
    choose = helper.make_node(
        "If",
        ["use_cache"],
        results,
        name="optimum::if",
        then_branch=decoder(True),
        else_branch=decoder(False),
    )
    past = [info(f"past.{i}", ("N", 2)) for i in range(layers)]
    inputs = [info("x", ("N", 2)), *past, info("use_cache", (), TensorProto.BOOL)]
    outputs = [info(name, ("N", 2)) for name in results]
    embed = [numpy_helper.from_array(np.float32([[1, 2]]), "embed.weight")]
    return model_of(helper.make_graph([choose], "g", inputs, outputs, embed))


def equal_node_names() -> Any:
    nodes = [node("Relu", "x", "a", "n"), node("Neg", "a", "b", "n"), node("Abs", "b", "y", "n_1")]
    return model_of(
        helper.make_graph(nodes, "g", [info("x")], [info("y")], value_info=[info("a"), info("b")])
    )


def node_named_as_weight() -> Any:
    weights = [numpy_helper.from_array(np.float32([1, 2]), "w")]
    nodes = [node("Add", "x w", "a", "w"), node("Mul", "a w", "y", "x")]
    return model_of(helper.make_graph(nodes, "g", [info("x")], [info("y")], weights))


MODELS = [if_model, merged_decoder, node_named_as_weight]


def feeds(model: Any) -> list[dict[str, Any]]:
    """Return inputs for each branch."""
    found = []
    for flag in (True, False):
        values: dict[str, Any] = {}
        for i, given in enumerate(model.graph.input):
            shape = [d.dim_value or 2 for d in given.type.tensor_type.shape.dim]
            is_flag = given.type.tensor_type.elem_type == TensorProto.BOOL
            values[given.name] = (
                np.bool_(flag)
                if is_flag
                else np.random.default_rng(i).standard_normal(shape).astype(np.float32)
            )
            values[given.name] = np.asarray(values[given.name])
        found.append(values)
    return found


def results(model: Any) -> list[Any]:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, ["CPUExecutionProvider"]
    )
    return [out for each in feeds(model) for out in session.run(None, each)]


def names(graph: Any) -> Any:
    """Return all names of an ONNX graph and its bodies."""
    found = [
        [i.name for i in graph.input],
        [o.name for o in graph.output],
        [t.name for t in graph.initializer],
    ]
    found.append([v.name for v in graph.value_info])
    for each in graph.node:
        found.append((each.op_type, each.name, list(each.input), list(each.output)))
        found += [names(a.g) for a in each.attribute if a.HasField("g")]
    return found


@pytest.mark.parametrize(
    "pipeline", ["infer-types", "infer-types,constant-fold,cse,dce", "optimize", "sort,dce"]
)
@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_passes_run_and_what_they_leave_is_valid(make: Any, pipeline: str) -> None:
    model = make()
    module = ge_onnx.from_onnx(model)
    PassManager.parse(pipeline).run(module)
    again = ge_onnx.to_onnx(module)
    onnx.checker.check_model(again, full_check=True)
    for one, other in zip(results(model), results(again), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_equal_node_names_in_one_graph_stay() -> None:
    """onnx.checker accepts such a model; onnxruntime does not, so the test does not run it."""
    model = equal_node_names()
    onnx.checker.check_model(model, full_check=True)
    module = ge_onnx.from_onnx(model)
    module.verify()
    assert [n.name for n in module.graphs[0].nodes] == ["n", "n_1", "n_1_1"]
    assert [n.original_name for n in module.graphs[0].nodes] == ["n", "n", "n_1"]
    PassManager.parse("infer-types,optimize").run(module)
    again = ge_onnx.to_onnx(module)
    onnx.checker.check_model(again, full_check=True)
    assert [(n.op_type, n.name) for n in again.graph.node] == [
        (n.op_type, n.name) for n in model.graph.node
    ]
    # With unique names the model runs.
    module.graphs[0].nodes[1].name = "other"
    assert results(ge_onnx.to_onnx(module))


@pytest.mark.parametrize("make", [if_model, merged_decoder, node_named_as_weight])
def test_models_with_equal_names_are_read_verified_and_written_back(make: Any) -> None:
    model = make()
    module = ge_onnx.from_onnx(model)
    module.verify()
    assert names(ge_onnx.to_onnx(module).graph) == names(model.graph)
    for copy in (
        module.clone(),
        pickle.loads(pickle.dumps(module)),
        ir.Module.parse(module.to_text()),
    ):
        assert names(ge_onnx.to_onnx(copy).graph) == names(model.graph)


def test_a_body_that_gives_a_value_of_another_one_keeps_its_name() -> None:
    """A name that the IR had to make unique is written back at both places, without an Identity."""
    inner = helper.make_graph([], "inner", [], [info("r")])
    then = helper.make_graph([node("Abs", "x", "r")], "then", [], [info("r")])
    weights = [numpy_helper.from_array(np.float32([1, 2]), "r")]
    choose = node("If", "c", "q", then_branch=inner, else_branch=inner)
    orelse = helper.make_graph([choose], "else", [], [info("q")], weights)
    outer = node("If", "c", "y", "choose", then_branch=then, else_branch=orelse)
    inputs = [info("x"), info("c", (), TensorProto.BOOL)]
    model = model_of(helper.make_graph([outer], "g", inputs, [info("y")]))
    module = ge_onnx.from_onnx(model)
    assert [v.name for v in module.graphs[0].find("choose").subgraphs[1].nodes[0].results] == [
        "r_1"
    ]
    for each in (module, ir.Module.parse(module.to_text())):
        assert names(ge_onnx.to_onnx(each).graph) == names(model.graph)


def test_the_names_of_the_file_are_found() -> None:
    module = ge_onnx.from_onnx(if_model())
    graph = module.graphs[0]
    first, second = graph.find_all_named("relu")
    assert graph.find("relu") is first and graph.find("relu_1") is second
    assert (second.original_name, second.result.original_name) == ("relu", "r")
    assert second.result.name == "r_1"
    second.name = "mine"
    assert second.original_name == "mine" and graph.find_all_named("relu") == [first]
    assert second.result.original_name == "r"
    assert graph.add_node("onnx.Abs", [graph.inputs[0]]).original_name is None


def test_a_name_that_is_renamed_is_written_renamed() -> None:
    module = ge_onnx.from_onnx(if_model())
    relu = module.graphs[0].find("relu_1")
    relu.name, relu.result.name = "other", "value"
    body = ge_onnx.to_onnx(module).graph.node[0].attribute[1].g
    assert ("other", ["value"]) in [(n.name, list(n.output)) for n in body.node]
    assert results(ge_onnx.to_onnx(module))


def test_a_name_that_would_hide_a_used_value_is_not_restored() -> None:
    """The inner value's name in the file is now the name of an outer value that the body uses."""
    module = ge_onnx.from_onnx(if_model())
    graph = module.graphs[0]
    x = graph.inputs[0]
    front = ir.InsertionPoint.before(graph.nodes[0])
    outer = graph.add_node("onnx.Abs", [x], name="outer", result_types=[x.type], ip=front)
    then = graph.find("relu_1")
    graph.find("relu").result.name = "elsewhere"
    outer.result.name = "r"
    then.operands[0] = outer.result
    again = ge_onnx.to_onnx(module)
    onnx.checker.check_model(again, full_check=True)
    assert results(again)


@pytest.mark.parametrize("make", [if_model, merged_decoder], ids=lambda make: make.__name__)
def test_what_passes_leave_alone_keeps_the_names_of_the_file(make: Any) -> None:
    model = make()
    module = ge_onnx.from_onnx(model)
    PassManager.parse("infer-types").run(module)
    again = ge_onnx.to_onnx(module)
    for body in (0, 1):
        old, new = (m.graph.node[0].attribute[body].g for m in (model, again))
        assert [(n.name, list(n.input), list(n.output)) for n in old.node] == [
            (n.name, list(n.input), list(n.output)) for n in new.node
        ]


# --- Verification after a pass


def broken() -> ir.Graph:
    """Return a graph that is invalid before any pass runs: an operand's node is detached."""
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType((2,), ir.f32))
    gone = graph.add_node("onnx.Abs", [x], name="gone")
    user = graph.add_node("onnx.Neg", [gone.result], name="user", result_types=[x.type])
    graph.outputs = [graph.add_node("onnx.Relu", [x], name="fine").result, user.result]
    gone.detach()
    with pytest.raises(ir.VerifyError, match="detached"):
        graph.verify()
    return graph


def test_a_pass_is_not_blamed_for_what_was_wrong_before() -> None:
    graph = broken()

    def mark(g: Any, context: Any) -> None:
        g.find("fine").attributes["k"] = 1

    manager = PassManager()
    manager.add("infer-types")
    manager.add(mark)
    assert manager.run(graph).changed and graph.find("fine").attributes["k"] == 1


def test_a_pass_is_blamed_for_what_it_breaks_beside_that() -> None:
    graph = broken()

    def detach(g: Any, context: Any) -> None:
        fine = g.find("fine")
        fine.detach()

    manager = PassManager()
    manager.add(detach)
    with pytest.raises(ir.PassError, match="left an invalid graph") as caught:
        manager.run(graph)
    assert "fine" in str(caught.value) and "gone" not in str(caught.value)
    assert graph.find("fine") in graph.nodes
