"""Predicates and placeholders for patterns, beside graph-building functions: ``from ge.passes import p``.

Use these functions in a pattern function, or wherever you build a graph for use as a pattern: each function adds a
node of the domain ``pattern``, which the matcher interprets.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ..._mlir_like._cext_loader import load
from ._public import publish
from ._trace import current_trace, made_conditions, taken_conditions

__all__ = [
    "any_of",
    "any_op",
    "attr",
    "constant",
    "named",
    "op",
    "optional",
    "rest",
    "where",
]

_ir = load("ir")


def _value(item: Any) -> Any:
    if item is None or isinstance(item, _ir.Value):
        return item
    if isinstance(item, _ir.Node):
        return item.result
    inner = getattr(item, "value", None)
    return inner if isinstance(inner, _ir.Value) else constant(item)


def _make(
    op: str,
    operands: Sequence[Any],
    attributes: dict[str, Any],
    results: int = 1,
    name: str | None = None,
) -> Any:
    return _ir.Node.create(
        op, operands, attributes, result_types=[_ir.UnknownType()] * results, name=name
    )


class _AnyOfOps:
    """A function that adds a node to find."""

    def __init__(self, ops: tuple[str, ...], opsets: tuple[int | None, int | None] | None) -> None:
        self._attributes: dict[str, Any] = {}
        if ops:
            self._attributes["ops"] = list(ops)
        if opsets is not None:
            first, last = opsets
            self._attributes["opsets"] = [first or 0, -1 if last is None else last]

    def __call__(
        self, *operands: Any, results: int = 1, name: str | None = None, **attributes: Any
    ) -> Any:
        """Add the node; return its value, or a tuple of them when `results` is not 1."""
        node = _make(
            "pattern.Op",
            [_value(o) for o in operands],
            {**self._attributes, **taken_conditions(attributes)},
            results,
            name,
        )
        return node.result if results == 1 else tuple(node.results)


class _OneOp:
    """A function that adds a node of one operator, to a pattern or a replacement."""

    def __init__(self, op: str) -> None:
        self._op = op

    def __call__(
        self,
        *operands: Any,
        results: int = 1,
        name: str | None = None,
        _result_types: Any = None,
        _name: str | None = None,
        _loc: Any = None,
        _ip: Any = None,
        **attributes: Any,
    ) -> Any:
        """Add the node; return its value, or a tuple of them when `results` is not 1."""
        types = [None] * results if _result_types is None else _result_types
        types = [types] if isinstance(types, _ir.Type) else list(types)
        node = _ir.Node.create(
            self._op,
            [_value(o) for o in operands],
            taken_conditions(attributes),
            result_types=[_ir.UnknownType() if t is None else t for t in types],
            name=name if _name is None else _name,
            loc=_loc,
            ip=_ip,
        )
        return node.result if len(types) == 1 else tuple(node.results)


def op(*names: str, opsets: tuple[int | None, int | None] | None = None) -> Callable[..., Any]:
    """Return a function that adds a node with one of these operators: ``p.op("Relu", "onnx.LeakyRelu")(x)``.

    Parameters
    ----------
    *names : str
        With a domain; a name without one is an operator of that type in any domain.
    opsets : tuple, optional
        The first and the last operator set that it is for; None: no bound.

    Returns
    -------
    callable
        ``(*operands, results=1, name=None, **attributes)``; None is an absent operand, and attributes may be
        conditions (`attr`). Of a single operator with a domain it also takes ``_result_types=``, ``_name=``, ``_loc=``
        and ``_ip=``, as functions of ``ge.es`` do.

    Raises
    ------
    KeyError
        When the pattern is made, for a name that no known namespace has, with near names.
    """
    if not names:
        raise TypeError("op() needs the name of an operator; any_op() matches all operators")
    if len(names) == 1 and opsets is None and ("." in names[0] or "::" in names[0]):
        return _OneOp(names[0])
    return _AnyOfOps(names, opsets)


def any_op() -> Callable[..., Any]:
    """Return a function that adds a node with any operator: ``p.any_op()(x)``; see `op`."""
    return _AnyOfOps((), None)


def attr(
    value: Any = None,
    *,
    one_of: Sequence[Any] | None = None,
    min: float | None = None,
    max: float | None = None,
    tolerance: float | None = None,
    absent: bool = False,
    predicate: Callable[[Any], Any] | None = None,
    bind: str | None = None,
) -> dict[str, Any]:
    """Return conditions for an attribute: ``p.op("onnx.Conv")(x, w, group=p.attr(min=2))``.

    Without arguments it must be there. An attribute that a node does not have counts as its default.

    Parameters
    ----------
    value : object, optional
        To be equal to, up to a relative `tolerance`; or a function, the same as `predicate`.
    one_of : sequence, optional
    min, max : float, optional
        Inclusive.
    tolerance : float, optional
    absent : bool
        It must not be there.
    predicate : callable, optional
        Asked about the value; in a pattern function only.
    bind : str, optional
        A name. Attributes with the same name must be equal; ``match[name]`` is the value, and in a replacement
        ``p.attr(bind=name)`` writes it.
    """
    if callable(value):
        value, predicate = None, value
    conditions: dict[str, Any] = {}
    if value is not None:
        conditions["match.value"] = value
    if tolerance is not None:
        conditions["match.tolerance"] = float(tolerance)
    if one_of is not None:
        conditions["match.one_of"] = list(one_of)
    if min is not None:
        conditions["match.min"] = min
    if max is not None:
        conditions["match.max"] = max
    if absent:
        conditions["match.absent"] = True
    if predicate is not None:
        conditions["match.predicate"] = current_trace("a predicate").predicate(predicate)
    if bind is not None:
        conditions["match.bind"] = bind
    return made_conditions(conditions or {"match.any": True})


def any_of(*alternatives: Any) -> Any:
    """Return a value that matches the first of these alternatives that matches."""
    if not alternatives:
        raise TypeError("any_of() needs an alternative")
    return _make("pattern.AnyOf", [_value(a) for a in alternatives], {}).result


def optional(what: Any, *operands: Any, **attributes: Any) -> Any:
    """Return a value or node that may be missing.

    ``p.optional(bias)`` is an operand that may be absent. ``p.optional(op.Cast, x, to=1)`` is the node ``op.Cast(x,
    to=1)``, or ``x`` itself where there is none.
    """
    if callable(what):
        if not operands:
            raise TypeError(
                "optional(function, x, ...) needs x, the value that is matched when the node is missing"
            )
        return any_of(what(*operands, **attributes), operands[0])
    if operands or attributes:
        raise TypeError("optional() takes a value, or a function and its arguments")
    return _make("pattern.Optional", [_value(what)], {}).result


def rest(name: str | None = None) -> Any:
    """Return a placeholder for any number of operands: ``op.Concat([x, p.rest("others")], axis=1)``.

    ``match[name]`` is a tuple of them. One operator takes one rest.
    """
    value = _make("pattern.Rest", [], {}).result
    if name is not None:
        value.name = name
    return value


def constant(
    value: Any = None,
    *,
    dtype: Any = None,
    tolerance: float | None = None,
    exact: bool = False,
    predicate: Callable[[Any], Any] | None = None,
    name: str | None = None,
) -> Any:
    """Return a constant: any, or with this value.

    Parameters
    ----------
    value : number, array, list or Tensor, optional
        A scalar matches a constant with one element of whatever element type; others must have the same shape.
    dtype : DType, optional
    tolerance : float, optional
        Relative; 1e-5 when not given.
    exact : bool
        Same type and same bits.
    predicate : callable, optional
        Asked about the Tensor; in a pattern function only.
    name : str, optional
    """
    attributes: dict[str, Any] = {}
    if value is not None:
        if isinstance(value, bool) and dtype is None:
            dtype = _ir.DType("bool")
        attributes["value"] = (
            value if isinstance(value, _ir.Tensor) else _ir.Tensor(value, dtype=dtype)
        )
    if tolerance is not None:
        attributes["tolerance"] = float(tolerance)
    if exact:
        attributes["exact"] = True
    if predicate is not None:
        from ...ops import constant_tensor

        of_tensor = predicate

        def of_value(found: Any) -> Any:
            return of_tensor(constant_tensor(found))

        attributes["predicate"] = current_trace("a predicate").predicate(of_value)
    if set(attributes) == {"value"}:  # also in a replacement
        tensor = attributes["value"]
        made = _ir.Node.create("ge.Const", [], attributes, result_types=[tensor.type]).result
    else:
        made = _make("pattern.Const", [], attributes).result
    if name is not None:
        made.name = name
    return made


def where(
    value: Any,
    predicate: Callable[[Any], Any] | None = None,
    /,
    *,
    shape: Sequence[Any] | None = None,
    dtype: Any = None,
    rank: int | tuple[int, int] | None = None,
    attributes: dict[str, Any] | None = None,
    name: str | None = None,
) -> Any:
    """Return the value under conditions: ``x.where(shape=("N", "C", ...), dtype=ir.f32)``.

    Parameters
    ----------
    value : Value
    predicate : callable, optional
        Asked about the Value that is found; in a pattern function only.
    shape : sequence, optional
        Of sizes, names (equal names in a pattern stand for equal sizes), None for any, ``...`` for any number.
    dtype : DType or sequence of DType, optional
    rank : int or tuple, optional
        Or the least and the greatest.
    attributes : dict, optional
        Of the node that makes it; values or conditions (`attr`).
    name : str, optional
        What ``match[name]`` gives.

    Returns
    -------
    Value
        To be used in the place of `value`.
    """
    conditions: dict[str, Any] = {}
    if shape is not None:
        conditions["dims"] = [
            "..." if d is Ellipsis else "?" if d is None else str(d) for d in shape
        ]
        if not conditions["dims"]:
            del conditions["dims"]
            rank = 0
    if dtype is not None:
        many = isinstance(dtype, (tuple, list))
        conditions["dtype"] = [_ir.DType(d) for d in dtype] if many else _ir.DType(dtype)
    if rank is not None:
        conditions["rank"] = list(rank) if isinstance(rank, (tuple, list)) else rank
    if attributes is not None:
        conditions["attributes"] = taken_conditions(attributes)
    if predicate is not None:
        conditions["predicate"] = current_trace("a predicate").predicate(predicate)
    made = _make("pattern.Where", [_value(value)], conditions).result
    if name is not None:
        made.name = name
    return made


def named(value: Any, name: str) -> Any:
    """Name a value, for `Match` and replacements; return the value."""
    return where(value, name=name)


publish(globals(), home="p")
