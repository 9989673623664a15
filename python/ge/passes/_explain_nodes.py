"""Why a pass that asks for single nodes does not take one."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from .. import ir
from ._explain import Attempt, Explanation
from ._graphs import graphs_inside

__all__ = ["explain_nodes"]


def explain_nodes(
    graph: ir.Graph,
    name: str,
    op_types: frozenset[str],
    refusal: Callable[[ir.Node], str | None],
    node: Any = None,
    *,
    most: int = 5,
) -> Explanation:
    """Say which nodes of a graph, and of those inside it, a pass takes, and why it leaves the others.

    Parameters
    ----------
    graph : Graph
    name : str
        Of the pass.
    op_types : frozenset of str
        Operators that it is for, with or without a domain.
    refusal : callable
        Says why the pass does not want a node of one of its operators; None: it wants it.
    node : Node or str, optional
        Only this node, or the node of that name.
    most : int
        How many attempts to keep.

    Raises
    ------
    KeyError
        When no node has that name.
    """
    there = [each for inner in graphs_inside(graph) for each in inner.nodes]
    meant = [each for each in there if {each.type, each.op} & op_types]
    reasons = {each: refusal(each) for each in meant}
    wanted = ", ".join(sorted(op_types)) or "no operator at all"
    asked = there if node is None else [each for each in there if node in (each, each.name)]
    if node is not None and not asked:
        raise KeyError(f"{graph.name} has no node '{node}'")
    attempts = []
    for each in asked:
        if each not in reasons:
            if node is not None:
                attempts.append(Attempt("operator", 0, each, each, wanted, _said(each), ()))
        elif (reason := reasons[each]) is not None:
            expected = "a node that meet_requirements accepts"
            attempts.append(Attempt("guard", 1, each, each, expected, reason, (each,)))
    attempts = attempts[:most]
    near = {} if meant else _near(op_types, there)
    matches = sum(reason is None for reason in reasons.values())
    lines = [f"{name}: {matches} {'match' if matches == 1 else 'matches'}"]
    for attempt in attempts:
        lines += [
            f"  at {_said(attempt.anchor)}: {attempt.matched} of 1 nodes match, then {attempt.reason}",
            f"    expected: {attempt.expected}",
            f"    found:    {attempt.found}",
        ]
    if not meant:
        lines.append(f"  no node of the graph has an operator that the pass is for: {wanted}")
    lines += [f"  near: {op}, {count} in this graph" for op, count in near.items()]
    return Explanation(name, 1, matches, tuple(attempts), near, "\n".join(lines) + "\n")


def _said(node: ir.Node) -> str:
    return f"{node.op} '{node.name}'"


def _near(op_types: frozenset[str], nodes: list[ir.Node]) -> dict[str, int]:
    from difflib import get_close_matches

    counts = Counter(node.op for node in nodes)
    operators = {op.rpartition(".")[2].lower(): op for op in counts}
    found = {}
    for wanted in sorted(op_types):
        for key in get_close_matches(wanted.rpartition(".")[2].lower(), operators, 3):
            found[operators[key]] = counts[operators[key]]
    return found
