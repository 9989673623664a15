"""A node converted to plain data and back is equal: overload, subgraphs, captured values and control edges."""

from __future__ import annotations

import json

import pytest

import ge.ir as ir
import ge.ops as ops

F = ir.TensorType([2, 3], ir.f32)
BOOL = ir.TensorType([], ir.DType("bool"))


def branches() -> tuple[ir.Graph, ir.Node]:
    """Return a graph and its If, whose branches capture `x`; one has a nested If, and inner values are unnamed."""
    graph = ir.Graph("g")
    c = graph.add_input("c", BOOL)
    x = graph.add_input("x", F)
    node = graph.add_node("onnx.If", [c], name="choose", result_types=[F])
    for slot in ("then_branch", "else_branch"):
        body = node.add_subgraph(slot)
        inner = body.add_node("onnx.Abs", [x], result_types=[F])
        if slot == "else_branch":
            nested = body.add_node("onnx.If", [c], result_types=[F])
            for inner_slot in ("then_branch", "else_branch"):
                deepest = nested.add_subgraph(inner_slot)
                deepest.outputs = [deepest.add_node("onnx.Neg", [inner.result], result_types=[F])]
            inner = nested
        last = body.add_node("onnx.Relu", [inner.result], result_types=[F], control_inputs=[inner])
        body.outputs = [last]
        body.output_names = [f"{slot}_out"]
        body.attributes["note"] = slot
    graph.outputs = [node]
    return graph, node


def test_subgraphs_come_back() -> None:
    graph, node = branches()
    desc = ops.to_desc(node)
    assert [s.slot for s in desc.subgraphs] == ["then_branch", "else_branch"]
    assert [n.op for n in desc.subgraphs[1].nodes] == ["onnx::Abs", "onnx::If", "onnx::Relu"]
    copy = ops.from_desc(desc, graph)
    assert copy.is_structurally_equal(node)
    assert copy.subgraphs["else_branch"].attributes["note"] == "else_branch"
    assert list(copy.subgraphs["else_branch"].output_names) == ["else_branch_out"]
    (relu,) = [n for n in copy.subgraphs["else_branch"].nodes if n.type == "Relu"]
    assert [n.op for n in relu.control_inputs] == ["onnx.If"]
    # The copied body uses its own values.
    assert relu.operands[0].node in list(copy.subgraphs["else_branch"].nodes)
    assert graph.verify(definitions=False)


def test_subgraphs_come_back_in_another_graph() -> None:
    _, node = branches()
    other = ir.Graph("other")
    c = other.add_input("flag", BOOL)
    y = other.add_input("y", F)
    copy = ir.Node.from_desc(node.to_desc(), other, {"c": c, "x": y})
    body = copy.subgraphs["then_branch"]
    assert body.nodes[0].operands[0] == y
    assert copy.name == "choose"


def test_inputs_of_subgraphs_come_back() -> None:
    graph = ir.Graph("g")
    m = graph.add_input("m", ir.TensorType([], ir.i64))
    x = graph.add_input("x", F)
    node = graph.add_node("onnx.Loop", [m, None, x], result_types=[F])
    body = node.add_subgraph("body")
    body.add_input("i", ir.TensorType([], ir.i64))
    go = body.add_input("go", BOOL)
    value = body.add_input("v", F)
    value.name = None
    body.outputs = [go, body.add_node("onnx.Abs", [value], result_types=[F])]
    copy = ops.from_desc(ops.to_desc(node), graph)
    assert copy.is_structurally_equal(node)
    assert [v.type for v in copy.subgraphs["body"].inputs] == [v.type for v in body.inputs]


def test_overloads_come_back() -> None:
    graph = ir.Graph("g")
    x = graph.add_input("x", F)
    node = graph.add_node("aten::add.Tensor", [x, x], result_types=[F])
    assert (node.domain, node.type, node.overload) == ("aten", "add", "Tensor")
    copy = ops.from_desc(ops.to_desc(node), graph)
    assert copy.is_structurally_equal(node)
    assert copy.overload == "Tensor"


def test_a_description_that_lacks_a_value_makes_nothing() -> None:
    graph, node = branches()
    desc = node.to_desc()
    other = ir.Graph("other")
    c = other.add_input("c", BOOL)
    with pytest.raises(KeyError, match="no value 'x'"):
        ops.from_desc(desc, other, {"c": c})
    assert len(other.nodes) == 0
    with pytest.raises(KeyError, match="no value 'c'"):
        ops.from_desc(desc, ir.Graph("empty"))
    wrong = ops.OpDesc("onnx::Abs", inputs=("x",), control_inputs=("nobody",))
    with pytest.raises(KeyError, match="no node 'nobody'"):
        ops.from_desc(wrong, graph)


def test_descriptions_are_plain_data() -> None:
    _, node = branches()
    data = node.to_desc().to_dict()
    assert data["subgraphs"][0]["nodes"][0]["op"] == "onnx::Abs"
    assert data["subgraphs"][0]["outputs"] == (
        data["subgraphs"][0]["nodes"][-1]["outputs"][0]["key"],
    )


def every_kind() -> ir.Node:
    graph = ir.Graph("g")
    x = graph.add_input("x", F)
    return graph.add_node(
        "acme.Kinds",
        [x, None],
        {
            "flag": True,
            "count": 3,
            "narrow": ir.I8Attr(3),
            "real": 0.5,
            "wide": ir.F64Attr(0.1),
            "infinite": float("inf"),
            "text": 'a "b"\n',
            "bytes": b"\x00\xff",
            "many": [1, 2],
            "reals": [0.5, 1.5],
            "none": ir.ArrayAttr([], ir.i32),
            "names": ["a", "b"],
            "tensor": ir.Tensor([[1.0, 2.0]], dtype=ir.f16),
            "type": F,
            "dtype": ir.bf16,
        },
        name="kinds",
        result_types=[F, ir.TensorType(["n"], ir.i64)],
    )


def test_descriptions_go_through_json() -> None:
    node = every_kind()
    desc = node.to_desc()
    text = desc.to_json()
    again = ops.OpDesc.from_json(text)
    assert again.to_json() == text
    assert again.outputs == desc.outputs
    assert ops.from_desc(again, node.graph).is_structurally_equal(node)
    plain = json.loads(text)
    assert plain["outputs"][0]["type"] == "tensor<2x3xf32>"
    assert plain["attributes"]["many"] == [1, 2]
    assert plain["attributes"]["tensor"] == {"text": "dense<[[1.0, 2.0]]> : tensor<1x2xf16>"}


def test_subgraphs_go_through_json() -> None:
    graph, node = branches()
    again = ops.OpDesc.from_json(ops.to_desc(node).to_json(indent=1))
    assert ops.from_desc(again, graph).is_structurally_equal(node)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "OpDesc: no object with a string 'op'"),
        ('{"op": "a::b", "inputs": 1}', "a::b: 'inputs' is not a list"),
        ('{"op": "a::b", "attributes": {"k": {"x": 1}}}', "a::b: 'k': an attribute is"),
        (
            '{"op": "a::b", "attributes": {"k": {"text": "1} : () -> () \\"ge.X\\"() {value = 1"}}}',
            "not the text",
        ),
        ('{"op": "a::b", "subgraphs": [{}]}', "a::b: no object with a string 'slot'"),
    ],
)
def test_json_that_is_no_description_says_where(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ops.OpDesc.from_json(text)
    with pytest.raises(ir.ParseError):
        ops.OpDesc.from_json('{"op": "a::b", "outputs": [{"type": "tensor<"}]}')


def test_results_are_inferred() -> None:
    graph = ir.Graph("g")
    graph.add_input("x", F)
    node = ops.from_desc(ops.OpDesc("onnx::Relu", inputs=("x",)), graph)
    assert [v.type for v in node.results] == [F]
    desc = ops.OpDesc(
        "onnx::TopK", inputs=("x", "k"), outputs=(ops.ResultDesc("a"), ops.ResultDesc("b"))
    )
    k = graph.add_input("k", ir.TensorType([1], ir.i64))
    node = ops.from_desc(desc, graph, {"k": k})
    assert [str(v.type.dtype) for v in node.results] == ["f32", "i64"]
    declared = ops.OpDesc(
        "onnx::Relu", inputs=("x",), outputs=(ops.ResultDesc("r", ir.TensorType(None, ir.f32)),)
    )
    assert ops.from_desc(declared, graph).result.type == ir.TensorType(None, ir.f32)
    with pytest.raises(ValueError, match=r"onnx::Split: the description has no outputs"):
        ops.from_desc(ops.OpDesc("onnx::Split", inputs=("x",)), graph)


@pytest.mark.parametrize(
    ("desc", "words"),
    [
        (
            ops.OpDesc("onnx::Relu", inputs=("x",), attributes={"alpha": 1.0}),
            "has no attribute 'alpha'",
        ),
        (
            ops.OpDesc("onnx::Softmax", inputs=("x",), attributes={"axis": "a"}),
            "attribute 'axis' must be int",
        ),
        (ops.OpDesc("onnx::Cast", inputs=("x",)), "attribute 'to' is missing|'to'"),
        (ops.OpDesc("onnx::MatMul", inputs=("x", "x")), "has 2 rows, but operand 0"),
    ],
)
def test_what_does_not_fit_the_record_makes_no_node(desc: ops.OpDesc, words: str) -> None:
    graph = ir.Graph("g")
    graph.add_input("x", F)
    with pytest.raises(ir.VerifyError, match=words):
        ops.from_desc(desc, graph)
    assert len(graph.nodes) == 0
