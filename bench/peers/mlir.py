"""MLIR's Python bindings, as `iree-base-compiler` ships them."""

# ruff: noqa: B018 (reading an attribute is the work)

from __future__ import annotations

import sys
import types
from typing import Any

from iree.compiler import ir

from . import Peer

__all__ = ["create"]

# On the first access to an operation the bindings import its dialect's Python module. If there is none, they
# try the import again on every access (17 us). A project with its own operations has such a module, so an
# empty one stands for it here.
sys.modules["iree.compiler.dialects.onnx"] = types.ModuleType("iree.compiler.dialects.onnx")

HEAD = "func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> { return %x : tensor<4x4xf32> }"


class Mlir(Peer):
    """Operations of an unregistered dialect in a `func.func`; names are the attribute `ge.name`."""

    def __init__(self) -> None:
        self.context = ir.Context()
        self.context.allow_unregistered_dialects = True
        # Current for the life of the process, as in a program that enters them around its work.
        self.context.__enter__()
        ir.Location.unknown().__enter__()
        self.walk(self.build(1))

    def build(self, count: int) -> Any:
        module = ir.Module.parse(HEAD)
        block = self.block(module)
        block.operations[0].erase()
        source = block.arguments[0]
        of = source.type
        i64 = ir.IntegerType.get_signless(64)
        make = ir.Operation.create
        integer, string = ir.IntegerAttr.get, ir.StringAttr.get
        integers = ir.DenseI64ArrayAttr.get
        a = b = source
        with ir.InsertionPoint(block):
            for i in range(count):
                node = make(
                    "onnx.Add",
                    [of],
                    [a, b],
                    {
                        "k": integer(i64, i),
                        "pads": integers([1, 2, 3, 4]),
                        "ge.name": string(f"n{i}"),
                    },
                )
                a, b = node.result, a
        return module

    def block(self, module: Any) -> Any:
        return module.body.operations[0].regions[0].blocks[0]

    def walk(self, graph: Any) -> None:
        # Reads MLIR's attribute object; converting it to a Python int (`.value`) would take 0.07 us more.
        for node in self.block(graph).operations:
            node.name
            node.attributes["k"]

    def nodes(self, graph: Any) -> list[Any]:
        return list(self.block(graph).operations)

    def walk_held(self, nodes: list[Any]) -> None:
        for node in nodes:
            node.name
            node.attributes["k"]

    def bypass(self, nodes: list[Any]) -> None:
        for node in nodes:
            node.result.replace_all_uses_with(node.operands[0])
            node.erase()

    def handles(self, nodes: list[Any]) -> list[tuple[Any, Any]]:
        return [(node.result, node) for node in nodes]

    def bypass_held(self, pairs: list[tuple[Any, Any]], value: Any) -> None:
        for result, node in pairs:
            result.replace_all_uses_with(value)
            node.erase()

    def source(self, graph: Any) -> Any:
        return self.block(graph).arguments[0]

    def ints(self, graph: Any) -> list[int]:
        nodes = self.nodes(graph)
        return [node.attributes["k"].value for node in nodes if "k" in node.attributes]

    def finish(self, graph: Any) -> None:
        block = self.block(graph)
        newest = block.operations[len(block.operations) - 1].result
        with ir.InsertionPoint(block):
            ir.Operation.create("func.return", [], [newest])

    def print(self, graph: Any) -> str:
        return str(graph)

    def parse(self, text: str) -> Any:
        return ir.Module.parse(text)


def create() -> Peer:
    return Mlir()
