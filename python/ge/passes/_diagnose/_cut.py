"""Extraction of a match and its replacement as two functions with the same inputs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from ... import ir
from ..._support.segments import copy_segments
from .._pipeline._graphs import graphs_inside

__all__ = ["MATCHED", "REPLACEMENT", "Cut", "TooLarge", "cut", "whole"]

# Names of the two functions.
MATCHED, REPLACEMENT = "matched", "replacement"
_CONSTANTS = ("ge.Const", "onnx.Constant")
# Attributes that determine the meaning of operators; an extracted part copies them.
_KEPT = ("onnx.opset_imports", "onnx.ir_version", "opset")


class TooLarge(Exception):  # noqa: N818 - it is an answer, not an error
    """A part has more nodes than were allowed."""


class Cut(NamedTuple):
    """Two functions with the same inputs, each in a model with the functions that it calls."""

    matched: ir.Module
    replacement: ir.Module

    def together(self) -> ir.Module:
        """Return one module with both; functions that both call are those of the first."""
        module = self.matched.clone()
        module.add_graph(_mains(self.replacement)[0].clone())
        return module


def cut(
    before: Iterable[ir.Value | None],
    after: Iterable[ir.Value | None],
    matched: Collection[ir.Node],
    made: Collection[ir.Node],
    *,
    most: int | None = None,
) -> Cut | None:
    """Extract a match and its replacement from a graph.

    Parameters
    ----------
    before, after : iterable of Value
        Outputs of the match and their replacements; a pair with None is left out.
    matched, made : collection of Node
        What belongs to the functions; all else are their inputs, but constants.
    most : int, optional
        Take in what these inputs depend on, too: up to so many nodes.

    Returns
    -------
    Cut or None
        None: there is nothing to compare, because no output is used.

    Raises
    ------
    TooLarge
        If there are more nodes.

    Notes
    -----
    Cost: O(nodes taken in).
    """
    found = [(b, a) for b, a in zip(before, after, strict=True) if b is not None and a is not None]
    pairs = list(dict.fromkeys(found))  # a pattern may return a value more than once
    if not pairs:
        return None
    inside = set(matched) | set(made)

    def belongs(node: ir.Node) -> bool:
        if node.is_input:
            return False
        return most is not None or node in inside or node.op in _CONSTANTS

    old = _slice([b for b, _ in pairs], belongs, most)
    new = _slice([a for _, a in pairs], belongs, most)
    inputs = list(dict.fromkeys([*old.inputs, *new.inputs]))
    names = _distinct(b.name or f"output{i}" for i, (b, _) in enumerate(pairs))
    root = pairs[0][0].node.root
    return Cut(
        _function(MATCHED, old.nodes, inputs, [b for b, _ in pairs], names, root),
        _function(REPLACEMENT, new.nodes, inputs, [a for _, a in pairs], names, root),
    )


def _distinct(names: Iterable[str]) -> list[str]:
    """Return the names, those that were there before with a number."""
    made: dict[str, None] = {}
    for i, name in enumerate(names):
        while name in made:
            name = f"{name}.{i}"
        made[name] = None
    return list(made)


def _function(
    name: str,
    nodes: list[ir.Node],
    inputs: list[ir.Value],
    outputs: list[ir.Value],
    names: list[str],
    root: ir.Graph,
) -> ir.Module:
    module = ir.Module("rewrite", context=root.context)
    graph = module.add_graph(name)
    values = {value: graph.add_input(value.name, value.type) for value in inputs}
    _copy(nodes, graph, values)
    graph.outputs = [values[v] for v in outputs]
    graph.output_names = names
    _keep(root, module, graph)
    with contextlib.suppress(ir.GEError):  # the run reports what is wrong, in more detail
        graph.infer_types()
    return module


def whole(before: ir.Module | ir.Graph, after: ir.Module | ir.Graph) -> list[Cut]:
    """Return pairs of graphs before and after a pass over a target, functions excluded.

    Raises
    ------
    ValueError
        If there are more of them, or fewer, than before.
    """
    return [
        Cut(_alone(MATCHED, old), _alone(REPLACEMENT, new))
        for old, new in zip(_mains(before), _mains(after), strict=True)
    ]


def _mains(target: ir.Module | ir.Graph) -> list[ir.Graph]:
    from ...run import main_graphs

    return [target] if isinstance(target, ir.Graph) else main_graphs(target)


def _alone(name: str, graph: ir.Graph) -> ir.Module:
    copy = graph.clone()
    copy.name = name
    module = ir.Module("pass", context=graph.context)
    _keep(graph.root, module, module.add_graph(copy))
    return module


class _Slice(NamedTuple):
    nodes: list[ir.Node]
    """Each before the nodes that depend on it."""
    inputs: list[ir.Value]


def _slice(
    outputs: Iterable[ir.Value], belongs: Callable[[ir.Node], bool], most: int | None
) -> _Slice:
    """Return the nodes after some values that belong to it, and the values at their border."""
    order: dict[ir.Node, None] = {}
    inputs: dict[ir.Value, None] = {}
    entered: set[ir.Node] = set()
    stack: list[tuple[ir.Value | None, ir.Node | None]] = [(v, None) for v in reversed([*outputs])]
    while stack:
        value, done = stack.pop()
        if done is not None:
            order[done] = None
            continue
        assert value is not None
        node = value.node
        if not belongs(node):
            inputs[value] = None
        elif node not in entered:
            entered.add(node)
            if most is not None and len(entered) > most:
                raise TooLarge
            stack.append((None, node))
            stack.extend((v, None) for v in reversed(_needed(node)))
    return _Slice(list(order), list(inputs))


def _needed(node: ir.Node) -> list[ir.Value]:
    """Return the operands of a node and the values that its bodies capture."""
    values = [v for v in node.operands if v is not None]
    if len(node.subgraphs):
        bodies = [graph for body in node.subgraphs for graph in graphs_inside(body)]
        # A dict keeps the order of the nodes: random inputs are made in the order of the operands.
        inner = dict.fromkeys(n for body in bodies for n in body.nodes)
        inner.update(dict.fromkeys(v.node for body in bodies for v in body.inputs))
        for each in inner:
            values += [v for v in each.operands if v is not None and v.node not in inner]
        for body in bodies:
            values += [v for v in body.outputs if v is not None and v.node not in inner]
    return list(dict.fromkeys(values))


def _copy(nodes: Iterable[ir.Node], into: ir.Graph, values: dict[ir.Value, ir.Value]) -> None:
    """Copy nodes, with their bodies, to the end of a graph; their types are inferred again."""
    for node in nodes:
        if node.op == "ge.Const":
            types: list[ir.Type | None] = [node.result.type]
        else:
            unknown = ir.UnknownType(context=node.context)
            types = [None if r is None else unknown for r in node.results]
        copy = into.add_node(
            node.op,
            [None if v is None else values[v] for v in node.operands],
            dict(node.attributes),
            name=node.name if node.has_name else None,
            result_types=types,
            loc=node.location,
        )
        copy_segments(node, copy)
        for old, new in zip(node.results, copy.results, strict=True):
            if old is not None and new is not None:
                values[old] = new
                if old.has_name and not new.has_name:
                    new.name = old.name
        for body in node.subgraphs:
            _copy_body(body, copy.add_subgraph(body.slot), values)


def _copy_body(body: ir.Graph, into: ir.Graph, values: dict[ir.Value, ir.Value]) -> None:
    into.name = body.name  # without one it is not an ONNX graph
    for value in body.inputs:
        values[value] = into.add_input(value.name, value.type)
    outputs = [v for v in body.outputs if v is not None]
    inside = set(body.nodes)
    # Not sorted in place: the graph belongs to the caller.
    _copy(_slice(outputs, inside.__contains__, None).nodes, into, values)
    into.outputs = [None if v is None else values[v] for v in body.outputs]
    into.output_names = list(body.output_names)


def _keep(root: ir.Graph, module: ir.Module, graph: ir.Graph) -> None:
    """Copy what determines the meaning of operators: operator sets, and called functions."""
    from ...run import is_function

    source = root.module
    for key in _KEPT:
        if key in root.attributes and key not in graph.attributes:
            graph.attributes[key] = root.attributes[key]
        if source is not None and key in source.attributes:
            module.attributes[key] = source.attributes[key]
    if source is None:
        return
    functions = {graph.name: graph for graph in source.graphs.values() if is_function(graph)}
    if not functions or not any(n.op in functions for n in graph.walk()):
        return
    there = {g.name for g in module.graphs.values()}
    for name, function in functions.items():
        if name not in there:
            module.add_graph(function.clone())
