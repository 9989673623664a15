"""``**node.attributes`` may be passed to a builder: what the reader of ONNX keeps beside the operator's attributes is skipped."""

import pytest

from ge import es, ir, ops
from ge.es import onnx as op

X = ir.TensorType((2, 3), ir.f32)
KEPT = {"onnx.doc_string": "from a file", "onnx.extra": b"\x01", "onnx.metadata_props": {"a": "b"}}


def node(operator, operands=1, **attributes):
    graph = ir.Graph("g")
    values = [graph.add_input(f"x{i}", X) for i in range(operands)]
    made = graph.add_node(operator, values, {**attributes, **KEPT}, result_types=[X])
    graph.outputs = [made.result]
    return made


def test_a_builder_takes_the_attributes_of_a_node():
    old = node("onnx.LeakyRelu", alpha=0.5)
    with es.builder("main", opset=17) as b:
        b.output(op.LeakyRelu(b.input("x", X), **old.attributes))
    assert dict(b.graph.nodes[0].attributes) == {"alpha": 0.5}


def test_operators_with_overloads_take_them():
    with ops.Library("acme") as library:
        library.define("twice(Tensor x, *, int n=2) -> Tensor")
        library.define("twice.by(Tensor x, Tensor y) -> Tensor")
        with es.builder("main") as b:
            x = b.input("x", X)
            es.acme.twice(x, n=3, **KEPT)
            es.acme.twice(x, x, **KEPT)
    assert [sorted(n.attributes) for n in b.graph.nodes] == [["n"], []]


def test_other_words_are_errors_as_before():
    old = node("onnx.LeakyRelu", alpha=0.5, aplha=0.25)
    with es.builder("main", opset=17) as b, pytest.raises(ir.BindError, match="'aplha'"):
        op.LeakyRelu(b.input("x", X), **old.attributes)
    with es.builder("main", opset=17) as b, pytest.raises(ir.BindError, match="'com.example.note'"):
        op.Relu(b.input("x", X), **{"com.example.note": 1})
