"""Base classes of passes, and what their hooks receive: a face of `ge.passes`."""

from .. import ir
from ._native import MatchResult
from ._pipeline._base import FusionBasePass
from ._pipeline._context import PassContext
from ._pipeline._stage import PassStage
from ._pipeline._status import StatusCode
from ._rewrite._cann._boundary import (
    SubgraphBoundary,
    SubgraphInput,
    SubgraphOutput,
    SubgraphRewriter,
    infer_shape,
)
from ._rewrite._cann._pattern import Pattern, PatternMatcherConfig, PatternMatcherConfigBuilder
from ._rewrite._decompose import DecomposePass
from ._rewrite._fusion import PatternFusionPass

__all__ = [
    "DecomposePass",
    "FusionBasePass",
    "MatchResult",
    "PassContext",
    "PassStage",
    "PatternFusionPass",
    "PatternMatcherConfig",
    "PatternMatcherConfigBuilder",
    "PatternOrGraph",
    "StatusLike",
    "SubgraphBoundary",
    "SubgraphInput",
    "SubgraphOutput",
    "SubgraphRewriter",
    "infer_shape",
]

#: What ``patterns()`` gives.
PatternOrGraph = Pattern | ir.Graph
#: What ``run()`` gives.
StatusLike = StatusCode | int | bool | None
