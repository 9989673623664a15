"""Subgraph attributes as Python callables.

A callable is traced into a separate graph, which becomes a subgraph of the new node. A value of an outer graph that
the callable uses is represented by an input, which the value replaces once the subgraph belongs to the node.
"""

import inspect
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

from .._mlir_like._cext_loader import load

__all__ = ["adopted", "capture", "trace"]

_ir = load("ir")
_native = load("ops")


class _Body:
    """A graph that is being traced."""

    def __init__(self, graph: Any, outer: Any, builder: Any) -> None:
        self.graph = graph
        self.outer = outer  # the graph that the node goes to, which may be a body itself
        self.builder = builder
        self.captures: dict[Any, Any] = {}


# From the outer to the inner one, of a thread and of an asyncio task: several may be building.
_stack: "ContextVar[tuple[_Body, ...]]" = ContextVar("ge.es.bodies", default=())


def trace(
    body: Callable[..., Any],
    op: Any,
    parameter: str,
    operands: "list[Any]",
    attributes: "dict[str, Any]",
    outer: Any,
) -> tuple[Any, list[tuple[Any, Any]]]:
    """Return the graph that a callable makes, and its captures as pairs of input and outer value."""
    from ._builder import Builder, live_builder

    names = _names(body, op, parameter)
    types = _input_types(op, operands, attributes, names)
    if names is None:
        names = [f"{parameter}_in{i}" for i in range(len(types or ()))]
    if types is None:
        types = [_ir.UnknownType(context=outer.context)] * len(names)
    if len(types) != len(names):
        raise TypeError(
            f"{op.qualified_name}(): '{parameter}' takes {len(names)} arguments "
            f"({', '.join(names)}), but the operator gives it {len(types)}: "
            + (", ".join(str(t) for t in types) or "none")
        )
    graph = _ir.Graph(parameter, context=outer.context)
    inputs = [graph.add_input(n, t) for n, t in zip(names, types, strict=True)]
    builder = live_builder(outer) or Builder(graph=graph)
    here = _Body(graph, outer, builder)
    around = _stack.get()
    _stack.set((*around, here))
    _native._live_add(builder, graph, builder._opset or 0)
    _native._tracing(1)
    try:
        with _ir.InsertionPoint(graph):
            _set_outputs(here, body(*inputs), op, parameter)
    finally:
        _native._tracing(-1)
        _native._live_remove(builder, graph)
        _stack.set(around)
    return graph, [(inner, value) for value, inner in here.captures.items()]


def _set_outputs(here: _Body, made: Any, op: Any, parameter: str) -> None:
    outputs = [] if made is None else list(made) if isinstance(made, (tuple, list)) else [made]
    values = []
    for item in outputs:
        value = item.result if isinstance(item, _ir.Node) else item
        if hasattr(value, "get_owner_builder"):
            raise TypeError(
                f"{op.qualified_name}(): '{parameter}' gives a TensorHolder; a function that makes a subgraph "
                "takes and gives Values (as they are its arguments), or give a Graph that a GraphBuilder "
                "of its own built"
            )
        if not isinstance(value, _ir.Value):
            value = here.builder.constant(value, graph=here.graph)
        elif value.node.root is not here.graph:
            # ONNX wants the outputs of a body made in it.
            value = capture(value, here.graph)
            value = here.builder.identity(value)
        values.append(value)
    here.graph.outputs = values


def capture(value: Any, graph: Any) -> Any:
    """Return the input that represents a value of an outer graph in the graph that is being traced."""
    here = next(
        (b for b in reversed(_stack.get()) if b.graph is graph or b.graph is _root(graph)), None
    )
    if here is None:
        raise ValueError(f"{value!r} is of another graph than {graph!r}")
    outer_body = next((b for b in _stack.get() if b.graph is _root(here.outer)), None)
    if value.node.root is not _root(here.outer):
        if outer_body is None:
            raise ValueError(f"{value!r} is of none of the graphs around {graph!r}")
        value = capture(value, here.outer)
    inner = here.captures.get(value)
    if inner is None:
        inner = here.graph.add_input(f"{value.name}_captured", value.type)
        here.captures[value] = inner
    return inner


def _root(graph: Any) -> Any:
    while graph.parent_node is not None:
        graph = graph.parent_node.graph
    return graph


def adopted(captures: "list[list[tuple[Any, Any]]]") -> None:
    """Replace the inputs that represented outer values by these values."""
    for pairs in captures:
        for inner, value in reversed(pairs):
            graph = inner.node.graph
            inner.replace_all_uses_with(value)
            graph.erase_input(inner.node.attributes["index"], force=True)


def _names(body: Any, op: Any, parameter: str) -> "list[str] | None":
    """Return the names of a callable's positional parameters; None when it takes any number."""
    try:
        parameters = inspect.signature(body).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    return [
        p.name
        for p in parameters
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty
    ]


def _input_types(
    op: Any, operands: Sequence[Any], attributes: "dict[str, Any]", names: "list[str] | None"
) -> "list[Any] | None":
    """Return what an operator gives its subgraphs; None when nothing is known."""
    unknown = _ir.UnknownType()
    types = [unknown if v is None else v.type for v in operands]
    if op.ns != "onnx":
        # CANN: a subgraph gets the elements of the dynamic input.
        first = next((i for i, p in enumerate(op.operands) if p.is_variadic), None)
        if first is None or names is None:
            return None
        after = sum(not p.is_variadic for p in op.operands[first:])
        given = types[first : len(types) - after]
        return given if len(given) == len(names) else [unknown] * len(names)
    if op.name == "If":
        return []
    if op.name == "Loop":
        scalars = [_ir.TensorType((), _ir.i64), _ir.TensorType((), _ir.DType("bool"))]
        return scalars + types[2:]
    if op.name == "Scan":
        if op.since < 9:
            types = types[1:]
        count = attributes.get("num_scan_inputs", 0)
        state = len(types) - count
        return types[:state] + [_slice(t, op.since) for t in types[state:]]
    if op.name == "SequenceMap":
        return [t.element if isinstance(t, _ir.SequenceType) else t for t in types]
    return None


def _slice(type_: Any, since: int) -> Any:
    """Return the type of one element of what Scan runs over."""
    if isinstance(type_, _ir.TensorType) and type_.shape is not None:
        skip = 1 if since >= 9 else 2
        return _ir.TensorType(type_.shape[skip:], type_.dtype)
    return _ir.UnknownType()
