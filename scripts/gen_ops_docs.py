"""Write docs/ops-list.md, the operators that ship with GE, from their records: ``gen_ops_docs.py [--check]``.

Run with the built package on the path; a test checks that the page is up to date.
"""

import re
import sys
from pathlib import Path
from typing import Any

import ge.ops
from generated import parser, write_or_check

__all__ = ["generate"]

OUTPUT = Path(__file__).resolve().parent.parent / "docs" / "ops-list.md"

HEAD = """\
# Operators

Written by `scripts/gen_ops_docs.py` from the records; not to be edited. Each has a graph-building function,
`ge.es.<namespace>.<operator>`, whose `help()` has the details; `ge.ops.get("<namespace>::<operator>")` is the record.
Operands in parentheses may be absent; `...` marks a variadic operand. Of several versions, the newest is shown.
"""


def _summary(doc: str) -> str:
    """Return the first sentence of a text, as a cell of a table."""
    text = re.sub(r"```.*?(```|$)", "", doc, flags=re.S)
    text = " ".join(text.split("\n\n")[0].split())
    sentence = re.match(r"(.*?[.!?])(\s|$)", text)
    text = sentence[1] if sentence else text
    if len(text) > 160:
        text = text[:157].rsplit(" ", 1)[0] + "..."
    return text.replace("|", "\\|").replace("<", "&lt;")


def _slots(slots: Any) -> str:
    names = []
    for s in slots:
        name = f"{s.name}..." if s.is_variadic else s.name or str(s.type)
        names.append(f"({name})" if s.type.is_optional else name)
    return ", ".join(names)


def _row(name: str) -> str:
    records = ge.ops.versions(name)
    op = records[-1]
    versions = ", ".join(str(r.since) for r in records if r.since)
    flag = " (deprecated)" if op.deprecated else ""
    attributes = ", ".join(f"{p.name}*" if p.required else p.name for p in op.attributes)
    cells = [f"`{op.name}`{flag}", _slots(op.operands), attributes, _slots(op.results)]
    if versions:
        cells.append(versions)
    return "| " + " | ".join([*cells, _summary(op.doc)]) + " |"


def generate() -> str:
    """Return the page."""
    lines = [HEAD]
    shipped = [n for n in ge.ops.namespaces() if n.startswith("onnx") or n in ("math", "nn")]
    for ns in shipped:
        names = ge.ops.list_ops(ns)
        if not names:
            continue
        versioned = any(r.since for r in ge.ops.versions(names[0]))
        lines += [f"## {ns}", ""]
        head = ["operator", "operands", "attributes (* required)", "results"]
        head += ["versions"] if versioned else []
        head.append("what it does")
        lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        lines += [_row(name) for name in names]
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    return write_or_check({OUTPUT: generate()}, parser(__doc__).parse_args().check)


if __name__ == "__main__":
    sys.exit(main())
