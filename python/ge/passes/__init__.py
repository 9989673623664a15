"""Passes: patterns matched and rewritten natively, hooks in Python, one pass manager.

The parts in Python are imported when they are first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import pattern as _pattern_module  # noqa: F401 - before the function of its name
from ._match import pattern
from ._native import GraphPattern, GraphRule, MatchResult
from ._public import HOMES, MODULES

if TYPE_CHECKING:
    from . import bootstrap, p
    from ._bisect import BisectResult, bisect
    from ._boundary import (
        FuseCheckResult,
        SubgraphBoundary,
        SubgraphInput,
        SubgraphOutput,
        SubgraphRewriter,
        can_fuse,
        infer_shape,
        report_fuse,
    )
    from ._context import PassContext
    from ._errors import PassFatal, PassSkip
    from ._expect import Expected, LostMatches, LostMatchesError, Surplus
    from ._explain import Attempt, Explanation, explain, explain_pass
    from ._fusion_kinds import DecomposePass, PatternFusionPass
    from ._ge_pattern import (
        NodeIo,
        Pattern,
        PatternMatcherConfig,
        PatternMatcherConfigBuilder,
        create_pattern,
        create_replacement,
    )
    from ._kinds import FusionBasePass
    from ._main import main
    from ._manager import PassManager, list_passes
    from ._match import PatternFunction, parse_pattern
    from ._registry import (
        PassDescriptor,
        clear_registered_passes,
        get_registered_pass_by_descriptor_key,
        get_registered_pass_dicts,
        get_registered_passes,
        register_custom_pass,
        register_decompose_pass,
        register_fusion_pass,
        register_pass,
    )
    from ._reproducer import check_reproducer
    from ._result import PassResult, PipelineResult
    from ._rewrite_check import Doubt, RewriteReport, WrongRewriteError
    from ._rules import RewriteResult, Rule, rewrite, rewrite_rule
    from ._stage import PassStage
    from ._stages import passes_of_stage, run_stage
    from ._status import FAILED, NOT_CHANGED, SUCCESS, StatusCode
    from .bootstrap import load_pass_plugins, unload_pass_plugins

__all__ = [
    "FAILED",
    "NOT_CHANGED",
    "SUCCESS",
    "Attempt",
    "BisectResult",
    "DecomposePass",
    "Doubt",
    "Expected",
    "Explanation",
    "FuseCheckResult",
    "FusionBasePass",
    "GraphPattern",
    "GraphRule",
    "LostMatches",
    "LostMatchesError",
    "MatchResult",
    "NodeIo",
    "PassContext",
    "PassDescriptor",
    "PassFatal",
    "PassManager",
    "PassResult",
    "PassSkip",
    "PassStage",
    "Pattern",
    "PatternFunction",
    "PatternFusionPass",
    "PatternMatcherConfig",
    "PatternMatcherConfigBuilder",
    "PipelineResult",
    "RewriteReport",
    "RewriteResult",
    "Rule",
    "StatusCode",
    "SubgraphBoundary",
    "SubgraphInput",
    "SubgraphOutput",
    "SubgraphRewriter",
    "Surplus",
    "WrongRewriteError",
    "bisect",
    "bootstrap",
    "can_fuse",
    "check_reproducer",
    "clear_registered_passes",
    "create_pattern",
    "create_replacement",
    "explain",
    "explain_pass",
    "get_registered_pass_by_descriptor_key",
    "get_registered_pass_dicts",
    "get_registered_passes",
    "infer_shape",
    "list_passes",
    "load_pass_plugins",
    "main",
    "p",
    "parse_pattern",
    "passes_of_stage",
    "pattern",
    "register_custom_pass",
    "register_decompose_pass",
    "register_fusion_pass",
    "register_pass",
    "report_fuse",
    "rewrite",
    "rewrite_rule",
    "run_stage",
    "unload_pass_plugins",
]


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
