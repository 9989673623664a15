"""The scope in which a graph is built."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from .._mlir_like._cext_loader import load
from ._namespace import Namespace, namespace

__all__ = ["Builder", "builder", "live_builder"]

_ir = load("ir")
_native = load("ops")
_live: list["Builder"] = []


class Builder:
    """A graph under construction: ``with ge.es.builder("main") as b:``.

    Inside the ``with``, functions without operands go to its graph, and values of it have operators: ``+ - * / // %
    ** @``, ``-x``, ``abs(x)``, ``~x``, ``& | ^ << >>``, ``< <= > >=``, indexing. (``==`` stays identity.)

    Parameters
    ----------
    name : str
        Name of the graph.
    graph : Graph, optional
        Build into this one, not a new one.
    opset : int, optional
        Opset of ONNX, which the graph's attribute ``opset`` says from then on; None: what ``ge.es.onnx`` follows.
        Calls of ``ge.es.onnx`` that build into the graph make operators as this opset has them.
    literals : {"operand", "ge"}
        What numbers beside a value become: a constant of the value's element type, or CANN's (ints i64, floats f32).
    context : Context, optional
        For a new graph.
    """

    def __init__(
        self,
        name: str = "graph",
        *,
        graph: Any = None,
        opset: int | None = None,
        literals: str = "operand",
        context: Any = None,
    ) -> None:
        if literals not in ("operand", "ge"):
            raise ValueError("literals must be 'operand' or 'ge'")
        self._graph = _ir.Graph(name, context=context) if graph is None else graph
        self._literals = literals
        if opset is not None and (isinstance(opset, bool) or not isinstance(opset, int)):
            raise TypeError(f"opset must be a version of ONNX's, such as 17, not {opset!r:.60}")
        root = namespace("onnx")
        self._opset = opset
        if opset is not None:
            self._graph.attributes["opset"] = {"onnx": opset}
        version = root.opset if opset is None else opset
        self._onnx = root if version is None else root.at(version)
        self._point: Any = None

    @property
    def graph(self) -> Any:
        """The graph."""
        return self._graph

    @property
    def onnx(self) -> Namespace:
        """The functions of ONNX at the builder's opset."""
        return self._onnx

    @property
    def is_live(self) -> bool:
        """Whether its ``with`` is entered."""
        return self._point is not None

    def __enter__(self) -> "Builder":
        if self._point is not None:
            raise ValueError(f"{self!r} is entered already")
        for left in [b for b in _live if b._point is None]:
            left._forget()  # an interrupt came between
        self._point = _ir.InsertionPoint(self._graph)
        try:
            self._point.__enter__()
            _live.append(self)
            _native._live_add(self, self._graph, self._opset or 0)
        except (
            BaseException
        ):  # an interrupt too: `with` calls no __exit__ after a failing __enter__
            with suppress(_ir.GEError):
                self.__exit__()
            raise
        return self

    def __exit__(self, *args: object) -> None:
        try:
            self._forget()
        finally:
            point, self._point = self._point, None
            point.__exit__(*args)

    def _forget(self) -> None:
        _native._live_remove(self, self._graph)
        if self in _live:
            _live.remove(self)

    def __repr__(self) -> str:
        return f"<builder of {self._graph!r}>"

    def input(self, name: str, type: Any = None, dtype: Any = None) -> Any:
        """Add an input.

        Parameters
        ----------
        name : str
        type : Type or sequence, optional
            A type, or with `dtype` a shape: ``b.input("x", ("N", 3), ir.f32)``.
        dtype : DType, optional

        Returns
        -------
        Value
        """
        if dtype is not None:
            type = _ir.TensorType(type, dtype, context=self._graph.context)
        elif type is None:
            type = _ir.UnknownType(context=self._graph.context)
        elif not isinstance(type, _ir.Type):
            raise TypeError(
                f"input '{name}' needs a dtype beside its shape: b.input({name!r}, {type!r}, ir.f32); "
                "or give a Type alone"
            )
        return self._graph.add_input(name, type)

    def output(self, *values: Any, name: str | Sequence[str] | None = None) -> None:
        """Add outputs.

        Parameters
        ----------
        *values : Value
        name : str or sequence of str, optional
            As many as values.
        """
        names = [name] if isinstance(name, str) else list(name or ())
        if names and len(names) != len(values):
            raise ValueError(f"{len(values)} outputs, but {len(names)} names")
        graph = self._graph
        first = len(graph.outputs)
        graph.outputs = [*graph.outputs, *values]
        if names:
            graph.output_names = [*list(graph.output_names)[:first], *names]

    def constant(
        self, data: Any, dtype: Any = None, *, name: str | None = None, graph: Any = None
    ) -> Any:
        """Add a constant.

        Parameters
        ----------
        data : number, array, list or Tensor
            Ints are i64 and floats f32 unless `dtype` says more.
        dtype : DType, optional
        name : str, optional

        Returns
        -------
        Value
        """
        if isinstance(data, bool) and dtype is None:
            dtype = _ir.DType("bool")
        tensor = data if isinstance(data, _ir.Tensor) else _ir.Tensor(data, dtype=dtype)
        graph = self._graph if graph is None else graph
        node = graph.add_node(
            "ge.Const", (), {"value": tensor}, name=name, result_types=[tensor.type]
        )
        return node.result

    def identity(self, value: Any) -> Any:
        """Add a node that returns its operand unchanged."""
        return self._onnx.Identity(value)

    def infer_types(self) -> Any:
        """Infer the types of all values, as ``graph.infer_types()``."""
        return self._graph.infer_types()

    def _operator(self, name: str, a: Any, b: Any) -> Any:
        from ._operators import apply

        if self._literals == "ge":
            a, b = self._literal(name, a), self._literal(name, b)
        return apply(self._onnx, name, a, b)

    def _literal(self, name: str, item: Any) -> Any:
        if name == "getitem" or item is None or isinstance(item, (_ir.Value, _ir.Node)):
            return item
        # CANN counts a bool as an int.
        return self.constant(int(item) if isinstance(item, bool) else item)


def builder(
    name: str = "graph",
    *,
    graph: Any = None,
    opset: int | None = None,
    literals: str = "operand",
    context: Any = None,
) -> Builder:
    """Return a `Builder`, for a ``with``; the parameters are the class's."""
    return Builder(name, graph=graph, opset=opset, literals=literals, context=context)


def leave(point: Any) -> None:
    """Leave an insertion point, and the builder that entered it: an interrupt has kept it from doing so."""
    for builder in [b for b in _live if b._point is point]:
        builder.__exit__()
        return
    point.__exit__()


def live_builder(graph: Any) -> "Builder | None":
    """Return the live builder of a graph's root, or None."""
    from ._subgraphs import _root, _stack

    root = _root(graph)
    for body in _stack.get():
        if body.graph is root:
            found: Builder = body.builder
            return found
    return next((b for b in reversed(_live) if _root(b.graph) is root), None)
