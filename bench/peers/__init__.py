"""The libraries that are measured beside each other, one module for each.

`PEERS` names them without importing one: a measurement loads no other peer than its own.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

__all__ = ["PEERS", "Description", "Peer", "load"]


@dataclass(frozen=True)
class Description:
    """What is known of a peer without importing it.

    Attributes
    ----------
    title : str
        The column's head.
    imports : str
        The import statement whose time is measured: what the workload needs, no more.
    distribution : str or None
        The distribution whose version is printed.
    largest : int or None
        The largest size it is measured at; None: all.
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
    """The workload in the fastest public way of one library.

    The graph: one input of type ``tensor<4x4xf32>``, then nodes ``onnx.Add`` with the two newest values as
    operands, one result of the input's type, an int attribute ``k`` (the position), a list attribute
    ``pads`` of 4 ints and a unique name. What a program would hoist out of its loop (types, bound methods)
    is hoisted; attribute values are made from Python values for each node, as a model reader does.

    Every method that is timed contains its own loop. A method that a library has no counterpart for
    returns None or is left as it is.
    """

    @abstractmethod
    def build(self, count: int) -> Any:
        """Return a new graph with `count` nodes: timed."""

    @abstractmethod
    def walk(self, graph: Any) -> None:
        """Read operator and ``k`` of every node, through the graph: timed."""

    @abstractmethod
    def nodes(self, graph: Any) -> list[Any]:
        """Return the nodes in a list, for the methods below."""

    @abstractmethod
    def walk_held(self, nodes: list[Any]) -> None:
        """Do as `walk`, over nodes already held: timed."""

    @abstractmethod
    def bypass(self, nodes: list[Any]) -> None:
        """Replace each node's result by its first operand and erase it, one at a time: timed."""

    @abstractmethod
    def handles(self, nodes: list[Any]) -> list[tuple[Any, Any]]:
        """Return (result, node) pairs for `bypass_held`."""

    @abstractmethod
    def bypass_held(self, pairs: list[tuple[Any, Any]], value: Any) -> None:
        """Do as `bypass` with result, node and replacement held: two calls a node; timed."""

    @abstractmethod
    def source(self, graph: Any) -> Any:
        """Return the graph's input."""

    @abstractmethod
    def ints(self, graph: Any) -> list[int]:
        """Return ``k`` of every node in order: the check that the work was done."""

    def replace(self, nodes: list[Any]) -> bool:
        """Do as `bypass` with the library's one call for both; False when it has none. Timed."""
        return False

    def finish(self, graph: Any) -> None:  # noqa: B027
        """Make the newest value the graph's output, so that it can be printed."""

    def print(self, graph: Any) -> str | None:
        """Return the graph's text: timed. None when the library has no text form."""
        return None

    def parse(self, text: str) -> Any:
        """Return the graph in the text: timed."""
        raise NotImplementedError
