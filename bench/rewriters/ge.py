"""GE."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ge import ir
from ge.es import onnx as op
from ge.passes import PassManager, PatternFusionPass, p, pattern, rewrite, rewrite_rule
from rewriters import Rewriter, Work

X = ir.TensorType((4, 4), ir.f32)


def layers(count: int, named: bool = True) -> ir.Graph:
    g = ir.Graph("layers")
    x, w, c = (g.add_input(name, X) for name in ("x", "w", "c"))

    def add(op: str, operands: list[ir.Value], name: str) -> ir.Value:
        return g.add_node(op, operands, result_types=[X], name=name if named else None).result

    for i in range(count):
        x = add("onnx.MatMul", [x, w], f"mm{i}")
        x = add("onnx.Add", [x, c], f"add{i}")
        x = add("onnx.Relu", [x], f"relu{i}")
    g.outputs = [x]
    return g


def adds(count: int) -> ir.Graph:
    g = ir.Graph("adds")
    x = g.add_input("x", X)
    for i in range(count):
        y = g.add_input(f"y{i}", X)
        x = g.add_node("onnx.Add", [x, y] if i % 2 else [y, x], result_types=[X]).result
    g.outputs = [x]
    return g


def found(a: Any, b: Any, c: Any) -> Any:
    return op.Relu(op.Add(op.MatMul(a, b), c))


def fused(a: Any, b: Any, c: Any) -> Any:
    return op.Gemm(a, b, c)


def in_a_row(wanted: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return pattern and replacement for `wanted` Adds in a row; the chain is each Add's first operand."""

    def left(x: Any, *others: Any) -> Any:
        for other in others:
            x = op.Add(x, other)
        return x

    names = ", ".join(f"v{i}" for i in range(wanted + 1))
    pattern: Callable[..., Any] = eval(f"lambda {names}: left({names})", {"left": left})
    made: Callable[..., Any] = eval(f"lambda {names}: Sum([{names}])", {"Sum": op.Sum})
    return pattern, made


def fusion() -> Any:
    return rewrite_rule(found, lambda a, b, c: p.op("com.example.Fused")(a, b, c), name="fuse")


class Fuse(PatternFusionPass):
    """The same rewrite as a pass class."""

    @pattern
    def layer(self, a: Any, b: Any, c: Any) -> Any:
        return found(a, b, c)

    def replacement(self, a: Any, b: Any, c: Any) -> Any:  # type: ignore[override]
        return p.op("com.example.Fused")(a, b, c)


class GE(Rewriter):
    """Rules of ge.passes."""

    def work(self, graph: ir.Graph, rule: Any) -> Work:
        return Work(lambda: rewrite(graph, rule), lambda result: result.rewrites)

    def rule(self, count: int) -> Work:
        return self.work(layers(count), fusion())

    def managed(self, count: int) -> Work:
        manager, graph = PassManager().add(fusion()), layers(count)
        return Work(lambda: manager.run(graph), lambda result: result.passes[0].rewrites)

    def small(self, count: int) -> Work:
        return self.many(PassManager().add(fusion()), count)

    def small_class(self, count: int) -> Work:
        return self.many(PassManager().add(Fuse), count)

    def many(self, manager: PassManager, count: int) -> Work:
        graphs = [layers(3) for _ in range(count)]

        def run() -> int:
            for graph in graphs:
                manager.run(graph)
            return sum(len(graph.nodes) == 3 for graph in graphs)

        return Work(run, lambda done: done)

    def callback(self, count: int) -> Work:
        return self.work(layers(count), rewrite_rule(found, fused, per_match=True))

    def edits(self, graph: ir.Graph, origins: bool = True, transaction: bool = False) -> Work:
        nodes = list(graph.nodes)

        def edit() -> None:
            add = graph.add_node
            for product, total, relu in zip(nodes[::3], nodes[1::3], nodes[2::3], strict=True):
                operands = [*product.operands, total.operands[1]]
                place = ir.InsertionPoint.before(relu)
                fused = add("com.example.Fused", operands, result_types=[X], ip=place)
                if origins:
                    relu.replace_with(fused.result)
                else:
                    relu.result.replace_all_uses_with(fused.result)
                    relu.erase()
                total.erase()
                product.erase()

        def run() -> None:
            if not transaction:
                return edit()
            with graph.transaction():
                edit()

        return Work(run, lambda _: len(graph.nodes))

    def by_hand(self, count: int) -> Work:
        return self.edits(layers(count))

    def by_hand_open(self, count: int) -> Work:
        return self.edits(layers(count), transaction=True)

    def by_hand_unnamed(self, count: int) -> Work:
        return self.edits(layers(count, named=False))

    def by_hand_plain(self, count: int) -> Work:
        return self.edits(layers(count, named=False), origins=False)

    def refuse(self, count: int) -> Work:
        asked = 0

        def refused(match: Any) -> bool:
            nonlocal asked
            asked += 1
            return bool(match["a"].type.rank == 3)

        graph, rule = layers(count), rewrite_rule(found, fused, condition=refused)

        return Work(lambda: rewrite(graph, rule), lambda _: asked)

    def chain(self, length: int, wanted: int) -> Work:
        return self.work(adds(length), rewrite_rule(*in_a_row(wanted)))


def create(_: str) -> GE:
    return GE()
