"""Operators from Python functions with type hints."""

import collections.abc
import functools
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable
from typing import Any, TypeVar

from .._mlir_like._cext_loader import load
from .._support.program import PACKAGE
from ._range import Range, constant_text

__all__ = ["op"]

_native = load("ops")
_ir = load("ir")
_Function = TypeVar("_Function", bound=Callable[..., Any])
# Closed at interpreter exit, or by the owner of `function.library`.
_kept: list[Any] = []

_ATOMS = {
    bool: "bool",
    int: "int",
    float: "float",
    complex: "complex",
    str: "str",
    bytes: "bytes",
    type(None): "None",
    Any: "Any",
    _ir.Value: "Tensor",
    _ir.Tensor: "TensorLiteral",
    _ir.DType: "ScalarType",
    _ir.Graph: "Graph",
}
# Keys of the registered classes (_objects.py).
_KEYS: dict[type, str] = {}


def op(
    name: str,
    *,
    schema: str | None = None,
    doc: str | None = None,
    since: int = 0,
    traits: "collections.abc.Iterable[str]" = (),
    choices: "collections.abc.Mapping[str, collections.abc.Iterable[Any]] | None" = None,
    ranges: "collections.abc.Mapping[str, Range] | None" = None,
    type_vars: "collections.abc.Mapping[str, collections.abc.Iterable[Any]] | None" = None,
    types: "collections.abc.Mapping[str | int, str] | None" = None,
    kernel: str | None = None,
    as_: str | None = None,
    **extras: Any,
) -> Callable[[_Function], _Function]:
    """Define an operator from a function with type hints: ``@ge.ops.op("acme::scale")``.

    Parameters
    ----------
    name : str
        ``namespace::name``; an overload follows after a dot.
    schema : str, optional
        What follows the name, ``(Tensor x) -> Tensor``, where the hints cannot say it.
    doc : str, optional
        None: the function's docstring, whose section *Parameters* documents the parameters.
    since, traits, choices, ranges, type_vars, types
        As for `Library.define`.
    kernel : str, optional
        A backend: the function is the operator's kernel for it, and runs when the result is called.
    as_ : {"numpy", "torch"}, optional
        What the kernel gets for tensors, as for `Library.impl`.
    **extras
        ``infer``, ``verify``, ``evaluate``, ``decompose`` and ``deprecated`` as for `Library.define`.

    Returns
    -------
    callable
        Gives back an object with the function's name and documentation, the record as ``.op``, the library as
        ``.library`` (closing that takes the operator out) and the function as ``.__wrapped__``. With `kernel`, calling
        it runs the operator, as ``ge.ops.call`` does. Without, calling it is a TypeError that names the function to
        build nodes with: the hints say the operator's types, there is no kernel.

    Raises
    ------
    OpSchemaError
        If a hint has no type in the schema language, or the operator is there already.

    Notes
    -----
    With `kernel`, the hint ``ge.ir.Tensor`` is Tensor, too. Hints: ``ge.ir.Value`` (or a NumPy array) is Tensor, ``int float bool str complex bytes`` are themselves,
    ``ge.ir.DType`` is ScalarType, ``ge.ir.Graph`` and callables are Graph, ``list[T]`` and ``Sequence[T]`` are
    ``T[]``, ``T | None`` is ``T?``, tuples are tuples, several results are a tuple.
    """

    def define(function: _Function) -> _Function:
        text = name + (schema if schema is not None else schema_of(name, function))
        if kernel is not None and schema is None:
            text = text.replace("TensorLiteral", "Tensor")
        whole, docs = _documentation(inspect.getdoc(function) or "")
        code = getattr(function, "__code__", None)
        where = (code.co_filename, code.co_firstlineno) if code else None
        namespace = name.partition("::")[0]
        library = _native.Library(namespace, kind="FRAGMENT")
        parsed = _native.parse_schema(text)
        known = {p.name for p in parsed.params} | {r.name for r in parsed.results}
        record = library.define(
            text,
            doc=whole if doc is None else doc,
            docs={k: v for k, v in docs.items() if k in known},
            since=since,
            traits=traits,
            where=where,
            choices=choices,
            ranges=ranges,
            type_vars=type_vars,
            types=types,
            **extras,
        )
        if kernel is not None:
            try:
                library.impl(record.qualified_name, kernel, function, as_=as_)
            except BaseException:
                library.close()
                raise
        _kept.append(library)
        if kernel is not None:
            return typing.cast(_Function, _with_kernel(function, record, library))
        return typing.cast(_Function, _without_kernel(function, record, library))

    return define


def _with_kernel(function: Callable[..., Any], record: Any, library: Any) -> Callable[..., Any]:
    """Return the function that runs the operator."""
    from ._call import Operator

    operator = Operator((f"{record.ns}::{record.name}",))

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        return operator(*args, **kwargs)

    run.op = record  # type: ignore[attr-defined]
    run.library = library  # type: ignore[attr-defined]
    return run


def _without_kernel(function: Callable[..., Any], record: Any, library: Any) -> Callable[..., Any]:
    """Return the object that replaces a function whose hints define an operator."""
    package = __name__.partition(".ops")[0]

    @functools.wraps(function)
    def defined(*args: Any, **kwargs: Any) -> Any:
        raise TypeError(
            f"{record.qualified_name} says types and has no kernel, so a call computes nothing; to build a node call "
            f"{package}.es.{record.ns}.{record.name}(...), to run the function itself call .__wrapped__"
        )

    defined.op = record  # type: ignore[attr-defined]
    defined.library = library  # type: ignore[attr-defined]
    return defined


def schema_of(
    name: str,
    function: Callable[..., Any],
    first: "str | None" = None,
    names: "dict[str, Any] | None" = None,
) -> str:
    """Return the schema of a function's type hints, without the name.

    Parameters
    ----------
    name : str
        For messages.
    function : callable
    first : str, optional
        The type of the first parameter, which needs no hint; empty: it is left out.
    names : dict, optional
        What hints that are text may name beside the function's globals.
    """
    signature = inspect.signature(function)
    try:
        hints = typing.get_type_hints(function, localns=names)
    except NameError as error:
        raise _ir.OpSchemaError(f"{name}: a type hint cannot be read: {error}") from error
    parts, keyword_only = [], False
    parameters = list(signature.parameters.values())
    if first is not None:
        own = parameters.pop(0)
        if first:
            parts.append(f"{first} {own.name}")
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            parts.append("...")
            continue
        if parameter.kind is parameter.VAR_KEYWORD:
            raise _ir.OpSchemaError(f"{name}: **{parameter.name} has no schema")
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        if parameter.name not in hints:
            raise _ir.OpSchemaError(f"{name}: parameter '{parameter.name}' has no type hint")
        text = f"{_type(hints[parameter.name], name, parameter.name)} {parameter.name}"
        if parameter.default is not parameter.empty:
            text += "=" + constant_text(
                parameter.default, f"{name}: the default of '{parameter.name}'"
            )
        parts.append(text)
    results = hints.get("return", type(None))
    return f"({', '.join(parts)}) -> {_results(results, name)}"


def _results(hint: Any, name: str) -> str:
    if hint is type(None):
        return "()"
    fields = getattr(hint, "_fields", None)
    if fields:  # a named tuple
        hints = typing.get_type_hints(hint)
        return "(" + ", ".join(f"{_type(hints[f], name, f)} {f}" for f in fields) + ")"
    if typing.get_origin(hint) is tuple and Ellipsis not in typing.get_args(hint):
        parts = [_type(part, name, "the result") for part in typing.get_args(hint)]
        return f"({', '.join(parts)})"
    return _type(hint, name, "the result")


def _type(hint: Any, name: str, what: str) -> str:
    key = _KEYS.get(hint) if isinstance(hint, type) else None
    if key is not None:
        return key
    atom = _ATOMS.get(hint) if isinstance(hint, collections.abc.Hashable) else None
    if atom is not None:
        return atom
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        rest = [a for a in arguments if a is not type(None)]
        texts = [_type(a, name, what) for a in rest]
        if set(rest) == {int, float}:
            texts = ["Scalar"]
        text = texts[0] if len(texts) == 1 else f"Union({', '.join(texts)})"
        return text + "?" if len(rest) < len(arguments) else text
    if origin in (list, collections.abc.Sequence, collections.abc.Iterable) and arguments:
        return _type(arguments[0], name, what) + "[]"
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return _type(arguments[0], name, what) + "[]"
    if origin is tuple:
        return f"({', '.join(_type(a, name, what) for a in arguments)})"
    if origin in (dict, collections.abc.Mapping):
        return f"Dict({', '.join(_type(a, name, what) for a in arguments)})"
    if origin is collections.abc.Callable or hint is collections.abc.Callable:
        return "Graph"
    numpy = sys.modules.get("numpy")
    if numpy is not None and (hint is numpy.ndarray or origin is numpy.ndarray):
        return "Tensor"
    raise _ir.OpSchemaError(
        f"{name}: the type hint {hint!r} of '{what}' has no type in the schema language; "
        f"see {PACKAGE}.ops.op, or pass schema="
    )


def _documentation(text: str) -> tuple[str, dict[str, str]]:
    """Split a NumPy-style docstring into the text before its sections, and the texts of parameters and results."""
    heads = list(re.finditer(r"^(\w[\w ]*)\n-{3,}[ ]*$", text, re.M))
    if not heads:
        return text.strip(), {}
    docs: dict[str, str] = {}
    for number, head in enumerate(heads):
        end = heads[number + 1].start() if number + 1 < len(heads) else len(text)
        if head[1].strip() not in ("Parameters", "Returns"):
            continue
        names: list[str] = []
        for line in text[head.end() : end].splitlines():
            if line and not line[0].isspace():
                names = [n.strip() for n in line.partition(":")[0].split(",")]
            elif line.strip():
                for entry in names:
                    docs[entry] = f"{docs.get(entry, '')} {line.strip()}".strip()
    return text[: heads[0].start()].strip(), docs
