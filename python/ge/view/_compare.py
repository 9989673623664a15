"""What became of the nodes of a graph: by origins, names, results and structure."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from ._scene import is_drawn, short_type

if TYPE_CHECKING:
    from ..ir import Graph, Node, Value

__all__ = ["Comparison", "Group", "compare"]


@dataclasses.dataclass
class Group:
    """Nodes before, and the nodes that they became."""

    before: list[Node]
    after: list[Node]
    kind: str
    """same, changed (one became another), became (several, or of several), removed, added."""
    details: list[str]
    """What changed, or which passes and rules did it."""


@dataclasses.dataclass
class Comparison:
    """All groups, in the order of the graph before, then of the one after."""

    groups: list[Group]

    def marks(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return how to mark nodes by name, in the picture before and in that after."""
        before: dict[str, str] = {}
        after: dict[str, str] = {}
        for group in self.groups:
            if group.kind != "same":
                gone = "removed" if group.kind == "removed" else "changed"
                new = "added" if group.kind == "added" else "changed"
                before.update((node.name, gone) for node in group.before)
                after.update((node.name, new) for node in group.after)
        return before, after


class _Sets:
    """Disjoint sets of nodes of both graphs."""

    def __init__(self) -> None:
        self._parent: dict[Node, Node] = {}

    def find(self, node: Node) -> Node:
        root = node
        while (parent := self._parent.get(root, root)) is not root:
            root = parent
        while (parent := self._parent.get(node, node)) is not root:
            self._parent[node] = root
            node = parent
        return root

    def join(self, a: Node, b: Node) -> None:
        a, b = self.find(a), self.find(b)
        if a is not b:
            self._parent[b] = a


def compare(before: Graph, after: Graph) -> Comparison:
    """Tell what became of each node.

    A node after belongs to the nodes that its origins name; else to the node of its name, to the one that
    made a result of its name, or to one that computes the same. Nodes that are gone belong to the group that
    alone used them.

    Parameters
    ----------
    before, after : Graph
        Of one context or of two.

    Notes
    -----
    Cost: O(nodes + edges), and the bytes of constants.
    """
    old = [n for n in before.walk() if _counts(n)]
    new = [n for n in after.walk() if _counts(n)]
    sets = _Sets()
    met = _by_names(old, new, sets)
    _by_structure([n for n in old if n not in met], [n for n in new if n not in met], sets, met)
    _absorb(old, sets, met)
    members: dict[Node, tuple[list[Node], list[Node]]] = {}
    for number, nodes in enumerate((old, new)):
        for node in nodes:
            members.setdefault(sets.find(node), ([], []))[number].append(node)
    return Comparison([_group(b, a) for b, a in members.values()])


def _counts(node: Node) -> bool:
    return is_drawn(node) and not node.is_input and not node.is_output


def _by_names(old: list[Node], new: list[Node], sets: _Sets) -> set[Node]:
    """Join what belongs together by origins, names of nodes and names of results; return it."""
    named = {n.name: n for n in old if n.has_name}
    made = {v.name: n for n in old for v in n.results if v.has_name}
    met: set[Node] = set()
    for node in new:
        partners = [named[o.node] for o in node.origins if o.node in named]
        if node.has_name and node.name in named:
            partners.append(named[node.name])
        partners += [made[v.name] for v in node.results if v.has_name and v.name in made]
        for partner in partners:
            sets.join(partner, node)
            met |= {partner, node}
    return met


def _by_structure(old: list[Node], new: list[Node], sets: _Sets, met: set[Node]) -> None:
    """Join nodes without known names that have the same operator, attributes and operands' names."""
    waiting: dict[Any, list[Node]] = {}
    for node in reversed(old):
        waiting.setdefault(_key(node), []).append(node)
    for node in new:
        if same := waiting.get(_key(node)):
            sets.join(partner := same.pop(), node)
            met |= {partner, node}


def _key(node: Node) -> Any:
    return node.op, _attributes(node), tuple(v.name if v is not None else "" for v in node.operands)


def _absorb(old: list[Node], sets: _Sets, met: set[Node]) -> None:
    """Let nodes that are gone join what alone used them, users first."""
    for node in reversed(old):
        if node in met:
            continue
        homes = {sets.find(user) for user in node.users if user in met}
        users = [u for u in node.users if _counts(u)]
        if len(homes) == 1 and all(user in met for user in users) and len(users) == len(node.users):
            sets.join(homes.pop(), node)
            met.add(node)


def _attributes(node: Node) -> tuple[tuple[str, str], ...]:
    return tuple(
        sorted((k, repr(v)) for k, v in node.attributes.items() if not k.startswith("onnx."))
    )


def _group(before: list[Node], after: list[Node]) -> Group:
    if not before:
        return Group(before, after, "added", [])
    if not after:
        return Group(before, after, "removed", [])
    if len(before) == len(after) == 1:
        details = _changes(before[0], after[0])
        return Group(before, after, "changed" if details else "same", details)
    makers: dict[str, None] = {}
    for node in after:
        for origin in node.origins:
            if origin.pass_name:
                rule = f" ({origin.rule})" if origin.rule else ""
                makers[f"by {origin.pass_name}{rule}"] = None
    return Group(before, after, "became", list(makers))


def _changes(old: Node, new: Node) -> list[str]:
    found = []
    if old.op != new.op:
        found.append(f"operator {old.op} -> {new.op}")
    if old.has_name and new.has_name and old.name != new.name:
        found.append(f"name {old.name} -> {new.name}")
    a, b = dict(_attributes(old)), dict(_attributes(new))
    found += [
        f"{key}: {_cut(a.get(key, 'absent'))} -> {_cut(b.get(key, 'absent'))}"
        for key in sorted(set(a) | set(b))
        if a.get(key) != b.get(key)
    ]
    olds, news = list(old.operands), list(new.operands)
    if len(olds) != len(news):
        found.append(f"{len(olds)} operands -> {len(news)}")
    else:
        for index, (x, y) in enumerate(zip(olds, news, strict=True)):
            if text := _operand_change(x, y):
                found.append(f"operand {index}: {text}")
    return found


def _operand_change(old: Value | None, new: Value | None) -> str:
    if old is None or new is None:
        same = old is None and new is None
        return "" if same else f"{_name(old)} -> {_name(new)}"
    if not is_drawn(old.node) and not is_drawn(new.node):
        a, b = old.node.attributes.get("value"), new.node.attributes.get("value")
        if a is None or b is None or a == b:
            return ""
        if short_type(old) != short_type(new):
            return f"constant {short_type(old)} -> {short_type(new)}"
        return "another constant"
    return "" if old.name == new.name else f"{_name(old)} -> {_name(new)}"


def _name(value: Value | None) -> str:
    return "absent" if value is None else value.name


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
