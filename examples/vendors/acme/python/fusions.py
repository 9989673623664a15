"""The vendor's passes."""

from pathlib import Path
from typing import Any

from .operators import library as _operators  # noqa: F401 - defines them
from .passes import (
    PassStage,
    PatternFusionPass,
    load_plugin,
    p,
    pattern,
    register_fusion_pass,
)

scale = p.op("acme.Scale")
twice = p.op("acme.Twice")

# plugin/AcmePlugin.cpp; the pass of src/AcmePasses.cpp is in the vendor's own library.
load_plugin(Path(__file__).parent / "plugins" / "libacme_plugin.so")


@register_fusion_pass(name="AcmeTwice", stage=PassStage.BEFORE_INFER_SHAPE)
class Twice(PatternFusionPass):
    """``Scale(x, factor=2)`` becomes Twice."""

    @pattern
    def by_two(self, x: Any) -> Any:
        """Return the scaled value."""
        return scale(x, factor=2.0)

    def replacement(self, x: Any) -> Any:
        """Return Twice."""
        return twice(x)
