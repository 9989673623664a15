"""Log records, at level DEBUG, and trace events of executions of passes in Python."""

import itertools
from typing import Any

from ... import ir
from ..._support.log import logger

__all__ = ["ExecutionLog", "log_of"]

_numbers = itertools.count(1)


class ExecutionLog:
    """Tells the start and the end of one execution on one graph.

    Parameters
    ----------
    key : str
        Descriptor key of the pass: static, the same in every process.
    graph : Graph
    run : _PassRun or None
        Whose trace gets it, too.

    Attributes
    ----------
    instance_id : str
        ``key#number``: the execution, of this process.
    """

    def __init__(self, key: str, graph: ir.Graph, run: Any) -> None:
        self.instance_id = f"{key}#{next(_numbers)}"
        self._graph = graph
        self._before = set(graph.nodes)
        self._run = run
        shapes = _shapes(graph)
        if run is not None:
            run.trace("instance", self.instance_id)
            run.trace("before", shapes)
        _debug("%s: starts on %s", self.instance_id, shapes)

    def end(self) -> None:
        """Log the end of the execution and the change of the graph."""
        after, shapes = set(self._graph.nodes), _shapes(self._graph)
        added, removed = len(after - self._before), len(self._before - after)
        if self._run is not None:
            self._run.trace("nodes", f"{added} added, {removed} removed")
            self._run.trace("after", shapes)
        _debug("%s: %d nodes added, %d removed; now %s", self.instance_id, added, removed, shapes)

    def fail(self, error: BaseException) -> None:
        """Log that the execution failed and was undone."""
        _debug("%s: fails with %s", self.instance_id, type(error).__name__)


def log_of(what: Any, name: str, graph: ir.Graph, run: Any) -> ExecutionLog:
    """Return the log of an execution. Costs O(graph)."""
    own = getattr(what, "__name__", type(what).__name__)
    key = f"{getattr(what, '__module__', '')}:{own}:{name}"
    return ExecutionLog(key, graph, run if run.is_traced else None)


def _debug(text: str, *arguments: object) -> None:
    logger("ge.passes").debug(text, *arguments)


def _shapes(graph: ir.Graph) -> str:
    inputs = ", ".join(str(value.type) for value in graph.inputs)
    outputs = ", ".join("none" if value is None else str(value.type) for value in graph.outputs)
    return f"'{graph.name}' ({inputs}) -> ({outputs})"
