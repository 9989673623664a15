"""In which order the nodes of a graph run, which of them together, and how long each value is needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from .. import ir, ops
from ._inputs import is_function

__all__ = [
    "CALLS",
    "CONSTANTS",
    "Plan",
    "Step",
    "Surroundings",
    "is_constant",
    "make_plan",
    "needed",
    "order",
]

# Domains that onnxruntime and ONNX's reference know.
ENGINE_DOMAINS = (
    "onnx",
    "onnx.ml",
    "onnx.preview",
    "onnx.preview.training",
    "ai.onnx.ml",
    "ai.onnx.preview.training",
    "com.microsoft",
)
CONSTANTS = ("ge.Const", "ge.Constant", "ge.Variable", "onnx.Constant")
# Operators of CANN that run their bodies.
CALLS = ("If", "StatelessIf", "Case", "While", "StatelessWhile", "For", "PartitionedCall", "StatefulPartitionedCall")  # fmt: skip
# Of ONNX, where a body holds what no engine knows.
_BODIES = ("onnx.If", "onnx.Loop", "onnx.Scan")


def is_constant(node: ir.Node) -> bool:
    """Return whether a node holds its result."""
    if node.op not in CONSTANTS:
        return False
    return (
        "value" in node.attributes
        if node.op != "onnx.Constant"
        else ops.constant_tensor(node.result) is not None
    )


def kernel_of(node: ir.Node, backend: str | None) -> Any:
    """Return the record of a node's operator if a kernel is registered for it, else None."""
    overload = f".{node.overload}" if node.overload else ""
    for namespace in ("math", "nn") if node.domain == "ge" else (node.domain,):
        name = f"{namespace}::{node.type}{overload}"
        if ops.kernel(name, backend or "cpu") is not None:
            try:
                return ops.get(name)
            except (KeyError, ValueError):
                return None  # its operator is not defined yet
    return None


class Step(NamedTuple):
    """What runs at once.

    Attributes
    ----------
    nodes : list of Node
        One, or those of a region, each before what depends on it.
    kind : {"region", "node", "bodies", "function"}
    operands : list of Value
        What comes from outside, each once: operands, and what bodies take from around.
    results : list of Value
        What something outside of the step uses.
    """

    nodes: list[ir.Node]
    kind: str
    operands: list[ir.Value]
    results: list[ir.Value]


class Plan(NamedTuple):
    """How a graph runs.

    Attributes
    ----------
    steps : list of Step
    uses : dict of Value to int
        In how many steps each value is needed; outputs count once more.
    inside : set of Value
        Those of this graph; others are the business of the graph around.
    """

    steps: list[Step]
    uses: dict[ir.Value, int]
    inside: set[ir.Value]


class Surroundings:
    """What decides how a node runs, beside itself.

    Parameters
    ----------
    root : Graph
        Its module has the functions.
    traced : bool
        Bodies and functions run node by node, so that each of their values is seen.
    backend : str, optional
        Whose kernels count; None: ``"cpu"``.
    """

    def __init__(self, root: ir.Graph, traced: bool, backend: str | None) -> None:
        module = root.module
        graphs = () if module is None else module.graphs.values()
        self.functions = {g.name: g for g in graphs if is_function(g)}
        self.traced = traced
        self.backend = backend
        self._pure: dict[str, bool] = {}

    def function_of(self, node: ir.Node) -> ir.Graph | None:
        """Return the function that a node calls."""
        return self.functions.get(f"{node.op}:{node.overload}" if node.overload else node.op)

    def kind(self, node: ir.Node) -> str:
        """Return how a node runs, as `Step.kind`."""
        function = self.function_of(node)
        if function is not None:
            return "region" if not self.traced and self._is_pure_function(function) else "function"
        if kernel_of(node, self.backend) is not None:
            return "node"
        if node.domain in ("ge", "math", "nn"):
            return "bodies" if node.type in CALLS else "node"
        if node.domain not in ENGINE_DOMAINS:
            return "node"
        if len(node.subgraphs) and (self.traced or not all(map(self._is_pure, node.subgraphs))):
            return "bodies" if node.op in _BODIES else "node"
        return "region"

    def _is_pure_function(self, function: ir.Graph) -> bool:
        known = self._pure.get(function.name)
        if known is None:
            self._pure[function.name] = False  # what calls itself is not a model of ONNX
            known = self._pure[function.name] = self._is_pure(function)
        return known

    def _is_pure(self, graph: ir.Graph) -> bool:
        """Return whether an engine knows all that is in a body."""
        for node in graph.walk():
            if node.is_input or node.is_output or is_constant(node):
                continue
            function = self.function_of(node)
            if function is not None:
                if not self._is_pure_function(function):
                    return False
            elif node.domain not in ENGINE_DOMAINS or kernel_of(node, self.backend) is not None:
                return False
        return True


def needed(node: ir.Node) -> list[ir.Value]:
    """Return the operands of a node, and what its bodies take from around; each once."""
    values = dict.fromkeys(v for v in node.operands if v is not None)
    if len(node.subgraphs):
        inner: set[ir.Node] = set()
        wanted: list[ir.Value] = []
        waiting = list(node.subgraphs)
        while waiting:
            body = waiting.pop()
            inner.update(v.node for v in body.inputs)
            wanted += [v for v in body.outputs if v is not None]
            for each in body.nodes:
                inner.add(each)
                wanted += [v for v in each.operands if v is not None]
                waiting.extend(each.subgraphs)
        values.update(dict.fromkeys(v for v in wanted if v.node not in inner))
    return list(values)


def order(graph: ir.Graph, inside: set[ir.Node], wanted: Iterable[ir.Value]) -> list[ir.Node]:
    """Return the nodes that some values depend on, each before what depends on it.

    Raises
    ------
    VerifyError
        If there is a cycle.
    """
    found: dict[ir.Node, None] = {}
    open_: set[ir.Node] = set()
    stack: list[tuple[ir.Node, bool]] = [(v.node, False) for v in wanted]
    stack.reverse()
    while stack:
        node, is_done = stack.pop()
        if is_done:
            open_.discard(node)
            found[node] = None
        elif node in found or node not in inside:
            continue
        elif node in open_:
            raise ir.VerifyError(f"graph '{graph.name}' has a cycle through node '{node.name}'")
        else:
            open_.add(node)
            stack.append((node, True))
            before = [v.node for v in needed(node)]
            before += [c if isinstance(c, ir.Node) else c.node for c in node.control_inputs]
            stack.extend((b, False) for b in reversed(before))
    return list(found)


def make_plan(graph: ir.Graph, around: Surroundings) -> Plan:
    """Return how a graph runs. Cost: O(nodes + edges).

    Neighbouring operators of ONNX are one step, as many as can be without a detour through another node. Nodes that no
    output depends on do not run.
    """
    nodes = [n for n in graph.nodes if not n.is_input and not n.is_output]
    members = set(nodes)
    outputs = [v for v in graph.outputs if v is not None]
    # Nothing depends on a check, and yet it may fail.
    wanted = outputs + [r for n in nodes if _has_effect(n) for r in n.results if r is not None]
    ordered = order(graph, members, wanted)
    # A node of a region has the number of its operands' regions, or one more behind another node: so no path leaves a
    # region and comes back.
    level: dict[ir.Node, int] = {}
    kinds: dict[ir.Node, str] = {}
    for node in ordered:
        kinds[node] = kind = "constant" if is_constant(node) else around.kind(node)
        highest = 0
        for value in needed(node):
            other = value.node
            if other in level:
                turns = kind == "region" and kinds[other] not in ("region", "constant")
                highest = max(highest, level[other] + turns)
        level[node] = 0 if kind == "constant" else highest
    groups: dict[int, list[ir.Node]] = {}
    single: dict[int, list[ir.Node]] = {}
    for node in ordered:
        if kinds[node] == "region":
            groups.setdefault(level[node], []).append(node)
        elif kinds[node] != "constant":
            single.setdefault(level[node], []).append(node)
    parts: list[tuple[str, list[ir.Node]]] = []
    for number in range(max([*groups, *single], default=-1) + 1):
        if number in groups:
            parts.append(("region", groups[number]))
        parts += [(kinds[n], [n]) for n in single.get(number, ())]
    return _with_uses(graph, parts, outputs, around.traced)


def _has_effect(node: ir.Node) -> bool:
    return node.type == "CheckNumerics" and node.domain in ("ge", "math", "nn")


def _with_uses(
    graph: ir.Graph, parts: list[tuple[str, list[ir.Node]]], outputs: list[ir.Value], traced: bool
) -> Plan:
    inputs: list[list[ir.Value]] = []
    uses: dict[ir.Value, int] = {}
    for _, nodes in parts:
        own = set(nodes)
        found = dict.fromkeys(v for n in nodes for v in needed(n) if v.node not in own)
        inputs.append(list(found))
        for value in found:
            uses[value] = uses.get(value, 0) + 1
    for value in outputs:
        uses[value] = uses.get(value, 0) + 1
    steps = []
    for (kind, nodes), operands in zip(parts, inputs, strict=True):
        results = [r for n in nodes for r in n.results if r is not None and (traced or r in uses)]
        if kind != "region":
            results = [r for n in nodes for r in n.results if r is not None]
        steps.append(Step(nodes, kind, operands, results))
    inside = set(graph.inputs)
    inside.update(r for n in graph.nodes for r in n.results if r is not None)
    return Plan(steps, uses, inside)
