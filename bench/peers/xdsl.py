"""xDSL: MLIR's ideas in pure Python."""

# ruff: noqa: B018 (reading an attribute is the work)

from __future__ import annotations

from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import (
    Builtin,
    DenseArrayBase,
    Float32Type,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Block, Region
from xdsl.parser import Parser

from . import Peer

__all__ = ["create"]


class Xdsl(Peer):
    """Unregistered operations, as in the MLIR peer. A first node produces the values, because modules have no inputs."""

    def __init__(self) -> None:
        self.context = Context(allow_unregistered=True)
        self.context.load_dialect(Builtin)
        self.add: Any = self.context.get_op("onnx.Add")
        self.data: Any = self.context.get_op("ge.Data")

    def build(self, count: int) -> Any:
        of = TensorType(Float32Type(), [4, 4])
        data = self.data.create(result_types=[of])
        block = Block([data])
        make, insert = self.add.create, block.add_op
        a = b = data.results[0]
        for i in range(count):
            node = make(
                operands=[a, b],
                result_types=[of],
                attributes={
                    "k": IntegerAttr(i, i64),
                    "pads": DenseArrayBase.from_list(i64, [1, 2, 3, 4]),
                    "ge.name": StringAttr(f"n{i}"),
                },
            )
            insert(node)
            a, b = node.results[0], a
        return ModuleOp(Region(block))

    def walk(self, graph: Any) -> None:
        nodes = iter(graph.body.block.ops)
        next(nodes)
        for node in nodes:
            node.op_name.data
            node.attributes["k"].value.data

    def nodes(self, graph: Any) -> list[Any]:
        return list(graph.body.block.ops)[1:]

    def walk_held(self, nodes: list[Any]) -> None:
        for node in nodes:
            node.op_name.data
            node.attributes["k"].value.data

    def bypass(self, nodes: list[Any]) -> None:
        for node in nodes:
            node.results[0].replace_all_uses_with(node.operands[0])
            node.parent.erase_op(node)

    def handles(self, nodes: list[Any]) -> list[tuple[Any, Any]]:
        return [(node.results[0], node) for node in nodes]

    def bypass_held(self, pairs: list[tuple[Any, Any]], value: Any) -> None:
        block = pairs[0][1].parent
        for result, node in pairs:
            result.replace_all_uses_with(value)
            block.erase_op(node)

    def source(self, graph: Any) -> Any:
        return graph.body.block.first_op.results[0]

    def ints(self, graph: Any) -> list[int]:
        return [node.attributes["k"].value.data for node in self.nodes(graph)]

    def print(self, graph: Any) -> str:
        return str(graph)

    def parse(self, text: str) -> Any:
        return Parser(self.context, text).parse_module()


def create() -> Peer:
    return Xdsl()
