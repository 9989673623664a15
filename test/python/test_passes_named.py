"""Classes whose hooks take values under the names that the patterns give them."""

from typing import Any

import pytest

import ge.ir as ir
from ge.es import onnx as op
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


def test_named_values_that_nobody_infers_have_the_types_of_what_they_replace() -> None:
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
