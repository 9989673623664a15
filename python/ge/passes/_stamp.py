"""A graph put in the place of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import ir
from ._retype import keep_types, retype_guesses

if TYPE_CHECKING:
    from ._context import Told

__all__ = ["copy_bodies", "has_bodies", "put_in_place", "replace_node", "sizes_differ", "stamp"]


def sizes_differ(replacement: ir.Graph, inputs: int, outputs: int) -> None:
    """Raise when a replacement has not as many inputs and outputs as what it replaces.

    Raises
    ------
    RuntimeError
    """
    for what, have, want in (
        ("input", len(replacement.inputs), inputs),
        ("output", len(replacement.outputs), outputs),
    ):
        if have != want:
            raise RuntimeError(
                f"Replacement {what} size: {have} not equal with Boundary {what} size: {want}"
            )


def replace_node(
    node: ir.Node,
    replacement: ir.Graph,
    told: Told | None = None,
) -> None:
    """Put a graph in the place of a node, which is erased.

    The graph's inputs are the operands of the node in order, equal ones once, absent ones not. While the node and what
    stands in for it are both there, `told` is called with the new nodes and the new results.
    """
    inputs = list(dict.fromkeys(v for v in node.operands if v is not None))
    sizes_differ(replacement, len(inputs), len(node.results))
    retype_guesses(replacement, inputs)
    made, outputs = _copy(node, [node], inputs, replacement)
    keep_types(node.results, outputs)
    if told is not None:
        told(made, outputs)
    node.replace_with(outputs)


def put_in_place(
    nodes: list[ir.Node],
    inputs: list[ir.Value],
    outputs: list[ir.Value],
    replacement: ir.Graph,
    told: Told | None = None,
) -> list[ir.Node]:
    """Put a graph in the place of nodes; returns the new nodes. The old ones lose their users and stay.

    Before that, `told` is called with the new nodes and the new outputs.
    """
    last = nodes[0]
    for node in nodes:
        if last.is_before(node):
            last = node
    made, values = _copy(last, nodes, inputs, replacement)
    keep_types(outputs, values)
    if told is not None:
        told(made, values)
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
    """Copy the nodes of a graph before a node; returns them, and what the graph's outputs are there."""
    graph = before.graph
    assert graph is not None  # it is in the list of a graph that is being rewritten
    replacement.sort()
    values: dict[Any, Any] = dict(zip(replacement.inputs, inputs, strict=True))
    inside = set(replaced)
    outside = dict.fromkeys(c for n in replaced for c in n.control_inputs if c not in inside)
    copies: dict[ir.Node, ir.Node] = {}
    made: set[ir.Node] = set()
    for inner in replacement.nodes:
        operands = [None if v is None else values[v] for v in inner.operands]
        controls = [copies[n] for n in inner.control_inputs if n in copies]
        if not any(v is not None and v.node in made for v in operands):
            controls += outside  # the others run after these
        copy = graph.add_node(
            inner.op,
            operands,
            dict(inner.attributes),
            name=f"{before.name}/{inner.name}",
            result_types=[r.type for r in inner.results],
            control_inputs=controls,
            ip=ir.InsertionPoint.before(before),
            loc=inner.location,
        )
        copies[inner] = copy
        made.add(copy)
        values.update(zip(inner.results, copy.results, strict=True))
        copy_bodies(inner, copy, values)
    return list(copies.values()), [values[v] for v in replacement.outputs]


def copy_bodies(node: ir.Node, copy: ir.Node, values: dict[ir.Value, ir.Value]) -> None:
    """Give a copy of a node copies of its graphs.

    Parameters
    ----------
    node, copy : Node
    values : dict of Value to Value
        What stands for values of the graphs around; those inside are added.
    """
    for body in node.subgraphs:
        body.sort()
        into = copy.add_subgraph(body.slot)
        into.name = body.name
        for value in body.inputs:
            values[value] = into.add_input(value.name, value.type)
        with ir.InsertionPoint(into):
            copy_nodes(body, values)
        into.outputs = [None if v is None else values[v] for v in body.outputs]
        into.output_names = list(body.output_names)


def copy_nodes(graph: ir.Graph, values: dict[ir.Value, ir.Value]) -> None:
    """Copy the nodes of a sorted graph to the insertion point, with what is inside them.

    Parameters
    ----------
    graph : Graph
    values : dict of Value to Value
        What stands for the inputs; the results are added.
    """
    for node in graph.nodes:
        copy = ir.Node.create(
            node.op,
            [None if v is None else values[v] for v in node.operands],
            dict(node.attributes),
            result_types=[r.type for r in node.results],
            loc=node.location,
        )
        values.update(zip(node.results, copy.results, strict=True))
        copy_bodies(node, copy, values)


def has_bodies(graph: ir.Graph) -> bool:
    """Return whether a node of a graph has graphs inside. O(nodes)."""
    return any(len(node.subgraphs) for node in graph.nodes)


def stamp(graph: ir.Graph, inputs: Sequence[ir.Value | None]) -> list[ir.Value]:
    """Copy a graph to the insertion point; return what its outputs are there.

    For graphs with graphs inside: others are stamped natively.
    """
    graph.sort()
    values: dict[Any, Any] = dict(zip(graph.inputs, inputs, strict=True))
    copy_nodes(graph, values)
    return [values[v] for v in graph.outputs]
