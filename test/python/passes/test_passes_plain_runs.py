"""Rules that call no Python code run natively; no result visible to users depends on that.

A run without observers, trace and debug log applies the rules of a pass natively: rules of `rewrite_rule`, and rules
of a class if none of its methods would be called. Every other run goes through the adapter.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from ge import ir
from ge.es import onnx as op
from ge.passes import PassManager, PatternFusionPass, p, pattern, rewrite_rule

X = ir.TensorType((4, 4), ir.f32)


def layers(count: int = 3) -> ir.Graph:
    g = ir.Graph("layers")
    x, w, c = (g.add_input(name, X) for name in ("x", "w", "c"))
    for i in range(count):
        x = g.add_node("onnx.MatMul", [x, w], result_types=[X], name=f"mm{i}").result
        x = g.add_node("onnx.Add", [c, x] if i % 2 else [x, c], result_types=[X]).result
        x = g.add_node("onnx.Relu", [x], result_types=[X], name=f"relu{i}").result
    g.outputs = [x]
    return g


def found(a: Any, b: Any, c: Any) -> Any:
    return op.Relu(op.Add(op.MatMul(a, b), c))


def rule() -> Any:
    return rewrite_rule(found, lambda a, b, c: p.op("com.example.Fused")(a, b, c), name="fuse")


def fusion() -> type[PatternFusionPass]:
    class Fuse(PatternFusionPass):
        @pattern
        def layer(self, a: Any, b: Any, c: Any) -> Any:
            return found(a, b, c)

        def replacement(self, a: Any, b: Any, c: Any) -> Any:  # type: ignore[override]
            return p.op("com.example.Fused")(a, b, c)

    return Fuse


@pytest.mark.parametrize("make", [rule, fusion], ids=["rule", "class"])
def test_a_run_is_the_same_with_and_without_observers(make: Callable[[], Any]) -> None:
    made = make()
    manager = PassManager().add(made)
    name = manager.run(layers()).passes[0].name  # the first run traces a class
    graphs = layers(), layers()
    plain = manager.run(graphs[0])
    seen = manager.run(graphs[1], expect={name: 3})
    assert str(graphs[0]) == str(graphs[1])
    assert [[str(o) for o in n.origins] for n in graphs[0].nodes] == [
        [str(o) for o in n.origins] for n in graphs[1].nodes
    ]
    for result in (plain, seen):
        (each,) = result.passes
        assert (each.name, each.outcome, each.rewrites) == (name, "changed", 3)
        assert each.statistics == {"matched": 3}
    (none,) = manager.run(graphs[0]).passes
    assert (none.outcome, none.rewrites, none.statistics) == ("unchanged", 0, {})


@pytest.mark.parametrize("is_class", [False, True], ids=["rule", "class"])
def test_a_failure_names_the_replacement(is_class: bool) -> None:
    def cast(x: Any) -> Any:
        return op.Cast(x, to=ir.i32)

    class Wrong(PatternFusionPass):
        @pattern
        def one(self, x: Any) -> Any:
            return op.Relu(x)

        def replacement(self, x: Any) -> Any:  # type: ignore[override]
            return op.Cast(x, to=ir.i32)

    wrong: Any = Wrong if is_class else rewrite_rule(lambda x: op.Relu(x), cast, name="wrong")
    function = Wrong.replacement if is_class else cast
    line = getattr(function, "__wrapped__", function).__code__.co_firstlineno
    manager = PassManager().add(wrong)
    texts = set()
    for expect in (None, {}, None):
        graph = layers()
        before = str(graph)
        with pytest.raises(ir.PassError) as caught:
            manager.run(graph, expect=expect)
        assert (caught.value.file, caught.value.line) == (__file__, line)
        assert str(graph) == before
        texts.add(str(caught.value))
    assert len(texts) == 1


def test_what_a_class_is_counts_in_each_run() -> None:
    made = fusion()
    manager = PassManager().add(made)
    for _ in range(2):
        assert manager.run(layers()).passes[0].rewrites == 3
    asked = []

    def refuse(self: Any, match: Any) -> bool:
        asked.append(match["a"].node.op)
        return False

    made.meet_requirements = refuse  # type: ignore[method-assign, assignment]
    assert manager.run(layers()).passes[0].rewrites == 0
    assert len(asked) == 3
    del made.meet_requirements

    def other(self: Any, a: Any, b: Any, c: Any) -> Any:
        return p.op("com.example.Other")(a, b, c)

    made.replacement = other  # type: ignore[method-assign]
    graph = layers()
    manager.run(graph)
    assert {node.op for node in graph.nodes} == {"com.example.Other"}


def test_a_class_that_makes_instances_makes_one_for_each_execution() -> None:
    made = []

    class Counted(fusion()):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    manager = PassManager().add(Counted)
    for _ in range(3):
        assert manager.run(layers()).passes[0].rewrites == 3
    assert len({id(each) for each in made}) == len(made) == 3
    made.clear()


def test_a_builder_that_is_replaced_counts_in_the_next_run(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = PassManager().add(Gemms)
    for _ in range(2):
        graph = layers()
        manager.run(graph)
        assert {node.op for node in graph.nodes} == {"onnx.Gemm"}
    monkeypatch.setattr(f"{__name__}.build", op.LayerNormalization)
    graph = layers()
    manager.run(graph)
    assert {node.op for node in graph.nodes} == {"onnx.LayerNormalization"}


build = op.Gemm


class Gemms(PatternFusionPass):
    @pattern
    def layer(self, a: Any, b: Any, c: Any) -> Any:
        return found(a, b, c)

    def replacement(self, a: Any, b: Any, c: Any) -> Any:  # type: ignore[override]
        return build(a, b, c)


def test_the_debug_log_tells_of_each_execution(caplog: pytest.LogCaptureFixture) -> None:
    manager = PassManager().add(rule())
    manager.run(layers())
    with caplog.at_level(logging.DEBUG, logger="ge.passes"):
        manager.run(layers())
    assert any("3 nodes added, 9 removed" in record.getMessage() for record in caplog.records)


def test_what_a_hook_breaks_between_passes_is_in_the_remarks() -> None:
    manager = PassManager().add(rule())

    def damage(name: str, where: str, outcome: str, seconds: float) -> None:
        graph.nodes[0].detach()

    graph = layers()
    manager.add_hook(after=damage)
    (remark,) = manager.run(graph).remarks
    assert "is wrong, by no pass of it" in remark.message
    assert "detached" in remark.message


def test_settings_hold_for_later_runs_until_they_are_changed() -> None:
    manager = PassManager().add(rule())

    def outcome() -> tuple[str, int]:
        done = manager.run(layers()).passes[0]
        return done.outcome, done.rewrites

    assert outcome() == ("changed", 3)
    manager.set_rewrite_limit(2)
    assert outcome() == outcome() == ("changed", 2)
    manager.set_bisect_limit(0)
    assert outcome() == ("skipped", 0)
    manager.set_bisect_limit(None)
    assert outcome() == ("changed", 2)
    manager.set_rewrite_limit(None)
    assert outcome() == ("changed", 3)

    wrong = PassManager().add(lambda graph: graph.outputs[0].node.erase(force=True))
    with pytest.raises(ir.PassError, match="left an invalid graph"):
        wrong.run(layers())
    wrong.enable_verifier(False)
    assert wrong.run(layers()).changed
    wrong.enable_verifier()
    with pytest.raises(ir.PassError, match="left an invalid graph"):
        wrong.run(layers())


def test_what_a_hook_sets_begins_with_the_next_run() -> None:
    manager = PassManager().add(rule()).add(rule())
    manager.add_hook(before=lambda name, where: manager.set_rewrite_limit(1) and None)
    assert sum(each.rewrites for each in manager.run(layers()).passes) == 3
    assert sum(each.rewrites for each in manager.run(layers()).passes) == 1
