"""Name, documentation and signature of operators that are called: from their records, for `help` and `inspect`."""

import inspect
from collections.abc import Sequence
from inspect import Parameter
from typing import Any

from .._mlir_like._cext_loader import load
from ._codes import class_of

__all__ = ["docstring", "signature"]

_ir: Any = load("ir")

_ATOMS = {
    "int": int,
    "SymInt": int,
    "float": float,
    "SymFloat": float,
    "complex": complex,
    "Scalar": int | float,
    "bool": bool,
    "SymBool": bool,
    "str": str,
    "Bytes": bytes,
    "ScalarType": _ir.DType,
}


def _annotation(type_: Any) -> Any:
    """Return the Python type of an argument; arrays are of any framework."""
    if type_.kind == "optional":
        inner = _annotation(type_.elements[0])
        return inner if inner is Any else inner | None
    if type_.kind == "tuple":
        return tuple[tuple(map(_annotation, type_.elements))]  # type: ignore[misc]
    if type_.kind == "list":
        return Sequence[_annotation(type_.elements[0])]  # type: ignore[misc]
    return class_of(type_) or _ATOMS.get(type_.name, Any)


def signature(record: Any, takes_out: bool) -> inspect.Signature:
    """Return the signature of calls of an operator: the schema's own order, then ``out=``."""
    parameters = [
        Parameter(
            p.name,
            Parameter.KEYWORD_ONLY if p.kw_only else Parameter.POSITIONAL_OR_KEYWORD,
            default=Parameter.empty if p.required else p.default,
            annotation=_annotation(p.type),
        )
        for p in record.params
    ]
    if record.vararg:
        place = sum(not p.kw_only for p in record.params)
        parameters.insert(place, Parameter("args", Parameter.VAR_POSITIONAL))
    if takes_out and _has_tensors(record):
        parameters.append(Parameter("out", Parameter.KEYWORD_ONLY, default=None))
    results = [_annotation(r.type) for r in record.results]
    returned: Any = results[0] if len(results) == 1 else None
    if len(results) > 1:
        returned = tuple[tuple(results)]  # type: ignore[misc]
    # A schema may have a parameter without a default after one with it.
    return inspect.Signature(parameters, return_annotation=returned, __validate_parameters__=False)


def _has_tensors(record: Any) -> bool:
    return any(r.type.contains_tensor for r in record.results)


def docstring(record: Any, takes_out: bool) -> str:
    """Return the documentation of an operator in NumPy style."""
    lines = [record.doc.strip() or f"Compute {record.qualified_name}."]
    if record.deprecated:
        instead = f" use {record.deprecation}" if record.deprecation else ""
        lines += ["", f".. deprecated:: {record.since}{instead}"]
    has_out = takes_out and _has_tensors(record)
    if record.params or has_out:
        lines += ["", "Parameters", "----------"]
    for p in record.params:
        default = "" if p.required else f", default {p.default!r}"
        lines.append(f"{p.name} : {p.type}{default}")
        lines += _about(p.doc)
    if has_out:
        lines += ["out : array or tuple of arrays, optional", "    Where the results are written."]
    lines += ["", "Returns", "-------"]
    for r in record.results:
        lines.append(f"{r.name} : {r.type}" if r.name else str(r.type))
        lines += _about(r.doc)
    if not record.results:
        lines.append("None")
    return "\n".join(lines)


def _about(text: str) -> list[str]:
    return ["    " + line.strip() for line in text.strip().splitlines()]
