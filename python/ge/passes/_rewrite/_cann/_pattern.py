"""CANN's own way to write patterns: `Pattern` from a graph, captured tensors, the matcher's configuration."""

from dataclasses import dataclass
from typing import Any

from .... import ir
from ...._mlir_like._cext_loader import load
from ...._support.program import PACKAGE
from ..._pattern._public import publish

__all__ = [
    "NodeIo",
    "Pattern",
    "PatternMatcherConfig",
    "PatternMatcherConfigBuilder",
    "capture_tensor",
    "create_pattern",
    "create_replacement",
]

_native = load("passes")


@dataclass(frozen=True)
class NodeIo:
    """One result of a node.

    Attributes
    ----------
    node : Node
    index : int
    """

    node: Any
    index: int = 0


@dataclass(frozen=True, init=False)
class PatternMatcherConfig:
    """Configuration of matching, which only `PatternMatcherConfigBuilder` builds."""

    const_value_match: bool
    ir_attr_match: bool

    def __init__(self) -> None:
        raise TypeError(
            "PatternMatcherConfig has no constructor; PatternMatcherConfigBuilder().build() makes one"
        )

    @classmethod
    def _of(cls, const_value_match: bool, ir_attr_match: bool) -> "PatternMatcherConfig":
        made = cls.__new__(cls)
        object.__setattr__(made, "const_value_match", const_value_match)
        object.__setattr__(made, "ir_attr_match", ir_attr_match)
        return made

    def is_enable_const_value_match(self) -> bool:
        """Return whether constants must have the pattern's values, bit for bit."""
        return self.const_value_match

    def is_enable_ir_attr_match(self) -> bool:
        """Return whether nodes must have the pattern's attributes, and no others."""
        return self.ir_attr_match


class PatternMatcherConfigBuilder:
    """Builds a `PatternMatcherConfig`: ``PatternMatcherConfigBuilder().enable_const_value_match().build()``."""

    def __init__(self) -> None:
        self._const_value_match = False
        self._ir_attr_match = False

    def enable_const_value_match(self) -> "PatternMatcherConfigBuilder":
        """Let constants match by value, bit for bit; else any constant matches."""
        self._const_value_match = True
        return self

    def enable_ir_attr_match(self) -> "PatternMatcherConfigBuilder":
        """Compare attributes; by default they are ignored."""
        self._ir_attr_match = True
        return self

    def build(self) -> PatternMatcherConfig:
        """Return the configuration."""
        return PatternMatcherConfig._of(self._const_value_match, self._ir_attr_match)


class Pattern:
    """A pattern made of a graph, in CANN's way. The graph becomes the pattern's: its handles are stale afterwards.

    Data nodes are the pattern's inputs, the outputs of the graph what is replaced. Constants match any constant and
    attributes do not count, unless the pass's `PatternMatcherConfig` says otherwise.

    Parameters
    ----------
    graph : Graph

    Raises
    ------
    RuntimeError
        When it is not a Graph, or has been consumed already.
    """

    def __init__(self, graph: ir.Graph) -> None:
        if not isinstance(graph, ir.Graph):
            raise RuntimeError(
                f"Graph object must carry _handle: a {PACKAGE}.graph.Graph is needed, not {type(graph).__name__}"
            )
        if not graph.is_alive:
            raise RuntimeError("Pattern graph handle is empty: the graph has been consumed already")
        # Values that may be captured through handles that are stale afterwards.
        self._places: dict[Any, tuple[str, ir.Value]] = {}
        nodes = [*(v.node for v in graph.inputs), *graph.nodes]
        positions = [(node, list(node.results)) for node in nodes]
        copy = graph.clone()
        twins = [*(v.node for v in copy.inputs), *copy.nodes]
        for number, ((_, results), twin) in enumerate(zip(positions, twins, strict=True)):
            for index, (result, other) in enumerate(zip(results, twin.results, strict=True)):
                name = other.name if other.has_name else f"capture_{number}_{index}"
                if not other.has_name:
                    other.name = name
                    name = other.name
                self._places[result] = name, other
        self._nodes = {
            node: [self._places[result] for result in results] for node, results in positions
        }
        self._graph: Any = copy
        self._captures: list[tuple[NodeIo, str]] = []
        self._compiled: dict[tuple[str, str], Any] = {}
        _native._consume(graph)

    def capture_tensor(self, source: Any, index: int | None = None) -> "Pattern":
        """Let `MatchResult.get_captured_tensor` give a tensor; returns the pattern.

        Parameters
        ----------
        source : TensorHolder, Node or NodeIo
            Of the graph that the pattern was made of.
        index : int, optional
            Which result of a Node.
        """
        self._check()
        node, position = source, 0 if index is None else index
        if isinstance(source, NodeIo):
            node, position = source.node, source.index
        elif not isinstance(source, ir.Node):
            value = source if isinstance(source, ir.Value) else getattr(source, "value", None)
            if value is None:
                raise TypeError(
                    f"source must be a TensorHolder, a Node or a NodeIo, not {type(source).__name__}"
                )
            if value not in self._places:
                raise RuntimeError("Failed to capture tensor: it is not of the pattern's graph")
            name, own = self._places[value]
            self._captures.append((NodeIo(own.node, own.index), name))
            return self
        names = self._nodes.get(node)
        if names is None or not 0 <= position < len(names):
            raise RuntimeError("Failed to capture tensor: it is not of the pattern's graph")
        name, own = names[position]
        self._captures.append((NodeIo(own.node, own.index), name))
        return self

    def get_captured_tensors(self) -> list[NodeIo]:
        """Return what was captured, in order: nodes of the pattern's own copy of the graph."""
        self._check()
        return [io for io, _ in self._captures]

    @property
    def capture_names(self) -> tuple[str, ...]:
        """Names of the captured values in the native pattern."""
        return tuple(name for _, name in self._captures)

    def is_valid(self) -> bool:
        """Return whether it has not been released."""
        return self._graph is not None

    def release(self) -> Any:
        """Release the graph; the pattern is empty afterwards."""
        self._check()
        graph, self._graph = self._graph, None
        return graph

    def _check(self) -> None:
        if self._graph is None:
            raise RuntimeError("Pattern handle has been released")

    def compiled(self, config: PatternMatcherConfig | None = None) -> Any:
        """Return the native pattern for a configuration."""
        self._check()
        config = config or PatternMatcherConfig._of(False, False)
        key = (
            "all" if config.ir_attr_match else "none",
            "exact" if config.const_value_match else "any",
        )
        if key not in self._compiled:
            self._compiled[key] = _native.GraphPattern(
                self._graph,
                attributes=key[0],
                constants=key[1],
                keeps_order=_is_of_cann(self._graph),
            )
        return self._compiled[key]


def _is_of_cann(graph: ir.Graph) -> bool:
    """Whether a graph has no operators of ONNX: operands match in the written order, as in CANN, where hooks read by port."""
    return not any(node.op.startswith("onnx.") for node in graph.nodes)


def create_pattern(graph: ir.Graph) -> Pattern:
    """Return ``Pattern(graph)``."""
    return Pattern(graph)


def ensure_pattern(value: Pattern | ir.Graph) -> Pattern:
    """Return a pattern as it is, and the Pattern of a graph."""
    return value if isinstance(value, Pattern) else Pattern(value)


def capture_tensor(pattern: Pattern, source: Any, index: int | None = None) -> Pattern:
    """Return ``pattern.capture_tensor(source, index)``."""
    return pattern.capture_tensor(source, index)


def create_replacement(graph: ir.Graph) -> ir.Graph:
    """Return the graph; raise TypeError if it is not one."""
    if not isinstance(graph, ir.Graph):
        raise TypeError(
            f"replacement graph must be a {PACKAGE}.graph.Graph, not {type(graph).__name__}"
        )
    return graph


publish(globals())
