"""How the nodes of two graphs correspond: by structure, names and origins."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..ir import Tensor
from ._scene import is_drawn, short_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..ir import Graph, Node, Value

__all__ = ["Comparison", "Group", "compare"]

# Characters of the value of an attribute that are shown.
_LONGEST = 60


@dataclasses.dataclass
class Group:
    """Nodes before, and the nodes that they became."""

    before: list[Node]
    after: list[Node]
    kind: str
    """same, renamed (the same but for names), changed (one became another), became (several, or of several), removed, added."""
    details: list[str]
    """What changed, or the passes and rules that changed it."""


@dataclasses.dataclass
class Comparison:
    """All groups, in the order of the graph before, then of the one after."""

    groups: list[Group]
    outputs: list[str] = dataclasses.field(default_factory=list)
    """Outputs that are another value, of nodes that correspond to others."""

    def marks(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return how to mark nodes by name, in the picture before and in that after."""
        before: dict[str, str] = {}
        after: dict[str, str] = {}
        for group in self.groups:
            if group.kind not in ("same", "renamed"):
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


def compare(before: Graph, after: Graph, *, full: bool = False) -> Comparison:
    """Match the nodes of two graphs.

    A node after belongs to the node before that computes the same, whatever the names; else to the node of its name, and to
    the one that made a result of its name; and to all that its origins name. Names count first where most of them stand at the
    same operator as before. Nodes that are gone belong to the group that alone used them.

    Parameters
    ----------
    before, after : Graph
        Of one context or of two.
    full : bool
        Give values of attributes in full; else long ones are cut to the part that differs.

    Notes
    -----
    Cost: O(nodes + edges), and the bytes of constants.
    """
    return _Comparer(before, after, full).result()


def _counts(node: Node) -> bool:
    return is_drawn(node) and not node.is_input and not node.is_output


class _Comparer:
    """Pairs and groups of the nodes of two graphs."""

    def __init__(self, before: Graph, after: Graph, full: bool) -> None:
        self.before, self.after, self.full = before, after, full
        self.old = [n for n in before.walk() if _counts(n)]
        self.new = [n for n in after.walk() if _counts(n)]
        self.sets = _Sets()
        self.met: set[Node] = set()
        self.pairs: dict[Node, Node] = {}
        """Of nodes after: the one before that computes the same."""
        self._paired: set[Node] | None = None  # those before, once all pairs are known
        self.inputs = dict(
            _ends([(v.name, v) for v in after.inputs], [(v.name, v) for v in before.inputs])
        )

    def result(self) -> Comparison:
        equal = self._equal()
        if self._names_last():
            for old, new in equal:
                if _same_name(old, new):
                    self._pair(old, new)
            self._by_names(lambda old, new: True)
            self._pair_all(equal)
        else:
            self._pair_all(equal)
            self._by_names(lambda old, new: old.op == new.op)
        self._pair_along(lambda old, new: old.op == new.op)
        self._by_names(lambda old, new: old not in self.met and new not in self.met)
        self._by_origins()
        _absorb(self.old, self.sets, self.met)
        members: dict[Node, tuple[list[Node], list[Node]]] = {}
        for number, nodes in enumerate((self.old, self.new)):
            for node in nodes:
                members.setdefault(self.sets.find(node), ([], []))[number].append(node)
        groups = [self._group(b, a) for b, a in members.values()]
        return Comparison(groups, self._outputs())

    def _join(self, old: Node, new: Node) -> None:
        self.sets.join(old, new)
        self.met |= {old, new}

    def _pair(self, old: Node, new: Node) -> None:
        self.pairs[new] = old
        self._join(old, new)

    def _names_last(self) -> bool:
        """Whether most names still stand at the same operator: they mean the same nodes then."""
        old = {n.name: n.op for n in self.old if n.has_name}
        new = {n.name: n.op for n in self.new if n.has_name}
        kept = sum(old.get(name) == op for name, op in new.items())
        return 4 * kept >= 3 * min(len(old), len(new))

    # --- By structure

    def _equal(self) -> list[tuple[Node, Node]]:
        """Return nodes that compute the same of the same inputs; of several those of one name."""
        numbers: dict[Any, int] = {}
        known: dict[Value, int] = {new: i for i, new in enumerate(self.inputs)}
        known.update({old: i for i, old in enumerate(self.inputs.values())})
        for value in known.values():
            numbers[("input", value)] = value
        waiting: dict[int, list[Node]] = {}
        for node, number in _numbered(self.before, numbers, known):
            waiting.setdefault(number, []).append(node)
        made: dict[int, list[Node]] = {}
        for node, number in _numbered(self.after, numbers, known):
            made.setdefault(number, []).append(node)
        found = []
        for number, nodes in made.items():
            olds = waiting.get(number, [])
            by_name = {n.name: n for n in olds if n.has_name}
            named = [(by_name[n.name], n) for n in nodes if n.has_name and n.name in by_name]
            taken = {node for pair in named for node in pair}
            rest = ([n for n in olds if n not in taken], [n for n in nodes if n not in taken])
            found += [*named, *zip(*rest, strict=False)]
        return found

    def _pair_all(self, equal: list[tuple[Node, Node]]) -> None:
        """Pair what is free yet of these, and what has the same operator and attributes as far as outputs lead to it."""
        for old, new in equal:
            if old not in self.met and new not in self.met:
                self._pair(old, new)
        self._pair_along(lambda old, new: _key(old) == _key(new))

    def _pair_along(self, fits: Callable[[Node, Node], bool]) -> None:
        """Pair what fits, and makes the same outputs or the same operands of pairs."""
        ends = _ends(
            list(zip(self.after.output_names, self.after.outputs, strict=True)),
            list(zip(self.before.output_names, self.before.outputs, strict=True)),
        )
        work = [(old, new) for new, old in ends]
        for after, before in list(self.pairs.items()):
            work += _operands(before, after)
        while work:
            old_value, new_value = work.pop()
            if old_value is None or new_value is None or old_value.index != new_value.index:
                continue
            old, new = old_value.node, new_value.node
            free = old not in self.met and new not in self.met and _counts(old) and _counts(new)
            if free and fits(old, new):
                self._pair(old, new)
                work += _operands(old, new)

    # --- By names and origins

    def _by_names(self, fits: Callable[[Node, Node], bool]) -> None:
        """Join what has names in common, of nodes or of results, and fits; not what is paired already."""
        paired = set(self.pairs) | set(self.pairs.values())
        named = {n.name: n for n in self.old if n.has_name}
        made = {v.name: n for n in self.old for v in n.results if v.has_name}
        for new in self.new:
            if new in paired:
                continue
            partners = [named[new.name]] if new.has_name and new.name in named else []
            partners += [made[v.name] for v in new.results if v.has_name and v.name in made]
            for old in partners:
                if old not in paired and fits(old, new):
                    self._join(old, new)

    def _by_origins(self) -> None:
        """Join nodes with those that their origins name; not by origins that the one before had, too."""
        named = {n.name: n for n in self.old if n.has_name}
        for new in self.new:
            partner = self.pairs.get(new)
            had = set() if partner is None else {_origin(o) for o in partner.origins}
            for origin in new.origins:
                if origin.node in named and _origin(origin) not in had:
                    self._join(named[origin.node], new)

    # --- Groups

    def _group(self, before: list[Node], after: list[Node]) -> Group:
        if not before:
            return Group(before, after, "added", [])
        if not after:
            return Group(before, after, "removed", [])
        if len(before) == len(after) == 1:
            details, names = self._changes(before[0], after[0]), _renamed(before[0], after[0])
            kind = "changed" if details else "renamed" if names else "same"
            return Group(before, after, kind, [*names, *details])
        makers: dict[str, None] = {}
        for node in after:
            for origin in node.origins:
                if origin.pass_name:
                    rule = f" ({origin.rule})" if origin.rule else ""
                    makers[f"by {origin.pass_name}{rule}"] = None
        return Group(before, after, "became", list(makers))

    def _changes(self, old: Node, new: Node) -> list[str]:
        found = []
        if old.op != new.op:
            found.append(f"operator {old.op} -> {new.op}")
        a, b = _attributes(old), _attributes(new)
        for key in sorted(set(a) | set(b)):
            x, y = a.get(key), b.get(key)
            if _value(x) != _value(y):
                found.append(f"{key}: {self._attribute_change(x, y)}")
        olds, news = list(old.operands), list(new.operands)
        if len(olds) != len(news):
            found.append(f"{len(olds)} operands -> {len(news)}")
        else:
            for index, (x, y) in enumerate(zip(olds, news, strict=True)):
                if text := self._operand_change(x, y):
                    found.append(f"operand {index}: {text}")
        return found + self._body_changes(old, new)

    def _attribute_change(self, old: Any, new: Any) -> str:
        a, b = ("absent" if v is None else repr(v) for v in (old, new))
        if a == b:  # large tensors are shown by their type
            return f"another {a}"
        return f"{a} -> {b}" if self.full else " -> ".join(_cut(a, b))

    def _outputs(self) -> list[str]:
        """Say which outputs of one name are other values."""
        olds = dict(zip(self.before.output_names, self.before.outputs, strict=True))
        return [
            f"output {name}: {text}"
            for name, new in zip(self.after.output_names, self.after.outputs, strict=True)
            if name in olds and (text := self._end_change(olds[name], new))
        ]

    def _body_changes(self, old: Node, new: Node) -> list[str]:
        """Say which outputs of the bodies of a pair are other values."""
        found = []
        bodies = {body.slot: body for body in old.subgraphs}
        for body in new.subgraphs:
            other = bodies.get(body.slot)
            ends = [] if other is None else list(zip(other.outputs, body.outputs, strict=False))
            for index, (x, y) in enumerate(ends):
                if text := self._end_change(x, y):
                    found.append(f"{body.slot}: output {index}: {text}")
        return found

    def _end_change(self, old: Value | None, new: Value | None) -> str:
        """Say that an output is another value; empty also where its node is one that groups tell of."""
        if old is None or new is None or self._is_same(old, new):
            return "" if (old is None) == (new is None) else f"{_name(old)} -> {_name(new)}"
        if not is_drawn(old.node) and not is_drawn(new.node):
            return self._operand_change(old, new)
        known = old.node.is_input or old.node in self._olds()
        if not known or not (new.node.is_input or new.node in self.pairs):
            return ""
        return f"{_name(old)} of {old.node.op} -> {_name(new)} of {new.node.op}"

    def _olds(self) -> set[Node]:
        if self._paired is None:
            self._paired = set(self.pairs.values())
        return self._paired

    def _is_same(self, old: Value, new: Value) -> bool:
        if self.inputs.get(new) is old:
            return True
        if old.node.is_input and new.node.is_input:  # of bodies
            a, b = old.node.graph, new.node.graph
            first = None if a is None else a.parent_node
            second = None if b is None else b.parent_node
            places = [v.node.attributes.get("index") for v in (old, new)]
            return (
                first is not None
                and second is not None
                and self.pairs.get(second) is first
                and places[0] == places[1]
            )
        return old.index == new.index and self.pairs.get(new.node) is old.node

    def _operand_change(self, old: Value | None, new: Value | None) -> str:
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
        if self._is_same(old, new):
            return ""
        return "" if old.name == new.name else f"{_name(old)} -> {_name(new)}"


def _ends(after: list[tuple[str, Any]], before: list[tuple[str, Any]]) -> list[tuple[Any, Any]]:
    """Pair inputs or outputs by name, and what is left in order."""
    old = dict(before)
    found = [(value, old.pop(name)) for name, value in after if name in old]
    names = {name for name, _ in before}
    rest = [value for name, value in after if name not in names]
    return [*found, *zip(rest, old.values(), strict=False)]


def _numbered(
    graph: Graph, numbers: dict[Any, int], known: dict[Value, int]
) -> Iterator[tuple[Node, int]]:
    """Yield the nodes of a graph with numbers that those have in common that compute the same.

    Parameters
    ----------
    graph : Graph
    numbers : dict
        By what a node is and takes; grows.
    known : dict
        Numbers of what makes a value; grows.
    """
    bodies: dict[Graph, tuple[Any, ...]] = {}
    for node in graph.walk():  # mostly, nodes stand after what they take
        if node.is_input:
            # Of a body: as the node around, and its place in the body.
            body = node.graph
            around = body.parent_node if body is not None else None
            if body is None or around is None or node.result in known:
                continue
            outer = known.get(around.results[0]) if len(around.results) else None
            key: Any = ("input of", outer, body.slot, node.attributes.get("index"))
        elif node.is_output:
            continue
        else:
            key = _computed(node, numbers, known, bodies)
        number = numbers.setdefault(key, len(numbers))
        for result in node.results:
            known[result] = number
        if _counts(node):
            yield node, number


def _computed(
    node: Node,
    numbers: dict[Any, int],
    known: dict[Value, int],
    bodies: dict[Graph, tuple[Any, ...]],
) -> Any:
    """Return what a node computes of which values, its bodies included: equal for what computes the same."""
    operands = tuple(None if v is None else (known.get(v, v.name), v.index) for v in node.operands)
    for body in node.subgraphs:
        if body not in bodies:
            _number_body(body, numbers, known, bodies)
    return (*_key(node), operands, tuple(bodies[body] for body in node.subgraphs))


class _Inside:
    """A body of which some nodes have numbers."""

    def __init__(self, body: Graph, depth: int) -> None:
        self.body, self.depth = body, depth
        self.left = [n for n in reversed(body.nodes) if not n.is_input and not n.is_output]
        self.made: list[int] = []


def _number_body(
    body: Graph,
    numbers: dict[Any, int],
    known: dict[Value, int],
    bodies: dict[Graph, tuple[Any, ...]],
) -> None:
    """Add to `bodies` what a body, and each inside of it, computes of its inputs and of the values around."""
    inner: dict[Value, int] = {}

    def place(value: Value | None) -> Any:
        if value is None:
            return None
        if value in inner:
            return "inside", inner[value], value.index
        return "around", known.get(value, value.name), value.index

    def number(key: Any) -> int:
        return numbers.setdefault(key, len(numbers))

    def enter(each: Graph, depth: int) -> _Inside:
        # By depth and place: the same body is in another node before and after.
        inner.update((v, number(("input", depth, i))) for i, v in enumerate(each.inputs))
        return _Inside(each, depth)

    stack = [enter(body, 0)]
    while stack:
        now = stack[-1]
        if not now.left:
            outputs = tuple(map(place, now.body.outputs))
            # Also what no output needs: it may have an effect.
            content = now.body.slot, len(now.body.inputs), outputs, tuple(sorted(now.made))
            bodies[now.body] = content
            stack.pop()
            continue
        node = now.left[-1]
        open_ = next((each for each in node.subgraphs if each not in bodies), None)
        if open_ is not None:
            stack.append(enter(open_, now.depth + 1))
            continue
        now.left.pop()
        operands = tuple(map(place, node.operands))
        contents = tuple(bodies[each] for each in node.subgraphs)
        made = number(("inside", *_key(node), operands, contents))
        now.made.append(made)
        inner.update((result, made) for result in node.results)


def _operands(old: Node, new: Node) -> list[tuple[Any, Any]]:
    return list(zip(old.operands, new.operands, strict=False))


def _same_name(old: Node, new: Node) -> bool:
    return old.name == new.name or not (old.has_name and new.has_name)


def _renamed(old: Node, new: Node) -> list[str]:
    """Say which names of a node and its results differ."""
    found = []
    if old.has_name and new.has_name and old.name != new.name:
        found.append(f"name {old.name} -> {new.name}")
    found += [
        f"result {a.name} -> {b.name}"
        for a, b in zip(old.results, new.results, strict=False)
        if a.has_name and b.has_name and a.name != b.name
    ]
    return found


def _origin(origin: Any) -> tuple[Any, ...]:
    return origin.node, origin.op, origin.pass_name, origin.rule


def _key(node: Node) -> Any:
    """Return what a node is, but for operands and names; tensors by their contents."""
    return node.op, tuple(sorted((k, _value(v)) for k, v in _attributes(node).items()))


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


def _attributes(node: Node) -> dict[str, Any]:
    return {k: v for k, v in node.attributes.items() if not k.startswith("onnx.")}


def _value(value: Any) -> Any:
    """Return an attribute as what is equal for equal ones: texts of tensors leave out what is large."""
    if isinstance(value, (list, tuple)):
        return "list", *map(_value, value)
    if isinstance(value, Mapping):
        return "dict", *sorted((k, _value(v)) for k, v in value.items())
    return value if isinstance(value, Tensor) else repr(value)


def _name(value: Value | None) -> str:
    return "absent" if value is None else value.name


def _cut(old: str, new: str) -> tuple[str, str]:
    """Return two texts that differ, cut to 60 characters from shortly before the first difference on."""
    if max(len(old), len(new)) <= _LONGEST:
        return old, new
    pairs = zip(old, new, strict=False)
    same = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))
    begin = 0 if same < _LONGEST - 20 else same - 20

    def cut(text: str) -> str:
        rest = text[begin:] if begin == 0 else "..." + text[begin:]
        return rest if len(rest) <= _LONGEST else rest[: _LONGEST - 3] + "..."

    return cut(old), cut(new)
