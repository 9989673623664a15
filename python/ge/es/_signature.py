"""`inspect.signature` of graph-building functions."""

import inspect
from collections.abc import Callable, Sequence
from inspect import Parameter
from typing import Any

from .._mlir_like._cext_loader import load

__all__ = ["annotation", "signature", "takes_outputs"]

_ir = load("ir")
_native = load("ops")

_ATOMS = {
    "Tensor": _ir.Value,
    "int": int,
    "SymInt": int,
    "float": float,
    "complex": complex,
    "Scalar": int | float,
    "bool": bool,
    "str": str,
    "bytes": bytes,
    "ScalarType": _ir.DType,
    "TensorLiteral": _ir.Tensor,
    "ValueType": _ir.Type,
    "SparseLiteral": dict[str, Any],
    "Graph": _ir.Graph | Callable[..., Any],
}


def annotation(type_: Any) -> Any:
    """Return the Python type that a schema type takes."""
    if type_.kind == "optional":
        inner = annotation(type_.elements[0])
        return inner if inner is Any else inner | None
    if type_.kind == "tuple":
        return tuple[tuple(annotation(element) for element in type_.elements)]  # type: ignore[misc]
    if type_.kind == "list":
        return Sequence[annotation(type_.elements[0])]  # type: ignore[misc]
    return _ATOMS.get(type_.name, Any)


def takes_outputs(function: Any) -> bool:
    """Whether the number of results can be chosen by ``_outputs``."""
    _form, _sources, default, variadic = _native._form(function)
    op = function.op
    return bool(op.varret or variadic >= 0 or default < len(op.results))


def signature(function: Any) -> inspect.Signature:
    """Return the signature of a graph-building function, from its record."""
    form, _sources, default, variadic = _native._form(function)
    parameters = [
        Parameter(
            p.name,
            Parameter.KEYWORD_ONLY if p.kw_only else Parameter.POSITIONAL_OR_KEYWORD,
            default=Parameter.empty if p.required else p.default,
            annotation=annotation(p.type),
        )
        for p in form.params
    ]
    if form.vararg:
        at = sum(p.kind is Parameter.POSITIONAL_OR_KEYWORD for p in parameters)
        parameters.insert(at, Parameter("args", Parameter.VAR_POSITIONAL, annotation=_ir.Value))
    extra: list[tuple[str, Any]] = [("_outputs", int | None)] if takes_outputs(function) else []
    # `loc` and `ip` come last, as in all functions that make nodes.
    extra += [
        ("_result_types", _ir.Type | Sequence[_ir.Type | None] | None),  # type: ignore[name-defined]
        ("_name", str | None),
        ("_loc", _ir.Location | None),
        ("_ip", _ir.InsertionPoint | _ir.Graph | None),
    ]
    parameters += [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=type_)
        for name, type_ in extra
    ]
    return inspect.Signature(parameters, return_annotation=_returns(function, default, variadic))


def _returns(function: Any, default: int, variadic: int) -> Any:
    results = function.op.results
    if function.op.varret and not results:
        return list[_ir.Value]  # type: ignore[name-defined]
    if not results:
        return None
    if variadic >= 0:
        return list[_ir.Value] if len(results) == 1 else tuple[Any, ...]  # type: ignore[name-defined]
    return _ir.Value if default == 1 else tuple[(_ir.Value,) * default]  # type: ignore[misc]
