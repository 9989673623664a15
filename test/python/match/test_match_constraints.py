"""Constraints of patterns on single nodes and values: operators, opsets, attributes, types, constants, predicates."""

import numpy as np
import pytest
from match_graphs import X, anchors, build, f32

from ge import es, ir
from ge.es import onnx as op
from ge.passes import (
    GraphPattern,
    p,
)


def test_operator_sets_types_and_any_operator():
    g = build(lambda x: (op.Relu(x), op.LeakyRelu(x), op.Neg(x)), X)
    assert anchors(g, lambda x: p.op("onnx.Relu", "onnx.LeakyRelu")(x)) == ["Relu", "LeakyRelu"]
    assert anchors(g, lambda x: p.op("Neg")(x)) == ["Neg"]
    assert len(g.find(lambda x: p.any_op()(x))) == 3
    assert anchors(g, lambda x: op.Relu(p.any_op()(x))) == []


def test_opset_range():
    g = build(lambda x: op.Relu(x), X)
    g.attributes["opset"] = {"onnx": 13}
    assert len(g.find(lambda x: p.op("onnx.Relu", opsets=(6, 13))(x))) == 1
    assert g.find(lambda x: p.op("onnx.Relu", opsets=(14, None))(x)) == []


@pytest.mark.parametrize(
    ("wanted", "matches"),
    [
        (1, True),
        (2, False),
        (p.attr(1), True),
        (p.attr(one_of=(2, 1)), True),
        (p.attr(one_of=(2, 3)), False),
        (p.attr(min=0, max=1), True),
        (p.attr(min=2), False),
        (p.attr(), True),
        (p.attr(absent=True), False),
    ],
)
def test_attributes(wanted, matches):
    g = build(lambda x: op.Concat([x, x], axis=1), X)
    assert bool(g.find(lambda x: p.op("onnx.Concat")(x, x, axis=wanted))) is matches


def test_an_absent_attribute_counts_as_its_default():
    g = build(lambda x, w: op.Gemm(x, w), X, X)
    assert len(g.find(lambda a, b: op.Gemm(a, b, alpha=1.0, transA=0))) == 1
    assert g.find(lambda a, b: op.Gemm(a, b, alpha=2.0)) == []
    assert len(g.find(lambda a, b: p.op("onnx.Gemm")(a, b, alpha=p.attr(absent=True)))) == 1


def test_attribute_predicates_and_variables():
    g = build(lambda x: op.Concat([op.Concat([x, x], axis=1), x], axis=1), X)
    even = g.find(lambda x: p.op("onnx.Concat")(x, x, axis=p.attr(lambda a: a % 2 == 0)))
    assert even == []

    def same(x, y):
        concat = p.op("onnx.Concat")
        return concat(concat(x, y, axis=p.attr(bind="k")), x, axis=p.attr(bind="k"))

    (match,) = g.find(same)
    assert match["k"] == 1
    g.nodes[0].attributes["axis"] = 0
    assert g.find(same) == []


def test_all_attributes():
    g = build(lambda x, w: op.Gemm(x, w, transB=1), X, X)
    plain = build(lambda x, w: op.Gemm(x, w), X, X)
    assert GraphPattern(plain, attributes="all").find(g) == []
    assert len(GraphPattern(plain, attributes="none").find(g)) == 1
    g.nodes[0].attributes["transB"] = 0  # its default
    assert len(GraphPattern(plain, attributes="all").find(g)) == 1


@pytest.mark.parametrize(
    ("conditions", "matches"),
    [
        ({"dtype": ir.f32}, True),
        ({"dtype": (ir.f16, ir.f32)}, True),
        ({"dtype": ir.f16}, False),
        ({"rank": 2}, True),
        ({"rank": (3, 5)}, False),
        ({"shape": (4, 8)}, True),
        ({"shape": ("M", "N")}, True),
        ({"shape": ("N", "N")}, False),
        ({"shape": (..., 8)}, True),
        ({"shape": (4, ..., 4, 8)}, False),
        ({"shape": (None, 8)}, True),
        ({"shape": ()}, False),
    ],
)
def test_types(conditions, matches):
    g = build(lambda x: op.Relu(x), f32(4, 8))
    assert bool(g.find(lambda x: op.Relu(x.where(**conditions)))) is matches


def test_equal_symbols_agree_over_the_pattern():
    def f(a, b):
        return op.Sub(a.where(shape=("N", ...)), b.where(shape=("N", ...)))

    assert len(build(lambda x, y: op.Sub(x, y), f32("B", 1), f32("B", 1)).find(f)) == 1
    assert build(lambda x, y: op.Sub(x, y), f32("B", 1), f32("C", 1)).find(f) == []
    # Two unknown sizes need not be the same.
    assert build(lambda x, y: op.Sub(x, y), f32(None, 1), f32(None, 1)).find(f) == []


def test_value_predicate():
    g = build(lambda x, y: (op.Relu(x), op.Relu(y)), f32(3), f32(4))
    found = g.find(lambda x: op.Relu(x.where(lambda v: v.type.shape[0] % 2 == 0)))
    assert [m["x"] for m in found] == [g.inputs[1]]


@pytest.mark.parametrize(
    ("constant", "there", "matches"),
    [
        (lambda: p.constant(), 7.0, True),
        (lambda: p.constant(2), np.float32(2), True),
        (lambda: p.constant(2), np.array([2], np.int64), True),
        (lambda: p.constant(2), np.array([[[2]]], np.int64), False),
        (lambda: p.constant(0.1), np.float16(0.1), True),
        (lambda: p.constant(0.5), np.float32(0.5001), False),
        (lambda: p.constant(0.5, tolerance=1e-3), np.float32(0.5001), True),
        (lambda: p.constant(2.0, exact=True), np.float32(2), True),
        (lambda: p.constant(2.0, exact=True), np.float16(2), False),
        (lambda: p.constant([0, 2, 1]), np.array([0, 2, 1], np.int32), True),
        (lambda: p.constant([0, 2, 1]), np.array([0, 1, 2], np.int64), False),
        (lambda: p.constant(-1), np.uint64(2**64 - 1), False),
        (lambda: p.constant(predicate=lambda t: t.numpy().max() < 3), np.float32(2), True),
        (lambda: p.constant(predicate=lambda t: t.numpy().max() < 3), np.float32(4), False),
    ],
)
def test_constants(constant, there, matches):
    with es.builder("g") as b:
        x = b.input("x", f32(2))
        b.output(p.op("onnx.Mul")(x, b.constant(there)))
    assert bool(b.graph.find(lambda x: p.op("onnx.Mul")(x, constant()))) is matches


@pytest.mark.parametrize(
    ("form", "value", "dtype"),
    [
        ("value_float", 2.0, ir.f32),
        ("value_int", 2, ir.i64),
        ("value_floats", [2.0, 3.0], ir.f32),
        ("value_ints", [2, 3], ir.i64),
        ("value", np.float32(2), ir.f32),
    ],
)
def test_constants_of_every_form(form, value, dtype):
    """Exporters use all of these forms."""
    g = build(lambda x: op.Sub(x, op.Constant(**{form: value})), ir.TensorType((2,), dtype))
    array = np.asarray(value, dtype.numpy)
    seen = []

    def sub(constant):
        return lambda x: op.Sub(x, constant())

    for constant, matches in (
        (p.constant, 1),
        (lambda: p.constant(array), 1),
        (lambda: p.constant(array + 1), 0),
        (lambda: p.constant(array, exact=True), 1),
        (lambda: p.constant(predicate=lambda t: seen.append(t) or True, name="c"), 1),
    ):
        assert len(g.find(sub(constant))) == matches
    (tensor,) = seen
    assert tensor.numpy().tolist() == value
    assert tensor.dtype is dtype


@pytest.mark.parametrize(("opset", "axis"), [(11, 1), (17, -1)])
def test_an_absent_attribute_is_the_default_of_the_operator_set(opset, axis):
    """The default axis of Softmax changed in opset 13."""
    text = str(build(lambda x: op.Softmax(x), X))
    module = ir.Module.parse(f"module {{\n{text}\n}}")
    module.attributes["onnx.opset_imports"] = {"onnx": opset}
    (graph,) = module.graphs.values()
    for wanted in (1, -1):
        found = graph.find(lambda x: p.op("onnx.Softmax")(x, axis=wanted))
        assert len(found) == (wanted == axis)
