"""Replacement of nodes by a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import ir
from ..._mlir_like._cext_loader import load
from ._retype import keep_types, refuse_other_types, retype_guesses

if TYPE_CHECKING:
    from .._pipeline._observer import RewriteListener

__all__ = ["put_in_place", "replace_node", "sizes_differ"]

_native = load("passes")


def sizes_differ(replacement: ir.Graph, inputs: int | None, outputs: int) -> None:
    """Raise if the numbers of inputs and outputs of a replacement differ from those of the nodes that it replaces; None: any number.

    Raises
    ------
    RuntimeError
    """
    for what, have, want in (
        ("input", len(replacement.inputs), inputs),
        ("output", len(replacement.outputs), outputs),
    ):
        if want not in (None, have):
            raise RuntimeError(
                f"Replacement {what} size: {have} not equal with Boundary {what} size: {want}"
            )


def replace_node(
    node: ir.Node,
    replacement: ir.Graph,
    listener: RewriteListener | None = None,
) -> None:
    """Replace a node by a graph and erase the node.

    The graph's inputs are the operands of the node in order, equal ones once, absent ones not. While the node and what
    stands in for it are both there, `listener` is called with the new nodes and the new results.
    """
    inputs = list(dict.fromkeys(v for v in node.operands if v is not None))
    sizes_differ(replacement, len(inputs), len(node.results))
    retype_guesses(replacement, inputs)
    made, outputs = _copy(node, [node], inputs, replacement)
    keep_types(node.results, outputs)
    refuse_other_types(node.results, outputs)
    if listener is not None:
        listener(made, outputs)
    node.replace_with(outputs)


def put_in_place(
    nodes: list[ir.Node],
    inputs: list[ir.Value],
    outputs: list[ir.Value],
    replacement: ir.Graph,
    listener: RewriteListener | None = None,
) -> list[ir.Node]:
    """Replace nodes by a graph; return the new nodes. The old nodes lose their users and stay.

    Before that, `listener` is called with the new nodes and the new outputs.
    """
    last = nodes[0]
    for node in nodes:
        if last.is_before(node):
            last = node
    made, values = _copy(last, nodes, inputs, replacement)
    keep_types(outputs, values)
    refuse_other_types(outputs, values)
    if listener is not None:
        listener(made, values)
    inside = set(nodes)
    for old, new in zip(outputs, values, strict=True):
        if old is new:
            continue
        old.replace_all_uses_with(new)
        if old.has_name and not new.has_name:
            name, old.name = old.name, None
            new.name = name
    for node in nodes:
        for after in list(node.control_outputs):
            if after not in inside:
                for new in values:
                    if not new.node.is_input:
                        after.control_inputs.append(new.node)
    return made


def _copy(
    before: ir.Node, replaced: list[ir.Node], inputs: list[ir.Value], replacement: ir.Graph
) -> tuple[list[ir.Node], list[ir.Value]]:
    """Copy the nodes of a graph before a node; return them and the copies of the graph's outputs."""
    nodes, outputs = _native._copy_nodes(replacement, before, inputs, f"{before.name}/")
    inside, made = set(replaced), set(nodes)
    if outside := dict.fromkeys(c for n in replaced for c in n.control_inputs if c not in inside):
        for node in nodes:
            if not any(v is not None and v.node in made for v in node.operands):
                node.control_inputs.extend(outside)  # the others run after these
    return nodes, outputs
