"""The classes of the native part; the build generates the stub."""

from .._mlir_like._cext_loader import load

load("ir")
_module = load("passes")
GraphPattern = _module.GraphPattern
GraphRule = _module.GraphRule
MatchResult = _module.MatchResult
__all__ = ["GraphPattern", "GraphRule", "MatchResult"]
