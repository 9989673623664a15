"""Regions of ONNX's operators, each as a model in onnxruntime or ONNX's reference."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import ir, ops
from .._foreign import EvaluatorDiedError, chosen_packages
from .._support.segments import copy_segments
from . import _engines, _service
from ._budget import Budget
from ._engines import EngineError
from ._faults import definition_fault, first_fault
from ._model import whole_bytes
from ._plan import Step, Surroundings, constant_of, is_constant, order

__all__ = ["IR_VERSION", "Regions", "refuse_small", "resolved", "session_of"]

# Marks a node that keeps what the IR cannot represent.
_OPAQUE = "onnx.opaque"
# Knows all element types up to 4 bits; what reads the model need not know newer ones.
IR_VERSION = 10
# Sessions that are kept, and the size of their models together.
_KEPT = 64
_KEPT_BYTES = 1 << 30

# Session and bytes; graphs run in several threads.
_sessions: OrderedDict[_Model, tuple[Any, int]] = OrderedDict()
_lock = threading.RLock()  # a signal handler may run a graph while a key is compared


def resolved(attributes: Any, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return attributes of a node in a function, with those of the call in the place of references."""
    found = dict(attributes)
    if given is None:
        return found
    for name, value in attributes.items():
        if isinstance(value, Mapping) and "ref_attr_name" in value:
            other = given.get(value["ref_attr_name"])
            if other is None:
                del found[name]
            else:
                found[name] = other
    return found


def _title(nodes: Sequence[ir.Node]) -> str:
    first = nodes[0]
    where = f"in graph '{first.graph.name}'" if first.graph is not None else ""
    if len(nodes) == 1:
        return f"node '{first.name}' ({first.op}) {where}"
    return f"the region of {len(nodes)} nodes from '{first.name}' ({first.op}) to '{nodes[-1].name}' {where}"


class Regions:
    """Runs regions.

    Parameters
    ----------
    root : Graph
        Its functions count.
    around : Surroundings
    isolate : bool
        Whether engines run in the child process.
    budget : Budget, optional
        What models may take in this process.
    """

    def __init__(
        self,
        root: ir.Graph,
        around: Surroundings,
        isolate: bool,
        budget: Budget | None = None,
    ) -> None:
        self._budget = budget
        self._around = around
        self._root = root
        self._isolate = isolate
        self._opsets: dict[ir.Graph, dict[str, int]] = {}
        self._refused: set[tuple[ir.Value | None, int]] = set()

    def run(
        self,
        step: Step,
        values: Mapping[ir.Value, Any],
        attributes: Mapping[str, Any] | None,
        part: tuple[int, ...] = (),
    ) -> dict[ir.Value, Any]:
        """Return the results of a region.

        Parameters
        ----------
        step : Step
        values : mapping of Value to any
        attributes : mapping, optional
            Of the call of a function that it is in.
        part : tuple of int
            Which half of which half of the plan's region it is, where an engine refused the whole.

        Raises
        ------
        KernelError
        """
        if _service.mode() == "none":
            return self._natively(step, values, attributes)
        mark = (step.results[0] if step.results else None, len(step.nodes))
        if mark not in self._refused:
            try:
                return self._by(self._engine(0), step, values, attributes, part)
            except (EngineError, ir.ModelError) as error:
                refusal: Exception = error
        else:
            refusal = EngineError("refused before")
        self._refused.add(mark)
        if len(step.nodes) > 1:
            return self._halves(step, values, attributes, part)
        if self._engine(1):
            try:
                return self._by(self._engine(1), step, values, attributes, part)
            except (EngineError, ir.ModelError) as error:
                refusal = refusal if str(refusal) != "refused before" else error
                refusal = ops.KernelError(f"{refusal}; the reference evaluator: {error}")
        raise ops.KernelError(f"{_title(step.nodes)}: {refusal}") from refusal

    def _engine(self, number: int) -> str:
        installed = _service.installed()
        engines = [e for e in chosen_packages() if e in installed]
        if not engines:
            raise ops.KernelError(
                "neither onnxruntime nor onnx is installed, which run ONNX's operators:"
                " pip install onnxruntime onnx"
            )
        return engines[number] if number < len(engines) else ""

    def _halves(
        self,
        step: Step,
        values: Mapping[ir.Value, Any],
        attributes: Mapping[str, Any] | None,
        half: tuple[int, ...],
    ) -> dict[ir.Value, Any]:
        """Run a region that an engine refused in two, so that only what it refuses runs otherwise."""
        middle = len(step.nodes) // 2
        found: dict[ir.Value, Any] = {}
        wanted = set(step.results)
        needed = self._around.needed
        later = {v for n in step.nodes[middle:] for v in needed(n)}
        for number, nodes in enumerate((step.nodes[:middle], step.nodes[middle:])):
            own = set(nodes)
            operands = dict.fromkeys(v for n in nodes for v in needed(n) if v.node not in own)
            results = [
                r
                for n in nodes
                for r in n.results
                if r is not None and (r in wanted or (r in later and n in own))
            ]
            part = Step(nodes, "region", list(operands), results, prepared=step.prepared)
            found.update(self.run(part, _Both(found, values), attributes, (*half, number)))
        return {r: found[r] for r in step.results}

    def _natively(
        self, step: Step, values: Mapping[ir.Value, Any], attributes: Mapping[str, Any] | None
    ) -> dict[ir.Value, Any]:
        """Run node by node what a function of `use_evaluator` computes."""
        found: dict[ir.Value, Any] = {}
        both = _Both(found, values)
        for node in step.nodes:
            if fault := definition_fault(node):
                raise ops.KernelError(fault)
            given = [None if v is None else both[v] for v in node.operands]
            tensors = None
            if not len(node.subgraphs) and not any(isinstance(g, (list, dict)) for g in given):
                own = resolved(node.attributes, attributes)
                own = {k: v for k, v in own.items() if "." not in k or k == _OPAQUE}
                tensors = ops.evaluate_operator(
                    node.op,
                    given,
                    own,
                    opset=self._opsets_of(node).get(node.domain),
                    num_results=len(node.results),
                )
            if tensors is None:
                raise ops.KernelError(f"{_title([node])}: nothing runs it: GE_EVALUATORS=none")
            for result, tensor in zip(node.results, tensors, strict=True):
                if result is not None:
                    found[result] = tensor.numpy()
        return {r: found[r] for r in step.results}

    def _opsets_of(self, node: ir.Node) -> dict[str, int]:
        """Return the operator sets of a node's graph: a function may import other ones than its model."""
        root = node.root
        if root not in self._opsets:
            self._opsets[root] = root.opsets
        return self._opsets[root]

    def _by(
        self,
        engine: str,
        step: Step,
        values: Mapping[ir.Value, Any],
        attributes: Mapping[str, Any] | None,
        part: tuple[int, ...],
    ) -> dict[ir.Value, Any]:
        if not step.results:
            return {}
        given = [v for v in step.operands if not is_constant(v.node)]
        if engine == "onnxruntime":
            refuse_small([v.type for v in step.results], [values[v] for v in given])
        feeds = {f"x{i}": values[v] for i, v in enumerate(given)}
        # With a plan that is kept, so that a region is looked up once and not in each run.
        known = step.prepared.sessions if attributes is None and step.prepared is not None else {}
        types = tuple(_key(f) for f in feeds.values())
        opsets = tuple(self._opsets_of(step.nodes[0]).items())
        # A body that runs no turn gives the sizes that are inferred.
        sizes = (
            [_sizes(v, f) for v, f in zip(given, feeds.values(), strict=True)]
            if _has_bodies(step)
            else None
        )
        place = engine, self._isolate, _service.mode(), part, types, opsets, sizes and tuple(sizes)
        try:
            session = known[place]() if place in known else None
            if session is None:
                session = self._session(engine, step, given, feeds, attributes, sizes)
                known[place] = weakref.ref(session)  # the budget of `_sessions` says how long
            made = session.run(feeds)
        except EvaluatorDiedError as error:
            raise ops.KernelError(f"{_title(step.nodes)}: {error}") from error
        return dict(zip(step.results, made, strict=True))

    def _session(
        self,
        engine: str,
        step: Step,
        given: list[ir.Value],
        feeds: Mapping[str, Any],
        attributes: Mapping[str, Any] | None,
        sizes: list[Any] | None,
    ) -> Any:
        if self._budget is not None:
            held = [constant_of(v) for v in step.operands if is_constant(v.node)]
            self._budget.need(sum(t.nbytes for t in held if t is not None))
        module = self._model(step, given, list(feeds.values()), attributes, sizes)
        return session_of(engine, module, _service.mode() if self._isolate else "inprocess")

    def _model(
        self,
        step: Step,
        given: list[ir.Value],
        arrays: list[Any],
        attributes: Mapping[str, Any] | None,
        sizes: list[Any] | None,
    ) -> ir.Module:
        context = self._root.context
        module = ir.Module("region", context=context)
        graph = module.add_graph("region")
        # Before its nodes, whose records are those of these versions.
        if opsets := self._opsets_of(step.nodes[0]):
            module.attributes["onnx.opset_imports"] = opsets
        values: dict[ir.Value, ir.Value] = {}
        for i, (value, array) in enumerate(zip(given, arrays, strict=True)):
            type_ = _type(value, array, context)
            if sizes is not None and sizes[i] is not None and isinstance(type_, ir.TensorType):
                type_ = ir.TensorType(sizes[i], type_.dtype, context=context)
            values[value] = graph.add_input(f"x{i}", type_)
        constants = [v.node for v in step.operands if is_constant(v.node)]
        copy = _Copy(values, attributes, self._around)
        copy.nodes(dict.fromkeys(constants), graph)
        copy.nodes(step.nodes, graph)
        graph.outputs = [values[r] for r in step.results]
        graph.output_names = [f"y{i}" for i in range(len(step.results))]
        module.attributes["onnx.ir_version"] = IR_VERSION
        if self._around.functions and any(
            self._around.function_of(n) for n in step.nodes + _inner(step.nodes)
        ):
            for (_, _, overload), function in self._around.functions.items():
                if not overload:  # which no engine knows, and no region calls
                    module.add_graph(function.clone())
        return module


def session_of(engine: str, module: ir.Module, mode: str) -> Any:
    """Return a region's model in an engine, loaded once for equal ones.

    Parameters
    ----------
    engine : str
    module : Module
        The model; types of its values may be replaced.
    mode : str
        ``"child"`` or ``"inprocess"``.

    Raises
    ------
    KernelError
        If a node does not fit its definition.
    EngineError
        If the engine refuses it.
    ModelError
        If ONNX has no such model.
    """
    from ..onnx import load

    data = whole_bytes(module)
    # In a context of its own: a kept one holds nothing of users.
    key = _Model(engine, mode, load(data, context=ir.Context()))
    with _lock:
        kept = _sessions.get(key)
        if kept is not None:
            _sessions.move_to_end(key)
            return kept[0]
    if fault := first_fault(module):
        raise ops.KernelError(fault)
    loaded: Any = _engines.load(engine, data) if mode == "inprocess" else _service.load(engine, data)  # fmt: skip
    with _lock:
        _sessions[key] = (loaded, len(data))
        while len(_sessions) > 1 and (
            len(_sessions) > _KEPT or sum(size for _, size in _sessions.values()) > _KEPT_BYTES
        ):
            _sessions.popitem(last=False)
    return loaded


class _Model:
    """A model in an engine, as a key: the hash of its structure preselects, its structure decides."""

    __slots__ = ("_hash", "_module", "_rest")

    def __init__(self, engine: str, mode: str, module: ir.Module) -> None:
        (graph, *_) = module.graphs.values()
        # Engines are fed by name, which is no part of the structure.
        names = tuple(v.name for v in graph.inputs), tuple(graph.output_names)
        self._module = module
        self._rest = engine, mode, names
        self._hash = hash((self._rest, module.structural_hash()))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Model)
            and self._rest == other._rest
            and self._module.is_structurally_equal(other._module)
        )


def _inner(nodes: Sequence[ir.Node]) -> list[ir.Node]:
    return [n for node in nodes for body in node.subgraphs for n in body.walk()]


class _Both(Mapping[ir.Value, Any]):
    """Values of two mappings, of the first where it has one."""

    def __init__(self, first: Mapping[ir.Value, Any], second: Mapping[ir.Value, Any]) -> None:
        self._first, self._second = first, second

    def __getitem__(self, value: ir.Value) -> Any:
        return self._first[value] if value in self._first else self._second[value]

    def __iter__(self) -> Any:
        return iter({**self._first, **self._second})

    def __len__(self) -> int:
        return len({**self._first, **self._second})


# onnxruntime's interface to NumPy takes and gives these as bytes, packed ones unpacked.
_SMALL = ("float8", "float4", "int4", "uint4", "int2", "uint2")


def refuse_small(results: Sequence[ir.Type | None], values: Sequence[Any]) -> None:
    """Leave element types of less than 16 bits to the reference, but integers of 8.

    Parameters
    ----------
    results : sequence of Type
    values : sequence of array

    Raises
    ------
    EngineError
    """
    names = [v.dtype.name for v in values if hasattr(v, "dtype")]
    names += [
        str(t.dtype.numpy)
        for t in results
        if isinstance(t, ir.TensorType) and t.dtype.numpy is not None
    ]
    for name in names:
        if name.startswith(_SMALL):
            raise EngineError(f"onnxruntime does not exchange {name} with NumPy")


def _key(value: Any) -> Any:
    if isinstance(value, list):
        return ["list", *map(_key, value[:1])].__repr__()
    dtype = getattr(value, "dtype", None)
    return None if dtype is None else (dtype.name, value.ndim)


def _type(value: ir.Value, array: Any, context: ir.Context) -> ir.Type:
    """Return the type of an input: what it is now, and as the graph says where that is more than a tensor."""
    declared = value.type
    if isinstance(declared, (ir.OptionalType, ir.SequenceType, ir.MapType)):
        return declared
    if array is None:
        return declared
    if isinstance(array, list):
        element = _tensor_type(array[0], context, is_ranked=False) if array else None
        if element is None:
            return declared
        return ir.SequenceType(element)
    return _tensor_type(array, context)


def _has_bodies(step: Step) -> bool:
    known: bool | None = None if step.prepared is None else step.prepared.has_bodies
    if known is None:
        known = any(n.subgraphs for n in step.nodes)
        if step.prepared is not None:
            step.prepared.has_bodies = known
    return known


def _sizes(value: ir.Value, array: Any) -> tuple[int | None, ...] | None:
    """Return the sizes that the graph says a tensor has, and it has."""
    declared = value.type.shape if isinstance(value.type, ir.TensorType) else None
    if declared is None or not isinstance(array, np.ndarray) or len(declared) != array.ndim:
        return None
    pairs = zip(declared, array.shape, strict=True)
    return tuple(given if size == given else None for size, given in pairs)


def _tensor_type(array: Any, context: ir.Context, is_ranked: bool = True) -> ir.TensorType:
    dtype = ir.DType("string" if array.dtype.kind in "OUST" else array.dtype.name)
    return ir.TensorType([None] * array.ndim if is_ranked else None, dtype, context=context)


# The attributes that ONNX's operators fix for their bodies, in the order of bodies without names.
_BODIES = {
    "onnx.If": ("then_branch", "else_branch"),
    "onnx.Loop": ("body",),
    "onnx.Scan": ("body",),
    "onnx.SequenceMap": ("body",),
}


def _slots(node: ir.Node) -> list[str]:
    """Return the slot of each body; one without a name gets the next one of its operator that no other body has."""
    slots = [body.slot for body in node.subgraphs]
    if all(slots):
        return slots
    free = (name for name in _BODIES.get(node.op, ()) if name not in slots)
    return [slot or next(free, "") for slot in slots]


class _Copy:
    """Copies nodes, with their bodies; types are inferred again when the model is read."""

    def __init__(
        self,
        values: dict[ir.Value, ir.Value],
        attributes: Mapping[str, Any] | None,
        around: Surroundings,
    ) -> None:
        self._values = values
        self._attributes = attributes
        self._around = around

    def nodes(self, nodes: Any, into: ir.Graph) -> None:
        for node in nodes:
            if is_constant(node):
                types: list[ir.Type | None] = [node.result.type]
            else:
                unknown = ir.UnknownType(context=node.context)
                types = [None if r is None else unknown for r in node.results]
            copy = self._add(node, into, types)
            for old, new in zip(node.results, copy.results, strict=True):
                if old is not None and new is not None:
                    self._values[old] = new
            for body, slot in zip(node.subgraphs, _slots(node), strict=True):
                self._body(body, copy.add_subgraph(slot))
                if node.op == "onnx.SequenceMap":
                    self._keep_elements(body)

    def _add(self, node: ir.Node, into: ir.Graph, types: list[ir.Type | None]) -> ir.Node:
        op = "ge.Const" if node.op in ("ge.Constant", "ge.Variable") else node.op
        copy = into.add_node(
            op,
            [None if v is None else self._values[v] for v in node.operands],
            resolved(node.attributes, self._attributes),
            result_types=types,
            name=node.name,
        )
        copy_segments(node, copy)
        return copy

    def _body(self, body: ir.Graph, into: ir.Graph) -> None:
        into.name = body.name or "body"  # without one it is not an ONNX graph
        for value in body.inputs:
            self._values[value] = into.add_input(value.name, value.type)
        inside = set(body.nodes)
        wanted = [v for v in body.outputs if v is not None]
        ordered = order(body, inside, wanted, self._around.needed)
        self.nodes([n for n in ordered if not n.is_input and not n.is_output], into)
        into.outputs = [None if v is None else self._values[v] for v in body.outputs]
        into.output_names = list(body.output_names)

    def _keep_elements(self, body: ir.Graph) -> None:
        """Keep the element types of a body's outputs, which onnxruntime does not infer for a SequenceMap."""
        for value in body.outputs:
            if value is not None and isinstance(value.type, ir.TensorType):
                element = ir.TensorType(None, value.type.dtype, context=value.context)
                self._values[value].type = element
