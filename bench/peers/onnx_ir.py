"""onnx-ir: ONNX's own graph IR, of Python objects."""

# ruff: noqa: B018 (reading an attribute is the work)

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from . import Peer

__all__ = ["create"]


class OnnxIr(Peer):
    """Nodes of a graph in a model, since only models have a text form."""

    def build(self, count: int) -> Any:
        of, shape = ir.TensorType(ir.DataType.FLOAT), ir.Shape((4, 4))
        source = ir.Value(name="x", type=of, shape=shape)
        graph = ir.Graph([source], [], nodes=[], opset_imports={"": 17}, name="main")
        make, value = ir.Node, ir.Value
        integer, integers = ir.AttrInt64, ir.AttrInt64s
        a = b = source
        for i in range(count):
            result = value(name=f"v{i}", type=of, shape=shape)
            make(
                "",
                "Add",
                (a, b),
                (integer("k", i), integers("pads", [1, 2, 3, 4])),
                outputs=(result,),
                graph=graph,
                name=f"n{i}",
            )
            a, b = result, a
        return ir.Model(graph, ir_version=10)

    def walk(self, graph: Any) -> None:
        for node in graph.graph:
            node.op_type
            node.attributes["k"].value

    def nodes(self, graph: Any) -> list[Any]:
        return list(graph.graph)

    def walk_held(self, nodes: list[Any]) -> None:
        for node in nodes:
            node.op_type
            node.attributes["k"].value

    def bypass(self, nodes: list[Any]) -> None:
        graph = nodes[0].graph
        for node in nodes:
            node.outputs[0].replace_all_uses_with(node.inputs[0])
            graph.remove(node, safe=True)

    def handles(self, nodes: list[Any]) -> list[tuple[Any, Any]]:
        return [(node.outputs[0], node) for node in nodes]

    def bypass_held(self, pairs: list[tuple[Any, Any]], value: Any) -> None:
        graph = pairs[0][1].graph
        for result, node in pairs:
            result.replace_all_uses_with(value)
            graph.remove(node, safe=True)

    def source(self, graph: Any) -> Any:
        return graph.graph.inputs[0]

    def ints(self, graph: Any) -> list[int]:
        return [node.attributes["k"].value for node in graph.graph]

    def finish(self, graph: Any) -> None:
        graph.graph.outputs.append(graph.graph[-1].outputs[0])

    def print(self, graph: Any) -> str:
        return ir.to_onnx_text(graph)

    def parse(self, text: str) -> Any:
        return ir.from_onnx_text(text)


def create() -> Peer:
    return OnnxIr()
