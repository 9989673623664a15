"""Why a pattern does not match."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ... import ir
from ..._mlir_like._cext_loader import load
from ..._support.elsewhere import from_elsewhere
from .._pattern._pattern import as_pattern
from .._pattern._public import publish
from .._pipeline._graphs import graphs_inside
from .._pipeline._observer import Tried, TriedNodes, TriedRules
from .._rewrite._decompose import DecomposePass, nodes_of
from .._rewrite._fusion import PatternFusionPass, rules_of
from .._rewrite._rules import Rule

__all__ = ["Attempt", "Explanation", "explain", "explain_pass"]

_native = load("passes")


@dataclass(frozen=True)
class Attempt:
    """One attempt of the matcher: how far it matched, and where it stopped.

    Attributes
    ----------
    reason : str
        The class: ``operator``, ``arity``, ``attribute``, ``constant``, ``shape``, ``predicate``, ``binding``,
        ``outside-use``, ``condition``, ``overlap`` or ``budget``.
    matched : int
        Nodes of the pattern that had matched.
    anchor : Node
        Where the attempt began.
    node : Node or None
        Where it failed.
    expected, found : str
    nodes : tuple of Node
        What had matched.
    """

    reason: str
    matched: int
    anchor: Any
    node: Any
    expected: str
    found: str
    nodes: tuple[Any, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it with names for nodes, ready for JSON."""
        return {
            "reason": self.reason,
            "matched": self.matched,
            "anchor": self.anchor.name,
            "node": None if self.node is None else self.node.name,
            "expected": self.expected,
            "found": self.found,
            "nodes": [n.name for n in self.nodes],
        }


@dataclass(frozen=True)
class Explanation:
    """The result of `explain`; ``str()`` formats it for humans, `to_dict` for programs.

    Attributes
    ----------
    pattern : str
    pattern_nodes : int
        Nodes that the pattern has.
    matches : int
        Places where it matches.
    attempts : tuple of Attempt
        The nearest misses first: by nodes that matched, then by how late the check comes that failed (operator, arity,
        attribute, constant, shape, predicate, binding, outside use, condition).
    near_operators : dict of str to int
        Operators of the graph with names similar to those of the pattern that the graph lacks, and their counts.
    """

    pattern: str
    pattern_nodes: int
    matches: int
    attempts: tuple[Attempt, ...]
    near_operators: dict[str, int]
    text: str

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """Return it as lists and dictionaries of plain values, ready for JSON."""
        return {
            "pattern": self.pattern,
            "pattern_nodes": self.pattern_nodes,
            "matches": self.matches,
            "attempts": [a.to_dict() for a in self.attempts],
            "near_operators": dict(self.near_operators),
        }


def explain(
    graph: Any,
    what: Any,
    node: Any = None,
    *,
    most: int = 5,
    outside_uses: bool = False,
    budget: int = 0,
) -> Explanation:
    """Explain why a pattern does not match in a graph.

    The matcher runs again with a recorder, a rule's condition included, so that what it says is what happened.

    Parameters
    ----------
    graph : Graph
    what : Rule, PatternFunction, callable, Graph or Pattern
    node : Node or str, optional
        Only attempts that begin at this node or take it in; a name of a node of the graph.
    most : int
        How many attempts to keep.
    outside_uses, budget
        As in `rewrite`.

    Returns
    -------
    Explanation

    Raises
    ------
    KeyError
        When the graph has no node of that name.

    Notes
    -----
    Expected cost: O(nodes).
    """
    if isinstance(what, type):
        raise TypeError(
            f"explain() takes a pattern or a rule, not the class {what.__name__}; explain_pass() takes classes of passes"
        )
    native = what._native if isinstance(what, Rule) else as_pattern(what)
    return _explain_native(graph, native, node, most, outside_uses, budget)


def _explain_native(
    graph: Any,
    native: Any,
    node: Any,
    most: int,
    outside_uses: bool = False,
    budget: int = 0,
) -> Explanation:
    if isinstance(node, str):
        found = graph.find(node)
        if found is None:
            raise KeyError(f"{graph.name} has no node '{node}'")
        node = found
    made = _native._explain(graph, native, node, most, outside_uses, budget)
    attempts = tuple(
        Attempt(
            a["reason"],
            a["matched"],
            a["anchor"],
            a["node"],
            a["expected"],
            a["found"],
            tuple(a["nodes"]),
        )
        for a in made["attempts"]
    )
    return Explanation(
        native.name,
        made["pattern_nodes"],
        made["matches"],
        attempts,
        made["near_operators"],
        made["text"],
    )


def explain_tried(graph: Any, name: str, tried: Tried, node: Any, most: int) -> list[Explanation]:
    """Return explanations of what a pass tried to match in a graph, that with the nearest miss first."""
    if isinstance(tried, TriedNodes):
        return [_explain_nodes(graph, name, *tried, node, most=most)]
    return _nearest_first(_explain_native(graph, rule, node, most) for rule in tried.rules)


def _nearest_first(explanations: Iterable[Explanation]) -> list[Explanation]:
    """Return explanations of several patterns, that with the nearest miss first."""
    return sorted(explanations, key=lambda each: -each.attempts[0].matched if each.attempts else 1)


def explain_pass(
    graph: Any, what: Any, node: Any = None, *, most: int = 5, name: str | None = None
) -> list[Explanation]:
    """Explain why a pass does not match in a graph: one explanation for each of its patterns, or of its nodes.

    The pattern with the nearest miss comes first.

    Its ``patterns()`` and ``meet_requirements()`` are called as in a run, on an instance of their own.

    Parameters
    ----------
    graph : Graph
    what : subclass of PatternFusionPass or DecomposePass
    node, most
        As in `explain`.
    name : str, optional
        What the hooks learn as the name of the pass; default: the class's.

    Returns
    -------
    list of Explanation

    Raises
    ------
    KeyError
        When the graph has no node of that name.
    PassError
        When a hook raises.
    """
    if not (isinstance(what, type) and issubclass(what, (PatternFusionPass, DecomposePass))):
        raise TypeError(
            f"explain_pass() takes a subclass of PatternFusionPass or DecomposePass, not {what!r}"
            + from_elsewhere(what)
        )
    called = name or what.__name__
    if issubclass(what, DecomposePass):
        return explain_tried(graph, called, nodes_of(what, called), node, most)
    rules = [rule._native for rule in rules_of(what, called)]
    return explain_tried(graph, called, TriedRules(rules), node, most)


def _explain_nodes(
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
            attempts.append(Attempt("condition", 1, each, each, expected, reason, (each,)))
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


publish(globals())
