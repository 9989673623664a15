"""Functions that users write: their parameters, where they are, and the graphs that they build."""

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any

from ..._mlir_like._cext_loader import load
from ..._support.elsewhere import from_elsewhere

__all__ = [
    "Place",
    "Trace",
    "current_point",
    "current_trace",
    "has_open_numbers",
    "leave_to",
    "made_conditions",
    "name_of",
    "near",
    "outputs_of",
    "parameters",
    "place_of",
    "positional",
    "taken_conditions",
    "trace",
    "trace_template",
]

_ir = load("ir")

Place = tuple[str, int]
"""File and line."""


def place_of(function: Callable[..., Any] | type | None) -> Place | None:
    """Return file and line of a function, method or class; None where there is no source.

    Parameters
    ----------
    function : callable
        What wraps another one is looked through.
    """
    while isinstance(function, partial):
        function = function.func
    if function is None:
        return None
    given: Any = function
    if hasattr(function, "__wrapped__"):
        from inspect import unwrap

        given = unwrap(function)
    given = getattr(given, "__func__", given)
    code = getattr(given, "__code__", None)
    if code is None and not isinstance(given, type):
        code = getattr(vars(type(given)).get("__call__"), "__code__", None)
    return None if code is None else (code.co_filename, code.co_firstlineno)


def parameters(function: Callable[..., Any], what: str) -> list[str]:
    """Return the names of a function's parameters, which must all be positional."""
    from inspect import signature

    names = []
    for parameter in signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            raise TypeError(
                f"{what} '{name_of(function)}' has a parameter '{parameter}': its parameters are values, "
                "each with a name"
            )
        names.append(parameter.name)
    return names


def name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def near(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean '...'?" for the known name that is most like another; empty when none is."""
    from difflib import get_close_matches

    found = get_close_matches(name, list(known), 1)
    return f"; did you mean '{found[0]}'?" if found else ""


def positional(function: Callable[..., Any], wrong: str) -> tuple[list[str], int, bool]:
    """Return names of the positional parameters without self, how many are required, and whether `*args` takes more.

    Raises
    ------
    TypeError
        With the text `wrong`, if a keyword-only parameter is required, or self is missing.
    """
    from inspect import Parameter, signature

    by_position = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    names: list[str] = []
    required = 0
    takes_more = False
    for parameter in signature(function).parameters.values():
        if parameter.kind in by_position:
            names.append(parameter.name)
            required += parameter.default is parameter.empty
        elif parameter.kind is parameter.VAR_POSITIONAL:
            takes_more = True
        elif parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty:
            raise TypeError(wrong)
    if not names and not takes_more:
        raise TypeError(wrong)
    return names[1:], max(required - 1, 0), takes_more


# --- Tracing


class Trace:
    """A graph into which a function is traced, with the Python functions that are called during matching."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.predicates: list[Callable[[Any], Any]] = []
        self.misplaced: dict[int, dict[str, Any]] = {}
        """Conditions for attributes, by `id`, that no node of `p.op` has taken yet."""

    def predicate(self, function: Callable[[Any], Any]) -> int:
        """Return the number by which the graph refers to a function."""
        if not callable(function):
            raise TypeError(f"a predicate must be callable, not {type(function).__name__}")
        self.predicates.append(function)
        return len(self.predicates) - 1


_CONDITIONS = (
    "conditions for attributes are taken by nodes that p.op makes: "
    "p.op('onnx.Concat')(x, y, axis=p.attr(min=0))"
)
# Per thread and asyncio task, because several may trace patterns at once.
_current: "ContextVar[Trace | None]" = ContextVar("ge.passes.trace", default=None)


def made_conditions(conditions: dict[str, Any]) -> dict[str, Any]:
    """Note that the running pattern function made conditions for an attribute; return them."""
    running = _current.get()
    if running is not None:
        running.misplaced[id(conditions)] = conditions
    return conditions


def taken_conditions(attributes: dict[str, Any]) -> dict[str, Any]:
    """Note that a node takes the conditions among its attributes; return these."""
    running = _current.get()
    if running is not None and running.misplaced:
        for value in attributes.values():
            running.misplaced.pop(id(value), None)
    return attributes


def current_trace(what: str) -> Trace:
    """Return the trace of the pattern function that is running."""
    trace = _current.get()
    if trace is None:
        raise ValueError(
            f"{what} can only be used inside a pattern function, whose pattern stores the predicate"
        )
    return trace


def outputs_of(made: Any, what: str) -> list[Any]:
    """Return the result of a function as a list of Values."""
    items: Iterable[Any] = made if isinstance(made, (tuple, list)) else [made]
    values = []
    for item in items:
        value = item.result if isinstance(item, _ir.Node) else item
        if not isinstance(value, _ir.Value):
            value = getattr(value, "value", None)  # an eager view
        if not isinstance(value, _ir.Value):
            raise TypeError(
                f"{what} must return a value or a sequence of values, not {type(item).__name__}"
                + from_elsewhere(item)
            )
        values.append(value)
    if not values:
        raise TypeError(f"{what} must return a value, not an empty sequence")
    return values


def _absent(function: Callable[..., Any]) -> list[str]:
    """Return the parameters that a pattern need not use: those with the default None."""
    from inspect import signature

    return [p.name for p in signature(function).parameters.values() if p.default is None]


def trace(
    function: Callable[..., Any],
    names: Sequence[str],
    *,
    name: str | None = None,
    what: str = "the pattern function",
    context: Any = None,
    named: Callable[..., Any] | None = None,
    type: Any = None,
) -> Trace:
    """Return the graph that a function builds on inputs with these names.

    Parameters
    ----------
    named : callable, optional
        The function as the user wrote it, of a pattern that names its values. Each must be used, but those with the
        default None: a match binds these to nothing, and a replacement is given an absent operand.
    type : Type, optional
        Of all inputs.

    Raises
    ------
    TypeError
        For another parameter of `named` without uses.
    """
    from ...es import builder

    name = name or name_of(function)
    graph = _ir.Graph(name, context=context)
    result = Trace(graph)
    before, point = _current.get(), current_point()
    try:
        _current.set(result)
        with builder(graph=graph) as b:
            values = [b.input(n, type) for n in names]
            try:
                made = outputs_of(function(*values), f"{what} '{name}'")
            except _ir.BindError as error:
                if result.misplaced and error.argument is not None:
                    raise _ir.BindError(f"{error}\n{_CONDITIONS}") from error
                raise
    finally:
        _current.set(before)
        leave_to(point)
    graph.outputs = made
    if named is not None:
        unused = [n for n, value in zip(names, values, strict=True) if not value.uses]
        if unused and (unused := [n for n in unused if n not in _absent(named)]):
            place = place_of(named)
            where = f" ({place[0]}:{place[1]})" if place else ""
            raise TypeError(
                f"pattern '{name_of(named)}' never uses its parameter '{unused[0]}'{where}; use it, remove it, or write "
                f"{unused[0]}=None if it is absent in each match"
            )
    return result


def trace_template(function: Callable[..., Any], names: Sequence[str], name: str) -> Any:
    """Return the graph that a replacement builds for arbitrary values; its types are inferred when it is instantiated."""
    graph = trace(function, names, name=name, what="the replacement").graph
    unknown = _ir.UnknownType(context=graph.context)
    # The input types are not known here, so inferred types are less precise than at a match. All
    # values are checked before one is changed, because a type that was inferred from a changed one
    # would count as declared.
    # is changed: what was inferred from a type is a declared one when that type is another.
    for value in [v for node in graph.nodes for v in node.results if v.is_type_inferred]:
        value.type = unknown
    return graph


def has_open_numbers(function: Callable[..., Any], names: Sequence[str], template: Any) -> bool:
    """Return whether a number among the operands has the element type of a value that a match gives.

    Parameters
    ----------
    function, names
        The replacement, and the names of its parameters.
    template : Graph
        What `trace_template` gave for it.
    """
    constants = _constant_types(template)
    if not constants:
        return False
    # Try two types: neither is the default of a number; the second is for operators that reject the
    # first.
    for dtype in (_ir.DType("f64"), _ir.DType("u8")):
        try:
            probe = trace(function, names, type=_ir.TensorType(None, dtype)).graph
        except Exception:
            continue
        return _constant_types(probe) != constants
    return False


def _constant_types(graph: Any) -> list[Any]:
    return [node.result.type.dtype for node in graph.nodes if node.op == "ge.Const"]


# An interrupt may come where a `with` of Python code is entered but not yet guarded, or about to be left. So callers of
# a user's function remember the insertion point before, and leave those that are still entered after it.


#: Returns the insertion point of this thread or task, or None.
current_point: Callable[[], Any] = _ir._current_point


def leave_to(point: Any) -> None:
    """Leave the insertion points that were entered since `point` was the current one."""
    while (now := current_point()) is not point and now is not None:
        from ...es import leave

        leave(now)
