"""The libraries that bench/ir.py compares, one module for each.

`PEERS` describes them without importing them: a measurement imports only its own peer.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

__all__ = ["PEERS", "Description", "Peer", "load"]


@dataclass(frozen=True)
class Description:
    """Properties of a peer that are known without importing it.

    Attributes
    ----------
    title : str
        The heading of its column.
    imports : str
        The import statement whose time is measured: only the imports that the workload needs.
    distribution : str or None
        The distribution whose version is printed.
    largest : int or None
        The largest size at which it is measured; None: no limit.
    """

    title: str
    imports: str | None
    distribution: str | None
    largest: int | None = None


PEERS = {
    "ge": Description("GE", "import ge.ir", "ge-ir"),
    "mlir": Description("MLIR", "from iree.compiler import ir", "iree-base-compiler"),
    "plain": Description("plain", None, None),
    "xdsl": Description(
        "xDSL",
        "import xdsl.context, xdsl.dialects.builtin, xdsl.parser, xdsl.printer",
        "xdsl",
        100_000,
    ),
    "onnx_ir": Description("onnx-ir", "import onnx_ir", "onnx-ir", 100_000),
}


def load(name: str) -> Peer:
    """Import the peer and return it, ready to build graphs."""
    peer: Peer = importlib.import_module(f"peers.{name}").create()
    return peer


class Peer(ABC):
    """The workload, implemented with the fastest public API of one library.

    The graph: one input of type ``tensor<4x4xf32>``, then nodes ``onnx.Add`` with the two newest values as
    operands, one result of the input's type, an int attribute ``k`` (the position), a list attribute
    ``pads`` of 4 ints and a unique name. Loop invariants (types, bound methods) are hoisted, as in a real
    program; attribute values are created from Python values for each node, as a model reader does.

    Every timed method contains its own loop. A method without a counterpart in the library returns None or
    is not overridden.
    """

    @abstractmethod
    def build(self, count: int) -> Any:
        """Return a new graph with `count` nodes. Timed."""

    @abstractmethod
    def walk(self, graph: Any) -> None:
        """Read operator and ``k`` of every node while iterating over the graph. Timed."""

    @abstractmethod
    def nodes(self, graph: Any) -> list[Any]:
        """Return the nodes in a list, for the methods below."""

    @abstractmethod
    def walk_held(self, nodes: list[Any]) -> None:
        """Like `walk`, over a list of node handles. Timed."""

    @abstractmethod
    def bypass(self, nodes: list[Any]) -> None:
        """Replace each node's result with its first operand and erase the node, one node at a time. Timed."""

    @abstractmethod
    def handles(self, nodes: list[Any]) -> list[tuple[Any, Any]]:
        """Return (result, node) pairs for `bypass_held`."""

    @abstractmethod
    def bypass_held(self, pairs: list[tuple[Any, Any]], value: Any) -> None:
        """Like `bypass`, with handles of result, node and replacement: two calls per node. Timed."""

    @abstractmethod
    def source(self, graph: Any) -> Any:
        """Return the graph's input."""

    @abstractmethod
    def ints(self, graph: Any) -> list[int]:
        """Return ``k`` of every node in order, to check that the work was done."""

    def replace(self, nodes: list[Any]) -> bool:
        """Like `bypass`, with the library's single call that replaces and erases. Return False if it has none. Timed."""
        return False

    def finish(self, graph: Any) -> None:  # noqa: B027
        """Make the newest value the graph's output, so that it can be printed."""

    def print(self, graph: Any) -> str | None:
        """Return the graph's text, None if the library has no text form. Timed."""
        return None

    def parse(self, text: str) -> Any:
        """Return the graph in the text. Timed."""
        raise NotImplementedError
