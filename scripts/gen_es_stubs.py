"""Write the stubs of ``ge.es.<namespace>`` from the records: ``gen_es_stubs.py [--check]``.

Run with the built package on the path. One .pyi for each namespace that ships with GE, beside python/ge/es; a test
checks that they are current.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import ge.es
import ge.ops

__all__ = ["generate"]

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "python" / "ge" / "es"
NAMESPACES = ("onnx", "math", "nn")

HEAD = '''\
# Written by scripts/gen_es_stubs.py from the records; not to be edited.
"""Graph-building functions of the operators of '{ns}'{version}."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from ..ir import DType, Graph, Location, Node, Tensor, Type, Value
from ._namespace import Namespace

_Operand: TypeAlias = Value | Node | Tensor | complex | str | Sequence[Any] | Any
_Body: TypeAlias = Graph | Callable[..., Any]

opset: int | None

def at(version: int) -> Namespace: ...
'''

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
    "ScalarType": "DType | str",
    "TensorLiteral": "Tensor | Any",
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
    # ONNX and GE write element types as numbers.
    return "int | DType" if text == "int" and param.name in ("to", "dtype", "dst_type") else text


def _function(function: Any) -> list[str]:
    op = function.op
    form, _, default, variadic = ge.ops._native._form(function)
    lines = []
    results = op.results
    output = "Value"
    counted = variadic >= 0 or default < len(results)
    if not results:
        output = "None"
    elif variadic >= 0 and len(results) == 1:
        output = "list[Value]"
    elif variadic >= 0 or default > 1:
        output = f"{op.name}Output"
        fields = results if variadic >= 0 else results[:default]
        lines += [f"class {output}(NamedTuple):"]
        for i, r in enumerate(fields):
            name = r.name if r.name.isidentifier() and not r.name.startswith("_") else f"_{i}"
            of = "list[Value]" if r.is_variadic else "Value"
            hides = "  # type: ignore[assignment]" if hasattr(tuple, name) else ""
            lines.append(f"    {name}: {of}{hides}")
        lines.append("")
    parts, star = [], False
    for p in form.params:
        if p.kw_only and not star:
            star = True
            parts.append("*")
        text = f"{p.name}: {_type(p.type, p)}"
        parts.append(text if p.required else f"{text} = ...")
    if not star:
        parts.append("*args: Value" if form.vararg else "*")
    if counted:
        parts.append("_outputs: int | None = ...")
    parts += ["_name: str | None = ...", "_loc: Location | None = ..."]
    returned = f"{output} | Any" if counted and variadic < 0 else output
    line = f"def {op.name}({', '.join(parts)}) -> {returned}: ..."
    if len(line) > 100:
        lines += [f"def {op.name}("]
        lines += [f"    {part}," for part in parts]
        lines += [f") -> {returned}: ..."]
    else:
        lines.append(line)
    return lines


def generate(ns: str) -> str:
    """Return the stub of a namespace, at its newest opset."""
    module = ge.es.namespace(ns)
    version = (
        ", at the newest opset"
        if any(r.since for r in ge.ops.overloads(f"{ns}::{dir(module)[-1]}"))
        else ""
    )
    lines = [HEAD.format(ns=ns, version=version).rstrip("\n")]
    deeper = sorted({n.split(".")[1] for n in ge.ops.namespaces() if n.startswith(ns + ".")})
    lines += [f"\n{name}: Namespace" for name in deeper]
    lines.append("")
    for name in module.__all__:
        function = getattr(module, name)
        if function.op.name.isidentifier():
            lines += [*_function(function)]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say what is out of date")
    check = parser.parse_args().check
    stale = 0
    for ns in NAMESPACES:
        path = OUTPUT / f"{ns}.pyi"
        text = generate(ns)
        if check and (not path.exists() or path.read_text() != text):
            print(f"{path} is out of date: run scripts/gen_es_stubs.py")
            stale = 1
        elif not check:
            path.write_text(text)
    return stale


if __name__ == "__main__":
    sys.exit(main())
