"""Hooks of pass classes take matched values as parameters with the names that the patterns give them."""

from typing import Any

import pytest
from named_passes import sum_and_product

import ge.ir as ir
from ge.es import onnx as op
from ge.es.math import MatMul
from ge.passes import PassManager, PatternFusionPass, p, pattern


@pytest.mark.parametrize("hook", ["meet_requirements", "replacement"])
@pytest.mark.parametrize("arguments", ["self, a, bb", "self, aa, b, c", "self, a, match, other"])
def test_misspelt_names_are_found_when_the_class_is_made(hook: str, arguments: str) -> None:
    def f(self: Any, a: Any, b: Any) -> Any:
        return op.MatMul(a, b)

    scope: dict[str, Any] = {}
    exec(f"def {hook}({arguments}): pass", scope)
    with pytest.raises(TypeError, match=f"{hook} has a parameter '.*their names are a, b, beside"):
        type("P", (PatternFusionPass,), {"f": pattern(f), hook: scope[hook]})


def test_named_values_that_are_not_inferred_have_the_types_of_what_they_replace() -> None:
    class P(PatternFusionPass):
        @pattern
        def relu(self, x: Any) -> Any:
            return op.Relu(x)

        def replacement(self, x: Any) -> Any:  # type: ignore[override]
            return p.op("com.example.Mine")(x)

    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType((2, "N"), ir.f32))
    graph.outputs = [graph.add_node("onnx.Relu", [x], result_types=[x.type]).result]
    assert PassManager().add(P).run(graph).count("P", "matched") == 1
    assert (graph.nodes[0].op, graph.outputs[0].type) == ("com.example.Mine", x.type)


def two_patterns(replacement: str) -> type[PatternFusionPass]:
    """Return a class with patterns of (x, y) and (x, z), and a replacement with the given parameters."""

    def sums(self: Any, x: Any, y: Any) -> Any:
        return op.Relu(op.Add(x, y))

    def products(self: Any, x: Any, z: Any) -> Any:
        return op.Relu(op.Mul(x, z))

    scope: dict[str, Any] = {"op": op}
    exec(f"def replacement({replacement}): return op.Abs(x)", scope)
    body = {"f": pattern(sums), "g": pattern(products), "replacement": scope["replacement"]}
    return type("P", (PatternFusionPass,), body)


def test_a_replacement_of_several_patterns_takes_what_each_of_them_names() -> None:
    with pytest.raises(TypeError, match="a parameter 'y', which pattern 'g' does not have; .* x, "):
        two_patterns("self, x, y")
    with pytest.raises(TypeError, match="@f.replacement for that pattern"):
        two_patterns("self, z, x")
    with pytest.raises(TypeError, match="'xx', which no pattern has; .*did you mean 'x'"):
        two_patterns("self, xx")
    graph = sum_and_product()
    result = PassManager().add(two_patterns("self, x, match, scale=2.0, *more")).run(graph)
    assert result.count("P", "matched") == 2
    assert [node.op for node in graph.nodes] == ["onnx.Abs", "onnx.Abs"]


def test_patterns_without_a_common_name_do_not_make_a_hook_one_of_matches() -> None:
    def f(self: Any, a: Any) -> Any:
        return op.Relu(a)

    def g(self: Any, b: Any) -> Any:
        return op.Abs(b)

    with pytest.raises(TypeError, match="replacement has a parameter 'a', which pattern 'g'"):
        body = {"f": pattern(f), "g": pattern(g), "replacement": lambda self, a: op.Neg(a)}
        type("P", (PatternFusionPass,), body)


def test_a_pattern_has_a_replacement_of_its_own() -> None:
    class P(PatternFusionPass):
        @pattern
        def sums(self, x: Any, y: Any) -> Any:
            return op.Relu(op.Add(x, y))

        @sums.replacement
        def replace_sums(self, y: Any, x: Any, context: Any) -> Any:
            context.count("sums")
            return op.Sub(x, y)

        @pattern
        def products(self, x: Any, z: Any) -> Any:
            return op.Relu(op.Mul(x, z))

        def replacement(self, x: Any, z: Any) -> Any:  # type: ignore[override]
            return op.Div(x, z)

    graph = sum_and_product()
    result = PassManager().add(P).run(graph)
    assert (result.count("P", "matched"), result.count("P", "sums")) == (2, 1)
    assert [node.op for node in graph.nodes] == ["onnx.Sub", "onnx.Div"]
    assert list(graph.nodes[0].operands) == list(graph.inputs)


def test_a_replacement_of_one_pattern_is_checked_and_single() -> None:
    with pytest.raises(TypeError, match="replacement has a parameter 'z'.*their names are x, y"):

        class _P(PatternFusionPass):
            @pattern
            def sums(self, x: Any, y: Any) -> Any:
                return op.Add(x, y)

            @sums.replacement
            def replace_sums(self, z: Any) -> Any:
                return z

    made = pattern(lambda self, x: op.Relu(x))
    made.replacement(lambda self, x: op.Abs(x))
    with pytest.raises(TypeError, match="two replacements"):
        made.replacement(lambda self, x: op.Neg(x))
    type("Q", (PatternFusionPass,), {"f": pattern(lambda self, x: op.Relu(x)), "g": made})
    with pytest.raises(TypeError, match="belongs to Q, which is complete"):
        made.replacement(lambda self, x: op.Neg(x))


def test_a_method_with_the_name_of_its_pattern_does_not_hide_it() -> None:
    class P(PatternFusionPass):
        @pattern
        def sums(self, x: Any, y: Any) -> Any:
            return op.Relu(op.Add(x, y))

        @sums.replacement  # type: ignore[no-redef]
        def sums(self, x: Any, y: Any) -> Any:
            return op.Sub(x, y)

    assert PassManager().add(P).run(sum_and_product()).count("P", "matched") == 1


def test_a_base_class_is_checked_with_the_patterns_of_its_subclasses() -> None:
    class Base(PatternFusionPass):
        def replacement(self, x: Any, y: Any, whatever: Any) -> Any:  # type: ignore[override]
            return op.Sub(x, y)

    with pytest.raises(TypeError, match="a parameter 'whatever', which pattern 'f' does not have"):
        type("P", (Base,), {"f": pattern(lambda self, x, y: op.Add(x, y))})
    type("P", (Base,), {"f": pattern(lambda self, x, y, whatever: op.Sum([x, y, whatever]))})


def test_hooks_of_canns_style_are_called_by_position_under_any_names() -> None:
    class P(PatternFusionPass):
        def patterns(self) -> Any:
            return [pattern(lambda x: op.Relu(x))]

        def meet_requirements(self, it: Any, whatever: Any) -> bool:  # type: ignore[override]
            return bool(it.anchor.op == "onnx.Relu" and whatever.pass_name == "P")

        def replacement(self, it: Any) -> ir.Graph:
            graph = ir.Graph("r")
            x = graph.add_input("x", it.inputs[0].type)
            graph.outputs = [graph.add_node("onnx.Abs", [x], result_types=[x.type]).result]
            return graph

    assert PassManager().add(P).run(sum_and_product()).count("P", "matched") == 2


def test_the_context_of_a_hook_goes_by_its_name() -> None:
    seen = []

    class P(PatternFusionPass):
        @pattern
        def f(self, x: Any) -> Any:
            return op.Relu(x)

        def meet_requirements(self, context: Any) -> bool:  # type: ignore[override]
            seen.append(context.pass_name)
            return False

    PassManager().add(P).run(sum_and_product())
    assert seen == ["P", "P"]


def test_a_pattern_is_traced_again_when_its_object_differs_only() -> None:
    calls: list[str] = []

    class Once(PatternFusionPass):
        @pattern
        def plain(self, x: Any) -> Any:
            calls.append("plain")
            return op.Relu(x)

        def replacement(self, x: Any) -> Any:  # type: ignore[override]
            return op.Abs(x)

    class OfTheObject(PatternFusionPass):
        wanted = "onnx.Relu"

        @pattern
        def asked(self, x: Any) -> Any:
            calls.append("asked")
            return p.op(self.wanted)(x)

        @pattern
        def checked(self, x: Any) -> Any:
            calls.append("checked")
            return op.Abs(x.where(lambda value: False))

        def replacement(self, x: Any) -> Any:  # type: ignore[override]
            return op.Neg(x)

    class Derived(Once):
        pass

    class OfInputs(PatternFusionPass):
        @pattern
        def inputs_style(self, inputs: Any) -> Any:
            calls.append("inputs")
            return MatMul(inputs[0], inputs[1])

        def replacement(self, match: Any) -> Any:
            raise AssertionError

    for cls in (Once, Once, Derived, OfTheObject, OfTheObject, OfInputs, OfInputs):
        PassManager().add(cls).run(sum_and_product())
    assert calls == ["plain", "plain", "asked", "checked", "inputs"]
    OfTheObject.wanted = "onnx.Elu"
    graph = sum_and_product()
    PassManager().add(OfTheObject).run(graph)
    assert not PassManager().add(OfTheObject).run(graph).changed


def test_what_a_pattern_reads_of_its_object_decides_whether_its_trace_is_used_again() -> None:
    calls: list[str] = []

    class Reads(PatternFusionPass):
        kinds: tuple[str, ...] = ("onnx.Relu", "onnx.Elu")
        made = 0

        def __init__(self) -> None:
            super().__init__()
            type(self).made += 1
            self.number = type(self).made
            self.alpha = 0.5
            self.fresh: list[int] = []

        def chosen(self, index: int) -> str:
            return self.kinds[index]

        @property
        def first(self) -> str:
            return self.chosen(0)

        @pattern
        def by_method(self, x: Any) -> Any:
            calls.append("method")
            return p.op(self.chosen(1))(x)

        @pattern
        def by_property(self, x: Any) -> Any:
            calls.append("property")
            return op.Abs(p.op(self.first)(x))

        @pattern
        def by_value(self, x: Any) -> Any:
            calls.append("value")
            return op.Elu(x, alpha=self.alpha)

        @pattern
        def by_number(self, x: Any) -> Any:
            calls.append("number")
            return op.Elu(x, alpha=float(self.number))

        @pattern
        def by_list(self, x: Any) -> Any:
            calls.append("list")
            return op.Neg(x) if self.fresh else op.Exp(x)

        @pattern
        def by_type(self, x: Any) -> Any:
            calls.append("type")
            return p.op(type(self).kinds[1])(x)

        @pattern
        def asks(self, x: Any) -> Any:
            calls.append("asks")
            return op.Log(x.where(lambda _: self.number > 0))

        def replacement(self, x: Any) -> Any:  # type: ignore[override]
            return op.Neg(x)

    every = ["method", "property", "value", "number", "list", "type", "asks"]
    for again in (every, ["number", "list", "type", "asks"]):
        calls.clear()
        PassManager().add(Reads).run(sum_and_product())
        assert list(dict.fromkeys(calls)) == again
    graph = sum_and_product()
    Reads.kinds = ("onnx.Relu", "onnx.Relu")
    assert PassManager().add(Reads).run(graph).count("Reads", "matched") == 2
