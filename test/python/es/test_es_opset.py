"""Functions of `ge.es.onnx` build the operator version of the builder's opset, and reject newer operators at the call.

Graphs without a live builder, and builders without an opset, accept any operator; ``verify()`` reports those that are
too new.
"""

import threading

import pytest

from ge import es, ir, ops
from ge.es import onnx as op

F = ir.TensorType((2, 3), ir.f32)


@pytest.mark.parametrize("how", ["value", "keyword", "list", "number", "in a body"])
def test_a_newer_operator_is_refused_at_the_call(how: str) -> None:
    with es.builder("main", opset=15) as b:
        x = b.input("x", F)
        with pytest.raises(ir.OpSchemaError) as caught:
            if how == "value":
                op.Mish(x)
            elif how == "keyword":
                op.Mish(X=x)
            elif how == "list":
                op.CenterCropPad(x, [1, 2])
            elif how == "number":
                op.BlackmanWindow(4)
            else:
                op.If(True, then_branch=lambda: op.Mish(x), else_branch=lambda: op.Relu(x))
        assert not b.graph.nodes or how == "in a body"
    since = 17 if how == "number" else 18
    assert f"came with opset {since} of 'onnx'" in str(caught.value)
    assert "is of opset 15" in str(caught.value) and "onnx::" in str(caught.value)


def test_an_operator_that_has_changed_is_that_of_the_opset() -> None:
    """ReduceMax takes axes as an attribute before opset 18."""
    with es.builder("main", opset=17) as b:
        x = b.input("x", F)
        b.output(op.ReduceMax(x, axes=[1]), op.Relu(x))
        with pytest.raises(ops.BindError, match="axes"):
            op.ReduceMax(x, x)
    assert b.graph.nodes[0].attributes["axes"] == (1,)
    module = ir.Module("m")
    module.add_graph(b.graph)
    module.verify()
    with es.builder("newest") as b:
        b.output(op.ReduceMax(b.input("x", F), [1]))
    assert b.graph.nodes[-1].operands[1] is not None


def test_each_builder_has_its_own_opset() -> None:
    with es.builder("old", opset=11) as old:
        x = old.input("x", F)
        with es.builder("new", opset=20) as new:
            new.output(op.Gelu(new.input("x", F)))
            with pytest.raises(ir.OpSchemaError, match="opset 11"):
                op.Gelu(x)
        with pytest.raises(ir.OpSchemaError, match="opset 11"):
            op.Gelu(x)
    assert op.Gelu(x).node.type == "Gelu"  # no builder is live any more


def test_builders_of_other_threads_do_not_count() -> None:
    inside, done = threading.Event(), threading.Event()

    def old() -> None:
        with es.builder("old", opset=7):
            inside.set()
            done.wait(60)

    thread = threading.Thread(target=old)
    thread.start()
    try:
        assert inside.wait(60)
        with es.builder("new") as b:
            b.output(op.Gelu(b.input("x", F)), op.BlackmanWindow(4))
    finally:
        done.set()
        thread.join()
    assert [n.type for n in b.graph.nodes if n.op.startswith("onnx.")] == ["Gelu", "BlackmanWindow"]


def test_operators_of_values_follow_the_opset() -> None:
    with es.builder("main", opset=17) as b:
        x = b.input("x", ir.TensorType((4,), ir.i64))
        with pytest.raises((AttributeError, ir.OpSchemaError), match="17.*18|18.*17"):
            x & x
