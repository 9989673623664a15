"""Where two models begin to differ: every value of both, on the same inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .. import ir
from . import _service
from ._budget import Budget, byte_count
from ._inputs import main_graph
from ._interpreter import run_graph
from ._outputs import compare_values

__all__ = ["FirstDifference", "first_difference"]


class FirstDifference(NamedTuple):
    """The first value that differs.

    Attributes
    ----------
    name : str
        Of the value, in both models.
    node : str
        What gives it in the second one: ``"onnx.Conv 'conv1'"``.
    message : str
    max_abs : float
    """

    name: str
    node: str
    message: str
    max_abs: float


def first_difference(
    a: ir.Module,
    b: ir.Module,
    inputs: Mapping[str, Any],
    rtol: float | None = None,
    atol: float | None = None,
) -> tuple[FirstDifference | None, int]:
    """Return the first value of the second model that differs from the one of that name in the first, and how many were compared.

    Values inside bodies, which come again and again, are compared turn by turn. All values of the first model are kept
    meanwhile.

    Raises
    ------
    KernelError
        If one of the models cannot be run node by node, or not within the limits of a model.
    """
    kept: dict[str, list[Any]] = {}
    budget = Budget(_service.limits_of_models())

    def keep(name: str, value: Any) -> None:
        budget.take(byte_count(value))
        kept.setdefault(name, []).append(value)

    _run(a, inputs, keep, budget)
    found: list[FirstDifference] = []
    count = 0
    turns: dict[str, int] = {}
    nodes = {
        result.name: f"{node.op} '{node.name}'"
        for graph in b.graphs.values()
        for node in graph.walk()
        for result in node.results
        if result is not None
    }

    def look(name: str, value: Any) -> None:
        nonlocal count
        turn = turns[name] = turns.get(name, -1) + 1
        others = kept.get(name, ())
        if found or turn >= len(others):
            return
        count += 1
        report = compare_values(name, others[turn], value, "", rtol, atol)
        if report.verdict == "differs":
            again = f" in turn {turn + 1}" if turn else ""
            node = nodes.get(name, "an input")
            found.append(FirstDifference(name, node, report.message + again, report.max_abs))

    # Both share the memory; each has its time.
    _run(b, inputs, look, budget.again())
    return (found[0] if found else None), count


def _run(module: ir.Module, inputs: Mapping[str, Any], trace: Any, budget: Budget) -> None:
    graph = main_graph(module)
    names = {value.name for value in graph.inputs}
    given = {n: v for n, v in inputs.items() if n in names}
    run_graph(graph, given, trace=trace, budget=budget)
