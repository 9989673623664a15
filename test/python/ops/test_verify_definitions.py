"""`verify` checks nodes against the operators of the model's opsets, and constants against their types."""

import time

import numpy as np
import pytest

import ge.ir as ir
from ge.passes import FusionBasePass, PassManager

X = ir.TensorType((2, 3), ir.f32)


def module_of(opset: int, op: str = "Gelu") -> ir.Module:
    """Return a module with one node of that operator, which imports that opset."""
    module = ir.Module("m")
    module.attributes["onnx.opset_imports"] = {"onnx": opset}
    graph = module.add_graph("main")
    x = graph.add_input("x", X)
    graph.outputs = [graph.add_node(f"onnx.{op}", [x], result_types=[X], name="g").result]
    return module


def test_an_operator_newer_than_the_opset_is_an_error() -> None:
    module = module_of(17)
    says = (
        r"node 'g' \(onnx.Gelu\): the operator came with opset 20 of 'onnx', the model imports 17; "
        "import opset 20, or use operators that 17 has"
    )
    for wrong in (module, module.graphs["main"]):
        with pytest.raises(ir.VerifyError, match=says):
            wrong.verify()
    with pytest.raises(ir.PassError, match=says):
        PassManager.parse("verify").run(module)
    assert module.verify(definitions=False)
    assert module_of(20).verify()
    assert module.graphs["main"].verify(opset=20)


def test_operators_that_no_opset_has_stay_unknown() -> None:
    assert module_of(17, "Unheard").verify()


def test_a_function_of_the_model_may_have_the_name_of_a_newer_operator() -> None:
    module = module_of(17)
    function = module.add_graph("gelu")
    function.attributes["onnx.function"] = {"domain": "", "name": "Gelu"}
    x = function.add_input("x", X)
    function.outputs = [function.add_node("onnx.Abs", [x], result_types=[X]).result]
    assert module.verify()


def test_a_module_checks_the_operators_of_all_its_graphs() -> None:
    module = module_of(17, "Relu")
    other = module.add_graph("other")
    x = other.add_input("x", X)
    other.outputs = [other.add_node("onnx.Relu", [x, x], {"zz": 3}, result_types=[X]).result]
    with pytest.raises(ir.VerifyError) as raised:
        module.verify()
    first, second = (d.message for d in raised.value.diagnostics)
    assert "has 2 operands, at most 1 are allowed" in first
    assert "the operator has no attribute 'zz'" in second
    assert module.verify(definitions=False)


def test_attributes_that_a_function_takes_from_its_call_fit() -> None:
    module = module_of(17, "Relu")
    function = module.add_graph("f")
    function.attributes["onnx.function"] = {"domain": "acme", "name": "F"}
    x = function.add_input("x", X)
    alpha = {"alpha": {"ref_attr_name": "a", "type": "FLOAT"}}
    function.outputs = [function.add_node("onnx.LeakyRelu", [x], alpha, result_types=[X]).result]
    assert module.verify()


def constant() -> ir.Graph:
    graph = ir.Graph("g")
    x = graph.add_input("x", X)
    value = np.zeros((2, 3), "f4")
    w = graph.add_node("ge.Const", attributes={"value": value}, result_types=[X], name="w").result
    graph.outputs = [graph.add_node("onnx.Add", [x, w], result_types=[X], name="y").result]
    return graph


@pytest.mark.parametrize("value", [np.zeros(5, "f4"), np.zeros((2, 3), "i8")])
def test_the_value_of_a_constant_is_of_the_type_of_its_result(value: np.ndarray) -> None:
    graph = constant()
    assert graph.verify()
    graph.find("w").attributes["value"] = value
    with pytest.raises(ir.VerifyError, match=r"node 'w' \(ge.Const\): the value is .*, the result"):
        graph.verify()


def test_a_symbol_in_the_type_of_a_constant_is_no_contradiction() -> None:
    graph = constant()
    graph.find("w").result.type = ir.TensorType(("N", None), ir.f32)
    assert graph.verify()


@pytest.mark.parametrize(
    "edit",
    [
        lambda w: w.attributes.__setitem__("value", np.zeros(5, "f4")),
        lambda w: setattr(w.result, "type", ir.TensorType((5,), ir.f32)),
    ],
)
def test_a_pass_that_breaks_a_constant_is_undone(edit) -> None:
    graph = constant()
    before = str(graph)

    def breaks(graph: ir.Graph) -> None:
        edit(graph.find("w"))

    with pytest.raises(ir.PassError, match=r"the value is f32\[.*\], the result f32\[.*\]"):
        PassManager().add(breaks).run(graph)
    assert str(graph) == before


def test_a_pass_is_not_blamed_for_a_constant_that_was_wrong() -> None:
    graph = constant()
    graph.find("w").attributes["value"] = np.zeros(5, "f4")

    def renames(graph: ir.Graph) -> None:
        graph.find("w").name = "v"

    PassManager().add(renames).run(graph)
    assert graph.find("v")


def test_layer_normalization_of_onnxruntime_is_in_every_opset() -> None:
    """The fusions of onnxruntime create it in models of older opsets."""
    assert module_of(11, "LayerNormalization").verify()


def test_an_element_type_is_accepted_for_its_number() -> None:
    """The ONNX writer converts it to the number."""
    graph = ir.Graph("g")
    x = graph.add_input("x", X)
    to = ir.TensorType((2, 3), ir.i64)
    graph.outputs = [graph.add_node("onnx.Cast", [x], {"to": ir.i64}, result_types=[to])]
    assert graph.verify()


@pytest.mark.parametrize(
    ("op", "absent", "says"),
    [
        ("onnx.Min", 1, "operand 1 is missing; those of 'data_0' are all required"),
        ("onnx.Concat", 0, "operand 0 is missing; those of 'inputs' are all required"),
        ("onnx.ml.FeatureVectorizer", 1, "operand 1 is missing; those of 'X' are all required"),
        ("onnx.Clip", 1, None),
        ("acme.Min", 1, None),
    ],
)
def test_no_operand_of_an_onnx_list_is_left_out(op: str, absent: int, says: str | None) -> None:
    """In ONNX, an empty name leaves out an optional operand; operands of a variadic list are not optional."""
    graph = ir.Graph("g")
    x = graph.add_input("x", X)
    operands = [x, x, x]
    operands[absent] = None
    attributes = {"axis": 0} if op == "onnx.Concat" else {}
    graph.outputs = [graph.add_node(op, operands, attributes, name="n", result_types=[X]).result]
    if says is None:
        assert graph.verify()
    else:
        with pytest.raises(ir.VerifyError, match=rf"node 'n' \({op}\): {says}"):
            graph.verify()


def test_results_of_an_onnx_list_may_be_left_out() -> None:
    module = ir.Module()
    graph = module.add_graph("g")
    x = graph.add_input("x", ir.TensorType((4,), ir.f32))
    node = graph.add_node("onnx.Split", [x], {"axis": 0}, result_types=[X, ir.NoneType()])
    graph.outputs = [node.results[0]]
    assert graph.verify()


@pytest.mark.parametrize("kind", ["functions", "unknown operators"])
def test_new_nodes_are_checked_in_time_linear_in_the_model(kind: str) -> None:
    """A new node of an unregistered operator is checked against the model's operators, which are collected once.

    With a search of the model for each node, 2000 nodes would take minutes.
    """
    count = 2000
    module = ir.Module()
    graph = module.add_graph("main")
    x = graph.add_input("x", X)
    graph.outputs = [x]
    for i in range(count):
        if kind == "functions":
            function = module.add_graph(f"f{i}")
            function.attributes["onnx.function"] = {"domain": "", "name": f"Own{i}"}
        else:
            graph.add_node(f"onnx.Own{i}", [x], result_types=[X])

    class Calls(FusionBasePass):
        def run(self, graph: ir.Graph, context: object) -> None:
            if graph.name == "main":
                for i in range(count):
                    graph.add_node(f"onnx.Own{i}", list(graph.inputs), result_types=[X])

    start = time.thread_time()
    PassManager().add(Calls).run(module)
    assert time.thread_time() - start < 20


def test_of_many_errors_some_are_listed_and_the_rest_is_counted() -> None:
    """A diagnostic takes far more memory than its node."""
    line = '  %v{0} = "onnx.Abs"(%x) {{wrong = 1 : i64}} : (tensor<2x3xf32>) -> tensor<4xf32>\n'
    body = "".join(line.format(i) for i in range(12_000))
    text = f"func.func @main(%x: tensor<2x3xf32>) {{\n{body}  return\n}}\n"
    module = ir.Module.parse(text)
    with pytest.raises(ir.VerifyError) as error:
        module.verify()
    assert len(error.value.diagnostics) == 10_001
    assert error.value.diagnostics[-1].message == "2000 more errors are not listed"
    graph = module.graphs["main"]
    found = graph.infer_types().diagnostics
    assert len(found) == 10_001
    assert found[-1].message == "2000 more nodes and types that are wrong are not listed"
    [done] = PassManager.parse("infer-types").run(graph).passes
    assert 10_000 <= len(done.remarks) <= 10_002
