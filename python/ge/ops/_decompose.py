"""Decompositions: an operator as a graph of others, where it has no kernel."""

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._mlir_like._cext_loader import load
from .._mlir_like._providers import provider
from .._support.failures import text_of
from .._support.segments import as_lists, stored
from ._arrays import as_numpy
from ._errors import KernelError
from ._kernels import ALIASES, kernel
from ._lookup import decomposer, record_of_node

if TYPE_CHECKING:
    from ..ir import Graph, Node, Value

__all__ = ["as_node", "decomposed", "decomposition", "is_decomposed", "list_length"]

_native: Any = load("ops")
_ir: Any = load("ir")


def is_decomposed(node: "Node", backend: "str | None" = "cpu") -> bool:
    """Return whether a node's operator has a decomposition, and no kernel for a backend.

    Parameters
    ----------
    node : Node
    backend : str, optional
        None: kernels do not count.
    """
    record = record_of_node(node)
    if record is None or decomposer(record) is None:
        return False
    return backend is None or kernel(record, backend) is None


def decomposition(
    node: "Node",
    types: "Sequence[Any] | None" = None,
    attributes: "Mapping[str, Any] | None" = None,
) -> "Graph | None":
    """Return a node's operator as a graph of others, or None if it has no decomposition.

    Parameters
    ----------
    node : Node
    types : sequence of (Type or None), optional
        Of the operands, where more is known than the node says; each that is not None is an input then.
    attributes : mapping, optional
        None: the node's.

    Returns
    -------
    Graph or None
        A new one. Its inputs are the operands of the node, without `types` equal ones once; absent ones are none. Its
        outputs are the results.

    Raises
    ------
    KernelError
        If the function raises (its exception is the cause), or gives what does not fit the operator.
    """
    record = record_of_node(node)
    if record is None:
        return None
    places: list[int | None]
    if types is None:
        inputs = list(dict.fromkeys(v for v in node.operands if v is not None))
        places = [None if v is None else inputs.index(v) for v in node.operands]
        there = [v.type for v in inputs]
    else:
        numbers = itertools.count()
        places = [None if t is None else next(numbers) for t in types]
        there = [t for t in types if t is not None]
    given = node.attributes if attributes is None else attributes
    # Other attributes of the node are annotations of compilers.
    own = {p.name: given[p.name] for p in record.attributes if p.name in given}
    opset = None if node.graph is None else node.graph.opsets.get("onnx")
    segments = stored(record, node.operand_segments)
    return _build(record, places, there, own, opset=opset, context=node.context, segments=segments)


def decomposed(record: Any, values: Sequence[Any]) -> "Graph | None":
    """Return the graph of an operator for a call with complete arguments, arrays among them.

    Its inputs are the arrays that are not absent, in the order of the parameters.
    """
    if decomposer(record) is None:
        return None
    places, types, attributes, segments = _parts(record, values)
    return _build(record, places, types, attributes, segments=segments)


def _parts(
    record: Any, values: Sequence[Any]
) -> "tuple[list[int | None], list[Any], dict[str, Any], list[int] | None]":
    """Return places of operands, types of arrays, attributes, and lengths of operand lists that the record leaves open."""
    places: list[int | None] = []
    types: list[Any] = []
    attributes = {}
    segments: list[int] | None = [] if record.has_operand_choice else None
    for param, value in zip(record.params, values, strict=False):
        if not param.is_operand:
            if value is not None:
                attributes[param.name] = value
            continue
        several = value if isinstance(value, (list, tuple)) else [value]
        if segments is not None:
            several = [] if value is None and not param.is_variadic else several
            segments.append(len(several))
        for one in several:
            places.append(None if one is None else len(types))
            if one is not None:
                types.append(
                    one.type if type(one) is _ir.Tensor else _ir.Tensor(as_numpy(one)).type
                )
    return places, types, attributes, segments


def as_node(record: Any, values: Sequence[Any]) -> "Graph | None":
    """Return a graph of the operator alone for a call with complete arguments, as `decomposed`.

    What runs operators of ONNX and CANN without kernels takes graphs: evaluators. None: the operator is of neither, or
    the call does not say how many results there are.
    """
    if record.ns.partition(".")[0] != "onnx" and record.ns not in ALIASES["ge"]:
        return None
    is_listed = any(result.type.is_list for result in record.results)
    count = list_length(record, values) if is_listed else len(record.results)
    if record.varret or count is None:
        return None
    places, types, attributes, segments = _parts(record, values)
    graph: Graph = _ir.Module("call").add_graph("call")
    inputs = [graph.add_input(f"x{i}", t) for i, t in enumerate(types)]
    operands = [None if place is None else inputs[place] for place in places]
    while segments is None and operands and operands[-1] is None:
        operands.pop()
    last = f".{record.overload}" if record.overload else ""
    node = graph.add_node(
        f"{record.ns}.{record.name}{last}",
        operands if segments is None else as_lists(operands, segments),
        attributes,
        result_types=[_ir.UnknownType()] * count,
    )
    if is_listed:
        graph.outputs = list(node.results)
        return graph
    # Optional results cost time, and not every form of the operator has them.
    graph.outputs = [
        value
        for value, result in zip(node.results, record.results, strict=True)
        if result.type.kind != "optional"
    ]
    return graph


# Parameters that determine the number of results of a list: a number, or a list or tensor with an
# item for each result.
_LENGTHS = ("num_outputs", "num_split", "num", "split", "size_splits")
# A limit, because each result takes memory before the operator runs.
_LONGEST = 1 << 16


def list_length(record: Any, values: Sequence[Any]) -> "int | None":
    """Return the length of the list that is an operator's only result; None: it is not known.

    Raises
    ------
    ValueError
        For a length that no list of results has.
    """
    if len(record.results) != 1:
        return None
    given = {p.name: v for p, v in zip(record.params, values, strict=False) if v is not None}
    for name in _LENGTHS:
        said = given.get(name)
        length = said if said is None or isinstance(said, int) else _item_count(said)
        if length is not None:
            if not 0 < length <= _LONGEST:
                raise ValueError(
                    f"{record.qualified_name}(): '{name}' requires {length} results; 1 to {_LONGEST} are supported"
                )
            return length
    # As many as operands, such as IdentityN and ShapeN of CANN.
    lists = [v for v in given.values() if isinstance(v, (list, tuple)) and v]
    own = [p for p in record.params if p.is_operand and p.type.is_list]
    return len(lists[0]) if len(own) == len(lists) == 1 and record.ns in ALIASES["ge"] else None


def _item_count(value: Any) -> "int | None":
    if isinstance(value, (list, tuple)):
        return len(value)
    shape = getattr(value, "shape", None)
    return shape[0] if shape is not None and len(shape) == 1 else None


def _build(
    record: Any,
    places: "Sequence[int | None]",
    types: Sequence[Any],
    attributes: Mapping[str, Any],
    *,
    opset: "int | None" = None,
    context: Any = None,
    segments: "Sequence[int] | None" = None,
) -> "Graph | None":
    """Return an operator as a graph of others.

    Parameters
    ----------
    record : OpDef
    places : sequence of int or None
        For each operand the number of the graph's input; None: it is absent.
    types : sequence of Type
        Of the inputs.
    attributes : mapping
    opset : int, optional
        Of ONNX.
    context : Context, optional
    segments : sequence of int, optional
        Lengths of the operand lists, where the record does not imply them.

    Returns
    -------
    Graph or None
        None: it has no decomposition.

    Raises
    ------
    KernelError
    """
    from ._call import arranged

    own = decomposer(record)
    if own is None:
        return None
    what = f"{record.qualified_name}: decompose ({own.place})"
    if (fault := own.fault(record)) is not None:
        raise KernelError(fault)
    with provider("builder")(record.qualified_name, opset=opset, context=context) as builder:
        graph: Graph = builder.graph
        names = _names(record, places, len(types))
        inputs = [graph.add_input(n, t) for n, t in zip(names, types, strict=True)]
        operands = [None if place is None else inputs[place] for place in places]
        prepared, values = arranged(record, operands, attributes, segments)
        positional = values[: prepared.num_positional] + values[len(prepared.params) :]
        try:
            given = own(*positional, **{name: values[i] for i, name in prepared.keywords})
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise KernelError(
                f"{what} raised {type(error).__name__}: {text_of(error)[:500]}"
            ) from error
        graph.outputs = _results(what, record, given, graph)
        lists = operands if segments is None else as_lists(operands, segments)
        _check(what, record, lists, attributes, graph, opset)
    return graph


def _names(record: Any, places: "Sequence[int | None]", count: int) -> list[str]:
    """Return names of the inputs: the first parameters that they are given for."""
    params = [p.name for p in record.params if p.is_operand]
    names = [f"x{i}" for i in range(count)]
    if len(params) == len(places):
        for name, place in reversed(list(zip(params, places, strict=True))):
            if place is not None:
                names[place] = name
    return names


def _results(what: str, record: Any, given: Any, graph: "Graph") -> "list[Value]":
    items = list(given) if isinstance(given, (tuple, list)) else [given]
    if len(items) != len(record.results) and not record.varret:
        raise KernelError(f"{what} gave {len(items)} results, the schema has {len(record.results)}")
    for i, item in enumerate(items):
        if not isinstance(item, _ir.Value):
            raise KernelError(
                f"{what} gave {type(item).__name__} for result {i}, which must be a value of the graph"
            )
        if item.node.graph != graph:
            raise KernelError(f"{what} gave a value of another graph for result {i}")
    return items


def _check(
    what: str,
    record: Any,
    operands: "list[Any]",
    attributes: Mapping[str, Any],
    graph: "Graph",
    opset: "int | None",
) -> None:
    """Raise if declared result types contradict the operator's own inference."""
    domain = next((a for a, spaces in ALIASES.items() if record.ns in spaces), record.ns)
    name = f"{domain}.{record.name}" + (f".{record.overload}" if record.overload else "")
    unknown = _ir.UnknownType(context=graph.context)
    own_types = [unknown for _ in graph.outputs]
    scratch = graph.add_node(name, operands, dict(attributes), result_types=own_types)
    try:
        graph.infer_types(opset=opset)
        for i, (own, made) in enumerate(zip(scratch.results, graph.outputs, strict=True)):
            if own is not None and made is not None and _differ(own.type, made.type):
                raise KernelError(
                    f"{what} gave {made.type} for result {i}, inference says {own.type}"
                )
    finally:
        scratch.erase()


def _differ(known: Any, made: Any) -> bool:
    if not isinstance(known, _ir.TensorType) or not isinstance(made, _ir.TensorType):
        return False
    if known.dtype != made.dtype:
        return True
    if known.shape is None or made.shape is None:
        return False
    return len(known.shape) != len(made.shape) or any(
        isinstance(a, int) and isinstance(b, int) and a != b
        for a, b in zip(known.shape, made.shape, strict=True)
    )
