"""Models that were built or edited are written with the names, order and outputs that docs/onnx.md documents."""

from typing import Any

import numpy as np
import pytest

import ge.ir as ir
import ge.onnx as ge_onnx

onnx = pytest.importorskip("onnx")

T = ir.TensorType((2,), ir.f32)


def written(graph: ir.Graph) -> Any:
    module = graph.module or ir.Module()
    if graph.module is None:
        module.add_graph(graph)
    model = ge_onnx.to_onnx(module)
    onnx.checker.check_model(model)
    assert ge_onnx.to_bytes(module) == model.SerializeToString()
    return model.graph


def lines(graph: Any) -> list[str]:
    return [f"{','.join(n.output)} = {n.op_type}({','.join(n.input)})" for n in graph.node]


def made() -> tuple[ir.Graph, ir.Value]:
    graph = ir.Graph("g")
    return graph, graph.add_input("x", T)


def relu(graph: ir.Graph, operand: Any, name: str | None = None) -> Any:
    return graph.add_node("onnx.Relu", [operand], name=name, result_types=[T]).result


def test_values_without_names_get_unique_ones() -> None:
    graph, x = made()
    a = relu(graph, x, "Relu")
    b = relu(graph, a)
    b.name = "Relu"
    c = relu(graph, b)
    graph.outputs = [relu(graph, c)]
    graph.output_names = ["y"]
    assert lines(written(graph)) == [
        "Relu_1 = Relu(x)",
        "Relu = Relu(Relu_1)",
        "Relu_2 = Relu(Relu)",
        "y = Relu(Relu_2)",
    ]


def test_an_output_gives_its_value_its_name() -> None:
    graph, x = made()
    a = relu(graph, x)
    a.name = "a"
    graph.outputs = [a]
    graph.output_names = ["y"]
    assert lines(written(graph)) == ["y = Relu(x)"]


def test_identity_where_the_value_is_not_free() -> None:
    """The value is an input, a constant, or already another output."""
    graph, x = made()
    w = graph.add_node("ge.Const", [], {"value": np.float32([1, 2])}, result_types=[T]).result
    w.name = "w"
    a = relu(graph, x)
    graph.outputs = [x, w, a, a]
    graph.output_names = ["p", "q", "r", "s"]
    proto = written(graph)
    assert lines(proto) == ["r = Relu(x)", "p = Identity(x)", "q = Identity(w)", "s = Identity(r)"]
    assert [o.name for o in proto.output] == ["p", "q", "r", "s"]
    assert [i.name for i in proto.initializer] == ["w"]


def test_another_value_of_an_outputs_name_is_renamed() -> None:
    graph, x = made()
    a = relu(graph, x)
    a.name = "y"
    graph.outputs = [relu(graph, a)]
    graph.output_names = ["y"]
    assert lines(written(graph)) == ["y_1 = Relu(x)", "y = Relu(y_1)"]


def test_an_output_with_the_name_of_another_input_is_refused() -> None:
    graph, x = made()
    graph.outputs = [relu(graph, x)]
    graph.output_names = ["x"]
    with pytest.raises(ir.ModelError, match="output 0 of graph 'g' and an input"):
        written(graph)


def test_nodes_are_written_in_topological_order() -> None:
    graph, x = made()
    a, b = relu(graph, x), relu(graph, x)
    b.node.operands[0] = a
    a.node.move_after(b.node)
    graph.outputs = [b]
    assert [n.split("(")[1] for n in lines(written(graph))] == ["x)", "Relu)"]
    a.node.operands[0] = b
    with pytest.raises(ir.VerifyError, match="cycle"):
        written(graph)


def test_values_moved_between_graphs_keep_apart() -> None:
    """If two sibling graphs use the same name, and both values move into one graph, one gets a new name."""
    text = """
        c = Cast<to = 9>(s)
        y = If(c) <then_branch = t () => (float[2] o) { o = Relu(x) },
                   else_branch = e () => (float[2] o) { o = Neg(x) }>
    """
    model = onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 17]> g (float[2] x, float s) => (float[2] y) {{ {text} }}'
    )
    module = ge_onnx.from_onnx(model)
    assert ge_onnx.to_onnx(module) == model
    graph = module.graphs[0]
    branch = next(n for n in graph.nodes if n.op == "onnx.If")
    bodies = [g.nodes[0] for g in branch.subgraphs]
    for body in bodies:
        branch.subgraphs[0].outputs = []
        branch.subgraphs[1].outputs = []
        body.move_before(branch)
    total = graph.add_node("onnx.Add", [b.result for b in bodies], result_types=[T])
    graph.outputs = [total.result]
    branch.erase(force=True)
    graph.output_names = ["y"]
    proto = ge_onnx.to_onnx(module).graph
    names = [o for n in proto.node for o in n.output]
    assert len(set(names)) == len(names)
    onnx.checker.check_model(ge_onnx.to_onnx(module))


def test_opsets_of_new_domains_are_added() -> None:
    graph, x = made()
    node = graph.add_node("com.acme.Foo", [x], result_types=[T])
    graph.outputs = [node.result]
    module = ir.Module()
    module.add_graph(graph)
    module.attributes["onnx.opset_imports"] = {"onnx": 17}
    imports = {o.domain: o.version for o in ge_onnx.to_onnx(module).opset_import}
    assert imports == {"": 17, "com.acme": 1}


def test_the_opset_that_a_graph_was_built_for_is_imported() -> None:
    graph, x = made()
    graph.outputs = [graph.add_node("onnx.Relu", [x], result_types=[T])]
    graph.attributes["opset"] = {"onnx": 17}
    module = ir.Module()
    module.add_graph(graph)
    assert [(o.domain, o.version) for o in ge_onnx.to_onnx(module).opset_import] == [("", 17)]


def test_python_values_as_attributes() -> None:
    graph, x = made()
    attributes = {"b": True, "d": ir.f16, "l": [1, 2], "t": np.int8([1]), "w": ir.F64Attr(0.5)}
    node = graph.add_node("onnx.Foo", [x], attributes, result_types=[T])
    graph.outputs = [node.result]
    module = ir.Module()
    module.add_graph(graph)
    proto = ge_onnx.to_onnx(module).graph.node[0]
    values = {a.name: onnx.helper.get_attribute_value(a) for a in proto.attribute}
    assert values["b"] == 1
    assert values["d"] == onnx.TensorProto.FLOAT16
    assert values["l"] == [1, 2]
    assert values["w"] == 0.5


def test_a_damaged_layout_is_an_error() -> None:
    graph, x = made()
    graph.outputs = [relu(graph, x)]
    graph.attributes["onnx.layout"] = b"\xff\xff"
    with pytest.raises(ir.ModelError, match="onnx.layout"):
        written(graph)


def test_small_splats_are_written_out() -> None:
    graph, x = made()
    splat = ir.Tensor.splat(3.0, ir.TensorType((100,), ir.f32))
    graph.add_node(
        "ge.Const", [], {"value": splat}, name="w", result_types=[splat.type]
    ).result.name = "w"
    small = ir.Tensor.splat(3, ir.TensorType((5,), ir.i4))
    graph.add_node("ge.Const", [], {"value": small}, result_types=[small.type]).result.name = "v"
    graph.outputs = [relu(graph, x)]
    proto = written(graph)
    assert (onnx.numpy_helper.to_array(proto.initializer[0]) == 3).all()
    assert (onnx.numpy_helper.to_array(proto.initializer[1]).astype(int) == 3).all()
