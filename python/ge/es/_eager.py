"""One call of a graph-building function in CANN's eager style.

The native call comes here when a TensorHolder or a GraphBuilder is among its arguments, and is made by the same
native function then: at the end of the builder's graph, with CANN's names and constants. As in CANN nothing is refused
for its types: where they do not fit, those of the results are unknown.
"""

from typing import TYPE_CHECKING, Any

from .._mlir_like._cext_loader import load
from ..graph import DataType
from . import _scopes, tensor_like
from ._namespace import namespace
from .tensor_like import resolve_builder, tensor_of

if TYPE_CHECKING:
    from .graph_builder import GraphBuilder
    from .tensor_holder import TensorHolder

__all__ = ["arithmetic", "call", "install"]

_ir = load("ir")
_native = load("ops")

_ARITHMETIC = {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div"}
_OWNERS = ("owner_builder", "owner_graph_builder")
# Codes of native `_slots` for the kind of a parameter.
_OPERAND, _VARIADIC, _ELEMENT_TYPE = 1, 2, 3


# Set by install(), because both classes import this module; an import in each call would cost more
# than the call.
_Holder: Any = ()
_Builder: Any = ()


def install(holder: "type[TensorHolder]", builder: "type[GraphBuilder]") -> None:
    """Pass CANN's classes to the native functions."""
    global _Holder, _Builder
    _Holder, _Builder = tensor_like._Holder, tensor_like._Builder = holder, builder
    _native._set_eager(call, holder, builder)


def arithmetic(name: str, a: Any, b: Any) -> "TensorHolder":
    """Return ``a <name> b``; one of them is a TensorHolder."""
    function = getattr(namespace("math"), _ARITHMETIC[name])
    resolve_builder(a, b)._check_usable(name)
    made: TensorHolder = _call(function, (a, b), {}, f"perform {name}")
    return made


def call(function: Any, args: "tuple[Any, ...]", kwargs: "dict[str, Any] | None") -> Any:
    """Make a call that has a TensorHolder or a GraphBuilder among its arguments."""
    if isinstance(function, tuple):
        return _call_overload(function, args, kwargs or {})
    return _call(function, args, kwargs or {}, f"perform {function.__name__}")


def _call_overload(
    functions: "tuple[Any, ...]", args: "tuple[Any, ...]", kwargs: "dict[str, Any]"
) -> Any:
    """Choose the function by the values, because CANN has no overloads, and call it."""

    def plain(item: Any) -> Any:
        if isinstance(item, (list, tuple)):
            return [plain(each) for each in item]
        return item._value if isinstance(item, _Holder) else item

    builder = resolve_builder(*_flat(args, kwargs))
    builder._check_usable(f"perform {functions[0].__name__}")
    made = _native._call_overload(
        functions, tuple(map(plain, args)), {key: plain(item) for key, item in kwargs.items()}
    )
    _scopes.apply(_node_of(made, builder))
    return wrap(made, builder)


def _flat(args: "tuple[Any, ...]", kwargs: "dict[str, Any]") -> "list[Any]":
    flat: list[Any] = []
    for item in (*args, *kwargs.values()):
        flat += item if isinstance(item, (list, tuple)) else [item]
    return flat


def _call(function: Any, args: "tuple[Any, ...]", kwargs: "dict[str, Any]", operation: str) -> Any:
    slots = _native._slots(function)
    args, kwargs, builder = _owner(function, slots, args, kwargs)
    builder._check_usable(operation)
    mark = builder._mark()
    try:
        operands = _Operands(builder, operation)
        values = [
            operands.of(slots[i][1], item) if i < len(slots) else item
            for i, item in enumerate(args)
        ]
        kinds = dict(slots)
        named = {key: operands.of(kinds.get(key, 0), item) for key, item in kwargs.items()}
        if named.get("_name") is None:
            named["_name"] = builder._next_name(function.op.name)
        made = _native._call_in(function, tuple(values), named, builder._graph)
        _scopes.apply(_node_of(made, builder))
    except BaseException:
        builder._undo(mark)
        raise
    return wrap(made, builder)


class _Operands:
    """Converts arguments to values."""

    def __init__(self, builder: "GraphBuilder", operation: str) -> None:
        self._builder = builder
        self._operation = operation

    def of(self, kind: int, item: Any) -> Any:
        if kind == _VARIADIC and isinstance(item, (list, tuple)):
            return [self._value(each) for each in item]
        if kind in (_OPERAND, _VARIADIC):
            return self._value(item)
        if kind == _ELEMENT_TYPE and isinstance(item, DataType):
            return _ir.DType(item.name)
        return item

    def _value(self, item: Any) -> Any:
        if isinstance(item, _Holder):
            if item._builder is not self._builder:
                different = _scopes.different(self._builder, item._builder)
                raise ValueError(f"Cannot {self._operation}: {different}")
            return item._value
        if item is None or isinstance(item, (_ir.Value, _ir.Node)):
            return item
        return self._builder._add_constant(tensor_of(item))._value


def _owner(
    function: Any,
    slots: "list[tuple[str, int]]",
    args: "tuple[Any, ...]",
    kwargs: "dict[str, Any]",
) -> "tuple[tuple[Any, ...], dict[str, Any], GraphBuilder]":
    """Return the arguments without the builder that CANN's functions take, and the builder.

    Functions without operands take it first, those whose operands are all optional as ``owner_builder``.
    """
    owners: list[Any] = []
    if not any(p.required for p in function.op.operands):
        known = {name for name, _ in slots}
        owners = [kwargs[key] for key in _OWNERS if key in kwargs and key not in known]
        kwargs = {key: item for key, item in kwargs.items() if key not in _OWNERS or key in known}
        owners += [item for item in args if isinstance(item, _Builder)]
        args = tuple(item for item in args if not isinstance(item, _Builder))
    return args, kwargs, resolve_builder(*owners, *_flat(args, kwargs))


def _node_of(made: Any, builder: "GraphBuilder") -> Any:
    while isinstance(made, (list, tuple)) and made:
        made = made[0]
    if isinstance(made, _ir.Value):
        return made.node
    return builder._graph.nodes[-1]  # an operator without results: the last node is the new one


def wrap(made: Any, builder: "GraphBuilder") -> Any:
    """Return values as holders, in lists and named tuples too."""
    if isinstance(made, _ir.Value):
        return builder._holder(made)
    if isinstance(made, list):
        return [wrap(item, builder) for item in made]
    if isinstance(made, tuple):
        return type(made)(*(wrap(item, builder) for item in made))
    return made
