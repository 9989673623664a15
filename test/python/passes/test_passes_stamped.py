"""Replacements that depend on values only are traced once into a template; all others are called per match."""

import sys
from inspect import unwrap
from typing import Any

import numpy as np
import pytest
from named_passes import sum_and_product

import ge.ir as ir
from ge.es import onnx as op
from ge.passes import PassManager, PatternFusionPass, p, pattern


def counted(replacement: Any, **body: Any) -> tuple[int, ir.Graph]:
    """Return the number of calls of a replacement in two runs over three Relus each, and a rewritten graph."""

    def relu(self: Any, x: Any) -> Any:
        return op.Relu(x)

    scope = {"f": pattern(relu), "replacement": replacement, **body}
    cls = type("P", (PatternFusionPass,), scope)
    calls = 0

    def profile(frame: Any, event: str, _: Any) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code is replacement.__code__

    for _ in range(2):
        graph = ir.Graph("g")
        value = graph.add_input("x", ir.TensorType((2, "N"), ir.f16))
        for _ in range(3):
            value = graph.add_node("onnx.Relu", [value], result_types=[value.type]).result
        graph.outputs = [value]
        sys.setprofile(profile)
        try:
            result = PassManager().add(cls).run(graph)
        finally:
            sys.setprofile(None)
        assert result.count("P", "matched") == 3
    return calls, graph


def kind_of(replacement: Any, **body: Any) -> str:
    """Return the kind of a replacement as `ge plugins` shows it."""
    scope = {"f": pattern(lambda self, x: op.Relu(x)), "replacement": replacement, **body}
    return type("P", (PatternFusionPass,), scope)._ge_replacement()


def test_a_replacement_of_values_alone_is_called_once_and_stamped() -> None:
    def several(self: Any, x: Any) -> Any:
        first = op.Abs(x)
        both = op.Max([first, x])
        return op.Elu(both, alpha=2.0)

    for replacement in (
        several,
        lambda self, x: op.Abs(x),
        lambda self, x: x,  # the template has no nodes
        lambda self, x: (x,),
        lambda self, x: op.Cast(x, to=ir.f16),
        lambda self, x: p.op("onnx.Elu")(x, alpha=2.0),
        lambda self, x: p.op("com.example.Fused")(x),
    ):
        once = counted(replacement)
        forced = counted(replacement, per_match=True)
        assert (once[0], forced[0]) == (1, 6)
        assert kind_of(replacement) == "template"
        assert kind_of(replacement, per_match=True) == "per match"
        assert once[1].to_text() == forced[1].to_text()
        again = once[1].infer_types()
        assert not again.diagnostics


def test_the_code_of_a_replacement_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> None:
        assert PassManager().add(P).run(sum_and_product()).count("P", "matched") == 2

    class P(PatternFusionPass):
        @pattern
        def relu(self, x: Any) -> Any:
            return op.Relu(x)

        def replacement(self, x: Any) -> Any:  # type: ignore[override]
            return op.Abs(x)

    run()
    monkeypatch.delattr("ge.passes._rewrite._style.get_instructions")
    run()


SCALE = 2.0


def test_a_replacement_that_reads_anything_else_is_called_for_each_match() -> None:
    seen: list[Any] = []

    def branches(self: Any, x: Any) -> Any:
        return op.Abs(x) if x.type.dtype is ir.f16 else op.Neg(x)

    def logs(self: Any, x: Any) -> Any:
        seen.append(x.name)
        return op.Abs(x)

    def caught(self: Any, x: Any) -> Any:
        try:
            return op.Abs(x)
        except ValueError:
            return x

    for replacement in (
        branches,
        logs,
        caught,
        lambda self, x: op.Abs(self.inner(x)),
        lambda self, x: op.Abs(op.Identity(x).node.operands[0]),
        lambda self, x: op.Mul(x, 2.0),  # the constant takes the element type of x
        lambda self, x: op.Elu(x, alpha=SCALE),
        lambda self, x: op.Elu(x, alpha=float(x.node.op == "onnx.Relu")),
        lambda self, x, match: op.Abs(x),
        lambda self, x, context: op.Abs(x),
        lambda self, x, again=op.Abs: again(x),
    ):
        calls, graph = counted(replacement, inner=lambda self, x: op.Neg(x))
        assert calls in (6, 7), replacement.__code__  # 7 if tracing began and met a number
        assert all(value.type.dtype is ir.f16 for node in graph.nodes for value in node.results)
    assert len(seen) == 6


def test_a_builder_that_is_another_one_later_makes_another_template() -> None:
    class P(PatternFusionPass):
        @pattern
        def relu(self, x: Any) -> Any:
            return op.Relu(x)

        def replacement(self, x: Any) -> Any:  # type: ignore[override]
            return chosen(x)

    for chosen, expected in ((op.Abs, "onnx.Abs"), (op.Neg, "onnx.Neg")):
        graph = sum_and_product()
        PassManager().add(P).run(graph)
        assert expected in [node.op for node in graph.nodes]


def test_a_wrong_node_of_a_template_names_the_replacement() -> None:
    class P(PatternFusionPass):
        @pattern
        def relu(self, x: Any) -> Any:
            return op.Relu(x)

        def replacement(self, x: Any) -> Any:  # type: ignore[override]
            return op.Gelu(x)

    module = ir.Module("m")
    module.attributes["onnx.opset_imports"] = {"onnx": 14}
    graph = module.add_graph("g")
    x = graph.add_input("x", ir.TensorType((2,), ir.f32))
    graph.outputs = [graph.add_node("onnx.Relu", [x], result_types=[x.type]).result]
    line = P.replacement.__code__.co_firstlineno
    with pytest.raises(ir.PassError, match="opset 20 of 'onnx', the model imports 14") as failed:
        PassManager().add(P).run(module)
    assert (failed.value.file, failed.value.line) == (__file__, line)
    assert str(failed.value).endswith(f" ({__file__}:{line})")


def test_what_a_template_cannot_say_is_reported_at_its_match() -> None:
    class P(PatternFusionPass):
        @pattern
        def relu(self, x: Any) -> Any:
            return op.Relu(x)

        def replacement(self, x: Any) -> Any:  # type: ignore[override]
            return op.Gemm(x)  # lacks an operand

    with pytest.raises(ir.PassError, match=r"replacement\(\) at node .*test_passes_stamped.py"):
        PassManager().add(P).run(sum_and_product())


def test_a_predicate_that_is_kept_names_the_pass_that_runs() -> None:
    class Failing(PatternFusionPass):
        @pattern
        def checked(self, x: Any, y: Any) -> Any:
            return op.Add(x.where(lambda value: 1 // 0), y)

        def replacement(self, x: Any) -> Any:  # type: ignore[override]
            return op.Neg(x)

    for _ in range(2):
        with pytest.raises(ir.PassError) as failed:
            PassManager().add(Failing).run(sum_and_product())
        assert (failed.value.pass_name, failed.value.hook) == ("Failing", "predicate")


def test_an_error_without_a_frame_of_the_user_names_the_hook() -> None:
    """GE's code raises, because the hook's return value is invalid."""

    class Wrong(PatternFusionPass):
        @pattern
        def positive(self, x: Any) -> Any:
            return op.Relu(x)

        def replacement(self, x: Any) -> Any:
            return 5

    class Unclear(Wrong):
        def meet_requirements(self, match: Any) -> Any:
            return np.zeros(3) > 1

    for cls, hook in ((Wrong, Wrong.replacement), (Unclear, Unclear.meet_requirements)):
        graph = ir.Graph("g")
        x = graph.add_input("x", ir.TensorType((2,), ir.f32))
        graph.outputs = [graph.add_node("onnx.Relu", [x]).result]
        with pytest.raises(ir.PassError) as caught:
            PassManager().add(cls).run(graph)
        line = unwrap(hook).__code__.co_firstlineno  # hooks of CANN's style are wrapped
        assert (caught.value.file, caught.value.line) == (__file__, line)
