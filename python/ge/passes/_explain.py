"""Why a pattern does not match."""

from dataclasses import dataclass
from typing import Any

from .._mlir_like._cext_loader import load
from ._match import as_pattern
from ._public import publish
from ._rules import Rule

__all__ = ["Attempt", "Explanation", "explain", "explain_pass"]

_native = load("passes")


@dataclass(frozen=True)
class Attempt:
    """How far the matcher came at one place, and what stopped it.

    Attributes
    ----------
    reason : str
        The class: ``operator``, ``arity``, ``attribute``, ``constant``, ``shape``, ``predicate``, ``binding``,
        ``outside-use``, ``guard``, ``overlap`` or ``budget``.
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
    """What `explain` found; ``str()`` of it is for people, `to_dict` for programs.

    Attributes
    ----------
    pattern : str
    pattern_nodes : int
        Nodes that the pattern has.
    matches : int
        Places where it matches.
    attempts : tuple of Attempt
        Those that came farthest, best first.
    near_operators : dict of str to int
        Operators of the graph that are near to what the pattern wants and the graph lacks, and how many there are.
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
    """Say why a pattern does not match in a graph.

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
    native = what._native if isinstance(what, Rule) else as_pattern(what)
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


def explain_pass(
    graph: Any, what: Any, node: Any = None, *, most: int = 5, name: str | None = None
) -> list[Explanation]:
    """Say why a pass does not match in a graph: one explanation for each of its patterns, or of its nodes.

    Its ``patterns()`` and ``meet_requirements()`` are asked as when it runs, in an object of their own.

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
    from ._fusion import nodes_of, rules_of
    from ._fusion_kinds import DecomposePass, PatternFusionPass

    if not (isinstance(what, type) and issubclass(what, (PatternFusionPass, DecomposePass))):
        raise TypeError(
            f"explain_pass() takes a subclass of PatternFusionPass or DecomposePass, not {what!r}"
        )
    if issubclass(what, DecomposePass):
        return [nodes_of(graph, what, name or what.__name__, node, most=most)]
    rules = rules_of(what, name or what.__name__)
    return [explain(graph, rule, node, most=most) for rule in rules]


publish(globals())
