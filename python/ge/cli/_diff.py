"""``ge diff``: what became of the nodes of a model."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

from ._info import census
from ._models import add_reading, read
from ._output import Options, Output, Parser, UsageError

if TYPE_CHECKING:
    from ..ir import Module, Node
    from ..view._compare import Group

__all__ = ["add_arguments", "census_changes", "census_rows", "run", "sentence"]

HELP = (
    "Tell what became of the nodes of model A in model B: by the origins that passes write, by names of\n"
    "nodes and results, and by structure."
)
STATUS = "Exit status: 0 they are the same, 1 they differ, 2 wrong usage."


def add_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.add_argument("a", metavar="A")
    parser.add_argument("b", metavar="B")
    add_reading(parser)
    parser.add_argument(
        "--limit", type=int, default=50, metavar="N", help="lines shown (default: 50)"
    )


def run(options: Options, output: Output) -> int:
    """Compare; return the exit status."""
    from ..onnx._inputs import main_graph
    from ..view._compare import compare

    if options.limit < 0:
        raise UsageError(f"--limit is {options.limit}: 0 lines or more are shown")
    before, after = read(options.a, options), read(options.b, options)
    comparison = compare(main_graph(before), main_graph(after))
    groups = [g for g in comparison.groups if g.kind != "same"]
    header = _header(before, after)
    counts = collections.Counter(g.kind for g in comparison.groups)
    for line in header:
        output.line(line)
    for group in groups[: options.limit]:
        output.line(sentence(group))
    if len(groups) > options.limit:
        output.line(f"... and {len(groups) - options.limit} more (--limit {len(groups)})")
    rows = census_rows(before, after)
    if rows:
        output.line()
        output.table(("operator", "before", "after", "change"), rows)
    words = ", ".join(f"{counts[k]} {k}" for k in ("same", "changed", "became", "removed", "added"))
    differ = bool(groups or header)
    output.line(f"{'they differ' if differ else 'no difference'}: {words}")
    output.result(
        {
            "a": options.a,
            "b": options.b,
            "equal": not differ,
            "model": header,
            "counts": dict(counts),
            "groups": [
                {
                    "kind": g.kind,
                    "before": [_node(n) for n in g.before],
                    "after": [_node(n) for n in g.after],
                    "details": g.details,
                }
                for g in groups
            ],
        }
    )
    return 1 if differ else 0


def _node(node: Node) -> dict[str, str]:
    return {"name": node.name, "op": node.op}


def _header(before: Module, after: Module) -> list[str]:
    """Return what differs besides nodes."""
    from ..onnx._inputs import main_graph

    found = []
    for key in ("onnx.ir_version", "onnx.opset_imports"):
        a, b = before.attributes.get(key), after.attributes.get(key)
        if a != b:
            found.append(f"{key.removeprefix('onnx.')}: {a} -> {b}")
    a, b = main_graph(before), main_graph(after)
    for kind, x, y in (
        (
            "inputs",
            _signature(v.name for v in a.inputs)(a.inputs),
            _signature(v.name for v in b.inputs)(b.inputs),
        ),
        ("outputs", _signature(a.output_names)(a.outputs), _signature(b.output_names)(b.outputs)),
    ):
        if x != y:
            gone, new = [v for v in x if v not in set(y)], [v for v in y if v not in set(x)]
            found.append(f"{kind}: {_few(gone)} -> {_few(new)}")
    names = [set(m.graphs.keys()) - {main_graph(m).name} for m in (before, after)]
    if names[0] != names[1]:
        gone, new = sorted(names[0] - names[1]), sorted(names[1] - names[0])
        found.append(
            f"functions: without {', '.join(gone) or 'none'}, with {', '.join(new) or 'none'}"
        )
    return found


def _few(values: list[str]) -> str:
    more = f", ... {len(values) - 4} more" if len(values) > 4 else ""
    return (", ".join(values[:4]) or "none") + more


def _signature(names: Any) -> Any:
    return lambda values: [
        f"{name}: {v.type if v is not None else 'none'}"
        for name, v in zip(names, values, strict=True)
    ]


def sentence(group: Group) -> str:
    """Return a group as a line: ``these 3 became this 1: ...``.

    Parameters
    ----------
    group : Group
    """
    before, after = _nodes(group.before), _nodes(group.after)
    details = f" ({'; '.join(group.details)})" if group.details else ""
    if group.kind == "removed":
        return f"removed: {before}"
    if group.kind == "added":
        return f"added: {after}"
    if group.kind == "changed":
        return f"changed: {after}{details}"
    these = "this 1" if len(group.before) == 1 else f"these {len(group.before)}"
    those = "this 1" if len(group.after) == 1 else f"these {len(group.after)}"
    return f"{these} became {those}: {before} -> {after}{details}"


def _nodes(nodes: list[Node]) -> str:
    shown = [f"{n.type} {n.name}" for n in nodes[:8]]
    return ", ".join(shown) + (f", ... {len(nodes) - 8} more" if len(nodes) > 8 else "")


def census_rows(before: Module, after: Module) -> list[tuple[str, int, int, str]]:
    """Return operator, nodes before, nodes after and change, for the operators whose number changed.

    Parameters
    ----------
    before, after : Module
    """
    return census_changes(census(before), census(after))


def census_changes(a: dict[str, int], b: dict[str, int]) -> list[tuple[str, int, int, str]]:
    """Do the same of what `census` gave.

    Parameters
    ----------
    a, b : dict
        Nodes by operator.
    """
    changed = sorted(op for op in set(a) | set(b) if a.get(op, 0) != b.get(op, 0))
    return [(op, a.get(op, 0), b.get(op, 0), f"{b.get(op, 0) - a.get(op, 0):+d}") for op in changed]
