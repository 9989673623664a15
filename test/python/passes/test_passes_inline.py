"""`inline` keeps the results of calls, compared under onnxruntime; recursive functions are refused."""

import numpy as np
import pytest

import ge.ir as ir
import ge.onnx as ge_onnx
from ge.passes import PassManager

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper  # noqa: E402
from onnx.parser import parse_model  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented

HEAD = '<ir_version: 10, opset_import: ["" : 18, "local" : 1]>'

CALLS = f"""
{HEAD}
agraph (float[2,3] x, bool c) => (float[2,3] y, float[2,3] z)
{{
  a = local.Scaled <factor = 2.0> (x)
  b = local.Scaled (a)
  y = If (c) <
    then_branch = yes () => (float[2,3] t) {{ t = local.Twice(b) }},
    else_branch = no () => (float[2,3] e) {{ d = local.Scaled <factor = -1.0> (a)  e = Add(d, b) }}
  >
  z = local.Biased(y, , b)
}}
<domain: "local", opset_import: ["" : 18, "local" : 1]>
Twice (x) => (y) {{ h = local.Scaled <factor = 1.5> (x)  y = local.Scaled <factor = 1.5> (h) }}
<domain: "local", opset_import: ["" : 18]>
Scaled <factor: float = 3.0> (x) => (y)
{{ k = Constant <value_float: float = @factor> ()  one = Constant <value_float = 1.0> ()
   s = Add(k, one)  t = CastLike(s, x)  y = Mul(x, t) }}
<domain: "local", opset_import: ["" : 18]>
Biased (x, low, high) => (y) {{ m = ReduceMax <keepdims = 0> (high)  y = Clip(x, low, m) }}
"""


def outputs(proto: "onnx.ModelProto", flag: bool) -> list[np.ndarray]:
    x = np.arange(6, dtype=np.float32).reshape(2, 3) - 2
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    return session.run(None, {"x": x, "c": np.array(flag)})


def inlined(proto: "onnx.ModelProto") -> ir.Module:
    module = ge_onnx.from_onnx(proto)
    PassManager.parse("inline,verify").run(module)
    return module


@pytest.mark.parametrize("flag", [True, False])
def test_the_outputs_are_those_of_the_calls(flag: bool) -> None:
    proto = parse_model(CALLS)
    module = inlined(proto)
    made = ge_onnx.to_onnx(module)
    onnx.checker.check_model(made, full_check=True)
    assert not made.functions
    assert not [n for n in module.graphs[0].walk() if n.domain == "local"]
    for ours, theirs in zip(outputs(made, flag), outputs(proto, flag), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_results_keep_their_names_and_the_rest_says_whose_it_is() -> None:
    graph = inlined(parse_model(CALLS)).graphs[0]
    assert list(graph.output_names) == ["y", "z"]
    a = graph.find_value("a")
    assert a is not None and a.node.op == "onnx.Mul"
    assert [(o.op, o.pass_name) for o in a.node.origins] == [("local.Scaled", "inline")]
    inner = [n for n in graph.nodes if n.op == "onnx.CastLike"]
    assert all(o.pass_name == "inline" for n in inner for o in n.origins)
    names = [v.name for n in graph.walk() for v in n.results]
    assert len(names) == len(set(names))


def test_a_second_run_finds_nothing() -> None:
    module = inlined(parse_model(CALLS))
    assert not PassManager.parse("inline").run(module).changed


def function(name: str, *calls: str) -> "onnx.FunctionProto":
    names = ["x", *(f"v{i}" for i in range(len(calls)))]
    nodes = [
        helper.make_node(op, [names[i]], [names[i + 1]], domain="" if op == "Neg" else "local")
        for i, op in enumerate(calls)
    ]
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("local", 1)]
    return helper.make_function("local", name, ["x"], [names[-1]], nodes, imports)


def calling(*functions: "onnx.FunctionProto", op: str) -> "onnx.ModelProto":
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy"]
    graph = helper.make_graph(
        [helper.make_node(op, ["x"], ["y"], domain="local")], "g", infos[:1], infos[1:]
    )
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("local", 1)]
    return helper.make_model(graph, functions=functions, opset_imports=imports, ir_version=10)


def test_functions_that_double_each_time_stay_calls() -> None:
    doubling = [function(f"F{i}", f"F{i + 1}", f"F{i + 1}") for i in range(60)]
    proto = calling(*doubling, function("F60", "Neg"), op="F0")
    module = ge_onnx.from_onnx(proto)
    before = ge_onnx.to_bytes(module)
    [done] = PassManager.parse("inline{nodes=1000}").run(module).passes
    [remark] = done.remarks
    assert "and 1000 of 1000 are left; option 'nodes' raises the limit" in remark.message
    assert ge_onnx.to_bytes(module) == before


def repeating(nodes: int, outer: int, text: str) -> "onnx.ModelProto":
    """Return a model with a call whose attribute many nodes reference, through another function."""
    uses = [
        helper.make_node("Use", ["a" if i == 0 else f"t{i}"], [f"t{i + 1}"], domain="acme")
        for i in range(nodes)
    ]
    inner = helper.make_function(
        "local", "Inner", ["a"], [f"t{nodes}"], uses, [helper.make_opsetid("acme", 1)], ["l"]
    )
    calls = [
        helper.make_node("Inner", ["a" if i == 0 else f"t{i}"], [f"t{i + 1}"], domain="local")
        for i in range(outer)
    ]
    for node in (*inner.node, *calls):
        attribute = node.attribute.add(name="l", type=onnx.AttributeProto.STRING)
        attribute.ref_attr_name = "l"
    middle = helper.make_function(
        "local",
        "Outer",
        ["a"],
        [f"t{outer}"],
        calls,
        [helper.make_opsetid("", 18), helper.make_opsetid("local", 1)],
        ["l"],
    )
    model = calling(inner, middle, op="Outer")
    model.graph.node[0].attribute.append(helper.make_attribute("l", text))
    return model


def test_attributes_that_functions_repeat_are_charged() -> None:
    module = ge_onnx.from_onnx(repeating(100, 100, "x" * 1000))
    before = ge_onnx.to_bytes(module)
    [done] = PassManager.parse("inline{bytes=5000000}").run(module).passes
    [remark] = done.remarks
    assert "option 'bytes' raises the limit" in remark.message
    assert ge_onnx.to_bytes(module) == before
    PassManager.parse("inline").run(module)
    assert len(module.graphs[0].nodes) == 100 * 100
    assert 100 * 100 * 1000 < len(ge_onnx.to_bytes(module)) < 1 << 25


def test_functions_one_in_another_many_times() -> None:
    count = 3000
    chain = [function(f"F{i}", f"F{i + 1}") for i in range(count)]
    module = inlined(calling(*chain, function(f"F{count}", "Neg"), op="F0"))
    assert [n.op for n in module.graphs[0].nodes] == ["onnx.Neg"]
    assert len(module.graphs) == 1


def test_a_function_that_calls_itself_is_refused() -> None:
    module = ge_onnx.from_onnx(calling(function("F", "Neg", "F"), op="F"))
    with pytest.raises(ir.GEError, match=r"without end: 'local\.F' -> 'local\.F'"):
        PassManager.parse("inline").run(module)


def test_what_only_the_function_imports_is_imported() -> None:
    proto = calling(function("F", "Neg"), op="F")
    node = proto.functions[0].node.add(op_type="Special", domain="vendor")
    node.input.append("v0")
    node.output.append("w")
    proto.functions[0].output[0] = "w"
    proto.functions[0].opset_import.add(domain="vendor", version=7)
    made = ge_onnx.to_onnx(inlined(proto))
    assert {o.domain: o.version for o in made.opset_import}["vendor"] == 7


LEAVES_OUT = f"""
{HEAD}
agraph (float[3] x) => (float[3] y)
{{
  w, none = local.Pair (x)
  y = Abs(w)
}}
<domain: "local", opset_import: ["" : 18]>
Pair (a) => (o, p) {{ o = Neg(a)  p = Exp(a) }}
"""


@pytest.mark.parametrize("left_out", [0, 1])
def test_results_that_a_call_leaves_out(left_out: int) -> None:
    proto = parse_model(LEAVES_OUT)
    call = proto.graph.node[0]
    call.output[left_out] = ""
    proto.graph.node[1].input[0] = call.output[1 - left_out]
    made = ge_onnx.to_onnx(inlined(proto))
    onnx.checker.check_model(made, full_check=True)
    assert not made.functions
    x = np.arange(3, dtype=np.float32)
    both = [
        onnxruntime.InferenceSession(m.SerializeToString()).run(None, {"x": x})
        for m in (proto, made)
    ]
    np.testing.assert_array_equal(*both)


@pytest.mark.parametrize("domain", ["", "ai.onnx"])
@pytest.mark.parametrize("name", ["Relu", "Gelu"])
def test_functions_named_as_standard_operators_are_not_inlined(domain: str, name: str) -> None:
    # ONNX leaves it to the runtimes; onnxruntime and the reference compute the standard operator.
    body = [helper.make_node("Neg", ["a"], ["b"])]
    imports = [helper.make_opsetid("", 20)]
    function = helper.make_function(domain, name, ["a"], ["b"], body, imports)
    graph = helper.make_graph(
        [helper.make_node(name, ["x"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])],
    )
    proto = helper.make_model(graph, opset_imports=imports, functions=[function], ir_version=9)
    x = np.array([-1, 2], np.float32)
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    [expected] = session.run(None, {"x": x})
    module = inlined(proto)
    [main] = [g for g in module.graphs.values() if "onnx.function" not in g.attributes]
    assert [node.op for node in main.nodes] == [f"onnx.{name}"]
    assert len(module.graphs) == 2  # another runtime may call it
    seen = {}
    for made in (main.run([x]), main.run([x], trace=seen.__setitem__)):
        assert np.allclose(made[0], expected, atol=1e-6)


def test_a_function_of_a_newer_operator_is_inlined() -> None:
    imports = [helper.make_opsetid("", 17)]  # Gelu came with 20
    body = [helper.make_node("Neg", ["a"], ["b"])]
    function = helper.make_function("", "Gelu", ["a"], ["b"], body, imports)
    graph = helper.make_graph(
        [helper.make_node("Gelu", ["x"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])],
    )
    proto = helper.make_model(graph, opset_imports=imports, functions=[function], ir_version=9)
    [main] = inlined(proto).graphs.values()
    assert [node.op for node in main.nodes] == ["onnx.Neg"]
