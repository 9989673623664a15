"""The ends of edges, by CANN's words: an input or output of a node, or its side of control edges."""

from typing import Any

from ..ir import Node

__all__ = ["Anchor", "in_anchors", "out_anchors"]


class Anchor:
    """An input or an output of a node; a value, which stays what it is when the graph changes.

    `Node.operands`, `Node.results` and `Value.uses` say the same without it.

    Attributes
    ----------
    node : Node
    index : int
        Of the input or output; -1 for control edges.
    is_input : bool
    """

    __slots__ = ("index", "is_input", "node")

    node: Node
    index: int
    is_input: bool

    def __init__(self, node: Node, index: int, is_input: bool) -> None:
        self.node = node
        self.index = index
        self.is_input = is_input

    @property
    def is_control(self) -> bool:
        """Whether it is of control edges: they carry no data."""
        return self.index < 0

    def get_owner_node(self) -> Node:
        """Return `node`."""
        return self.node

    def get_idx(self) -> int:
        """Return `index`."""
        return self.index

    def get_peer_anchors(self) -> "list[Anchor]":
        """Return the other ends of its edges: at most one for an input of data, none for an absent one. Cost: O(edges)."""
        node, index = self.node, self.index
        if self.is_control:
            found = node.get_in_control_nodes() if self.is_input else node.get_out_control_nodes()
            return [Anchor(other, -1, not self.is_input) for other in found]
        if not self.is_input:
            users = node.get_out_data_nodes_and_port_indexes(index)
            return [Anchor(user, port, True) for user, port in users]
        if node.operands[index] is None:
            return []
        return [Anchor(*node.get_in_data_nodes_and_port_indexes(index), False)]

    def _key(self) -> "tuple[Node, int, bool]":
        return self.node, self.index, self.is_input

    def __eq__(self, other: Any) -> bool:
        return self._key() == other._key() if isinstance(other, Anchor) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        side = "input" if self.is_input else "output"
        what = f"control {side}" if self.is_control else f"{side} {self.index}"
        return f"<{what} of {self.node!r}>"


def in_anchors(node: Node) -> list[Anchor]:
    """Return the inputs of a node in order, absent ones included, then its control input."""
    return [*(Anchor(node, i, True) for i in range(node.get_inputs_size())), Anchor(node, -1, True)]


def out_anchors(node: Node) -> list[Anchor]:
    """Return the outputs of a node in order, then its control output."""
    return [
        *(Anchor(node, i, False) for i in range(node.get_outputs_size())),
        Anchor(node, -1, False),
    ]
