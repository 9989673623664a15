"""Patterns in Python: functions, graphs and text that become native ones."""

from collections.abc import Callable, Iterable, Sequence
from types import MethodType
from typing import Any

from ..._mlir_like._cext_loader import load
from ..._mlir_like._providers import provider
from ..._support.elsewhere import from_elsewhere
from ._public import publish
from ._trace import Trace, name_of, parameters, trace

__all__ = ["PatternFunction", "parse_pattern", "pattern"]

_ir = load("ir")
_native = load("passes")


def _node_io(node: Any, index: int) -> Any:
    made = provider("captured tensors")
    _native._set_node_io(made)  # from now on without this step
    return made(node, index)


_native._set_node_io(_node_io)  # what matches give for captured tensors


class PatternFunction:
    """A pattern written as a function: what ``@pattern`` makes.

    The parameters are values of the graph, and their names what ``match["x"]`` and a replacement call them. Inside
    another pattern it is called like the function, as a block of it.

    Attributes
    ----------
    function : callable
    name : str
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise TypeError(f"pattern() takes a function, not {type(function).__name__}")
        self.function = function
        self.name: str = getattr(function, "__name__", "pattern")
        self.__doc__ = function.__doc__
        self.__wrapped__ = function
        self._compiled: dict[tuple[str, str], Any] = {}
        #: The replacement that ``@name.replacement`` decorated, in a class.
        self.own_replacement: Callable[..., Any] | None = None
        #: The class that the pattern is a method of, once it is made.
        self.owner: type | None = None

    def replacement(self, function: Callable[..., Any]) -> Any:
        """Make a method the replacement of this pattern alone: a decorator inside a `PatternFusionPass`.

        ::

            class FuseGelu(PatternFusionPass):
                @pattern
                def divided(self, x, root): ...

                @divided.replacement
                def replace_divided(self, x): ...

        The other patterns of the class use its ``replacement``.

        Raises
        ------
        TypeError
            If the pattern has a replacement already, or its class is already made.
        """
        if not callable(function):
            raise TypeError(
                f"@{self.name}.replacement decorates a method, not {type(function).__name__}"
            )
        if self.owner is not None:
            raise TypeError(
                f"pattern '{self.name}' belongs to {self.owner.__name__}, which is complete; override the pattern "
                "in the subclass and give that a replacement"
            )
        if self.own_replacement is not None:
            raise TypeError(
                f"pattern '{self.name}' has two replacements, '{name_of(self.own_replacement)}' and "
                f"'{name_of(function)}'; remove one"
            )
        self.own_replacement = function
        # Returns the pattern, like property.setter, because a method of the same name would hide
        # it.
        return self if name_of(function) == self.name else function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, inside a pattern or graph that is being built."""
        return self.function(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Bind a pattern of a pass, as methods are: ``self.other(inputs)`` in a hook, and ``super()``."""
        return self if instance is None or self.owner is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<pattern {self.name}({', '.join(parameters(self.function, 'pattern'))})>"

    def trace(self, *, name: str | None = None, bound: Sequence[Any] = ()) -> Trace:
        """Return the graph that the function builds, on inputs with its parameters' names.

        Parameters
        ----------
        name : str, optional
            Of the graph; default: the function's.
        bound : sequence
            First arguments, such as a method's object, that are not inputs.
        """
        names = parameters(self.function, "pattern")[len(bound) :]
        function = self.function
        return trace(
            lambda *values: function(*bound, *values),
            names,
            name=name or self.name,
            named=function,
        )

    def compiled(self, *, attributes: str = "given", constants: str = "value") -> Any:
        """Return the native pattern, made at the first call."""
        key = attributes, constants
        if key not in self._compiled:
            self._compiled[key] = compile_trace(self.trace(), attributes, constants)
        return self._compiled[key]

    def find(self, graph: Any, **options: Any) -> list[Any]:
        """Return the matches in a graph; the options are those of `GraphPattern.find`."""
        found: list[Any] = self.compiled().find(graph, **options)
        return found


def compile_trace(
    traced: Trace,
    attributes: str = "given",
    constants: str = "value",
    predicates: Iterable[Callable[[Any], Any]] | None = None,
) -> Any:
    """Return the native pattern of a traced function; `predicates` stand in for its own."""
    return _native.GraphPattern(
        traced.graph,
        attributes=attributes,
        constants=constants,
        predicates=tuple(traced.predicates if predicates is None else predicates),
    )


def pattern(function: Callable[..., Any]) -> PatternFunction:
    """Make a pattern of a function: a decorator.

    The function is called with a Value for each parameter, and builds what is to be found with graph-building functions
    (``ge.es``) and `ge.passes.p`; it returns the value, or the values, that a match gives. It is called once, when the
    pattern is first used. In a `PatternFusionPass` it decorates methods, which are called once, too, but for those that look
    at ``self``: these are called in each execution of the pass.

    >>> @pattern
    ... def matmul_add(a, b, c):
    ...     return op.Add(op.MatMul(a, b), c)
    >>> for match in graph.find(matmul_add):
    ...     print(match["a"].type, match.nodes)
    """
    return PatternFunction(function)


def parse_pattern(text: str) -> Any:
    """Return the pattern for a graph in text form.

    Parameters
    ----------
    text : str
        A graph, in which operators of the domain ``pattern`` say what a plain graph cannot.

    Returns
    -------
    GraphPattern

    Raises
    ------
    ParseError, ValueError, KeyError
    """
    return _native.GraphPattern(_ir.Graph.parse(text))


def as_pattern(what: Any) -> Any:
    """Return the native pattern of a pattern function, a plain function, a graph, or a native pattern."""
    if isinstance(what, _native.GraphPattern):
        return what
    if isinstance(what, PatternFunction):
        return what.compiled()
    if isinstance(what, _ir.Graph):
        return _native.GraphPattern(what)
    compiled = getattr(what, "compiled", None)
    if callable(compiled):
        return compiled()
    if callable(what):
        return PatternFunction(what).compiled()
    raise TypeError(
        f"a pattern is a pattern function, a Graph or a Pattern, not {type(what).__name__}; "
        f"parse_pattern(text) reads one from text{from_elsewhere(what)}"
    )


def find(graph: Any, what: Any) -> Any:
    """Return the matches of a pattern in a graph: ``graph.find(pattern)``."""
    found = as_pattern(what)
    return found.find(graph, captures=getattr(what, "capture_names", None))


publish(globals())
