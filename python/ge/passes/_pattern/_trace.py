"""From functions to graphs: how patterns and replacements are written."""

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import Any

from ..._mlir_like._cext_loader import load
from ._functions import name_of

__all__ = ["Trace", "current_point", "current_trace", "leave_to", "outputs_of", "trace"]

_ir = load("ir")


class Trace:
    """A graph that a function is being traced into, with the functions that it asks at matching."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.predicates: list[Callable[[Any], Any]] = []

    def predicate(self, function: Callable[[Any], Any]) -> int:
        """Return the number that stands for a function in the graph."""
        if not callable(function):
            raise TypeError(f"a predicate must be callable, not {type(function).__name__}")
        self.predicates.append(function)
        return len(self.predicates) - 1


_CONDITIONS = (
    "conditions for attributes are taken by nodes that p.op makes: "
    "p.op('onnx.Concat')(x, y, axis=p.attr(min=0))"
)
# Of a thread and of an asyncio task: several may be making patterns.
_current: "ContextVar[Trace | None]" = ContextVar("ge.passes.trace", default=None)


def current_trace(what: str) -> Trace:
    """Return the trace of the pattern function that runs."""
    trace = _current.get()
    if trace is None:
        raise ValueError(
            f"{what} stands in a pattern function only: there its function can be kept with the pattern"
        )
    return trace


def outputs_of(made: Any, what: str) -> list[Any]:
    """Return what a function gave as a list of Values."""
    items: Iterable[Any] = made if isinstance(made, (tuple, list)) else [made]
    values = []
    for item in items:
        value = item.result if isinstance(item, _ir.Node) else item
        if not isinstance(value, _ir.Value):
            value = getattr(value, "value", None)  # an eager view
        if not isinstance(value, _ir.Value):
            raise TypeError(
                f"{what} must return a value or a sequence of values, not {type(item).__name__}"
            )
        values.append(value)
    if not values:
        raise TypeError(f"{what} must return a value, not an empty sequence")
    return values


def trace(
    function: Callable[..., Any],
    names: Sequence[str],
    *,
    name: str | None = None,
    what: str = "the pattern function",
    context: Any = None,
) -> Trace:
    """Return what a function builds on inputs with these names."""
    from ...es import builder

    name = name or name_of(function)
    graph = _ir.Graph(name, context=context)
    result = Trace(graph)
    before, point = _current.get(), current_point()
    try:
        _current.set(result)
        with builder(graph=graph) as b:
            values = [b.input(n) for n in names]
            try:
                made = outputs_of(function(*values), f"{what} '{name}'")
            except _ir.BindError as error:
                if "got dict" in str(error):  # p.attr
                    raise _ir.BindError(f"{error}\n{_CONDITIONS}") from error
                raise
    finally:
        _current.set(before)
        leave_to(point)
    graph.outputs = made
    return result


# An interrupt may come where a `with` of Python code is entered but not yet guarded, or about to be left. So callers of
# a user's function remember the insertion point before, and leave those that are still entered after it.


def current_point() -> Any:
    """Return the insertion point of this thread or task; None: there is none."""
    return _ir._current_point()


def leave_to(point: Any) -> None:
    """Leave the insertion points that were entered since `point` was the current one."""
    while (now := current_point()) is not point and now is not None:
        from ...es import leave

        leave(now)
