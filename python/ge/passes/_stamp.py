"""A replacement graph put in the place of one node."""

from typing import Any

from .. import ir

__all__ = ["boundary_inputs", "replace_node"]


def boundary_inputs(node: ir.Node) -> list[ir.Value]:
    """Return the operands of a node in order, equal ones once, absent ones not."""
    return list(dict.fromkeys(v for v in node.operands if v is not None))


def replace_node(node: ir.Node, replacement: ir.Graph) -> None:
    """Put a graph in the place of a node; its nodes move, the graph is used up.

    Raises
    ------
    RuntimeError
        If it does not have as many inputs and outputs as the node.
    """
    inputs = boundary_inputs(node)
    for what, have, want in (
        ("input", len(replacement.inputs), len(inputs)),
        ("output", len(replacement.outputs), len(node.results)),
    ):
        if have != want:
            raise RuntimeError(
                f"Replacement {what} size: {have} not equal with Boundary {what} size: {want}"
            )
    replacement.sort()
    values: dict[Any, Any] = dict(zip(replacement.inputs, inputs, strict=True))
    graph = node.graph
    assert graph is not None  # it is in a list that is being walked
    made: dict[ir.Node, ir.Node] = {}
    for inner in replacement.nodes:
        if len(inner.subgraphs):
            raise ir.GEError(
                f"node '{inner.name}' of a replacement has subgraphs, which cannot move to another graph"
            )
        before = [made[n] for n in inner.control_inputs if n in made]
        copy = graph.add_node(
            inner.op,
            [None if v is None else values[v] for v in inner.operands],
            dict(inner.attributes),
            name=f"{node.name}/{inner.name}",
            result_types=[r.type for r in inner.results],
            control_inputs=before if made else [*before, *node.control_inputs],
            ip=ir.InsertionPoint.before(node),
            loc=inner.location,
        )
        made[inner] = copy
        values.update(zip(inner.results, copy.results, strict=True))
    node.replace_with([values[v] for v in replacement.outputs])
