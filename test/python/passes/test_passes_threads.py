"""Eight threads match, rewrite and run passes concurrently.

Threads on different graphs do not affect each other; all may search one graph; a graph that all rewrite is rewritten by
one thread at a time, and the others get a busy error. Barriers hold all threads inside of a pattern function, body or
hook at once, where shared state would show.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ge import es, ir
from ge.es import onnx as op
from ge.passes import (
    PassManager,
    PatternFusionPass,
    explain,
    pattern,
    rewrite,
    rewrite_rule,
)

COUNT = 8
X = ir.TensorType((4, 4), ir.f32)


@pytest.fixture(autouse=True)
def switches() -> Iterator[None]:
    """Make the interpreter switch threads as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(work: Callable[[int], None]) -> None:
    """Run work(0), work(1), ... concurrently, one thread each."""
    start = threading.Barrier(COUNT, timeout=60)
    failures: list[BaseException] = []

    def run(number: int) -> None:
        try:
            start.wait()
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(COUNT)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def chain(length: int) -> ir.Graph:
    with es.builder("main") as b:
        x, w, c = (b.input(name, X) for name in "xwc")
        for _ in range(length):
            x = op.Relu(op.Add(op.MatMul(x, w), c))
        b.output(x)
    return b.graph


def matmul_add(a: Any, b: Any, c: Any) -> Any:
    return op.Add(op.MatMul(a.where(lambda value: value.type.rank == 2), b), c)


def gemm(a: Any, b: Any, c: Any) -> Any:
    return op.Gemm(a, b, c)


def test_patterns_are_made_at_once() -> None:
    """Each pattern keeps its own predicates while all threads are inside of their pattern functions."""
    inside = threading.Barrier(COUNT, timeout=60)

    def work(number: int) -> None:
        asked: list[int] = []

        @pattern
        def relu(x: Any) -> Any:
            inside.wait()
            x = x.where(lambda value: asked.append(number) or True)
            inside.wait()
            return op.Relu(x.where(lambda value: asked.append(threading.get_ident()) or True))

        assert len(chain(3).find(relu)) == 3
        assert set(asked) == {number, threading.get_ident()}
        assert len(asked) == 6

    together(work)


def test_bodies_are_made_at_once() -> None:
    """Captures go to the body that the thread is building."""
    inside = threading.Barrier(COUNT, timeout=60)

    def work(number: int) -> None:
        with es.builder(f"main{number}") as b:
            condition = b.input("condition", ir.TensorType((), ir.i1))
            x = b.input("x", X)
            outer = op.Neg(x)

            def body() -> list[Any]:
                inside.wait()
                made = op.Add(outer, x)
                inside.wait()
                return [made]

            b.output(*op.If(condition, then_branch=body, else_branch=lambda: [op.Sub(outer, x)]))
        assert b.graph.verify()
        (node,) = b.graph.find_all("onnx.If")
        for branch in node.subgraphs:
            assert list(branch.nodes[0].operands) == [outer, x]

    together(work)


def test_one_pattern_is_compiled_and_used_by_all() -> None:
    shared = pattern(matmul_add)

    def work(number: int) -> None:
        for _ in range(20):
            assert len(chain(5).find(shared)) == 5

    together(work)


def test_one_module_is_searched_by_all() -> None:
    module = ir.Module.parse(f"module {{\n{chain(100)}\n}}")
    (graph,) = module.graphs.values()
    shared = pattern(matmul_add)
    before = str(module)

    def work(number: int) -> None:
        for _ in range(10):
            matches = graph.find(shared)
            assert [m.anchor.type for m in matches] == ["Add"] * 100
            assert explain(graph, shared).matches == 100

    together(work)
    assert str(module) == before


@pytest.mark.parametrize("per_match", [False, True])
def test_different_graphs_are_rewritten(per_match: bool) -> None:
    rule = rewrite_rule(matmul_add, gemm, lambda match: True, name="gemm", per_match=per_match)
    texts: list[str] = []

    def work(number: int) -> None:
        for _ in range(10):
            graph = chain(20)
            assert rewrite(graph, rule).rewrites == 20
            texts.append(str(graph))

    together(work)
    assert len(texts) == 80
    assert len(set(texts)) == 1


def test_hooks_of_one_pass_run_in_all() -> None:
    """Each execution has its own instance, which does not see the matches of others."""
    inside = threading.Barrier(COUNT, timeout=60)

    class Fuse(PatternFusionPass):
        def __init__(self) -> None:
            super().__init__()
            self.threads: set[int] = set()

        @pattern
        def found(self, a: Any, b: Any, c: Any) -> Any:
            self.threads.add(threading.get_ident())
            inside.wait()
            return matmul_add(a, b, c)

        def meet_requirements(self, match: Any) -> bool:
            inside.wait()
            self.threads.add(threading.get_ident())
            return True

        def replacement(self, a: Any, b: Any, c: Any) -> Any:  # type: ignore[override]
            inside.wait()
            self.threads.add(threading.get_ident())
            assert len(self.threads) == 1
            return op.Gemm(a, b, c)

    manager = PassManager().add(Fuse).add("dce")

    def work(number: int) -> None:
        graph = chain(3)
        assert manager.run(graph).count("Fuse", "matched") == 3
        assert [n.type for n in graph.nodes] == ["Gemm", "Relu"] * 3

    together(work)


def test_one_graph_is_rewritten_by_one_at_a_time() -> None:
    rule = rewrite_rule(matmul_add, gemm, lambda match: True, name="gemm")
    graph = chain(300)
    done: list[int] = []

    def work(number: int) -> None:
        try:
            done.append(rewrite(graph, rule).rewrites)
        except ir.GraphBusyError as error:
            assert "graph 'main'" in str(error)
            done.append(-1)

    together(work)
    assert sorted(set(done) - {-1, 0}) == [300]
    assert done.count(300) == 1
    assert graph.verify()


def test_an_exception_in_one_thread_is_none_in_another() -> None:
    def when(match: Any) -> bool:
        if threading.get_ident() in failing:
            raise LookupError("mine")
        return True

    failing: set[int] = set()
    rule = rewrite_rule(matmul_add, gemm, when, name="gemm")

    def work(number: int) -> None:
        for _ in range(10):
            graph = chain(10)
            if number % 2:
                failing.add(threading.get_ident())
                with pytest.raises(LookupError, match="mine"):
                    rewrite(graph, rule)
                assert str(graph) == str(chain(10))
            else:
                assert rewrite(graph, rule).rewrites == 10

    together(work)
