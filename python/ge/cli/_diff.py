"""``ge diff``: how the nodes of two models correspond."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

from ._diff_lines import group_lines, wrapped
from ._info import census
from ._models import add_reading, read
from ._output import Options, Output, Parser, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ir import Graph, Module, Node, Value

__all__ = ["add_arguments", "census_changes", "census_rows", "run"]

HELP = (
    "Show which nodes of model B replace which nodes of model A: by structure, by names of nodes and results,\n"
    "and by the origins that passes record. A copy with other names counts as the same, renamed."
)
STATUS = "Exit status: 0 the models are the same except for names, 1 they differ, 2 wrong usage."


def add_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.add_argument("a", metavar="A")
    parser.add_argument("b", metavar="B")
    add_reading(parser)
    parser.add_argument(
        "--limit", type=int, default=50, metavar="N", help="groups of nodes shown (default: 50)"
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="show all nodes and changes of a group, and attributes uncut, as --json does",
    )


def run(options: Options, output: Output) -> int:
    """Compare; return the exit status."""
    from ..view import compare

    if options.limit < 0:
        raise UsageError(f"--limit is {options.limit}: 0 groups or more are shown")
    before, after = read(options.a, options), read(options.b, options)
    full = options.full or options.json
    compared = [compare(a, b, full=full) for a, b in _graphs(before, after)]
    groups = [g for one in compared for g in one.groups]
    header, renames = _header(before, after)
    header += [text for one in compared for text in one.outputs]
    counts = collections.Counter(g.kind for g in groups)
    changed = [g for g in groups if g.kind not in ("same", "renamed")]
    shown = changed + [g for g in groups if g.kind == "renamed"]
    for text in header + renames:
        for line in wrapped(text):
            output.line(line)
    for line in group_lines(shown[: options.limit], full=options.full):
        output.line(line)
    if len(shown) > options.limit:
        output.line(f"... and {len(shown) - options.limit} more (--limit {len(shown)})")
    rows = census_rows(before, after)
    if rows:
        output.line()
        output.table(("operator", "before", "after", "change"), rows)
    kinds = ("same", "renamed", "changed", "became", "removed", "added")
    words = ", ".join(f"{counts[k]} {k}" for k in kinds)
    differ = bool(changed or header)
    renamed = not differ and len(shown) + len(renames) > 0
    verdict = "they differ" if differ else "the same, renamed" if renamed else "no difference"
    output.line(f"{verdict}: {words}")
    output.result(
        {
            "a": options.a,
            "b": options.b,
            "equal": not differ,
            "renamed": renamed,
            "model": header + renames,
            "counts": dict(counts),
            "groups": [
                {
                    "kind": g.kind,
                    "before": [_node(n) for n in g.before],
                    "after": [_node(n) for n in g.after],
                    "details": g.details,
                }
                for g in shown
            ],
        }
    )
    return 1 if differ else 0


def _node(node: Node) -> dict[str, str]:
    return {"name": node.name, "op": node.op}


def _graphs(before: Module, after: Module) -> list[tuple[Graph, Graph]]:
    """Return the main graphs, and the functions that both have."""
    from ..run import is_function, main_graph

    found = [(main_graph(before), main_graph(after))]
    for name, graph in before.graphs.items():
        if is_function(graph) and name in after.graphs and is_function(after.graphs[name]):
            found.append((graph, after.graphs[name]))
    return found


def _header(before: Module, after: Module) -> tuple[list[str], list[str]]:
    """Return what differs besides nodes, and which inputs and outputs have other names."""
    from ..run import main_graph

    found: list[str] = []
    renames: list[str] = []
    for key in ("onnx.ir_version", "onnx.opset_imports"):
        a, b = before.attributes.get(key), after.attributes.get(key)
        if a != b:
            found.append(f"{key.removeprefix('onnx.')}: {a} -> {b}")
    a, b = main_graph(before), main_graph(after)
    for kind, ends in (("input", _inputs), ("output", _outputs)):
        olds, news = _signature(ends(a)), _signature(ends(b))
        if olds == news:
            continue
        names = _new_names(olds, news)
        if names is not None:
            renames += [f"{kind} {old} -> {new}" for old, new in names]
        elif set(olds) == set(news):
            found.append(f"{kind}s: in another order")
        else:
            gone = [f"{n}: {t}" for n, t in olds if (n, t) not in set(news)]
            new = [f"{n}: {t}" for n, t in news if (n, t) not in set(olds)]
            found.append(f"{kind}s: {_few(gone)} -> {_few(new)}")
    functions = [set(m.graphs.keys()) - {main_graph(m).name} for m in (before, after)]
    if functions[0] != functions[1]:
        gone, new = sorted(functions[0] - functions[1]), sorted(functions[1] - functions[0])
        found.append(
            f"functions: without {', '.join(gone) or 'none'}, with {', '.join(new) or 'none'}"
        )
    return found, renames


def _new_names(
    olds: list[tuple[str, str]], news: list[tuple[str, str]]
) -> list[tuple[str, str]] | None:
    """Return old and new names where only names differ, and none is that of another one before or after."""
    if [type_ for _, type_ in olds] != [type_ for _, type_ in news]:
        return None
    known = [{name for name, _ in side} for side in (olds, news)]
    pairs = [(a, b) for (a, _), (b, _) in zip(olds, news, strict=True) if a != b]
    return None if any(a in known[1] or b in known[0] for a, b in pairs) else pairs


def _few(values: list[str]) -> str:
    more = f", ... {len(values) - 4} more" if len(values) > 4 else ""
    return (", ".join(values[:4]) or "none") + more


def _inputs(graph: Graph) -> list[tuple[str, Value | None]]:
    return [(value.name, value) for value in graph.inputs]


def _outputs(graph: Graph) -> list[tuple[str, Value | None]]:
    return list(zip(graph.output_names, graph.outputs, strict=True))


def _signature(values: Sequence[tuple[str, Value | None]]) -> list[tuple[str, str]]:
    return [(name, "none" if value is None else str(value.type)) for name, value in values]


def census_rows(before: Module, after: Module) -> list[tuple[str, int, int, str]]:
    """Return operator, nodes before, nodes after and change, for the operators whose number changed.

    Parameters
    ----------
    before, after : Module
    """
    return census_changes(census(before), census(after))


def census_changes(a: dict[str, int], b: dict[str, int]) -> list[tuple[str, int, int, str]]:
    """Do the same for the result of `census`.

    Parameters
    ----------
    a, b : dict
        Nodes by operator.
    """
    changed = sorted(op for op in set(a) | set(b) if a.get(op, 0) != b.get(op, 0))
    return [(op, a.get(op, 0), b.get(op, 0), f"{b.get(op, 0) - a.get(op, 0):+d}") for op in changed]
