"""The ways to call an operator of the library `ways`: each takes its name, operands and attributes, and returns its results."""

from collections.abc import Callable
from typing import Any

from c_calls import graph_run, op_call

import ge.es
import ge.ir as ir
import ge.ops as ops
import ge.passes as passes


def one_node(name: str, operands: "list[Any]", attributes: dict[str, Any]) -> ir.Graph:
    """A graph of the operator whose operands are inputs."""
    with ge.es.builder("g") as b:
        inputs = [
            o if o is None else b.input(f"x{i}", o.shape, ir.DType(o.dtype))
            for i, o in enumerate(operands)
        ]
        made = getattr(ge.es.ways, name)(*inputs, **attributes)
        for value in made if isinstance(made, (tuple, list)) else [made]:
            b.output(value)
    return b.graph


def by_call(name: str, operands: "list[Any]", attributes: dict[str, Any]) -> Any:
    return [getattr(ops.call.ways, name)(*operands, **attributes)]


def by_later_calls(name: str, operands: "list[Any]", attributes: dict[str, Any]) -> Any:
    for _ in range(4):
        made = by_call(name, operands, attributes)
    return made


def by_run(name: str, operands: "list[Any]", attributes: dict[str, Any]) -> Any:
    graph = one_node(name, operands, attributes)
    given = [o for o in operands if o is not None]
    graph.run(given)
    return graph.run(given)


def by_op_call(name: str, operands: "list[Any]", attributes: dict[str, Any]) -> Any:
    [node] = [n for n in one_node(name, operands, attributes).nodes if n.domain == "ways"]
    return op_call(node, *operands)


def by_graph_run(name: str, operands: "list[Any]", attributes: dict[str, Any]) -> Any:
    given = [o for o in operands if o is not None]
    return graph_run(one_node(name, operands, attributes), *given)


def by_folding(name: str, operands: "list[Any]", attributes: dict[str, Any]) -> Any:
    graph = one_node(name, operands, attributes)
    values = iter([o for o in operands if o is not None])
    results = list(graph.outputs)
    for value in list(graph.inputs):
        constant = graph.add_node("ge.Const", [], {"value": ir.Tensor(next(values))}).result
        value.replace_all_uses_with(constant)
    # Outputs are not folded.
    graph.outputs = [
        graph.add_node("ways.keep", [v], result_types=[v.type]).result for v in results
    ]
    passes.PassManager.parse("constant-fold").run(graph)
    made = [ops.constant_tensor(v.node.operands[0]) for v in graph.outputs]
    return [None if m is None else m.numpy() for m in made]


def by_opcheck(name: str, operands: "list[Any]", attributes: dict[str, Any]) -> Any:
    ops.opcheck(f"ways::{name}", operands, attributes)
    return None


WAYS: "dict[str, Callable[..., Any]]" = {
    "call": by_call,
    "later calls": by_later_calls,
    "graph.run": by_run,
    "geOpCall": by_op_call,
    "geGraphRun": by_graph_run,
    "folding": by_folding,
    "opcheck": by_opcheck,
}
