"""A graph's operators are those of its operator set, however that is recorded: in runs, inference, passes and files alike."""

from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np
import pytest

import ge.es as es
import ge.ir as ir
import ge.onnx as ge_onnx
import ge.ops as ops
from ge.es import onnx as op
from ge.passes import PassManager

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def softmax(x: Any, axes: Any) -> Any:
    e = np.exp(x - x.max(axis=axes, keepdims=True))
    return e / e.sum(axis=axes, keepdims=True)


OLD, NEW = softmax(X, (1, 2)), softmax(X, 2)  # opsets 11 and 13: without an attribute `axis`


def graph(module: ir.Module | None = None) -> ir.Graph:
    type_ = ir.TensorType(X.shape, ir.f32)
    made = (module or ir.Module("m")).add_graph("main")
    x = made.add_input("x", type_)
    made.outputs = [made.add_node("onnx.Softmax", [x], result_types=[type_]).result]
    return made


def number(version: int) -> ir.Graph:
    made = graph()
    made.attributes["opset"] = version
    return made


def dictionary(version: int) -> ir.Graph:
    made = graph()
    made.attributes["opset"] = {"onnx": version, "acme": 2}
    return made


def of_the_module(version: int) -> ir.Graph:
    module = ir.Module("m")
    module.attributes["opset"] = {"ai.onnx": version}
    return graph(module)


def number_of_the_module(version: int) -> ir.Graph:
    module = ir.Module("m")
    module.attributes["opset"] = version
    return graph(module)


def imports(version: int) -> ir.Graph:
    module = ir.Module("m")
    module.attributes["onnx.opset_imports"] = {"ai.onnx": version, "acme": 2}
    return graph(module)


def set_over_imports(version: int) -> ir.Graph:
    made = imports(24 - version)
    made.attributes["opset"] = version
    return made


def builder(version: int) -> ir.Graph:
    with es.builder("main", opset=version) as b:
        b.output(op.Softmax(b.input("x", X.shape, ir.f32), axis=1) if version < 13 else op.Softmax(b.input("x", X.shape, ir.f32)))  # fmt: skip
    module = ir.Module("m")
    made: ir.Graph = module.add_graph(b.graph.clone())
    return made


FORMS = [
    number,
    dictionary,
    of_the_module,
    number_of_the_module,
    imports,
    set_over_imports,
    builder,
]


@pytest.fixture(params=FORMS, ids=lambda form: form.__name__)
def form(request: pytest.FixtureRequest) -> Callable[[int], ir.Graph]:
    made: Callable[[int], ir.Graph] = request.param
    return made


@pytest.mark.parametrize(("version", "expected"), [(11, OLD), (13, NEW)], ids=["11", "13"])
def test_a_run_computes_by_the_recorded_opset(form: Any, version: int, expected: Any) -> None:
    made = form(version)
    assert made.opsets["onnx"] == version
    assert np.allclose(made.run([X])[0], expected)
    seen: list[Any] = []
    made.run([X], trace=lambda _, value: seen.append(value))
    assert np.allclose(seen[-1], expected)


@pytest.mark.parametrize("version", [11, 13])
def test_a_file_imports_the_recorded_opset(form: Any, version: int) -> None:
    module = ge_onnx.load(ge_onnx.to_bytes(form(version).module))
    assert module.graphs[0].opsets["onnx"] == version


@pytest.mark.parametrize(("version", "expected"), [(11, OLD), (13, NEW)], ids=["11", "13"])
def test_folding_computes_by_the_recorded_opset(form: Any, version: int, expected: Any) -> None:
    made = form(version)
    (x,), (softmaxed,) = made.inputs, made.outputs
    held = ir.Tensor(X)
    constant = made.add_node("ge.Const", [], {"value": held}, result_types=[held.type])
    softmaxed.node.operands[0] = constant.result
    made.outputs = [made.add_node("onnx.Add", [softmaxed, x], result_types=[held.type]).result]
    PassManager.parse("constant-fold").run(made)
    assert "Softmax" not in [n.type for n in made.nodes]
    assert np.allclose(made.run([X])[0], expected + X)


def test_a_function_may_import_another_opset_than_its_model() -> None:
    """An operator of ours in it has it run node by node; the Softmax beside that is its own opset's."""
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    old = [helper.make_opsetid("", 11), helper.make_opsetid("own", 1)]
    nodes = [
        helper.make_node("Softmax", ["v"], ["s"]),
        helper.make_node("same", ["s"], ["r"], domain="own"),
    ]
    function = helper.make_function("acme", "f", ["v"], ["r"], nodes, old)
    info = helper.make_tensor_value_info
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("f", ["x"], ["a"], domain="acme"), helper.make_node("Softmax", ["x"], ["b"])],
            "g", [info("x", TensorProto.FLOAT, X.shape)],
            [info("a", TensorProto.FLOAT, X.shape), info("b", TensorProto.FLOAT, X.shape)],
        ),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)],
        functions=[function],
    )  # fmt: skip
    assert onnx.__version__
    with closing(ops.Library("own")) as lib:
        lib.define("same(Tensor x) -> Tensor")
        lib.infer("same")(lambda call: [call.operand_types[0]])
        lib.impl("same", "cpu", lambda x: x + 0, as_="numpy")
        module = ge_onnx.from_onnx(model)
        assert module.graphs[1].opsets["onnx"] == 11
        made = ops.run(module, {"x": X})
    assert np.allclose(made[0], OLD) and np.allclose(made[1], NEW)


def test_what_records_nothing_has_no_opsets() -> None:
    assert graph().opsets == {}
    made = graph()
    made.attributes["opset"] = {"onnx": 2**40, "acme": 3, "other": 0}
    assert made.opsets == {"acme": 3}
