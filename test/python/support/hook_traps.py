"""Passes of every kind whose hooks raise at a chosen call."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ge.passes as passes
from ge import es, ir
from ge.es import onnx as op
from ge.passes import (
    DecomposePass,
    FusionBasePass,
    PassManager,
    PatternFusionPass,
    SubgraphBoundary,
    SubgraphInput,
    SubgraphOutput,
    SubgraphRewriter,
    p,
    pattern,
)

X = ir.TensorType((4, 4), ir.f32)


class Trap:
    """Counts the calls of hooks, and raises at one of them."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.at: tuple[str, int] | None = None
        self.raised: BaseException | None = None

    def __call__(self, hook: str) -> bool:
        self.calls[hook] += 1
        if (hook, self.calls[hook]) == self.at:
            assert self.raised is not None
            raise self.raised
        return True


trap = Trap()


def target() -> ir.Graph:
    with es.builder("main") as b:
        x, w, c = (b.input(name, X) for name in "xwc")
        for _ in range(3):
            x = op.Relu(op.Add(op.MatMul(x, w), c))
        b.output(op.Mul(x, b.constant(2.0)))
    return b.graph


def replacement_graph(names: str, make: Callable[..., Any]) -> ir.Graph:
    with es.builder("replacement") as b:
        b.output(make(*(b.input(name) for name in names)))
    return b.graph


class Named(PatternFusionPass):
    """Patterns with named values and predicates on values, constants and attributes."""

    def __init__(self) -> None:
        super().__init__()
        trap("__init__")

    @pattern
    def matmul_add(self, a: Any, b: Any, c: Any) -> Any:
        trap("patterns")
        return op.Add(op.MatMul(a.where(lambda value: trap("predicate")), b), c)

    @pattern
    def gemm(self, a: Any, b: Any, c: Any) -> Any:
        trap("patterns")
        return p.op("onnx.Gemm")(
            a, b, c, alpha=p.attr(lambda value: trap("predicate") and value == 1)
        )

    @pattern
    def scale(self, a: Any, b: Any = None, c: Any = None) -> Any:
        trap("patterns")
        return op.Mul(a, p.constant(predicate=lambda tensor: trap("predicate")))

    def meet_requirements(self, match: Any) -> bool:
        return trap("meet_requirements")

    def replacement(self, a: Any, b: Any, c: Any, match: Any) -> Any:  # type: ignore[override]
        trap("replacement")
        if match["b"] is None:
            return op.Neg(a)
        made = op.Gemm(a, b, c, alpha=2.0)
        trap("replacement")  # a second call, after a node was created
        return made


class Graphs(PatternFusionPass):
    """Patterns and replacements that are graphs."""

    def __init__(self) -> None:
        super().__init__()
        trap("__init__")

    def patterns(self) -> list[ir.Graph]:
        trap("patterns")
        return [replacement_graph("abc", lambda a, b, c: op.Add(op.MatMul(a, b), c))]

    def meet_requirements(self, match: Any) -> bool:
        return trap("meet_requirements")

    def replacement(self, match: Any) -> ir.Graph:
        trap("replacement")
        return replacement_graph("abc", op.Gemm)


class Functions(PatternFusionPass):
    """Patterns that are functions instead of methods."""

    def patterns(self) -> list[Any]:
        trap("patterns")
        return [pattern(lambda a: op.Relu(a.where(lambda value: trap("predicate"))))]

    def replacement(self, match: Any) -> ir.Graph:
        trap("replacement")
        return replacement_graph("a", op.Abs)


class Single(DecomposePass):
    op_types = ("Relu",)

    def __init__(self) -> None:
        trap("__init__")

    def meet_requirements(self, node: ir.Node) -> bool:
        return trap("meet_requirements")

    def replacement(self, node: ir.Node) -> ir.Graph:
        trap("replacement")
        return replacement_graph("x", lambda x: op.Max([x, op.Neg(x)]))


class Whole(FusionBasePass):
    def __init__(self) -> None:
        trap("__init__")

    def run(self, graph: ir.Graph, context: Any) -> None:
        for node in graph.nodes:
            node.name = "renamed"
            trap("run")


class ByHand(FusionBasePass):
    def run(self, graph: ir.Graph, context: Any) -> None:
        for node in list(graph.find_all("onnx.Relu")):
            boundary = SubgraphBoundary()
            boundary.add_input(0, SubgraphInput([(node, 0)]))
            boundary.add_output(0, SubgraphOutput(node, 0))
            made = replacement_graph("x", lambda x: op.Max([x, op.Neg(x)]))
            SubgraphRewriter.replace(boundary, made, context=context)


def function(graph: ir.Graph, context: Any) -> None:
    for node in graph.nodes:
        node.name = "renamed"
        trap("function")


PASSES = [Named, Graphs, Functions, Single, Whole, function]


@pytest.fixture(autouse=True)
def reset() -> Iterator[None]:
    trap.__init__()  # type: ignore[misc]
    yield
    trap.__init__()  # type: ignore[misc]


def forget(what: Any) -> None:
    """Reset the counts, and let the next run also call hooks that are called once per process."""
    trap.calls.clear()
    if isinstance(what, type) and issubclass(what, PatternFusionPass):
        what._compiled_patterns.clear()


def run(what: Any, graph: ir.Graph, **options: Any) -> passes.PipelineResult:
    forget(what)
    return PassManager(**options).add(what).run(graph)


def calls(what: Any) -> list[tuple[str, int]]:
    """Return (hook, number of the call) for each call of a hook in a run."""
    trap.at = None
    assert run(what, target())
    return [(hook, k) for hook, count in trap.calls.items() for k in range(1, count + 1)]


def raising(what: Any, at: tuple[str, int], error: BaseException, **options: Any) -> Any:
    """Run a pass whose hook raises; return the exception, or the result."""
    trap.at, trap.raised = at, error
    graph = target()
    before = str(graph)
    try:
        return run(what, graph, **options)
    except BaseException as caught:
        assert str(graph) == before, (at, error)
        return caught
    finally:
        trap.at = trap.raised = None
        graph.nodes[0].name = "free again"
