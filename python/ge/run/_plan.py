"""In which order the nodes of a graph run, which of them together, and how long each value is needed."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from .. import ir, ops
from .._foreign import inferrers_version
from .._mlir_like._cext_loader import load
from .._mlir_like._providers import provider
from ._inputs import function_identity, functions_of
from ._kernel_nodes import Prepared

__all__ = [
    "CALLS",
    "CONSTANTS",
    "Plan",
    "Step",
    "Surroundings",
    "constant_of",
    "implementation_of",
    "is_constant",
    "make_plan",
    "order",
    "plan_of",
]

_native: Any = load("ops")

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
_BODIES = ("onnx.If", "onnx.Loop", "onnx.Scan", "onnx.SequenceMap")


def constant_of(value: ir.Value) -> ir.Tensor | None:
    """Return the tensor of a constant or a variable; None: the node computes, or is an input."""
    if value.node.op != "ge.Variable":
        return ops.constant_tensor(value)
    held = value.node.attributes.get("value")
    return held if isinstance(held, ir.Tensor) else None


def is_constant(node: ir.Node) -> bool:
    """Return whether a node holds its result."""
    if node.op not in CONSTANTS or len(node.results) != 1:
        return False
    return constant_of(node.results[0]) is not None


def kernel_of(node: ir.Node, backend: str | None) -> Any:
    """Return the record of a node's operator if a library has a kernel or a decomposition for it, else None."""
    overload = f".{node.overload}" if node.overload else ""
    for namespace in ("math", "nn") if node.domain == "ge" else (node.domain,):
        name = f"{namespace}::{node.type}{overload}"
        if ops.kernel(name, backend or "cpu") is None and not ops.is_decomposed(node, None):
            continue
        # A kernel for ge::X serves math::X and nn::X, of which one is defined.
        with contextlib.suppress(KeyError, ValueError):
            return ops.get(name)
    return None  # also where its operator is not defined yet


def implementation_of(node: ir.Node, backend: str | None) -> tuple[Any, Any]:
    """Return the record of a node's operator, and what computes it; None: it has none."""
    record = provider("record of a node")(node)
    return record, None if record is None else provider("look-up")(record, backend or "cpu")


class Step(NamedTuple):
    """What runs at once.

    Attributes
    ----------
    nodes : list of Node
        One, or those of a region, each before what depends on it.
    kind : {"region", "native", "node", "bodies", "function"}
    operands : list of Value
        What comes from outside, each once: operands, and what bodies take from around.
    results : list of Value
        What something outside of the step uses.
    program : object
        Of a native step: its nodes, prepared; its inputs are the operands that are no constants.
    given : list of Value
        These.
    prepared : Prepared
        What is kept of the call of its node.
    """

    nodes: list[ir.Node]
    kind: str
    operands: list[ir.Value]
    results: list[ir.Value]
    program: Any = None
    given: Sequence[ir.Value] = ()
    prepared: Any = None


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
    watched : bool
        Nothing runs natively: a limit of time is looked at between the nodes.
    """

    def __init__(
        self, root: ir.Graph, traced: bool, backend: str | None, watched: bool = False
    ) -> None:
        self.root = root
        module = root.module
        self.functions = functions_of(module)
        self.traced = traced
        self.watched = watched
        self.backend = backend
        self.kept: _Kept | None = None  # the plan of the graph that is run
        self._pure: dict[str, bool] = {}
        self._foreign: set[str] = set()  # functions that do not run natively
        # Of bodies and of nodes with bodies, until an edit of their graph.
        self._pure_bodies: dict[ir.Graph, bool] = {}
        self._native_bodies: dict[ir.Graph, bool] = {}
        self._needed: dict[ir.Node, list[ir.Value]] = {}
        self._counts: dict[ir.Graph, int] = {}

    def function_of(self, node: ir.Node) -> ir.Graph | None:
        """Return the function that a node calls."""
        return self.functions.get((node.domain, node.type, node.overload))

    def forget_edited(self, graph: ir.Graph) -> None:
        """Drop what is known of bodies if the graph that they are in was edited."""
        root = graph.root
        count = root.change_count
        if self._counts.setdefault(root, count) != count:
            self._counts[root] = count
            for known in (self._pure_bodies, self._native_bodies, self._needed):
                known.clear()

    def needed(self, node: ir.Node) -> list[ir.Value]:
        """Return the operands of a node and the values that its bodies capture; each once."""
        if not len(node.subgraphs):
            return _operands(node)
        waiting = [node]
        for each in waiting:
            if each not in self._needed:
                for body in each.subgraphs:
                    waiting.extend(n for n in body.nodes if len(n.subgraphs))
        for each in reversed(waiting):
            if each not in self._needed:
                self._needed[each] = self._needed_once(each)
        return self._needed[node]

    def _needed_once(self, node: ir.Node) -> list[ir.Value]:
        values = dict.fromkeys(_operands(node))
        for body in node.subgraphs:
            inner = {v.node for v in body.inputs}
            wanted = [v for v in body.outputs if v is not None]
            for each in body.nodes:
                inner.add(each)
                wanted += self._needed[each] if len(each.subgraphs) else _operands(each)
            values.update(dict.fromkeys(v for v in wanted if v.node not in inner))
        return list(values)

    def kind(self, node: ir.Node) -> str:
        """Return how a node runs, as `Step.kind`."""
        kind = self.kind_alone(node)
        if self.traced or self.watched or kind == "region" or not self._may_be_native(node, kind):
            return kind
        if self.program([node], self.needed(node), [r for r in node.results if r is not None]):
            return "native"
        if kind == "function":
            self._foreign.add(node.op)
        return kind

    def _may_be_native(self, node: ir.Node, kind: str) -> bool:
        if kind == "node":
            record = kernel_of(node, self.backend)
            found = None if record is None else ops.kernel(record, self.backend or "cpu")
            return found is not None and found.native
        if kind == "bodies":
            return all(self._is_native(body) for body in node.subgraphs)
        return node.op not in self._foreign

    def _is_native(self, graph: ir.Graph) -> bool:
        """Return whether no node of a body is known to need Python."""

        def is_native(node: ir.Node) -> bool:
            if node.is_input or node.is_output or is_constant(node):
                return True
            if self.function_of(node) is not None:
                return node.op not in self._foreign
            if len(node.subgraphs):
                return all(self._native_bodies[body] for body in node.subgraphs)
            return self._may_be_native(node, "node")

        return _decided(graph, self._native_bodies, is_native)

    def program(
        self, nodes: list[ir.Node], operands: list[ir.Value], results: list[ir.Value]
    ) -> Any:
        """Return some nodes prepared to run natively; None: one of them cannot."""
        given = [v for v in operands if not is_constant(v.node)]
        graph = nodes[0].graph
        return _native._make_program(graph, self.backend or "cpu", nodes, given, results)

    def kind_alone(self, node: ir.Node) -> str:
        """Return how a node runs that does not run natively with its neighbours."""
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
        if function_identity(function)[2]:
            return False  # no engine tells overloads apart
        known = self._pure.get(function.name)
        if known is None:
            self._pure[function.name] = False  # what calls itself is not a model of ONNX
            known = self._pure[function.name] = self._is_pure(function)
        return known

    def _is_pure(self, graph: ir.Graph) -> bool:
        """Return whether an engine knows all that is in a body."""

        def is_pure(node: ir.Node) -> bool:
            if not all(self._pure_bodies[body] for body in node.subgraphs):
                return False
            if node.is_input or node.is_output or is_constant(node):
                return True
            function = self.function_of(node)
            if function is not None:
                return self._is_pure_function(function)
            return node.domain in ENGINE_DOMAINS and kernel_of(node, self.backend) is None

        return _decided(graph, self._pure_bodies, is_pure)


def _decided(
    graph: ir.Graph, known: dict[ir.Graph, bool], holds: Callable[[ir.Node], bool]
) -> bool:
    """Return whether something holds of all nodes of a body; those inside of it are decided first, each once."""
    waiting = [graph]
    for body in waiting:
        if body not in known:
            for node in body.nodes:
                waiting.extend(node.subgraphs)
    for body in reversed(waiting):
        if body not in known:
            known[body] = all(map(holds, body.nodes))
    return known[graph]


def _operands(node: ir.Node) -> list[ir.Value]:
    return list(dict.fromkeys(v for v in node.operands if v is not None))


def order(
    graph: ir.Graph,
    inside: set[ir.Node],
    wanted: Iterable[ir.Value],
    needed: Callable[[ir.Node], list[ir.Value]],
) -> list[ir.Node]:
    """Return the nodes that some values depend on, each before what depends on it; `needed` gives a node's operands.

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
    around.forget_edited(graph)
    needed = around.needed
    nodes = [n for n in graph.nodes if not n.is_input and not n.is_output]
    members = set(nodes)
    outputs = [v for v in graph.outputs if v is not None]
    # Nothing depends on a check, and yet it may fail.
    wanted = outputs + [r for n in nodes if _has_effect(n) for r in n.results if r is not None]
    ordered = order(graph, members, wanted, needed)
    # A node of a region has the number of its operands' regions, or one more after another node: so no path leaves a
    # region and comes back. At each number the region comes first, then the native nodes, then the others.
    level: dict[ir.Node, int] = {}
    kinds: dict[ir.Node, str] = {}
    for node in ordered:
        kinds[node] = kind = "constant" if is_constant(node) else around.kind(node)
        rank, highest = _RANKS.get(kind, 2), 0
        before = [v.node for v in needed(node)]
        before += [c if isinstance(c, ir.Node) else c.node for c in node.control_inputs]
        for other in before:
            if other in level and kinds[other] != "constant":
                highest = max(highest, level[other] + (rank < _RANKS.get(kinds[other], 2)))
        level[node] = 0 if kind == "constant" else highest
    groups: dict[tuple[int, str], list[ir.Node]] = {}
    for node in ordered:
        kind = kinds[node] if kinds[node] in ("region", "native", "constant") else "others"
        groups.setdefault((level[node], kind), []).append(node)
    parts: list[tuple[str, list[ir.Node]]] = []
    for number in range(max((n for n, _ in groups), default=-1) + 1):
        parts += [(k, groups[number, k]) for k in ("region", "native") if (number, k) in groups]
        parts += [(kinds[n], [n]) for n in groups.get((number, "others"), ())]
    return _with_uses(graph, parts, outputs, around)


_RANKS = {"region": 0, "native": 1}


def _has_effect(node: ir.Node) -> bool:
    return node.type == "CheckNumerics" and node.domain in ("ge", "math", "nn")


def _with_uses(
    graph: ir.Graph,
    parts: list[tuple[str, list[ir.Node]]],
    outputs: list[ir.Value],
    around: Surroundings,
) -> Plan:
    inputs: list[list[ir.Value]] = []
    uses: dict[ir.Value, int] = {}
    for _, nodes in parts:
        own = set(nodes)
        found = dict.fromkeys(v for n in nodes for v in around.needed(n) if v.node not in own)
        inputs.append(list(found))
        for value in found:
            uses[value] = uses.get(value, 0) + 1
    for value in outputs:
        uses[value] = uses.get(value, 0) + 1
    steps = []
    for (kind, nodes), operands in zip(parts, inputs, strict=True):
        results = [r for n in nodes for r in n.results if r is not None]
        if kind in ("region", "native"):
            results = [r for r in results if around.traced or r in uses]
        if kind == "native":
            given = [v for v in operands if not is_constant(v.node)]
            program = around.program(nodes, operands, results)
            steps.append(Step(nodes, kind, operands, results, program, given))
        else:
            steps.append(Step(nodes, kind, operands, results, prepared=Prepared()))
    inside = set(graph.inputs)
    inside.update(r for n in graph.nodes for r in n.results if r is not None)
    return Plan(steps, uses, inside)


# --- Plans that are kept


class _Kept(NamedTuple):
    """A plan without references to the graph, which would keep it alive.

    Attributes
    ----------
    state : tuple
        Of the graph and of all that decides how its nodes run.
    called : list of (str, Graph, int)
        Functions that it calls, directly or through others, with their change counts.
    steps : list
        Kind, numbers of nodes, operands, results, program, given and prepared ones of each; values as numbers of a node and a
        result, inputs with -1.
    uses : list
        Values and counts.
    functions : dict of Graph to _Kept
        Of the functions that run node by node, in the plan of the graph that is run.
    bodies : dict of Graph to (int, Plan)
        Of bodies that run node by node, with the change count of their graph: nodes do not keep the `Graph` object alive.
    """

    state: tuple[Any, ...]
    called: list[tuple[tuple[str, str, str], ir.Graph, int]]
    steps: list[tuple[str, list[int], list[Any], list[Any], Any, list[Any], Any]]
    uses: list[tuple[tuple[int, int], int]]
    functions: dict[ir.Graph, _Kept]
    bodies: dict[ir.Graph, tuple[int, Plan]]


_kept: weakref.WeakKeyDictionary[ir.Graph, _Kept] = weakref.WeakKeyDictionary()


def plan_of(graph: ir.Graph, around: Surroundings) -> Plan:
    """Return how a graph runs: as it was found before, if nothing changed since.

    A kept plan is dropped in the first run after a change of the graph or of a function that it calls, and with the last
    reference to the `Graph` object. Plans of the functions are kept with the plan of the graph that is run. That of a
    function that calls itself, which is an error when it runs, is not kept: it would keep itself alive.
    """
    if around.traced:
        return make_plan(graph, around)
    if graph.root is not graph:
        return _body_plan(graph, around)
    if graph != around.root:
        return _function_plan(graph, around)
    state = (
        graph.change_count,
        frozenset(around.functions),
        _native.generation(),
        inferrers_version(),
        around.backend or "cpu",
        around.watched,
    )
    kept = _kept.get(graph)
    if kept is None or kept.state != state or not _are_current(kept.called, around):
        _kept.pop(graph, None)
        plan = make_plan(graph, around)
        called = _called(graph, around)
        if graph not in called:
            listed = [(function_identity(f), f, f.change_count) for f in called]
            around.kept = _kept[graph] = _keep(graph, plan, state, listed)
        return plan
    around.kept = kept
    return _plan_again(graph, kept)


def _called(graph: ir.Graph, around: Surroundings) -> list[ir.Graph]:
    """Return the functions that a graph calls, directly or through others."""
    found: dict[ir.Graph, None] = {}
    waiting = [graph] if around.functions else []
    for each in waiting:
        for node in each.walk():
            function = around.function_of(node)
            if function is not None and function not in found:
                found[function] = None
                waiting.append(function)
    return list(found)


def _are_current(
    called: Sequence[tuple[tuple[str, str, str], ir.Graph, int]], around: Surroundings
) -> bool:
    """Return whether functions are what they were."""
    return all(
        around.functions.get(name) == function and function.change_count == count
        for name, function, count in called
    )


def _body_plan(graph: ir.Graph, around: Surroundings) -> Plan:
    """Return how a body runs, by the plan that the graph around keeps."""
    if around.kept is None:  # the body itself is run
        return make_plan(graph, around)
    count = graph.root.change_count
    kept = around.kept.bodies.get(graph)
    # A kernel may have edited the graph since the run began.
    if kept is not None and kept[0] == count:
        return kept[1]
    plan = make_plan(graph, around)
    around.kept.bodies[graph] = count, plan
    return plan


def _function_plan(graph: ir.Graph, around: Surroundings) -> Plan:
    """Return how a function runs, by the plan that the graph around keeps."""
    if around.kept is None:
        return make_plan(graph, around)
    kept = around.kept.functions.get(graph)
    # A kernel may have edited the function since the run began.
    if kept is not None and kept.state == (graph.change_count,):
        return _plan_again(graph, kept)
    state = (graph.change_count,)
    plan = make_plan(graph, around)
    around.kept.functions[graph] = _keep(graph, plan, state, [])
    return plan


def _keep(
    graph: ir.Graph,
    plan: Plan,
    state: tuple[Any, ...],
    called: list[tuple[tuple[str, str, str], ir.Graph, int]],
) -> _Kept:
    numbers = {node: i for i, node in enumerate(graph.nodes)}
    places = {value: (-1, i) for i, value in enumerate(graph.inputs)}

    def place(value: ir.Value) -> tuple[int, int]:
        return places[value] if value in places else (numbers[value.node], value.index)

    steps = [
        (
            step.kind,
            [numbers[n] for n in step.nodes],
            [place(v) for v in step.operands],
            [place(v) for v in step.results],
            step.program,
            [place(v) for v in step.given],
            step.prepared,
        )
        for step in plan.steps
    ]
    uses = [(place(v), count) for v, count in plan.uses.items()]
    return _Kept(state, called, steps, uses, {}, {})


def _plan_again(graph: ir.Graph, kept: _Kept) -> Plan:
    inputs, nodes = list(graph.inputs), graph.nodes
    # Nothing can change the graph before the only step of a plan: nodes are found when they are needed.
    is_alone = len(kept.steps) == 1 and kept.steps[0][0] == "native"
    if not is_alone:
        nodes = list(nodes)  # type: ignore[assignment]
    found: dict[tuple[int, int], ir.Value] = {}

    def value(place: tuple[int, int]) -> ir.Value:
        made = found.get(place)
        if made is None:
            number, index = place
            made = found[place] = inputs[index] if number < 0 else nodes[number].results[index]
        return made

    steps = [
        Step(
            [] if is_alone else [nodes[n] for n in numbers],
            kind,
            [value(p) for p in operands],
            [value(p) for p in results],
            program,
            [value(p) for p in given],
            prepared,
        )
        for kind, numbers, operands, results, program, given, prepared in kept.steps
    ]
    return Plan(steps, {value(p): count for p, count in kept.uses}, set())
