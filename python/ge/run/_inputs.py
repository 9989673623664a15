"""Inputs to run a model with: random ones, and edge values, of the types that it declares."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import ir
from .._mlir_like._cext_loader import load
from .._support.elsewhere import from_elsewhere
from .._support.lazy import publish
from .._support.program import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..ir import Graph, Module, Node, TensorType, Value

_native: Any = load("ops")

__all__ = [
    "EDGES",
    "PART_EDGES",
    "Sizes",
    "element_count",
    "free_sizes",
    "function_identity",
    "functions_of",
    "guessed_sizes",
    "is_function",
    "main_graph",
    "main_graphs",
    "make_inputs",
    "need_module",
    "required_inputs",
]

# Kinds of `make_inputs` besides "random", for whole models.
EDGES = ("zeros", "ones", "extremes")
# And for a part of one, whose inputs may be what is under a root or logarithm.
PART_EDGES = ("positive", *EDGES)

# Elements of a sequence.
_SEQUENCE = 2

# A Loop whose trip count is an input runs less often.
_TRIPS = 8

# Parts of names that say how large a free dimension usually is. The first that fits counts.
_USUAL = (
    (("batch",), 2),
    (("height", "width", "h", "w"), 64),
    (("past",), 4),
    (("seq", "len", "time", "token"), 8),
    (("channel",), 3),
)
# Operators that only move elements: what is an index after them is one in front of them.
_MOVES = {
    "onnx.Cast",
    "onnx.Identity",
    "onnx.Reshape",
    "onnx.Unsqueeze",
    "onnx.Squeeze",
    "onnx.Flatten",
    "onnx.Expand",
    "onnx.Transpose",
    "onnx.Gather",
    "onnx.Slice",
    "onnx.Abs",
    "onnx.Neg",
}
# Operators whose result is large if any operand is.
_ARITHMETIC = {f"onnx.{name}" for name in ["Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Clip"]}
# Operators whose second operand has indices along an axis, and those whose has places.
_INDEXED = {"onnx.Gather", "onnx.GatherElements", "onnx.ScatterElements"}
_PLACED = {"onnx.GatherND", "onnx.ScatterND"}
# Operators with class labels as their second operand, and those with an axis of the first operand there.
_LABELED = {"onnx.NegativeLogLikelihoodLoss", "onnx.SoftmaxCrossEntropyLoss"}
_AXES = {"onnx.CumSum", "onnx.Unsqueeze"} | {
    f"onnx.Reduce{name}"
    for name in [
        "L1",
        "L2",
        "LogSum",
        "LogSumExp",
        "Max",
        "Mean",
        "Min",
        "Prod",
        "Sum",
        "SumSquare",
    ]
}
# Operators whose second operand is a position in a sequence.
_POSITIONED = {"onnx.SequenceAt", "onnx.SequenceErase"}
_LOOKING_UP = _INDEXED | _PLACED | _LABELED | _AXES | _POSITIONED


class Sizes:
    """Sizes for free dimensions.

    Parameters
    ----------
    dims : mapping, optional
        Size by symbol, or by place: ``x[0]``.
    shapes : mapping, optional
        Whole shapes by input.
    every : int, optional
        What all other free dimensions get; None guesses by name and place.
    """

    def __init__(
        self,
        dims: Mapping[str, int] | None = None,
        shapes: Mapping[str, tuple[int, ...]] | None = None,
        every: int | None = None,
    ):
        self.dims = dict(dims or {})
        self.shapes = dict(shapes or {})
        self.every = every
        self._guessed: dict[str, int] = {}  # a symbol has one size, wherever it is

    def of(self, value: Value, type_: TensorType) -> tuple[int, ...]:
        """Return the shape of one input.

        Parameters
        ----------
        value : Value
        type_ : TensorType
            Its type.

        Raises
        ------
        ValueError
            If the shape that was given contradicts the declared one.
        """
        declared = type_.shape
        given = self.shapes.get(value.name)
        if given is None:
            return tuple(
                self._size(d or f"{value.name}[{i}]", d, i) if not isinstance(d, int) else d
                for i, d in enumerate(declared or ())
            )
        fits = declared is None or (
            len(declared) == len(given)
            and all(not isinstance(d, int) or d == g for d, g in zip(declared, given, strict=True))
        )
        if not fits:
            raise ValueError(
                f"input '{value.name}' is {type_}, which cannot have the shape {given}"
            )
        for dim, size in zip(declared or (), given, strict=declared is not None):
            if isinstance(dim, str) and self.dims.get(dim, size) != size:
                raise ValueError(
                    f"the shape {given} of input '{value.name}' contradicts {dim}={self.dims[dim]}"
                )
        return given

    def _size(self, name: str, dim: str | None, axis: int) -> int:
        if name in self.dims:
            return self.dims[name]
        if self.every is not None:
            return self.every
        return self._guessed.setdefault(name, _guess(dim, axis))


def _guess(dim: str | None, axis: int) -> int:
    words = (dim or "").lower()
    for parts, size in _USUAL:
        if any(words == part if len(part) == 1 else part in words for part in parts):
            return size
    return 2 if axis == 0 else 8


def is_function(graph: Graph) -> bool:
    """Return whether a graph of a model is a function, which nodes call."""
    return "onnx.function" in graph.attributes


def function_identity(function: Graph) -> tuple[str, str, str]:
    """Return domain, type and overload of the nodes that call a function."""
    identity = function.attributes["onnx.function"]
    if not isinstance(identity, Mapping):
        identity = {}
    domain, name, overload = (identity.get(k, "") for k in ("domain", "name", "overload"))
    if domain in ("", "ai.onnx"):
        domain = "onnx"
    elif domain.startswith("ai.onnx."):
        domain = domain[len("ai.") :]
    return domain, name, overload


def functions_of(module: Module | None) -> dict[tuple[str, str, str], Graph]:
    """Return the functions of a model by domain, type and overload of the nodes that call them.

    A function with the name of an operator of the operator sets that the model imports is called by no runtime.
    """
    graphs = () if module is None else module.graphs.values()
    opsets = next((g.opsets for g in graphs if not is_function(g)), {})
    found = {function_identity(g): g for g in graphs if is_function(g)}
    for domain, name, overload in list(found):
        record = _native.find(domain, name, overload, opsets.get(domain))
        if record is not None and record.since:
            del found[domain, name, overload]
    return found


def need_module(value: Any) -> Module:
    """Return a module as it is.

    Raises
    ------
    TypeError
        If it is something else; the text says how a module is made of that.
    """
    if isinstance(value, ir.Module):
        return value
    raise TypeError(
        f"a Module is needed, not {type(value).__name__}{from_elsewhere(value)}{_how(value)}"
    )


def main_graphs(module: Module) -> list[Graph]:
    """Return the graphs of a model that are not functions: one, in an ONNX model.

    Raises
    ------
    TypeError
        If it is not a module.
    """
    need_module(module)
    return [graph for graph in module.graphs.values() if not is_function(graph)]


def _how(value: object) -> str:
    """Return how a module is made of a value, as the end of a sentence."""
    if isinstance(value, ir.Graph):
        return ": Module(name).add_graph(graph) puts a graph into one"
    if isinstance(value, (str, bytes, os.PathLike)):
        return f": {PACKAGE}.onnx.load(path) reads one"
    if hasattr(value, "SerializeToString"):
        return f": {PACKAGE}.onnx.from_onnx(proto) makes one"
    return ""


def main_graph(module: Module) -> Graph:
    """Return the graph of a model that is not a function.

    Parameters
    ----------
    module : Module

    Raises
    ------
    ValueError
        If there is none.
    """
    for graph in main_graphs(module):
        return graph
    raise ValueError("the module has no graph that is not a function")


def required_inputs(module: Module) -> list[Value]:
    """Return the inputs of the main graph that have no default."""
    return [v for v in main_graph(module).inputs if "value" not in v.node.attributes]


def free_sizes(module: Module) -> dict[str, list[str]]:
    """Return the symbols of the inputs' dimensions, each with the inputs that have it.

    Parameters
    ----------
    module : Module
        A dimension without a symbol is named by place: ``x[0]``.
    """
    from ..ir import TensorType

    found: dict[str, list[str]] = {}
    for value in required_inputs(module):
        type_ = value.type
        if not isinstance(type_, TensorType):
            continue
        for axis, dim in enumerate(type_.shape or ()):
            if not isinstance(dim, int):
                names = found.setdefault(dim or f"{value.name}[{axis}]", [])
                if value.name not in names:
                    names.append(value.name)
    return found


def guessed_sizes(module: Module, sizes: Sizes) -> dict[str, int]:
    """Return the size of each free dimension of the inputs, by symbol or place.

    Parameters
    ----------
    module : Module
    sizes : Sizes
    """
    from ..ir import TensorType

    found: dict[str, int] = {}
    for value in required_inputs(module):
        type_ = value.type
        if not isinstance(type_, TensorType):
            continue
        shape = sizes.of(value, type_)
        for axis, (dim, size) in enumerate(zip(type_.shape or (), shape, strict=False)):
            if not isinstance(dim, int):
                found.setdefault(dim or f"{value.name}[{axis}]", size)
    return found


def element_count(module: Module, sizes: Sizes) -> int:
    """Return how many elements all inputs without a default have together.

    Parameters
    ----------
    module : Module
    sizes : Sizes

    Raises
    ------
    ValueError
        If a given shape contradicts the declared one.
    """
    from ..ir import TensorType

    types = [(value, value.type) for value in required_inputs(module)]
    return sum(math.prod(sizes.of(v, t)) for v, t in types if isinstance(t, TensorType))


def make_inputs(
    module: Module,
    *,
    kind: str = "random",
    seed: int = 0,
    sizes: Sizes | None = None,
) -> dict[str, Any]:
    """Return an array for each input of the main graph that has no default.

    Parameters
    ----------
    module : Module
    kind : {"random", "positive", "zeros", "ones", "extremes", "arange"}
        Random floats are normal, integers small (and inside what a Gather looks up); positive ones are between 0.1
        and 1; extremes are large and tiny numbers of both signs, and the ends of integer types, where that is neither an
        index nor the trip count of a Loop; arange counts from 0 in row-major order, and begins anew where an index would be
        none.
    seed : int
    sizes : Sizes, optional
        Of free dimensions.

    Returns
    -------
    dict of str to array
        A sequence is a list of arrays.

    Raises
    ------
    ValueError
        If an input's type is unknown, a given shape contradicts it, or the inputs need more than half of the memory that
        a child of the evaluators may take.
    """
    import numpy as np

    if kind not in (kinds := ("random", *PART_EDGES, "arange")):
        raise ValueError(f"kind is {kind!r}, not one of {kinds}")
    sizes = sizes or Sizes()
    known = {value.name for value in required_inputs(module)}
    for name in sizes.shapes:
        if name not in known:
            raise ValueError(
                f"no input '{name}'; the model has {', '.join(sorted(known)) or 'none'}"
            )
    _need_memory(module, sizes)
    limits = _Limits(module)
    inputs = {}
    for number, value in enumerate(required_inputs(module)):
        generator = np.random.default_rng([seed, number])
        inputs[value.name] = _input(value, value.type, sizes, kind, limits.of(value), generator)
    return inputs


def _need_memory(module: Module, sizes: Sizes) -> None:
    """Refuse inputs that take too much, before any is made: a model states sizes that cost it nothing."""
    from ._service import memory_limit

    limit = memory_limit() // 2
    left = limit
    for value in required_inputs(module):
        left -= (needed := _bytes_of(value, value.type, sizes))
        if left < 0:
            raise ValueError(
                f"input '{value.name}' is {value.type}, which needs {needed} bytes, and {left + needed} of {limit} "
                "are left for inputs: give smaller ones with --shape or --dim if its sizes are free; "
                "GE_EVALUATORS_MEMORY raises the limit"
            )


def _bytes_of(value: Value, type_: Any, sizes: Sizes) -> int:
    from ..ir import OptionalType, SequenceType, TensorType

    several = 1
    while isinstance(type_, (OptionalType, SequenceType)):
        several *= _SEQUENCE if isinstance(type_, SequenceType) else 1
        type_ = type_.element
    if not isinstance(type_, TensorType):
        return 0
    # Random numbers have 8 bytes before they are converted.
    return several * max(1, math.prod(sizes.of(value, type_))) * (8 + max(1, type_.dtype.bits // 8))


def _input(
    value: Value, type_: Any, sizes: Sizes, kind: str, limit: int | None, generator: Any
) -> Any:
    from ..ir import OptionalType, SequenceType, TensorType

    if isinstance(type_, OptionalType):
        return _input(value, type_.element, sizes, kind, limit, generator)
    if isinstance(type_, SequenceType):
        return [
            _input(value, type_.element, sizes, kind, limit, generator) for _ in range(_SEQUENCE)
        ]
    if not isinstance(type_, TensorType) or type_.dtype.numpy is None:
        raise ValueError(f"input '{value.name}' is {type_}: give its data with --input-data")
    return _array(type_.dtype, sizes.of(value, type_), kind, limit, generator)


def _array(dtype: Any, shape: tuple[int, ...], kind: str, limit: int | None, generator: Any) -> Any:
    import numpy as np

    if dtype.name == "string":
        words = np.array(["", "a", "GE", "naïve"], dtype=object)
        return words[generator.integers(0, len(words), shape)]
    numpy_type = np.dtype(dtype.numpy)
    if kind == "zeros":
        return np.zeros(shape, numpy_type)
    if kind == "ones":
        return np.ones(shape, numpy_type)
    if kind == "arange":
        count = np.arange(math.prod(shape))
        return (count % limit if limit else count).reshape(shape).astype(numpy_type)
    name = numpy_type.name
    if name == "bool":
        return generator.integers(0, 2, shape).astype(np.bool_)
    if name.startswith(("int", "uint")):
        bits = dtype.bits
        if limit is not None or kind in ("random", "positive"):
            return generator.integers(0, min(limit or 4, 4 if bits < 8 else 1 << 7), shape).astype(
                numpy_type
            )
        low, high = (
            (0, 2**bits - 1) if name.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        )
        ends = np.array([low, -1 if low else 0, 0, 1, high], np.uint64 if not low else np.int64)
        return ends[generator.integers(0, len(ends), shape)].astype(numpy_type)
    if kind == "positive":
        return generator.uniform(0.1, 1.0, shape).astype(numpy_type)
    if kind == "random":
        numbers = generator.standard_normal(shape)
        if name.startswith("complex"):
            numbers = numbers + 1j * generator.standard_normal(shape)
        return np.asarray(numbers).astype(numpy_type)
    ends = np.array([-100.0, -1.0, -1e-6, -0.0, 1e-6, 1.0, 100.0])
    return np.asarray(ends[generator.integers(0, len(ends), shape)]).astype(numpy_type)


class _Limits:
    """What integer inputs of a module are to stay below, as indices and as numbers of iterations."""

    def __init__(self, module: Module) -> None:
        self._functions = functions_of(module)

    def of(self, value: Value) -> int | None:
        """Return what an input is to stay below; None: anything.

        That is the smallest size of a dimension that it is an index into, and `_TRIPS` where it is a number of iterations.
        """
        return min(self._all_of(value, 0), default=None)

    def _all_of(self, value: Value, depth: int) -> Iterator[int]:
        from ..ir import TensorType

        for node, index in value.uses:
            if node.op == "onnx.Loop" and index == 0:
                yield _TRIPS
            elif node.op in _LOOKING_UP and index == 1 and node.operands[0] is not None:
                data = node.operands[0].type
                shape = data.shape if isinstance(data, TensorType) else None
                if node.op in _POSITIONED:
                    sizes: Sequence[int | str | None] = [_SEQUENCE]
                elif shape is None:
                    sizes = [1]
                elif node.op in _AXES:
                    sizes = [len(shape)]
                else:
                    sizes = _looked_up(node, shape)
                yield min((max(n, 1) if isinstance(n, int) else 1 for n in sizes), default=1)
            elif depth < 8:
                for moved in self._moved(node, index):
                    yield from self._all_of(moved, depth + 1)

    def _moved(self, node: Node, index: int) -> Sequence[Value]:
        """Return the values that are about as large as an operand of a node."""
        function = self._functions.get((node.domain, node.type, node.overload))
        if function is not None:
            return function.inputs[index : index + 1]
        if node.op in _ARITHMETIC or (node.op in _MOVES and index == 0):
            return [r for r in node.results if r is not None]
        return ()


def _looked_up(node: Node, shape: Sequence[int | str | None]) -> Sequence[int | str | None]:
    """Return the sizes of the dimensions that a node's second operand has indices of."""
    if node.op in _INDEXED:
        axis = node.attributes.get("axis", 0)
        return [shape[axis]] if -len(shape) <= axis < len(shape) else []
    if node.op in _LABELED:
        return shape[1:2]
    first = node.attributes.get("batch_dims", 0)
    indices = node.operands[1].type.shape  # their last dimension says how many of them make a place
    count = indices[-1] if indices else None
    return shape[first : first + count] if isinstance(count, int) else shape[first:]


publish("onnx", make_inputs)
