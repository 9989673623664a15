"""The interpreter: runs a graph, region by region and node by node, bodies and functions included.

Nodes with kernels in C, with the control flow and functions around them, run natively: as many as can be are one program
(`geProgramRun`), which adds a fraction of a microsecond to a node. Regions of ONNX's operators are onnxruntime's. The
rest is done here, in Python: kernels in Python, user's evaluators, and what they are in. Plans are kept
with the `Graph` object until the graph is edited.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import ir, ops
from .._foreign import EvaluatorDiedError, NoKernelError, OpCall, functions
from .._mlir_like._providers import provider
from .._support.failures import is_interrupt, text_of
from .._support.program import PACKAGE
from ._bodies import run_bodies
from ._budget import Budget, byte_count
from ._inputs import main_graphs
from ._kernel_nodes import KernelNode, Prepared, check
from ._plan import (
    Plan,
    Step,
    Surroundings,
    constant_of,
    implementation_of,
    is_constant,
    make_plan,
    plan_of,
)
from ._regions import Regions, resolved
from ._values import bind, kind_of, listed

__all__ = ["Call", "Frame", "run_graph", "run_module"]

# Bodies and functions inside each other.
_DEEPEST = 10_000
# Runs of a graph, each of which finds that a library was closed since its plan was made.
_TRIES = 16


class Call(NamedTuple):
    """A graph that a node wants to be run.

    Attributes
    ----------
    graph : Graph
    inputs : list
        By the graph's inputs.
    attributes : mapping, optional
        Of the node, where the graph is a function.
    """

    graph: ir.Graph
    inputs: list[Any]
    attributes: Mapping[str, Any] | None = None


class _LibraryClosedError(ops.KernelError):
    """A kernel went between the plan and the step that needs it; another one may be there now."""


Running = Generator[Call, list[Any], list[Any]]


def run_graph(
    graph: ir.Graph,
    inputs: Mapping[Any, Any] | Sequence[Any] | None = None,
    names: bool = False,
    trace: Callable[[str, Any], object] | None = None,
    backend: str | None = None,
    isolate: bool = True,
    budget: Budget | None = None,
) -> Any:
    """Run a graph; see ``Graph.run``.

    With a budget, what is no kernel of the user runs in the child process, and the rest is charged.
    """
    if backend is not None:
        provider("check of a backend")(backend)
    given = listed(graph, inputs)
    values = bind(graph, given)
    found = _until_kernels_stay(
        lambda: _Interpreter(graph, trace, backend, isolate, budget).run(
            graph, list(values.values())
        )
    )
    convert = kind_of(list(given.values()) if isinstance(given, Mapping) else given)
    results = [_converted(v, convert) for v in found]
    return dict(zip(graph.output_names, results, strict=True)) if names else results


def _until_kernels_stay(run: Callable[[], list[Any]]) -> list[Any]:
    """Return what a run gives; it begins anew where another thread closes a library meanwhile."""
    for _ in range(_TRIES - 1):
        with contextlib.suppress(_LibraryClosedError):
            return run()
    return run()


def run_module(
    module: ir.Module,
    inputs: Mapping[Any, Any] | Sequence[Any] | None = None,
    *,
    names: bool = False,
    trace: Callable[[str, Any], object] | None = None,
    backend: str | None = None,
    isolate: bool = True,
) -> Any:
    """Run the graph of a module that is not a function.

    Raises
    ------
    ValueError
        If there is none, or more than one.
    """
    graphs = main_graphs(module)
    if len(graphs) != 1:
        listed = ", ".join(f"'{g.name}'" for g in graphs) or "none"
        raise ValueError(f"the module must have one graph that is not a function; it has {listed}")
    return run_graph(graphs[0], inputs, names, trace, backend, isolate)


def _converted(value: Any, convert: Callable[[Any], Any]) -> Any:
    if isinstance(value, list):
        return [_converted(v, convert) for v in value]
    if isinstance(value, np.generic):
        value = np.asarray(value)
    return convert(value) if isinstance(value, np.ndarray) else value


class Frame:
    """A graph that runs.

    Attributes
    ----------
    graph : Graph
    plan : Plan
    values : dict of Value to any
        Those that are still needed.
    parent : Frame or None
        Of the graph around a body.
    attributes : mapping or None
        Of the call, where the graph is a function.
    budget : Budget or None
        Charged for the values.
    """

    def __init__(
        self,
        graph: ir.Graph,
        plan: Plan,
        parent: Frame | None,
        attributes: Mapping[str, Any] | None,
        budget: Budget | None = None,
    ) -> None:
        self.budget = budget
        self.graph, self.plan, self.parent, self.attributes = graph, plan, parent, attributes
        self.values: dict[ir.Value, Any] = {}
        self.left = dict(plan.uses)

    def __getitem__(self, value: ir.Value) -> Any:
        frame: Frame | None = self
        while frame is not None:
            if value in frame.values:
                return frame.values[value]
            if value in frame.plan.inside:
                break
            frame = frame.parent
        if is_constant(value.node):
            tensor = constant_of(value)
            assert tensor is not None
            if self.budget is not None:
                self.budget.need_tensor(tensor)
            return tensor.numpy()
        raise KeyError(value.name)

    def __contains__(self, value: object) -> bool:
        try:
            self[value]  # type: ignore[index]
        except KeyError:
            return False
        return True

    def keep(self, value: ir.Value, made: Any) -> None:
        """Hold a value until its last use."""
        if self.left.get(value):
            if self.budget is not None:
                self.budget.take(byte_count(made))
            self.values[value] = made

    def give_away(self, values: Sequence[ir.Value]) -> list[int]:
        """Drop those of a step's values that only this step still needs; return their numbers."""
        last = []
        for number, value in enumerate(values):
            if self.left.get(value) == 1 and value in self.values and not value.node.is_input:
                del self.values[value]
                last.append(number)
        return last

    def release(self, values: Sequence[ir.Value]) -> None:
        """Take note that a step has used some values."""
        for value in values:
            count = self.left.get(value, 0) - 1
            self.left[value] = count
            if count == 0:
                made = self.values.pop(value, None)
                if self.budget is not None:
                    self.budget.give(byte_count(made))

    def end(self) -> None:
        """Take note that nothing of the graph is needed any more."""
        if self.budget is not None:
            self.budget.give(byte_count(self.values))


class _Interpreter:
    def __init__(
        self,
        root: ir.Graph,
        trace: Callable[[str, Any], object] | None,
        backend: str | None,
        isolate: bool,
        budget: Budget | None = None,
    ) -> None:
        self._trace = trace
        self._budget = budget
        self._backend = backend
        top = root.root
        self._around = Surroundings(top, trace is not None, backend, budget is not None)
        self._regions = Regions(top, self._around, isolate, budget)
        self._plans: dict[ir.Graph, Plan] = {}
        self._decompositions: dict[Any, list[tuple[dict[str, Any], ir.Graph]]] = {}

    def run(self, graph: ir.Graph, inputs: list[Any]) -> list[Any]:
        """Run a graph, and what it calls, on a stack of our own."""
        stack: list[tuple[Frame, Running]] = [self._entered(Call(graph, inputs), None)]
        answer: list[Any] | None = None
        try:
            while True:
                frame, running = stack[-1]
                try:
                    call = next(running) if answer is None else running.send(answer)
                except StopIteration as end:
                    stack.pop()
                    frame.end()
                    answer = end.value
                    if not stack:
                        return end.value  # type: ignore[no-any-return]
                    continue
                if len(stack) >= _DEEPEST:
                    raise ir.GEError(_cycle([f.graph.name for f, _ in stack]))
                answer = None
                stack.append(self._entered(call, frame if call.attributes is None else None))
        finally:
            while stack:
                stack.pop()[1].close()

    def _entered(self, call: Call, parent: Frame | None) -> tuple[Frame, Running]:
        if self._budget is not None:
            self._budget.look()
        graph = call.graph
        plan = self._plans.get(graph)
        if plan is None:
            plan = self._plans[graph] = plan_of(graph, self._around)
        attributes = call.attributes
        if attributes is None and parent is not None:
            attributes = parent.attributes
        frame = Frame(graph, plan, parent, attributes, self._budget)
        if len(call.inputs) > len(graph.inputs):
            raise ops.KernelError(
                f"graph '{graph.name}' gets {len(call.inputs)} inputs, but has {len(graph.inputs)}"
            )
        given = [*call.inputs, *[None] * (len(graph.inputs) - len(call.inputs))]
        for value, made in zip(graph.inputs, given, strict=True):
            self._hold(frame, value, made)
        return frame, self._steps(frame)

    def _steps(self, frame: Frame) -> Running:
        for step in frame.plan.steps:
            if self._budget is not None:
                self._budget.look()
            if step.kind == "region":
                made = self._regions.run(step, frame, frame.attributes)  # type: ignore[arg-type]
                for value in step.results:
                    self._hold(frame, value, made[value])
            elif step.kind == "native":
                inputs = [frame[v] for v in step.given]
                last = frame.give_away(step.given)
                found = _natively(step, inputs, last)
                if found is None:
                    frame.values.update((step.given[i], inputs[i]) for i in last)
                    yield from self._one_by_one(step, frame)
                else:
                    for value, each in zip(step.results, found, strict=True):
                        self._hold(frame, value, each)
            else:
                yield from self._single(step.nodes[0], step.kind, frame, step.prepared)
            frame.release(step.operands)
        return [None if v is None else frame[v] for v in frame.graph.outputs]

    def _one_by_one(self, step: Step, frame: Frame) -> Running:
        """Run what has inputs that kernels in C do not take, such as strings."""
        # Found anew: the only step of a kept plan has no nodes.
        nodes = step.nodes or [
            n for s in make_plan(frame.graph, self._around).steps for n in s.nodes
        ]
        before = set(frame.values)
        inner = {r for n in nodes for r in n.results if r is not None}
        uses = {r: frame.left.get(r, 0) for r in inner}
        for value in inner:
            frame.left[value] = uses[value] + 1  # until the last of these nodes has run
        for node in nodes:
            yield from self._single(node, self._around.kind_alone(node), frame, Prepared())
        for value in inner:
            frame.left[value] = uses[value]
            if not uses[value] and value not in before:
                frame.values.pop(value, None)
        return []

    def _single(self, node: ir.Node, kind: str, frame: Frame, prepared: Prepared) -> Running:
        operands = [None if v is None else frame[v] for v in node.operands]
        if kind == "function":
            function = self._around.function_of(node)
            assert function is not None
            defaults = function.attributes.get("onnx.attribute_defaults") or {}
            own = {**defaults, **resolved(node.attributes, frame.attributes)}
            results = yield Call(function, operands, own)
        elif kind == "bodies":
            results = yield from run_bodies(
                node, operands, resolved(node.attributes, frame.attributes), Call, self._budget
            )
        else:
            found = self._node(node, operands, frame, prepared)
            if isinstance(found, ir.Graph):
                results = yield Call(found, [o for o in operands if o is not None], {})
                _check_decomposed(node, results)
            else:
                results = found
        del operands
        for result, each in zip(node.results, results, strict=False):
            if result is not None:
                self._hold(frame, result, each)
        return []

    def _hold(self, frame: Frame, value: ir.Value, made: Any) -> None:
        frame.keep(value, made)
        if self._trace is not None:
            self._trace(value.name, made)

    # --- One node ---

    def _node(
        self, node: ir.Node, operands: list[Any], frame: Frame, prepared: Prepared
    ) -> list[Any] | ir.Graph:
        """Return the results of a node, or the graph that it is decomposed into."""
        known = prepared.find(frame, operands)
        if known is not None:
            return known(operands)
        own = resolved(node.attributes, frame.attributes)
        try:
            record, found = implementation_of(node, self._backend)
        except NotImplementedError as error:  # its kernel does not fit the schema
            raise NoKernelError(f"node '{node.name}' ({node.op}): {text_of(error)}") from error
        if found is not None and found.is_decomposer:
            return self._decomposed(node, operands, own)
        if found is None or found.is_shipped:
            made = _by_user(node, operands, own)
            if made is not None:
                return made
        if found is not None:
            is_limited = self._budget is not None
            call = KernelNode(node, record, found, operands, own, self._backend, is_limited)
            prepared.keep(frame, call)
            return call(operands)
        library, backend = node.domain or "acme", self._backend or "cpu"
        on = "" if backend == "cpu" else f" for {backend}"
        raise NoKernelError(
            f"node '{node.name}' ({node.op}) in graph '{frame.graph.name}' has no kernel{on}; register one with"
            f" {PACKAGE}.ops.Library('{library}', kind='IMPL').impl('{node.type}', '{backend}')"
        )

    def _decomposed(
        self, node: ir.Node, operands: list[Any], attributes: dict[str, Any]
    ) -> ir.Graph:
        """Return what a node is decomposed into, for its operands as they are; made once for equal types."""
        types = [
            None
            if o is None
            else ir.Tensor(o, context=node.context).type
            if isinstance(o, np.ndarray)
            else v.type
            for o, v in zip(operands, node.operands, strict=True)
        ]
        # The text tells 1 from 1.0, and leaves out large tensors.
        known = self._decompositions.setdefault((node, tuple(types), repr(attributes)), [])
        for given, graph in known:
            if given == attributes:
                return graph
        made = ops.decomposition(node, types, attributes)
        if made is None:
            what = f"node '{node.name}' ({node.op})"
            raise _LibraryClosedError(f"{what}: the library with its decomposition was closed")
        known.append((dict(attributes), made))
        return made


def _natively(step: Step, inputs: list[Any], last: list[int]) -> list[Any] | None:
    """Return the results of a native step; None: it has an input that kernels in C do not take.

    Parameters
    ----------
    step : Step
    inputs : list
        Emptied when the step runs, so that nothing holds a value after its last use.
    last : list of int
        Numbers of the inputs that no other step needs.
    """
    where: list[str] = []
    try:
        found: list[Any] | None = step.program.run(inputs, len(step.results), where, last)
    except (ir.GEError, TypeError, ValueError, NotImplementedError, OverflowError) as error:
        what, text = where[0] if where else "", text_of(error)
        if not what and isinstance(error, ir.StaleHandleError):
            raise _LibraryClosedError(text) from error
        if not what:
            raise
        kind = NoKernelError if isinstance(error, NotImplementedError) else ops.KernelError
        raise kind(text if what in text else f"{what}: {text}") from error
    return found


def _check_decomposed(node: ir.Node, results: list[Any]) -> None:
    what = f"node '{node.name}' ({node.op}): its decomposition"
    for i, (value, array) in enumerate(zip(node.results, results, strict=False)):
        if value is not None and hasattr(array, "dtype"):
            check(what, i, value.type, array)


def _by_user(node: ir.Node, operands: list[Any], attributes: dict[str, Any]) -> list[Any] | None:
    """Return what a function of `add_evaluator` or `use_evaluator` gives; None: none knows the operator."""
    known = functions()
    if not known or any(isinstance(o, (list, dict)) for o in operands):
        return None
    context = node.context
    tensors = tuple(None if o is None else ir.Tensor(o, context=context) for o in operands)
    types = tuple(
        None if v is None or t is None else _with_layout(v, t)
        for v, t in zip(node.operands, tensors, strict=True)
    )
    call = OpCall(
        node.op,
        context,
        0,
        None,
        types,
        tensors,
        {k: v for k, v in attributes.items() if not k.startswith("onnx.")},
        {},
        len(node.results),
        node.name,
        operand_segments=node.operand_segments,
        result_segments=node.result_segments,
    )
    found = None
    for name, function in known:
        what = f"node '{node.name}' ({node.op}): evaluator '{name}'"
        try:
            found = function(call)
        except EvaluatorDiedError:
            raise
        except BaseException as error:
            if is_interrupt(error):
                raise
            raise ops.KernelError(
                f"{what} raised {type(error).__name__}: {text_of(error)}"
            ) from error
        if found is not None:
            break
    else:
        return None
    if len(found) != len(node.results):
        raise ops.KernelError(f"{what} gave {len(found)} results of {len(node.results)}")
    arrays = [f.numpy() if isinstance(f, ir.Tensor) else np.asarray(f) for f in found]
    for i, (value, array) in enumerate(zip(node.results, arrays, strict=True)):
        if value is not None:
            check(what, i, value.type, array)
    return arrays


def _with_layout(value: ir.Value, tensor: ir.Tensor) -> ir.Type:
    layout = getattr(value.type, "format", None)
    if layout is None:
        return tensor.type
    kind = tensor.type
    return ir.TensorType(kind.shape, kind.dtype, format=layout, context=kind.context)


def _cycle(names: list[str]) -> str:
    last = names[-1]
    before = len(names) - 2
    while before > 0 and names[before] != last:
        before -= 1
    loop = " -> ".join(names[max(before, len(names) - 6) :])
    return f"graphs call each other {len(names)} deep, which is the limit: {loop}"
