"""What is drawn of a graph: boxes and edges, a large graph folded by module path into several pictures."""

from __future__ import annotations

import dataclasses
from collections import deque
from typing import TYPE_CHECKING, Any

from .._support.visible import visible

if TYPE_CHECKING:
    from ..ir import Graph, Node, Value

__all__ = [
    "LARGEST",
    "Box",
    "Scene",
    "fold",
    "is_drawn",
    "module_path",
    "neighbourhood",
    "short_type",
]

# Boxes in one picture; more are folded.
LARGEST = 120
# Boxes in all pictures of a graph; what is inside of further parts is not drawn.
_MOST_BOXES = 20_000
# Nested modules that are distinguished; each is a picture.
_DEEPEST = 32


@dataclasses.dataclass
class Box:
    """One box of a picture."""

    key: str
    """Identifies it: the node's name, or a folded part's."""
    kind: str
    """node, input, output, part or outside."""
    title: str
    lines: list[str]
    opens: list[str] = dataclasses.field(default_factory=list)
    """Keys of the pictures that it opens: of a part, of a node's subgraphs."""
    tooltip: str = ""
    mark: str = ""
    """added, removed or changed, in a comparison; center, of a neighbourhood."""


@dataclasses.dataclass
class Scene:
    """One picture."""

    key: str
    title: str
    boxes: list[Box]
    edges: list[tuple[int, int, str]]
    """Source, target, and the type of what goes along."""
    parent: str = ""
    """Key of the picture that opens it; empty for the first."""


def module_path(node: Node) -> tuple[str, ...]:
    """Return the modules of the exporter's program that a node is in, outermost first.

    Parameters
    ----------
    node : Node
        Its metadata ``namespace`` counts (torch's newer exporter), else its name (``/encoder/layer.0/MatMul``).
    """
    properties = node.attributes.get("onnx.metadata_props")
    namespace = properties.get("namespace") if properties else None
    if namespace:
        parts = [part.partition(": ")[0] for part in namespace.split("/")]
    elif node.has_name:
        parts = node.name.split("/")
    else:
        return ()
    return tuple(part for part in parts[:-1] if part)[:_DEEPEST]


def is_drawn(node: Node) -> bool:
    """Whether a node has a box; constants stand in the boxes of what takes them.

    Parameters
    ----------
    node : Node
    """
    return node.op not in ("ge.Const", "onnx.Constant")


class _Boxes:
    """Makes boxes of nodes and of folded parts."""

    def __init__(self, marks: dict[str, str] | None = None):
        self.marks = marks or {}

    def node(self, node: Node) -> Box:
        constants = [
            f"{value.name}: {short_type(value)}"
            for value in node.operands
            if value is not None and not is_drawn(value.node)
        ]
        lines = [node.name] if node.has_name else []
        return Box(
            key=node.name,
            kind="node",
            title=node.type if node.domain in ("onnx", "ge") else node.op,
            lines=lines
            + constants[:4]
            + ([f"... {len(constants) - 4} more"] if len(constants) > 4 else []),
            opens=[f"{node.name}:{body.slot}" for body in node.subgraphs],
            tooltip=_tooltip(node),
            mark=self.marks.get(node.name, ""),
        )

    def part(self, key: str, title: str, nodes: list[Node]) -> Box:
        ops: dict[str, int] = {}
        for node in nodes:
            ops[node.type] = ops.get(node.type, 0) + 1
        top = sorted(ops.items(), key=lambda item: (-item[1], item[0]))[:3]
        marked = {self.marks[n.name] for n in nodes if n.name in self.marks}
        return Box(
            key=key,
            kind="part",
            title=title,
            lines=[f"{len(nodes)} nodes", ", ".join(f"{n} {op}" for op, n in top)],
            opens=[key],
            mark="changed" if marked else "",
        )


def short_type(value: Value) -> str:
    """Return the type of a value in few letters, such as ``f32[N,3]``.

    Parameters
    ----------
    value : Value
    """
    from ..ir import TensorType

    type_ = value.type
    if not is_drawn(value.node):  # what it holds says more than what was declared
        type_ = getattr(value.node.attributes.get("value"), "type", type_)
    if not isinstance(type_, TensorType):
        return str(type_)
    shape = (
        "..."
        if type_.shape is None
        else ",".join("?" if d is None else str(d) for d in type_.shape)
    )
    return f"{type_.dtype.name}[{shape}]"


def _tooltip(node: Node) -> str:
    rows = [f"{node.op} {node.name}"]
    rows += [f"in {v.name}: {short_type(v)}" for v in node.operands if v is not None]
    rows += [f"out {v.name}: {short_type(v)}" for v in node.results if str(v.type) != "none"]
    for key, value in node.attributes.items():
        if not key.startswith("onnx."):
            text = repr(value)
            rows.append(f"{key} = {text if len(text) <= 80 else text[:77] + '...'}")
    for origin in node.origins:
        rows.append(f"from {origin.node or '-'} {origin.op or ''} by {origin.pass_name or '-'}")
    return "\n".join(map(visible, rows))


def fold(
    graph: Graph, *, largest: int = LARGEST, marks: dict[str, str] | None = None, root: str = ""
) -> list[Scene]:
    """Return the pictures of a graph, the first one to show at the front.

    Parameters
    ----------
    graph : Graph
    largest : int
        Boxes in one picture; a larger graph is folded by module path, and what has none by runs of nodes.
    marks : dict, optional
        added, removed or changed, by node name.
    root : str
        Key of the first picture.

    Notes
    -----
    Each node is in one picture; of a graph with more than 20,000 boxes, the outer pictures are made, and boxes of
    parts that have none open nothing. Cost: O(nodes + edges), times the depth of the modules, at most 32.
    """
    scenes: list[Scene] = []
    drawn = 0
    # Bodies of control flow are pictures of their own; not by recursion, they may nest deeply.
    work = deque([(graph, root, graph.name or "graph", "")])
    outer_first = len(graph.nodes) > _MOST_BOXES
    while work and drawn < _MOST_BOXES:
        current, key, title, parent = work.popleft() if outer_first else work.pop()
        nodes = [n for n in _in_order(current) if is_drawn(n)]
        ends = len(current.inputs) + len(current.outputs)
        whole = _Tree(key, title, [(n, ()) for n in nodes])
        tree = whole if len(nodes) + ends <= largest else _tree(nodes, key, title, largest)
        painter = _Painter(current, _Boxes(marks), nodes)
        parts = deque([(tree, parent)])
        while parts and drawn < _MOST_BOXES:
            part, above = parts.popleft() if outer_first else parts.pop()
            items = [
                *((painter.boxes.node(n), [n]) for n, _ in part.nodes),
                *(
                    (painter.boxes.part(p.key, p.title, ns := p.all_nodes()), ns)
                    for p in part.parts
                ),
            ]
            scenes.append(painter.scene(part.key, part.title, items, above, with_ends=part is tree))
            drawn += len(scenes[-1].boxes)
            parts += [(inner, part.key) for inner in reversed(part.parts)]
            for node, _ in part.nodes:
                work += [
                    (body, f"{node.name}:{body.slot}", f"{node.name} {body.slot}", part.key)
                    for body in reversed(node.subgraphs)
                ]
    if work or drawn >= _MOST_BOXES:
        known = {scene.key for scene in scenes}
        for scene in scenes:
            for box in scene.boxes:
                if not known.issuperset(box.opens):
                    box.opens = [key for key in box.opens if key in known]
                    box.lines.append("not drawn: the graph is too large")
    return scenes


def _in_order(graph: Graph) -> list[Node]:
    """Return the nodes so that edges go forwards, as far as they can."""
    nodes = list(graph.nodes)
    place = {node: i for i, node in enumerate(nodes)}
    if all(
        place.get(v.node, -1) < place[node]
        for node in nodes
        for v in node.operands
        if v is not None
    ):
        return nodes
    # Kahn's algorithm; what is in a cycle comes last.
    waiting = {
        node: len({v.node for v in node.operands if v is not None and v.node in place})
        for node in nodes
    }
    ready = [node for node in nodes if waiting[node] == 0]
    for node in ready:
        for user in node.users:
            if user in waiting:
                waiting[user] -= 1
                if waiting[user] == 0:
                    ready.append(user)
    done = set(ready)
    return ready + [node for node in nodes if node not in done]


@dataclasses.dataclass
class _Tree:
    """A part of a folded graph."""

    key: str
    title: str
    nodes: list[tuple[Node, tuple[str, ...]]]
    parts: list[_Tree] = dataclasses.field(default_factory=list)

    def all_nodes(self) -> list[Node]:
        found: list[Node] = []
        stack = [self]
        while stack:
            tree = stack.pop()
            found += [n for n, _ in tree.nodes]
            stack += tree.parts
        return found


def _tree(nodes: list[Node], key: str, title: str, largest: int) -> _Tree:
    tree = _Tree(key, title, [(n, module_path(n)) for n in nodes])
    work = [(tree, 0)]
    while work:
        part, depth = work.pop()
        if len(part.nodes) <= largest // 2:
            continue
        groups: dict[str, _Tree] = {}
        own: list[tuple[Node, tuple[str, ...]]] = []
        for node, path in part.nodes:
            if len(path) <= depth:
                own.append((node, path))
                continue
            name = path[depth]
            if name not in groups:
                groups[name] = _Tree(f"{part.key}/{name}", name, [])
            groups[name].nodes.append((node, path))
        if len(groups) == 1 and not own:
            (only,) = groups.values()  # a module around everything says nothing
            part.nodes = only.nodes
            work.append((part, depth + 1))
            continue
        part.nodes, part.parts = own, list(groups.values())
        work += [(group, depth + 1) for group in part.parts]
        _chunk(part, largest // 2)
    return tree


def _chunk(part: _Tree, largest: int) -> None:
    """Fold runs of nodes, and then of parts, until the picture is small enough."""
    if len(part.nodes) > largest:
        runs = _runs(part.nodes, largest)
        part.parts += [
            _Tree(f"{part.key}/{run[0][0].name}..{run[-1][0].name}", f"{run[0][0].name} ...", run)
            for run in runs
        ]
        part.nodes = []
    while len(part.parts) > largest:
        part.parts = [
            run[0]
            if len(run) == 1
            else _Tree(
                f"{run[0].key}..{run[-1].title}", f"{run[0].title} ... {run[-1].title}", [], run
            )
            for run in _runs(part.parts, largest)
        ]


def _runs(items: list[Any], largest: int) -> list[list[Any]]:
    """Split into at most `largest` runs of at least two, or of `largest`."""
    size = max(2, min(largest, -(-len(items) // 2)))
    return [items[i : i + size] for i in range(0, len(items), size)]


def _single(ends: int) -> int:
    """How many of so many inputs or outputs have a box of their own; the others share one."""
    return ends if ends <= LARGEST else LARGEST // 4


class _Painter:
    """Makes the pictures of one graph."""

    def __init__(self, graph: Graph, boxes: _Boxes, nodes: list[Node]):
        self.graph = graph
        self.boxes = boxes
        self.order = {node: i for i, node in enumerate(nodes)}

    def scene(
        self,
        key: str,
        title: str,
        items: list[tuple[Box, list[Node]]],
        parent: str,
        with_ends: bool,
    ) -> Scene:
        """Return the picture of these boxes, each with the nodes that it stands for.

        With ends it has the graph's inputs and outputs, else boxes for what enters and leaves.
        """
        items.sort(key=lambda item: min((self.order[n] for n in item[1]), default=0))
        boxes: list[Box] = []
        sources: dict[Value, int] = {}
        inside = {node for _, nodes in items for node in nodes}
        entering = self.graph.inputs if with_ends else self._entering(items, inside)
        single = _single(len(entering))
        for i, value in enumerate(entering):
            sources[value] = min(i, single)
            kind = "input" if value.node.is_input else "outside"
            if i < single:
                boxes.append(Box(f"{kind} {value.name}", kind, value.name, [short_type(value)]))
            elif i == single:
                more = f"{len(entering) - single} more inputs"
                boxes.append(Box(f"{kind} ...", kind, more, []))
        holder: dict[Node, int] = {}
        for box, nodes in items:
            holder.update(dict.fromkeys(nodes, len(boxes)))
            boxes.append(box)
        edges: dict[tuple[int, int], str] = {}

        def connect(value: Value | None, target: int) -> None:
            if value is None:
                return
            source = holder.get(value.node, sources.get(value))
            if source is not None and source != target and (source, target) not in edges:
                edges[source, target] = short_type(value)

        for node, target in holder.items():
            for value in node.operands:
                connect(value, target)
            for before in node.control_inputs:
                source = holder.get(before)
                if source is not None and source != target:
                    edges.setdefault((source, target), "control")
        leaving: list[tuple[str, Value | None]]
        if with_ends:
            leaving = list(zip(self.graph.output_names, self.graph.outputs, strict=True))
        else:
            leaving = [(value.name, value) for value in self._leaving(inside)]
        single = _single(len(leaving))
        for i, (name, shown) in enumerate(leaving):
            kind = "output" if with_ends else "outside"
            if i < single:
                boxes.append(
                    Box(f"{kind} {name}", kind, name, [] if shown is None else [short_type(shown)])
                )
            elif i == single:
                more = f"{len(leaving) - single} more outputs"
                boxes.append(Box(f"{kind} ...", kind, more, []))
            connect(shown, len(boxes) - 1)
        return Scene(key, title, boxes, [(a, b, text) for (a, b), text in edges.items()], parent)

    @staticmethod
    def _entering(items: list[tuple[Box, list[Node]]], inside: set[Node]) -> list[Value]:
        """Return the values from outside that the boxes use; empty if they are too many to draw."""
        found: dict[Value, None] = {}
        for _, nodes in items:
            for node in nodes:
                for value in node.operands:
                    if value is not None and value.node not in inside and is_drawn(value.node):
                        found[value] = None
        return list(found) if len(found) <= LARGEST else []

    def _leaving(self, inside: set[Node]) -> list[Value]:
        """Return the values that nodes outside use; empty if they are too many to draw."""
        found = [
            value
            for node in sorted(inside, key=self.order.__getitem__)
            for value in node.results
            if any(user not in inside for user in value.users)
        ]
        return found if len(found) <= LARGEST else []


def neighbourhood(graph: Graph, name: str, depth: int, *, largest: int = LARGEST) -> Scene:
    """Return the picture of a node with what is at most `depth` edges away.

    Parameters
    ----------
    graph : Graph
        The root graph; the node may be in a subgraph.
    name : str
        Of a node, or of a value that a node makes.
    depth : int
    largest : int
        The nearest so many nodes are drawn.

    Raises
    ------
    KeyError
        If there is no such node.
    """
    center = graph.find(name)
    if center is None:
        value = graph.find_value(name)
        center = value.node if value is not None else None
    if center is None or center.graph is None:
        raise KeyError(name)
    home = center.graph

    def is_wanted(node: Node) -> bool:
        return is_drawn(node) and not node.is_input and not node.is_output and node.graph is home

    near = {center: 0}
    queue = [center]
    for node in queue:
        if near[node] == depth:
            continue
        others = [v.node for v in node.operands if v is not None] + list(node.users)
        for other in filter(is_wanted, others):
            if other not in near and len(near) < largest:
                near[other] = near[node] + 1
                queue.append(other)
    chosen = [node for node in _in_order(home) if node in near]
    painter = _Painter(home, _Boxes({center.name: "center"}), chosen)
    items = [(painter.boxes.node(node), [node]) for node in chosen]
    return painter.scene(name, f"around {name}", items, "", with_ends=False)
