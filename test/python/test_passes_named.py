"""Classes whose hooks take values under the names that the patterns give them."""

from typing import Any

import pytest

from ge.es import onnx as op
from ge.passes import PatternFusionPass, pattern


@pytest.mark.parametrize("hook", ["meet_requirements", "replacement"])
@pytest.mark.parametrize("arguments", ["self, a, bb", "self, aa, b, c", "self, a, match, other"])
def test_misspelt_names_are_found_when_the_class_is_made(hook: str, arguments: str) -> None:
    def f(self: Any, a: Any, b: Any) -> Any:
        return op.MatMul(a, b)

    scope: dict[str, Any] = {}
    exec(f"def {hook}({arguments}): pass", scope)
    with pytest.raises(TypeError, match=f"{hook} has a parameter '.*their names are a, b, beside"):
        type("P", (PatternFusionPass,), {"f": pattern(f), hook: scope[hook]})
