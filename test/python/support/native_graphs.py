"""A library of kernels in C, and graphs with its operators."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from native_nodes import compiled
from run_graphs import add, tensor

import ge.ir as ir
import ge.ops as ops
from ge.run import _plan


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> str:
    return compiled(tmp_path_factory)


OUT = {
    "add(Tensor a, Tensor b) -> Tensor": "add",
    "scale(Tensor x, *, float k=2.0) -> Tensor": "scale",
}


@pytest.fixture
def lib(shared: str) -> Iterator[Any]:
    with ops.Library("nat") as library:
        for schema, symbol in OUT.items():
            library.define(schema)
            library.infer(symbol)(lambda call: [call.operand_types[0]])
            library.impl(symbol, "cpu", symbol=(shared, symbol), out=True)
        for name in ("positive", "interrupt"):
            library.define(f"{name}(Tensor x) -> Tensor")
            library.infer(name)(lambda call: [tensor(dtype="bool")])
            library.impl(name, "cpu", symbol=(shared, name), out=True)
        library.define("total(Tensor[] xs, Tensor? y=None) -> Tensor")
        library.infer("total")(lambda call: [call.operand_types[0]])
        library.impl("total", "cpu", symbol=(shared, "total"), out=True)
        for schema in ("next(Tensor x) -> Tensor", "same(Tensor x) -> Tensor"):
            library.define(schema)
            library.impl(schema.partition("(")[0], "cpu", symbol=(shared, schema.partition("(")[0]))
        library.define("write(Tensor(a!) x) -> Tensor(a!)")
        library.impl("write", "cpu", symbol=(shared, "writeNine"))
        library.define("live() -> int")
        library.impl("live", "any", symbol=(shared, "lives"))
        library.define("calls() -> int")
        library.impl("calls", "any", symbol=(shared, "numCalls"))
        library.define("most() -> int")
        library.impl("most", "any", symbol=(shared, "mostLives"))
        yield library


X = np.array([1, -2, 3], np.float32)


def kinds(graph: ir.Graph) -> list[tuple[str, int]]:
    plan = _plan.make_plan(graph, _plan.Surroundings(graph.root, False, None))
    return [(step.kind, len(step.nodes)) for step in plan.steps]


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of names of the graphs that are planned."""
    names: list[str] = []
    make = _plan.make_plan

    def spy(graph: ir.Graph, around: Any) -> Any:
        names.append(graph.name)
        return make(graph, around)

    monkeypatch.setattr(_plan, "make_plan", spy)
    return names


def endless(op: str) -> ir.Graph:
    module = ir.Module("m")
    for name, other in (("my.ping", "my.pong"), ("my.pong", "my.ping")):
        function = module.add_graph(name)
        function.attributes["onnx.function"] = {"name": name[3:], "domain": "my"}
        x = function.add_input("x", ir.UnknownType())
        scaled = add(function, op, x)
        function.outputs = [add(function, other, scaled)]
    graph = module.add_graph("main")
    graph.outputs = [add(graph, "my.ping", graph.add_input("a", tensor(3)))]
    return graph
