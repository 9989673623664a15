"""A second ``-O`` changes nothing: the bytes of the file stay, origins of nodes included.

Over the networks of test/models, random models, and both as functions that the main graph calls: a function has no
initializers.
"""

from pathlib import Path

import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
from needs import LONG  # noqa: E402
from onnx import helper  # noqa: E402
from random_models import make  # noqa: E402
from random_quantised import make_quantised  # noqa: E402

import ge.onnx as ge_onnx  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented

MODELS = sorted((Path(__file__).parents[2] / "models").glob("*.onnx"))
COUNT = 5_000 if LONG else 60


def optimised(data: bytes, exact: bool) -> bytes:
    module = ge_onnx.load(data)
    ge_onnx.optimize(module, exact=exact)
    return ge_onnx.to_bytes(module)


def changed_again(data: bytes, exact: bool) -> str:
    """Return what a second run changes; an empty string if nothing."""
    once = optimised(data, exact)
    again = optimised(once, exact)
    if once == again:
        return ""
    a, b = (str(onnx.load_from_string(one)).splitlines() for one in (once, again))
    return next((f"{x} became {y}" for x, y in zip(a, b) if x != y), "another number of lines")


def in_function(model: "onnx.ModelProto") -> bytes:
    """Return a model whose main graph calls a function that has all of the nodes, and the weights as Constants."""
    graph = model.graph
    weights = [helper.make_node("Constant", [], [w.name], value=w) for w in graph.initializer]
    names = {w.name for w in graph.initializer}
    inputs = [value for value in graph.input if value.name not in names]
    function = helper.make_function(
        "local",
        "F",
        [value.name for value in inputs],
        [value.name for value in graph.output],
        [*weights, *graph.node],
        list(model.opset_import),
    )
    call = helper.make_node(
        "F", [v.name for v in inputs], [v.name for v in graph.output], domain="local"
    )
    outer = helper.make_graph([call], "outer", inputs, list(graph.output))
    opsets = [*model.opset_import, helper.make_opsetid("local", 1)]
    return helper.make_model(
        outer, opset_imports=opsets, ir_version=10, functions=[function]
    ).SerializeToString()


@pytest.mark.parametrize("exact", [False, True], ids=["default", "exact"])
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_networks(path: Path, exact: bool) -> None:
    assert not changed_again(path.read_bytes(), exact)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_networks_as_functions(path: Path) -> None:
    assert not changed_again(in_function(onnx.load(path)), False)


@pytest.mark.parametrize("exact", [False, True], ids=["default", "exact"])
def test_random_models(exact: bool) -> None:
    wrong = {s: changed_again(make(s).model.SerializeToString(), exact) for s in range(COUNT)}
    assert not {seed: why for seed, why in wrong.items() if why}


def test_random_models_as_functions() -> None:
    wrong = {s: changed_again(in_function(make(s).model), False) for s in range(COUNT)}
    assert not {seed: why for seed, why in wrong.items() if why}


@pytest.mark.parametrize("exact", [False, True], ids=["default", "exact"])
def test_models_with_narrow_weights(exact: bool) -> None:
    models = {seed: make_quantised(seed).model for seed in range(COUNT)}
    wrong = {s: changed_again(model.SerializeToString(), exact) for s, model in models.items()}
    assert not {seed: why for seed, why in wrong.items() if why}


def test_constants_of_each_form_in_a_function() -> None:
    forms = [
        helper.make_node("Constant", [], ["a"], value_int=2),
        helper.make_node("Constant", [], ["b"], value_floats=[1.0, 2.0]),
        helper.make_node("Cast", ["a"], ["c"], to=onnx.TensorProto.FLOAT),
        helper.make_node("Mul", ["b", "c"], ["d"]),
        helper.make_node("Add", ["x", "d"], ["y"]),
    ]
    function = helper.make_function(
        "local", "F", ["x"], ["y"], forms, [helper.make_opsetid("", 19)]
    )
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("F", ["x"], ["y"], domain="local")],
        "g",
        [value("x", onnx.TensorProto.FLOAT, [2])],
        [value("y", onnx.TensorProto.FLOAT, [2])],
    )
    opsets = [helper.make_opsetid("", 19), helper.make_opsetid("local", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9, functions=[function])
    once = optimised(model.SerializeToString(), False)
    assert optimised(once, False) == once
    assert "constant-fold" in str(onnx.load_from_string(once).functions[0])  # origins are recorded
