"""Write the stubs of ``ge.es.<namespace>`` from the operator records: ``gen_es_stubs.py [--check]``.

Run with the built package on the path. Writes one .pyi into python/ge/es for each namespace that ships with GE; a test
checks that they are up to date.
"""

import sys
from pathlib import Path
from typing import Any

import ge.es
import ge.ops
from generated import parser, write_or_check

__all__ = ["generate"]

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "python" / "ge" / "es"
NAMESPACES = ("onnx", "math", "nn")

HEAD = """\
# Written by scripts/gen_es_stubs.py from the records; not to be edited.
\"\"\"Graph-building functions of the operators of '{ns}'{version}.\"\"\"

from collections.abc import Callable, Sequence
from typing import Any, {typing}

{imports}from ..ir import DType, Graph, InsertionPoint, Location, Node, Tensor, Type, Value
from ._namespace import Namespace
{more}
class _Array(Protocol):
    @property
    def __array__(self) -> Callable[..., Any]: ...

_Literal: TypeAlias = complex | str | Sequence[Any] | Tensor | _Array
_Operand: TypeAlias = Value | Node | _Literal
_Types: TypeAlias = Type | Sequence[Type | None] | None
_Body: TypeAlias = Graph | {body}Callable[..., Any]

opset: int | None

def at(version: int) -> Namespace: ...
"""
ONNX_HEAD = {
    "typing": "NamedTuple, Protocol, TypeAlias",
    "imports": "",
    "more": "",
    "body": "",
}
# CANN's eager style: a call with a TensorHolder operand, or with a builder, returns TensorHolders.
GE_HEAD = {
    "typing": "Generic, NamedTuple, Protocol, TypeAlias, TypeVar, overload",
    "imports": "from ..graph import DataType\nfrom ..graph import Graph as _GeGraph\n",
    "more": """\
from .graph_builder import GraphBuilder
from .tensor_holder import TensorHolder

_V = TypeVar("_V", Value, TensorHolder)
_GeOperand: TypeAlias = TensorHolder | _Operand
""",
    "body": "_GeGraph | ",
}

ATOMS = {
    "Tensor": "_Operand",
    "int": "int",
    "SymInt": "int",
    "float": "float",
    "complex": "complex",
    "Scalar": "complex",
    "bool": "bool",
    "str": "str",
    "bytes": "bytes",
    "ScalarType": "DType | DataType | str",
    "TensorLiteral": "Tensor | Any",
    "SparseLiteral": "dict[str, Any]",
    "ValueType": "Type",
    "Graph": "_Body",
}


def _type(type_: Any, param: Any) -> str:
    if type_.kind == "optional":
        inner = _type(type_.elements[0], param)
        return inner if inner == "Any" else f"{inner} | None"
    if type_.kind == "list":
        element = _type(type_.elements[0], param)
        one = f" | {element}" if type_.size else ""
        return f"Sequence[{element}]{one}"
    text = ATOMS.get(type_.name, "Any")
    # ONNX and CANN represent element types as numbers.
    return "int | DType" if text == "int" and param.name in ("to", "dtype", "dst_type") else text


class _Stub:
    """The stub of one function."""

    def __init__(self, function: Any, is_ge: bool) -> None:
        self.op = function.op
        self.is_ge = is_ge
        form, _, default, self.variadic = ge.ops._native._form(function)
        self.form = form
        self.counted = self.variadic >= 0 or default < len(self.op.results)
        self.default = default
        names = {p.name for p in self.op.operands}
        # Where an operand's name is a Python keyword, the form's parameter has CANN's prefix `in_`.
        self.operands = [
            p for p in form.params if p.name.removeprefix("in_") in names or p.name in names
        ]

    def lines(self) -> list[str]:
        """Return the class of several results, if any, and the signatures: one for each style of call."""
        lines = self._tuple()
        if self.is_ge:
            for changed, needed in self._eager_ways():
                lines += ["@overload", *self._signature(changed, needed, "TensorHolder")]
            lines.append("@overload")
        return [*lines, *self._signature({}, set(), "Value")]

    def _eager_ways(self) -> list[tuple[dict[str, str], set[str]]]:
        """Return, for each way to pass the graph builder, the changed parameter types and the required parameters."""
        required = [p for p in self.operands if p.required]
        loose = {p.name: self._operand(p, "_GeOperand") for p in self.operands}
        ways = []
        # Only the first operands: a dozen overloads would hide the useful ones.
        for param in required[:3] or self.operands[:1]:
            holder = {param.name: self._operand(param, "TensorHolder", required=True)}
            ways.append(({**loose, **holder}, {param.name}))
        if not self.operands:
            ways.append(({"owner_graph_builder": "GraphBuilder"}, set()))
        if not required:
            ways.append(({**loose, "owner_builder": "GraphBuilder"}, set()))
        return ways

    def _operand(self, param: Any, element: str, required: bool = False) -> str:
        text = f"Sequence[{element}]" if param.is_variadic else element
        if param.is_variadic and element == "TensorHolder":
            text = "Sequence[TensorHolder | float]"
        return text if required or param.required else f"{text} | None"

    def _tuple(self) -> list[str]:
        results = self.op.results
        if not self._is_tuple():
            return []
        value = "_V" if self.is_ge else "Value"
        generic = ", Generic[_V]" if self.is_ge else ""
        lines = [f"class {self.op.name}Output(NamedTuple{generic}):"]
        for i, r in enumerate(results if self.variadic >= 0 else results[: self.default]):
            name = r.name if r.name.isidentifier() and not r.name.startswith("_") else f"_{i}"
            of = f"list[{value}]" if r.is_variadic else value
            hides = "  # type: ignore[assignment]" if hasattr(tuple, name) else ""
            lines.append(f"    {name}: {of}{hides}")
        return [*lines, ""]

    def _is_tuple(self) -> bool:
        several = len(self.op.results) > 1 if self.variadic >= 0 else self.default > 1
        return bool(self.op.results) and several

    def _output(self, value: str) -> str:
        if not self.op.results:
            return "None"
        if self._is_tuple():
            text = f"{self.op.name}Output" + (f"[{value}]" if self.is_ge else "")
        else:
            text = f"list[{value}]" if self.variadic >= 0 else value
        return f"{text} | Any" if self.counted and self.variadic < 0 else text

    def _signature(self, changed: dict[str, str], needed: set[str], value: str) -> list[str]:
        parts, star = [], False
        if "owner_graph_builder" in changed:
            parts.append(f"owner_graph_builder: {changed['owner_graph_builder']}")
        owner = changed.get("owner_builder")
        for p in self.form.params:
            if p.kw_only and not star:
                star = True
                parts.append("*")
                if owner:
                    parts.append(f"owner_builder: {owner}")
            text = f"{p.name}: {changed.get(p.name) or _type(p.type, p)}"
            parts.append(text if p.required or p.name in needed else f"{text} = ...")
        if not star:
            parts.append("*args: Value" if self.form.vararg else "*")
            if owner:
                parts.append(f"owner_builder: {owner}")
        if self.counted:
            parts.append("_outputs: int | None = ...")
        parts += ["_result_types: _Types = ...", "_name: str | None = ..."]
        parts += ["_loc: Location | None = ...", "_ip: InsertionPoint | Graph | None = ..."]
        output = self._output(value)
        line = f"def {self.op.name}({', '.join(parts)}) -> {output}: ..."
        if len(line) <= 100:
            return [line]
        return [f"def {self.op.name}(", *(f"    {part}," for part in parts), f") -> {output}: ..."]


def generate(ns: str) -> str:
    """Return the stub of a namespace, at its newest opset."""
    module = ge.es.namespace(ns)
    version = (
        ", at the newest opset"
        if any(r.since for r in ge.ops.overloads(f"{ns}::{dir(module)[-1]}"))
        else ""
    )
    is_ge = ns != "onnx"
    head = HEAD.format(ns=ns, version=version, **(GE_HEAD if is_ge else ONNX_HEAD))
    lines = [head.rstrip("\n")]
    if is_ge:
        # Users of CANN import an operator from either package.
        (other,) = {"math", "nn"} - {ns}
        names = sorted(set(ge.es.namespace(other)._names()) - set(module._names()))
        lines += [f"\nfrom .{other} import ("]
        lines += [f"    {name} as {name}," for name in names if name.isidentifier()]
        lines += [")"]
    deeper = sorted({n.split(".")[1] for n in ge.ops.namespaces() if n.startswith(ns + ".")})
    lines += [f"\n{name}: Namespace" for name in deeper]
    lines.append("")
    for name in module.__all__:
        function = getattr(module, name)
        if function.op.name.isidentifier():
            lines += _Stub(function, is_ge).lines()
    return "\n".join(lines) + "\n"


def main() -> int:
    check = parser(__doc__).parse_args().check
    return write_or_check({OUTPUT / f"{ns}.pyi": generate(ns) for ns in NAMESPACES}, check)


if __name__ == "__main__":
    sys.exit(main())
