"""Docstrings of graph-building functions, in NumPy style, from their records."""

import re
import textwrap
from typing import Any

from .._mlir_like._cext_loader import load
from ._signature import takes_outputs

__all__ = ["docstring", "prose", "type_names"]

_ir = load("ir")
_native = load("ops")
_WIDTH = 100
_TYPES = {
    "Tensor": "Value or array_like",
    "TensorLiteral": "Tensor or array_like",
    "SparseLiteral": 'dict of "values", "indices" and "dims"',
    "ValueType": "Type",
    "ScalarType": "DType",
    "Graph": "Graph or callable",
}
_ONNX = {"float": "f32", "double": "f64", "float16": "f16", "bfloat16": "bf16", "complex64": "c64"}
_ONNX |= {"complex128": "c128", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64"}
_ONNX |= {"uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "bool": "bool"}


def docstring(function: Any) -> str:
    """Return the documentation of a graph-building function."""
    op = function.op
    form, sources, default, variadic = _native._form(function)
    lines = prose(op.doc, "") or [f"Build a node of {op.qualified_name}."]
    if op.deprecated:
        instead = f": use {op.deprecation}" if op.deprecation else ""
        lines += ["", *_wrap(f".. deprecated:: {op.since}{instead}", "")]
    lines += ["", "Parameters", "----------"]
    for p in form.params:
        lines.append(f"{p.name} : {_type(p)}")
        lines += prose(_about(p, op, sources), "    ")
    if takes_outputs(function):
        lines.append("_outputs : int, optional")
        lines += prose(_outputs(op, default, variadic), "    ")
    lines.append("_result_types : Type or sequence of Type or None, optional")
    lines.append(
        "    Declared types of the results, made more precise by inference; None: inferred."
    )
    lines.append("_name : str, optional")
    lines.append("    Name of the node; a clash gets ``_1``.")
    lines.append("_loc : Location, optional")
    lines.append("    Where the node comes from; None: the enclosing ``with``.")
    lines.append("_ip : InsertionPoint or Graph, optional")
    lines.append("    Where the node goes; None: the enclosing ``with``, else the operands' graph.")
    lines += ["", "Returns", "-------", *_returned(op, default, variadic)]
    lines += ["", "Raises", "------", "BindError"]
    lines.append("    If the arguments do not fit the parameters.")
    lines.append("VerifyError")
    lines.append(
        "    If types of operands do not fit each other, or declared ones contradict inference."
    )
    notes = _notes(op)
    if notes:
        lines += ["", "Notes", "-----", *notes]
    return "\n".join(lines)


def _type(p: Any) -> str:
    type_ = p.type.elements[0] if p.type.is_optional else p.type
    text = str(type_)
    if type_.is_list:
        inner = str(type_.elements[0])
        text = f"sequence of {_TYPES.get(inner, inner)}"
    elif type_.kind == "atom":
        text = _TYPES.get(text, text)
    if p.required:
        return text
    return f"{text}, optional" if p.default is None else f"{text}, default {p.default!r}"


def _about(p: Any, op: Any, sources: list[int | None]) -> str:
    at = next((i for i, n in enumerate(op.params) if n.name == p.name), None)
    text: str = p.doc.strip()
    if at is None:
        return text or f"Number of elements of the result `{p.name.removesuffix('_num')}`."
    var = op.params[at].type_var
    if var is not None and var.allowed:
        kinds = type_names(var.allowed)
        text = _sentence(text) + (f"{var.name}." if len(kinds) > 60 else f"Type: {kinds}.")
    if p.choices:
        text = _sentence(text) + "One of " + ", ".join(repr(c) for c in p.choices) + "."
    if p.range is not None:
        bounds = str(p.range)
        text = _sentence(text) + bounds[0].upper() + bounds[1:] + "."
    if p.is_variadic and p.min_count:
        text = _sentence(text) + f"{p.min_count} at least."
    return text


def _sentence(text: str) -> str:
    if not text:
        return ""
    return text + (" " if text.endswith((".", "!", "?", ":", "```")) else ". ")


def type_names(allowed: "tuple[str, ...]") -> str:
    """Return the types of a variable in our words: ``f16, f32 or seq(tensor(i64))``."""
    names = [
        re.sub(r"\w+", lambda m: _ONNX.get(m[0], m[0]), t.removeprefix("tensor(").removesuffix(")"))
        if t.startswith("tensor(")
        else re.sub(r"\w+", lambda m: _ONNX.get(m[0], m[0]), t)
        for t in allowed
    ]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]


def _outputs(op: Any, default: int, variadic: int) -> str:
    if variadic >= 0:
        return (
            f"Number of elements of the result `{op.results[variadic].name or 'list'}`; None: as many as "
            "attributes or subgraphs say."
        )
    if op.varret:
        none = f"None: {default}, the ones that have names" if op.results else "required"
        return f"Number of all results, which come as one list; {none}."
    more = ", ".join(f"`{r.name}`" for r in op.results[default:])
    return f"Number of results; None: {default}. More of them give {more} too."


def _returned(op: Any, default: int, variadic: int) -> list[str]:
    results = op.results
    if op.varret and not results:
        return ["list of Value"]
    if not results:
        return ["None"]
    if variadic >= 0 and len(results) == 1:
        return ["list of Value", *prose(results[0].doc, "    ")]
    shown = results if variadic >= 0 else results[:default]
    if len(shown) == 1:
        return ["Value", *prose(results[0].doc or results[0].name, "    ")]
    lines = [f"{op.name}Output"]
    for r in shown:
        of = "list of Value" if r.is_variadic else "Value"
        lines += [f"    {r.name} : {of}", *prose(r.doc, "        ")]
    return lines


def _notes(op: Any) -> list[str]:
    lines = []
    if op.since:
        lines.append(f"``{op.qualified_name}``, since opset {op.since}.")
    else:
        lines.append(f"``{op.qualified_name}``.")
    if op.traits:
        lines[0] += " Traits: " + ", ".join(sorted(op.traits)).replace("_", " ") + "."
    for var in op.type_vars:
        if var.allowed and len(type_names(var.allowed)) > 60:
            lines += _wrap(f"{var.name} is {type_names(var.allowed)}.", "")
    return lines


def prose(text: str, indent: str) -> list[str]:
    """Return a text as lines: paragraphs filled, lists, code and tables left as they are."""
    lines: list[str] = []
    paragraph: list[str] = []
    fenced = False

    def flush() -> None:
        if paragraph:
            lines.extend(_wrap(" ".join(paragraph), indent))
            paragraph.clear()

    for line in textwrap.dedent(text.strip("\n")).splitlines():
        stripped = line.strip()
        if stripped.startswith("```"):
            flush()
            fenced = not fenced
            lines.append(indent + stripped)
        elif fenced or line.startswith(("    ", "\t", "|")):
            flush()
            lines.append((indent + line.rstrip()).rstrip())
        elif not stripped:
            flush()
            if lines and lines[-1]:
                lines.append("")
        elif re.match(r"([-*+]|\d+[.)])\s", stripped):
            flush()
            paragraph.append(stripped)
        else:
            paragraph.append(stripped)
    flush()
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _wrap(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
